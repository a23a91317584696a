# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package against what the run knows and against sums over the bytes of the files."""
import os
import tempfile
import types
import unittest

import h5py
import meander_amr
import numpy as np
from expectations import CASES, RUNS, ReaderTest, leaves, path
from meander_amr import sampling
from meander_amr.boundaries import kind_of_boundary
from meander_amr.errors import needs
from meander_amr.snapshot import Snapshot

try:
    import xarray
except ImportError:
    xarray = None


def brute_force(case, file):
    """(lower corner [n, d], width [n], density [n]) of all volumes of a plot file, one by one from the boxes."""
    corners, widths, values = [], [], []
    with h5py.File(path(case, file), "r") as opened:
        root = opened["VTKHDF"]
        for n in range(len(root)):
            level, dx = root[f"Level{n}"], float(root[f"Level{n}"].attrs["Spacing"][0])
            density = iter(level["CellData/density"][:])
            for box in level["AMRBox"][:]:
                spans = [range(box[2 * a], box[2 * a + 1] + 1) for a in reversed(range(3))]
                for at in np.array(np.meshgrid(*spans, indexing="ij")).reshape(3, -1).T[:, ::-1]:
                    corners.append(case["lower"] + at[:case["dim"]] * dx)
                    widths.append(dx)
                    values.append(float(next(density)))
    return np.array(corners), np.array(widths), np.array(values)


