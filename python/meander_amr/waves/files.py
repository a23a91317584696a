# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reader of waves/mp_psi4_l2_m2_r100.00.asc, the modes of Psi4 on spheres."""
import functools
import os
import re
from dataclasses import dataclass, field

import numpy as np

from meander_amr.errors import Defect, FileError, needs, read_text, reading
from meander_amr.tables import numbers
from meander_amr.waves.integration import Wave, fixed_frequency, tapered

NAME = re.compile(r"mp_psi4_l(\d+)_m(-?\d+)_r([0-9.]+)\.asc", re.IGNORECASE)
COLUMNS = ("time", "real part", "imaginary part")
SIGN = "sign: Psi4 = +d^2/dt^2"
LEAST_ROWS = 4  # of a cubic spline
LEAST_SHARE = 0.5  # of the rows of the longest mode at a radius; modes with fewer are left out


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
    """Psi4 of a run. spheres: Sphere by radius, ascending.

    left_out: by radius, modes (l, m) of the run that its Sphere lacks; at a radius without a Sphere, all of them.
    shortened: by radius, the time after which only some modes have rows, which are left out.
    """
    path: str
    spheres: dict
    left_out: dict = field(default_factory=dict)
    shortened: dict = field(default_factory=dict)

    def notes(self):
        """Returns lines of text on modes and rows that are left out."""
        lines = []
        if self.left_out:
            names = {radius: mode_names(modes) if radius in self.spheres else "all modes"
                     for radius, modes in self.left_out.items()}
            why = "they begin at another time, have too few rows or no file"
            lines.append(f"modes left out, because {why}: {at_radii(names)}")
        if self.shortened:
            ends = {radius: f"after t = {time:g}" for radius, time in self.shortened.items()}
            lines.append(f"rows left out, because some modes end earlier: {at_radii(ends)}")
        return lines


def mode_names(modes):
    """Returns modes (l, m) as words, without m where all modes of an l are among them."""
    orders = {}
    for l, m in sorted(modes):
        orders.setdefault(l, []).append(m)
    return ", ".join(f"l = {l}" + ("" if len(found) == 2 * l + 1 else f" with m = {' '.join(map(str, found))}")
                     for l, found in orders.items())


def at_radii(words):
    """Returns one text of words by radius. Radii with the same words share them."""
    radii = {}
    for radius in sorted(words):
        radii.setdefault(words[radius], []).append(f"{radius:g}")
    return "; ".join(f"{text} (r = {', '.join(found)})" for text, found in radii.items())


def read_rows(path):
    """Returns times [rows] and values, complex [rows], of one file."""
    lines = read_text(path).split("\n")
    if not any(line.startswith("#") and SIGN in line for line in lines[:10]):
        raise FileError(f"{path}: does not state the sign of Psi4 as Meander's files do")
    if lines[-1]:
        lines.pop()  # the last line of a running or killed run may be incomplete
    with reading(path, "has no rows of time, real and imaginary part"):
        rows = [(n, line.split()) for n, line in enumerate(lines, 1) if line and not line.startswith("#")]
        for n, cells in rows:
            if len(cells) != len(COLUMNS):
                raise Defect(f"line {n}: has {len(cells)} columns")
        values = numbers(rows, COLUMNS)
        wrong = ~np.isfinite(values).all(axis=1) | (np.diff(values[:, 0], prepend=-np.inf) <= 0)
        if wrong.any():
            raise Defect(f"line {rows[np.argmax(wrong)][0]}: a number is not finite, or the time does not ascend")
    return values[:, 0], values[:, 1] + 1j * values[:, 2]


def find_files(directory):
    """Returns the paths of a run's files of waves by radius and (l, m). Raises FileError if there are none."""
    folder = os.path.join(directory, "waves")
    folder = folder if os.path.isdir(folder) else directory
    found = {}
    with reading(folder, "cannot be read"):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        parts = NAME.fullmatch(name)
        if parts:
            found.setdefault(float(parts[3]), {})[int(parts[1]), int(parts[2])] = os.path.join(folder, name)
    if not found:
        raise FileError(f"{directory}: has no files waves/mp_psi4_*.asc, which runs with diagnostics.psi4-every write")
    return found


def common_rows(rows):
    """Returns times [rows], and values at these times by (l, m), of modes given by their times and values.

    Files of a running or killed run may end at different rows, so modes are reduced to the times that all have. After a
    restart with another diagnostics.psi4-l-max some modes begin later or end early. They would cost the others most of
    their rows, and are left out.
    """
    longest = max((time for time, _ in rows.values()), key=len)
    kept = {mode: (time, values) for mode, (time, values) in rows.items()
            if len(time) > 0 and time[0] == longest[0] and np.isin(longest, time).mean() >= LEAST_SHARE}
    common = functools.reduce(np.intersect1d, [time for time, _ in kept.values()], longest)
    return common, {mode: values[np.isin(time, common)] for mode, (time, values) in kept.items()}


def read(directory):
    """Returns the Psi4 of a run's directory. Raises FileError if there is none.

    Steps do not end at multiples of diagnostics.psi4-every: rows are interpolated to uniform times, of the mean
    interval, by cubic splines.
    """
    found = find_files(directory)
    spline = needs("scipy.interpolate", "reading waves").CubicSpline
    known = set().union(*found.values())
    psi4, most = Psi4(directory, {}), 0
    for radius in sorted(found):
        rows = {mode: read_rows(path) for mode, path in sorted(found[radius].items())}
        time, modes = common_rows(rows)
        most = max(most, len(time))
        if len(time) < LEAST_ROWS:
            psi4.left_out[radius] = sorted(known)
            continue
        uniform = np.linspace(time[0], time[-1], len(time))
        modes = {mode: spline(time, values)(uniform) for mode, values in modes.items()}
        psi4.spheres[radius] = Sphere(radius, uniform, modes)
        if known - set(modes):
            psi4.left_out[radius] = sorted(known - set(modes))
        if any(rows[mode][0][-1] > time[-1] for mode in modes):
            psi4.shortened[radius] = time[-1]
    if not psi4.spheres:
        raise FileError(f"{directory}: waves need {LEAST_ROWS} rows that the modes of a radius have in common, "
                        f"but no radius has more than {most}")
    return psi4
