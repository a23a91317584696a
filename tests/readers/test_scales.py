# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Scales of colours and axes, by the colours that result."""
import contextlib
import io
import os
import subprocess
import tempfile
import unittest

import matplotlib.pyplot
import meander_amr
import numpy as np
from expectations import ReaderTest
from meander_amr import command, plot
from meander_amr.plot import style

matplotlib.use("Agg")
# One step of a puncture: its constraints span eight decades.
PUNCTURE = """
[domain]
lower = [-13.5, -13.5, -13.5]
upper = [13.5, 13.5, 13.5]
cells = [3, 3, 3]
[mesh]
patch-size = 10
[boundary]
all = "sommerfeld"
[solver]
equation = "ccz4"
scheme = "fourth-order"
[scenario]
name = "puncture"
[time]
max-steps = 1
[output]
fields = ["hamiltonian", "momentum", "lapse"]
"""


class Scales(ReaderTest):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        source, out = (os.path.join(cls.scratch.name, name) for name in ("puncture.toml", "puncture"))
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(PUNCTURE)
        subprocess.run([os.environ["MEANDER"], "run", source, "--output", out, "--threads", "1"], check=True,
                       stderr=subprocess.DEVNULL)
        cls.series = os.path.join(out, "plot.vtkhdf.series")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def tearDown(self):
        matplotlib.pyplot.close("all")

    def last(self):
        snapshot = meander_amr.open(self.series)[-1]
        self.addCleanup(snapshot.close)
        return snapshot

    def complaint(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(command.main(list(arguments)), 2)
        return errors.getvalue().strip()

    def colours(self, axes, points):
        """Returns the colours [points, 4] that a slice drawn with plot.slice() has at points [points, 2]."""
        shown = axes.get_images()[0]
        values = np.asarray(shown.get_array())
        left, right, bottom, top = shown.get_extent()
        rows = [int((y - bottom) / (top - bottom) * values.shape[0]) for _, y in points]
        columns = [int((x - left) / (right - left) * values.shape[1]) for x, _ in points]
        return shown.to_rgba(values)[rows, columns]

    def test_a_constraint_has_colours_far_from_the_hole(self):
        snapshot = self.last()
        image = snapshot.slice("hamiltonian").image
        self.assertGreater(np.abs(image).max(), 1e4 * np.median(np.abs(image)))
        values = np.sort(np.abs(image).ravel())
        points = np.array([(x, y) for x in np.linspace(-13, 13, 40) for y in np.linspace(-13, 13, 40)])

        def distinct(scale):
            """Returns the number of colours among the points, and the share of those next to white."""
            drawn = self.colours(plot.slice(snapshot, "hamiltonian", outlines=False, scale=scale), points)[:, :3]
            return len(np.unique(np.round(drawn, 2), axis=0)), np.mean(drawn.min(axis=1) > 0.94)

        auto, white = distinct("auto")
        linear, mostly_white = distinct("linear")
        self.assertGreater(auto, 5 * linear)
        self.assertLess(white, 0.25)
        self.assertGreater(mostly_white, 0.9)
        self.assertEqual(distinct("symlog"), (auto, white))
        # Red above 0, blue below: opposite values have opposite colours.
        norm, colours = style.scale_of("hamiltonian", image)
        self.assertEqual((norm.vmin, norm.vmax), (-values[-1], values[-1]))
        small = 1e-4 * values[-1]
        for value, stronger in ((small, 0), (-small, 2)):
            red, _, blue, _ = matplotlib.colormaps[colours](norm(value))
            self.assertEqual(np.argmax([red, 0, blue]), stronger)
            self.assertGreater(abs(red - blue), 0.1)

    def test_the_scale_follows_the_values(self):
        for values, kind, colours in (([1.0, 2, 3], "Normalize", "inferno"), ([0.1, 1, 30], "LogNorm", "inferno"),
                                      ([-1.0, 0.5, 1], "TwoSlopeNorm", "RdBu_r"),
                                      ([-1e-9, 1e-8, 1e-7, 2], "SymLogNorm", "RdBu_r"),
                                      ([0, 1e-8, 1e-7, 2], "SymLogNorm", "inferno"),
                                      ([-5.0, -1e-5, -1e-4], "SymLogNorm", "RdBu_r"),
                                      ([-1e-17, 1e-16, 0.5, 1], "TwoSlopeNorm", "RdBu_r"), ([0.0, 0, 0], "Normalize", "inferno"),
                                      ([np.nan, -1e-9, 1e-8, np.inf, 2], "SymLogNorm", "RdBu_r")):
            norm, found = style.scale_of("K", np.array(values))
            self.assertEqual((type(norm).__name__, found), (kind, colours), values)
            self.assertLess(norm.vmin, norm.vmax)
        # A lower end of 12 decades less would leave one colour to all but round-off.
        self.assertEqual(style.scale_of("momentum", np.array([1e-12, 0.1, 1.0]))[0].vmin, 1e-8)
        for scale, kind in (("linear", "Normalize"), ("log", "LogNorm"), ("symlog", "SymLogNorm")):
            self.assertEqual(type(style.scale_of("rho", np.array([1.0, 2, 3]), scale)[0]).__name__, kind)
        self.assertEqual(type(style.scale_of("K", np.array([-1e-9, 2]), "linear")[0]).__name__, "TwoSlopeNorm")
        # Ticks of the colour bar: decades above the linear part.
        ticks = style.decade_ticks(style.scale_of("K", np.array([-1e-9, 1e-8, 1e-7, 2]))[0])
        self.assertEqual(list(ticks), sorted(ticks))
        np.testing.assert_array_equal(ticks, -ticks[::-1])
        self.assertIn(0, ticks)

    def test_most_values_close_to_the_lowest_get_colours_of_their_own(self):
        # Like a clump in gas that is almost uniform: three quarters of the values within 1.5 times the lowest, the others to 3000.
        values = np.concatenate([np.linspace(0.8, 1.2, 750), np.geomspace(1.21, 3000, 250)])
        norm, colours = style.scale_of("density", values)
        places = np.asarray(norm(values))
        self.assertTrue(np.all(np.diff(places) > 0))
        self.assertEqual((places[0], places[-1]), (0, 1))
        np.testing.assert_allclose(norm.inverse(places), values, rtol=1e-12)
        # One value below its neighbours by less than a hundredth does not look like another state.
        self.assertLess(norm(0.8 * 1.007), 0.05)

        def number_of_colours(shown_by):
            return len(np.unique(matplotlib.colormaps[colours](shown_by(values[:750])), axis=0))

        plain = style.scale_of("density", values, "log")[0]
        self.assertEqual(type(plain).__name__, "LogNorm")
        self.assertGreater(number_of_colours(norm), 3 * number_of_colours(plain))
        # The ticks of its colour bar are those of a logarithm.
        axes = plot.style.new_axes(None)
        bar = axes.figure.colorbar(axes.imshow(values.reshape(40, 25), norm=norm), ax=axes)
        self.assertEqual(bar.ax.get_yscale(), "log")
        matplotlib.pyplot.close(axes.figure)

    def test_the_scale_is_an_option(self):
        self.assertEqual(command.SCALES, style.SCALES)
        picture = os.path.join(self.scratch.name, "scaled.png")
        with contextlib.redirect_stdout(io.StringIO()):
            for extra in (["--show", "slice", "--scale", "symlog"], ["--show", "line", "--scale", "linear"], ["--scale", "auto"]):
                arguments = [self.series, "--field", "hamiltonian", "--output", picture, *extra]
                self.assertEqual(command.main(arguments), 0, extra)
        self.assertIn("has values that are not positive; use symlog",
                      self.complaint(self.series, "--field", "hamiltonian", "--scale", "log"))
        self.assertIn("level has no scale", self.complaint(self.series, "--field", "level", "--scale", "log"))
        self.assertIn("--scale: is no option of 'partition'",
                      self.complaint(self.series, "--show", "partition", "--scale", "log"))
        with self.assertRaisesRegex(ValueError, "must be one of auto, linear, log, symlog, but is 'logarithmic'"):
            plot.slice(self.last(), "lapse", scale="logarithmic")
        profile = plot.line_profile(self.last(), "hamiltonian")
        self.assertEqual(profile.get_yscale(), "symlog")

    def test_history_panels_have_the_scale_of_their_values(self):
        source = os.path.join(self.scratch.name, "signs.csv")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write("step,time,a,b,puncture_1_x,puncture_1_y,many_level_1,many_level_2\n")
            stream.writelines(f"{i},{i},{(-1) ** i * 10 ** -i},{(-1) ** i},{3 - i},{1e-6 * i},{10 ** -i},{i + 1}\n"
                              for i in range(9))
        history = meander_amr.open(source)
        columns = ["a", "b", "puncture_1_x", "puncture_1_y", "many_level_1"]
        self.assertEqual([axes.get_yscale() for axes in plot.history(history, columns)],
                         ["symlog", "linear", "linear", "log"])
        self.assertEqual([axes.get_yscale() for axes in plot.history(history, columns, "linear")], ["linear"] * 4)
        self.assertIn("some values are negative; use symlog", self.complaint(source, "--columns", "a", "--scale", "log"))
        many = [f"leaves_level_{level}" for level in range(14)]
        with open(source, "w", encoding="utf-8") as stream:
            stream.write("step,time," + ",".join(many) + "\n")
            stream.writelines(",".join(str(i + column) for column in range(16)) + "\n" for i in range(2))
        (axes,) = plot.history(meander_amr.open(source), many)
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], many)


if __name__ == "__main__":
    unittest.main(verbosity=2)