class Package(ReaderTest):
    def every_file(self):
        for case in CASES:
            for file in case["plots"] + [case["checkpoint"]]:
                with meander_amr.open(path(case, file)) as snapshot:
                    yield case, file, snapshot

    def test_heads(self):
        for case, file, snapshot in self.every_file():
            with self.subTest(case["case"], file=file["name"]):
                self.assertEqual((snapshot.dim, snapshot.p, snapshot.time, snapshot.step),
                                 (case["dim"], case["p"], file["time"], file["step"]))
                self.assertEqual([level.number for level in snapshot.levels], sorted(file["leaves"]))
                self.assertEqual([len(level) for level in snapshot.levels], leaves(file))
                self.assertEqual(snapshot.leaves * snapshot.p ** snapshot.dim, file["volumes"])
                np.testing.assert_array_equal(snapshot.lower, case["lower"])
                self.assertEqual(snapshot.input["mesh"]["patch-size"], case["p"])
                self.assertIn(f"step {file['step']}", repr(snapshot))

    def test_totals_are_the_bits_of_the_history(self):
        for case, file, snapshot in self.every_file():
            with self.subTest(case["case"], file=file["name"]):
                if snapshot.kind == "checkpoint":
                    self.assertEqual(snapshot.total("energy"), file["energy"])
                if snapshot.kind == "checkpoint" or not case["single"]:
                    self.assertEqual(snapshot.total("density"), file["mass"])
                else:
                    self.assert_near(snapshot.total("density"), file["mass"], 1e-7)

    def test_points_have_the_value_of_the_volume_around_them(self):
        generator = np.random.default_rng(1)
        for case in CASES:
            with self.subTest(case["case"]), meander_amr.open(path(case, case["plots"][-1])) as plot:
                corners, widths, values = brute_force(case, case["plots"][-1])
                points = generator.uniform(plot.lower, plot.upper, (200, plot.dim))
                holds = ((points[:, None] >= corners) & (points[:, None] < corners + widths[:, None])).all(axis=2)
                self.assertTrue((holds.sum(axis=1) == 1).all())
                np.testing.assert_array_equal(plot.sample_points("density", points), values[holds.argmax(axis=1)])
                at = np.array(case["points"])
                np.testing.assert_allclose(plot.sample_points("density", at), case["density"], rtol=self.tolerance(case))
                with meander_amr.open(path(case, case["checkpoint"])) as checkpoint:
                    np.testing.assert_array_equal(checkpoint.sample_points("density", at), case["density"])
                # All volumes in one call: every centre has its own value.
                np.testing.assert_array_equal(plot.sample_points("density", corners + 0.5 * widths[:, None]), values)
                # Faces, edges, corners and the domain's border have an owner; what is outside has none.
                self.assertFalse(np.isnan(plot.sample_points("density", corners)).any())
                self.assertFalse(np.isnan(plot.sample_points("density", [plot.lower, plot.upper])).any())
                self.assertTrue(np.isnan(plot.sample_points("density", [plot.upper + 1e-9, plot.lower - 1e-9])).all())

    def test_lines(self):
        case = CASES[0]
        with meander_amr.open(path(case, case["plots"][-1])) as plot:
            x, values = plot.sample_line("density", plot.lower, plot.upper, 101)
            self.assertEqual((x[0], values.shape), (0, (101,)))
            self.assert_near(x[-1], np.linalg.norm(plot.upper - plot.lower), 1e-15)
            middle = plot.sample_points("density", 0.5 * (plot.lower + plot.upper))
            self.assertEqual(values[50], middle[0])
            for sample, words in ((lambda: plot.sample_points("density", [[0, 0, 0]]), r"have the shape \(1, 3\), not \[n, 2\]"),
                                  (lambda: plot.sample_points("density", [["a", 0]]), "points: must be numbers"),
                                  (lambda: plot.sample_line("density", [0, 0], [0, 0, 1]), "end: must be a position of 2 finite"),
                                  (lambda: plot.sample_line("density", 0, [0, 1]), "start: must be a position of 2 finite"),
                                  (lambda: plot.radial_profile("density", [0, 0, 0]), "centre: must be a position of 2 finite"),
                                  (lambda: plot.radial_profile("density", [0, np.nan]), "centre: must be a position of 2 finite")):
                with self.assertRaisesRegex(meander_amr.OptionError, words):
                    sample()

    def test_profiles_are_direct_sums(self):
        for case in CASES:
            with self.subTest(case["case"]), meander_amr.open(path(case, case["plots"][-1])) as plot:
                corners, widths, values = brute_force(case, case["plots"][-1])
                radius = np.linalg.norm(corners + 0.5 * widths[:, None] - plot.centre, axis=1)
                measure = widths ** plot.dim
                edges = np.linspace(0, 0.8, 13)
                profile = plot.radial_profile("density", edges=edges)
                expected = []
                for low, high in zip(edges[:-1], edges[1:]):
                    here = (low <= radius) & (radius < high)
                    if here.any():
                        weight = measure[here].sum()
                        expected.append(((measure * radius)[here].sum() / weight, (measure * values)[here].sum() / weight,
                                         values[here].min(), values[here].max(), weight))
                got = (profile.x, profile.mean, profile.minimum, profile.maximum, profile.volume)
                np.testing.assert_allclose(np.array(got).T, expected, rtol=1e-12)
                vectors = plot.radial_profile("velocity", edges=edges)
                self.assertEqual(vectors.mean.shape, (len(expected), plot.dim))

    def test_slices(self):
        for case in CASES:
            with self.subTest(case["case"]), meander_amr.open(path(case, case["checkpoint"])) as state:
                if state.dim == 3:
                    cut = state.slice("density", "x", case["cut"])
                    pixel = (cut.x[1] - cut.x[0]) * (cut.y[1] - cut.y[0])
                    self.assertEqual(cut.axes, [1, 2])
                    self.assert_near(cut.image.sum() * pixel, case["integral"], 1e-12)
                    area = sum(len(corners) * edge ** 2 for _, corners, edge in cut.outlines)
                    self.assert_near(area, 4.0, 1e-12, "area of the patches in the plane")
                else:
                    cut = state.slice("density")
                    pixel = (cut.x[1] - cut.x[0]) * (cut.y[1] - cut.y[0])
                    self.assert_near(cut.image.sum() * pixel, case["checkpoint"]["mass"], 1e-12)
                    self.assertEqual(sum(len(corners) for _, corners, _ in cut.outlines), state.leaves)
                number = state.slice("curve_index").image
                self.assertFalse(np.isnan(number).any())
                self.assertEqual(state.slice("velocity" if "velocity_x" in state.fields else "momentum",
                                             pixels=20).image.shape[-1], state.dim)

    def test_a_narrow_slice_is_part_of_the_whole(self):
        for case in CASES:
            with self.subTest(case["case"]), meander_amr.open(path(case, case["checkpoint"])) as state:
                whole, part = state.slice("density"), state.slice("density", width=0.5)
                self.assertLess(part.extent[1] - part.extent[0], 0.5 + 1e-12)
                middle = state.centre[part.axes]
                self.assertTrue(part.extent[0] < middle[0] < part.extent[1] and part.extent[2] < middle[1] < part.extent[3])
                points = np.stack([np.repeat(c, len(part.y)) if i == 0 else np.tile(c, len(part.x))
                                   for i, c in enumerate((part.x, part.y))], axis=1)
                if state.dim == 3:
                    points = np.insert(points, part.axis, part.at, axis=1)
                np.testing.assert_array_equal(part.image.T.ravel(), state.sample_points("density", points))
                self.assertLess(part.image.size, whole.image.size)
                with self.assertRaisesRegex(ValueError, "nothing of the domain"):
                    state.slice("density", width=0)

    def test_fields(self):
        case = CASES[0]
        with meander_amr.open(path(case, case["plots"][-1])) as plot, \
                meander_amr.open(path(case, case["checkpoint"])) as state:
            level = plot.levels[-1]
            velocity = plot.values("velocity", level)
            np.testing.assert_array_equal(plot.values("velocity_y", level), velocity[..., 1])
            momentum = state.values("momentum", state.levels[-1])
            density = state.values("density", state.levels[-1])
            np.testing.assert_allclose(momentum, velocity * density[..., np.newaxis], rtol=1e-14)
            np.testing.assert_array_equal(plot.values("level", level), state.values("level", state.levels[-1]))
            with self.assertRaisesRegex(meander_amr.FileError, "no field 'densty'; did you mean 'density'"):
                plot.total("densty")

    def test_partition(self):
        for case in CASES[:2]:
            with meander_amr.open(path(case, case["checkpoint"])) as state:
                self.assertTrue((state.partition() == 0).all())
                part = state.partition(5)
                self.assertTrue((np.diff(part) >= 0).all())
                self.assertLessEqual(np.ptp(np.bincount(part, minlength=5)), 1)

    def test_searches_of_a_horizon(self):
        with tempfile.TemporaryDirectory() as scratch:
            file = os.path.join(scratch, "horizon_1.csv")
            with open(file, "w", encoding="utf-8") as stream:
                stream.write("step,time,status,area\n0,0,found,50.25\n9,1.5,flow-shrank,nan\n12,2,fou")
            horizon = meander_amr.open(file)
        self.assertEqual(list(horizon["status"]), ["found", "flow-shrank"])
        self.assertEqual(horizon["area"][0], 50.25)
        self.assertEqual(list(horizon["time"]), [0, 1.5])

    def test_series_and_history(self):
        for case in CASES:
            with self.subTest(case["case"]):
                series = meander_amr.open(os.path.join(RUNS, case["case"], "plot.vtkhdf.series"))
                self.assertEqual(series.times.tolist(), [file["time"] for file in case["plots"]])
                self.assertEqual([plot.step for plot in series], [file["step"] for file in case["plots"]])
                self.assertEqual(series.at(1e9).time, series.times[-1])
                history = meander_amr.open(os.path.join(RUNS, case["case"], "history.csv"))
                self.assertEqual(history["total_density"][-1], case["checkpoint"]["mass"])
                self.assertEqual(history.units["shock_radius"], "length")
                with self.assertRaisesRegex(meander_amr.FileError, "did you mean 'time'"):
                    history["tme"]  # pylint: disable=pointless-statement

    @unittest.skipUnless(xarray, "no xarray")
    def test_xarray(self):
        history = meander_amr.open(os.path.join(RUNS, CASES[0]["case"], "history.csv"))
        data = history.to_xarray()
        self.assertEqual(data["shock_radius"].attrs["units"], "length")
        self.assertEqual(data["step"].values.tolist(), history["step"].tolist())
        np.testing.assert_array_equal(data["total_energy"].values, history["total_energy"])
        np.testing.assert_array_equal(data["time"].values, history["time"])

    def test_what_is_no_file_of_meander(self):
        with tempfile.TemporaryDirectory() as scratch:
            def complaint(name, text=None):
                file = os.path.join(scratch, name)
                if text is not None:
                    with open(file, "w", encoding="utf-8") as stream:
                        stream.write(text)
                with self.assertRaises(meander_amr.FileError) as caught:
                    meander_amr.open(file)
                self.assertIn(file, str(caught.exception))
                return str(caught.exception)

            for name in ("no.vtkhdf", "no.csv", "no.series"):
                self.assertRegex(complaint(name), "no such file")
            self.assertIn("is no HDF5 file", complaint("text.vtkhdf", "text"))
            for name, text in (("a.series", "{}"), ("b.series", "[]"), ("c.series", "{"), ("d.series", '{"files": []}')):
                complaint(name, text)
            for name, text in (("a.csv", ""), ("b.csv", "a,b\n1,2\n"), ("c.csv", "step,time\n1,x\n")):
                self.assertIn("no history", complaint(name, text))
            foreign = os.path.join(scratch, "foreign.h5")
            h5py.File(foreign, "w").close()
            with self.assertRaisesRegex(meander_amr.FileError, "neither a plot file nor a checkpoint"):
                meander_amr.open(foreign)
            half = os.path.join(scratch, "half.csv")
            with open(half, "w", encoding="utf-8") as stream:
                stream.write("step,time,dt [time]\n0,0,0\n1,0.5,0.5\n2,1.")
            self.assertEqual(len(meander_amr.open(half)), 2)
            # 0.5 may be the beginning of 0.53125.
            for end, rows in (("", 2), ("\n", 3), ("\r\n", 3)):
                with open(half, "w", encoding="utf-8", newline="") as stream:
                    stream.write("step,time,dt [time]\n0,0,0\n1,0.5,0.5\n2,1.0,0.5" + end)
                self.assertEqual(len(meander_amr.open(half)), rows)


