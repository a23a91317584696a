# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of the documentation, as they stand there: every shell block below `<!-- run -->` (`<!-- run: 2 -->`: its
last command ends with exit code 2), page by page, in a folder that looks like the tree. Runs are cut short: programs
stop after a few steps."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["BUILD"]
BLOCK = re.compile(r"<!-- run(?:: (\d+))? -->\n```sh\n(.*?)```", re.S)
SAID_IF = re.compile(r"&& echo (.*)")
STEPS = 6
# In front of the programs: what they are told, and fewer steps. Restarts go on for a few more.
SHIM = """#!/bin/sh
case "$*" in *--threads*) threads= ;; *) threads="--threads 2" ;; esac
case "$1" in
  run) exec {program} "$@" $threads --set time.max-steps={steps} --set output.plot-every=0 ;;
  restart) exec {program} "$@" $threads --set time.max-steps={more} ;;
  *) exec {program} "$@" ;;
esac
"""
MPIRUN = """#!/bin/sh
exec {mpirun} --oversubscribe "$@"
"""
# In place of scripts/run, which would install and build.
RUN = """#!/bin/sh
exec {program} run "$@" --output "$(mktemp -u output/run-XXXXXX)"
"""
SUNDIALS = os.path.exists(os.path.join(BUILD, "apps/tutorial-sundials/tutorial-sundials"))
DRAWS = any(subprocess.run([python, "-c", "import h5py, numpy, matplotlib"], stderr=subprocess.DEVNULL,
                           check=False).returncode == 0 for python in ("/usr/bin/python3", "python3"))


def blocks(text):
    """Pairs of exit code and commands."""
    return [(int(code or 0), commands) for code, commands in BLOCK.findall(text)]


class Commands(unittest.TestCase):
    def setUp(self):
        """A folder like the tree, with programs in its build folder that stop early."""
        scratch = tempfile.TemporaryDirectory(prefix="meander-docs-")
        self.addCleanup(scratch.cleanup)
        self.tree = os.path.join(scratch.name, "tree")
        self.programs = os.path.join(scratch.name, "programs")
        os.makedirs(os.path.join(self.tree, "output"))
        for name in ("apps", "docs", "inputs", "python", "scripts/plot"):
            link = os.path.join(self.tree, name)
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.join(SOURCE, name), link)
        for name in ("meander", "tutorial-advection", "tutorial-sundials"):
            program = os.path.join(BUILD, "apps", name, name)
            self.write(os.path.join(self.tree, "build/release/apps", name, name),
                       SHIM.format(program=program, steps=STEPS, more=2 * STEPS))
        meander = os.path.join(self.tree, "build/release/apps/meander/meander")
        os.makedirs(self.programs)
        for name in ("meander", "tutorial-advection"):  # as the tutorial puts them on the path
            os.symlink(os.path.join(self.tree, "build/release/apps", name, name), os.path.join(self.programs, name))
        self.write(os.path.join(self.tree, "scripts/run"), RUN.format(program=meander))
        self.write(os.path.join(self.programs, "mpirun"), MPIRUN.format(mpirun=shutil.which(os.environ["MPIEXEC"])))

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(path, 0o755)

    def do(self, code, commands):
        if "tutorial-sundials" in commands and not SUNDIALS:
            print("SKIPPED for want of SUNDIALS:", commands)
            return
        if "scripts/plot" in commands and not DRAWS:
            print("SKIPPED for want of h5py, numpy or matplotlib:", commands)
            return
        environment = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(["bash", "-euc", commands], cwd=self.tree, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, f"{commands}\n{done.stdout}")
        # bash -e goes on behind a list like `diff a b && echo the same bits` that failed.
        for words in SAID_IF.findall(commands):
            self.assertIn(f"{words}\n", done.stdout, commands)

    def page(self, name):
        with open(os.path.join(SOURCE, name), encoding="utf-8") as stream:
            found = blocks(stream.read())
        for code, commands in found:
            self.do(code, commands)
        return len(found)

    def test_every_page(self):
        count = 0
        for path in sorted(glob.glob(f"{SOURCE}/*.md") + glob.glob(f"{SOURCE}/docs/**/*.md", recursive=True)):
            name = os.path.relpath(path, SOURCE)
            with self.subTest(name):
                self.setUp()  # a tree of its own
                count += self.page(name)
        self.assertGreater(count, 15)  # the marks are still read

    def test_a_command_that_fails_is_noticed(self):
        text = "<!-- run -->\n```sh\nmeander check inputs/sod.toml --set a.b=1\n```\n"
        (code, commands), = blocks(text)
        with self.assertRaises(AssertionError):
            self.do(code, commands)

    def test_a_comparison_that_fails_in_the_middle_is_noticed(self):
        with self.assertRaises(AssertionError):
            self.do(0, "diff inputs/sod.toml inputs/vortex.toml >/dev/null && echo the same bits\ntrue\n")
        self.do(0, "diff inputs/sod.toml inputs/sod.toml && echo the same bits\ntrue\n")


if __name__ == "__main__":
    unittest.main()
