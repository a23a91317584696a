#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""scripts/build-budget: what it makes of records, and what it refuses. cmake/record-compilation: what it records."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
loader = importlib.machinery.SourceFileLoader("build_budget", os.path.join(SOURCE, "scripts/build-budget"))
budget = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(budget)
MESH = "src/mesh/CMakeFiles/meander_mesh.dir/Unity/unity_{}_cxx.cxx.o"
KERNELS = "src/physics/CMakeFiles/meander_euler_kernels.dir/euler/kernels_3d.cpp.o"
TEST = "tests/CMakeFiles/meander-test-io.dir/io/test_history.cpp.o"


class BuildBudget(unittest.TestCase):
    def test_objects_of_a_build(self):
        commands = [{"command": f"c++ -O3 -o {MESH.format(0)} -c a.cxx"}, {"command": f"c++ -o {KERNELS} -c b.cpp"}]
        self.assertEqual(budget.objects_of(commands), {MESH.format(0): commands[0]["command"], KERNELS: commands[1]["command"]})

    def test_the_sources_of_a_room_are_one_entry(self):
        entries = budget.entries_of({MESH.format(0), MESH.format(1), KERNELS, TEST, "CMakeFiles/meander_precompiled.dir/cmake_pch.hxx.gch"})
        self.assertEqual(set(entries), {"meander_mesh (together)", "src/physics/euler/kernels_3d.cpp", "cmake_pch.hxx"})
        self.assertEqual(len(entries["meander_mesh (together)"]), 2)

    def test_the_last_compilation_counts(self):
        self.assertEqual(budget.read_records(["a.o 1.5 0.25\n", "b.o 1 0\n", "a.o 3 0.5\n"]), {"a.o": 3.5, "b.o": 1})

    def test_what_is_in_part_from_the_cache_is_not_judged(self):
        objects = {MESH.format(0), MESH.format(1), KERNELS}
        kernels = budget.Entry("src/physics/euler/kernels_3d.cpp", 4, 1, 1)
        self.assertEqual(budget.measured({MESH.format(0): 20, KERNELS: 8}, objects, 2),
                         [kernels, budget.Entry(budget.ALL, None, 2, 3), budget.Entry("meander_mesh (together)", None, 1, 2)])
        self.assertEqual(budget.measured({MESH.format(0): 20, MESH.format(1): 3, KERNELS: 8}, objects, 2),
                         [budget.Entry(budget.ALL, 15.5, 3, 3), budget.Entry("meander_mesh (together)", 11.5, 2, 2), kernels])

    def test_objects_that_the_build_has_no_longer_are_not_judged(self):
        entries = budget.measured({KERNELS: 8, MESH.format(7): 100, TEST: 50}, {KERNELS, TEST}, 2)
        self.assertEqual({entry.name: entry.ratio for entry in entries}, {budget.ALL: 4, "src/physics/euler/kernels_3d.cpp": 4})

    def test_verdicts(self):
        budgets = {"a.cpp": 2.0, budget.OTHERS: 0.5}
        for name, ratio, over in (("a.cpp", 2.99, 0), ("a.cpp", 3.01, 1), ("new.cpp", 0.74, 0), ("new.cpp", 0.76, 1), ("a.cpp", None, 0)):
            failures = budget.failures_of([budget.Entry(name, ratio, 1, 1)], budgets, lambda entry: entry.ratio)
            self.assertEqual(len(failures), over, (name, ratio))
        once = [budget.Entry("a.cpp", 3.01, 1, 1)]
        self.assertEqual(budget.failures_of(once, budgets, lambda entry: 2.99), [])
        self.assertEqual(budget.failures_of(once, budgets, lambda entry: 3.02), ["a.cpp: 3.01 times the reference, then 3.02, budget 2.00"])

    def test_precompiled_headers_are_compiled_again(self):
        with tempfile.TemporaryDirectory(prefix="meander-budget-") as folder:
            with open(os.path.join(folder, "a.hpp"), "w", encoding="utf-8") as stream:
                stream.write("#include <vector>\n")
            path = "CMakeFiles/meander_precompiled.dir/cmake_pch.hxx.gch"
            commands = {path: f"c++ -x c++-header -o {path} -c a.hpp"}
            ratio = budget.compile_again(folder, commands, "c++", budget.Entry(budget.ALL, 1, 1, 1))
            self.assertEqual(os.listdir(folder), ["a.hpp"])
        self.assertGreater(ratio, 0)

    def test_the_table_is_read_as_it_is_written(self):
        with tempfile.TemporaryDirectory(prefix="meander-budget-") as folder:
            path = os.path.join(folder, "table.csv")
            budget.write_table([budget.Entry("meander_mesh (together)", 11.5, 2, 2), budget.Entry("small.cpp", 0.1, 1, 1)], path)
            self.assertEqual(budget.read_table(path), {budget.OTHERS: budget.SMALLEST, "meander_mesh (together)": 11.5})

    def test_entries_of_the_table_are_there(self):
        for entry in budget.read_table():
            if not entry.endswith("(together)") and entry not in (budget.OTHERS, budget.ALL, "cmake_pch.hxx"):
                self.assertTrue(os.path.exists(os.path.join(SOURCE, entry)), entry)

    def test_a_folder_that_is_no_build(self):
        with tempfile.TemporaryDirectory(prefix="meander-budget-") as folder:
            done = subprocess.run([sys.executable, loader.path, folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)


class RecordCompilation(unittest.TestCase):
    def run_launcher(self, folder, *command):
        return subprocess.run([os.path.join(SOURCE, "cmake/record-compilation"), *command], capture_output=True, text=True, check=False,
                              env={**os.environ, "MEANDER_BUILD_RECORDS": os.path.join(folder, "records.txt")})

    def test_object_and_seconds(self):
        with tempfile.TemporaryDirectory(prefix="meander-budget-") as folder:
            work = "import sys\nsum(i * i for i in range(3000000))\nprint('out')\nprint('a warning', file=sys.stderr)\nsys.exit(3)"
            done = self.run_launcher(folder, sys.executable, "-c", work, "-o", "folder/x.o")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "out\n", "a warning\n"))
            with open(os.path.join(folder, "records.txt"), encoding="utf-8") as stream:
                seconds = budget.read_records(stream)
        self.assertEqual(list(seconds), ["folder/x.o"])
        self.assertGreater(seconds["folder/x.o"], 0)

    def test_what_makes_no_object_is_not_recorded(self):
        with tempfile.TemporaryDirectory(prefix="meander-budget-") as folder:
            self.assertEqual(self.run_launcher(folder, "true", "-E").returncode, 0)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
