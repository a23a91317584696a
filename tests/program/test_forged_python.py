#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package on forged files: every defect is a FileError that names the file, and nothing outside the file is read."""
import os
import random
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


HISTORY = b"step,time [time],dt\n0,0,0\n1,0.5,0.5\n2,1,0.5\n"
SERIES = b'{"file-series-version": "1.0", "files": [{"name": "plot_000000.vtkhdf", "time": 0}]}'
OFFLOAD = b"""label,device,equation,dim,p,memory,threads,batch,us_a_patch_min,us_a_patch_max,ns_a_volume_median,link_us_a_patch
model,host,euler,2,9,map,1,8,1,2,3,0.5
"""
# Texts of libraries and of the system, which no message repeats.
RAW = ("[Errno", "numpy", "could not convert", "inhomogeneous", "Unable to", "has no attribute", "invalid literal", "codec", "Error",
       "unable to open", "column 1 (char", "Warning")
# Files that a user may give, by name and content, the command, and the message after the program's name.
BAD_FILES = (
    ("a.csv", b'step,time,"d\nt"\n0,0,0\n', ("plot", "a.csv"),
     "a.csv: is no history of meander (line 1: the title of column 3 has a line break or another control character)"),
    ("b.csv", HISTORY.replace(b"1,0.5", b"1,x"), ("plot", "b.csv"), "b.csv: is no history of meander (line 3, column time: 'x' is no number)"),
    ("c.csv", HISTORY.replace(b"1,0.5", b"1,2,0.5"), ("plot", "c.csv"), "c.csv: is no history of meander (line 3: has 4 columns, the first line 3)"),
    ("d.csv", b"\xff\xfe\x00", ("plot", "d.csv"), "d.csv: is no text file (byte 0 is no text)"),
    ("e.csv", b"", ("plot", "e.csv"), "e.csv: is no history of meander (is empty)"),
    ("f.csv", b'step,time\n0,"' + b"9" * 200000, ("plot", "f.csv"), "f.csv: is no history of meander (line 2: cannot be divided into columns)"),
    ("a.series", b"{", ("plot", "a.series"), "a.series: is no index of plot files (line 1, column 2: is no JSON)"),
    ("b.series", b"{}", ("plot", "b.series"), "b.series: is no index of plot files (has no 'files')"),
    ("c.series", SERIES, ("plot", "c.series"), "c.series: names plot_000000.vtkhdf, which is not there"),
    ("rubbish.vtkhdf", b"\xff" * 999, ("plot", "rubbish.vtkhdf"),
     "rubbish.vtkhdf: is no HDF5 file; there are plot files, checkpoints, *.series and history.csv"),
    ("a.json", b"\xff", ("plot-trace", "a.json"), "a.json: is no text file (byte 0 is no text)"),
    ("b.json", b'{"traceEvents": [{"pid": 1}]}', ("plot-trace", "b.json"), "b.json: is no trace of meander (has no 'tid')"),
    ("a.txt", b"\xff", ("plot-offload", "a.txt", "figures"), "a.txt: is no text file (byte 0 is no text)"),
    ("b.txt", HISTORY, ("plot-offload", "b.txt", "figures"), "b.txt: is no table of meander-bench-offload (it has no column label)"),
    ("c.txt", OFFLOAD.replace(b",9,", b",0,"), ("plot-offload", "c.txt", "figures"),
     "c.txt: is no table of meander-bench-offload (line 2, column p: 0 is not at least 1)"),
    ("d.txt", OFFLOAD.replace(b",3,", b",?,"), ("plot-offload", "d.txt", "figures"),
     "d.txt: is no table of meander-bench-offload (line 2, column ns_a_volume_median: '?' is no number)"),
    ("a.hdf5", HISTORY, ("compare-checkpoints", "a.hdf5", "a.hdf5"),
     "a.hdf5: is no HDF5 file; there are plot files, checkpoints, *.series and history.csv"),
    (None, None, ("compare-checkpoints", "nothere", "a.hdf5"), "nothere: no such file"),
    (None, None, ("plot", "nothere", "--show", "waves"), "nothere: is no directory of a run, which --show waves needs"),
    (None, None, ("plot", "nothere.csv"), "nothere.csv: no such file"),
    (None, None, ("plot-trace", "nothere.json"), "nothere.json: no such file"),
    (None, None, ("plot-offload", "nothere.txt", "figures"), "nothere.txt: no such file"),
)


