# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the program (environment variable MEANDER), read back and drawn."""
import contextlib
import csv
import io
import os
import subprocess
import tempfile
import unittest

import h5py
import numpy as np
from meander import accretion, quicklook
from meander.plot_file import PlotFile, PlotFileError, last_of_series
from meander.sampling import Samples, Slice

SEDOV = """
[domain]
dimensions = 2
lower = [-1, -1]
upper = [1, 1]
[mesh]
patch-size = 4
min-level = 1
max-level = 3
[[refinement]]
kind = "ball"
radius = 0.3
[scenario]
name = "sedov"
radius = 0.2
[output]
precision = "float64"
fields = ["density", "velocity", "level", "curve_index"]
[time]
max-steps = 3
"""
SOD = """
[domain]
upper = [0.25, 1, 0.25]
cells = [1, 4, 1]
[mesh]
patch-size = 3
[boundary]
y = "outflow"
[scenario]
name = "sod"
axis = "y"
[time]
max-steps = 3
"""
ACCRETION = """
[domain]
lower = [-1, -1, -1]
[mesh]
patch-size = 5
min-level = 1
max-level = 2
[[refinement]]
kind = "ball"
radius = 0.2
[solver]
gamma = 1.6666666666666667
[scenario]
name = "accretion"
[time]
max-steps = 2
"""


class Quicklook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.plots = {}
        for name, text in (("sedov", SEDOV), ("sod", SOD), ("accretion", ACCRETION)):
            source = os.path.join(cls.scratch.name, name + ".toml")
            with open(source, "w", encoding="utf-8") as stream:
                stream.write(text)
            out = os.path.join(cls.scratch.name, name)
            subprocess.run([os.environ["MEANDER"], "run", source, "--output", out, "--threads", "1"], check=True,
                           stderr=subprocess.DEVNULL)
            cls.plots[name] = os.path.join(out, "plot.vtkhdf.series")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def open(self, name):
        return PlotFile(last_of_series(self.plots[name]))

    def complaint(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(quicklook.main(list(arguments)), 1)
        return errors.getvalue().strip()

    def test_mass_is_that_of_the_history(self):
        for name in self.plots:
            plot = self.open(name)
            samples = Samples(plot, "density", radius_from=plot.centre)
            with open(os.path.join(os.path.dirname(plot.path), "history.csv"), encoding="utf-8") as stream:
                rows = list(csv.DictReader(stream))
            tolerance = 1e-12 if name == "sedov" else 1e-6
            self.assertAlmostEqual(float((samples.measure * samples.value).sum()) / float(rows[-1]["total_density"]), 1,
                                   delta=tolerance)

    def test_slice_shows_the_volume_that_holds_a_point(self):
        plot = self.open("sedov")
        cut = Slice(plot, "curve_index")
        ny, nx = cut.image.shape
        for level in plot.levels:
            order = level.patches("curve_index")[:, 0, 0]
            for corner, number in zip(level.lower, order):
                middle = corner + 0.4 * level.spacing * level.p
                pixel = ((middle - plot.lower) / (plot.upper - plot.lower) * [nx, ny]).astype(int)
                self.assertEqual(cut.image[pixel[1], pixel[0]], number)
        self.assertFalse(np.isnan(cut.image).any())

    def test_slices_of_a_3d_file_across_any_axis(self):
        plot = self.open("accretion")
        for axis in range(3):
            for at in (-1.0, 0.0, 1.0):
                cut = Slice(plot, "density", axis, at, pixels=90)
                self.assertFalse(np.isnan(cut.image).any())
            # The seed is centred, so all central slices look alike.
            middle = Slice(plot, "density", axis, 0.0, pixels=90).image
            np.testing.assert_allclose(middle, Slice(plot, "density", 0, 0.0, pixels=90).image, rtol=1e-5)

    def test_turnaround_at_the_end_of_the_default_run(self):
        plot = self.open("accretion")
        plot.time = -8 ** -0.5
        self.assertAlmostEqual(accretion.turnaround_radius(plot), 0.4368, places=4)
        plot.scenario["seed"] = "noise"
        self.assertEqual(accretion.marked_radii(plot), [])

    def test_pictures(self):
        options = {"sedov": [["--field", "velocity"], ["--field", "level"], ["--line"]],
                   "sod": [[], ["--axis", "y", "--at", "0.3"], ["--radial", "--no-outlines"]],
                   "accretion": [["--axis", "x"], ["--line"]]}
        for name, series in self.plots.items():
            for i, extra in enumerate(options[name]):
                picture = os.path.join(self.scratch.name, f"{name}-{i}.png")
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(quicklook.main([series, "--output", picture] + extra), 0)
                with open(picture, "rb") as stream:
                    self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n")

    def test_complaints(self):
        self.assertEqual(self.complaint("no.vtkhdf"), "scripts/plot: no.vtkhdf: no such file")
        text = os.path.join(self.scratch.name, "sod.toml")
        self.assertIn("is no HDF5 file", self.complaint(text))
        foreign = os.path.join(self.scratch.name, "foreign.h5")
        h5py.File(foreign, "w").close()
        self.assertIn("no plot file of meander", self.complaint(foreign))
        self.assertIn("has no field 'densty'; did you mean 'density'?",
                      self.complaint(self.plots["sedov"], "--field", "densty"))
        self.assertIn("is 2D", self.complaint(self.plots["sedov"], "--axis", "z"))
        self.assertIn("reaches from 0 to 1 along y", self.complaint(self.plots["sod"], "--axis", "y", "--at", "2"))
        broken = os.path.join(self.scratch.name, "plot.vtkhdf.series")
        with open(broken, "w", encoding="utf-8") as stream:
            stream.write("{}")
        with self.assertRaises(PlotFileError):
            last_of_series(broken)


if __name__ == "__main__":
    unittest.main()
