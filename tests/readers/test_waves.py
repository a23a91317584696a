# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Waves of meander_amr: fluxes against integrals over the sphere, integration in time, infinity, ringdown, table and picture."""
import contextlib
import io
import os
import re
import tempfile
import unittest

import numpy as np

from meander_amr import FileError, command, plot, waves
from meander_amr.waves import fluxes, table
from synthetic_waves import HEADER, Burst, harmonic, write

MODES = [(l, m) for l in range(2, 7) for m in range(-l, l + 1)]


def random_modes(seed):
    random = np.random.default_rng(seed)
    return {mode: random.normal(size=3) + 1j * random.normal(size=3) for mode in MODES}


def sphere():
    x, weight = np.polynomial.legendre.leggauss(16)
    phi = np.arange(32) * np.pi / 16
    theta, phi = (grid.ravel() for grid in np.meshgrid(np.arccos(x), phi, indexing="ij"))
    return theta, phi, np.repeat(weight, 32) * np.pi / 16


class Fluxes(unittest.TestCase):
    """Sums over modes, against integrals of |news|^2 and of rotated strains, with random modes up to l = 6."""

    def setUp(self):
        self.news, self.strain = random_modes(1), random_modes(2)
        self.theta, self.phi, self.weight = sphere()

    def field(self, modes, by=harmonic):
        return sum(np.outer(by(l, m, self.theta, self.phi), values) for (l, m), values in modes.items())

    def over_sphere(self, density):
        return self.weight @ density / (16 * np.pi)

    def close(self, found, expected):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())

    def test_energy(self):
        self.close(fluxes.energy(self.news), self.over_sphere(np.abs(self.field(self.news)) ** 2))

    def test_momentum(self):
        n = np.stack([np.sin(self.theta) * np.cos(self.phi), np.sin(self.theta) * np.sin(self.phi), np.cos(self.theta)])
        square = np.abs(self.field(self.news)) ** 2
        self.close(fluxes.momentum(self.news), np.stack([self.over_sphere(across[:, None] * square) for across in n]))

    def test_angular_momentum(self):
        # dJ/dt = -(1 / 16 pi) Re int (J_i h) N*, J_i the generators of rotations on fields of spin weight -2.
        tiny = 1e-30
        along = self.field(self.strain, lambda l, m, theta, phi: (
            harmonic(l, m, theta + 1j * tiny, 0.0).imag / tiny * np.exp(1j * m * phi)))
        around = self.field(self.strain, lambda l, m, theta, phi: 1j * m * harmonic(l, m, theta, phi))
        sine, cosine = (f(self.phi)[:, None] for f in (np.sin, np.cos))
        turn = (around * np.cos(self.theta)[:, None] - 2j * self.field(self.strain)) / np.sin(self.theta)[:, None]
        rotated = [-sine * along - cosine * turn, cosine * along - sine * turn, around]
        self.close(fluxes.angular_momentum(self.strain, self.news),
                   np.stack([-self.over_sphere(np.real(part * np.conj(self.field(self.news)))) for part in rotated]))

    def test_missing_modes_count_as_zero(self):
        few = {mode: values for mode, values in self.news.items() if mode in ((2, 2), (3, 2), (3, 3))}
        full = {mode: values if mode in few else 0 * values for mode, values in self.news.items()}
        self.close(fluxes.momentum(few), fluxes.momentum(full))
        self.close(fluxes.angular_momentum(few, few), fluxes.angular_momentum(full, full))


