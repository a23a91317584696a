#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Wrong formulas in every place that has them: the program (environment variable MEANDER) answers each with one message
that names file, line and column, exit code 2, and leaves no file."""
import os
import subprocess
import tempfile
import unittest

MEANDER = os.environ["MEANDER"]
INPUT = """[domain]
dimensions = 2
[boundary]
x-lower = {kind = "inflow", density = %(beyond)s, velocity-x = 1, pressure = 1}
x-upper = "outflow"
y = "diode"
[mesh]
patch-size = 9
min-level = 1
max-level = 2
[[refinement]]
kind = "jump"
variable = "density"
refine = 0.1
where = %(where)s
[[refinement]]
kind = "formula"
formula = %(formula)s
[scenario]
name = "formulas"
[scenario.constants]
u0 = %(constant)s
[scenario.fields]
density = %(density)s
velocity-x = "u0"
pressure = 1
[[scenario.region]]
shape = "ball"
centre = [0.5, 0.5]
radius = 0.2
density = %(region)s
[scenario.exact]
density = %(exact)s
[time]
end = 0.01
"""
VALID = {"beyond": "1", "where": '"x"', "formula": '"0.3 - r"', "constant": "1", "density": '"1 + x"', "region": "2", "exact": '"1 + t"'}
# Each is wrong as a formula, wherever it stands.
WRONG = ["", " ", "sine(x)", "gama", "w", "X", "_pi", "e", "rnd()", "x and y", "sin", "2 * sin x", "x = 2", "if(x = 2, 1, 0)", "x, y", "x; y",
         "(x", "1 + (2 * (x + 1)", "sin(x", "x)", ")x(", "x(1)", "pi(x)", "()", "x +", "x ^", "* x", "x * / y", "x ** 2", "x!", "x y", "2x",
         "1 2", "1..2", "0x10", "1e400", "sin(x, y)", "atan2(x)", "sin()", "min()", "if(x, 1)", "if(x, 1, 2, 3)", "min(x,, y)", "x ? 1", "x : 2",
         "'a'", "x[1]", "{x}", "x % 2", "x & y", "$(ls)", "#x", "\u00e4", "`ls`", "system(x)", "open(x)", "import os", "x -> y", "lambda: x",
         "while(1)", "(" * 4000, "-" * 4000, "(" * 5000, "1" * 5000, "abs(" * 900, "/etc/passwd", "inf", "nan", "z"]
# Values that no gas has, each with what the message says.
INADMISSIBLE = {"-1": "must be positive, but is -1", "0": "must be positive, but is 0", "1 / (x - x)": "must be finite, but is inf",
                "sqrt(-x)": "must be finite, but is -nan", "log(-r)": "must be finite", "x - 0.5": "must be positive, but is -", "exp(1e4)": "must be finite",
                "if(x > 0.99, -1, 1)": "must be positive, but is -1 at (x, y) = (0.99"}


class BadFormulas(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="meander-formulas-")
        self.addCleanup(self.folder.cleanup)

    def answer(self, text, *command):
        with open(os.path.join(self.folder.name, "a.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([*command, MEANDER, "run", "a.toml", "--threads", "1"], cwd=self.folder.name, capture_output=True, text=True,
                              check=False, timeout=60)
        return done.returncode, done.stderr + done.stdout

    def refused(self, text, *command):
        code, said = self.answer(text, *command)
        self.assertEqual(code, 2, said)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["a.toml"], said)
        return said

    def test_the_input_is_valid_without_them(self):
        code, said = self.answer(INPUT % VALID)
        self.assertEqual(code, 0, said)

    def test_wrong_formulas(self):
        places = sorted(VALID)
        for n, wrong in enumerate(WRONG):
            place = places[n % len(places)]
            with self.subTest(formula=wrong[:40], place=place):
                text = INPUT % {**VALID, place: '"' + wrong + '"'}
                line = next(i for i, row in enumerate((INPUT % {**VALID, place: "HERE"}).splitlines(), 1) if "HERE" in row)
                said = self.refused(text)
                self.assertTrue(said.startswith(f"a.toml:{line}:"), said[:200])
                if wrong:  # an empty `where` is none
                    self.assertIn("of the formula: ", said)
                self.assertLess(len(said), 1500)

    def test_every_place_refuses(self):
        for place in VALID:
            with self.subTest(place=place):
                self.assertIn("did you mean 'sin'?", self.refused(INPUT % {**VALID, place: '"sine(t)"'}))

    def test_values_that_no_gas_has(self):
        for formula, message in INADMISSIBLE.items():
            for command in ((), (os.environ.get("MPIEXEC", "mpirun"), "--oversubscribe", "-np", "3")) if formula.startswith("if") else ((),):
                with self.subTest(formula=formula, command=command):
                    said = self.refused(INPUT % {**VALID, "density": f'"{formula}"'}, *command)
                    self.assertIn("a.toml:", said)
                    self.assertIn("scenario.fields.density: " + message, said)
                    self.assertEqual(said.count(message), 1, said)

    def test_ten_megabytes(self):
        said = self.refused(INPUT % {**VALID, "density": '"1' + "+1" * 5_000_000 + '"'})
        self.assertLess(len(said), 500)

    def test_formulas_where_none_belong(self):
        for key in ('mesh.patch-size="1 + 8"', 'time.end="2 * pi"', 'solver.cfl="0.4"'):
            with self.subTest(key=key):
                with open(os.path.join(self.folder.name, "a.toml"), "w", encoding="utf-8") as file:
                    file.write(INPUT % VALID)
                done = subprocess.run([MEANDER, "run", "a.toml", "--set", key], cwd=self.folder.name, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("but is the string", done.stderr)


if __name__ == "__main__":
    unittest.main()
