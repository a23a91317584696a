#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/verify: which runs count as complete, which of them are reused, and what it says of failed ones."""
import contextlib
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import types
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
# pylint: disable=wrong-import-position
from verification import black_holes, session, symmetry, uniform_meshes, waves_across_jumps

# Writes the row of the start and fails; linear-wave is refused.
FAILS = """#!{python}
import os, sys
if "--version" in sys.argv:
    sys.exit(print("meander 0.0.0"))
if "linear-wave" in sys.argv[2]:
    sys.exit(2)
os.makedirs(sys.argv[sys.argv.index("--output") + 1])
with open(os.path.join(sys.argv[sys.argv.index("--output") + 1], "history.csv"), "w") as stream:
    stream.write("step,time\\n0,0\\n")
sys.exit(1)
"""


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


class Reused(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.verification = session.Verification(types.SimpleNamespace(output=scratch.name, meander=os.environ["MEANDER"], threads=1))

    def run_(self, settings, source="uniform.toml"):
        with contextlib.redirect_stdout(io.StringIO()):
            return self.verification.run("run", session.shipped(source), settings)

    def test_only_runs_with_the_settings_of_now_are_reused(self):
        settings = {"mesh.patch-size": 4, "mesh.max-level": 1, "time.end": 0.01,
                    "domain.lower": "[-0.5, 0.0, 0.0]", "domain.upper": [0.5, 1.0, 1.0]}
        rows, done, _ = self.run_(settings)
        self.assertTrue(done)
        for change in ({}, {"time.end": "10e-3", "domain.lower": "[-5e-1, -0.0, 0.0]"}, {"output.history-steps": 7},
                       {"offload.device": '"cuda"', "gpu-memory.patches": "device"}):
            self.assertEqual(self.run_({**settings, **change}), (rows, True, 0.0), change)
        for key, value in (("time.end", 0.1), ("time.end", 0.005), ("time.max-steps", 1), ("mesh.patch-size", 7), ("mesh.regrid-every", 7),
                           ("boundary", '"outflow"'), ("solver.cfl", 0.1), ("scenario.velocity", "[0.0, 0.5, 0.25]"), ("scenario.noise", 1e-3)):
            with self.assertRaisesRegex(session.FileError, f"is a run with {key}.* is needed"):
                self.run_({**settings, "boundary.all" if key == "boundary" else key: value})
        # Settings that only the run had.
        for key in ("mesh.patch-size", "time.end"):
            with self.assertRaisesRegex(session.FileError, f"is a run with {key}"):
                self.run_({other: value for other, value in settings.items() if other != key})
        with self.assertRaisesRegex(session.FileError, "its input is refused now .*mesh.patch-siz"):
            self.run_({**settings, "mesh.patch-siz": 4})

    def test_a_run_may_go_on_after_the_end_that_is_shipped(self):
        settings = {"mesh.patch-size": 4, "mesh.max-level": 1, "mesh.min-level": 1}
        rows, _, _ = self.run_({**settings, "time.end": 0.2})
        self.assertEqual(self.run_(settings), (rows, True, 0.0))



class Failed(unittest.TestCase):
    def test_parts_after_a_failed_run_are_evaluated(self):
        with tempfile.TemporaryDirectory() as scratch:
            program, output = os.path.join(scratch, "meander"), os.path.join(scratch, "out")
            with open(program, "w", encoding="utf-8") as stream:
                stream.write(FAILS.format(python=sys.executable))
            os.chmod(program, 0o755)
            parts = ("gauge-wave", "linear-wave", "symmetry", "four-times")
            done = subprocess.run([sys.executable, os.path.join(SOURCE, "scripts/verify"), "--quick", "--output", output, "--meander", program,
                                   "--input", "sod", *(word for part in parts for word in ("--only", part))],
                                  capture_output=True, text=True, check=False)
            with open(os.path.join(output, "verification.md"), encoding="utf-8") as stream:
                rows = [line.split(" | ") for line in stream if line.endswith(" s |\n")]
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([row[3] for row in rows], ["NO"] * len(rows))
        claims = [(row[0].lstrip("| "), row[2]) for row in rows]
        self.assertEqual(claims[0], ("gauge-wave", "KeyError: 'error_l2'"))
        self.assertEqual(done.stderr.count("Traceback"), 1, done.stderr)
        self.assertEqual(claims[1][0], "linear-wave")
        self.assertRegex(claims[1][1], "^RunError: linear-wave-order-27: exit code 2; see .*log$")
        self.assertEqual(claims[2:-1], [(f"symmetry, {case}-{which}", "stopped") for case in symmetry.CASES for which in ("part", "whole")])
        self.assertEqual(claims[-1][0], "sod.toml, four times as long")


if __name__ == "__main__":
    unittest.main()
