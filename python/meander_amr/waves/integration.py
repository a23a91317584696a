# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Integrals of Psi4 over time, and what the waves carry away."""
from dataclasses import dataclass

import numpy as np

from meander_amr.waves import fluxes


def tapered(time, values, length):
    """Returns values that rise from 0 and fall to 0 within `length` at both ends, at most a quarter of the series, as
    sin^2."""
    length = min(length, 0.25 * (time[-1] - time[0]))
    if length <= 0:
        return values
    distance = np.minimum(time - time[0], time[-1] - time) / length
    return values * np.sin(0.5 * np.pi * np.clip(distance, 0, 1)) ** 2


def fixed_frequency(time, values, lowest, order):
    """Returns the integral over time, of the given order, of values at uniform times: in the Fourier transform, each integral divides by i w, where
    frequencies |w| below `lowest`, which is > 0, count as `lowest` (Reisswig and Pollney 2011, arXiv:1006.1632, eq. 27)."""
    w = 2 * np.pi * np.fft.fftfreq(len(time), time[1] - time[0])
    factor = (np.sign(w) / (1j * np.maximum(np.abs(w), lowest))) ** order
    return np.fft.ifft(factor * np.fft.fft(values))


def cumulative(time, rates):
    """Returns the integral of rates [..., rows] from the first time on, by the trapezoidal rule."""
    steps = 0.5 * (rates[..., 1:] + rates[..., :-1]) * np.diff(time)
    return np.concatenate([np.zeros_like(rates[..., :1]), np.cumsum(steps, axis=-1)], axis=-1)


@dataclass
class Wave:
    """time: [rows]; news and strain: the first and second integral of the radius times Psi4, complex [rows] by (l, m)."""
    time: np.ndarray
    news: dict
    strain: dict

    def energy(self):
        """Returns the energy radiated until each time: [rows]."""
        return cumulative(self.time, fluxes.energy(self.news))

    def angular_momentum(self):
        """Returns the angular momentum radiated until each time: [3, rows]."""
        return cumulative(self.time, fluxes.angular_momentum(self.strain, self.news))

    def momentum(self):
        """Returns the linear momentum radiated until each time: [3, rows]."""
        return cumulative(self.time, fluxes.momentum(self.news))
