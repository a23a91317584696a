#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Inputs that no user writes by intention: deep keys, special files, control characters. One short message, exit code 2, at once."""
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUT = os.path.join(SOURCE, "inputs/sod.toml")
SECONDS = 60 if "MEANDER_SANITIZED" in os.environ else 10
DEEP = ".".join("a" * 10000)


class HostileInput(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def path(self, name):
        return os.path.join(self.scratch, name)

    def meander(self, *arguments, stdin=b""):
        """Exit code, output and messages; a process that hangs is killed and fails the test."""
        process = subprocess.Popen([os.environ["MEANDER"], *arguments], cwd=self.scratch, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(stdin, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            self.fail(f"{arguments}: hangs")
        return process.returncode, out.decode(), err.decode()

    def refused(self, *arguments, stdin=b""):
        before = sorted(os.walk(self.scratch))
        code, out, err = self.meander(*arguments, stdin=stdin)
        self.assertEqual((code, out), (2, ""), err[:2000])
        self.assertEqual(sorted(os.walk(self.scratch)), before)
        self.assertLess(len(err), 1000)
        return err

    def refused_text(self, text):
        with open(self.path("in.toml"), "wb") as stream:
            stream.write(text.encode() if isinstance(text, str) else text)
        return self.refused("check", "--input-only", "in.toml")

    def test_deep_dotted_keys(self):
        self.assertIn("in.toml:1:33: a key has more than 16 parts\n  1 | [a.a.a.", self.refused_text(f"[{DEEP}]\n"))
        self.assertIn("in.toml:2:32: a key has", self.refused_text(f"# {DEEP}\n{DEEP} = 1\n"))
        self.assertIn("a key has", self.refused_text("[domain]\nx = {" + '"a" . ' * 10000 + "b = 1}\n"))
        self.assertIn("in.toml:4:", self.refused_text(f'x = """\n{DEEP}\n"""\n[{DEEP}]\n'))
        self.assertIn("is no TOML value", self.refused("check", "--input-only", INPUT, "--set", f"time.end={{{DEEP}=1}}"))
        self.assertIn("a setting is written table.key=value", self.refused("run", INPUT, "--set", f"{DEEP}=1"))
        # Lists and tables in one another, each with the longest key that is allowed.
        nested = "[domain]\nx = " + ("{" + ".".join("a" * 16) + " = ") * 300
        self.assertIn("depth", self.refused_text(nested + "1" + "}" * 300 + "\n"))

    def test_dots_elsewhere_are_no_keys(self):
        with open(INPUT, encoding="utf-8") as stream:
            text = stream.read()
        with open(self.path("in.toml"), "w", encoding="utf-8") as stream:
            stream.write(f"# {DEEP}\n" + text + f"# {DEEP}\n")
        self.assertEqual(self.meander("check", "--input-only", "in.toml", "--set", f'output.directory="{DEEP}"')[0], 0)
        self.assertEqual(self.meander("check", "--input-only", "in.toml", "--set", f"output.directory='''{DEEP}'{DEEP}'''")[0],
                         0)

    def test_special_files(self):
        os.mkfifo(self.path("fifo"))
        for name in ("fifo", "/dev/zero", "/dev/null", "/proc/self/fd/0"):
            for command in (["run", name], ["check", name], ["info", name], ["restart", name],
                            ["terms", "--pde", "euler", name], ["restart", name, INPUT]):
                with self.subTest(command):
                    message = self.refused(*command)
                    self.assertEqual(message, f"{name}: is no regular file\n")
        self.assertEqual(self.refused("run", self.scratch), f"{self.scratch}: is a directory, not an input file\n")

    def test_files_without_end(self):
        with open(self.path("large.toml"), "wb") as stream:
            stream.truncate(50_000_000)
        self.assertEqual(self.refused("run", "large.toml"), "large.toml: is larger than 4194304 bytes\n")
        # The largest that is read: one long line of numbers.
        numbers = "[output]\nplot-times = [" + "1," * 2_000_000 + "x]\n"
        self.assertIn("in.toml:2:", self.refused_text(numbers))

    @unittest.skipIf("MEANDER_SANITIZED" in os.environ, "the address sanitizer takes all addresses there are")
    def test_horizons_beyond_the_limit_of_memory(self):
        with open(os.path.join(SOURCE, "inputs/puncture.toml"), encoding="utf-8") as stream:
            text = stream.read()
        with open(self.path("in.toml"), "w", encoding="utf-8") as stream:
            stream.write(text + "\n" + 1000 * "[[horizon]]\n" + "[[horizon]]\nl-max = 32\n")
        limited = ["sh", "-c", 'ulimit -v "$0"; exec "$@"']
        for limit, code in ((2**40, 0), (360000, 2)):
            done = subprocess.run([*limited, str(limit), os.environ["MEANDER"], "check", "--input-only", "in.toml",
                                   "--set", "mesh.min-level=1", "--set", "mesh.max-level=1"],
                                  cwd=self.scratch, capture_output=True, text=True, check=False, timeout=SECONDS)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"^in\.toml:\d+:9: horizon\[1001\]\.l-max: with l-max = 32, searches require \d+ MB on "
                                      r"each rank, but \d+ MB are available beside the mesh; reduce l-max\n")

    def test_standard_input(self):
        with open(INPUT, "rb") as stream:
            text = stream.read()
        code, out, err = self.meander("check", "--input-only", "-", stdin=text)
        self.assertEqual((code, err), (0, ""))
        self.assertIn('directory = "output/stdin"', out)
        code, _, err = self.meander("run", "-", "--threads", "1", "--set", "time.max-steps=1", stdin=text)
        self.assertEqual(code, 0, err)
        self.assertTrue(os.path.exists(self.path("output/stdin/history.csv")))
        self.assertRegex(self.refused("run", "-", stdin=text.replace(b"cfl", b"clf")), r"^stdin:\d+:1: solver\.clf: unknown key")

    def test_control_characters_do_not_reach_the_terminal(self):
        for text in ('"\\u001b[31m\\nmeander: fake" = 1\n', '[solver]\nequation = "\\u001b[2J\\r\\nfake"\n',
                     '[solver]\n"\\u009b2J\\u202e" = 1\n', "[mesh]\nlevel\x1b[2J = 1\n", b"[mesh]\nx = '\x9b2J'\n",
                     '["\\u001b]0;title\\u0007"]\nx = 1\n', '[output]\nfields = ["\\u001b[31m\\n"]\n'):
            message = self.refused_text(text)
            shown = [c for c in message if not c.isprintable() and c != "\n"]
            self.assertEqual(shown, [], message)
            self.assertLessEqual(message.count("\n"), 3, message)
        message = self.refused("run", INPUT, "--set", "mesh.patch-size='\x1b[31m'")
        self.assertNotIn("\x1b", message)
        self.assertNotIn("\x1b", self.refused("run", "\x1b[31m.toml"))
        self.assertNotIn("\x1b", self.refused("\x1b[31m"))

    def test_files_shown_by_info(self):
        with open(self.path("history.csv"), "w", encoding="utf-8") as stream:
            stream.write("step,\x1b[31mred\n1,2\n")
        code, out, err = self.meander("info", "history.csv")
        self.assertEqual(code, 0, err)
        self.assertIn("?[31mred", out)

    def test_settings_of_several_lines(self):
        self.assertIn("a setting is a single line", self.refused("run", INPUT, "--set", "time.end=0.1\nmax-steps=1"))
        self.assertIn("a setting is a single line", self.refused("run", INPUT, "--set", "time.end=0.1\n"))

    def test_names_that_are_no_text(self):
        for name, directory in ((b"caf\xe9.toml", "output/caf?"), (b"a\n[b\xff.toml", "output/a?[b?")):
            shutil.copy(INPUT, os.path.join(os.fsencode(self.scratch), name))
            few = ("--threads", "1", "--set", "output.plot-every=0", "--set")
            code, _, err = self.meander("run", name, *few, "time.max-steps=1")
            self.assertEqual(code, 0, err)
            code, _, err = self.meander("restart", directory, *few, "time.max-steps=2")
            self.assertEqual(code, 0, err)
            self.assertTrue(os.path.exists(self.path(directory + "/chk_000002.hdf5")))
            self.assertEqual(self.meander("check", "--input-only", directory + "/input.toml")[0], 0)
        for value in (b"caf\xe9", b"a\x1bb"):
            self.assertRegex(self.refused("run", INPUT, "--set", b"output.directory=" + value),
                             r"^--set output.directory=\w+\?\w*: has control characters, or bytes that are no UTF-8\n$")

    def test_empty_options(self):
        self.assertIn("--output must not be empty", self.refused("run", INPUT, "--output", ""))
        self.assertIn("--output must not be empty", self.refused("restart", "chk", "--output", ""))
        self.assertIn("--output: 1 required DIR missing", self.refused("restart", "chk", "--output="))
        self.assertIn("--walltime : must be", self.refused("run", INPUT, "--walltime", ""))

    def test_device_memory_below_that_of_the_smallest_mesh(self):
        device = ("--set", "offload.device=host", "--set", "gpu-memory.patches=device", "--set")
        for key, small in (("limit", "100"), ("limit", "4000"), ("quota", "4000")):
            message = self.refused("run", INPUT, "--output", "out", *device, f"gpu-memory.{key}={small}")
            self.assertIn(f"gpu-memory.{key} is too small: out of memory for the initial mesh: ", message)
            self.assertIn(f"{small} allowed", message)

    def test_more_threads_than_make_sense(self):
        for command in ("run", "check"):
            message = self.refused(command, INPUT, "--threads", "4096")
            self.assertRegex(message, r"^meander: --threads 4096: must be at most \d+, 4 for each of \d+ processors?\n")

    def test_positions(self):
        self.assertIn("in.toml:2:14: ", self.refused_text("[mesh]\npatch-size = 1e400\n"))
        self.assertIn("\n    |              ^\n", self.refused_text("[mesh]\npatch-size = 1e400\n"))
        self.assertIn("in.toml:2:14: ", self.refused_text("[mesh]\npatch-size = 99999999999999999999 # large\n"))
        self.assertRegex(self.refused_text(""), r"^in\.toml:1:1: scenario\.name: is required")
        self.assertRegex(self.refused_text("[domain]\ndimensions = 2\n"), r"^in\.toml:3:1: scenario\.name: is required")


if __name__ == "__main__":
    unittest.main()
