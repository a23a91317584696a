# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Slices, projections, boxes and spheres of a run in the Python package, and in xarray and yt where these are
installed; against the run's plot file."""
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import meander_amr
import numpy as np
from meander_amr.errors import OptionError

try:
    import xarray
except ImportError:
    xarray = None
try:
    import yt
except ImportError:
    yt = None

INPUT = """
[domain]
dimensions = {dim}
lower = {lower}
upper = {upper}
cells = {cells}
[mesh]
patch-size = 5
min-level = 1
max-level = 3
buffer = 0
[[refinement]]
kind = "ball"
radius = 0.05
[solver]
scheme = "rusanov"
[scenario]
name = "sedov"
radius = 0.3
[time]
max-steps = 3
[output]
precision = "float64"
[[output.slice]]
name = "cut"
normal = "{normal}"
offset = 0.1
resolution = 62
fields = ["density", "velocity", "level"]
[[output.slice]]
name = "cells"
normal = "{normal}"
offset = 0.1
resolution = 0
fields = ["density"]
[[output.projection]]
name = "sum"
normal = "x"
resolution = 33
fields = ["density"]
[[output.box]]
name = "box"
resolution = 20
fields = ["density", "velocity"]
[[output.sphere]]
name = "shell"
radius = 0.3
resolution = 24
fields = ["density"]
[[output.probe]]
name = "at"
at = {at}
"""


STEMS = ("slice_cut", "slice_cells", "projection_sum", "box_box", "sphere_shell")


def make_runs(directory):
    """Runs in 2D and 3D, in directories of these names."""
    for dim in (2, 3):
        text = INPUT.format(dim=dim, lower=[-1.0, -0.5, -0.5][:dim], upper=[1.0, 0.5, 0.5][:dim], cells=[2, 1, 1][:dim],
                            normal="xyz"[dim - 1], at=[0.01, 0.02, 0.03][:dim])
        source = os.path.join(directory, f"{dim}.toml")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(text)
        subprocess.run([os.environ["MEANDER"], "run", source, "--output", os.path.join(directory, str(dim)), "--threads", "1"],
                       check=True, stderr=subprocess.DEVNULL)