class Integration(unittest.TestCase):
    def test_of_a_packet_is_exact(self):
        time = np.arange(-200, 200, 0.2)
        k = -0.4j - time / 15 ** 2  # h = exp(-0.4 i t - t^2 / (2 15^2)), h' = k h
        h = np.exp(-0.4j * time - time ** 2 / (2 * 15 ** 2))
        psi4 = (k ** 2 - 1 / 15 ** 2) * h
        self.assertLess(np.abs(waves.fixed_frequency(time, psi4, 0.02, 1) - k * h).max(), 1e-7)
        self.assertLess(np.abs(waves.fixed_frequency(time, psi4, 0.02, 2) - h).max(), 1e-6)

    def test_slow_drifts_are_damped(self):
        time = np.arange(0, 400, 0.2)
        slow = 2 * np.pi / 400
        found = waves.fixed_frequency(time, 1e-3 + 1e-3 * np.cos(slow * time), 0.1, 2)  # integrated plainly: 1e-3 / slow^2 = 4
        np.testing.assert_allclose(found, -1e-3 / 0.1 ** 2 * np.cos(slow * time), rtol=0, atol=1e-12)

    def test_tapers_rise_from_zero(self):
        time = np.arange(0, 100, 0.5)
        window = waves.tapered(time, np.ones_like(time), 20)
        self.assertEqual((window[0], window[-1]), (0, 0))
        np.testing.assert_array_equal(window[40:-40], 1)
        self.assertTrue(np.all(np.diff(window[:41]) > 0))


def flat_sphere(radius, l, times=np.arange(-300, 500, 0.25)):
    """r Psi4 of an outgoing wave in flat space is F''(u) + (l - 1)(l + 2) / 2r F'(u) + O(1 / r^2); the term of second order is made up."""
    u = times - radius
    k = -0.5j - u / 20 ** 2
    f = np.exp(-0.5j * u - u ** 2 / (2 * 20 ** 2))
    a = (l - 1) * (l + 2) / 2
    b = a * (l - 2) * (l + 3) / 4
    return waves.Sphere(radius, times, {(l, 2): ((k ** 2 - 1 / 20 ** 2) * f + a / radius * k * f + b / radius ** 2 * f) / radius})


class Infinity(unittest.TestCase):
    def error(self, far, l):
        u = far.time
        exact = ((-0.5j - u / 20 ** 2) ** 2 - 1 / 20 ** 2) * np.exp(-0.5j * u - u ** 2 / (2 * 20 ** 2))
        return np.abs(far.modes[l, 2] - exact).max()

    def test_one_sphere_in_flat_space_leaves_second_order(self):
        for l in (2, 3):
            errors = [self.error(waves.perturbative(flat_sphere(radius, l), 0.0, 0.02), l) for radius in (50, 100)]
            self.assertAlmostEqual(np.log2(errors[0] / errors[1]), 2, delta=0.15)

    def test_fits_leave_an_order_more_than_theirs(self):
        errors = [self.error(waves.fitted([flat_sphere(scale * radius, 3) for radius in (50, 60, 80)], 0.0, 1), 3) for scale in (1, 2)]
        self.assertGreater(np.log2(errors[0] / errors[1]), 1.8)
        self.assertLess(errors[0], 3e-3)
        # The waves end with the second order. What is left is the interpolation in time.
        self.assertLess(self.error(waves.fitted([flat_sphere(radius, 3) for radius in (50, 60, 70, 80)], 0.0), 3), 1e-5)

    def test_a_hole_delays_and_dims(self):
        areal, w = 101.0025, 2 * np.pi / 10
        time = np.arange(0, 100, 0.5)
        wave = np.exp(-1j * w * time)
        sphere = waves.perturbative(waves.Sphere(100.0, time, {(3, 2): wave}), 1.0)
        self.assertAlmostEqual(waves.areal_radius(100.0, 1.0), areal)
        self.assertAlmostEqual(sphere.time[0], -areal - 2 * np.log(areal / 2 - 1))
        np.testing.assert_allclose(sphere.modes[3, 2], (1 - 2 / areal) * (areal - 10 / 2 / (-1j * w)) * wave, atol=1e-9)

    def test_ends_of_a_series_do_not_jump(self):
        w = 2 * np.pi / 10
        time = np.arange(0, 303, 0.5)  # 30.3 periods
        wave = np.exp(-1j * w * time)
        areal = waves.areal_radius(10.0, 0.0)
        exact = (areal - 10 / 2 / (-1j * w)) * wave
        middle = slice(200, 400)
        errors = [np.abs(waves.perturbative(waves.Sphere(10.0, time, {(3, 2): wave}), 0.0, 0.05, taper).modes[3, 2] - exact)[middle].max()
                  for taper in (0.0, 50.0)]
        self.assertGreater(errors[0], 0.01)
        self.assertLess(errors[1], 0.1 * errors[0])

    def test_too_few_spheres(self):
        with self.assertRaisesRegex(ValueError, "needs 2 radii, but there are 1"):
            waves.fitted([flat_sphere(50, 2)], 1.0)


