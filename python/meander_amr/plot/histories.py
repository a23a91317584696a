# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Columns of history.csv over time, including gravitational waves."""
import re

import matplotlib.pyplot as plt
import numpy as np

from meander_amr.errors import FileError, OptionError, check_name
from meander_amr.plot.style import STYLE, check_scale, linear_below, spans_decades

NOT_DRAWN = ("step", "time")
MANY_IN_LEGEND = 12
SPAN = 1e-6  # smallest over largest value of a logarithmic panel
ROUND_OFF = 1e-10  # modes of Psi4 below this fraction of the largest vanish by symmetry


def changes(run, name):
    """Returns whether a column changes by more than round-off; for totals, round-off of the largest total."""
    alike = [other for other in run.columns if other.startswith("total_")] if name.startswith("total_") else [name]
    values, largest = (v[np.isfinite(v)] for v in (run[name], np.abs([run[other] for other in alike])))
    return len(values) > 0 and values.max() - values.min() > 1e-12 * largest.max()


def panel_of(run, name):
    """Returns the title of a column's panel. Columns that differ only in level, axis or mode share a panel."""
    if name.startswith("leaves_level_"):
        return "leaves"
    if name.lower().startswith("psi4"):
        return "psi4"
    of_level = re.fullmatch(r"(.*)_level_\d+", name)
    if of_level and of_level.group(1) in run:
        return run.label(of_level.group(1))
    of_axis = re.fullmatch(r"(puncture_\d+)_[xyz]", name)
    return run.label(name).replace(name, of_axis.group(1)) if of_axis else run.label(name)


def require_numbers(run, columns):
    """Raises FileError for names of no column, OptionError for columns of words, such as the status of a horizon."""
    for name in columns:
        check_name(run.path, "column", name, run.columns)
        if name not in run.numbers:
            raise OptionError(f"{run.path}: column '{name}' holds words, which cannot be drawn over time")


def groups(run, columns=None):
    """Returns the columns of each panel, by its title.

    columns: names; None: all numbers that change."""
    if columns is None:
        columns = [name for name in run.numbers if name not in NOT_DRAWN and changes(run, name)]
    require_numbers(run, columns)
    result = {}
    for name in columns:
        result.setdefault(panel_of(run, name), []).append(name)
    return result


def panels(number, label):
    """Returns a figure and its axes, stacked, with a common time axis of that label."""
    with plt.rc_context(STYLE):
        columns = 1 if number <= 3 else 2
        rows = -(-number // columns)
        figure, axes = plt.subplots(rows, columns, sharex=True, squeeze=False, layout="constrained",
                                    figsize=(7.5 * columns, 1.2 + 2.1 * rows))
    for spare in axes.ravel()[number:]:
        spare.set_visible(False)
    used = list(axes.ravel()[:number])
    for lowest in used[-columns:]:
        # sharex leaves numbers to the last row only, where the right panel may be spare.
        lowest.tick_params(axis="x", labelbottom=True)
        lowest.xaxis.offsetText.set_visible(True)
        lowest.set_xlabel(label)
    return figure, used


def set_scale(axes, names, values, scale):
    """Sets the scale of a panel's values.

    auto: logarithmic for constraints, which differ by orders of magnitude between levels, and for values of both signs
    that span decades; linear for the others, and for positions. Round-off stays below the panel."""
    finite = values[np.isfinite(values)]
    if not np.any(finite):
        return
    low, high = finite.min(), finite.max()
    by_level = any("_level_" in name and not name.startswith("leaves_") for name in names)
    if scale == "log" and low < 0:
        raise OptionError(f"--scale log: {', '.join(names)}: some values are negative; use symlog")
    by_axis = len(names) > 1 and all(re.fullmatch(r".*_[xyz]", name) for name in names)
    if scale == "auto" and low < 0 < high and not by_axis and spans_decades(finite):
        scale = "symlog"
    if scale == "symlog":
        axes.set_yscale("symlog", linthresh=linear_below(finite))
    elif scale == "log" or (scale == "auto" and by_level and low >= 0):
        axes.set_yscale("log")
        if low < SPAN * high:
            axes.set_ylim(SPAN * high, 2 * high)


def draw(axes, run, names, title, scale="auto"):
    since = 1 if names == ["dt"] else 0  # no step led to the first row
    for name in names:
        axes.plot(run["time"][since:], run[name][since:], lw=1.3, label=name, marker="." if len(run) < 30 else None)
    set_scale(axes, names, np.concatenate([run[name][since:] for name in names]), scale)
    # The panel of a single column has its whole name; that of several names them in the legend.
    axes.set_title(title if len(names) > 1 else run.label(names[0]), loc="left")
    axes.grid(alpha=0.25, lw=0.5)
    if len(names) > 1:
        many = len(names) > MANY_IN_LEGEND
        axes.legend(loc="best", fontsize=6 if many else 8, ncols=3 if many else 2)


def history(run, columns=None, scale="auto"):
    """Draws columns of a History over time, one panel each. Levels of a quantity and axes of a position share a panel.

    columns: names; None: all numbers that change during the run. scale: auto, linear, log or symlog, as in set_scale.
    Returns the list of axes.
    """
    check_scale(scale)
    chosen = groups(run, columns)
    if not chosen:
        raise FileError(f"{run.path}: no column changes, so there is nothing to draw")
    figure, axes = panels(len(chosen), run.label("time"))
    for panel, (title, names) in zip(axes, chosen.items()):
        draw(panel, run, names, title, scale)
    figure.suptitle(run.path, x=0.01, ha="left", fontweight="bold")
    return axes


def psi4(run, columns=None, scale="linear"):
    """Draws the columns psi4* of a History over time, one panel per mode and radius with real and imaginary part.

    columns: names; None: all that start with psi4, without the modes that vanish to rounding. Raises FileError if there
    are none. scale: auto, linear, log or symlog. Returns the list of axes.
    """
    check_scale(scale)
    names = [name for name in run.columns if name.lower().startswith("psi4")] if columns is None else columns
    if not names:
        raise FileError(f"{run.path}: has no columns psi4*: no extraction spheres in this run")
    require_numbers(run, names)
    modes = {}
    for name in names:
        words = [word for word in name.split("_") if word not in ("re", "im", "real", "imag", "imaginary")]
        modes.setdefault("_".join(words), []).append(name)
    if columns is None:
        sizes = {title: max(np.abs(run[name]).max(initial=0) for name in parts) for title, parts in modes.items()}
        modes = {title: parts for title, parts in modes.items()
                 if sizes[title] > ROUND_OFF * max(sizes.values())} or modes
    figure, axes = panels(len(modes), run.label("time"))
    for panel, (title, parts) in zip(axes, modes.items()):
        draw(panel, run, parts, title, scale)
        panel.set_ylabel(run.units.get(parts[0], ""))
    figure.suptitle(run.path, x=0.01, ha="left", fontweight="bold")
    return axes
