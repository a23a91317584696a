# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plot files and series in ParaView, through its own filters."""
import contextlib
import json
import os
import tempfile
import unittest

from expectations import CASES, ReaderTest, leaves, path
from paraview import servermanager, simple

VERSION = servermanager.vtkSMProxyManager.GetVersionMajor() * 100 + servermanager.vtkSMProxyManager.GetVersionMinor()


@contextlib.contextmanager
def said():
    """What is written to standard error meanwhile, by whatever library."""
    with tempfile.TemporaryFile("w+") as stream:
        kept = os.dup(2)
        os.dup2(stream.fileno(), 2)
        text = []
        try:
            yield text
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            stream.seek(0)
            text.append(stream.read())


def run_directory(case):
    return os.path.dirname(path(case, case["checkpoint"]))


def output(proxy):
    return proxy.GetClientSideObject().GetOutputDataObject(0)


def integrals(source, time=None):
    """Integrals over all cells, by array; "Volume", "Area" or "Length" among them."""
    proxy = simple.IntegrateVariables(Input=source)
    simple.UpdatePipeline(*([] if time is None else [time]), proxy=proxy)
    data = output(proxy).GetCellData()
    found = {data.GetArrayName(i): data.GetArray(i).GetTuple(0)[0] for i in range(data.GetNumberOfArrays())}
    simple.Delete(proxy)
    return found


def density_at(source, point):
    proxy = simple.ProbeLocation(Input=source, ProbeType="Fixed Radius Point Source")
    proxy.ProbeType.Center, proxy.ProbeType.Radius = point, 0.0
    proxy.UpdatePipeline()
    data = output(proxy)
    value = data.GetPointData().GetArray("density").GetTuple(0)[0]
    simple.Delete(proxy)
    return value


class ParaView(ReaderTest):
    @staticmethod
    def tolerance(case):
        """Relative: ParaView's integrals are plain sums over all cells."""
        return max(1e-10, ReaderTest.tolerance(case))

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def opened(self, case):
        """All plot files and the series of a case, under the ending that this ParaView wants."""
        ending = ".vtkhdf" if VERSION >= 512 else ".hdf"
        directory = os.path.join(self.scratch, case["case"])
        os.mkdir(directory)
        names = [os.path.splitext(file["name"])[0] + ending for file in case["plots"]]
        for file, name in zip(case["plots"], names):
            os.symlink(path(case, file), os.path.join(directory, name))
        with open(os.path.join(run_directory(case), "plot.vtkhdf.series"), encoding="utf-8") as stream:
            series = json.load(stream)
        for entry in series["files"]:
            entry["name"] = os.path.splitext(entry["name"])[0] + ending
        index = os.path.join(directory, f"plot{ending}.series")
        with open(index, "w", encoding="utf-8") as stream:
            json.dump(series, stream)
        return [os.path.join(directory, name) for name in names], index

    def check(self, source, expected, case, time=None):
        data = output(source)
        self.assertEqual(data.GetClassName(), "vtkOverlappingAMR")
        self.assertEqual([data.GetNumberOfDataSets(n) for n in range(data.GetNumberOfLevels())], leaves(expected))
        self.assertEqual(data.GetNumberOfCells(), expected["volumes"])
        # A 2D file is one volume of its coarsest level thick.
        thickness = data.GetDataSet(0, 0).GetSpacing()[2] if case["dim"] == 2 else 1.0
        found = integrals(source, time)
        domain = thickness
        for low, high in zip(case["lower"], case["upper"]):
            domain *= high - low
        self.assert_near(found["Volume"], domain, 1e-10, "volume")
        self.assert_near(found["density"], expected["mass"] * thickness, self.tolerance(case), "mass")
        return thickness

    def test_plot_files(self):
        for case in CASES:
            files, _ = self.opened(case)
            for file, expected in zip(files, case["plots"]):
                with self.subTest(case["case"], file=expected["name"]):
                    with said() as messages:
                        source = simple.OpenDataFile(file)
                        source.UpdatePipeline()
                    self.assertEqual(messages, [""])
                    thickness = self.check(source, expected, case)
                    if expected["is_last"]:
                        self.check_values(source, case, thickness)
                    simple.Delete(source)

    def check_values(self, source, case, thickness):
        for at, value in zip(case["points"], case["density"]):
            got = density_at(source, at if case["dim"] == 3 else [*at, 0.3 * thickness])
            self.assert_near(got, value, self.tolerance(case), f"density at {at}")
        cut = simple.Slice(Input=source, SliceType="Plane")
        cut.SliceType.Origin, cut.SliceType.Normal = [case["cut"], 0, 0], [1, 0, 0]
        self.assert_near(integrals(cut)["density"], case["integral"] * thickness, max(1e-6, self.tolerance(case)), "slice")
        simple.Delete(cut)

    def test_series(self):
        for case in CASES:
            with self.subTest(case["case"]):
                source = simple.OpenDataFile(self.opened(case)[1])
                self.assertEqual(list(source.TimestepValues), [file["time"] for file in case["plots"]])
                for expected in case["plots"]:
                    simple.UpdatePipeline(expected["time"], proxy=source)
                    self.check(source, expected, case, expected["time"])
                simple.Delete(source)


if __name__ == "__main__":
    print("ParaView", VERSION)
    unittest.main(verbosity=2)