class Ringdowns(unittest.TestCase):
    w = 0.373672 - 0.088962j

    def test_circular_and_linear_waves(self):
        time = np.arange(-50, 100, 0.5)
        for values in (Burst(1.0, self.w).derivatives(time)[2], Burst(1.0, self.w).derivatives(time)[2].real + 0j):
            found = waves.fit_ringdown(time, values)
            self.assertLess(abs(found.frequency / self.w - 1), 1e-6)
            self.assertLess(found.residual, 1e-5)

    def test_noise_shows_in_the_residual(self):
        time = np.arange(-50, 100, 0.5)
        values = Burst(1.0, self.w).derivatives(time)[2]
        noise = 0.02 * np.abs(values[time > 15]).max() * np.random.default_rng(1).normal(size=len(time))
        found = waves.fit_ringdown(time, values + noise)
        self.assertLess(abs(found.frequency / self.w - 1), 0.05)
        self.assertGreater(found.residual, 0.01)

    def test_the_fit_settles_after_an_overtone_and_before_the_noise(self):
        # Beside the lowest mode of a Schwarzschild hole its first overtone, which is as strong 5 M after the largest magnitude, and noise.
        time = np.arange(-50, 120, 0.25)
        overtone = 0.346711 - 0.273915j
        after = np.where(time > 0, np.exp(-1j * self.w * time) + 2.5 * np.exp(-1j * overtone * time), 0)
        values = np.where(time > 0, after, 3.5 * np.exp(-time ** 2 / 50))
        for seed in range(3):
            random = np.random.default_rng(seed)
            noisy = values + 1e-4 * (random.normal(size=len(time)) + 1j * random.normal(size=len(time)))
            early, settled = waves.fit_ringdown(time, noisy), waves.settled_ringdown(time, noisy)
            error = settled.frequency - self.w
            self.assertGreater(settled.start, 17)
            self.assertLess(abs(error), min(5e-4, 0.5 * abs(early.frequency - self.w)))
            self.assertLess(abs(error), 3 * abs(settled.spread))

    def test_any_unit_of_mass(self):
        time = np.arange(-50, 100, 0.1)
        for mass in (0.02, 20.0):
            for w in (self.w, 0.809178 - 0.094164j):  # l = 2 and l = 4
                found = waves.settled_ringdown(mass * time, Burst(1.0, w).derivatives(time)[2], mass)
                self.assertLess(abs(mass * found.frequency / w - 1), 1e-6)

    def test_neighbouring_starts_agree_on_an_oscillation_alone(self):
        time = np.arange(-50, 100, 0.5)
        found = waves.settled_ringdown(2 * time, Burst(1.0, self.w).derivatives(time)[2], 2.0)
        self.assertLess(abs(2 * found.frequency / self.w - 1), 1e-6)
        self.assertLess(abs(found.spread), 1e-6)
        self.assertAlmostEqual(found.end - found.start, 60, delta=1)
        with self.assertRaisesRegex(ValueError, "end before 40 after"):
            waves.settled_ringdown(time[time < 34], Burst(1.0, self.w).derivatives(time[time < 34])[2])

    def test_the_table_takes_what_a_series_allows(self):
        def found(end, step):
            time = np.arange(-50, end, step)
            return table.ringdown_of([waves.Sphere(50.0, time, {(2, 0): Burst(1.0, self.w).derivatives(time)[2]})], (2, 0), 1.0)
        self.assertLess(abs(found(100, 0.5).spread), 1e-6)
        self.assertTrue(np.isnan(found(50, 0.5).spread))
        self.assertLess(abs(found(50, 0.5).frequency / self.w - 1), 1e-6)
        self.assertIsNone(found(100, 5.0))

    def test_a_series_that_ends_early(self):
        time = np.arange(-50, 17, 0.5)
        with self.assertRaisesRegex(ValueError, "end before 15 to 45 after"):
            waves.fit_ringdown(time, Burst(1.0, self.w).derivatives(time)[2])


