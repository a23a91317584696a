#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""A rank that crashes reports its number, thread and stack, and ends with the signal of the crash."""
import os
import re
import signal
import subprocess
import unittest

import programs

STEPS = ["--set", f"time.max-steps={40 * programs.LENGTH}"]


@unittest.skipIf(programs.SLOW, "sanitizers report crashes themselves")
class CrashReport(programs.ProgramTest):
    def crash(self, ranks, number, victim=None):
        process = self.start(ranks, "run", *programs.SMALL, *STEPS, "--output", "out")
        self.wait_for(lambda: programs.rows(self.path("out")) > 2, process)
        os.kill(programs.children(process.pid)[victim] if ranks else process.pid, number)
        return self.end(process)

    def test_alone(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS, signal.SIGILL):
            with self.subTest(number.name):
                code, log = self.crash(0, number)
                self.assertEqual(code, -number, log)
                report = log[log.index("meander crashed"):]
                self.assertRegex(report, rf"^meander crashed, process \d+, (main thread|thread \d+): {number.name}: ")
                self.assertIn(f"sent by process {os.getpid()}\n", report)
                self.assertEqual(report.count("meander crashed"), 1)
                self.assertIn("meander(_start", report)
                self.run_to_end(0, "explain")  # the program itself is whole
                subprocess.run(["rm", "-r", self.path("out")], check=True)

    def test_addr2line_finds_the_function(self):
        _, log = self.crash(0, signal.SIGSEGV)
        hint = re.search(r"names and lines: (addr2line .*)", log).group(1).split()
        try:
            found = subprocess.run(hint, capture_output=True, text=True, check=True).stdout
        except FileNotFoundError:
            self.skipTest("no addr2line")
        self.assertIn("main", found)
        self.assertIn("meander::", found)

    def test_rank(self):
        code, log = self.crash(2, signal.SIGSEGV, victim=1)
        self.assertNotEqual(code, 0, log)
        self.assertRegex(log, r"meander crashed: rank \d, process \d+, .*SIGSEGV")
        self.assertIn("Backtrace:", log)


if __name__ == "__main__":
    unittest.main()
