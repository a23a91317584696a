#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package on forged files: every defect is a FileError that names the file, and nothing outside the file is read."""
import os
import shutil
import subprocess
import sys
import unittest

import h5py
import numpy

import programs
from test_forged_hdf5 import SECRET, external, replace

sys.path.insert(0, os.path.join(programs.SOURCE, "python"))
import meander_amr  # noqa: E402  pylint: disable=wrong-import-position

VALUES = (-1, 0, 2 ** 31 - 1, 2 ** 40, -2 ** 63, float("nan"), float("inf"), "text", numpy.zeros(0), numpy.zeros(5), b"\xff")


class ForgedPython(programs.TestWithGoodRun):
    def make_good(self):
        self.run_to_end(1, "run", *programs.SMALL, "--set", "time.max-steps=2", "--output", "run")

    def files(self):
        yield from ("plot_000000.vtkhdf", "chk_000002.hdf5")

    def outcome(self, name, change):
        """The text of the FileError, or None if the file can be read; any other exception fails the test."""
        path = self.path(name)
        shutil.copy(self.good.path("run/" + name), path)
        with h5py.File(path, "r+") as file:
            change(file)
        try:
            with meander_amr.open(path) as snapshot:
                for field in snapshot.fields:
                    for level in snapshot.levels:
                        snapshot.values(field, level)
        except meander_amr.FileError as error:
            self.assertIn(path, str(error))
            self.assertNotIn(SECRET.strip(), str(error))
            return str(error)
        return None

    def refused(self, name, change, message=""):
        text = self.outcome(name, change)
        self.assertIsNotNone(text, "is read")
        self.assertIn(message, text)

    def objects(self, name):
        """Names of all objects, and of all attributes as (object, attribute)."""
        found, attributes = [], []
        with h5py.File(self.good.path("run/" + name), "r") as file:
            file.visit(found.append)
            for item in ["/", *found]:
                attributes += [(item, attribute) for attribute in file[item].attrs]
        return found, attributes

    def test_the_originals_are_read(self):
        for name in self.files():
            self.assertIsNone(self.outcome(name, lambda file: None))

    def test_attributes(self):
        for name in self.files():
            for item, attribute in self.objects(name)[1]:
                for value in VALUES:
                    with self.subTest(name, item=item, attribute=attribute, value=value):
                        def change(file, item=item, attribute=attribute, value=value):
                            file[item].attrs[attribute] = numpy.bytes_(value) if isinstance(value, (str, bytes)) else value
                        self.outcome(name, change)
                self.outcome(name, lambda file, item=item, attribute=attribute: file[item].attrs.__delitem__(attribute))

    def test_impossible_values_are_refused_when_the_file_is_opened(self):
        for name in self.files():
            for attribute, value in (("patch_size", 0), ("patch_size", 2 ** 40), ("dimensions", 4), ("level_offset", -1),
                                     ("time", float("nan"))):
                with self.subTest(name, attribute=attribute, value=value):
                    def change(file, attribute=attribute, value=value):
                        file["meta"].attrs[attribute] = value
                    self.refused(name, change, attribute)

    def test_objects(self):
        with open(self.path("secret"), "w", encoding="utf-8") as stream:
            stream.write(SECRET)
        os.mkfifo(self.path("fifo"))
        with h5py.File(self.path("other.h5"), "w") as other:
            other["x"] = SECRET
        for name in self.files():
            for item in self.objects(name)[0]:
                def delete(file, item=item):
                    del file[item]

                def put(value):
                    def change(file, item=item):
                        del file[item]
                        file[item] = value
                    return change
                with self.subTest(name, item=item):
                    self.outcome(name, delete)
                    for value in (numpy.zeros(0), numpy.zeros((3, 3)), numpy.bytes_("x"), 7, numpy.full(9, -5)):
                        self.outcome(name, put(value))
                    for link in (h5py.ExternalLink(self.path("other.h5"), "/x"), h5py.SoftLink("/meta/input")):
                        self.refused(name, put(link), "is a link out of its group")
                    self.refused(name, put("variable length"), "is of a type that is never written")
                    for path in ("secret", "fifo"):
                        self.refused(name, lambda file, item=item, path=path: external(file, item, self.path(path)),
                                     "is stored in another file")

    def test_storage(self):
        for name in self.files():
            for options in ({"chunks": True}, {"compression": "gzip"}, {"fletcher32": True}):
                self.refused(name, lambda file, options=options: replace(file, "meta/patch_level", **options),
                             "is not stored in one piece")

            def huge(file):
                del file["meta/patch_level"]
                h5py.h5d.create(file.id, b"meta/patch_level", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((1 << 40,)))
            self.refused(name, huge, "more values than the file holds")

            def text(file):
                kind = h5py.h5t.C_S1.copy()
                kind.set_size(2_000_000_000)
                del file["meta/input"]
                h5py.h5d.create(file.id, b"meta/input", kind, h5py.h5s.create(h5py.h5s.SCALAR))
            self.refused(name, text, "is a value of 2000000000 bytes")

            def itself(file):
                file["meta/again"] = file["/"]
            self.refused(name, itself, "contains itself")

    def test_inputs(self):
        for text in ("", "x", "[" * 5000, "a." * 5000 + "a=1", "[domain]\nlower = 3\n", "\xff"):
            for name in self.files():
                def change(file, text=text):
                    del file["meta/input"]
                    file["meta/input"] = numpy.bytes_(text.encode("latin-1") or b" ")
                self.refused(name, change)

    def test_special_files(self):
        for ending in ("hdf5", "csv", "series", "vtkhdf"):
            path = self.path("fifo." + ending)
            os.mkfifo(path)
            with self.assertRaisesRegex(meander_amr.FileError, "is no regular file"):
                meander_amr.open(path)
        os.mkdir(self.path("run"))
        os.mkfifo(self.path("run/plot.vtkhdf.series"))
        with self.assertRaisesRegex(meander_amr.FileError, "is no regular file"):
            meander_amr.open(self.path("run"))

    def command_line(self, script, *arguments):
        done = subprocess.run([os.path.join(programs.SOURCE, "scripts", script), *arguments], cwd=self.scratch, check=False,
                              capture_output=True, text=True, timeout=programs.PATIENCE)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stderr

    def test_commands(self):
        plot = self.good.path("run/plot_000000.vtkhdf")
        code, message = self.command_line("plot", plot, "--show", "slice", "--width", "0")
        self.assertEqual(code, 2)
        self.assertIn("--width: must be a finite number greater than 0, but is 0", message)
        for text in ("", "[]", "{}", "[" * 100000, '{"traceEvents": 3}', '{"traceEvents": [3]}', '{"traceEvents": [{}]}',
                     '{"traceEvents": [{"pid": 1, "tid": 1, "name": "x", "ph": "X", "ts": "y", "dur": 1}]}'):
            with open(self.path("trace.json"), "w", encoding="utf-8") as stream:
                stream.write(text)
            code, message = self.command_line("plot-trace", "trace.json")
            self.assertEqual(code, 2, text[:100])
            self.assertIn("plot-trace: trace.json: ", message)
        os.mkfifo(self.path("fifo"))
        self.assertEqual(self.command_line("plot-trace", "fifo"), (2, "plot-trace: fifo: is no regular file\n"))
        shutil.copy(plot, self.path("filters.vtkhdf"))
        with h5py.File(self.path("filters.vtkhdf"), "r+") as file:
            replace(file, "VTKHDF/Level0/CellData/density", compression="lzf")
        code, message = self.command_line("plot", "filters.vtkhdf")
        self.assertEqual(code, 1)
        self.assertIn("filters.vtkhdf: /VTKHDF/Level0/CellData/density is not stored in one piece", message)


if __name__ == "__main__":
    unittest.main()
