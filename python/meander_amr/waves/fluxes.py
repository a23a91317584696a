# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Energy and momenta that gravitational waves carry through a sphere per unit time, from their modes (Ruiz, Alcubierre, Nunez and Takahashi 2008,
arXiv:0707.4654).

Arguments: news and strain, that is, the first and second integral over time of Psi4 = +d^2/dt^2 (h_plus - i h_cross), times the radius: complex arrays by (l, m). Modes
that are not there count as 0.
"""
from math import sqrt

import numpy as np


def energy(news):
    """Returns dE/dt: sum |N|^2 / 16 pi."""
    return sum(np.abs(values) ** 2 for values in news.values()) / (16 * np.pi)


def angular_momentum(strain, news):
    """Returns dJ/dt: [3, ...]."""
    def conjugate(l, m):
        return np.conj(news[l, m]) if (l, m) in news else 0.0

    total = np.zeros((3,) + np.shape(next(iter(news.values()))))
    for (l, m), h in strain.items():
        up = sqrt(l * (l + 1) - m * (m + 1)) * conjugate(l, m + 1)
        down = sqrt(l * (l + 1) - m * (m - 1)) * conjugate(l, m - 1)
        total[0] += 0.5 * np.imag(h * (up + down))
        total[1] -= 0.5 * np.real(h * (up - down))
        total[2] += m * np.imag(h * conjugate(l, m))
    return total / (16 * np.pi)


def momentum(news):
    """Returns dP/dt: [3, ...]."""
    def conjugate(l, m):
        return np.conj(news[l, m]) if (l, m) in news else 0.0

    def a(l, m):
        return sqrt((l - m) * (l + m + 1)) / (l * (l + 1))

    def b(l, m):
        return sqrt((l - 2) * (l + 2) * (l + m) * (l + m - 1) / ((2 * l - 1) * (2 * l + 1))) / (2 * l)

    def d(l, m):
        return sqrt((l - 2) * (l + 2) * (l - m) * (l + m) / ((2 * l - 1) * (2 * l + 1))) / l

    across, along = 0.0, 0.0
    for (l, m), n in news.items():
        across = across + n * (a(l, m) * conjugate(l, m + 1) + b(l, -m) * conjugate(l - 1, m + 1)
                               - b(l + 1, m + 1) * conjugate(l + 1, m + 1))
        along = along + n * (2 * m / (l * (l + 1)) * conjugate(l, m) + d(l, m) * conjugate(l - 1, m)
                             + d(l + 1, m) * conjugate(l + 1, m))
    return np.array([2 * np.real(across), 2 * np.imag(across), np.real(along)]) / (16 * np.pi)
