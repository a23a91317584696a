# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a run has radiated: energy and momenta at each radius and at infinity, and ringdown frequencies."""
from dataclasses import dataclass

import numpy as np

from meander_amr.errors import OptionError
from meander_amr.waves.files import integrate
from meander_amr.waves.infinity import fitted, perturbative
from meander_amr.waves.ringdown import fit_ringdown, settled_ringdown

VANISHES = 1e-3  # modes below this fraction of the largest get no ringdown
LEAST_ROWS = 8  # of a sphere in the table
ARRIVED, PASSED = 0.5, 0.3  # see passed(); fractions of the largest r |Psi4|


@dataclass
class Report:
    """waves: Wave by name: "100" for the sphere of that radius, "infinity (Nakano)", "infinity (1/R fit)". ringdowns: Ringdown by (l, m),
    see ringdown_of(). left_out: radii of the spheres that are not in waves. notes: lines on what is left out."""
    waves: dict
    ringdowns: dict
    left_out: list
    notes: list

    def lines(self):
        """Returns the tables as lines of text."""
        lines = [f"{'radius':>18s} {'E':>12s} {'J_x':>12s} {'J_y':>12s} {'J_z':>12s} {'P_x':>12s} {'P_y':>12s} {'P_z':>12s}"]
        for name, wave in self.waves.items():
            numbers = [wave.energy()[-1], *wave.angular_momentum()[:, -1], *wave.momentum()[:, -1]]
            lines.append(f"{name:>18s} " + " ".join(f"{number:12.5e}" for number in numbers))
        lines += self.notes
        at_infinity = [wave.energy()[-1] for name, wave in self.waves.items() if name.startswith("infinity")]
        if len(at_infinity) == 2:
            lines.append(f"energies at infinity differ by {abs(at_infinity[0] - at_infinity[1]):.2e}, "
                         f"{100 * abs(at_infinity[0] / at_infinity[1] - 1):.2g} %")
        for (l, m), ringdown in self.ringdowns.items():
            w = ringdown.frequency
            spread = ("from one start" if np.isnan(ringdown.spread) else
                      f"neighbouring starts differ by {ringdown.spread.real:.1g} and {ringdown.spread.imag:.1g} i")
            lines.append(f"ringdown l = {l}, m = {m}: w = {w.real:.6f} {w.imag:+.6f} i from t = {ringdown.start:.1f} to {ringdown.end:.1f}, "
                         f"residual {100 * ringdown.residual:.2g} %, {spread}")
        return lines


def ringdown_of(spheres, mode, mass):
    """Returns the settled_ringdown() of a mode at the outermost radius whose series lasts for fits with starts up to 25 mass after the largest
    magnitude; if none does, the fit from 15 mass on, for at most 30 mass, at the outermost radius that has it; else None."""
    with_mode = [sphere for sphere in reversed(spheres) if mode in sphere.modes]

    def lasts(sphere):
        return sphere.time[-1] - sphere.time[np.argmax(np.abs(sphere.modes[mode]))] >= 55 * mass

    def one_start(time, values, mass):
        return fit_ringdown(time, values, 15 * mass, 30 * mass)

    for fit, spheres_of_fit in ((settled_ringdown, filter(lasts, with_mode)), (one_start, with_mode)):
        for sphere in spheres_of_fit:
            try:
                return fit(sphere.time, sphere.modes[mode], mass)
            except ValueError:  # too few rows
                continue
    return None


def passed(spheres):
    """Returns the spheres that the signal of a merger has passed: r |Psi4| (over all modes) has come within ARRIVED of the largest at any sphere, and at
    the end is below PASSED times its own largest. If no sphere fulfils both, as in an inspiral that goes on, returns all of them."""
    sizes = {sphere.radius: sphere.radius * np.sqrt(sum(np.abs(values)**2 for values in sphere.modes.values())) for sphere in spheres}
    largest = max(size.max() for size in sizes.values())
    complete = [sphere for sphere in spheres if sizes[sphere.radius].max() >= ARRIVED * largest
                and sizes[sphere.radius][-1] <= PASSED * sizes[sphere.radius].max()]
    return complete or spheres


def left_out_note(reason, radii):
    """Returns a line on the spheres that are left out, in a list, which is empty if there are none."""
    return [f"left out, because {reason}: {', '.join(f'{radius:g}' for radius in radii)}"] if radii else []


def with_rows(psi4, spheres):
    """Returns the spheres with LEAST_ROWS rows. Raises OptionError if there are none.

    spheres: those of psi4, perhaps without the rows of the junk.
    """
    enough = [sphere for sphere in spheres if len(sphere.time) >= LEAST_ROWS]
    if enough:
        return enough
    longest = max(spheres, key=lambda sphere: len(sphere.time))
    left, before = len(longest.time), len(psi4.spheres[longest.radius].time)
    if left < before:
        text = f"{LEAST_ROWS} rows after the junk, but of {before} only {left} are left"
    else:
        text = f"{LEAST_ROWS} rows that its modes have in common, but there are only {left}"
    raise OptionError(f"{psi4.path}: radius {longest.radius:g}: the table needs {text}")


def report(psi4, mass=1.0, lowest=0.1, taper=50.0, junk=None):
    """Returns the Report of a Psi4.

    mass: total mass M, for extrapolation. lowest, taper: see Sphere.integrated. junk: each sphere loses the times before its
    radius plus this time, in which the junk of initial data passes; None: none.
    """
    spheres = [sphere if junk is None else sphere.after(sphere.radius + junk) for sphere in psi4.spheres.values()]
    long = with_rows(psi4, spheres)
    spheres = passed(long)
    short = sorted(set(psi4.spheres) - {sphere.radius for sphere in long})
    missed = sorted({sphere.radius for sphere in long} - {sphere.radius for sphere in spheres})
    notes = (left_out_note("the signal has not passed them", missed) + left_out_note("they have too few rows", short)
             + psi4.notes())
    waves = {f"{sphere.radius:g}": sphere.integrated(lowest, taper) for sphere in spheres}
    outermost = spheres[-1]
    if outermost.radius > 2 * mass:
        far = perturbative(outermost, mass, lowest, taper)
        waves["infinity (Nakano)"] = integrate(far.time, far.modes, lowest, taper)
    try:
        far = fitted([sphere for sphere in spheres if sphere.radius > 2 * mass], mass)
        waves["infinity (1/R fit)"] = integrate(far.time, far.modes, lowest, taper)
    except ValueError:
        pass  # too few radii, none with the same modes, or a run that has not lasted long enough
    sizes = {mode: np.abs(values).max() for mode, values in outermost.modes.items()}
    ringdowns = {}
    for mode in sorted(sizes, key=sizes.get, reverse=True)[:4]:
        if 0 < sizes[mode] >= VANISHES * max(sizes.values()):
            if found := ringdown_of(spheres, mode, mass):
                ringdowns[mode] = found
    return Report(waves, ringdowns, sorted(short + missed), notes)
