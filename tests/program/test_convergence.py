# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/convergence with the built program: orders of a smooth density wave, table and picture, and what is refused."""
import csv
import os
import subprocess
import sys
import tomllib
import unittest

from programs import ENVIRONMENT, SOURCE, ProgramTest

try:
    from matplotlib import image
except ImportError:
    print("SKIPPED: no Python with matplotlib")
    sys.exit(77)

SCRIPT = os.path.join(SOURCE, "scripts/convergence")
# A wave of density that the gas carries to the right, on three leaves.
WAVE = """[domain]
dimensions = 2
upper = [1.0, 0.3333333333333333]
cells = [3, 1]
[boundary]
all = "periodic"
[mesh]
patch-size = 8
min-level = 1
[solver]
scheme = "muscl"
[scenario]
name = "formulas"
[scenario.fields]
density = "1 + 0.2 * sin(2 * pi * x)"
velocity-x = 1
pressure = 1
[scenario.exact]
density = "1 + 0.2 * sin(2 * pi * (x - {speed} * t))"
[time]
end = 0.25
"""
# In front of the program: every run but the first, of one step, fails as a run with an inadmissible state does.
FAILING = """#!/bin/sh
case "$*" in *time.max-steps=1) exec {program} "$@" ;; esac
echo "2026-01-01 00:00:00 I mesh at the start"
echo "2026-01-01 00:00:01 E step 3: pressure is -1" >&2
exit 1
"""


class Convergence(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("wave.toml", WAVE.format(speed=1))

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(self.path(name), 0o755)

    def start_script(self, *arguments):
        return subprocess.run([SCRIPT, *arguments], cwd=self.scratch, env=ENVIRONMENT, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)

    def table(self, *arguments):
        """The rows of the table, as numbers by column."""
        done = self.start_script(*arguments, "--threads", "1", "--output", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out/convergence.csv"), encoding="utf-8", newline="") as stream:
            rows = [{name: float(cell or "nan") for name, cell in row.items()} for row in csv.DictReader(stream)]
        self.assertIn(f"{rows[-1]['order_l1']:.2f}", done.stdout)
        return rows

    def refuse(self, *arguments, code=2):
        done = self.start_script(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr

    def test_the_second_order_scheme(self):
        rows = self.table("wave.toml", "--by", "patch-size")
        self.assertEqual([row["patch_size"] for row in rows], [8, 16, 32])
        for row in rows[1:]:
            for norm in ("l1", "l2"):
                self.assertGreater(row[f"order_{norm}"], 1.8, rows)
                self.assertLess(row[f"order_{norm}"], 2.4, rows)
            # The limiter flattens the crests.
            self.assertGreater(row["order_linf"], 1.2, rows)
        pixels = image.imread(self.path("out/convergence.png"))
        self.assertGreater(min(pixels.shape[:2]), 400)
        self.assertGreater(len(set(map(tuple, pixels.reshape(-1, pixels.shape[-1])))), 20)  # not empty

    def test_the_first_order_scheme(self):
        for row in self.table("wave.toml", "--by", "patch-size", "--set", "solver.scheme=rusanov")[1:]:
            for norm in ("l1", "l2", "linf"):
                self.assertGreater(row[f"order_{norm}"], 0.75, row)
                self.assertLess(row[f"order_{norm}"], 1.1, row)

    def test_a_wrong_exact_solution_has_no_order(self):
        self.write("wrong.toml", WAVE.format(speed=1.1))
        for row in self.table("wrong.toml", "--by", "patch-size", "--levels", "2")[1:]:
            self.assertLess(row["order_l1"], 0.3)

    def test_levels_on_ranks(self):
        rows = self.table("wave.toml", "--levels", "2", "--ranks", "2")
        self.assertEqual([(row["min_level"], row["max_level"], row["patch_size"]) for row in rows], [(1, 1, 8), (2, 2, 8)])
        self.assertAlmostEqual(rows[0]["width"], 1 / 24)
        self.assertAlmostEqual(rows[1]["width"], 1 / 72)
        self.assertGreater(rows[1]["order_l1"], 1.8)
        for number in (1, 2):
            with open(self.path(f"out/run-{number}/input.toml"), "rb") as stream:
                self.assertEqual(tomllib.load(stream)["mesh"]["max-level"], number)

    def test_levels_of_criteria(self):
        self.write("wave.toml", WAVE.format(speed=1) + '[[refinement]]\nkind = "formula"\nformula = "0.2 - x"\nlevel = 2\n')
        rows = self.table("wave.toml", "--levels", "2", "--set", "mesh.max-level=3", "--set", "mesh.patch-size=6")
        self.assertEqual([(row["min_level"], row["max_level"]) for row in rows], [(1, 3), (2, 4)])
        with open(self.path("out/run-2/input.toml"), "rb") as stream:
            self.assertEqual(tomllib.load(stream)["refinement"][0]["level"], 3)

    def test_inputs_that_are_refused(self):
        sod = os.path.join(SOURCE, "inputs/sod.toml")
        self.assertEqual(self.refuse(sod), f"convergence: {sod}: has no exact solution to compare with: the history has no columns "
                         "error_..., which the scenario 'sod' does not have\n")
        self.write("none.toml", WAVE.split("[scenario.exact]")[0] + "[time]\nend = 0.25\n")
        self.assertIn("give the table [scenario.exact]", self.refuse("none.toml"))
        self.assertEqual(self.refuse("nothere.toml"), "nothere.toml: No such file or directory\n")
        self.write("typo.toml", WAVE.format(speed="u"))
        self.assertIn("unknown name 'u'", self.refuse("typo.toml"))
        self.assertEqual([name for name in os.listdir(self.scratch) if not name.endswith(".toml")], [])

    def test_options_that_are_refused(self):
        self.assertIn("unrecognized arguments: --lvels", self.refuse("wave.toml", "--lvels", "3"))
        self.assertIn("from 2 to 8, but is 1", self.refuse("wave.toml", "--levels", "1"))
        self.assertIn("which is --levels 4", self.refuse("wave.toml", "--levels", "5", "--by", "patch-size"))
        self.assertIn("unknown key", self.refuse("wave.toml", "--set", "solver.sheme=muscl"))
        self.assertIn("exists and is not empty", self.refuse("wave.toml", "--output", "."))
        self.assertIn("no such program", self.refuse("wave.toml", "--meander", "nothere", code=1))
        self.assertIn("end at different times", self.refuse("wave.toml", "--set", "time.max-steps=5"))

    def test_a_run_that_fails(self):
        self.write("failing", FAILING.format(program=os.environ["MEANDER"]))
        said = self.refuse("wave.toml", "--meander", self.path("failing"), code=1)
        self.assertTrue(said.endswith("2026-01-01 00:00:01 E step 3: pressure is -1\n"), said)
        self.assertNotIn("mesh at the start", said)


if __name__ == "__main__":
    unittest.main()
