#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""States from files by the program (environment variable MEANDER): arrays with axes, runs that no longer have their file, and
bad files, each with one message, exit code 2 and no output."""
import glob
import os
import shutil
import subprocess
import unittest

import h5py
import numpy

import programs

INPUT = """[domain]
dimensions = 2
upper = [2.0, 1.0]
cells = [2, 1]
[boundary]
all = "outflow"
[mesh]
patch-size = %(p)d
min-level = 2
[scenario]
name = "from-file"
file = "%(file)s"
%(more)s
[time]
end = 1.0
max-steps = 2
[output]
fields = ["density", "momentum", "energy"]
precision = "float64"
"""
LINE = 1 + INPUT.splitlines().index('file = "%(file)s"')
UNKNOWNS = ("density", "momentum_x", "momentum_y", "energy")


def array(path, n=(40, 20), dtype="f8", names=UNKNOWNS, axes=("x", "y"), upper=(2.0, 1.0)):
    """A file of smooth gas on n[0] x n[1] volumes; returns the values by name."""
    centres = [(numpy.arange(m) + 0.5) * (length / m) for m, length in zip(n, upper)]
    x, y = numpy.meshgrid(*centres)
    values = {"density": 1 + 0.3 * numpy.sin(3 * x) * y, "momentum_x": 0.1 * x, "momentum_y": -0.2 * y * x, "energy": 3 + y * y,
              "velocity_x": 0.1 * x, "velocity-y": 0.2 * y, "pressure": 2 + 0 * x}
    with h5py.File(path, "w") as file:
        for axis, centre in zip(axes, centres):
            file[axis] = centre
        for name in names:
            file.create_dataset(name, data=values[name].astype(dtype))
    return values


class FromFile(programs.TestWithGoodRun):
    def make_good(self):
        array(self.path("a.h5"))
        with open(self.path("a.toml"), "w", encoding="utf-8") as stream:
            stream.write(INPUT % {"p": 9, "file": "a.h5", "more": ""})
        self.run_to_end(0, "run", "a.toml", "--threads", "1", "--output", "run")

    def write_input(self, file, p=9, more=""):
        with open(self.path("b.toml"), "w", encoding="utf-8") as stream:
            stream.write(INPUT % {"p": p, "file": file, "more": more})

    def checkpoint(self, directory):
        return programs.checkpoints(self.path(directory))[-1]

    def refused(self, file, message, settings=(), commands=("run", "check"), ranks=0):
        self.write_input(file)
        for command in commands:
            before = sorted(os.listdir(self.scratch))
            done = subprocess.run(self.command(ranks, command, "b.toml", "--threads", "1", *settings), cwd=self.scratch, capture_output=True,
                                  text=True, check=False, timeout=programs.PATIENCE, env=programs.ENVIRONMENT)
            said = done.stderr
            self.assertEqual((done.returncode, done.stdout), (2, ""), said)
            self.assertTrue(said.startswith(f"b.toml:{LINE}:8: scenario.file: "), said)
            self.assertEqual(said.count("scenario.file: "), 1, said)
            self.assertIn(message, said)
            self.assertEqual(sorted(os.listdir(self.scratch)), before)

    def plot(self):
        shutil.copy(self.good.path("run/plot_000001.vtkhdf"), self.path("plot.vtkhdf"))
        return h5py.File(self.path("plot.vtkhdf"), "r+")

    def test_array_by_overlap_volumes(self):
        """The integrals of the array, and its values where the volumes are the same."""
        values = array(self.path("a.h5"), n=(54, 27))
        self.write_input("a.h5", p=3)  # 54 x 27 volumes
        self.run_to_end(0, "run", "b.toml", "--threads", "2", "--output", "same", "--set", "mesh.min-level=3")
        self.write_input("a.h5", p=7)
        self.run_to_end(0, "run", "b.toml", "--threads", "2", "--output", "other")
        for directory, tolerance in (("same", 1e-15), ("other", 4e-15)):
            with open(self.path(directory + "/history.csv"), encoding="utf-8") as stream:
                names, row = [line.strip().split(",") for line in stream.readlines()[:2]]
            for name in UNKNOWNS:
                mean = float(row[names.index("total_" + name)]) / 2
                self.assertLess(abs(mean - values[name].mean()), tolerance * 8, (directory, name))
        with h5py.File(self.path("same/plot_000000.vtkhdf"), "r") as plot:
            level = plot["VTKHDF/Level0"]
            density = numpy.empty((27, 54))
            for box, patch in zip(level["AMRBox"], numpy.array(level["CellData/density"]).reshape(-1, 3, 3)):
                density[box[2]:box[3] + 1, box[0]:box[1] + 1] = patch
        self.assertEqual(density.tobytes(), values["density"].tobytes())

    def test_array_of_primitive_fields_in_3d(self):
        n = 12
        centre = (numpy.arange(n) + 0.5) / n
        z, y, x = numpy.meshgrid(centre, centre, centre, indexing="ij")
        with h5py.File(self.path("a.h5"), "w") as file:
            for axis in "xyz":
                file[axis] = centre.astype("f4")
            for name, value in (("density", 1 + x), ("velocity_x", y), ("velocity_y", z), ("velocity_z", 0 * x), ("pressure", 1 + z)):
                file[name] = value
        self.write_input("a.h5")
        self.run_to_end(0, "run", "b.toml", "--set", "domain.dimensions=3", "--set", "domain.upper=[1.0, 1.0, 1.0]", "--set",
                        "domain.cells=[1, 1, 1]", "--set", "mesh.min-level=1", "--set", "mesh.patch-size=4", "--output", "run")
        with h5py.File(self.path("run/plot_000000.vtkhdf"), "r") as plot:
            level = plot["VTKHDF/Level0"]
            momentum = numpy.array(level["CellData/momentum"]).reshape(-1, 4, 4, 4, 3)
            for box, patch in zip(level["AMRBox"], momentum):
                at = tuple(slice(box[2 * a], box[2 * a + 1] + 1) for a in (2, 1, 0))
                self.assertLess(numpy.abs(patch[..., 0] - ((1 + x) * y)[at]).max(), 1e-5)
                self.assertLess(numpy.abs(patch[..., 1] - ((1 + x) * z)[at]).max(), 1e-5)

    def test_float32_and_several_tiles(self):
        values = array(self.path("a.h5"), n=(100, 50), dtype="f4")
        self.write_input("a.h5")
        self.run_to_end(3, "run", "b.toml", "--threads", "1", "--output", "three")
        self.run_to_end(0, "run", "b.toml", "--threads", "2", "--output", "one")
        self.assertEqual(programs.differences(self.checkpoint("three"), self.checkpoint("one")), [])
        with open(self.path("one/history.csv"), encoding="utf-8") as stream:
            names, row = [line.strip().split(",") for line in stream.readlines()[:2]]
        self.assertLess(abs(float(row[names.index("total_density")]) / 2 - values["density"].mean()), 1e-7)

    def test_restart_without_the_file(self):
        array(self.path("a.h5"))
        self.write_input("a.h5")
        self.run_to_end(0, "run", "b.toml", "--threads", "1", "--output", "whole", "--set", "time.max-steps=6")
        self.run_to_end(0, "run", "b.toml", "--threads", "1", "--output", "parts", "--set", "time.max-steps=3")
        os.remove(self.path("a.h5"))
        self.run_to_end(0, "restart", "parts", "--threads", "1", "--set", "time.max-steps=6")
        self.assertEqual(programs.differences(self.checkpoint("whole"), self.checkpoint("parts")), [])
        self.refused("a.h5", "a.h5: ")

    def test_bad_files(self):
        self.refused("none.h5", "none.h5: ")
        os.mkdir(self.path("folder"))
        self.refused("folder", "folder: ")
        open(self.path("empty"), "w", encoding="utf-8").close()
        self.refused("empty", "empty: is empty")
        with open(self.path("text"), "w", encoding="utf-8") as stream:
            stream.write("density = 1\n")
        self.refused("text", "text: is no HDF5 file")
        with open(self.path("cut.vtkhdf"), "wb") as out, open(self.good.path("run/plot_000000.vtkhdf"), "rb") as whole:
            out.write(whole.read(5000))
        self.refused("cut.vtkhdf", "cut.vtkhdf: ")
        with h5py.File(self.path("other.h5"), "w") as file:
            file["data"] = numpy.zeros(4)
        self.refused("other.h5", "other.h5: is HDF5 of another program")

    def test_bad_arrays(self):
        def bad(change, message, **options):
            array(self.path("a.h5"), **options)
            with h5py.File(self.path("a.h5"), "r+") as file:
                change(file)
            self.refused("a.h5", "a.h5: " + message, commands=("run",))

        def put(name, value, **options):
            def change(file):
                del file[name]
                file.create_dataset(name, data=value, **options)
            return change

        def spoil(name, value, at=(3, 30)):
            def change(file):
                file[name][at] = value
            return change
        bad(lambda file: file.pop("energy"), "lacks the unknown energy, and in place of all unknowns the fields velocity_x, velocity_y, pressure; it has density")
        bad(lambda file: file.pop("pressure"), "lacks the unknowns momentum_x, momentum_y, energy, and in place of all unknowns the field pressure",
            names=("density", "velocity_x", "velocity-y", "pressure"))
        bad(put("density", numpy.ones((40, 20))), "density has the shape (40, 20), but the axes give (20, 40)")
        bad(put("density", numpy.ones((20, 40), dtype="i4")), "density must hold little-endian")
        bad(put("density", numpy.ones((20, 40), dtype=">f8")), "density must hold little-endian")
        bad(put("density", numpy.ones((20, 40)), chunks=(5, 5)), "HDF5 cannot read /density: it is not stored in one piece")
        bad(spoil("energy", numpy.nan), "energy is nan at (x, y) = (1.525, 0.175)")
        bad(spoil("density", -1.0), "the state at (x, y) = (1.525, 0.175) is not admissible: density = -1, ")
        bad(spoil("pressure", -2.0), "pressure must be positive, but is -2 at (x, y) = (1.525, 0.175)",
            names=("density", "velocity_x", "velocity-y", "pressure"))
        bad(put("x", numpy.arange(40.0) ** 2), "x must be equidistant, but x[1] is 1")
        bad(put("x", numpy.arange(40.0)[::-1]), "x must ascend, but runs from 39 to 0")
        bad(put("x", numpy.full(40, numpy.nan)), "x must ascend")
        bad(put("y", numpy.zeros((20, 1))), "y must be a list of at least two centres of volumes")
        bad(put("y", numpy.ones(1)), "y must be a list of at least two centres of volumes")
        bad(lambda file: file.create_dataset("z", data=numpy.arange(3.0)), "is 3D, but domain.dimensions is 2")
        bad(lambda file: None, "the domain reaches to x = 2, but the file ends at x = 1.5", upper=(1.5, 1.0))

    def test_bad_plot_files(self):
        def bad(change, message):
            with self.plot() as file:
                change(file)
            self.refused("plot.vtkhdf", message, commands=("run",))
        level = "VTKHDF/Level0/"
        bad(lambda file: file.pop(level + "CellData/energy"), 'output.fields = ["density", "momentum", "energy"]')

        def spoil(file):
            file[level + "CellData/momentum"][100] = numpy.inf
        bad(spoil, "momentum_x is inf at (x, y) = ")

        def overlap(file):
            file[level + "AMRBox"][1] = file[level + "AMRBox"][0]
        bad(overlap, "is damaged (its boxes ")

        def other_size(file):
            file["meta"].attrs["patch_size"] = numpy.int64(8)
        bad(other_size, "is damaged (its boxes)")

        def other_dimension(file):
            file["meta"].attrs["dimensions"] = numpy.int64(3)
        bad(other_dimension, "is damaged (")

        def no_width(file):
            file[level.rstrip("/")].attrs["Spacing"] = numpy.array([0.0, 1.0, 1.0])
        bad(no_width, "is damaged (the widths of its volumes)")

        def without_origin(file):
            del file["VTKHDF"].attrs["Origin"]
        bad(without_origin, "HDF5 cannot read attribute Origin")

        def corner(file):
            file["VTKHDF"].attrs["Origin"] = numpy.array([numpy.nan, 0.0, 0.0])
        bad(corner, "is damaged (its lower corner)")

        def short(file):
            data = file[level + "CellData/density"][:-1]
            del file[level + "CellData/density"]
            file[level + "CellData/density"] = data
        bad(short, "is damaged (density has another number of values than its boxes)")

    def test_bad_checkpoints(self):
        with open(self.checkpoint_of_good(), "rb") as stream:
            good = bytearray(stream.read())
        with h5py.File(self.checkpoint_of_good(), "r") as file:
            place = file["level_0/data:datatype=0"].id.get_offset()
        for name, change, message in (("data", lambda b: b[:place + 1] + bytes([b[place + 1] ^ 1]) + b[place + 2:], "damaged (the patches of level_0)"),
                                      ("short", lambda b: b[:-100], "is truncated"),
                                      ("head", lambda b: b[:30] + bytes([b[30] ^ 1]) + b[31:], "is damaged")):
            with self.subTest(name):
                with open(self.path("chk"), "wb") as stream:
                    stream.write(change(good))
                self.refused("chk", message, ranks=3 if name == "data" else 0)

    def checkpoint_of_good(self):
        return programs.checkpoints(self.good.path("run"))[-1]

    def test_bad_files_on_three_ranks(self):
        array(self.path("a.h5"), n=(100, 50))
        with h5py.File(self.path("a.h5"), "r+") as file:
            file["energy"][40, 90] = numpy.nan
            file["energy"][2, 2] = numpy.nan
        self.refused("a.h5", "energy is nan at (x, y) = (0.05, 0.05)", ranks=3)
        self.refused("none.h5", "none.h5: ", ranks=3)

    def test_input_only_checks_the_file(self):
        self.write_input("none.h5")
        done = subprocess.run(self.command(0, "check", "--input-only", "b.toml"), cwd=self.scratch, capture_output=True, text=True, check=False,
                              env=programs.ENVIRONMENT)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(glob.glob(self.path("output*")), [])


if __name__ == "__main__":
    unittest.main()