class ForgedPython(programs.TestWithGoodRun):
    def make_good(self):
        self.run_to_end(1, "run", *programs.SMALL, "--set", "time.max-steps=2", "--output", "run", "--set",
                        "output.slice=[{name = \"cut\", offset = 0.5, resolution = 20}]", "--set",
                        "output.sphere=[{name = \"round\", radius = 0.2, resolution = 8}]")

    def files(self):
        yield from ("plot_000000.vtkhdf", "chk_000002.hdf5")

    def all_files(self):
        yield from (*self.files(), "slice_cut_000002.vtkhdf", "sphere_round_000002.vtkhdf")

    def outcome(self, name, change):
        """The text of the FileError, or None if the file can be read; any other exception fails the test."""
        path = self.path(name)
        shutil.copy(self.good.path("run/" + name), path)
        with h5py.File(path, "r+") as file:
            change(file)
        try:
            with meander_amr.open(path) as snapshot:
                for field in snapshot.fields:
                    if isinstance(snapshot, meander_amr.Image):
                        snapshot[field]  # pylint: disable=pointless-statement
                        continue
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
        for name in self.all_files():
            self.assertIsNone(self.outcome(name, lambda file: None))

    def test_attributes(self):
        for name in self.all_files():
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
        for name in self.all_files():
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
        self.assertEqual(code, 2)
        self.assertIn("filters.vtkhdf: /VTKHDF/Level0/CellData/density is not stored in one piece", message)

    def message_of(self, *command):
        """The message of a command that refuses its input, without the name of the program."""
        code, message = self.command_line(*command)
        self.assertEqual(code, 2, message)
        for words in RAW:
            self.assertNotIn(words, message)
        self.assertEqual(message[-1:] + str(message.count("\n")), "\n1", message)
        program = "meander-plot" if command[0] == "plot" else command[0]
        self.assertTrue(message.startswith(program + ": "), message)
        return message[len(program) + 2:-1]

    def write(self, name, content):
        with open(self.path(name), "wb") as stream:
            stream.write(content)

    def test_bad_files(self):
        for name, content, command, message in BAD_FILES:
            with self.subTest(command):
                if name:
                    self.write(name, content)
                self.assertEqual(self.message_of(*command), message)

    def test_files_that_are_cut_short(self):
        checkpoint, plot = (self.good.path("run/" + name) for name in ("chk_000002.hdf5", "plot_000000.vtkhdf"))
        for source, command in ((checkpoint, ("compare-checkpoints", checkpoint, "cut")), (plot, ("plot", "cut"))):
            with open(source, "rb") as stream:
                whole = stream.read()
            for length in (100, 2000, len(whole) // 2, len(whole) - 1):
                self.write("cut", whole[:length])
                self.assertEqual(self.message_of(*command), "cut: is an HDF5 file that is cut short or damaged")
        self.assertEqual(self.message_of("compare-checkpoints", checkpoint, plot),
                         f"{plot}: holds no state, so it is no checkpoint")

    def test_places_for_pictures(self):
        plot, history = (self.good.path("run/" + name) for name in ("plot_000000.vtkhdf", "history.csv"))
        self.write("table.txt", OFFLOAD)
        os.mkdir(self.path("folder.png"))
        os.mkfifo(self.path("pipe.png"))
        for picture, reason in (("/proc/x.png", "cannot be written ("),
                                ("none/x.png", "cannot be written (none is no directory)"),
                                ("folder.png", "cannot be written (is no regular file)"),
                                ("pipe.png", "cannot be written (is no regular file)"),
                                ("x.abc", "is no name of a picture: its ending must be one of ")):
            for file in (plot, history):
                message = self.message_of("plot", file, "--output", picture)
                self.assertTrue(message.startswith(f"{picture}: {reason}"), message)
        self.assertRegex(self.message_of("plot-offload", "table.txt", "/proc/x"), r"^/proc/x: cannot be created \([a-z ]+\)$")
        code, message = self.command_line("plot", history, "--output", "without-ending")
        self.assertEqual((code, message), (0, ""))
        self.assertTrue(os.path.exists(self.path("without-ending.png")))

    def test_standard_output_that_takes_nothing(self):
        checkpoint, plot = (self.good.path("run/" + name) for name in ("chk_000002.hdf5", "plot_000000.vtkhdf"))
        for command in (("plot", plot, "--output", "x.png"), ("compare-checkpoints", checkpoint, checkpoint)):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([os.path.join(programs.SOURCE, "scripts", command[0]), *command[1:]], cwd=self.scratch,
                                      stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"^[a-z-]+: standard output: cannot be written \(no space left on device\)\n$")

    def test_more_parts_than_leaves(self):
        plot = self.good.path("run/plot_000000.vtkhdf")
        with meander_amr.open(plot) as snapshot:
            leaves = snapshot.leaves
            self.assertEqual(len(set(snapshot.partition(leaves))), leaves)
        self.assertEqual(self.message_of("plot", plot, "--show", "partition", "--parts", "100000"),
                         f"{plot}: 100000 parts: must be at least 1 and at most {leaves}, the number of leaves")

    def test_leaves_fill_the_domain(self):
        for name in self.files():
            def change(file, text):
                words = file["meta/input"][()].replace(b"upper = [1.0, 1.0]", text)
                del file["meta/input"]
                file["meta/input"] = numpy.bytes_(words)
            for upper in (b"upper = [1e9, 1.0]", b"upper = [1e300, 1e-300]", b"upper = [0.5, 0.5]"):
                with self.subTest(name, upper=upper):
                    self.refused(name, lambda file, upper=upper: change(file, upper), "the domain")

    def test_many_ranks(self):
        def change(file):
            file["meta/patch_rank"][-1] = 2 ** 31 - 1
        self.assertIsNone(self.outcome("plot_000000.vtkhdf", change))
        self.assertEqual(self.command_line("plot", "plot_000000.vtkhdf", "--show", "partition"), (0, ""))

    def test_random_changes_of_texts(self):
        generator = random.Random(1)
        words = (b"nan", b"-1", b"1e400", b"\n", b"\r", b"\xff", b"\0", b'"', b",", b"x", b"", b"[", b"{", b"null", b"9" * 30)
        for name, content in (("history.csv", HISTORY), ("plot.vtkhdf.series", SERIES)):
            for _ in range(500):
                at = generator.randrange(len(content))
                changed = content[:at] + generator.choice(words) + content[at + generator.randrange(3):]
                self.write(name, changed)
                try:
                    repr(meander_amr.open(self.path(name)))
                except meander_amr.FileError as error:
                    self.assertIn(self.path(name), str(error))
                    self.assertFalse([words for words in RAW if words in str(error)], (changed, str(error)))


if __name__ == "__main__":
    unittest.main()
