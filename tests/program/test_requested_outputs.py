#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Slices, projections, boxes, spheres, lines and probes of runs: the same bytes for any ranks, threads and devices, and after
a restart."""
import glob
import json
import os
import shutil
import subprocess
import unittest

import h5py
import numpy

import programs

PLANE = """
[[output.slice]]
name = "cut"
normal = "y"
offset = 0.5
every-steps = 2
[[output.slice]]
name = "cells"
resolution = 0
fields = ["density", "curve_index"]
times = [0.005]
[[output.projection]]
name = "sum"
resolution = 50
every = 0.004
fields = ["density", "momentum"]
[[output.box]]
name = "box"
resolution = 100
lower = [0.25, 0.2]
upper = [0.7, 0.9]
every-steps = 5
[[output.sphere]]
name = "circle"
radius = 0.6
resolution = 100
[[output.line]]
name = "diagonal"
from = [0, 0]
to = [1, 1]
points = 20
fields = ["density", "velocity"]
every = 0.005
every-steps = 0
[[output.probe]]
name = "middle"
at = [0.5, 0.5]
every-steps = 3
"""
SPACE = """
[[output.slice]]
name = "cut"
offset = 0.1
resolution = 200
every-steps = 2
fields = ["density", "velocity", "level"]
[[output.projection]]
name = "mean"
normal = "x"
weight = "density"
resolution = 40
[[output.box]]
name = "box"
resolution = 20
[[output.sphere]]
name = "shell"
radius = 0.2
resolution = 40
[[output.line]]
name = "x"
from = [-0.4, 0.0, 0.0]
to = [0.4, 0.0, 0.0]
fields = ["density"]
[[output.probe]]
name = "corner"
at = [0.5, 0.5, 0.5]
"""
SMALL_BOX = """
[[output.box]]
name = "small"
resolution = 20
lower = [0.0, 0.0, 0.0]
upper = [0.1, 0.1, 0.1]
every-steps = 1
[[output.projection]]
name = "thin"
normal = "x"
resolution = 20
lower = [0.0, -0.5, -0.5]
upper = [0.01, 0.5, 0.5]
every-steps = 1
"""
# Constraints are computed patch by patch with their halos.
HOLE = """
[[output.slice]]
name = "cut"
offset = 0.0
resolution = 60
fields = ["lapse", "hamiltonian", "momentum_x"]
every-steps = 1
"""
DEVICE = ["--set", "offload.device=host", "--set", "gpu-memory.patches=device"]


class RequestedOutputs(programs.ProgramTest):
    def input(self, name, more):
        with open(os.path.join(programs.SOURCE, "inputs", name + ".toml"), encoding="utf-8") as stream:
            text = stream.read()
        with open(self.path(name + ".toml"), "w", encoding="utf-8") as stream:
            stream.write(text + more)
        return name + ".toml"

    def files(self, directory):
        """All that [[output...]] tables have written."""
        names = []
        for kind in ("slice", "projection", "box", "sphere", "line", "probe"):
            names += glob.glob(os.path.join(self.path(directory), kind + "_*"))
        return sorted(map(os.path.basename, names))

    def assert_same_bytes(self, directory, reference):
        self.assertEqual(self.files(directory), self.files(reference))
        for name in self.files(reference):
            with open(self.path(f"{directory}/{name}"), "rb") as one, open(self.path(f"{reference}/{name}"), "rb") as two:
                self.assertTrue(one.read() == two.read(), (directory, name))

    def check(self, text, count, *arguments):
        """On one rank, on two threads, on three ranks, and on an emulated device; `count`: of files."""
        arguments = ["run", text, *arguments]
        self.run_to_end(0, *arguments, "--threads", "1", "--output", "one")
        self.assertEqual(len(self.files("one")), count, self.files("one"))
        self.run_to_end(0, *arguments, "--threads", "2", "--output", "two")
        self.assert_same_bytes("two", "one")
        self.run_to_end(3, *arguments, "--threads", "1", "--output", "ranks")
        self.assert_same_bytes("ranks", "one")
        log = self.run_to_end(2, *arguments, "--threads", "1", "--output", "device", *DEVICE)
        self.assert_same_bytes("device", "one")
        return log

    def plane(self):
        return [self.input("riemann-2d", PLANE), *programs.SMALL[3:], "--set", "time.max-steps=12"]

    def test_plane(self):
        text, *settings = self.plane()
        self.check(text, 28, *settings)

    def test_a_cut_for_each_level(self):
        """Then ranks hold no sections of the curve."""
        text, *settings = self.plane()
        settings += ["--set", "time.stepping=local", "--set", "partition.cuts=levels"]
        self.check(text, 34, *settings)
        with open(self.path("ranks/summary.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["cut_for_each_level"], 1)

    def test_space(self):
        few = ["--set", "mesh.max-level=2", "--set", "mesh.patch-size=6", "--set", "time.max-steps=4"]
        self.check(self.input("sedov-3d", SPACE + SMALL_BOX), 3 + 1 + 3 * 3 + 2 + 2 * 6, *few)

    def test_what_a_slice_brings_home(self):
        """With patches on a device, rows, slices and small boxes bring no patch home."""
        text = self.input("sedov-3d", SPACE.replace("[[output.projection]]", "[[output.slice]]").replace(
            'weight = "density"\n', "").split("[[output.box]]", maxsplit=1)[0] + SMALL_BOX)
        log = self.run_to_end(0, "run", text, "--output", "device", *DEVICE, "--set", "mesh.max-level=2", "--set",
                              "time.max-steps=6")
        # For the last plot alone.
        self.assertIn("patches were brought home 1 times: output 1", log)

    def test_patch_quantities(self):
        few = ["--set", "mesh.patch-size=10", "--set", "mesh.max-level=2", "--set", "time.max-steps=1", "--set", "output.plot-every=0"]
        self.check(self.input("puncture", HOLE), 3, *few)

    def test_contents(self):
        self.run_to_end(0, "run", *self.plane(), "--output", "run", "--set", "output.precision=float64")
        with h5py.File(self.path("run/projection_sum_000012.vtkhdf"), "r") as file:
            image = file["VTKHDF/Level0"]
            self.assertEqual(image["AMRBox"][:].tolist(), [[0, 49, 0, 0, 0, 0]])
            self.assertEqual(list(file["meta"].attrs["pixels"]), [50, 0, 0])
            spacing, sums = image.attrs["Spacing"][0], numpy.array(image["CellData/density"])
            self.assertEqual(image["CellData/momentum"].shape, (50, 3))
            self.assertEqual((int(file["meta"].attrs["step"]), file["meta"].attrs["kind"]), (12, b"projection"))
        with open(self.path("run/history.csv"), encoding="utf-8") as stream:
            names, *rows = [line.strip().split(",") for line in stream]
        total = float(rows[-1][[name.split(" ")[0] for name in names].index("total_density")])
        self.assertLess(abs(sums.sum() * spacing - total), 1e-12 * total)
        # The plot's sum.
        plots = sorted(glob.glob(self.path("run/plot_*.vtkhdf")))
        with h5py.File(plots[-1], "r") as file:
            plot = sum((numpy.array(level["CellData/density"]) * level.attrs["Spacing"][0] ** 2).sum()
                       for name, level in file["VTKHDF"].items() if name.startswith("Level"))
        self.assertLess(abs(sums.sum() * spacing - plot), 1e-12 * plot)
        with open(self.path("run/slice_cut.vtkhdf.series"), encoding="utf-8") as stream:
            series = json.load(stream)["files"]
        self.assertEqual([entry["name"] for entry in series], [f"slice_cut_{step:06}.vtkhdf" for step in range(0, 13, 2)])
        line = numpy.loadtxt(self.path("run/line_diagonal_density.txt"))
        self.assertEqual(line.shape[1], 21)
        self.assertTrue(numpy.allclose(line[1:, 0] / 0.005, numpy.round(line[1:, 0] / 0.005), atol=1e-12))
        probe = numpy.genfromtxt(self.path("run/probe_middle.csv"), delimiter=",", names=True)
        self.assertEqual(list(probe["step"]), [0, 3, 6, 9, 12])

    def test_check_lists_the_files(self):
        said = subprocess.run(self.command(0, "check", *self.plane()), cwd=self.scratch, capture_output=True, text=True, check=True,
                              env=programs.ENVIRONMENT)
        for name in ("line_diagonal_\\*.txt", "probe_middle.csv"):
            self.assertRegex(said.stdout + said.stderr, rf"\n  {name} +[1-9]\d* rows, [\d.]+ (kB|bytes)\n")

    def test_restarts(self):
        plane = [*self.plane(), "--set", "checkpoint.every-steps=4", "--set", "checkpoint.keep=9"]
        self.run_to_end(0, "run", *plane, "--output", "whole")
        # As if killed: later files are there, one of them half written.
        for step, ranks in ((4, 0), (8, 3)):
            again = f"again-{step}"
            shutil.copytree(self.path("whole"), self.path(again))
            for name in self.files(again):
                if name.endswith("000012.vtkhdf"):
                    os.rename(self.path(f"{again}/{name}"), self.path(f"{again}/{name}.part"))
            log = self.run_to_end(ranks, "restart", f"{again}/chk_{step:06}.hdf5", "--threads", "1")
            self.assertIn(".part: half-written file removed", log)
            self.assert_same_bytes(again, "whole")

    def test_full_disk(self):
        """A full disk ends the run as for plots: no half-written file, and the state is kept."""
        script = ('mkdir disk; mount -t tmpfs -o size=600k none disk; code=0; "$@" || code=$?; cp -r disk/. kept; exit $code')
        command = ["unshare", "-rm", "sh", "-c", script, "sh", *self.command(0, "run", self.input("riemann-2d", PLANE.replace(
            'resolution = 100\nlower', 'resolution = 400\nlower')), *programs.SMALL[3:], "--set", "time.max-steps=12", "--output", "disk/run")]
        done = subprocess.run(command, cwd=self.scratch, capture_output=True, text=True, check=False, env=programs.ENVIRONMENT)
        if "unshare" in done.stderr or "mount" in done.stderr:
            self.skipTest("mounts no file system")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        names = os.listdir(self.path("kept/run"))
        self.assertEqual([name for name in names if name.endswith(".part")], [])
        for name in names:
            if name.endswith(".vtkhdf"):
                with h5py.File(self.path("kept/run/" + name), "r") as file:
                    self.assertIn("VTKHDF", file)


if __name__ == "__main__":
    unittest.main()
