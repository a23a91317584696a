# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the program (environment variable MEANDER) under mpirun (MPIEXEC), for the tests beside this file."""
import glob
import os
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
# Two levels of a shock problem whose mesh changes all the time: about a millisecond a step.
SMALL = [os.path.join(SOURCE, "inputs/riemann-2d.toml"), "--threads", "1", "--set", "mesh.patch-size=6", "--set",
         "mesh.min-level=1", "--set", "mesh.max-level=3", "--set", "output.plot-every=0.05", "--set",
         "output.history-steps=1"]
# A run long enough to be interrupted; sanitizers make a step ten times longer.
SLOW = "MEANDER_SANITIZED" in os.environ
LENGTH = 100 if SLOW else 600
PATIENCE = 240 if SLOW else 60


def children(pid):
    """The processes that mpirun started and that live, by their parent."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8") as stream:
                name, rest = stream.read().rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, parent = rest.split()[:2]
        if int(parent) == pid and state != "Z" and name.endswith("(meander"):
            found.append(int(name.split()[0]))
    return sorted(found)


def rows(directory):
    """Rows of the history so far."""
    try:
        with open(os.path.join(directory, "history.csv"), encoding="utf-8") as stream:
            return max(0, len(stream.readlines()) - 1)
    except FileNotFoundError:
        return 0


def checkpoints(directory):
    return sorted(glob.glob(os.path.join(directory, "chk_*.hdf5")))


def differences(first, second):
    """What two checkpoints differ in, the input and the ranks that wrote them left out."""
    found = []
    with h5py.File(first, "r") as a, h5py.File(second, "r") as b:
        def state(name):
            return not name.startswith("meta") and not name.endswith("Processors")
        names = {name for file in (a, b) for name in datasets(file) if state(name)}
        for name in sorted(names):
            if name not in a or name not in b or a[name][()].tobytes() != b[name][()].tobytes():
                found.append(name)
        for attribute in ("time", "iteration"):
            if attribute in a.attrs and numpy.any(a.attrs[attribute] != b.attrs[attribute]):
                found.append("@" + attribute)
    return found


def datasets(file):
    names = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    return names


class ProgramTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.running = []
        self.addCleanup(lambda: [process.kill() for process in self.running if process.poll() is None])

    def path(self, name):
        return os.path.join(self.scratch, name)

    def command(self, ranks, *arguments):
        launcher = [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none", "-np", str(ranks)]
        return [*(launcher if ranks else []), os.environ["MEANDER"], *arguments]

    def start(self, ranks, *arguments):
        """A process; ranks 0: without mpirun. Its messages go to self.path("log")."""
        with open(self.path("log"), "w", encoding="utf-8") as log:
            process = subprocess.Popen(self.command(ranks, *arguments), cwd=self.scratch, env=ENVIRONMENT, stderr=log,
                                       stdout=log, stdin=subprocess.DEVNULL)
        self.running.append(process)
        return process

    def end(self, process, seconds=PATIENCE):
        """Its exit code and messages."""
        code = process.wait(seconds)
        with open(self.path("log"), encoding="utf-8") as log:
            return code, log.read()

    def run_to_end(self, ranks, *arguments, code=0):
        got, log = self.end(self.start(ranks, *arguments))
        self.assertEqual(got, code, log)
        return log

    def wait_for(self, condition, process, seconds=PATIENCE):
        """Until the condition holds; the process must not end before."""
        limit = time.monotonic() + seconds
        while not condition():
            self.assertIsNone(process.poll(), "ended too early")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.002)

    def assert_same_files(self, directory, reference):
        """The last checkpoint, the history and the plots: the same as in the reference."""
        self.assertEqual(os.path.basename(checkpoints(directory)[-1]), os.path.basename(checkpoints(reference)[-1]))
        self.assertEqual(differences(checkpoints(directory)[-1], checkpoints(reference)[-1]), [])
        for name in ("history.csv", "plot.vtkhdf.series"):
            with open(os.path.join(directory, name), encoding="utf-8") as a, \
                    open(os.path.join(reference, name), encoding="utf-8") as b:
                self.assertEqual(a.read(), b.read(), name)
        plots = [sorted(map(os.path.basename, glob.glob(os.path.join(d, "plot_*")))) for d in (directory, reference)]
        self.assertEqual(*plots)
        self.assertEqual(glob.glob(os.path.join(directory, "*.part")), [])


class TestWithGoodRun(ProgramTest):
    """Tests on the files of one run, self.good, which make_good() of the class makes."""
    @classmethod
    def setUpClass(cls):
        cls.good = cls("make_good")
        cls.good.setUp()
        cls.addClassCleanup(cls.good.doCleanups)
        cls.good.make_good()
