#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""scripts/run with the built program (environment variable MEANDER): where the results go, and what is refused before anything
is installed or built. Installation, build and picture are replaced by notes."""
import os
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUT = """[domain]
dimensions = 2
[mesh]
patch-size = 4
[scenario]
name = "uniform"
[time]
max-steps = 1
"""
NOTE = """#!/bin/sh
echo {word} >>"{notes}"
"""
PLOT = """#!/bin/sh
echo "${1%.vtkhdf}.png"
"""


class RunScript(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="meander-run-")
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        for name in ("scripts", "programs", "build/release/apps/meander"):
            os.makedirs(self.path(name))
        os.symlink(os.path.join(SOURCE, "scripts/run"), self.path("scripts/run"))
        os.symlink(os.environ["MEANDER"], self.path("build/release/apps/meander/meander"))
        self.write("scripts/install-dependencies", NOTE.format(word="installed", notes=self.path("notes")))
        self.write("programs/cmake", NOTE.format(word="built", notes=self.path("notes")))
        self.write("scripts/plot", PLOT)
        self.write("in.toml", INPUT)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(self.path(name), 0o755)

    def run_script(self, *arguments):
        environment = {**os.environ, "PATH": f"{self.path('programs')}:{os.environ['PATH']}"}
        return subprocess.run(["scripts/run", *arguments], cwd=self.scratch, env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)

    def assert_results(self, directory, *arguments):
        """Asserts that the results go to this directory, and nowhere else."""
        before = set(self.results())
        done = self.run_script(*arguments, "--threads", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"results: {directory} (history.csv, plot.vtkhdf.series for ParaView)\n"
                      f"picture: {directory}/plot_000001.png\nreport: {directory}/report.html\n", done.stdout)
        self.assertEqual(set(self.results()) - before, {directory})

    def results(self):
        return [os.path.relpath(folder, self.scratch) for folder, _, names in os.walk(self.scratch) if "history.csv" in names]

    def test_the_picture_is_of_the_last_step(self):
        os.remove(self.path("build/release/apps/meander/meander"))
        self.write("build/release/apps/meander/meander",
                   '#!/bin/sh\nmkdir -p out && touch out/plot_000000.vtkhdf out/plot_999000.vtkhdf out/plot_1003000.vtkhdf\n')
        self.assertIn("picture: out/plot_1003000.png\n", self.run_script("in.toml", "--output", "out").stdout)

    def test_the_directory_of_the_results(self):
        self.assert_results("output/in-001", "in.toml")
        self.assert_results("output/in-002", "in.toml")
        self.assert_results("a", "in.toml", "--output", "a")
        self.assert_results("b", "in.toml", "--output=b")
        self.assert_results("c", "in.toml", "--set", "output.directory=c")
        self.assert_results("d", "in.toml", "--set=output.directory=d")
        self.assert_results("e e", "in.toml", "--set", 'output.directory="e e"')
        self.assert_results("g", "in.toml", "--set", "output.directory=f", "--set", "output.directory=g")
        for order in (("--output", "h", "--set", "output.directory=i"), ("--set", "output.directory=i", "--output", "j")):
            self.assert_results(order[order.index("--output") + 1], "in.toml", *order)
        # The key of the input file has no effect: its resolved copy names the directory of the run that wrote it.
        self.write("in.toml", INPUT + '[output]\ndirectory = "k"\n')
        self.assert_results("output/in-003", "in.toml")

    def test_a_directory_that_is_not_empty_is_refused(self):
        for arguments in (("--set", "output.directory=scripts"), ("--output", "scripts")):
            done = self.run_script("in.toml", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.endswith("scripts: exists and is not empty; choose another output directory with --output or "
                                                 "output.directory\n"), done.stderr)

    def test_no_work_without_an_input(self):
        usage = "  usage: scripts/run [-n RANKS] INPUT [options of `meander run`]\n"
        for arguments, message in ((("nothere.toml",), "nothere.toml: No such file or directory\n"),
                                   (("-n", "2", "nothere.toml"), "nothere.toml: No such file or directory\n"),
                                   (("scripts",), "scripts: is a directory, not an input file\n"),
                                   (("-n", "two", "in.toml"), "scripts/run: -n two: must be a number of ranks, at least 1\n"),
                                   (("-n", "0", "in.toml"), "scripts/run: -n 0: must be a number of ranks, at least 1\n"),
                                   ((), usage), (("--threads", "1", "in.toml"), usage)):
            done = self.run_script(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.path("notes")), arguments)
        # The program has the same words.
        for name in ("nothere.toml", "scripts"):
            said = subprocess.run([os.environ["MEANDER"], "run", name], cwd=self.scratch, capture_output=True, text=True, check=False)
            self.assertEqual(self.run_script(name).stderr, said.stderr)
        self.run_script("in.toml", "--output", "a")
        with open(self.path("notes"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "installed\nbuilt\nbuilt\n")


if __name__ == "__main__":
    unittest.main()