class Command(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.run = self.scratch.name
        time = np.arange(0, 400, 0.5)
        for radius in (40.0, 60.0):
            jitter = time + 0.1 * np.sin(time)  # steps of the program do not end at multiples
            burst = Burst(1e-2, Ringdowns.w).derivatives(waves.retarded_time(jitter, radius, 1.0) - 60)[2] / waves.areal_radius(radius, 1.0)
            write(self.run, radius, jitter, {(2, m): burst if m == 0 else 0 * burst for m in range(-2, 3)})

    def output_of(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as complaint:
            code = command.main([self.run, "--show", "waves", *arguments])
        return code, said.getvalue(), complaint.getvalue()

    def test_table_and_picture(self):
        code, said, _ = self.output_of("--lowest", "0.02")
        self.assertEqual(code, 0)
        lines = said.splitlines()
        self.assertEqual(lines[-1], os.path.join(self.run, "waves.png"))
        with open(lines[-1], "rb") as stream:
            self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n")
        energies = {line[:18].strip(): float(line.split()[-7]) for line in lines[1:5]}
        self.assertEqual(list(energies), ["40", "60", "infinity (Nakano)", "infinity (1/R fit)"])
        fine = np.arange(-100, 300, 0.01)
        news = Burst(1e-2, Ringdowns.w).derivatives(fine)[1]
        energy = np.sum(np.abs(news) ** 2) * 0.01 / (16 * np.pi)
        self.assertAlmostEqual(energies["60"] / energy, (60 / waves.areal_radius(60.0, 1.0)) ** 2, delta=2e-3)
        self.assertAlmostEqual(energies["infinity (1/R fit)"] / energy, 1, delta=2e-3)
        self.assertIn("energies at infinity differ by", said)
        self.assertRegex(said, r"ringdown l = 2, m = 0: w = 0\.3736\d\d -0\.08[89]\d+ i")

    def add_sphere(self, radius):
        time = np.arange(0, 400, 0.5)
        burst = Burst(1e-2, Ringdowns.w).derivatives(waves.retarded_time(time, radius, 1.0) - 100)[2] / waves.areal_radius(radius, 1.0)
        write(self.run, radius, time, {(2, m): burst if m == 0 else 0 * burst for m in range(-2, 3)})

    def test_spheres_that_the_signal_has_not_passed_are_left_out(self):
        complete = waves.report(waves.read(self.run), taper=4.0, junk=20.0)
        for radius in (290.0, 350.0, 379.0):  # the signal is on its way through the first, the last has two rows after the junk
            self.add_sphere(radius)
        found = waves.report(waves.read(self.run), taper=4.0, junk=20.0)
        self.assertEqual((complete.left_out, found.left_out), ([], [290.0, 350.0, 379.0]))
        self.assertEqual(found.lines()[:5], complete.lines()[:5])
        code, said, _ = self.output_of("--taper", "4", "--junk", "20")
        self.assertEqual(code, 0)
        self.assertIn("left out, because the signal has not passed them: 290, 350\n"
                      "left out, because they have too few rows: 379\n", said)
        self.run = os.path.join(self.run, "goes-on")
        self.add_sphere(290.0)
        self.assertEqual(list(waves.report(waves.read(self.run)).waves)[0], "290")  # better than nothing

    def test_the_ringdown_is_fitted_where_it_is_complete(self):
        self.add_sphere(260.0)  # the run ends before the ringdown has passed
        found = waves.report(waves.read(self.run)).ringdowns[2, 0]
        self.assertLess(found.end, 200)
        self.assertLess(abs(found.frequency / Ringdowns.w - 1), 1e-2)

    def test_the_example_of_the_package(self):
        example = "".join(line[4:] + "\n" for line in waves.__doc__.splitlines() if line.startswith("    "))
        names = {}
        exec(example.replace("output/head-on-001", self.run), names)  # pylint: disable=exec-used
        self.assertLess(abs(names["ringdown"].frequency / Ringdowns.w - 1), 1e-2)
        for method in re.findall(r"wave\.(\w+)\(\)", example):
            self.assertTrue(callable(getattr(names["wave"], method)), method)

    def test_tapers(self):
        energies = [float(self.output_of(*arguments)[1].splitlines()[1].split()[1])
                    for arguments in ((), ("--junk", "52"), ("--junk", "52", "--taper", "4"))]
        self.assertLess(energies[1], 0.5 * energies[0])  # the signal begins within the taper of 50 M
        self.assertAlmostEqual(energies[2] / energies[0], 1, delta=0.02)
        self.assertIn("must be a finite number greater than 0", self.refused("--taper", "0"))

    def refused(self, *arguments):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as complaint:
            command.main([self.run, "--show", "waves", *arguments])
        return complaint.getvalue()

    def test_complaints(self):
        self.assertIn("needs 8 rows after the junk, but of 800 only 0 are left", self.output_of("--junk", "1000")[2])
        with open(os.path.join(self.run, "waves/mp_psi4_l2_m-2_r40.00.asc"), "w", encoding="utf-8") as stream:
            stream.write("0 1 2\n")
        self.assertIn("does not state the sign", self.output_of()[2])
        file = os.path.join(self.run, "waves/mp_psi4_l2_m-2_r40.00.asc")
        for content, defect in ((b"# \xff\xfe\n", "is no text file (byte 2 is no text)"),
                                (HEADER.encode() + b"0 1 2\n1 2 z\n", "has no rows of time, real and imaginary part "
                                 "(line 6, column imaginary part: 'z' is no number)"),
                                (HEADER.encode() + b"0 1\n", "has no rows of time, real and imaginary part (line 5: has 2 columns)"),
                                (HEADER.encode() + b"0 1 2\n0 1 2\n", "has no rows of time, real and imaginary part "
                                 "(line 6: a number is not finite, or the time does not ascend)")):
            with open(file, "wb") as stream:
                stream.write(content)
            self.assertEqual(self.output_of(), (2, "", f"meander-plot: {file}: {defect}\n"))
        self.run = os.path.join(self.run, "waves/nothing")
        code, _, complaint = self.output_of()
        self.assertEqual((code, complaint[:14]), (2, "meander-plot: "))
        self.assertIn("waves/nothing: is no directory of a run", complaint)
        os.mkdir(self.run)
        self.assertIn("has no files waves/mp_psi4", self.output_of()[2])

    def keep_rows(self, kept, *names):
        """Keeps only some rows, a slice, of the files of modes and radii such as "m0_r40"."""
        for name in names:
            path = os.path.join(self.run, f"waves/mp_psi4_l2_{name}.00.asc")
            with open(path, encoding="utf-8") as stream:
                lines = stream.readlines()
            with open(path, "w", encoding="utf-8") as stream:
                stream.writelines(lines[:4] + lines[4:][kept])

    def test_modes_are_reduced_to_the_rows_that_all_have(self):
        self.keep_rows(slice(700), "m-1_r40", "m0_r40")  # as of a run that is killed while it writes
        killed = waves.read(self.run)
        code, said, _ = self.output_of()
        self.assertEqual(code, 0)
        end = 349.5 + 0.1 * np.sin(349.5)
        self.assertIn(f"\nrows left out, because some modes end earlier: after t = {end:g} (r = 40)\n", said)
        self.assertNotIn("modes left out", said)
        self.keep_rows(slice(700), "m-2_r40", "m1_r40", "m2_r40")
        equal = waves.read(self.run)
        self.assertEqual((equal.notes(), len(equal.spheres[40.0].time)), ([], 700))
        for radius, sphere in equal.spheres.items():
            np.testing.assert_array_equal(killed.spheres[radius].time, sphere.time)
            for mode, values in sphere.modes.items():
                np.testing.assert_array_equal(killed.spheres[radius].modes[mode], values)

    def test_modes_that_would_cost_others_their_rows_are_left_out(self):
        before, time = self.output_of()[1].splitlines(), np.arange(0, 400, 0.5)
        time = time + 0.1 * np.sin(time)
        for radius in (40.0, 60.0):  # as of restarts with another psi4-l-max: raised at row 20, lowered at row 300
            write(self.run, radius, time[20:], {(3, m): np.ones(780, complex) for m in range(-3, 4)})
        write(self.run, 40.0, time[:300], {(4, m): np.ones(300, complex) for m in (-1, 2)})
        write(self.run, 40.0, time[:0], {(5, 0): np.zeros(0, complex)})
        code, said, _ = self.output_of()
        self.assertEqual(code, 0)
        note = ("modes left out, because they begin at another time, have too few rows or no file: "
                "l = 3, l = 4 with m = -1 2, l = 5 with m = 0 (r = 40, 60)")
        self.assertEqual(said.splitlines(), before[:5] + [note] + before[5:])
        self.assertEqual(set(waves.read(self.run).spheres[40.0].modes), {(2, m) for m in range(-2, 3)})

    def test_a_mode_may_be_missing_at_a_radius(self):
        self.add_sphere(260.0)  # the run ends before the ringdown has passed
        psi4 = waves.read(self.run)
        os.remove(os.path.join(self.run, "waves/mp_psi4_l2_m0_r60.00.asc"))
        code, said, _ = self.output_of()
        self.assertEqual(code, 0)
        self.assertIn("too few rows or no file: l = 2 with m = 0 (r = 60)\n", said)
        self.assertRegex(said, r"ringdown l = 2, m = 0: w = 0\.3736\d\d -0\.08[89]\d+ i")
        # Without a common mode there is no fit, and one sphere alone has the mode whose magnitude is drawn.
        for radius, m in ((40.0, 0), (60.0, 1), (260.0, 2)):
            psi4.spheres[radius].modes = {(2, m): psi4.spheres[radius].modes[2, 0]}
        report = waves.report(psi4, lowest=0.02)
        self.assertEqual(list(report.waves), ["40", "60", "260", "infinity (Nakano)"])
        self.assertEqual(len(plot.waveforms(psi4, report)[2].lines), 1)

    def test_too_few_rows(self):
        names = [f"m{m}_r{{}}" for m in range(-2, 3)]
        outer = [name.format(60) for name in names]
        self.keep_rows(slice(7), *outer)
        code, said, _ = self.output_of()
        self.assertEqual((code, said.splitlines()[-3]), (0, "left out, because they have too few rows: 60"))
        self.keep_rows(slice(3), *outer)
        code, said, _ = self.output_of()
        self.assertEqual(code, 0)
        self.assertIn("have too few rows or no file: all modes (r = 60)\n", said)
        inner = [name.format(40) for name in names]
        self.keep_rows(slice(6), *inner)
        for arguments in ((), ("--junk", "-50")):  # no junk, and one that ends before the first row
            code, _, complaint = self.output_of(*arguments)
            self.assertEqual(code, 2)
            self.assertEqual(complaint, f"meander-plot: {self.run}: radius 40: the table needs 8 rows that its modes have in "
                                        "common, but there are only 6\n")
        self.keep_rows(slice(3), *inner)
        code, _, complaint = self.output_of()
        self.assertEqual(code, 2)
        self.assertEqual(complaint, f"meander-plot: {self.run}: waves need 4 rows that the modes of a radius have in "
                                    "common, but no radius has more than 3\n")

    def test_an_incomplete_last_line_is_ignored(self):
        before = waves.read(self.run).spheres[40.0]
        with open(os.path.join(self.run, "waves/mp_psi4_l2_m0_r40.00.asc"), "a", encoding="utf-8") as stream:
            stream.write("400.3 0.1")
        np.testing.assert_array_equal(waves.read(self.run).spheres[40.0].modes[2, 0], before.modes[2, 0])
        with self.assertRaises(FileError):
            waves.read(self.run + "/waves/nothing")


if __name__ == "__main__":
    unittest.main(verbosity=2)
