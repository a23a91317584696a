# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/verify on a merger: a synthetic run with the published figures passes, and each wrong figure is noticed."""
import contextlib
import csv
import io
import os
import subprocess
import sys
import tempfile
import types
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
# pylint: disable=wrong-import-position
from meander_amr import waves
from synthetic_waves import Burst, write
from verification import mergers
from verification.session import Verification

VERIFY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/verify")
W = 0.373672 - 0.088962j
ENERGY = 5.5e-4


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def horizon(times, mass, status="found", growth=0.0):
    last = max(times)
    masses = [mass + growth * (t - last) for t in times]
    return [{"step": n, "time": t, "status": status, "area": 16 * np.pi * m ** 2, "irreducible_mass": m,
             "christodoulou_mass": m, "spin_z": 0, "chi": 0} for n, (t, m) in enumerate(zip(times, masses))]


class HeadOn(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.output = scratch.name
        self.run_ = os.path.join(self.output, "head-on")

    def failures_of(self, *, w=W, energy=ENERGY, mass=1 - ENERGY, second=0.525, end=400, common="found", onset=60, junk=0.0,
                    growth=0.0):
        """The claims that do not hold for a run with these figures."""
        os.makedirs(self.run_, exist_ok=True)
        time = np.arange(0, end + 0.1, 0.5)
        fine = np.arange(-100, 300, 0.05)
        unit = np.sum(np.abs(Burst(1.0, w).derivatives(fine)[1]) ** 2) * 0.05 / (16 * np.pi)
        amplitude = np.sqrt(energy / unit)
        for radius in (40.0, 60.0, 80.0):
            retarded = waves.retarded_time(time, radius, 1.0)
            burst = Burst(amplitude, w).derivatives(retarded - onset)[2] + junk * np.exp(-((retarded - 4) / 3) ** 2)
            burst = burst / waves.areal_radius(radius, 1.0)
            write(self.run_, radius, time, {(2, m): burst if m == 0 else 0 * burst for m in range(-2, 3)})
        write_rows(os.path.join(self.run_, "history.csv"), [{"step": 0, "time": 0, "initial_adm_mass [length]": 1}])
        searches = (horizon(range(10), 0.525), horizon(range(10), second), horizon(range(15, 400, 5), mass, common, growth))
        for number, rows in enumerate(searches, 1):
            if common != "found" and number == 3:
                rows = [{**row, "area": "nan"} for row in rows]
            write_rows(os.path.join(self.run_, f"horizon_{number}.csv"), rows)
        for name, text in (("summary.json", f'{{"time": {end}}}'), ("input.toml", "[time]\nend = 400.0\n")):
            with open(os.path.join(self.run_, name), "w", encoding="utf-8") as stream:
                stream.write(text)
        verification = Verification(types.SimpleNamespace(output=self.output, meander=os.environ["MEANDER"], quick=False))
        verification.plot = lambda directory, options: None
        with contextlib.redirect_stdout(io.StringIO()):
            mergers.head_on(verification)
        return [row[0] for row in verification.rows if row[3] == "NO"], len(verification.rows)

    def test_published_figures_hold(self):
        self.assertEqual(self.failures_of(), ([], 6))

    def test_each_wrong_figure_is_noticed(self):
        for wrong, claim in (({"energy": 6.2e-4, "mass": 1 - 6.2e-4}, "radiated energy"), ({"w": W * 1.03}, "ringdown"), ({"mass": 0.998}, "mass of the remnant"),
                             ({"second": 0.525 * (1 + 1e-7)}, "masses of both holes"), ({"common": "flow-shrank"}, "first common horizon"),
                             ({"growth": 1.2e-6}, "dM/dt"), ({"growth": -1.2e-6}, "dM/dt")):
            failed, _ = self.failures_of(**wrong)
            self.assertEqual(len(failed), 1, failed)
            self.assertIn(claim, failed[0])

    def test_the_signal_may_follow_the_junk_closely(self):
        # As in a run: junk nearly as large as the signal, which sets in 14 M later.
        self.assertEqual(self.failures_of(onset=18, junk=9e-3), ([], 6))

    def test_files_that_are_not_of_a_run(self):
        self.failures_of()
        wave = "waves/mp_psi4_l2_m0_r40.00.asc"
        for name, text, message in (("history.csv", "step,time\n0,x\n", "history.csv: line 2 is no row of numbers"),
                                    ("history.csv", "step,time\n", "history.csv: has no rows"),
                                    ("summary.json", "{", "summary.json or input.toml is not of a run"),
                                    ("horizon_3.csv", "step,time,status,area\n0,1,found,x\n", "column area: 'x' is no number"),
                                    ("horizon_3.csv", "step,time,status,area\n0,1,found,2\n", "lack rows or columns ('christodoulou_mass')"),
                                    (wave, "# \x00", f"{wave}: does not state the sign of Psi4")):
            path = os.path.join(self.run_, name)
            with open(path, encoding="utf-8") as stream:
                good = stream.read()
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
            done = subprocess.run([sys.executable, VERIFY, "--only", "head-on", "--reuse", "--output", self.output, "--meander",
                                   os.environ["MEANDER"]], check=False, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertTrue(done.stderr.startswith("scripts/verify: " + self.output), done.stderr)
            self.assertIn(message, done.stderr)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(good)

    def test_an_incomplete_run_has_no_figures(self):
        failed, claims = self.failures_of(end=300)
        self.assertEqual((len(failed), claims), (1, 1))


if __name__ == "__main__":
    unittest.main()
