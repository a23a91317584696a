# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Figures, colour scales and labels of all pictures."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, Normalize, SymLogNorm, TwoSlopeNorm

from meander_amr import accretion
from meander_amr.errors import OptionError

STYLE = {"font.size": 10, "axes.titlesize": 11, "axes.spines.top": False, "axes.spines.right": False,
         "legend.frameon": False, "figure.facecolor": "white"}
SCALES = ("auto", "linear", "log", "symlog")
POSITIVE_SPAN = 30  # ratio from which positive values get a logarithmic scale
SIGNED_SPAN = 100   # ratio of the largest to the median magnitude from which values of both signs get one
MOST_DECADES = 8    # of a logarithmic scale
MOST_COLOURS = 256  # of parts
ROUND_OFF = 1e-14   # magnitudes below this fraction of the largest count as 0
LEAST_SHARE = 0.25  # of a logarithmic scale's colours below the median value
LEAST_OFFSET = 1e-3  # of a stretched scale: bounds how steeply colours change at the lowest value


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


def check_scale(scale):
    if scale not in SCALES:
        raise OptionError(f"scale: must be one of {', '.join(SCALES)}, but is {scale!r}")


def magnitudes_of(finite):
    """Returns the magnitudes above round-off: empty if all values are 0."""
    magnitudes = np.abs(finite)
    return magnitudes[magnitudes > ROUND_OFF * magnitudes.max(initial=0)]


def linear_below(finite):
    """Returns the magnitude below which a symmetric logarithmic scale is linear: nine tenths of the values lie above it,
    unless they span more than MOST_DECADES."""
    magnitudes = magnitudes_of(finite)
    largest = magnitudes.max()
    return min(max(np.quantile(magnitudes, 0.1), largest * 10.0 ** -MOST_DECADES), 0.1 * largest)


def spans_decades(finite):
    """Returns whether values need a logarithmic scale: positive ones by their extremes, others by the median magnitude, which
    few values next to a change of sign do not affect."""
    if finite.min() > 0:
        return finite.max() > POSITIVE_SPAN * finite.min()
    magnitudes = magnitudes_of(finite)
    return magnitudes.size > 0 and magnitudes.max() > SIGNED_SPAN * np.median(magnitudes)


class StretchedLogNorm(LogNorm):
    """Logarithmic normalisation whose lower end takes more of the colours: by the logarithm of 1 + place / offset, for the place
    between the logarithms of the limits. Its colour bar has a logarithmic axis."""

    def __init__(self, vmin, vmax, offset):
        super().__init__(vmin, vmax)
        self.offset = offset

    def __call__(self, value, clip=None):
        return np.ma.log(1 + np.ma.clip(super().__call__(value, clip), 0, None) / self.offset) / np.log1p(1 / self.offset)

    def inverse(self, value):
        return super().inverse(self.offset * np.expm1(value * np.log1p(1 / self.offset)))


def log_scale(low, high, median):
    """Returns a logarithmic normalisation, stretched where most values lie close to the lowest one: in one colour, their
    differences would not be seen."""
    place = np.log(median / low) / np.log(high / low)
    if not 0 < place < LEAST_SHARE:
        return LogNorm(low, high)
    # A larger offset stretches less.
    offsets = np.geomspace(1e3, LEAST_OFFSET, 1000)
    shares = np.log1p(place / offsets) / np.log1p(1 / offsets)
    return StretchedLogNorm(low, high, offsets[min(np.searchsorted(shares, LEAST_SHARE), len(offsets) - 1)])


def scale_of(field, values, scale="auto"):
    """Returns normalisation and colour map of a field, from its finite values.

    scale: one of SCALES. auto: logarithmic if the values span decades, with colours for the values close to the lowest one if
    those are most; symmetric about 0 (symlog) if they are not all positive. Values of both signs are red and blue about white. Raises OptionError for log with values that are not positive.
    """
    check_scale(scale)
    finite = values[np.isfinite(values)].astype(float)
    if finite.size == 0:
        return Normalize(0, 1), "inferno"
    low, high = finite.min(), finite.max()
    if field in ("level", "rank", "curve_index") and scale != "auto":
        raise OptionError(f"--scale {scale}: {field} has no scale: its values are numbers of things")
    if field == "level" and high - low < MOST_COLOURS:
        return BoundaryNorm(np.arange(low, high + 2) - 0.5, 256), "viridis"
    if field == "rank":
        return part_colours(int(high) + 1)
    if scale == "log" and low <= 0:
        raise OptionError(f"--scale log: {field} has values that are not positive; use symlog")
    if scale == "auto" and field != "curve_index" and spans_decades(finite):
        if low > 0:
            low = max(low, high * 10.0 ** -MOST_DECADES)
            return log_scale(low, high, np.median(finite)), "inferno"
        scale = "symlog"
    bound = max(-low, high)
    if scale == "log" and high > low:
        return LogNorm(max(low, high * 10.0 ** -MOST_DECADES), high), "inferno"
    if scale == "symlog" and bound > 0:
        norm = SymLogNorm(linear_below(finite), vmin=0 if low >= 0 else -bound, vmax=bound, base=10)
        return norm, "inferno" if low >= 0 else "RdBu_r"
    if low < 0 < high and field != "curve_index":
        return TwoSlopeNorm(0, -bound, bound), "RdBu_r"
    return Normalize(low, high if high > low else low + 1e-300 + abs(low) * 1e-6), "inferno"


def set_value_scale(axes, field, values, scale="auto"):
    """Sets the scale of the vertical axis to that of colours of the field, as in scale_of()."""
    norm, _ = scale_of(field, values, scale)
    if isinstance(norm, LogNorm):
        axes.set_yscale("log")
    elif isinstance(norm, SymLogNorm):
        axes.set_yscale("symlog", linthresh=norm.linthresh)


def decade_ticks(norm, most=5):
    """Returns the ticks of a symmetric logarithmic scale: 0, and powers of ten on each side of it, at most the given number."""
    low, high = np.ceil(np.log10(norm.linthresh)), np.floor(np.log10(norm.vmax))
    step = max(1, np.ceil((high - low + 1) / most))
    powers = 10.0 ** np.arange(high, low - 0.5, -step)[::-1]
    return np.concatenate([-powers[::-1] if norm.vmin < 0 else [], [0], powers])


def part_colours(parts):
    """Returns the colours of parts: distinct colours for up to 10 parts, then a ramp with alternating brightness, and a plain ramp
    for more parts than are told apart."""
    if parts > MOST_COLOURS:
        return Normalize(-0.5, parts - 0.5), "turbo"
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
