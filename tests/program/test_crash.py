#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: long
"""Ranks are killed at random moments, also in the middle of a checkpoint: only the steps since the last checkpoint are lost."""
import glob
import os
import random
import shutil
import signal
import sys
import time
import unittest

import programs

KILLS = 20
STEPS = ["--set", "time.max-steps=300", "--set", "checkpoint.every-steps=4"]


class Crash(programs.ProgramTest):
    def test_the_newest_checkpoint_restarts_to_the_same_bits(self):
        seed = random.randrange(2**32)
        print("seed", seed, file=sys.stderr)
        chance = random.Random(seed)
        self.run_to_end(2, "run", *programs.SMALL, *STEPS, "--output", "reference")
        finished, killed, in_write, part = 0, 0, 0, None
        while killed < KILLS or part is not None:
            if part is None:
                part = f"run{finished}"
            outcome = self.kill_once(part, chance, killed < KILLS)
            if outcome is None:
                self.assert_same_files(self.path(part), self.path("reference"))
                finished, part = finished + 1, None
            else:
                killed, in_write = killed + 1, in_write + outcome
        print(f"{killed} kills, {in_write} of them in the middle of a checkpoint, {finished} runs", file=sys.stderr)
        self.assertGreater(in_write, 0)

    def kill_once(self, directory, chance, may_kill):
        """One start of the program. None if it ended; else whether a file was half written when it was killed."""
        path, ranks = self.path(directory), chance.randint(1, 4)
        found = programs.checkpoints(path)
        if found:
            process = self.start(ranks, "restart", found[-1], "--threads", "1")
        else:
            shutil.rmtree(path, ignore_errors=True)  # killed before its first checkpoint
            process = self.start(ranks, "run", *programs.SMALL, *STEPS, "--output", path)
        if not may_kill:
            code, log = self.end(process)
            self.assertEqual(code, 0, log)
            return None
        # A restart must come to its first step, or many kills would test the start of the program only.
        steps = programs.rows(path)
        moment, when_writing = chance.uniform(0, 0.5), chance.random() < 0.5
        while process.poll() is None and programs.rows(path) in (0, steps):
            time.sleep(0.001)
        began = time.monotonic()
        while process.poll() is None and time.monotonic() - began < moment:
            time.sleep(0.0005)
        if when_writing:
            while process.poll() is None and not glob.glob(path + "/chk_*.part"):
                pass
        victims = programs.children(process.pid)
        if process.poll() is None and victims:
            for pid in [chance.choice(victims)] if chance.random() < 0.3 else victims:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        code, log = self.end(process)
        if code == 0:
            return None
        self.assertNotIn(code, (1, 2, 3), log)
        return bool(glob.glob(path + "/chk_*.part"))


if __name__ == "__main__":
    unittest.main()
