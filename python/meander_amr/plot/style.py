# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Figures, colour scales and labels of all pictures."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, Normalize, TwoSlopeNorm

from meander_amr import accretion

STYLE = {"font.size": 10, "axes.titlesize": 11, "axes.spines.top": False, "axes.spines.right": False,
         "legend.frameon": False, "figure.facecolor": "white"}


def new_axes(axes, size=(8, 6.4)):
    """Returns the given axes, or those of a new figure."""
    if axes is not None:
        return axes
    with plt.rc_context(STYLE):
        return plt.subplots(figsize=size, layout="constrained")[1]


def default_field(snapshot, wanted=None):
    """Returns the requested field, or else density, lapse or the first field. Raises FileError."""
    if wanted is None:
        return next((name for name in ("density", "lapse") if name in snapshot.fields), snapshot.fields[0])
    snapshot.is_vector(wanted)
    return wanted


def magnitude(snapshot, field, values):
    """Returns the values, and for vectors their magnitudes."""
    return np.linalg.norm(values, axis=-1) if snapshot.is_vector(field) else values


def scale_of(field, values):
    """Returns normalisation and colour map of a field, from its finite values."""
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    if field == "level":
        return BoundaryNorm(np.arange(low, high + 2) - 0.5, 256), "viridis"
    if field == "rank":
        return part_colours(int(high) + 1)
    if low < 0 < high and field != "curve_index":
        bound = max(-low, high)
        return TwoSlopeNorm(0, -bound, bound), "RdBu_r"
    if low > 0 and high > 30 * low:
        return LogNorm(low, high), "inferno"
    return Normalize(low, high if high > low else low + 1e-300 + abs(low) * 1e-6), "inferno"


def part_colours(parts):
    """Returns one colour per part: distinct colours for up to 10 parts, otherwise a ramp with alternating brightness."""
    if parts <= 10:
        colours = plt.get_cmap("tab10")(np.arange(parts))
    else:
        colours = plt.get_cmap("turbo")(np.linspace(0.05, 0.95, parts))
        colours[1::2, :3] *= 0.7
    return BoundaryNorm(np.arange(parts + 1) - 0.5, parts), ListedColormap(colours)


def headline(snapshot):
    """Returns scenario, time, step and size in one line."""
    name = snapshot.scenario["name"]
    time = f"t = {snapshot.time:.4g}"
    if name == "accretion":
        time = f"scale factor a = {accretion.scale_factor(snapshot.time):.3g}"
    return f"{name}, {snapshot.dim}D, {time}, step {snapshot.step}, {snapshot.leaves} patches"


def legend_handles(legend):
    return legend.legend_handles if hasattr(legend, "legend_handles") else legend.legendHandles
