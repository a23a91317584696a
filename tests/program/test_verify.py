#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/verify: which runs count as complete, which of them are reused, and what it says of failed ones."""
import json
import math
import os
import sys
import tempfile
import types
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
# pylint: disable=wrong-import-position
from verification import black_holes, session, uniform_meshes, waves_across_jumps


class Complete(unittest.TestCase):
    def test_a_run_is_complete_at_its_end(self):
        with tempfile.TemporaryDirectory() as scratch:
            for end, time, complete in ((2.0, 2.0, True), (2.0, 2.0 - 1e-13, True), (2.0, 1.99, False), (-0.5, -0.5, True),
                                        (-0.5, -0.5 - 1e-13, True), (-0.5, -0.501, False), (0.0, 0.0, True), (0.0, -1e-9, False)):
                with open(os.path.join(scratch, "summary.json"), "w", encoding="utf-8") as stream:
                    json.dump({"time": time}, stream)
                with open(os.path.join(scratch, "input.toml"), "w", encoding="utf-8") as stream:
                    stream.write(f"[time]\nend = {end}\n")
                self.assertEqual(session.is_complete(scratch), complete, (time, end))

    def test_the_row_at_a_time(self):
        rows = [{"time": time} for time in (-3.0, -2.0, -1.0, 0.0, 1.0)]
        for time in (-3.0, -2.0, 0.0, 1.0):
            self.assertEqual(session.at(rows, time)["time"], time)
        self.assertEqual(session.at(rows, -1.5)["time"], -1.0)
        self.assertEqual(session.at(rows, 2.0)["time"], 1.0)


class Claims(unittest.TestCase):
    """Claims about runs whose histories are given: each is (value, whether the run was completed)."""

    def of(self, part, runs, quick=True, baseline=None):
        runs, found = iter(runs), []

        def run(*_):
            value, done = next(runs)
            rows = [{"time": t, "error_l2": value, "error_linf": value, "hamiltonian_l2_level_5": value, "lapse_min": 0.04}
                    for t in (0.0, 1.0, 12.0, 20.0)]
            return rows, done, 0.0
        part(types.SimpleNamespace(
            options=types.SimpleNamespace(quick=quick, baseline=baseline), run=run, input=lambda name, text: name, directory=str,
            claim=lambda what, demanded, seen, holds, seconds: found.append(bool(holds))))
        return found

    def test_numbers(self):
        self.assertEqual(session.orders([16.0, 4.0, 1.0]), [2, 2])
        for errors in ([1.0, 0.0], [math.nan, 1.0], [1.0, math.nan], [0.0, 1.0]):
            self.assertTrue(all(map(math.isnan, session.orders(errors))), errors)
        self.assertTrue(session.all_at_least([2, 3], 2))
        for values in ([4.3, math.nan], [math.nan, 4.3], [1, 3], []):
            self.assertFalse(session.all_at_least(values, 2), values)
        self.assertEqual(session.largest(iter([1, 3, 2])), 3)
        for values in ([1, math.nan], [math.nan, 1], []):
            self.assertTrue(math.isnan(session.largest(values)), values)

    def test_orders_are_those_of_complete_runs_with_numbers(self):
        good = [(1.0, True), (1.0 / 16, True), (1.0 / 256, True)]
        bad = [good[:2] + [(math.nan, True)], good[:2] + [(1.0 / 256, False)], good[:2] + [(0.0, True)]]
        self.assertEqual(self.of(uniform_meshes.linear_wave, good), [True])
        for runs in bad:
            self.assertEqual(self.of(uniform_meshes.linear_wave, runs), [False], runs)

        def across(verification):
            waves_across_jumps.orders(verification, "wave", "", "", [3, 6, 12])
        self.assertEqual(self.of(across, good), [True])
        for runs in bad:
            self.assertEqual(self.of(across, runs), [False], runs)
        both = [run for run in good for _ in range(2)]
        self.assertEqual(self.of(across, both, baseline="older"), [True, True])
        both[-1] = (1.0, False)  # the older program failed
        self.assertEqual(self.of(across, both, baseline="older"), [True, False])

    def test_constraints_are_those_of_complete_runs_with_numbers(self):
        self.assertEqual(self.of(black_holes.puncture, [(1e-2, True), (1e-3, True)], quick=False), [True] * 5)
        self.assertEqual(self.of(black_holes.puncture, [(1e-2, True), (0.0, True)], quick=False), [True] * 4 + [False])
        self.assertEqual(self.of(black_holes.puncture, [(1e-2, True), (1e-3, False)], quick=False), [True, True] + [False] * 3)
        self.assertEqual(self.of(black_holes.puncture, [(1e-2, True), (math.nan, True)]), [True, False, False])


if __name__ == "__main__":
    unittest.main()
