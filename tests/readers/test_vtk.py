# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plot files in a current VTK, and what meander_amr makes of checkpoints for it."""
import unittest

import meander_amr
import numpy as np
import vtk
from expectations import CASES, ReaderTest, leaves, path
from vtkmodules.util.numpy_support import vtk_to_numpy


class Errors:
    """VTK reports errors as events; nobody else would see them."""

    def __init__(self, reader):
        self.seen = []
        reader.AddObserver("ErrorEvent", lambda *_: self.seen.append("error"))
        reader.AddObserver("WarningEvent", lambda *_: self.seen.append("warning"))


def grids(data):
    """Level by level, the grids of a vtkOverlappingAMR."""
    renamed = vtk.vtkVersion.GetVTKMajorVersion() * 100 + vtk.vtkVersion.GetVTKMinorVersion() >= 906
    count = data.GetNumberOfBlocks if renamed else data.GetNumberOfDataSets
    for n in range(data.GetNumberOfLevels()):
        yield [(data.GetDataSetAsImageData if renamed else data.GetDataSet)(n, i) for i in range(count(n))]


class Vtk(ReaderTest):
    def check(self, data, expected, case, tolerance):
        self.assertEqual(data.GetClassName(), "vtkOverlappingAMR")
        every = list(grids(data))
        self.assertEqual([len(level) for level in every], leaves(expected))
        self.assertEqual(data.GetNumberOfCells(), expected["volumes"])
        dim = case["dim"]
        mass = integral = 0
        for grid in (grid for level in every for grid in level):
            density = vtk_to_numpy(grid.GetCellData().GetArray("density")).astype(float)
            dx, bounds = grid.GetSpacing()[0], grid.GetBounds()
            ghosts = grid.GetCellGhostArray()
            self.assertTrue(ghosts is None or not vtk_to_numpy(ghosts).any(), "no leaf is hidden")
            mass += density.sum() * dx ** dim
            if bounds[0] < case["cut"] < bounds[1]:
                integral += density.reshape(-1, case["p"])[:, int((case["cut"] - bounds[0]) / dx)].sum() * dx ** (dim - 1)
        self.assert_near(mass, expected["mass"], tolerance, "mass")
        box = [0.0] * 6
        data.GetBounds(box)
        np.testing.assert_allclose(box[:2 * dim], np.ravel([case["lower"], case["upper"]], "F"), atol=1e-12)
        if not expected["is_last"]:
            return
        self.assert_near(integral, case["integral"], tolerance, "integral over a slice")
        for at, value in zip(case["points"], case["density"]):
            found = []
            for grid in (grid for level in every for grid in level):
                cell = grid.FindCell([*at, *[1e-6] * (3 - dim)], None, 0, 0.0, vtk.reference(0), [0.0] * 3, [0.0] * 8)
                if cell >= 0:
                    found.append(grid.GetCellData().GetArray("density").GetTuple(cell)[0])
            self.assertEqual(len(found), 1)
            self.assert_near(found[0], value, tolerance, f"density at {at}")

    def test_plot_files(self):
        for case in CASES:
            for expected in case["plots"]:
                with self.subTest(case["case"], file=expected["name"]):
                    reader = vtk.vtkHDFReader()
                    errors = Errors(reader)
                    self.assertTrue(reader.CanReadFile(path(case, expected)))
                    reader.SetFileName(path(case, expected))
                    reader.Update()
                    self.assertEqual(errors.seen, [])
                    self.check(reader.GetOutputDataObject(0), expected, case, self.tolerance(case))

    def test_to_vtk(self):
        for case in CASES:
            for file in (case["plots"][-1], case["checkpoint"]):
                with self.subTest(case["case"], file=file["name"]), meander_amr.open(path(case, file)) as snapshot:
                    tolerance = 1e-12 if file is case["checkpoint"] else self.tolerance(case)
                    self.check(snapshot.to_vtk(), file, case, tolerance)


if __name__ == "__main__":
    print("VTK", vtk.vtkVersion().GetVTKVersion())
    unittest.main(verbosity=2)
