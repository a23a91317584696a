# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files of waves in kuibit: those of a run as they are, and a synthetic ringdown with known energy, angular momentum and frequency."""
import os
import subprocess
import tempfile
import unittest

import numpy as np
import qnm
from kuibit.gw_utils import sYlm
from kuibit.simdir import SimDir

import meander_amr
from meander_amr import waves
from synthetic_waves import Burst, harmonic, write

WAVE = """
[domain]
dimensions = 3
lower = [-1, -1, -1]
upper = [1, 1, 1]
[mesh]
patch-size = 10
[solver]
equation = "ccz4"
slicing = "harmonic"
s = 0
[scenario]
name = "linear-wave"
width = 2.0
[output]
fields = ["lapse"]
[time]
max-steps = 6
[diagnostics]
extraction-radii = [0.625, 0.8]
psi4-every = 1e-4
psi4-l-max = 3
"""


class ARun(unittest.TestCase):
    def test_files_are_read_as_they_are(self):
        with tempfile.TemporaryDirectory() as scratch:
            source, output = os.path.join(scratch, "wave.toml"), os.path.join(scratch, "run")
            with open(source, "w", encoding="utf-8") as stream:
                stream.write(WAVE)
            subprocess.run([os.environ["MEANDER"], "run", source, "--output", output, "--threads", "1"], check=True,
                           stderr=subprocess.DEVNULL)
            history = meander_amr.open(os.path.join(output, "history.csv"))
            gws = SimDir(output).gws
            self.assertEqual(gws.radii, [0.625, 0.8])
            self.assertEqual(len(gws[0.625]), 12)
            for m in range(-2, 3):
                series = gws[0.625][(2, m)]
                np.testing.assert_array_equal(series.t, history["time"])
                np.testing.assert_array_equal(series.y.real, -history[f"psi4_r0.625_2_{m}_re"])
                np.testing.assert_array_equal(series.y.imag, -history[f"psi4_r0.625_2_{m}_im"])
            self.assertGreater(np.abs(gws[0.625][(2, 2)].y).max(), 1e-9)
            own = waves.read(output).spheres[0.8]
            self.assertLess(np.abs(own.modes[3, 1] - gws[0.8][(3, 1)].y).max(), 1e-3 * np.abs(own.modes[3, 1]).max())


class Ringdown(unittest.TestCase):
    """Of a hole with spin 0.6864, 1000 M into a series of 3000 M, at r = 100: modes (2, 2), (3, 3) and (4, 4) rotate with the hole, (2, -2) against it."""
    radius, spin, start = 100.0, 0.6864, 1000.0

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.time = np.arange(0.0, 3000.0, 0.25)
        cls.frequency = {mode: complex(qnm.modes_cache(s=-2, l=mode, m=mode, n=0)(a=cls.spin)[0]) for mode in (2, 3, 4)}
        cls.bursts = {(2, 2): Burst(0.1, cls.frequency[2]), (2, -2): Burst(0.03, -cls.frequency[2].conjugate()),
                      (3, 3): Burst(0.03 + 0.01j, cls.frequency[3]), (4, 4): Burst(0.02j, cls.frequency[4])}
        write(cls.scratch.name, cls.radius, cls.time,
              {mode: burst.derivatives(cls.time - cls.start)[2] / cls.radius for mode, burst in cls.bursts.items()})
        cls.kuibit = SimDir(cls.scratch.name).gws[cls.radius]
        cls.period = 1000.0  # of the least frequency that is integrated, far below those of the waves
        fine = np.arange(-60, 400, 0.01)
        cls.energy, cls.torque = 0.0, 0.0
        for (_, m), burst in cls.bursts.items():
            strain, news, _ = burst.derivatives(fine)
            cls.energy += np.sum(np.abs(news) ** 2) * 0.01 / (16 * np.pi)
            cls.torque += m * np.sum(np.imag(strain * np.conj(news))) * 0.01 / (16 * np.pi)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def own(self):
        return waves.read(self.scratch.name).spheres[self.radius]

    def test_energy(self):
        found = self.kuibit.get_total_energy(self.period).y[-1]
        self.assertLess(abs(found / self.energy - 1), 1e-6)
        own = self.own().integrated(2 * np.pi / self.period, 0.0).energy()[-1]
        self.assertLess(abs(own / self.energy - 1), 1e-6)

    def test_angular_momentum(self):
        # Waves that rotate with the hole carry positive J_z. kuibit gives the change of the source.
        self.assertGreater(self.torque, 0)
        found = self.kuibit.get_total_angular_momentum_z(self.period).y[-1]
        own = self.own().integrated(2 * np.pi / self.period, 0.0).angular_momentum()[2, -1]
        self.assertLess(abs(own / self.torque - 1), 1e-6)
        self.assertLess(abs(-found / self.torque - 1), 1e-6)

    def test_momentum(self):
        found = [getattr(self.kuibit, f"get_total_linear_momentum_{axis}")(self.period).y[-1] for axis in "xyz"]
        own = self.own().integrated(2 * np.pi / self.period, 0.0).momentum()[:, -1]
        self.assertGreater(np.abs(own).min(), 1e-6)  # (3, 3) gives components across the axis
        np.testing.assert_allclose(own, found, rtol=0, atol=1e-6 * np.abs(own).max())

    def test_strain(self):
        exact = self.bursts[2, 2].derivatives(self.time - self.start)[0]
        for found in (self.kuibit.get_strain_lm(2, 2, self.period).y,
                      self.own().integrated(2 * np.pi / self.period, 0.0).strain[2, 2]):
            self.assertLess(np.abs(found - exact).max(), 1e-2 * np.abs(exact).max())

    def test_frequencies(self):
        self.assertLess(abs(self.frequency[2] - (0.526677 - 0.081291j)), 1e-6)
        self.assertLess(abs(self.frequency[4] - (1.130837 - 0.084847j)), 1e-6)
        sphere = self.own()
        for mode in (2, 3, 4):
            found = waves.fit_ringdown(sphere.time, sphere.modes[mode, mode])
            self.assertLess(abs(found.frequency / self.frequency[mode] - 1), 1e-4)
            phase = self.kuibit[(mode, mode)].unfolded_phase()
            self.assertLess(abs(-phase.differentiated()(self.start + 40.0) / self.frequency[mode].real - 1), 1e-4)

    def test_harmonics(self):
        for l in range(2, 9):
            for m in range(-l, l + 1):
                self.assertLess(abs(sYlm(-2, l, m, 0.7, 0.3) - harmonic(l, m, 0.7, 0.3)), 1e-12)


if __name__ == "__main__":
    unittest.main(verbosity=2)
