#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: long
"""Signals, wall time and schedules: exit codes, and bitwise identical results after a restart."""
import json
import os
import re
import signal
import subprocess
import time
import unittest

import programs

STEPS = ["--set", f"time.max-steps={programs.LENGTH}"]


class Stopping(programs.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.reference = cls("make_reference")
        cls.reference.setUp()
        cls.addClassCleanup(cls.reference.doCleanups)
        cls.reference.make_reference()

    def make_reference(self):
        self.run_to_end(2, "run", *programs.SMALL, *STEPS, "--output", "reference")

    def start_and_send(self, ranks, send):
        """Starts a run, waits for some of its steps, and calls send(process)."""
        process = self.start(ranks, "run", *programs.SMALL, *STEPS, "--output", "run")
        self.wait_for(lambda: programs.rows(self.path("run")) > 20, process)
        send(process)
        return process

    def goes_on(self, log, ranks):
        """The command in the log continues the run bitwise identically, on another number of ranks."""
        told = re.search(r"continue with: (mpirun -np \d+ )?meander restart (run/chk_\d+\.hdf5)\n", log)
        self.assertIsNotNone(told, log)
        self.assertEqual(self.path(told.group(2)), programs.checkpoints(self.path("run"))[-1])
        self.run_to_end(ranks, "restart", told.group(2), "--threads", "1")
        self.assert_same_files(self.path("run"), self.reference.path("reference"))

    def test_sigterm_to_one_rank_stops_all(self):
        process = self.start_and_send(2, lambda p: os.kill(programs.children(p.pid)[1], signal.SIGTERM))
        code, log = self.end(process)
        self.assertEqual(code, 3, log)
        self.assertIn("stopped by SIGTERM; continue with: mpirun -np 2 meander restart", log)
        self.goes_on(log, 3)

    def test_sigint_without_mpirun(self):
        process = self.start_and_send(0, lambda p: p.send_signal(signal.SIGINT))
        code, log = self.end(process)
        self.assertEqual(code, 3, log)
        self.assertIn("stopped by SIGINT; continue with: meander restart", log)
        self.goes_on(log, 1)

    def test_sigusr2_goes_through_mpirun(self):
        code, log = self.end(self.start_and_send(2, lambda p: p.send_signal(signal.SIGUSR2)))
        self.assertEqual(code, 3, log)
        self.goes_on(log, 1)

    def test_sigusr1_through_mpirun_writes_and_goes_on(self):
        process = self.start_and_send(2, lambda p: p.send_signal(signal.SIGUSR1))
        self.wait_for(lambda: programs.checkpoints(self.path("run")), process)
        code, log = self.end(process)
        self.assertEqual(code, 0, log)
        # Ranks that see the signal at different steps may write two, and of all only the newest are kept.
        first = programs.checkpoints(self.path("run"))[0]
        last = f"chk_{programs.LENGTH:06}.hdf5"
        self.assertLess(os.path.basename(first), last)
        self.assert_same_files(self.path("run"), self.reference.path("reference"))
        # The intermediate checkpoint is valid too.
        os.remove(self.path("run/" + last))
        self.run_to_end(2, "restart", first, "--threads", "1")
        self.assert_same_files(self.path("run"), self.reference.path("reference"))

    def test_a_second_signal_ends_the_process(self):
        # A suspended process takes both before its next step.
        def twice(process):
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGCONT)
        process = self.start_and_send(0, twice)
        code, log = self.end(process)
        if code == 3:
            self.skipTest("the first signal had stopped the run before the second came")
        self.assertIn(code, (-signal.SIGTERM, -signal.SIGINT), log)

    def test_walltime(self):
        began = time.monotonic()
        code, log = self.end(self.start(2, "run", *programs.SMALL, "--set", "time.end=1000", "--output", "run",
                                        "--walltime", "0:00:04"))
        self.assertEqual(code, 3, log)
        self.assertLess(time.monotonic() - began, 10)
        self.assertIn("stopped by the wall time of 0:04", log)
        # Much longer, and it comes to its end.
        self.run_to_end(2, "restart", programs.checkpoints(self.path("run"))[-1], "--threads", "1", "--walltime", "1-0",
                        "--set", "time.max-steps=1")

    def test_schedule(self):
        log = self.run_to_end(1, "run", *programs.SMALL, "--output", "run", "--set", "time.max-steps=60", "--set",
                              "checkpoint.every-steps=25", "--set", "checkpoint.keep=3", "--set",
                              "checkpoint.every-minutes=100")
        self.assertEqual(re.findall(r"checkpoint run/(\S+) in", log),
                         ["chk_000025.hdf5", "chk_000050.hdf5", "chk_000060.hdf5"])
        self.assertEqual(len(programs.checkpoints(self.path("run"))), 3)
        log = self.run_to_end(1, "restart", "run/chk_000025.hdf5", "--set", "time.max-steps=50", "--set",
                              "checkpoint.keep=1", "--set", "checkpoint.every-minutes=1e-9")
        self.assertGreater(len(re.findall(r"checkpoint run/\S+ in", log)), 1)
        # Those of the first run that lay ahead are gone, and only one is kept.
        self.assertEqual(list(map(os.path.basename, programs.checkpoints(self.path("run")))), ["chk_000050.hdf5"])

    def test_the_history_of_a_continued_run_is_that_of_an_unbroken_one(self):
        def run(steps, *arguments):
            self.run_to_end(1, *arguments, "--set", f"time.max-steps={steps}")
        start = ["run", *programs.SMALL, "--set", "output.history-steps=10", "--set", "output.plot-every=0"]
        run(60, *start, "--output", "whole")
        run(25, *start, "--output", "run")  # has a row of step 25, its last
        self.assertEqual(programs.rows(self.path("run")), 4)
        run(25, "restart", "run")  # at its end, which stays so
        self.assertEqual(programs.rows(self.path("run")), 4)
        run(37, "restart", "run")
        run(60, "restart", "run")
        with open(self.path("run/history.csv"), "rb") as ours, open(self.path("whole/history.csv"), "rb") as theirs:
            self.assertEqual(ours.read(), theirs.read())

    def test_restarts_into_another_directory_leave_the_first_alone(self):
        self.run_to_end(2, "run", *programs.SMALL, "--set", "time.max-steps=40", "--set", "checkpoint.every-steps=20",
                        "--output", "run")
        before = {name: os.stat(self.path("run/" + name)).st_mtime_ns for name in os.listdir(self.path("run"))}
        self.run_to_end(1, "restart", "run/chk_000020.hdf5", "--output", "other", "--set", "time.max-steps=60")
        after = {name: os.stat(self.path("run/" + name)).st_mtime_ns for name in os.listdir(self.path("run"))}
        self.assertEqual(before, after)
        with open(self.path("other/summary.json"), encoding="utf-8") as stream:
            summary = json.load(stream)
        self.assertEqual((summary["steps"], summary["last_step"]), (40, 60))
        self.run_to_end(1, "restart", "run/chk_000040.hdf5", "--set", "output.directory=third", "--set",
                        "time.max-steps=60")
        both = [self.path(directory + "/chk_000060.hdf5") for directory in ("other", "third")]
        self.assertEqual(programs.differences(*both), [])

    def test_slurm_job(self):
        steps = 200 if programs.SLOW else 1500
        # The example of docs/, with stand-ins for the commands of Slurm; the first job has a second.
        os.mkdir(self.path("bin"))
        for name, text in {
                "srun": 'while case "$1" in --*) true ;; *) false ;; esac; do shift; done\nshift\nexec ' +
                        " ".join(self.command(2)) + ' "$@" --threads 1',
                "squeue": "[ -e requeued ] && echo 1-00:00:00 || echo 0:01",
                "scontrol": 'echo "$@" >> requeued'}.items():
            with open(self.path("bin/" + name), "w", encoding="utf-8") as stream:
                stream.write("#!/bin/sh\n" + text + "\n")
            os.chmod(self.path("bin/" + name), 0o755)
        with open(self.path("long.toml"), "w", encoding="utf-8") as stream, \
                open(programs.SMALL[0], encoding="utf-8") as small:
            stream.write(small.read().replace("end = 0.8", f"end = 0.8\nmax-steps = {steps}").replace("patch-size = 9",
                                                                                               "patch-size = 15"))
        environment = {**programs.ENVIRONMENT, "PATH": self.path("bin") + ":" + os.environ["PATH"], "SLURM_JOB_ID": "7"}
        for code in (3, 0):
            done = subprocess.run([os.path.join(programs.SOURCE, "docs/slurm-job.sh"), "long.toml"], cwd=self.scratch,
                                  env=environment, capture_output=True, text=True, check=False, timeout=4 * programs.PATIENCE)
            self.assertEqual(done.returncode, code, done.stderr)
        with open(self.path("requeued"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "requeue 7\n")
        self.assertEqual(programs.rows(self.path("output/long")), 1 + steps // 10)

    def test_summary(self):
        log = self.run_to_end(2, "run", *programs.SMALL, "--set", "time.max-steps=30", "--output", "run")
        with open(self.path("run/summary.json"), encoding="utf-8") as stream:
            summary = json.load(stream)
        self.assertEqual((summary["ranks"], summary["threads"], summary["steps"]), (2, 2, 30))
        parts = [summary["seconds_per_step_" + part] for part in ("update", "waiting", "regrid", "output", "other")]
        for spread in parts:
            self.assertLessEqual(0, spread["min"])
            self.assertLessEqual(spread["min"], spread["mean"])
            self.assertLessEqual(spread["mean"], spread["max"])
        # Together they are the whole step of the mean rank.
        self.assertAlmostEqual(sum(spread["mean"] for spread in parts) * 30 / summary["seconds"], 1, delta=0.1)
        for key in ("volumes_per_second", "halo_bytes_per_step", "remote_faces", "remote_faces_of_cubes",
                    "peak_memory_bytes", "imbalance_leaves", "imbalance_update_time", "processor_seconds"):
            self.assertGreater(summary[key], 0, key)
        updates = summary["volume_updates"]
        self.assertAlmostEqual(summary["processor_ns_per_volume_update"] * updates, 1e9 * summary["processor_seconds"],
                               delta=updates * 1e-6)
        self.assertAlmostEqual(summary["ns_per_volume_update"] * summary["volumes_per_second_and_thread"], 1e9, delta=1)
        # Two ranks with one thread each cannot take more than two processors.
        self.assertLess(summary["processor_seconds"], 2 * 1.05 * summary["seconds"] + 0.1)
        self.assertIn(f"; {summary['processor_ns_per_volume_update']:.1f} ns of processor time)", log)
        self.assertIn("30 steps to t = ", log)
        self.assertRegex(log, r"MPI_THREAD_\w+, output in run")


if __name__ == "__main__":
    unittest.main()
