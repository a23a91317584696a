# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Waveforms over retarded time."""
import matplotlib.pyplot as plt
import numpy as np

from meander_amr.plot.style import STYLE

VANISHES = 1e-3  # modes below this fraction of the largest are not drawn
MOST_MODES = 4


def largest_modes(sphere):
    """Returns up to MOST_MODES modes (l, m), the largest first."""
    sizes = {mode: np.abs(values).max() for mode, values in sphere.modes.items()}
    kept = [mode for mode in sorted(sizes, key=sizes.get, reverse=True) if sizes[mode] >= VANISHES * max(sizes.values())]
    return kept[:MOST_MODES]


def waveforms(psi4, report, mass=1.0):
    """Draws, over retarded time, the largest modes of r Psi4 at the outermost radius of the report, their strains, the logarithm of r |Psi4| of the largest mode at all radii, and the
    radiated energy.

    psi4: waves.Psi4. report: waves.Report of it. Returns the list of axes.
    """
    from meander_amr.waves import retarded_time  # needs no matplotlib, and is not needed by other pictures
    spheres = list(psi4.spheres.values())
    outermost = max((sphere for sphere in spheres if sphere.radius not in report.left_out), key=lambda sphere: sphere.radius)
    modes = largest_modes(outermost)
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(4, 1, sharex=True, figsize=(8, 10), layout="constrained")
    time = retarded_time(outermost.time, outermost.radius, mass)
    strain = report.waves[f"{outermost.radius:g}"]
    for (l, m) in modes:
        name = f"l = {l}, m = {m}"
        grid[0].plot(time, outermost.radius * outermost.modes[l, m].real, lw=1.2, label=name)
        grid[1].plot(retarded_time(strain.time, outermost.radius, mass), strain.strain[l, m].real, lw=1.2, label=name)
    for sphere in (sphere for sphere in spheres if modes[0] in sphere.modes):
        size = sphere.radius * np.abs(sphere.modes[modes[0]])
        grid[2].semilogy(retarded_time(sphere.time, sphere.radius, mass), np.where(size > 0, size, np.nan), lw=1.2,
                         label=f"r = {sphere.radius:g}")
    for name, wave in report.waves.items():
        shift = retarded_time(wave.time, float(name), mass) if name[0].isdigit() else wave.time
        grid[3].plot(shift, wave.energy(), lw=1.2, label=name)
    titles = (f"Re r $\\Psi_4$ at r = {outermost.radius:g}", f"Re r h at r = {outermost.radius:g}",
              f"r |$\\Psi_4$|, l = {modes[0][0]}, m = {modes[0][1]}", "radiated energy")
    for axes, title in zip(grid, titles):
        axes.set_title(title, loc="left")
        axes.grid(alpha=0.25, lw=0.5)
        axes.legend(loc="best", fontsize=8, ncols=2)
    grid[-1].set_xlabel("t - R* [M = 1]" if mass == 1 else f"t - R*, M = {mass:g}")
    figure.suptitle(psi4.path, x=0.01, ha="left", fontweight="bold")
    return list(grid)
