#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""docs/formulas.md and the built program (environment variable MEANDER): functions, values of examples, and what is refused."""
import os
import re
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUT = """[domain]
dimensions = 2
[scenario]
name = "formulas"
[scenario.constants]
{constants}
[scenario.fields]
density = "{density}"
pressure = 1
"""


class FormulasPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(SOURCE, "docs/formulas.md"), encoding="utf-8") as stream:
            cls.page = stream.read()

    def check(self, density, constants="", code=0):
        with tempfile.TemporaryDirectory(prefix="meander-formulas-") as scratch:
            path = os.path.join(scratch, "in.toml")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(INPUT.format(density=density, constants=constants))
            done = subprocess.run([os.environ["MEANDER"], "check", "--input-only", path], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, code, (density, constants, done.stderr))
        return done.stderr

    def test_functions(self):
        section = self.page.split("## Functions\n")[1].split("`if` evaluates")[0]
        named = set(re.findall(r"`(\w\w+)[`(]", section))
        known = set(re.search("known names are: (.*)", self.check("unheard_of", code=2))[1].split(", "))
        self.assertEqual(named, known - {"x", "y", "r", "t", "pi", "gamma"})

    def test_values(self):
        examples = re.findall(r"`([^`]+)` is (-?\d+|NaN)\b", self.page)
        self.assertGreater(len(examples), 6)
        for formula, value in examples:
            condition = f"({formula}) != ({formula})" if value == "NaN" else f"abs(({formula}) - ({value})) < 1e-12"
            self.check(f"{condition} ? 1 : -1")
            self.check(f"{condition} ? -1 : 1", code=2)

    def test_comparisons_and_choices(self):
        for formula in ("(2 == 3 < 1) == ((2 == 3) < 1)", "1 || 0 && 0", "!0 * 5 == 5", "2 * -3 == -6", "-(-3) == 3", "!(!1)",
                        "if(x - 1 > 0, sqrt(x - 1), 0) == 0", "(0 ? 2 : 3 + 10) == 13", "(0 ? 1 : 1 ? 5 : 6) == 5", "min(1, sqrt(-1)) == 1"):
            self.check(f"({formula}) ? 1 : -1")

    def test_refusals(self):
        for formula in ("2 pi", "2(x + 1)", "--3", "!!1", "a = 2", "1, 2", "z", "density", "sin(1", "sin 1", "min(1, 2, 3)", "'a'", "1/0",
                        "sqrt(-1)", "-1", "+".join(["1"] * 2049)):
            self.check(formula, code=2)
        self.check("1" + "+1" * 2047 + " ")  # 4096 characters

    def test_constants(self):
        self.check("b - 3", 'a = 2\nb = "a^2 + pi * 0"')
        for constants in ("pi = 3", "x = 1", "sin = 1", "a-b = 1", "1a = 1", 'a = "b"\nb = 1', 'a = "x"'):
            self.check("1", constants, code=2)


if __name__ == "__main__":
    unittest.main()
