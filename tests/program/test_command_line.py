#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Answers of the program (environment variable MEANDER) to valid and invalid command lines."""
import json
import os
import subprocess
import tempfile
import unittest

INPUT = """[domain]
dimensions = 2
[mesh]
patch-size = 4
[scenario]
name = "uniform"
[time]
max-steps = 1
"""
HELP = " (see meander --help)"
ADVICE = "choose another output directory with --output or output.directory"


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        with open(self.path("in.toml"), "w", encoding="utf-8") as stream:
            stream.write(INPUT)

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def meander(self, *arguments, stdin=""):
        done = subprocess.run([os.environ["MEANDER"], *arguments], cwd=self.scratch.name, capture_output=True, text=True,
                              check=False, input=stdin)
        return done.returncode, done.stdout, done.stderr.rstrip("\n")

    def refused(self, *arguments, **options):
        """The message of an input error, which leaves no file."""
        before = sorted(os.walk(self.scratch.name))
        code, out, err = self.meander(*arguments, **options)
        self.assertEqual((code, out), (2, ""), err)
        self.assertEqual(sorted(os.walk(self.scratch.name)), before)
        return err

    def test_usage(self):
        self.assertEqual(self.refused("rnu"), "meander: unknown command 'rnu'; did you mean 'run'?" + HELP)
        self.assertEqual(self.refused("run", "in.toml", "--tread", "3"),
                         "meander: unknown option --tread; did you mean '--threads'?" + HELP)
        self.assertEqual(self.refused("run"), "meander: INPUT is required" + HELP)
        self.assertEqual(self.refused("run", "in.toml", "more"),
                         "meander: unexpected argument 'more' for: meander run" + HELP)
        self.assertEqual(self.refused("run", "in.toml", "--threads", "0"),
                         "meander: --threads: Value 0 not in range 1 to 4096" + HELP)
        self.assertIn("a command is required", self.refused())

    def test_help_and_version(self):
        code, out, _ = self.meander("--help")
        self.assertEqual(code, 0)
        for command in ("run", "restart", "check", "explain", "info", "scenarios", "input-reference",
                        "terms"):
            self.assertIn(command, out)
        code, out, _ = self.meander("--version")
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("meander 0."), out)

    def test_terms(self):
        row = "1 0.5 0 0 2.5\n"
        code, out, err = self.meander("terms", "--pde", "euler-3d", stdin=row)
        self.assertEqual((code, err, len(out.split())), (0, "", 16))
        with open(self.path("rows.txt"), "w", encoding="utf-8") as stream:
            stream.write(row)
        self.assertEqual(self.meander("terms", "--pde", "euler-3d", "rows.txt"), (0, out, ""))
        self.assertEqual(self.meander("terms", "--pde", "euler-3d", "-", stdin=row), (0, out, ""))
        self.assertEqual(self.refused("terms", "--pde", "ccz4", stdin="# Q\n1 2 x\n"),
                         "standard input:2:5: 'x' is not a number")
        self.assertEqual(self.refused("terms", "--pde", "ccz4", "none.txt"), "none.txt: No such file or directory")
        self.assertEqual(self.refused("terms"), "meander: --pde is required" + HELP)
        self.assertIn("did you mean 'euler-2d'?", self.refused("terms", "--pde", "euler-2", stdin=row))

    def test_invalid_input(self):
        self.assertEqual(self.refused("run", "no.toml"), "no.toml: No such file or directory")
        self.assertEqual(self.refused("run", "in.toml", "--set", "mesh.patch-size=64"),
                         "--set mesh.patch-size=64: mesh.patch-size: must be between 3 and 32 [volumes], but is 64")
        self.assertIn("GiB are available", self.refused("run", "in.toml", "--set", "mesh.min-level=12"))
        self.assertEqual(self.refused("check", "in.toml", "--set", "scenario.name=unifrom").split(" allowed")[0],
                         "--set scenario.name=unifrom: scenario.name: 'unifrom' is none of the choices; did you mean "
                         "'uniform'?")
        self.assertIn("must be greater than 0", self.refused("run", "in.toml", "--set", "scenario.density=-1"))

    def test_output_directories(self):
        os.mkdir(self.path("full"))
        with open(self.path("full/x"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.refused("run", "in.toml", "--output", "full"), f"full: exists and is not empty; {ADVICE}")
        self.assertEqual(self.refused("run", "in.toml", "--output", "full/x/y"),
                         f"full/x/y: cannot be created (full/x: Not a directory); {ADVICE}")
        self.assertIn("/proc/x: cannot be created", self.refused("run", "in.toml", "--output", "/proc/x"))
        code, _, err = self.meander("run", "in.toml", "--set", "output.directory=here", "--threads", "1")
        self.assertEqual(code, 0, err)
        self.assertIn("history.csv", os.listdir(self.path("here")))
        self.assertIn("not empty", self.refused("run", "in.toml", "--output", "here"))

    def test_restart_from_a_directory_takes_its_newest_checkpoint(self):
        os.mkdir(self.path("empty"))
        self.assertEqual(self.refused("restart", "empty"), "empty: contains no chk_NNNNNN.hdf5")
        code, _, err = self.meander("run", "in.toml", "--set", "time.max-steps=4",
                                    "--set", "time.end=1000", "--threads", "1", "--output", "out")
        self.assertEqual(code, 0, err)
        code, _, err = self.meander("restart", "out/", "--set", "time.max-steps=5", "--threads", "1")
        self.assertEqual(code, 0, err)
        self.assertIn("out/chk_000004.hdf5, step 4,", err)
        self.assertIn("checkpoint out/chk_000005.hdf5 in", err)
        self.assertNotIn("at its end", err)
        code, _, err = self.meander("restart", "out", "--set", "time.max-steps=5", "--threads", "1")
        self.assertEqual(code, 0, err)
        self.assertIn("the run is at its end; --set time.end=... continues it", err)
        self.assertRegex(self.refused("run", "out/plot_000000.vtkhdf"),
                         "^out/plot_000000.vtkhdf: is an HDF5 file, not an input file; ")
        # A shell pattern that expands to two files.
        self.assertRegex(self.refused("restart", "out/chk_000004.hdf5", "out/chk_000005.hdf5"),
                         "^out/chk_000005.hdf5: is a checkpoint, not an input file; .* directory that contains it$")

    def test_full_disk(self):
        # A separate file system of 1.2 MB, if permitted: the first plots fit into it, but not all.
        own_disk = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec",
                    'mkdir disk; mount -t tmpfs -o size=1200k none disk; code=0; "$@" || code=$?; cp -r disk/. kept; '
                    'exit $code', "sh"]
        if subprocess.run([*own_disk, "true"], cwd=self.scratch.name, capture_output=True, check=False).returncode:
            self.skipTest("no right to mount a file system of our own")
        os.rmdir(self.path("disk"))
        done = subprocess.run(
            [*own_disk, os.environ["MEANDER"], "run", "in.toml", "--threads", "1", "--output", "disk/out", "--set",
             "mesh.min-level=3", "--set", "time.max-steps=50", "--set", "output.plot-steps=1", "--set",
             "scenario.velocity=[1, 0.5]"],
            cwd=self.scratch.name, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"disk/out/plot\S*: cannot \w+.*: No space left on device")
        names = sorted(name for name in os.listdir(self.path("kept/out")) if name.startswith("plot_"))
        self.assertGreater(len(names), 0)
        for name in names:
            self.assertTrue(name.endswith(".vtkhdf"), name)
            with open(self.path("kept/out/" + name), "rb") as stream:
                self.assertEqual(stream.read(4), b"\x89HDF")
        with open(self.path("kept/out/plot.vtkhdf.series"), encoding="utf-8") as stream:
            # The disk may be full after a plot file and before its line in the series.
            self.assertIn([entry["name"] for entry in json.load(stream)["files"]], (names, names[:-1]))

    def test_check_prints_an_input_that_checks_to_itself(self):
        code, first, _ = self.meander("check", "--input-only", "in.toml")
        self.assertEqual(code, 0)
        with open(self.path("in.toml"), "w", encoding="utf-8") as stream:
            stream.write(first)
        self.assertEqual(self.meander("check", "--input-only", "in.toml"), (0, first, ""))

    def test_warnings_of_the_input_are_said_once_by_check_and_run(self):
        with open(self.path("flat.toml"), "w", encoding="utf-8") as stream:
            stream.write('[mesh]\nmin-level = 0\nmax-level = 1\n[[refinement]]\nkind = "box"\nlower = [2, 2, 2]\n'
                         'upper = [3, 3, 3]\n[solver]\nequation = "ccz4"\ndissipation = 0.1\n[scenario]\n'
                         'name = "minkowski"\n[time]\nmax-steps = 1\n')
        warning = "flat.toml:10:15: solver.dissipation: is 0.1: below 0.2 the fourth-order scheme is unstable"
        for command in (["check", "--input-only"], ["check", "--threads", "1"], ["run", "--threads", "1"]):
            code, _, err = self.meander(*command, "flat.toml")
            self.assertEqual((code, err.count(warning)), (0, 1), err)
        code, _, err = self.meander("check", "flat.toml", "--set", "solver.dissipation=0.2")
        self.assertEqual((code, err.count("dissipation")), (0, 0), err)

    def test_exit_codes_under_a_launcher(self):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        for ranks in ("1", "2"):
            for arguments in (["report", "none"], ["info", "none"]):
                codes = [subprocess.run([*launcher, os.environ["MEANDER"], *arguments], cwd=self.scratch.name, env=environment,
                                        capture_output=True, check=False).returncode
                         for launcher in ([], [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none", "-np", ranks])]
                self.assertNotEqual(codes[0], 0)
                self.assertEqual(codes[1], codes[0], (ranks, arguments))

    def test_standard_output_that_takes_nothing(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([os.environ["MEANDER"], "scenarios"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "meander: cannot write to standard output\n"))


if __name__ == "__main__":
    unittest.main()