def last(directory, dim, stem):
    return sorted(glob.glob(os.path.join(directory, str(dim), stem + "_*.vtkhdf")))[-1]


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = scratch.name
        make_runs(cls.scratch)

    def opened(self, dim, stem):
        image = meander_amr.open(last(self.scratch, dim, stem))
        self.addCleanup(image.close)
        return image

    def at(self, dim, points):
        plot = self.opened(dim, "plot")
        return plot.sample_points("density", np.asarray(points)[:, :dim])

    def test_slices_have_the_plots_values(self):
        for dim in (2, 3):
            cut = self.opened(dim, "slice_cut")
            self.assertEqual((cut.kind, cut.name, cut.step, cut.axes), ("slice", "cut", 3, "xy"[:dim - 1]))
            self.assertEqual(cut.shape, (31, 62)[3 - dim:])
            grid = np.meshgrid(*[cut.centres(axis) for axis in cut.axes], indexing="ij")
            points = np.stack([*map(np.ravel, grid), np.full(grid[0].size, 0.1)], axis=1)
            np.testing.assert_array_equal(cut["density"].T.ravel(), self.at(dim, points))
            self.assertEqual(cut["velocity"].shape, (*cut.shape, 3))
            self.assertIn("62", repr(cut))
            with self.assertRaises(OptionError):
                cut.centres("xyz"[dim - 1])

    def test_cells_tile_a_plane(self):
        for dim in (2, 3):
            cut = self.opened(dim, "slice_cells")
            self.assertEqual(cut.corners.shape[1], 2 ** (dim - 1))
            sizes = np.prod((cut.corners.max(axis=1) - cut.corners.min(axis=1))[:, :dim - 1], axis=1)
            self.assertAlmostEqual(sizes.sum(), 2.0)
            np.testing.assert_array_equal(cut["density"], self.at(dim, cut.corners.mean(axis=1)))

    def test_sums(self):
        for dim in (2, 3):
            total = self.opened(dim, "plot").total("density")
            projection, box = self.opened(dim, "projection_sum"), self.opened(dim, "box_box")
            area = np.prod(projection.spacing[1:dim])
            self.assertLess(abs(projection["density"].sum() * area - total), 1e-12 * total)
            self.assertLess(abs(box["density"].sum() * np.prod(box.spacing[:dim]) - total), 1e-12 * total)

    def test_series_and_probe(self):
        series = meander_amr.open(os.path.join(self.scratch, "3", "slice_cut.vtkhdf.series"))
        self.assertEqual([image.step for image in series], [0, 3])
        probe = meander_amr.open(os.path.join(self.scratch, "3", "probe_at.csv"))
        self.assertEqual(list(probe["step"]), [0, 1, 2, 3])
        self.assertEqual(probe["density"][-1], self.at(3, [[0.01, 0.02, 0.03]])[0])

    def test_pictures(self):
        for dim in (2, 3):
            for stem, of_pixels in (("slice_cut", True), ("projection_sum", True), ("box_box", True), ("sphere_shell", False)):
                if importlib.util.find_spec("matplotlib") is None:
                    self.skipTest("needs matplotlib")
                path = last(self.scratch, dim, stem)
                done = subprocess.run([sys.executable, "-m", "meander_amr", path], capture_output=True, text=True, check=False)
                if not of_pixels:
                    self.assertEqual((done.returncode, done.stderr),
                                     (2, f"meander-plot: {path}: has cells, which ParaView shows; there is a picture of pixels only\n"))
                    continue
                self.assertEqual((done.returncode, done.stdout), (0, path.replace(".vtkhdf", ".png") + "\n"), done.stderr)
                self.assertGreater(os.path.getsize(path.replace(".vtkhdf", ".png")), 5000)
        wrong = subprocess.run([sys.executable, "-m", "meander_amr", last(self.scratch, 2, "slice_cut"), "--show", "radial"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("is a slice, of which there is no 'radial'", wrong.stderr)

    @unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "needs matplotlib")
    def test_a_line_of_pixels_has_the_scale_that_was_asked_for(self):
        import matplotlib
        matplotlib.use("Agg")
        from meander_amr import plot
        cut = self.opened(2, "slice_cut")
        for scale in ("linear", "log", "symlog"):
            self.assertEqual(plot.image(cut, "density", scale=scale).get_yscale(), scale)
        matplotlib.pyplot.close("all")

    @unittest.skipIf(xarray is None, "needs xarray")
    def test_xarray(self):
        data = self.opened(3, "slice_cut").to_xarray()
        self.assertEqual(data["density"].dims, ("y", "x"))
        self.assertEqual(data["velocity_z"].shape, (31, 62))
        self.assertEqual(float(data["density"].sel(x=0.01, y=0.02, method="nearest")),
                         float(self.at(3, [[data.x.sel(x=0.01, method="nearest"), data.y.sel(y=0.02, method="nearest"), 0.1]])[0]))
        self.assertEqual(self.opened(3, "sphere_shell").to_xarray()["density"].dims, ("cell",))

    @unittest.skipIf(yt is None, "needs yt")
    def test_yt(self):
        for dim, stem in ((3, "box_box"), (3, "slice_cut"), (2, "box_box")):
            image = self.opened(dim, stem)
            data = image.to_yt()
            found = np.asarray(data.all_data()["stream", "density"])
            np.testing.assert_array_equal(np.sort(found), np.sort(image["density"].ravel()))
            axis = image.axes[0]
            at = [float(image.centres(a)[3]) if a in image.axes else float(image.lower["xyz".index(a)]) for a in "xyz"]
            self.assertEqual(float(data.point(at)["stream", "density"][0]), image["density"].T[(3,) * len(image.axes)], axis)
        with self.assertRaises(OptionError):
            self.opened(3, "sphere_shell").to_yt()


if __name__ == "__main__":
    unittest.main()
