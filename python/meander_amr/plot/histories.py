# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Columns of history.csv over time, including gravitational waves."""
import re

import matplotlib.pyplot as plt
import numpy as np

from meander_amr.errors import FileError, check_name
from meander_amr.plot.style import STYLE

NOT_DRAWN = ("step", "time")
MOST_IN_LEGEND = 12
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


def groups(run, columns=None):
    """Returns the columns of each panel, by its title.

    columns: names; None: all that change."""
    if columns is None:
        columns = [name for name in run.columns if name not in NOT_DRAWN and changes(run, name)]
    result = {}
    for name in columns:
        check_name(run.path, "column", name, run.columns)
        result.setdefault(panel_of(run, name), []).append(name)
    return result


def panels(number):
    """Returns a figure and its axes, stacked, with a common time axis."""
    with plt.rc_context(STYLE):
        columns = 1 if number <= 3 else 2
        rows = -(-number // columns)
        figure, axes = plt.subplots(rows, columns, sharex=True, squeeze=False, layout="constrained",
                                    figsize=(7.5 * columns, 1.2 + 2.1 * rows))
    for spare in axes.ravel()[number:]:
        spare.set_visible(False)
    return figure, list(axes.ravel()[:number])


def on_log_scale(axes, values):
    """Sets a logarithmic scale for constraints, which differ by orders of magnitude between levels. Round-off stays below
    the panel."""
    largest = values.max()
    if values.min() < 0 or largest <= 0:
        return
    axes.set_yscale("log")
    if values.min() < SPAN * largest:
        axes.set_ylim(SPAN * largest, 2 * largest)


def draw(axes, run, names, title):
    since = 1 if names == ["dt"] else 0  # no step led to the first row
    for name in names:
        label = name.removeprefix("leaves_") if title == "leaves" else name
        axes.plot(run["time"][since:], run[name][since:], lw=1.3, label=label, marker="." if len(run) < 30 else None)
    if title != "leaves" and any("_level_" in name for name in names):
        on_log_scale(axes, np.concatenate([run[name] for name in names]))
    axes.set_title(title, loc="left")
    axes.grid(alpha=0.25, lw=0.5)
    if 1 < len(names) <= MOST_IN_LEGEND:
        axes.legend(loc="best", fontsize=8, ncols=2)
    if axes.get_subplotspec().is_last_row():
        axes.set_xlabel(run.label("time"))


def history(run, columns=None):
    """Draws columns of a History over time, one panel each. Levels of a quantity and axes of a position share a panel.

    columns: names; None: all that change during the run. Returns the list of axes.
    """
    chosen = groups(run, columns)
    if not chosen:
        raise FileError(f"{run.path}: no column changes, so there is nothing to draw")
    figure, axes = panels(len(chosen))
    for panel, (title, names) in zip(axes, chosen.items()):
        draw(panel, run, names, title)
    figure.suptitle(run.path, x=0.01, ha="left", fontweight="bold")
    return axes


def psi4(run, columns=None):
    """Draws the columns psi4* of a History over time, one panel per mode and radius with real and imaginary part.

    columns: names; None: all that start with psi4, without the modes that vanish to rounding. Raises FileError if there
    are none. Returns the list of axes.
    """
    names = [name for name in run.columns if name.lower().startswith("psi4")] if columns is None else columns
    if not names:
        raise FileError(f"{run.path}: has no columns psi4*: no extraction spheres in this run")
    modes = {}
    for name in names:
        words = [word for word in name.split("_") if word not in ("re", "im", "real", "imag", "imaginary")]
        modes.setdefault("_".join(words), []).append(name)
    if columns is None:
        sizes = {title: max(np.abs(run[name]).max(initial=0) for name in parts) for title, parts in modes.items()}
        modes = {title: parts for title, parts in modes.items()
                 if sizes[title] > ROUND_OFF * max(sizes.values())} or modes
    figure, axes = panels(len(modes))
    for panel, (title, parts) in zip(axes, modes.items()):
        draw(panel, run, parts, title)
        panel.set_ylabel(run.units.get(parts[0], ""))
    figure.suptitle(run.path, x=0.01, ha="left", fontweight="bold")
    return axes
