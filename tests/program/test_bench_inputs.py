#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench-inputs: the rows that belong to an input, and the ratios. Programs are replaced by scripts that print known
figures; the last test starts the built ones."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(SOURCE, "scripts", "bench-inputs")
BUILD = os.path.dirname(os.path.dirname(os.path.dirname(os.environ["MEANDER"])))
BENCHMARKS = ("meander-bench-step", "meander-bench-kernels")

# Writes the input as it is in place of the one with all defaults, and stops as by the wall time.
MEANDER = """#!{python}
import json, os, shutil, sys
print(*sys.argv[1:], file=open({log!r}, "a"))
path, output = sys.argv[2], sys.argv[sys.argv.index("--output") + 1]
if "broken" in path:
    sys.exit("step 3: the state | is inadmissible")
os.makedirs(output)
shutil.copy(path, os.path.join(output, "input.toml"))
json.dump({{"processor_ns_per_volume_update": 120.0}}, open(os.path.join(output, "summary.json"), "w"))
sys.exit(3)
"""
STEP = """#!{python}
import sys
print(" ".join(sys.argv[1:]), file=open({log!r}, "a"))
if "local" in sys.argv:
    print("scheme p levels leaves gain ideal gain / ideal global ns local ns")
    print("accretion 7 3 79 1.5 1.6 0.9 90.0 100.0")
else:
    print("scheme p mesh leaves volumes median min max adaptive / uniform")
    print("muscl-mc 9 adaptive 20 1000 80.0 70.0 90.0")
"""
KERNELS = """#!{python}
import sys
print(" ".join(sys.argv[1:]), file=open({log!r}, "a"))
print("scheme,dim,p,set,patches,ns_per_volume,fastest,slowest")
print("x,3,9,cache,12,40.0,39.0,50.0")
"""
INPUT = """[domain]
dimensions = {dim}
[mesh]
patch-size = {p}
min-level = 2
max-level = {finest}
{refinement}
[solver]
{solver}
[time]
stepping = "{stepping}"
[scenario]
name = "{scenario}"
"""
EULER = 'equation = "euler"\nscheme = "muscl"\nlimiter = "mc"\nriemann = "rusanov"\ndual-energy = {}'


class BenchInputs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.log = os.path.join(self.scratch, "log")
        for name, text in (("meander", MEANDER), ("meander-bench-step", STEP), ("meander-bench-kernels", KERNELS)):
            path = os.path.join(self.scratch, "apps", name, name)
            os.makedirs(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text.format(python=sys.executable, log=self.log))
            os.chmod(path, 0o755)

    def input(self, name, *, dim=3, p=9, finest=4, solver, stepping="global", scenario="sod"):
        path = os.path.join(self.scratch, name + ".toml")
        refinement = '[[refinement]]\nkind = "jump"' if finest > 2 else ""
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(INPUT.format(dim=dim, p=p, finest=finest, refinement=refinement, solver=solver, stepping=stepping,
                                      scenario=scenario))
        return path

    def bench(self, *arguments, code=0):
        done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()[2:]]

    def calls(self):
        with open(self.log, encoding="utf-8") as stream:
            return stream.read().splitlines()

    def test_ratios_and_rows(self):
        gas = EULER.format("false")
        rows = self.bench("--build", self.scratch, self.input("shock", dim=2, solver=gas),
                          self.input("again", dim=2, solver=gas),
                          self.input("infall", p=7, solver=EULER.format("true"), stepping="local", scenario="accretion"),
                          self.input("waves", finest=2, solver='equation = "ccz4"\nscheme = "fourth-order"'))
        self.assertEqual(rows[0], ["shock.toml", "2D muscl-mc, p = 9, adaptive", "120.0", "80.0", "1.50", "40.0", "3.00"])
        self.assertEqual(rows[1][1:], rows[0][1:])
        self.assertEqual(rows[2][1:5], ["3D accretion, p = 7, adaptive, local steps", "120.0", "100.0", "1.20"])
        # Four stages: ns of the input and of the row per stage; the kernel's are.
        self.assertEqual(rows[3][1:],
                         ["3D ccz4-fourth-order, p = 9, uniform", "30.0", "20.0", "1.50", "40.0", "0.75"])
        steps = [call for call in self.calls() if call.startswith("--schemes") and "--sets" not in call]
        self.assertEqual(len(steps), 3, "the same row is measured once")
        self.assertIn("--schemes muscl-mc --patch-sizes 9 --dimensions 2", steps[0])
        self.assertIn("--meshes adaptive", steps[0])
        self.assertIn("--schemes accretion --patch-sizes 7 --dimensions 3", steps[1])
        self.assertIn("--stepping local --levels 3", steps[1])
        self.assertIn("--meshes uniform", steps[2])
        self.assertIn("--schemes ccz4-fourth --sizes 9 --dims 3", self.calls()[-1])

    def test_the_wall_time_of_a_run(self):
        path = self.input("shock", solver=EULER.format("false"))
        for seconds, words in (("20", "0:0:20"), ("3599", "0:59:59"), ("3600", "1:0:0"), ("100000", "27:46:40")):
            self.bench("--build", self.scratch, "--seconds", seconds, path)
            (run,) = [call for call in self.calls() if call.startswith("run")]
            self.assertTrue(run.endswith(f"--walltime {words}"), run)
            os.remove(self.log)

    def test_a_failed_run_is_a_row(self):
        gas = EULER.format("false")
        hllc = gas.replace("rusanov", "hllc")
        rows = self.bench("--build", self.scratch, self.input("broken", solver=gas), self.input("hllc", solver=hllc),
                          self.input("shock", solver=gas), code=1)
        self.assertEqual(rows[0], ["broken.toml", "meander: step 3: the state / is inadmissible", *["-"] * 5])
        self.assertEqual(rows[1][1:3], ["meander-bench-step has no row for riemann = hllc", "-"])
        self.assertEqual(rows[2][2], "120.0")

    def test_missing_programs(self):
        done = subprocess.run([sys.executable, SCRIPT, "--build", "/nowhere"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/apps/meander/meander: no such program", done.stderr)

    def test_with_the_built_programs(self):
        for name in BENCHMARKS:
            if not os.access(os.path.join(BUILD, "apps", name, name), os.X_OK):
                self.skipTest(f"{name} is not built")
        if "MEANDER_SANITIZED" in os.environ:
            self.skipTest("takes minutes with sanitizers")
        path = os.path.join(self.scratch, "short.toml")
        with open(os.path.join(SOURCE, "inputs", "sod.toml"), encoding="utf-8") as stream, \
                open(path, "w", encoding="utf-8") as short:
            short.write(stream.read().replace("[time]", "[time]\nmax-steps = 20"))
        rows = self.bench("--build", BUILD, "--seconds", "5", "--repeats", "1", "--volumes", "1e4", path)
        self.assertEqual(rows[0][:2], ["short.toml", "2D muscl-mc, p = 9, adaptive"])
        for cell in rows[0][2:]:
            self.assertGreater(float(cell), 0)


if __name__ == "__main__":
    unittest.main()
