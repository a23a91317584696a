#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""meander-bench-offload on the emulated device."""
import csv
import io
import os
import subprocess
import unittest

PROGRAM = os.environ["BENCH_OFFLOAD"]
ALL = "euler,euler-muscl,ccz4,ccz4-fourth-order"


def table(*options):
    done = subprocess.run([PROGRAM, *options], check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


class Offload(unittest.TestCase):
    def test_every_solver_runs(self):
        rows = table("--equations", ALL, "--dimensions", "2,3", "--patch-sizes", "3", "--threads", "2", "--batches", "2",
                     "--patches", "4", "--repeats", "1", "--memory", "pooled", "--real-kernel")
        self.assertEqual([(row["equation"], row["dim"]) for row in rows],
                         [("euler", "2"), ("euler", "3"), ("euler-muscl", "2"), ("euler-muscl", "3"), ("ccz4", "3"),
                          ("ccz4-fourth-order", "3")])
        self.assertEqual({row["label"] for row in rows}, {"model"})
        self.assertEqual({row["troubled_batches"] for row in rows}, {"0"})

    def test_kernels_alone_on_resident_patches(self):
        rows = table("--kernels-only", "--kernel-patches", "3", "--equations", ALL, "--dimensions", "3", "--patch-sizes",
                     "4")
        self.assertEqual([row["equation"] for row in rows], ALL.split(","))
        for row in rows:
            self.assertEqual(row["patches"], "3")
            self.assertGreater(float(row["ns_a_volume_and_stage"]), 0)
        # First order reads 5 unknowns of 6^3 volumes (216 doubles a line-aligned unknown), and writes 4^3.
        self.assertAlmostEqual(float(rows[0]["least_bytes_a_volume"]), 8 * 5 * (216 + 64) / 64, places=1)


if __name__ == "__main__":
    unittest.main()
