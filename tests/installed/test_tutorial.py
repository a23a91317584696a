# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""apps/tutorial-advection, built outside the tree against an installed Meander, solves its equation: at the order of
its scheme, bitwise identically on any number of ranks and on devices."""
import csv
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "program"))
import programs  # noqa: E402

TUTORIAL = os.path.join(SOURCE, "apps", "tutorial-advection")
SMOOTH = ["scenario.width=0.2", "output.plot-every=0", "time.end=0.25"]


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


class Tutorial(programs.ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="meander-installed-")
        cls.addClassCleanup(folder.cleanup)
        cls.prefix, cls.build = (os.path.join(folder.name, name) for name in ("prefix", "build"))
        cls.folder = folder.name
        call(os.environ["CMAKE"], "--install", os.environ["BUILD"], "--prefix", cls.prefix)
        source = cls.build_copy(TUTORIAL, cls.build)
        cls.input = os.path.join(source, "bump.toml")
        os.environ["MEANDER"] = os.path.join(cls.build, "tutorial-advection")

    @classmethod
    def build_copy(cls, program, build):
        """Builds a copy of a program's folder against the installed package. Returns the copy."""
        source = os.path.join(cls.folder, os.path.basename(program))
        shutil.copytree(program, source)
        call(os.environ["CMAKE"], "-S", source, "-B", build, "-G", os.environ["GENERATOR"],
             "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={cls.prefix}",
             f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}")
        call(os.environ["CMAKE"], "--build", build)
        return source

    def history(self, ranks, settings, name="out"):
        """The last row of the history of a run."""
        output = self.path(name)
        arguments = ["run", self.input, "--threads", "2", "--output", output]
        for setting in settings:
            arguments += ["--set", setting]
        self.run_to_end(ranks, *arguments)
        with open(os.path.join(output, "history.csv"), encoding="utf-8") as stream:
            *_, last = csv.DictReader(stream)
        row = {key: float(value) for key, value in last.items()}
        row["leaves"] = sum(value for key, value in row.items() if key.startswith("leaves_level_"))
        return row

    def order(self, settings, levels):
        """Of the L1 error from one uniform mesh to the next, three times finer."""
        errors = [self.history(0, [*settings, f"mesh.min-level={level}", f"mesh.max-level={level}"],
                               f"level-{level}")["error_l1"] for level in levels]
        order = math.log(errors[0] / errors[1]) / math.log(3)
        print(f"{settings[-1]}, levels {levels}: errors {errors[0]:.3e}, {errors[1]:.3e}, order {order:.2f}")
        return order

    def test_the_program_and_its_company_are_there(self):
        program = os.path.join(self.prefix, "bin", "meander")
        inputs = os.path.join(self.prefix, "share", "meander", "inputs")
        self.assertEqual(sorted(os.listdir(inputs)), sorted(os.listdir(os.path.join(SOURCE, "inputs"))))
        call(program, "check", "--input-only", os.path.join(inputs, "sod.toml"))
        offered = subprocess.run(
            ["bash", "-c", 'source "$1"; COMP_WORDS=("$2" exp); COMP_CWORD=1; _meander; echo "${COMPREPLY[@]}"', "bash",
             os.path.join(self.prefix, "share", "bash-completion", "completions", "meander"), program],
            capture_output=True, text=True, check=True).stdout
        self.assertEqual(offered, "explain\n")

    @unittest.skipUnless(os.path.exists(os.path.join(os.environ["BUILD"], "apps/tutorial-sundials/tutorial-sundials")),
                         "no SUNDIALS")
    def test_sundials_takes_the_memory_of_the_installed_package(self):
        build = os.path.join(self.folder, "sundials-build")
        self.build_copy(os.path.join(SOURCE, "apps", "tutorial-sundials"), build)
        call(os.path.join(build, "tutorial-sundials"))

    def test_it_is_short(self):
        lines = 0
        for name in os.listdir(TUTORIAL):
            if name.endswith((".cpp", ".hpp", ".cu")):
                with open(os.path.join(TUTORIAL, name), encoding="utf-8") as stream:
                    lines += len(stream.readlines())
        self.assertLess(lines, 80)

    def test_rusanov_is_of_first_order(self):
        order = self.order([*SMOOTH, "solver.scheme=rusanov"], (2, 3))
        self.assertGreater(order, 0.8)
        self.assertLess(order, 1.2)

    def test_muscl_is_of_second_order(self):
        self.assertGreater(self.order([*SMOOTH, "solver.scheme=muscl"], (2, 3)), 1.9)

    def test_muscl_is_of_second_order_in_3d(self):
        three = ["domain.dimensions=3", "mesh.patch-size=9", "time.end=0.05", "solver.velocity-z=0.25"]
        self.assertGreater(self.order([*SMOOTH, *three, "solver.scheme=muscl"], (1, 2)), 1.75)

    def test_refined_where_the_bump_is(self):
        settings = [*SMOOTH, "scenario.width=0.1", "refinement[0].refine=0.02"]
        fine = self.history(0, [*settings, "mesh.min-level=3"], "fine")
        adaptive = self.history(0, settings, "adaptive")
        coarse = self.history(0, [*settings, "mesh.max-level=2"], "coarse")
        self.assertLess(adaptive["leaves"], 0.8 * fine["leaves"])
        self.assertLess(adaptive["error_l1"], 0.5 * coarse["error_l1"])

    def test_ranks_and_devices_give_the_same_bits(self):
        settings = [*SMOOTH, "time.max-steps=30"]
        for dim in (2, 3):
            of_dim = [*settings, f"domain.dimensions={dim}"] + (["mesh.min-level=1", "mesh.max-level=2"] if dim == 3
                                                                else [])
            for scheme in ("rusanov", "muscl"):
                name = f"{scheme}-{dim}d"
                all_of = [*of_dim, f"solver.scheme={scheme}"]
                self.history(0, all_of, name)
                self.history(0, [*all_of, "offload.device=host", "offload.batch=4"], name + "-host")
                self.history(2, [*all_of, "offload.device=host"], name + "-ranks")
                reference = programs.checkpoints(self.path(name))[-1]
                for other in ("-host", "-ranks"):
                    found = programs.differences(programs.checkpoints(self.path(name + other))[-1], reference)
                    self.assertEqual(found, [], name + other)
                with open(os.path.join(self.path(name + "-host"), "summary.json"), encoding="utf-8") as stream:
                    self.assertRegex(stream.read(), r'"offload_batches": [1-9]')

    def test_a_wrong_key_is_answered_with_the_nearest(self):
        log = self.run_to_end(0, "check", self.input, "--set", "solver.velocity-w=1", code=2)
        self.assertIn("velocity-", log)
        log = self.run_to_end(0, "check", self.input, "--set", "solver.velocity-z=1", code=2)
        self.assertIn("velocity-z", log)


if __name__ == "__main__":
    unittest.main()
