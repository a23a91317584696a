# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a run has radiated: energy and momenta at each radius and at infinity, and ringdown frequencies."""
from dataclasses import dataclass

import numpy as np

from meander_amr.waves.files import integrate
from meander_amr.waves.infinity import fitted, perturbative
from meander_amr.waves.ringdown import fit_ringdown

VANISHES = 1e-3  # modes below this fraction of the largest get no ringdown
ARRIVED, PASSED = 0.5, 0.3  # see passed(); fractions of the largest r |Psi4|


@dataclass
class Report:
    """waves: Wave by name: "100" for the sphere of that radius, "infinity (Nakano)", "infinity (1/R fit)". ringdowns: Ringdown by (l, m),
    see ringdown_of(). left_out: radii of the spheres that passed() leaves out."""
    waves: dict
    ringdowns: dict
    left_out: list

    def lines(self):
        """Returns the tables as lines of text."""
        lines = [f"{'radius':>18s} {'E':>12s} {'J_x':>12s} {'J_y':>12s} {'J_z':>12s} {'P_x':>12s} {'P_y':>12s} {'P_z':>12s}"]
        for name, wave in self.waves.items():
            numbers = [wave.energy()[-1], *wave.angular_momentum()[:, -1], *wave.momentum()[:, -1]]
            lines.append(f"{name:>18s} " + " ".join(f"{number:12.5e}" for number in numbers))
        if self.left_out:
            lines.append(f"left out, because the signal has not passed them: {', '.join(f'{radius:g}' for radius in self.left_out)}")
        at_infinity = [wave.energy()[-1] for name, wave in self.waves.items() if name.startswith("infinity")]
        if len(at_infinity) == 2:
            lines.append(f"energies at infinity differ by {abs(at_infinity[0] - at_infinity[1]):.2e}, "
                         f"{100 * abs(at_infinity[0] / at_infinity[1] - 1):.2g} %")
        for (l, m), ringdown in self.ringdowns.items():
            w = ringdown.frequency
            lines.append(f"ringdown l = {l}, m = {m}: w = {w.real:.6f} {w.imag:+.6f} i from t = {ringdown.start:.1f} to {ringdown.end:.1f}, "
                         f"residual {100 * ringdown.residual:.2g} %")
        return lines


def ringdown_of(spheres, mode, mass):
    """Returns the Ringdown of a mode at the outermost radius whose series covers the whole interval of the fit; if none does, at the outermost one
    that covers a part; else None."""
    delay, duration = 15 * mass, 30 * mass
    parts = []
    for sphere in reversed(spheres):
        try:
            found = fit_ringdown(sphere.time, sphere.modes[mode], delay, duration)
        except ValueError:
            continue
        if found.end - found.start >= 0.95 * duration:
            return found
        parts.append(found)
    return parts[0] if parts else None


def passed(spheres):
    """Returns the spheres that the signal of a merger has passed: r |Psi4| (over all modes) has come within ARRIVED of the largest at any sphere, and at
    the end is below PASSED times its own largest. If no sphere fulfils both, as in an inspiral that goes on, returns all of them."""
    sizes = {sphere.radius: sphere.radius * np.sqrt(sum(np.abs(values)**2 for values in sphere.modes.values())) for sphere in spheres}
    largest = max(size.max() for size in sizes.values())
    complete = [sphere for sphere in spheres if sizes[sphere.radius].max() >= ARRIVED * largest
                and sizes[sphere.radius][-1] <= PASSED * sizes[sphere.radius].max()]
    return complete or spheres


def report(psi4, mass=1.0, lowest=0.1, taper=50.0, junk=None):
    """Returns the Report of a Psi4.

    mass: total mass M, for extrapolation. lowest, taper: see Sphere.integrated. junk: each sphere loses the times before its
    radius plus this time, in which the junk of initial data passes; None: none.
    """
    spheres = [sphere if junk is None else sphere.after(sphere.radius + junk) for sphere in psi4.spheres.values()]
    if len(spheres[0].time) < 8:
        raise ValueError(f"radius {spheres[0].radius:g}: only {len(spheres[0].time)} rows are left after the junk")
    spheres = passed([sphere for sphere in spheres if len(sphere.time) >= 8])
    left_out = sorted(set(psi4.spheres) - {sphere.radius for sphere in spheres})
    waves = {f"{sphere.radius:g}": sphere.integrated(lowest, taper) for sphere in spheres}
    outermost = spheres[-1]
    if outermost.radius > 2 * mass:
        far = perturbative(outermost, mass, lowest)
        waves["infinity (Nakano)"] = integrate(far.time, far.modes, lowest, taper)
    try:
        far = fitted([sphere for sphere in spheres if sphere.radius > 2 * mass], mass)
        waves["infinity (1/R fit)"] = integrate(far.time, far.modes, lowest, taper)
    except ValueError:
        pass  # too few radii, or a run that has not lasted long enough
    sizes = {mode: np.abs(values).max() for mode, values in outermost.modes.items()}
    ringdowns = {}
    for mode in sorted(sizes, key=sizes.get, reverse=True)[:4]:
        if 0 < sizes[mode] >= VANISHES * max(sizes.values()):
            if found := ringdown_of(spheres, mode, mass):
                ringdowns[mode] = found
    return Report(waves, ringdowns, left_out)
