# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/plot-trace on the trace of a run."""
import contextlib
import io
import os
import subprocess
import tempfile
import unittest

from meander_amr import timeline

SOD = """
[domain]
dimensions = 2
upper = [1, 0.25]
cells = [4, 1]
[mesh]
patch-size = 3
[boundary]
x = "outflow"
[scenario]
name = "sod"
[time]
max-steps = 3
"""


class Timeline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        source, cls.trace = (os.path.join(cls.scratch.name, name) for name in ("sod.toml", "trace.json"))
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(SOD)
        subprocess.run([os.environ["MEANDER"], "run", source, "--output", os.path.join(cls.scratch.name, "sod"),
                        "--threads", "1", "--trace", cls.trace], check=True, stderr=subprocess.DEVNULL)

    def output_of(self, *arguments, trace=None):
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as complaint:
            code = timeline.main([trace or self.trace, *arguments])
        return code, said.getvalue(), complaint.getvalue()

    def test_pictures(self):
        picture = os.path.join(self.scratch.name, "picture.png")
        for steps in ((), ("--steps", "2:3"), ("--steps", "1:1")):
            self.assertEqual(self.output_of(*steps, "--output", picture), (0, picture + "\n", ""))
            with open(picture, "rb") as stream:
                self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n")
            os.remove(picture)

    def test_steps_that_the_trace_lacks(self):
        for steps in ("100:200", "0:2", "2:4", "3:2", ":", "2", "1:2:3", "a:b", ""):
            self.assertEqual(self.output_of("--steps", steps), (2, "", (
                f"plot-trace: {self.trace}: --steps '{steps}': must be FIRST:LAST in ascending order; "
                "the trace has steps 1 to 3\n")))

    def test_times_that_are_none(self):
        for times in ("", "a:b", "1", "2:1", "nan:1", "0:inf"):
            self.assertEqual(self.output_of("--ms", times), (2, "", (
                f"plot-trace: {self.trace}: --ms '{times}': must be BEGIN:END in ascending order, in milliseconds\n")))
        self.assertEqual(self.output_of("--ms", "1e9:2e9"), (2, "", (
            f"plot-trace: {self.trace}: from 1e+09 to 2e+09 ms there is nothing in the trace\n")))

    def test_a_trace_of_one_step_or_none(self):
        with open(self.trace, encoding="utf-8") as stream:
            lines = stream.readlines()
        for number, text in ((1, "--steps '7:8': must be FIRST:LAST in ascending order; the trace has step 1 only"),
                             (0, "there is no step in the trace: give --ms")):
            trace = os.path.join(self.scratch.name, f"{number}.json")
            with open(trace, "w", encoding="utf-8") as stream:
                stream.writelines(line for line in lines if '"step"' not in line or f'"value":{number}}}' in line)
            self.assertEqual(self.output_of("--steps", "7:8", trace=trace), (2, "", f"plot-trace: {trace}: {text}\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
