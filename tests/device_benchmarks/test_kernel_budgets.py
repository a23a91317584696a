#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/kernel-budgets: what it reads from the compiler, and what it refuses. Needs no nvcc."""
import importlib.machinery
import importlib.util
import os
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
loader = importlib.machinery.SourceFileLoader("kernel_budgets", os.path.join(SOURCE, "scripts/kernel-budgets"))
budgets = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(budgets)
KEY = ("a.cu", "update<Kernel>")


class KernelBudgets(unittest.TestCase):
    def test_names(self):
        self.assertEqual(
            budgets.short("void meander::solvers::update_patches<meander::solvers::BlockGodunov<meander::euler::Terms<(int)3>, "
                          "meander::solvers::RusanovFlux, (int)9>, (int)96, (meander::solvers::BlockMemory)0, (int)7>"
                          "(T1, meander::solvers::DeviceBatch, int)"),
            "update_patches<BlockGodunov<Terms<3>, RusanovFlux, 9>, 96, shared, 7>")

    def test_memory_accesses(self):
        ptx = (".visible .entry one(\n.param .u64 a\n)\n{\nld.param.u64 %rd1, [a];\nld.f64 %fd1, [%rd1];\nst.global.f64 [%rd2], %fd1;\n"
               "ld.global.nc.f64 %fd2, [%rd3];\nld.global.v2.f64 {%fd4, %fd5}, [%rd3];\nld.shared.f64 %fd6, [%r3];\nst.u32 [%rd4], %r1;\n}\n")
        self.assertEqual(budgets.memory_accesses(ptx), {"one": {"generic": 2, "global_loads": 3, "global_stores": 1}})
        jump = ".visible .entry two(\n)\n{\n{\n$L_0: .branchtargets $L_1;\n}\nst.global.f64 [%rd2], %fd1;\n}\n"
        self.assertEqual(budgets.memory_accesses(jump + ptx)["two"], {"generic": 0, "global_loads": 0, "global_stores": 1})

    def test_instructions(self):
        #  0 S2R; loop 1 .. 6 with an inner loop 3 .. 4, and a branch forward; 7 EXIT; 8 the branch to itself of every kernel
        instructions = ["S2R R0, SR_TID.X", "DADD R2, R4, R6", "@!P0 BRA `(.L_x_2)", "LDG.E.64 R4, desc[UR4][R2.64]", "@P1 BRA `(.L_x_1)",
                        "@P2 STL.64 [R1], R4", "@!P0 BRA `(.L_x_0)", "EXIT", "BRA `(.L_x_3)", "DMUL R2, R2, R2"]
        labels = {".L_x_0": 1, ".L_x_1": 3, ".L_x_2": 5, ".L_x_3": 8}
        self.assertEqual(sorted(budgets.loops_of(instructions, labels)), [(1, 6), (3, 4)])
        self.assertEqual(budgets.counted(instructions, labels), (10, 6, 1, 2, 2))
        self.assertEqual(budgets.counted(["EXIT"], {}), (1, 0, 0, 0, 0))

    def test_verdicts(self):
        budget = budgets.Kernel(100, 16, 20, 24, 0, 300, 60)
        self.assertEqual(budgets.verdicts(KEY, budget, budget), ([], False))
        self.assertEqual(budgets.verdicts(KEY, budget._replace(registers=108), budget), ([], False))
        self.assertEqual(budgets.verdicts(KEY, budget._replace(spill_loads=20), budget), ([], True))
        for column, value in (("registers", 109), ("stack", 24), ("spill_stores", 24), ("spill_loads", 28), ("generic", 1), ("global_loads", 301), ("global_stores", 61)):
            over, _ = budgets.verdicts(KEY, budget._replace(**{column: value}), budget)
            self.assertEqual(len(over), 1)
            self.assertIn(column, over[0])
        self.assertEqual(budgets.verdicts(KEY, budget, None), (["update<Kernel>: no budget"], False))

    def test_the_table_has_every_source_of_kernels(self):
        files = {file for file, _ in budgets.read_table()}
        sources = {os.path.relpath(os.path.join(where, name), SOURCE) for room in budgets.ROOMS
                   for where, _, names in os.walk(os.path.join(SOURCE, room)) for name in names if name.endswith(".cu")}
        self.assertEqual(files, sources)


if __name__ == "__main__":
    unittest.main()
