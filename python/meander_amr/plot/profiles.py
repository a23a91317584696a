# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Profiles: all volumes as points, and their means."""
import matplotlib.pyplot as plt
import numpy as np

from meander_amr import accretion
from meander_amr.plot.style import default_field, legend_handles, magnitude, new_axes, set_value_scale
from meander_amr.sampling import binned, number_of_axis, position, radial_edges, volumes

AXES = "xyz"
UNITS = {"accretion": "comoving"}


def scatter(axes, x, value, level, share, most=30000):
    """Draws a sample of the volumes as points, coloured by level, with coarse levels below."""
    generator = np.random.default_rng(1)
    numbers = np.unique(level)
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.85, len(numbers)))
    for number, colour in zip(numbers, colours):
        chosen = np.flatnonzero(level == number)
        if len(chosen) > most // len(numbers):
            weight = share[chosen]
            chosen = generator.choice(chosen, most // len(numbers), replace=False, p=weight / weight.sum())
        axes.scatter(x[chosen], value[chosen], s=4, color=colour, alpha=0.35, lw=0, rasterized=True,
                     label=f"level {number}")


def finish(axes, field, values, title, scale):
    set_value_scale(axes, field, values, scale)
    axes.set_ylabel(field)
    axes.set_title(title, loc="left")
    axes.grid(alpha=0.25, lw=0.5)
    for handle in legend_handles(axes.legend(loc="best", markerscale=3)):
        handle.set_alpha(1)
    return axes


def radial_profile(snapshot, field=None, centre=None, axes=None, scale="auto"):
    """Draws a field over the distance from a centre [d], by default the scenario's: volumes as points, and their means.

    scale: auto, linear, log or symlog, as in style.scale_of. For accretion runs, marks the theoretical turnaround
    and shock radii. Returns matplotlib's axes.
    """
    centre = snapshot.centre if centre is None else position(snapshot, "centre", centre)
    axes = new_axes(axes)
    field = default_field(snapshot, field)
    every = volumes(snapshot, field)
    radius, value = every.radius(centre), magnitude(snapshot, field, every.value).astype(float)
    # Small radii have few volumes and large radii many. The weights balance the numbers of points.
    scatter(axes, radius, value, every.level, 1 / np.maximum(radius, snapshot.levels[-1].spacing) ** snapshot.dim)
    edges = radial_edges(snapshot, centre)
    is_accretion = snapshot.scenario["name"] == "accretion"
    if is_accretion:
        edges = np.geomspace(snapshot.levels[-1].spacing, edges[-1], 60)
        axes.set_xscale("log")
    axes.set_xlim(0.5 * edges[0], edges[-1])
    means = binned(radius, value, every.measure, edges)
    axes.plot(means.x, means.mean, color="crimson", lw=1.6, label="volume-weighted mean")
    if is_accretion:
        for (marked, words), style in zip(accretion.marked_radii(snapshot), ("--", ":")):
            axes.axvline(marked, color="black", ls=style, lw=1.2, label=f"{words} {marked:.3g}")
    name = snapshot.scenario["name"]
    axes.set_xlabel("radius" + (f" ({UNITS[name]})" if name in UNITS else ""))
    return finish(axes, field, value, "radial profile about (" + ", ".join(f"{c:.4g}" for c in centre) + ")",
                  scale)


def line_profile(snapshot, field=None, axis=None, axes=None, scale="auto"):
    """Draws a field along an axis (0, 1, 2 or its letter): all volumes, and their means over the other axes.

    axis: None: the axis of the scenario, or else the longest. scale: auto, linear, log or symlog. Returns matplotlib's axes.
    """
    if axis is None:
        axis = snapshot.scenario.get("axis", int(np.argmax(snapshot.upper - snapshot.lower)))
    along = number_of_axis(snapshot, axis)
    axes = new_axes(axes)
    field = default_field(snapshot, field)
    every = volumes(snapshot, field)
    value = magnitude(snapshot, field, every.value).astype(float)
    x = every.centre[:, along]
    scatter(axes, x, value, every.level, np.ones_like(x))
    lower, upper = snapshot.lower[along], snapshot.upper[along]
    if snapshot.scenario["name"] != "sod":
        spacing = snapshot.levels[0].spacing
        means = binned(x, value, every.measure, np.arange(lower, upper + 0.5 * spacing, spacing))
        axes.plot(means.x, means.mean, color="crimson", lw=1.6, label="volume-weighted mean")
    axes.set_xlim(lower, upper)
    axes.set_xlabel(AXES[along])
    return finish(axes, field, value, f"all volumes along {AXES[along]}", scale)
