#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Invalid checkpoints, inputs that do not fit them, full disks and failing ranks: one message, an exit code, and no loss
of files."""
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import h5py

import programs


class BadLuck(programs.TestWithGoodRun):
    def make_good(self):
        self.run_to_end(2, "run", *programs.SMALL, "--set", "time.max-steps=20", "--output", "run")

    def setUp(self):
        super().setUp()
        if self._testMethodName != "make_good":
            shutil.copytree(self.good.path("run"), self.path("run"))

    def refused(self, *arguments, ranks=3):
        """The only message of the program; nothing in the directory has changed."""
        def state():
            return {name: os.stat(self.path("run/" + name)).st_mtime_ns for name in os.listdir(self.path("run"))}
        before = state()
        log = self.run_to_end(ranks, *arguments, code=2)
        self.assertEqual(state(), before)
        return self.message(log)

    def message(self, log):
        """The lines of a log that are not mpirun's."""
        lines, banner = [], False
        for line in log.splitlines():
            if line.startswith("-----"):
                banner = not banner
            elif not banner:
                lines.append(line)
        return "\n".join(lines)

    def test_invalid_input_is_reported_once(self):
        for arguments, message in (
                (("run", "no.toml"), "no.toml: No such file or directory"),
                (("run", *programs.SMALL, "--set", "mesh.patch-size=64"),
                 "--set mesh.patch-size=64: mesh.patch-size: must be between 3 and 32 [volumes], but is 64"),
                (("rnu",), "meander: unknown command 'rnu'; did you mean 'run'? (see meander --help)"),
                (("run", *programs.SMALL, "--walltime", "soon"),
                 "--walltime soon: must be hours:minutes:seconds, days-hours:minutes:seconds or minutes, and not 0; at most 23 hours after days, "
                 "59 minutes after hours and 59 seconds"),
                (("run", *programs.SMALL, "--output", "run"),
                 "run: exists and is not empty; choose another output directory with --output or output.directory")):
            self.assertEqual(self.refused(*arguments, ranks=4), message)

    def test_files_that_are_no_checkpoints(self):
        self.assertIn("run/none.hdf5: ", self.refused("restart", "run/none.hdf5"))
        plot = self.refused("restart", "run/plot_000000.vtkhdf")
        self.assertIn("run/plot_000000.vtkhdf", plot)
        self.assertIn("plot file", plot)
        with h5py.File(self.path("other.hdf5"), "w") as file:
            file["x"] = [1.0, 2.0]
        self.assertIn("other.hdf5", self.refused("restart", "other.hdf5"))
        self.assertIn("run/input.toml", self.refused("restart", "run/input.toml"))

    def test_only_checkpoints_are_compared(self):
        shutil.copy(self.path("run/chk_000020.hdf5"), self.path("changed.hdf5"))
        with h5py.File(self.path("changed.hdf5"), "r+") as file:
            file["level_0/data:datatype=0"][5] += 1
        h5py.File(self.path("empty.hdf5"), "w").close()
        for first, second, code in (("run/chk_000020.hdf5", "run/chk_000020.hdf5", 0),
                                    ("run/chk_000020.hdf5", "changed.hdf5", 1), ("empty.hdf5", "empty.hdf5", 2),
                                    ("run/plot_000000.vtkhdf", "run/plot_000000.vtkhdf", 2)):
            done = subprocess.run([sys.executable, os.path.join(programs.SOURCE, "scripts/compare-checkpoints"), first,
                                   second], cwd=self.scratch, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, (first, second, done.stdout, done.stderr))

    def test_truncated_and_damaged_checkpoints(self):
        with open(self.path("run/chk_000020.hdf5"), "rb") as stream:
            whole = stream.read()
        for length in (0, 100, len(whole) // 2, len(whole) - 1):
            with open(self.path("short.hdf5"), "wb") as stream:
                stream.write(whole[:length])
            message = self.refused("restart", "short.hdf5")
            self.assertTrue(message.startswith("short.hdf5: "), message)
            self.assertEqual(len(message.splitlines()), 1, message)
        with open(self.path("flipped.hdf5"), "wb") as stream:
            middle = len(whole) // 2
            stream.write(whole[:middle] + bytes([whole[middle] ^ 4]) + whole[middle + 1:])
        log = self.run_to_end(2, "restart", "flipped.hdf5", "--output", "fresh", code=2)
        self.assertIn("flipped.hdf5", log)

    def test_inputs_that_do_not_fit(self):
        def refused(*settings):
            options = [word for setting in settings for word in ("--set", setting)]
            return self.refused("restart", "run/chk_000020.hdf5", *options)
        for setting, before in (("mesh.patch-size=7", "6"), ("solver.gamma=1.3", "1.4"),
                                ("domain.upper=[2, 2]", "[1.0, 1.0]"), ("scenario.configuration=4", "3")):
            message = refused(setting)
            self.assertTrue(message.startswith(f"--set {setting}: {setting.split('=')[0]}: "), message)
            self.assertIn(f"a restart cannot change it: it is {before} in run/chk_000020.hdf5, but ", message)
        self.assertIn("must be at least 3, the level of the finest leaves in run/chk_000020.hdf5, but is 2",
                      refused("mesh.max-level=2"))
        self.assertIn("a restart cannot change whether an axis is periodic",
                      refused("boundary.x-lower=periodic", "boundary.x-upper=periodic"))
        self.assertIn("must not lie before the time of run/chk_000020.hdf5", refused("time.end=0.001"))
        self.assertIn("unknown key", refused("mesh.levels=3"))
        message = self.refused("restart", "run/chk_000020.hdf5", os.path.join(programs.SOURCE, "inputs/sedov-3d.toml"))
        self.assertIn("domain.dimensions: a restart cannot change it: it is 2 in run/chk_000020.hdf5, but 3 here",
                      message)

    def test_inputs_that_do(self):
        with open(self.path("new.toml"), "w", encoding="utf-8") as stream, \
                open(self.path("run/input.toml"), encoding="utf-8") as old:
            stream.write(old.read())
        self.run_to_end(2, "restart", "run/chk_000020.hdf5", "new.toml", "--threads", "1", "--output", "fresh", "--set",
                        "mesh.max-level=4", "--set", "time.max-steps=30", "--set", "solver.scheme=rusanov", "--set",
                        "solver.cfl=0.2", "--set", "partition.weights=measured")
        self.assertTrue(os.path.exists(self.path("fresh/chk_000030.hdf5")))

    def test_a_restart_removes_half_written_checkpoints_and_no_foreign_file(self):
        for name in ("chk_000024.hdf5.part", "notes.part", "chk_notes.hdf5.part"):
            with open(self.path("run/" + name), "w", encoding="utf-8") as stream:
                stream.write("x")
        log = self.run_to_end(2, "restart", "run", "--threads", "1", "--set", "time.max-steps=22")
        self.assertEqual(log.count("run/chk_000024.hdf5.part: half-written file removed"), 1, log)
        self.assertEqual(sorted(name for name in os.listdir(self.path("run")) if name.endswith(".part")),
                         ["chk_notes.hdf5.part", "notes.part"])

    def test_a_history_that_is_cut_short(self):
        self.run_to_end(1, "restart", "run/chk_000020.hdf5", "--set", "time.max-steps=40", "--output", "whole")
        shutil.copytree(self.path("run"), self.path("cut"))
        with open(self.path("run/history.csv"), "a", encoding="utf-8") as stream:
            stream.write("21,0.1,0.00")  # a line that a crash cut short
        os.remove(self.path("cut/plot.vtkhdf.series"))
        for directory in ("run", "cut"):
            self.run_to_end(2, "restart", directory + "/chk_000020.hdf5", "--threads", "1", "--set",
                            "time.max-steps=40")
            with open(self.path(directory + "/history.csv"), encoding="utf-8") as stream:
                lines = stream.read().splitlines()
            self.assertEqual([int(line.split(",")[0]) for line in lines[1:]], list(range(41)))
            with open(self.path("whole/history.csv"), encoding="utf-8") as stream:
                self.assertEqual(lines[-20:], stream.read().splitlines()[-20:])

    def test_full_disk(self):
        # A separate file system, if permitted: some checkpoints fit into it, but not all.
        own_disk = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec",
                    'mkdir disk; mount -t tmpfs -o size=3m none disk; code=0; "$@" || code=$?; cp -r disk/. kept; '
                    'exit $code', "sh"]
        if subprocess.run([*own_disk, "true"], cwd=self.scratch, capture_output=True, check=False).returncode:
            self.skipTest("no right to mount a file system of our own")
        os.rmdir(self.path("disk"))
        done = subprocess.run(
            [*own_disk, *self.command(2, "run", *programs.SMALL, "--output", "disk/run", "--set",
                                      "checkpoint.every-steps=5", "--set", "checkpoint.keep=100", "--set",
                                      "time.max-steps=200", "--set", "output.plot-every=0")],
            cwd=self.scratch, env=programs.ENVIRONMENT, capture_output=True, text=True, check=False, timeout=programs.PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("No space left on device"), 1, done.stderr)
        self.assertRegex(done.stderr, r"disk/run/chk_\d+\.hdf5\S*: .*No space left on device")
        names = sorted(os.listdir(self.path("kept/run")))
        self.assertEqual([name for name in names if name.endswith(".part")], [])
        found = programs.checkpoints(self.path("kept/run"))
        self.assertGreater(len(found), 1)
        self.run_to_end(2, "restart", found[-1], "--threads", "1", "--set", "time.max-steps=200", "--set",
                        "checkpoint.every-steps=0")

    def test_a_state_that_fails(self):
        began = time.monotonic()
        # Energies overflow in the first step, on the rank that has the middle of the blast.
        log = self.run_to_end(3, "run", os.path.join(programs.SOURCE, "inputs/sedov-2d.toml"), "--threads", "1",
                              "--output", "fails", "--set", "mesh.min-level=2", "--set", "mesh.max-level=3", "--set",
                              "scenario.energy=1e303", code=1)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(log.count("is not admissible at step 1"), 1, log)
        self.assertRegex(log, r"what may help: .*solver\.cfl.*solver\.pressure-floor.*solver\.dual-energy")
        self.assertIn("the failing state is in fails/failed_000001.vtkhdf", log)
        told = self.run_to_end(0, "info", "fails/failed_000001.vtkhdf")
        self.assertRegex(told, r"pressure +\S+ to \S+, and [1-9]\d* not finite\n")
        self.assertRegex(told, r"level +2 to 3\n")
        # A failure before the first step.
        log = self.run_to_end(3, "run", os.path.join(programs.SOURCE, "inputs/sod.toml"), "--threads", "1", "--output",
                              "nothing", "--set", "scenario.left-velocity=1e160", code=1)
        self.assertEqual(log.count("is not admissible at step 0"), 1, log)
        self.assertFalse(os.path.exists(self.path("nothing")))

    def test_a_rank_that_cannot_write(self):
        # A limit on the size of files, of one rank only.
        done = subprocess.run(
            [*self.command(1, "run", *programs.SMALL, "--output", "limited"), ":", "-np", "1", "sh", "-c",
             'ulimit -f 8; exec "$@"', "sh", *self.command(0, "run", *programs.SMALL, "--output", "limited")],
            cwd=self.scratch, env=programs.ENVIRONMENT, capture_output=True, text=True, check=False, timeout=programs.PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        # MPI also reports the limit, between lines of dashes.
        self.assertEqual(self.message(done.stderr).count("limited/plot_000000.vtkhdf: cannot write: File too large"), 1,
                         done.stderr)

    @unittest.skipIf("MEANDER_SANITIZED" in os.environ, "the address sanitizer takes all addresses there are")
    def test_a_rank_without_memory(self):
        # The mesh needs far more than this limit, of one rank only, leaves when MPI has started.
        large = ["run", *programs.SMALL, "--output", "large", "--set", "mesh.min-level=6", "--set", "mesh.max-level=6"]
        done = subprocess.run(
            [*self.command(1, *large), ":", "-np", "1", "sh", "-c", 'ulimit -v 360000; exec "$@"', "sh",
             *self.command(0, *large)],
            cwd=self.scratch, env=programs.ENVIRONMENT, capture_output=True, text=True, check=False, timeout=programs.PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.message(done.stderr).count("out of memory"), 1, done.stderr)

    def test_a_failure_that_only_one_rank_knows_of(self):
        for how, code in (("failure", 1), ("input", 2), ("thread", 1)):
            began = time.monotonic()
            done = subprocess.run([*self.command(4)[:-1], os.environ["FAILING_RANK"], how], env=programs.ENVIRONMENT,
                                  capture_output=True, text=True, check=False, timeout=programs.PATIENCE)
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(self.message(done.stderr).splitlines().count("rank 3: failing as asked"), 1, done.stderr)
            self.assertEqual(done.stderr.count("failing as asked"), 1, done.stderr)

    def test_a_failure_of_all_ranks_is_reported_once(self):
        for how in ("all", "all threads"):
            began = time.monotonic()
            done = subprocess.run([*self.command(4)[:-1], os.environ["FAILING_RANK"], how], env=programs.ENVIRONMENT,
                                  capture_output=True, text=True, check=False, timeout=60)
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr.count("failing as asked"), 1, done.stderr)

    def test_a_rank_that_is_killed(self):
        process = self.start(4, "run", *programs.SMALL, "--output", "killed")
        self.wait_for(lambda: programs.rows(self.path("killed")) > 5, process)
        os.kill(programs.children(process.pid)[2], signal.SIGKILL)
        began = time.monotonic()
        code, log = self.end(process)
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(code, 128 + signal.SIGKILL, log)


if __name__ == "__main__":
    unittest.main()
