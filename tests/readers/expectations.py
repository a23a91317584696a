# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of all readers share. The directory of the runs is the environment variable RUNS."""
import json
import os
import unittest

RUNS = os.environ["RUNS"]

with open(os.path.join(RUNS, "facts.json"), encoding="utf-8") as stream_:
    CASES = json.load(stream_)
for case_ in CASES:
    for file_ in case_["plots"] + [case_["checkpoint"]]:
        file_["leaves"] = {int(level): number for level, number in file_["leaves"].items()}


def path(case, file):
    return os.path.join(RUNS, case["case"], file["name"])


def leaves(file):
    """Leaves of each level, coarsest first, as readers number levels."""
    return [file["leaves"][level] for level in sorted(file["leaves"])]


class ReaderTest(unittest.TestCase):
    def assert_near(self, got, expected, tolerance, what=""):
        self.assertLess(abs(got - expected), tolerance * abs(expected), f"{what}: {got} instead of {expected}")

    @staticmethod
    def tolerance(case):
        """Relative, of values in plot files."""
        return 2e-7 if case["single"] else 1e-12
