#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/gpu-suite on the emulated device: its stages, their tables and the report."""
import csv
import os
import re
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["BUILD"]
STAGES = ["build", "check", "kernels", "resident", "runs", "profile", "scaling", "offload", "memory", "sanitize", "openmp"]


def suite(*arguments):
    return subprocess.run([os.path.join(SOURCE, "scripts/gpu-suite"), *arguments], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class GpuSuite(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="meander-suite-")
        self.addCleanup(scratch.cleanup)
        self.out = scratch.name

    def run_stages(self, seconds, *stages, build=BUILD):
        done = suite("--device", "host", "--build", build, "--output", self.out, "--seconds", str(seconds), *stages)
        return done.returncode, self.read("report.txt").splitlines()

    def read(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as stream:
            return stream.read()

    def rows(self, name):
        return list(csv.DictReader(self.read(name).splitlines()))

    def test_list_names_the_stages(self):
        done = suite("--list")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], STAGES)

    def test_wrong_usage(self):
        for arguments in (["nothing"], ["--device", "abacus"], ["--seconds", "soon"], ["--output"], ["--fast"]):
            self.assertEqual(suite(*arguments).returncode, 2, arguments)

    def test_stages_leave_tables_and_a_report(self):
        for seconds in (20, 80, 320):  # a busy machine may not come to the last table in a short time
            _, report = self.run_stages(seconds, "kernels", "offload")
            ended_early = any("time is over" in line or "s are over" in line for line in report)
            if not ended_early and "ccz4" in {row["equation"] for row in self.rows("kernels.csv")}:
                break
        self.assertIn("GPU:", report[0])
        self.assertTrue(any(re.match(r"kernels: OK +kernels \(", line) for line in report), report)
        self.assertIn("ccz4", {row["equation"] for row in self.rows("kernels.csv")})
        self.assertEqual({(row["dim"], row["p"], row["memory"]) for row in self.rows("offload-1.csv")}, {("2", "17", "map")})
        for number, memory in ((2, "map"), (3, "pooled"), (4, "unified")):
            rows = self.rows(f"offload-{number}.csv")
            self.assertEqual({(row["dim"], row["memory"]) for row in rows}, {("3", memory)})
            # A slow machine does not come to CCZ4 in this time.
            self.assertIn({row["equation"] for row in rows}, ({"euler"}, {"euler", "ccz4"}))

    def test_a_stage_that_cannot_run_or_ends_early_does_not_stop_the_others(self):
        with tempfile.TemporaryDirectory() as empty:
            code, report = self.run_stages(20, "memory", "openmp", build=empty)
        self.assertEqual(code, 0)
        self.assertTrue(any(line.startswith("memory: SKIPPED memory: ") for line in report), report)
        self.assertIn("openmp: SKIPPED openmp: no GPU", report)
        _, report = self.run_stages(0, "kernels")  # the part of a stage that ran before stays
        self.assertTrue(any(line.startswith("memory: SKIPPED") for line in report), report)
        self.assertIn("kernels: SKIPPED kernels: the stage's 0 s are over", report)


if __name__ == "__main__":
    unittest.main()
