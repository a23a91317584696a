#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""A log that nobody reads, a terminal that goes away, and requests for checkpoints at bad moments: the run is not lost."""
import os
import signal
import subprocess
import unittest

import programs

STEPS = ["--set", f"time.max-steps={programs.LENGTH}"]


class Signals(programs.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.reference = cls("make_reference")
        cls.reference.setUp()
        cls.addClassCleanup(cls.reference.doCleanups)
        cls.reference.make_reference()

    def make_reference(self):
        self.run_to_end(1, "run", *programs.SMALL, *STEPS, "--output", "reference")

    def popen(self, command, **streams):
        process = subprocess.Popen(command, cwd=self.scratch, env=programs.ENVIRONMENT, stdin=subprocess.PIPE, **streams)
        self.running.append(process)
        self.addCleanup(process.stdin.close)
        return process

    def start_run(self, ranks, **options):
        process = self.popen(self.command(ranks, "run", *programs.SMALL, *STEPS, "--output", "run"), **options)
        self.wait_for(lambda: programs.rows(self.path("run")) > 20, process)
        return process

    def is_same(self):
        self.assert_same_files(self.path("run"), self.reference.path("reference"))

    def test_the_reader_of_the_log_goes_away(self):
        # Without mpirun, which crashes itself in this case (Open MPI 4.1).
        reader, log = os.pipe()
        process = self.popen(self.command(0, "run", *programs.SMALL, *STEPS, "--output", "run", "--set",
                                          "checkpoint.every-steps=5"), stderr=log)
        os.close(log)
        self.wait_for(lambda: programs.rows(self.path("run")) > 20, process)
        os.close(reader)
        self.assertEqual(process.wait(programs.PATIENCE), 0)
        self.is_same()

    def test_no_standard_streams(self):
        arguments = self.command(0, "run", *programs.SMALL, *STEPS, "--output", "run")
        process = self.popen(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *arguments])
        self.assertEqual(process.wait(programs.PATIENCE), 0)
        self.is_same()

    def test_failures_without_a_reader_have_their_exit_codes(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in (["run", "none.toml"], ["run", *programs.SMALL, "--set", "mesh.patch-size=64"]):
                self.assertEqual(self.popen(self.command(0, *arguments), stderr=full).wait(programs.PATIENCE), 2)

    def test_sighup_stops_with_a_checkpoint(self):
        process = self.start_run(0, stderr=subprocess.PIPE)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGHUP)  # the kernel and the shell both send it
        log = process.communicate(timeout=programs.PATIENCE)[1].decode()
        self.assertEqual(process.returncode, 3, log)
        self.assertIn("stopped by SIGHUP; continue with: meander restart run/chk_", log)
        self.run_to_end(1, "restart", "run")
        self.is_same()

    def test_nohup_protects_a_run(self):
        arguments = self.command(0, "run", *programs.SMALL, *STEPS, "--output", "run")
        process = self.popen(["nohup", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(lambda: programs.rows(self.path("run")) > 20, process)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(programs.PATIENCE), 0)
        self.is_same()

    def test_sigusr1_is_never_fatal(self):
        # Before a run, and in commands without one.
        process = self.popen(self.command(0, "terms", "--pde", "euler"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for(lambda: self.ignores_sigusr1(process.pid), process)
        process.send_signal(signal.SIGUSR1)
        process.communicate(b"", timeout=programs.PATIENCE)
        self.assertEqual(process.returncode, 2)  # there is no point to evaluate
        # All the time from before its main() to its end.
        process = self.popen(self.command(0, "run", *programs.SMALL, *STEPS, "--output", "run"), stderr=subprocess.DEVNULL)
        self.wait_for(lambda: self.ignores_sigusr1(process.pid), process)
        while process.poll() is None:
            process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.returncode, 0)
        self.is_same()

    def ignores_sigusr1(self, pid):
        with open(f"/proc/{pid}/status", encoding="utf-8") as stream:
            masks = dict(line.split(":\t") for line in stream if line.startswith(("SigIgn", "SigCgt")))
        return any(int(mask, 16) >> (signal.SIGUSR1 - 1) & 1 for mask in masks.values())


if __name__ == "__main__":
    unittest.main()
