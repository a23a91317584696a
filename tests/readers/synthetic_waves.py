# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Synthetic waves for tests: harmonics by their sums, ringdowns with known derivatives, and files as the program writes them."""
import os
from math import factorial

import numpy as np

HEADER = """# Psi4 on the sphere of radius {radius:.2f} about the domain's centre: mode l = {l}, m = {m} of spin weight -2
# sign: Psi4 = +d^2/dt^2 (h_plus - i h_cross), opposite to history.csv
# harmonics: Ajith et al. 2007, arXiv:0709.0093, eq. II.7
# 1: time  2: real part [1 / length^2]  3: imaginary part
"""


def harmonic(l, m, theta, phi, s=2):
    """-sY_lm of Ajith et al. (2007), eqs. II.7 and II.8, as they stand. theta may be complex."""
    total = 0
    for k in range(max(0, m - s), min(l + m, l - s) + 1):
        size = np.sqrt(float(factorial(l + m) * factorial(l - m) * factorial(l + s) * factorial(l - s)))
        size /= factorial(l + m - k) * factorial(l - s - k) * factorial(k) * factorial(k + s - m)
        total = total + (-1) ** k * size * np.cos(theta / 2) ** (2 * l + m - s - 2 * k) * np.sin(theta / 2) ** (2 * k + s - m)
    return np.sqrt((2 * l + 1) / (4 * np.pi)) * total * np.exp(1j * m * phi)


class Burst:
    """h = a exp(-i w t) / (1 + exp(-t / rise)), t since the start: a ringdown that sets in smoothly."""

    def __init__(self, amplitude, w, rise=1.0):
        self.amplitude, self.w, self.rise = amplitude, w, rise

    def derivatives(self, time):
        """Returns h, dh/dt and d^2h/dt^2."""
        step = 0.5 * (1 + np.tanh(0.5 * time / self.rise))
        first = step * (1 - step) / self.rise
        second = first * (1 - 2 * step) / self.rise
        # Before the onset h falls like exp((1 / rise + w_i) t); the plain exponential would overflow.
        wave = self.amplitude * np.exp(-1j * self.w * np.clip(time, -30 * self.rise, None))
        k = -1j * self.w
        return wave * step, wave * (first + k * step), wave * (second + 2 * k * first + k ** 2 * step)


def write(directory, radius, time, modes):
    """Writes the modes of Psi4, complex arrays by (l, m), as the program does."""
    os.makedirs(os.path.join(directory, "waves"), exist_ok=True)
    for (l, m), values in modes.items():
        with open(os.path.join(directory, f"waves/mp_psi4_l{l}_m{m}_r{radius:.2f}.asc"), "w", encoding="utf-8") as stream:
            stream.write(HEADER.format(radius=radius, l=l, m=m))
            np.savetxt(stream, np.stack([time, values.real, values.imag], 1), fmt="%.17g")
