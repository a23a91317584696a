#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""`meander info` and `meander check` of the program (environment variable MEANDER): their output for files of a run, and rejected files."""
import os
import re
import subprocess
import tempfile
import unittest

INPUT = """[domain]
dimensions = 2
[boundary]
all = "outflow"
[mesh]
patch-size = 6
min-level = 2
max-level = 3
[[refinement]]
kind = "ball"
radius = 0.1
[scenario]
name = "riemann-2d"
[time]
max-steps = 4
[output]
plot-steps = 2
history-steps = 2
"""


class Info(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        with open(os.path.join(cls.scratch.name, "in.toml"), "w", encoding="utf-8") as stream:
            stream.write(INPUT)
        code, _, err = cls.meander("run", "in.toml", "--threads", "1", "--output", "out")
        assert code == 0, err

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def meander(cls, *arguments):
        done = subprocess.run([os.environ["MEANDER"], *arguments], cwd=cls.scratch.name, capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout, done.stderr.rstrip("\n")

    def told(self, name):
        code, out, err = self.meander("info", name)
        self.assertEqual((code, err), (0, ""))
        return {line[2:].split(" " * 2)[0].strip(): re.split(r"\s{2,}", line[2:], maxsplit=1)[-1].strip()
                for line in out.splitlines()[1:]}, out

    def refused(self, name):
        code, out, err = self.meander("info", name)
        self.assertEqual((code, out), (2, ""), err)
        self.assertEqual(err.count("\n"), 0, err)
        self.assertTrue(err.startswith(name + ":"), err)
        return err

    def write(self, name, data):
        with open(os.path.join(self.scratch.name, name), "wb") as stream:
            stream.write(data)

    def read(self, name):
        with open(os.path.join(self.scratch.name, name), "rb") as stream:
            return stream.read()

    def history(self):
        with open(os.path.join(self.scratch.name, "out/history.csv"), encoding="utf-8") as stream:
            lines = [line.strip().split(",") for line in stream]
        return [dict(zip(lines[0], row)) for row in lines[1:]]

    def test_checkpoint(self):
        told, out = self.told("out/chk_000004.hdf5")
        last = self.history()[-1]
        self.assertEqual(told["step"], "4")
        self.assertEqual(float(out.split("time ")[1].split()[0]), float(last["time"]))
        self.assertIn(f"level 2     {last['leaves_level_2']} leaves", out)
        self.assertIn(f"level 3     {last['leaves_level_3']} leaves", out)
        self.assertIn("meander restart out/chk_000004.hdf5", out)
        self.assertRegex(out, r"equation +euler")
        self.assertRegex(out, r"density +0\.\d+ to 1\.5")

    def test_plot_and_history_agree_with_it(self):
        checkpoint, plot = self.told("out/chk_000004.hdf5")[1], self.told("out/plot_000002.vtkhdf")[1]
        for pattern in (r"time +\S+", r"leaves +\d+", r"level 2 +\d+ leaves", r"density +0\.\d{3}"):
            found = [[re.sub(r" +", " ", text) for text in re.findall(pattern, out)] for out in (plot, checkpoint)]
            self.assertEqual(*found)
        self.assertRegex(self.told("out/history.csv")[1], r"rows +3\n")
        self.assertRegex(self.told("out/history.csv")[1], r"step +0 to 4\n")

    def test_what_leaves_carry(self):
        jeans = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "inputs/jeans.toml")
        code, _, err = self.meander("run", jeans, "--threads", "1", "--set", "time.max-steps=1", "--output", "jeans")
        self.assertEqual(code, 0, err)
        # With 4 pi G = 2 (2 pi)^2 the potential of the density 1e-4 cos(2 pi x) is -2e-4 cos(2 pi x).
        for name in ("plot_000000.vtkhdf", "chk_000001.hdf5"):
            least, most = re.search(r"potential +(\S+) to (\S+)", self.told("jeans/" + name)[1]).groups()
            self.assertAlmostEqual(float(least), -2e-4, delta=3e-6)
            self.assertAlmostEqual(float(most), 2e-4, delta=3e-6)

    def test_series_and_input(self):
        self.assertRegex(self.told("out/plot.vtkhdf.series")[1], r"files +3\n")
        self.assertRegex(self.told("in.toml")[1], r"scenario +riemann-2d")
        self.write("lone.series", self.read("out/plot.vtkhdf.series"))
        self.assertRegex(self.told("lone.series")[1], r"missing +plot_000000.vtkhdf")

    def test_damaged_files(self):
        good = self.read("out/chk_000004.hdf5")
        for place in (3, 700, len(good) // 2, len(good) - 5):
            self.write("bad.hdf5", good[:place] + bytes([good[place] ^ 1]) + good[place + 1:])
            self.assertRegex(self.refused("bad.hdf5"), "is damaged|no HDF5|no checkpoint")
        self.write("bad.hdf5", good[:5000])
        self.assertIn("truncated", self.refused("bad.hdf5"))
        plot = self.read("out/plot_000002.vtkhdf")
        self.write("bad.vtkhdf", plot[:len(plot) // 3])
        self.refused("bad.vtkhdf")
        for place in range(8, 2000, 97):  # whatever HDF5 makes of it, there is an answer or one message
            self.write("bad.vtkhdf", plot[:place] + b"\xff\xff\xff" + plot[place + 3:])
            code, _, err = self.meander("info", "bad.vtkhdf")
            self.assertIn(code, (0, 1, 2), err)
            self.assertEqual(err.count("\n"), 0, err)
        self.write("bad.csv", self.read("out/history.csv") + b"6,x,0\n")
        self.assertIn("bad.csv:5:", self.refused("bad.csv"))

    def test_foreign_files(self):
        self.write("foreign.bin", bytes(range(256)) * 8)
        self.write("empty", b"")
        self.write("other.csv", b"a,b\n1,2\n")
        for name in ("foreign.bin", "empty", "other.csv", "out", "missing"):
            self.refused(name)

    def test_check_tells_what_the_run_then_is(self):
        code, out, err = self.meander("check", "in.toml", "--threads", "1", "--set", "output.directory=checked")
        self.assertEqual(code, 0, err)
        self.assertIn("[mesh]", out)
        first = self.history()[0]
        self.assertRegex(err, rf"level 2 +{first['leaves_level_2']} leaves")
        self.assertRegex(err, rf"level 3 +{first['leaves_level_3']} leaves")
        self.assertRegex(err, r"about 4 steps")
        self.assertRegex(err, r"history.csv +3 rows")
        sizes = {"plot_*.vtkhdf": os.path.getsize(os.path.join(self.scratch.name, "out/plot_000000.vtkhdf")),
                 "chk_*.hdf5": os.path.getsize(os.path.join(self.scratch.name, "out/chk_000004.hdf5"))}
        units = {"bytes": 1, "kB": 1e3, "MB": 1e6}
        for name, size in sizes.items():
            value, unit = re.search(re.escape(name) + r" +\d+, (\S+) (\w+) each", err).groups()
            self.assertLess(abs(float(value) * units[unit] / size - 1), 0.5, name)
        self.assertFalse(os.path.exists(os.path.join(self.scratch.name, "checked")))

    def test_check_tells_what_local_steps_would_save(self):
        def hint(*settings):
            code, _, err = self.meander("check", "in.toml", "--threads", "1", *[word for each in settings for word in ("--set", each)])
            self.assertEqual(code, 0, err)
            return re.findall(r'local time steps \(time.stepping = "local"\) would take (\S+) times fewer', err), re.findall(r"; (\S+) times fewer", err)
        would, does = hint()
        self.assertGreater(float(would[0]), 1.1)
        self.assertEqual(does, [])
        self.assertEqual(hint("time.stepping=local"), ([], would))
        self.assertEqual(hint("mesh.max-level=2"), ([], []))
        # Global steps where the input refuses local ones: batches.
        self.assertEqual(hint("offload.device=host", "gpu-memory.patches=host"), ([], []))

    def test_check_succeeds_where_local_steps_alone_lack_memory(self):
        hints = []
        for limit in range(740000, 960000, 20000):
            device = [word for each in ("offload.device=host", "gpu-memory.patches=device", f"gpu-memory.limit={limit}.0") for word in ("--set", each)]
            if self.meander("run", "in.toml", "--threads", "1", "--output", f"limit-{limit}", *device)[0] == 0:
                code, _, err = self.meander("check", "in.toml", "--threads", "1", *device)
                self.assertEqual(code, 0, err)
                hints.append("would take" in err)
            else:
                failed = [self.meander(command, "in.toml", "--threads", "1", *device)[::2] for command in ("check", "run")]
                self.assertEqual([code for code, _ in failed], [2, 2], failed)
                self.assertIn("gpu-memory.", failed[0][1])
        self.assertEqual(set(hints), {False, True})


if __name__ == "__main__":
    unittest.main()
