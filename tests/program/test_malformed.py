#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Ten invalid inputs of each kind, for both equations: the program (environment variable MEANDER) answers each
with one message that names file, line and column, exit code 2, in under a second, and leaves no file."""
import os
import resource
import subprocess
import tempfile
import unittest

EULER = """[domain]
dimensions = 2
lower = [0.0, 0.0]
upper = [1.0, 1.0]
[boundary]
all = "outflow"
[mesh]
patch-size = 9
min-level = 1
max-level = 2
[[refinement]]
kind = "jump"
variable = "density"
refine = 0.1
[solver]
equation = "euler"
scheme = "muscl"
gamma = 1.4
cfl = 0.4
[scenario]
name = "riemann-2d"
configuration = 3
[time]
start = 0.0
end = 0.1
[output]
plot-every = 0.05
fields = ["density", "level"]
"""
CCZ4 = """[domain]
dimensions = 3
lower = [0.0, 0.0, 0.0]
upper = [1.0, 1.0, 1.0]
[boundary]
all = "periodic"
[mesh]
patch-size = 9
min-level = 1
max-level = 2
[[refinement]]
kind = "ball"
centre = [0.5, 0.5, 0.5]
radius = 0.1
[solver]
equation = "ccz4"
scheme = "fourth-order"
slicing = "harmonic"
s = 0
cfl = 0.2
[scenario]
name = "gauge-wave"
amplitude = 0.1
[time]
start = 0.0
end = 0.1
[output]
plot-every = 0.05
fields = ["lapse", "level"]
"""
LIMIT = 1.0 if "MEANDER_SANITIZED" not in os.environ and "ASAN_OPTIONS" not in os.environ else 30.0

# Each: a line of the input, its replacement, and a part of the message.
SYNTAX = [
    ("[mesh]", "[mesh", ""), ("[mesh]", "[*mesh]", "key"), ("[mesh]", "[]", ""), ("start = 0.0", "start = ", ""),
    ("start = 0.0", "start = 0..1", ""), ('all = ', 'all = "out', ""), ("start = 0.0", "start 0.0", ""),
    ("start = 0.0", "start = 0.0\nstart = 1.0", ""), ("plot-every = 0.05", "plot-every = 0.05 0.1", ""),
    ("lower = [", "lower = [0.0, ,", ""),
]
TYPES = [
    ("dimensions = ", 'dimensions = "three"', "integer"), ("lower = [", 'lower = 0.0', "list"),
    ("patch-size = 9", "patch-size = 9.5", "integer"), ("min-level = 1", "min-level = true", "integer"),
    ("end = 0.1", 'end = "soon"', "number"), ("fields = [", "fields = [1, 2]", "string"),
    ("all = ", "all = 7", "word or table"), ("cfl = ", "cfl = [0.1]", "number"), ("plot-every = 0.05", "plot-every = 1979-05-27", "number"),
    ("name = ", "name = 3", "string"),
]
RANGES = [
    ("dimensions = ", "dimensions = 4", "between 2 and 3"), ("patch-size = 9", "patch-size = 2", "between 3 and 32"),
    ("patch-size = 9", "patch-size = 64", "between 3 and 32"), ("min-level = 1", "min-level = -1", "at least 0"),
    ("max-level = 2", "max-level = 99", "max-level"), ("cfl = ", "cfl = -0.1", "greater than 0"),
    ("cfl = ", "cfl = nan", "cfl"), ("plot-every = 0.05", "plot-every = -1", "at least 0"),
    ("max-level = 2", "max-level = 0", "min-level"), ("all = ", 'all = "outflows"', "outflow"),
]
PHYSICS = [
    ("end = 0.1", "end = -1.0", "exceed time.start"), ("upper = [", "upper = UPPER_BELOW", "exceed lower"),
    ("upper = [", "upper = UPPER_NO_CUBES", "cubes"), ("patch-size = 9", "patch-size = 3", "at least"),
    ("cfl = ", "cfl = 0.99", "cfl"), ("fields = [", 'fields = ["warmth"]', "warmth"),
    ("all = ", 'all = "outflow"\nx-lower = "periodic"', "periodic"),
    ("max-level = 2", "max-level = 12", "levels"), ("start = 0.0", "start = 5.0", "exceed time.start"),
    ("fields = [", 'fields = ["level", "level"]', "twice"),
]
# Cases for one equation only, in place of those that the other cannot have.
PHYSICS_OF = {
    "euler": {"cfl = ": ("gamma = ", "gamma = 0.5", "greater than 1"),
              "patch-size = 9": ("patch-size = 9", "patch-size = 5", "at least 6")},
    "ccz4": {"cfl = ": ("amplitude = ", "amplitude = 2.0", "amplitude"),
             "patch-size = 9": ("patch-size = 9", "patch-size = 8", "at least 9")},
}


def replaced(text, line, by):
    """The text with the line that starts so replaced, and the number of that line."""
    lines = text.splitlines()
    at = next(n for n, found in enumerate(lines) if found.startswith(line))
    return "\n".join([*lines[:at], by, *lines[at + 1:]]) + "\n", at + 1


def seconds_of_children():
    """CPU time, which does not depend on the load of the machine."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Malformed(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def meander(self, *arguments):
        before = sorted(os.walk(self.scratch))
        start = seconds_of_children()
        done = subprocess.run([os.environ["MEANDER"], *arguments], cwd=self.scratch, capture_output=True, text=True,
                              check=False, errors="replace")
        seconds = seconds_of_children() - start
        self.assertEqual(sorted(os.walk(self.scratch)), before)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertLess(seconds, LIMIT)
        return done.stderr.rstrip("\n")

    def refused(self, text, lines, part):
        with open(os.path.join(self.scratch, "in.toml"), "w", encoding="utf-8") as stream:
            stream.write(text)
        message = self.meander("run", "in.toml", "--output", "out")
        self.assertRegex(message, r"^in\.toml:\d+:\d+: ")
        self.assertIn(int(message.split(":")[1]), lines, message)
        self.assertIn(part, message)
        # The message, the line, the caret: nothing else.
        said, line, caret = message.split("\n")
        _, row, column, _ = said.split(":", 3)
        excerpt = text.splitlines()[int(row) - 1].rstrip()
        self.assertEqual(line, f"  {row} | {excerpt}", message)
        before = min(int(column) - 1, len(excerpt))  # missing text is pointed at after the last word
        self.assertEqual(caret, f"  {' ' * len(row)} | {' ' * before}^", message)

    def each(self, cases):
        self.assertEqual(len(cases), 10)
        for equation, text in (("euler", EULER), ("ccz4", CCZ4)):
            dims = 2 if equation == "euler" else 3
            for case in cases:
                if cases is PHYSICS:
                    case = PHYSICS_OF[equation].get(case[0], case)
                line, by, part = case
                by = by.replace("UPPER_BELOW", str([1.0] * (dims - 1) + [-1.0]))
                by = by.replace("UPPER_NO_CUBES", str([1.0] * (dims - 1) + [1.7]))
                with self.subTest(equation=equation, by=by):
                    bad, number = replaced(text, line, by)
                    self.refused(bad, range(number, number + 2), part)

    def test_the_originals_are_good(self):
        for text in (EULER, CCZ4):
            with open(os.path.join(self.scratch, "in.toml"), "w", encoding="utf-8") as stream:
                stream.write(text)
            done = subprocess.run([os.environ["MEANDER"], "check", "--input-only", "in.toml"], cwd=self.scratch,
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_toml_syntax(self):
        self.each(SYNTAX)

    def test_types(self):
        self.each(TYPES)

    def test_ranges(self):
        self.each(RANGES)

    def test_physics(self):
        self.each(PHYSICS)

    def test_files(self):
        """Files have no line; the message names the file."""
        def write(name, data):
            with open(os.path.join(self.scratch, name), "wb") as stream:
                stream.write(data)
        write("text.hdf5", b"no HDF5\n")
        write("empty.hdf5", b"")
        write("zeros.hdf5", bytes(5000))
        write("signature.hdf5", b"\x89HDF\r\n\x1a\n" + bytes(600))
        write("head.hdf5", b"MEANDER CHECKPOINT 1\n" + b" " * 600)
        write("short.hdf5", b"MEANDER CHECKPOINT 1\nlength 10\n")
        write("bytes.toml", bytes(range(1, 256)))
        write("full", b"")
        os.mkdir(os.path.join(self.scratch, "directory"))
        cases = [(["run", "missing.toml"], "missing.toml"), (["run", "directory"], "directory"), (["run", "bytes.toml"], "bytes.toml")]
        cases += [(["restart", name + ".hdf5"], name + ".hdf5")
                  for name in ("missing", "text", "empty", "zeros", "signature", "head", "short")]
        self.assertEqual(len(cases), 10)
        for arguments, name in cases:
            with self.subTest(arguments):
                message = self.meander(*arguments)
                self.assertTrue(message.startswith(name + ":"), message)
                self.assertLessEqual(message.count("\n"), 2, message)


if __name__ == "__main__":
    unittest.main()
