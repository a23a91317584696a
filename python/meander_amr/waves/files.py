# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reader of waves/mp_psi4_l2_m2_r100.00.asc, the modes of Psi4 on spheres."""
import os
import re
from dataclasses import dataclass

import numpy as np

from meander_amr.errors import DEFECTS, FileError, needs, open_text
from meander_amr.waves.integration import Wave, fixed_frequency, tapered

NAME = re.compile(r"mp_psi4_l(\d+)_m(-?\d+)_r([0-9.]+)\.asc", re.IGNORECASE)
SIGN = "sign: Psi4 = +d^2/dt^2"


@dataclass
class Sphere:
    """Psi4 on one sphere. time: [rows], uniform; modes: complex [rows] by (l, m)."""
    radius: float
    time: np.ndarray
    modes: dict

    def after(self, start):
        """Returns the sphere without the rows before the time `start`."""
        kept = self.time >= start
        return Sphere(self.radius, self.time[kept], {mode: values[kept] for mode, values in self.modes.items()})

    def scaled(self):
        """Returns Psi4 times the radius, by mode."""
        return {mode: self.radius * values for mode, values in self.modes.items()}

    def integrated(self, lowest=0.1, taper=50.0):
        """Returns the Wave: news and strain times the radius, by fixed-frequency integration (Reisswig and Pollney 2011, arXiv:1006.1632).

        lowest: the least physical frequency of modes with |m| <= 1, of others times |m|; taper: time over which both ends rise from 0.
        """
        return integrate(self.time, self.scaled(), lowest, taper)


def integrate(time, modes, lowest, taper):
    """Returns the Wave of modes of Psi4 times the radius. See Sphere.integrated."""
    news, strain = {}, {}
    for (l, m), values in modes.items():
        smooth, least = tapered(time, values, taper), lowest * max(abs(m), 1)
        news[l, m] = fixed_frequency(time, smooth, least, 1)
        strain[l, m] = fixed_frequency(time, smooth, least, 2)
    return Wave(time, news, strain)


@dataclass
class Psi4:
    """Psi4 of a run. spheres: Sphere by radius, ascending."""
    path: str
    spheres: dict


def read_rows(path):
    """Returns times [rows] and values, complex [rows], of one file."""
    with open_text(path) as stream:
        lines = stream.read().split("\n")
    if not any(line.startswith("#") and SIGN in line for line in lines[:10]):
        raise FileError(f"{path}: does not state the sign of Psi4 as Meander's files do")
    if lines[-1]:
        lines.pop()  # the last line of a running or killed run may be incomplete
    try:
        rows = np.array([line.split() for line in lines if line and not line.startswith("#")], float).reshape(-1, 3)
    except DEFECTS as error:
        raise FileError(f"{path}: has no rows of time, real and imaginary part ({error})") from error
    if not np.all(np.isfinite(rows)) or np.any(np.diff(rows[:, 0]) <= 0):
        raise FileError(f"{path}: has numbers that are not finite, or times that do not ascend")
    return rows[:, 0], rows[:, 1] + 1j * rows[:, 2]


def read(directory):
    """Returns the Psi4 of a run's directory. Raises FileError if there is none.

    Steps do not end at multiples of diagnostics.psi4-every: rows are interpolated to uniform times, of the mean interval, by cubic splines.
    """
    folder = os.path.join(directory, "waves")
    folder = folder if os.path.isdir(folder) else directory
    found = {}
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else []):
        parts = NAME.fullmatch(name)
        if parts:
            found.setdefault(float(parts[3]), {})[int(parts[1]), int(parts[2])] = os.path.join(folder, name)
    if not found:
        raise FileError(f"{directory}: has no files waves/mp_psi4_*.asc, which runs with diagnostics.psi4-every write")
    spline = needs("scipy.interpolate", "reading waves").CubicSpline
    spheres = {}
    for radius in sorted(found):
        rows = {mode: read_rows(path) for mode, path in sorted(found[radius].items())}
        first = next(iter(rows.values()))[0]
        if len(first) < 4:
            raise FileError(f"{found[radius][next(iter(rows))]}: has {len(first)} rows, of which waves need 4")
        for mode, (time, _) in rows.items():
            if not np.array_equal(time, first):
                raise FileError(f"{found[radius][mode]}: has other times than the other modes at this radius")
        uniform = np.linspace(first[0], first[-1], len(first))
        spheres[radius] = Sphere(radius, uniform, {mode: spline(time, values)(uniform) for mode, (time, values) in rows.items()})
    return Psi4(directory, spheres)
