#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/verify: which runs count as complete, which of them are reused, and what it says of failed ones."""
import json
import os
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
# pylint: disable=wrong-import-position
from verification import session


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


if __name__ == "__main__":
    unittest.main()