class Faces(unittest.TestCase):
    def test_points_on_faces_belong_to_the_volume_above(self):
        for lower, dx, volumes in ((0.1, 0.1, 9), (-0.9, 0.2, 9), (0.3, 0.1 / 3, 27), (-1.7, 0.3, 81)):
            domain = types.SimpleNamespace(lower=np.array([lower]), upper=np.array([lower + volumes * dx]),
                                           levels=[types.SimpleNamespace(spacing=dx)])
            number = np.arange(volumes)
            for faces in (lower + number * dx, np.round(lower + number * dx, 12)):
                np.testing.assert_array_equal(sampling.finest_index(domain, faces[:, np.newaxis])[:, 0], number)
                below = sampling.finest_index(domain, faces[1:, np.newaxis] - 1e-6 * dx)
                np.testing.assert_array_equal(below[:, 0], number[:-1])


class Needs(unittest.TestCase):
    def test_a_missing_module_is_named_as_pip_does(self):
        for module, package in (("no_such.interpolate", "no_such"), ("no_such", "no_such"), ("vtkmodules.no_such", "vtk")):
            with self.assertRaisesRegex(ImportError, f"^waves needs the Python package {package}: pip install {package}$"):
                needs(module, "waves")


class Boundary(unittest.TestCase):
    def test_kinds(self):
        def kinds(table):
            return [kind_of_boundary(table, axis, side) for axis in "xy" for side in ("lower", "upper")]
        self.assertEqual(kinds({}), ["periodic"] * 4)
        self.assertEqual(kinds({"all": "outflow", "y": "periodic"}), ["outflow", "outflow", "periodic", "periodic"])
        self.assertEqual(kinds({"x-lower": {"kind": "inflow", "density": 1}, "x-upper": "outflow", "all": "reflecting"}),
                         ["inflow", "outflow", "reflecting", "reflecting"])


