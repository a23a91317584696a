#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plot files with features of HDF5 that Meander never writes: refused at once by the program, and nothing is read or loaded."""
import os
import shutil
import subprocess
import time
import unittest

import h5py
import numpy

import programs

SECRET = "a line of another file\n"
INPUT = "/meta/input"


def external(file, name, path, size=64):
    """Replaces a dataset by one whose values are in another file."""
    del file[name]
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_external(os.fsencode(path), 0, h5py.h5f.UNLIMITED)
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(size)
    h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR), creation)


def replace(file, name, **options):
    data = file[name][()]
    del file[name]
    file.create_dataset(name, data=data, **options)


class ForgedHdf5(programs.TestWithGoodRun):
    def make_good(self):
        self.run_to_end(1, "run", *programs.SMALL, "--set", "time.max-steps=2", "--output", "run", "--set",
                        "output.slice=[{name = \"cut\", offset = 0.5, resolution = 20}]", "--set",
                        "output.sphere=[{name = \"round\", radius = 0.2, resolution = 8}]")

    def refused(self, change, message):
        """`meander info` on a forged plot file."""
        path = self.path("plot_000000.vtkhdf")
        shutil.copy(self.good.path("run/plot_000000.vtkhdf"), path)
        with h5py.File(path, "r+") as file:
            change(file)
        began = time.monotonic()
        done = subprocess.run(self.command(0, "info", path), cwd=self.scratch, capture_output=True, text=True, check=False,
                              timeout=programs.PATIENCE, env={**programs.ENVIRONMENT, "HDF5_PLUGIN_PATH": self.scratch})
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertTrue(done.stderr.startswith(path + ": "), done.stderr)
        self.assertIn(message, done.stderr)
        self.assertNotIn(SECRET.strip(), done.stderr)
        self.assertLess(len(done.stderr), 500)
        self.assertLess(time.monotonic() - began, programs.PATIENCE / 2)

    def test_images_of_any_content(self):
        """`meander info` describes a forged slice or sphere, or refuses it with one line."""
        values = (0, -1, 2 ** 62, float("nan"), numpy.bytes_(b"x"), numpy.bytes_(b""), [1, 2], [-5, 2 ** 40, 2 ** 40], [[1.0] * 3] * 3)
        for name in ("slice_cut_000002.vtkhdf", "sphere_round_000002.vtkhdf"):
            path, good = self.path(name), self.good.path("run/" + name)
            objects, changes = [], []
            with h5py.File(good, "r") as file:
                file.visit(objects.append)
                for item in objects:
                    changes += [lambda f, i=item, a=a, v=v: f[i].attrs.__setitem__(a, v) for a in file[item].attrs for v in values]
                    changes += [lambda f, i=item, a=a: f[i].attrs.__delitem__(a) for a in file[item].attrs]
            changes += [lambda f, i=item: f.__delitem__(i) for item in objects]
            for item in objects:
                for value in (numpy.zeros(3), numpy.zeros((2, 2, 2), "i4"), numpy.bytes_(b"x")):
                    changes.append(lambda f, i=item, v=value: (f.__delitem__(i), f.__setitem__(i, v)))
            for change in changes:
                shutil.copy(good, path)
                with h5py.File(path, "r+") as file:
                    change(file)
                done = subprocess.run(self.command(0, "info", path), cwd=self.scratch, capture_output=True, text=True, check=False,
                                      timeout=programs.PATIENCE, env=programs.ENVIRONMENT)
                self.assertIn(done.returncode, (0, 2), done.stderr)
                if done.returncode:
                    self.assertTrue(done.stderr.startswith(path + ": "), done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_external_storage(self):
        with open(self.path("secret"), "w", encoding="utf-8") as stream:
            stream.write(SECRET)
        os.mkfifo(self.path("fifo"))
        for name in ("secret", "fifo"):
            self.refused(lambda file, name=name: external(file, INPUT, self.path(name)), "is stored in another file")

    def test_links(self):
        with h5py.File(self.path("other.h5"), "w") as other:
            other["input"] = SECRET

        def link(kind):
            def change(file):
                del file[INPUT]
                file[INPUT] = kind
            return change
        self.refused(link(h5py.ExternalLink(self.path("other.h5"), "/input")), "is a link out of its group")
        self.refused(link(h5py.SoftLink("/meta/patch_level")), "is a link out of its group")

        def meta(file):
            file.move("meta", "elsewhere")
            file["meta"] = h5py.SoftLink("/elsewhere")
        self.refused(meta, "is HDF5 of another program")

    def test_filters_and_chunks(self):
        name = "VTKHDF/Level0/CellData/density"
        self.refused(lambda file: replace(file, name, chunks=True, compression="gzip"), "is not stored in one piece")

    def test_virtual_storage(self):
        def change(file):
            shape = file["VTKHDF/Level0/CellData/density"].shape
            layout = h5py.VirtualLayout(shape=shape, dtype="f4")
            layout[:] = h5py.VirtualSource(self.path("other.h5"), "x", shape=shape)
            del file["VTKHDF/Level0/CellData/density"]
            file.create_virtual_dataset("VTKHDF/Level0/CellData/density", layout)
        self.refused(change, "is not stored in one piece")

    def test_sizes(self):
        def huge(name, shape, kind):
            def change(file):
                del file[name]
                creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                creation.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE)
                space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
                h5py.h5d.create(file.id, name.encode(), kind, space, creation)
            return change
        text = h5py.h5t.C_S1.copy()
        text.set_size(2_000_000_000)
        self.refused(huge(INPUT, None, text), "is a string of 2000000000 bytes")
        self.refused(huge("VTKHDF/Level0/CellData/density", (1 << 40,), h5py.h5t.IEEE_F32LE), "more values than the file holds")
        self.refused(huge("VTKHDF/Level0/AMRBox", (1 << 40, 6), h5py.h5t.STD_I32LE), "more values than the file holds")

        def variable(file):
            del file[INPUT]
            file[INPUT] = "of variable length"
        self.refused(variable, "is a string outside its object")
        self.refused(lambda file: file["meta"].attrs.__setitem__("step", numpy.zeros(3)), "step")


if __name__ == "__main__":
    unittest.main()
