#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: long
"""A time that cannot advance ends the run with a message, and keeps the last state."""
import os
import unittest

import programs


def settings(*pairs):
    return [word for pair in pairs for word in ("--set", pair)]


class StalledTime(programs.ProgramTest):
    def stalls(self, *pairs):
        log = self.run_to_end(2, "run", *programs.SMALL, "--output", "run", *settings(*pairs), code=1)
        self.assertEqual(log.count("time cannot advance from t = "), 1, log)
        return log

    def test_steps_that_are_lost_in_rounding(self):
        self.assertIn("step 1: time cannot advance from t = 1000000000000000: t + dt = t",
                      self.stalls("output.plot-every=0", "time.start=1e15", "time.end=1000000000000001.0"))
        self.assertEqual(programs.checkpoints(self.path("run")), [])

    def test_steps_of_no_length(self):
        self.assertIn("t = 0: t + dt = t (dt = 0)", self.stalls("solver.cfl=5e-324"))

    def test_steps_that_never_reach_the_end(self):
        self.assertIn("step 1000: time cannot advance from t = 9.9", self.stalls("time.max-dt=1e-30", "mesh.max-level=2"))

    def test_a_limited_number_of_short_steps_is_possible(self):
        self.run_to_end(1, "run", *programs.SMALL, "--output", "run", *settings("time.max-dt=1e-30", "time.max-steps=3"))

    def test_the_last_state_is_kept(self):
        self.run_to_end(2, "run", *programs.SMALL, "--output", "run", *settings("time.max-steps=20"))
        log = self.run_to_end(2, "restart", "run", "--threads", "1", *settings(
            "time.max-steps=0", "output.plot-every=0", "solver.cfl=1e-4", "time.max-dt=1e-18"), code=1)
        self.assertIn("step 1020: time cannot advance from t = ", log)
        self.assertTrue(os.path.exists(self.path("run/chk_001019.hdf5")))
        self.run_to_end(1, "restart", "run", *settings("time.max-steps=1022", "output.plot-every=0"))
        self.assertTrue(os.path.exists(self.path("run/chk_001022.hdf5")))

    def test_plots_that_fill_the_disk(self):
        log = self.run_to_end(1, "run", *programs.SMALL, "--output", "run", *settings("output.plot-every=1e-300"), code=2)
        self.assertIn("--set output.plot-every=1e-300: output.plot-every: must be at least 8", log)


if __name__ == "__main__":
    unittest.main()
