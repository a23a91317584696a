#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two runs in one directory: one of them continues unharmed, the other is refused and told who holds the lock."""
import os
import signal
import socket
import subprocess
import unittest

import programs

STEPS = ["--set", f"time.max-steps={programs.LENGTH}"]
LOCK = "run/meander.lock"
FOREIGN = "host node17\nboot another\nprocess 42\nstart 7\nflock 1\nsince 2026-11-22 10:00:00 UTC\n"


class Lock(programs.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.reference = cls("make_reference")
        cls.reference.setUp()
        cls.addClassCleanup(cls.reference.doCleanups)
        cls.reference.make_reference()

    def make_reference(self):
        self.run_to_end(1, "run", *programs.SMALL, *STEPS, "--output", "reference")

    def second(self, *arguments, ranks=1, **environment):
        """Exit code and messages of another process, while the first may run."""
        done = subprocess.run(self.command(ranks, *arguments), cwd=self.scratch, env={**programs.ENVIRONMENT, **environment},
                              capture_output=True, text=True, check=False, timeout=programs.PATIENCE)
        return done.returncode, done.stderr

    def half_way(self):
        """A run in "run" whose newest checkpoint is that of its 40th step."""
        self.run_to_end(1, "run", *programs.SMALL, *STEPS, "--set", "checkpoint.every-steps=40", "--set",
                        "checkpoint.keep=1000", "--output", "run")
        for path in programs.checkpoints(self.path("run"))[1:]:
            os.remove(path)

    def is_same(self):
        self.assertFalse(os.path.exists(self.path(LOCK)))
        self.assert_same_files(self.path("run"), self.reference.path("reference"))

    def test_a_restart_in_the_directory_of_a_live_run(self):
        process = self.start(2, "run", *programs.SMALL, *STEPS, "--output", "run", "--set", "checkpoint.every-steps=10")
        self.wait_for(lambda: programs.checkpoints(self.path("run")), process)
        ranks = programs.children(process.pid)
        for pid in ranks:
            os.kill(pid, signal.SIGSTOP)
        before = sorted(os.listdir(self.path("run")))
        for ranks_here, arguments in ((1, ["restart", "run"]), (3, ["restart", "run/chk_000010.hdf5", "--threads", "1"])):
            code, log = self.second(*arguments, ranks=ranks_here)
            self.assertEqual(code, 2, log)
            self.assertEqual(log.count("run: is in use by a run on " + socket.gethostname() + ", process "), 1, log)
            self.assertIn(f"process {ranks[0]}, since 2", log)
            self.assertIn("run/meander.lock", log)
        code, log = self.second("run", *programs.SMALL, "--output", "run")
        self.assertEqual(code, 2, log)
        # Whatever only reads is not blocked.
        code, log = self.second("info", programs.checkpoints(self.path("run"))[-1], ranks=0)
        self.assertEqual(code, 0, log)
        self.assertEqual(sorted(os.listdir(self.path("run"))), before)
        for pid in ranks:
            os.kill(pid, signal.SIGCONT)
        code, log = self.end(process)
        self.assertEqual(code, 0, log)
        self.is_same()

    def test_two_restarts_at_once(self):
        self.half_way()
        both = [subprocess.Popen(self.command(1, "restart", "run", *STEPS), cwd=self.scratch, env=programs.ENVIRONMENT,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
        logs = [process.communicate(timeout=programs.PATIENCE)[0] for process in both]
        self.assertEqual(sorted(process.returncode for process in both), [0, 2], logs)
        self.is_same()

    def test_two_runs_at_once(self):
        both = [subprocess.Popen(self.command(1, "run", *programs.SMALL, *STEPS, "--output", "run"), cwd=self.scratch,
                                 env=programs.ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                for _ in range(2)]
        logs = [process.communicate(timeout=programs.PATIENCE)[0] for process in both]
        self.assertEqual(sorted(process.returncode for process in both), [0, 2], logs)
        self.is_same()

    def test_the_lock_of_a_killed_run(self):
        process = self.start(0, "run", *programs.SMALL, *STEPS, "--output", "run", "--set", "checkpoint.every-steps=10")
        self.wait_for(lambda: programs.checkpoints(self.path("run")), process)
        process.kill()
        self.end(process)
        self.assertTrue(os.path.exists(self.path(LOCK)))
        log = self.run_to_end(1, "restart", "run")
        self.assertRegex(log, rf"run/meander\.lock: lock of a dead run removed \(.*process {process.pid}, since ")
        self.is_same()

    def test_a_signal_and_a_failure_release_the_lock(self):
        process = self.start(1, "run", *programs.SMALL, *STEPS, "--output", "run")
        self.wait_for(lambda: programs.rows(self.path("run")) > 20, process)
        self.assertTrue(os.path.exists(self.path(LOCK)))
        os.kill(programs.children(process.pid)[0], signal.SIGTERM)
        code, log = self.end(process)
        self.assertEqual(code, 3, log)
        self.assertFalse(os.path.exists(self.path(LOCK)))
        self.run_to_end(2, "restart", "run", "--threads", "1", "--set", "time.max-dt=1e-30", code=1)
        self.assertFalse(os.path.exists(self.path(LOCK)))

    def test_the_lock_of_another_machine(self):
        self.half_way()
        with open(self.path(LOCK), "w", encoding="utf-8") as stream:
            stream.write(FOREIGN)
        code, log = self.second("restart", "run", *STEPS)
        self.assertEqual(code, 2, log)
        self.assertIn("run: is locked by a run on node17, process 42, since 2026-11-22 10:00:00 UTC, and it cannot be seen "
                      "from here whether that has ended; if it has, remove run/meander.lock", log)
        code, log = self.second("restart", "run", *STEPS, "--output", "other")  # reads only
        self.assertEqual(code, 0, log)
        os.remove(self.path(LOCK))
        self.run_to_end(1, "restart", "run", *STEPS)
        self.is_same()

    def test_the_lock_of_an_earlier_start_of_a_slurm_job(self):
        self.half_way()
        with open(self.path(LOCK), "w", encoding="utf-8") as stream:
            stream.write(FOREIGN + "slurm-job 77\nslurm-restarts 0\n")
        self.assertEqual(self.second("restart", "run", *STEPS, SLURM_JOB_ID="77")[0], 2)
        code, log = self.second("restart", "run", *STEPS, SLURM_JOB_ID="77", SLURM_RESTART_COUNT="1")
        self.assertEqual(code, 0, log)
        self.is_same()


if __name__ == "__main__":
    unittest.main()
