#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Wrong formulas in every place that has them: the program (environment variable MEANDER) answers each with one message
that names file, line and column, exit code 2, and leaves no file and no output directory."""
import os
import shutil
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
[scenario.expressions]
u1 = %(expression)s
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
VALID = {"beyond": '"2 - u1 / u1"', "where": '"u1"', "formula": '"0.3 - r"', "constant": "1", "expression": "\"u0 + x\"", "density": '"1 + x"', "region": "2", "exact": '"1 + t"'}
# Each is wrong as a formula, wherever it stands.
WRONG = ["", " ", "sine(x)", "gama", "w", "X", "_pi", "e", "rnd()", "x and y", "sin", "2 * sin x", "x = 2", "if(x = 2, 1, 0)", "x, y", "x; y",
         "(x", "1 + (2 * (x + 1)", "sin(x", "x)", ")x(", "x(1)", "pi(x)", "()", "x +", "x ^", "* x", "x * / y", "x ** 2", "x!", "x y", "2x",
         "1 2", "1..2", "0x10", "1e400", "sin(x, y)", "atan2(x)", "sin()", "min()", "if(x, 1)", "if(x, 1, 2, 3)", "min(x,, y)", "x ? 1", "x : 2",
         "'a'", "x[1]", "{x}", "x % 2", "x & y", "$(ls)", "#x", "\u00e4", "`ls`", "system(x)", "open(x)", "import os", "x -> y", "lambda: x",
         "ln(x)", "fabs(x)", "1e", "2e+", "x or y", "not x", "x | y", "density - 1", "velocity-x", "pressure", "momentum_x", "\u03c0 * x", "q * 1e-3",
         "while(1)", "(" * 4000, "-" * 4000, "(" * 5000, "1" * 5000, "abs(" * 900, "/etc/passwd", "inf", "nan", "z"]
# Values that no gas has, each with what the message says.
INADMISSIBLE = {"-1": "must be positive, but is -1", "0": "must be positive, but is 0", "1 / (x - x)": "must be finite, but is inf",
                "sqrt(-x)": "must be finite, but is nan", "log(-r)": "must be finite", "x - 0.5": "must be positive, but is -", "exp(1e4)": "must be finite",
                "1 / (x - 1 / 162 * (1 - 1 / sqrt(3)))": "must be finite, but is ",
                "if(hypot(x - 64.5 / 81, y - 16.5 / 81) < 0.006, -1, 1)": "must be positive, but is -1 at (x, y) = (0.79",
                "if(x > 0.99, -1, 1)": "must be positive, but is -1 at (x, y) = (0.99"}
# Formulas that look dangerous and are none, each for the density.
HARMLESS = ["if(x > 0, 1, sqrt(-x))", "x > 0 ? 1 : 1 / 0", "(" * 2000 + "1 + x" + ")" * 2000, "1 +\\n  x^2", "1e-300 + 1"]


class BadFormulas(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="meander-formulas-")
        self.addCleanup(self.folder.cleanup)

    def answer(self, text, *command):
        with open(os.path.join(self.folder.name, "a.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        shutil.rmtree(os.path.join(self.folder.name, "output"), ignore_errors=True)
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
                rows = enumerate((INPUT % {**VALID, place: "HERE"}).splitlines(), 1)
                line, column = next((i, row.index("HERE") + 1) for i, row in rows if "HERE" in row)
                said = self.refused(text)
                self.assertTrue(said.startswith(f"a.toml:{line}:{column}: "), said[:200])
                self.assertRegex(said, r": column \d+ of the formula: ")
                self.assertEqual(said.count("of the formula: "), 1, said)
                self.assertLess(len(said), 1500)
        self.assertGreaterEqual(len(WRONG), 60)

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

    def test_too_long(self):
        for formula in ("1" + "+1" * 5_000_000, "(" * 10_000 + "x" + ")" * 10_000):
            said = self.refused(INPUT % {**VALID, "density": f'"{formula}"'})
            self.assertLess(len(said), 500)

    def test_harmless_formulas(self):
        for formula in HARMLESS:
            with self.subTest(formula=formula[:40]):
                code, said = self.answer(INPUT % {**VALID, "density": f'"{formula}"'})
                self.assertEqual(code, 0, said)

    def test_many_constants(self):
        constants = "".join(f'c{n + 1} = "c{n} + 0.5"\n' for n in range(10_000))
        many = INPUT.replace("[scenario.expressions]", "c0 = 1\n" + constants + "[scenario.expressions]")
        self.assertIn("unknown name 'q7'", self.refused(many % {**VALID, "density": '"q7 + c10000"'}))
        code, said = self.answer(many % {**VALID, "density": '"c10000 / 5000"'})
        self.assertEqual(code, 0, said)

    def test_expressions(self):
        self.assertIn("scenario.expressions: u1 must be a formula", self.refused(INPUT % {**VALID, "expression": "[1]"}))
        self.assertIn("unknown name 'u1': constants do not depend on expressions", self.refused(INPUT % {**VALID, "constant": '"u1"'}))
        self.assertIn("unknown name 'u2': the table defines it later; expressions follow from those above them",
                      self.refused(INPUT % {**VALID, "expression": '"u2"\nu2 = 1'}))
        self.assertIn("unknown name 'u1': the table defines it later", self.refused(INPUT % {**VALID, "expression": '"u1"'}))
        for name in ("u0", "x", "sin", "pi"):
            self.assertIn(f"scenario.expressions.{name}: has a meaning already", self.refused(INPUT % {**VALID, "expression": f'"x"\n{name} = 1'}))
        many = "".join(f'\ne{n + 1} = "e{n} + e{n}"' for n in range(100))
        self.assertIn("at most 64 are possible", self.refused(INPUT % {**VALID, "expression": '"x"\ne0 = "x"' + many}))
        # Each of 2^60 uses of the first one would be a run for ever; it is evaluated once.
        some = "".join(f'\ne{n + 1} = "e{n} + e{n}"' for n in range(60))
        code, said = self.answer(INPUT % {**VALID, "expression": '"x"\ne0 = "1 / 2^60"' + some, "density": '"e60"'})
        self.assertEqual(code, 0, said)
        self.assertIn("scenario.fields.density: must be positive, but is -", self.refused(INPUT % {**VALID, "expression": '"x - 0.5"', "density": '"u1"'}))

    def test_a_region_that_covers_nothing(self):
        code, said = self.answer(INPUT.replace("radius = 0.2", "radius = 1e-9") % VALID)
        self.assertEqual(code, 0, said)

    def test_two_programs_at_once(self):
        for name, formula in (("good", VALID["density"]), ("bad", '"1 - 2 * x"')):
            with open(os.path.join(self.folder.name, name + ".toml"), "w", encoding="utf-8") as file:
                file.write(INPUT % {**VALID, "density": formula})
        both = [subprocess.Popen([MEANDER, "run", name + ".toml", "--threads", "1"], cwd=self.folder.name, stderr=subprocess.PIPE)
                for name in ("good", "bad")]
        said = [one.communicate(timeout=60)[1] for one in both]
        self.assertEqual([one.returncode for one in both], [0, 2], said)

    def test_boundary_values(self):
        places = {"sqrt(-y)": "must be finite", "if(y > 0.9, -1, 1)": "must be positive, but is -1 at (x, y) = (-0.0"}
        for formula, message in places.items():
            for command in ((), (os.environ.get("MPIEXEC", "mpirun"), "--oversubscribe", "-np", "3")):
                with self.subTest(formula=formula, command=command):
                    said = self.refused(INPUT % {**VALID, "beyond": f'"{formula}"'}, *command)
                    self.assertTrue("a.toml:4:39: boundary.x-lower.density: " + message in said, said)
                    self.assertEqual(said.count(message), 1, said)

    def test_boundary_values_that_fail_later(self):
        for command in ((), (os.environ.get("MPIEXEC", "mpirun"), "--oversubscribe", "-np", "3")):
            with self.subTest(command=command):
                code, said = self.answer(INPUT % {**VALID, "beyond": '"1 - 300 * t"'}, *command)
                self.assertEqual(code, 1, said)
                self.assertEqual(said.count("a.toml:4:39: boundary.x-lower.density: must be positive, but is -"), 1, said)
                self.assertRegex(said, r"step \d+: a state beyond the boundary is not admissible: .* at \(x, y\) = \(-0.0.*, t = 0.00")

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
