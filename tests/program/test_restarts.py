#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Restarts as users start them, from inputs and with settings that have once been read wrongly."""
import os
import shutil
import unittest

import h5py

import programs

NEST = """[domain]
dimensions = 2
cells = [3, 3]
[mesh]
patch-size = 6
min-level = 2
max-level = 11
buffer = 0
subcycled-levels = 1
regrid-every = 1000
[[refinement]]
kind = "ball"
radius = 1e-9
[scenario]
name = "uniform"
velocity = [1.0, 0.5]
[time]
stepping = "local"
max-steps = 4
[output]
history-steps = 1
plot-every = 0
[checkpoint]
every-steps = 2
"""


SLICE = """
[[output.slice]]
name = "cut"
normal = "y"
offset = 0.5
resolution = 20
every-steps = 4
"""


def settings(*pairs):
    return [word for pair in pairs for word in ("--set", pair)]


class Restarts(programs.ProgramTest):
    def text(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return stream.read()

    def small_run(self, *pairs):
        self.run_to_end(0, "run", *programs.SMALL, "--output", "run", *settings("time.max-steps=4", *pairs))

    def test_self_gravity_continues_with_the_potential_of_its_leaves(self):
        few = ["--threads", "1", *settings("mesh.regrid-every=1", "output.history-steps=1", "output.plot-every=0",
                                           "checkpoint.every-steps=3")]
        # Periodic, alone in an octant, and in an expanding universe.
        for name, pairs in (("jeans", []), ("evrard", ["mesh.max-level=3", "mesh.patch-size=6", "scenario.samples-per-axis=2"]),
                            ("pancake", [])):
            source = os.path.join(programs.SOURCE, "inputs", name + ".toml")
            whole, half = name + "-whole", name + "-half"
            self.run_to_end(0, "run", source, *few, "--output", whole, *settings("time.max-steps=6", *pairs))
            self.run_to_end(0, "run", source, *few, "--output", half, *settings("time.max-steps=3", *pairs))
            self.run_to_end(0, "restart", half, *settings("time.max-steps=6"))
            self.assertEqual(programs.differences(self.path(half + "/chk_000006.hdf5"), self.path(whole + "/chk_000006.hdf5")), [])
            self.assertEqual(self.text(half + "/history.csv"), self.text(whole + "/history.csv"))

    def test_damping_of_black_holes_changes_at_its_time(self):
        """plain-until is what one restart with another damping is, for any ranks, devices and restarts."""
        def go(output, last, *pairs, ranks=0, first=0):
            source = ("restart", output) if first else ("run", os.path.join(programs.SOURCE, "inputs/gauge-wave.toml"), "--output", output)
            self.run_to_end(ranks, *source, "--threads", "1", *settings(f"time.max-steps={last}", *(() if first else few), *pairs))
        few = ("output.plot-every=0", "output.history-steps=1", "checkpoint.every-steps=4", "solver.k1=1.0")
        for name, damping in (("hand", "plain"), ("plain", "plain"), ("lapse", "lapse")):
            go(name, 4, f'solver.damping="{damping}"')
            go(name, 8, 'solver.damping="lapse"' if name == "hand" else f'solver.damping="{damping}"', first=4)
        time_4 = self.text("hand/history.csv").splitlines()[5].split(",")[1]
        until = f"solver.plain-until={time_4}"
        go("key", 8, until)
        go("ranks", 8, until, ranks=3)
        go("batches", 8, until, "offload.device=host", "offload.batch=2")
        go("device", 8, until, "offload.device=host", "gpu-memory.patches=device")
        for steps in (4, 6, 8):
            go("restarted", steps, *(() if steps > 4 else (until, "checkpoint.every-steps=2")), first=steps - 2 if steps > 4 else 0)
        whole = self.path("hand/chk_000008.hdf5")
        for name in ("key", "ranks", "batches", "device", "restarted"):
            self.assertEqual(programs.differences(self.path(name + "/chk_000008.hdf5"), whole), [], name)
        for name in ("plain", "lapse"):
            self.assertNotEqual(programs.differences(self.path(name + "/chk_000008.hdf5"), whole), [], name)

    def test_checkpoints_of_version_0_1_continue(self):
        """The file is of `meander run inputs/riemann-2d.toml` of 0.1.0 with patches of 4, two levels and local steps, after step 3."""
        old = os.path.join(programs.SOURCE, "tests/program/checkpoints/from_0.1.0.hdf5")
        self.assertIn("meander 0.1.0", self.run_to_end(0, "info", old))
        for ranks, output in ((0, "one"), (2, "two")):
            self.run_to_end(ranks, "restart", old, "--threads", "1", "--output", output, *settings("time.max-steps=6"))
            with h5py.File(self.path(output + "/chk_000006.hdf5"), "r") as file:
                self.assertEqual(int(file.attrs["iteration"]), 6)
            rows = [row.split(",") for row in self.text(output + "/history.csv").splitlines()]
            self.assertEqual([int(row[0]) for row in rows[1:]], [3, 4, 5, 6])
        self.assertEqual(programs.differences(self.path("one/chk_000006.hdf5"), self.path("two/chk_000006.hdf5")), [])

    def test_patches_that_lived_on_a_device_continue_on_the_host(self):
        self.small_run("checkpoint.every-steps=2")
        self.run_to_end(0, "run", *programs.SMALL, "--output", "device", *settings(
            "time.max-steps=2", "offload.device=host", "gpu-memory.patches=device"))
        self.assertIn("step 2", self.run_to_end(0, "info", "device/chk_000002.hdf5"))
        self.run_to_end(0, "restart", "device", "--threads", "1", *settings(
            "time.max-steps=3", "offload.device=none", "gpu-memory.patches=host"))
        self.run_to_end(0, "restart", "device", "--threads", "1", *settings(
            "time.max-steps=4", "offload.device=host", "gpu-memory.patches=device"))
        self.assertEqual(programs.differences(self.path("device/chk_000004.hdf5"), self.path("run/chk_000004.hdf5")), [])
        self.assertEqual(self.text("device/history.csv"), self.text("run/history.csv"))

    def test_counts_of_ten_levels_continue(self):
        with open(self.path("in.toml"), "w", encoding="utf-8") as stream:
            stream.write(NEST)
        self.run_to_end(0, "run", "in.toml", "--threads", "1", "--output", "run")
        whole = self.text("run/history.csv")
        self.assertIn("updates_level_11", whole)
        self.run_to_end(0, "restart", "run/chk_000002.hdf5", "--threads", "1")
        self.assertEqual(self.text("run/history.csv"), whole)

    def test_a_run_that_was_stopped_may_end_at_its_checkpoint(self):
        with open(programs.SMALL[0], encoding="utf-8") as source, open(self.path("in.toml"), "w", encoding="utf-8") as stream:
            stream.write(source.read() + SLICE)
        start = ["run", "in.toml", *programs.SMALL[1:], *settings("output.history-steps=5", "output.plot-every=0",
                                                                  "checkpoint.every-steps=7", "checkpoint.keep=9")]
        names = ("history.csv", "plot.vtkhdf.series", "slice_cut.vtkhdf.series", "slice_cut_000007.vtkhdf")
        self.run_to_end(0, *start, "--output", "whole", *settings("time.max-steps=12"))
        self.run_to_end(0, *start, "--output", "ended", *settings("time.max-steps=7"))
        self.run_to_end(0, *start, "--output", "run", *settings("time.max-steps=12"))
        stopped = self.path("run/chk_000007.hdf5")
        shutil.copy(stopped, self.path("kept"))

        def end(ranks):
            self.run_to_end(ranks, "restart", "run/chk_000007.hdf5", "--threads", "1", *settings("time.max-steps=7"))
            for name in names:
                with open(self.path("run/" + name), "rb") as ours, open(self.path("ended/" + name), "rb") as theirs:
                    self.assertEqual(ours.read(), theirs.read(), name)
        end(0)
        self.assertIn('"last_step": 7,', self.text("run/summary.json"))
        # A part that was killed before it wrote the checkpoint anew.
        shutil.copy(self.path("kept"), stopped)
        end(2)
        # All is written.
        before = [os.stat(path).st_mtime_ns for path in (stopped, self.path("run/slice_cut_000007.vtkhdf"))]
        end(0)
        self.assertEqual([os.stat(path).st_mtime_ns for path in (stopped, self.path("run/slice_cut_000007.vtkhdf"))], before)
        self.run_to_end(0, "restart", "run", "--threads", "1", *settings("time.max-steps=12"))
        self.assertEqual(self.text("run/history.csv"), self.text("whole/history.csv"))

    def test_a_restart_without_a_step_keeps_the_summary(self):
        self.small_run()
        before = self.text("run/summary.json")
        self.run_to_end(0, "restart", "run", "--threads", "1")
        self.assertEqual(self.text("run/summary.json"), before)
        self.run_to_end(0, "restart", "run", "--threads", "1", "--output", "copy")
        self.assertIn('"steps": 0,', self.text("copy/summary.json"))

    def test_settings_of_all_boundaries_hold(self):
        self.small_run()
        self.run_to_end(0, "restart", "run", "--threads", "1", "--output", "walls", *settings(
            "time.max-steps=5", "boundary.y-upper=outflow", "boundary.all=reflecting"))
        text = self.text("walls/input.toml")
        self.assertEqual(text.count('= "reflecting"'), 3, text)
        self.assertIn('y-upper = "outflow"', text)
        log = self.run_to_end(0, "restart", "run", *settings("boundary.x=periodic"), code=2)
        self.assertIn("a restart cannot change whether an axis is periodic", log)

    def test_the_scale_factor_of_the_end_holds(self):
        source = os.path.join(programs.SOURCE, "inputs/accretion-2d.toml")
        self.run_to_end(0, "run", source, "--threads", "1", "--output", "run", *settings(
            "mesh.max-level=3", "time.max-steps=2", "output.plot-every=0"))
        self.run_to_end(0, "restart", "run", "--threads", "1", "--output", "longer", *settings(
            "scenario.end-scale-factor=16", "time.max-steps=3"))
        self.assertIn("\nend = -0.25\n", self.text("longer/input.toml"))
        self.run_to_end(0, "restart", "run", "--threads", "1", "--output", "both", *settings(
            "scenario.end-scale-factor=16", "time.end=-0.5", "time.max-steps=3"))
        self.assertIn("\nend = -0.5\n", self.text("both/input.toml"))


if __name__ == "__main__":
    unittest.main()
