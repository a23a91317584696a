# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of punctures and horizons."""
import contextlib
import io
import os
import tempfile
import unittest

import numpy as np

from meander_amr import FileError, command, plot

HISTORY = """step,time [time],puncture_1_x [length],puncture_1_y [length],puncture_1_z [length]
0,0,3,0.5,0
1,1,2,0.5,1
2,2,1,0.5,2
"""
HORIZON = """time [time],status,area [length^2],irreducible_mass [length],christodoulou_mass [length]
0,found,50.2,1.0,1.0
1,not found,,,
2,found,50.3,1.001,1.002
3,fou"""


class Tracks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.run = scratch.name

    def write(self, name, text):
        with open(os.path.join(self.run, name), "w", encoding="utf-8") as stream:
            stream.write(text)

    def test_punctures_are_drawn_in_their_plane_and_masses_over_time(self):
        self.write("history.csv", HISTORY)
        self.write("horizon_1.csv", HORIZON)
        self.write("horizon_1_shapes.csv", "not a table of a horizon")
        positions, masses = plot.tracks(self.run)
        self.assertEqual((positions.get_xlabel(), positions.get_ylabel()), ("x", "z"))
        np.testing.assert_array_equal(positions.lines[0].get_xydata(), [[3, 0], [2, 1], [1, 2]])
        self.assertEqual(len(masses.lines), 2)
        np.testing.assert_array_equal(masses.lines[0].get_xdata(), [0, 1, 2])
        np.testing.assert_allclose(masses.lines[1].get_ydata(), [0, np.nan, 0.002], atol=1e-15)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(command.main([self.run, "--show", "tracks"]), 0)
        self.assertEqual(said.getvalue(), os.path.join(self.run, "tracks.png") + "\n")

    def test_unresolved_horizons_have_no_mass(self):
        self.write("horizon_1.csv", HORIZON.replace("1,not found,,,", "1,under-resolved,80,1.4,1.4"))
        (masses,) = plot.tracks(self.run)
        np.testing.assert_allclose(masses.lines[0].get_ydata(), [0, np.nan, 0.001], atol=1e-15)

    def test_horizons_that_are_never_resolved_have_no_panel(self):
        self.write("horizon_1.csv", HORIZON.replace("found", "under-resolved"))
        with self.assertRaisesRegex(FileError, "nor files horizon_N.csv with masses"):
            plot.tracks(self.run)
        self.write("history.csv", HISTORY)
        self.assertEqual(len(plot.tracks(self.run)), 1)

    def test_punctures_on_a_line(self):
        rows = "".join(f"{n},{n},1e-13,0,{3 - n}\n" for n in range(3))
        self.write("history.csv", HISTORY.splitlines()[0] + "\n" + rows)
        (positions,) = plot.tracks(self.run)
        width, height = np.ptp(positions.get_xlim()), np.ptp(positions.get_ylim())
        self.assertGreaterEqual(min(width, height), 0.3 * max(width, height))

    def test_horizons_alone(self):
        self.write("horizon_2.csv", HORIZON)
        (masses,) = plot.tracks(self.run)
        self.assertIn("horizon 2, irreducible, first 1", [text.get_text() for text in masses.get_legend().get_texts()])

    def test_positions_that_are_not_finite_are_left_out(self):
        self.write("history.csv", HISTORY + "3,3,nan,nan,nan\n4,4,inf,0.5,4\n")
        (positions,) = plot.tracks(self.run)
        np.testing.assert_array_equal(positions.lines[0].get_xydata(), [[3, 0], [2, 1], [1, 2]])
        self.write("history.csv", HISTORY.splitlines()[0] + "\n")
        with self.assertRaisesRegex(FileError, "has neither punctures"):
            plot.tracks(self.run)

    def test_complaints(self):
        with self.assertRaisesRegex(FileError, "has neither punctures in history.csv nor files horizon_N.csv"):
            plot.tracks(self.run)
        self.write("horizon_1.csv", "status\nfound\n")
        with self.assertRaisesRegex(FileError, "has no column time"):
            plot.tracks(self.run)
        with contextlib.redirect_stderr(io.StringIO()) as complaint:
            self.assertEqual(command.main([self.run, "--show", "tracks", "--mass", "2"]), 2)
        self.assertIn("--mass: is no option of 'tracks', but of waves", complaint.getvalue())


if __name__ == "__main__":
    unittest.main(verbosity=2)