class Centre(unittest.TestCase):
    def of(self, scenario, boundary):
        return list(Snapshot.centre.fget(types.SimpleNamespace(
            scenario=scenario, input={"boundary": boundary}, dim=2, lower=np.array([0.0, -1.0]), upper=np.array([4.0, 1.0]))))

    def test_is_the_scenarios_or_on_mirrors_or_in_the_middle(self):
        self.assertEqual(self.of({}, {}), [2, 0])
        self.assertEqual(self.of({}, {"x-lower": "reflecting", "y-lower": "reflecting", "y-upper": "reflecting"}), [0, 0])
        self.assertEqual(self.of({}, {"x-upper": "reflecting", "y-upper": "reflecting"}), [4, 1])
        self.assertEqual(self.of({"centre": [1, 0.5]}, {"x-lower": "reflecting"}), [1, 0.5])
        self.assertEqual(self.of({"centre": [1, 0.5, 2, -0.5]}, {}), [1.5, 0])

    def test_planes_of_symmetry_prevail_over_walls(self):
        for scenario in ({}, {"centre": []}):
            self.assertEqual(self.of(scenario, {"x-lower": "symmetric", "x-upper": "reflecting"}), [0, 0])
            self.assertEqual(self.of(scenario, {"x-lower": "reflecting", "x-upper": {"kind": "symmetric"}}), [4, 0])
        # The program takes the middle, too, where a centre is left open between walls.
        self.assertEqual(self.of({"centre": []}, {"x-lower": "reflecting", "y-upper": "symmetric"}), [2, 1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
