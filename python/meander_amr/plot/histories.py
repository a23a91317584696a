# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Columns of history.csv over time, gravitational waves among them."""
import matplotlib.pyplot as plt
import numpy as np

from meander_amr.errors import FileError, check_name
from meander_amr.plot.style import STYLE

NOT_DRAWN = ("step", "time")


def changes(run, name):
    """Whether a column changes by more than round-off: for totals, that of the largest of them."""
    alike = [other for other in run.columns if other.startswith("total_")] if name.startswith("total_") else [name]
    values, largest = (v[np.isfinite(v)] for v in (run[name], np.abs([run[other] for other in alike])))
    return len(values) > 0 and values.max() - values.min() > 1e-12 * largest.max()


def groups(run, columns=None):
    """Columns that belong into one panel each: leaves of all levels, psi4, and every other column alone.

    Without `columns`: all that change."""
    if columns is None:
        columns = [name for name in run.columns if name not in NOT_DRAWN and changes(run, name)]
    result = {}
    for name in columns:
        check_name(run.path, "column", name, run.columns)
        if name.startswith("leaves_level_"):
            result.setdefault("leaves", []).append(name)
        elif name.lower().startswith("psi4"):
            result.setdefault("psi4", []).append(name)
        else:
            result.setdefault(run.label(name), []).append(name)
    return result


def panels(number):
    """Axes under each other, with one time axis."""
    with plt.rc_context(STYLE):
        columns = 1 if number <= 3 else 2
        rows = -(-number // columns)
        figure, axes = plt.subplots(rows, columns, sharex=True, squeeze=False, layout="constrained",
                                    figsize=(7.5 * columns, 1.2 + 2.1 * rows))
    for spare in axes.ravel()[number:]:
        spare.set_visible(False)
    return figure, list(axes.ravel()[:number])


def draw(axes, run, names, title):
    for name in names:
        axes.plot(run["time"], run[name], lw=1.3, label=name.removeprefix("leaves_"),
                  marker="." if len(run) < 30 else None)
    axes.set_title(title, loc="left")
    axes.grid(alpha=0.25, lw=0.5)
    if len(names) > 1:
        axes.legend(loc="best", fontsize=8, ncols=2)
    if axes.get_subplotspec().is_last_row():
        axes.set_xlabel(run.label("time"))


def history(run, columns=None):
    """Columns of a History over time, a panel each; leaves of all levels in one. Returns the list of axes.

    columns: names; None: all that change during the run.
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
    """The columns psi4* of a History over time, a panel for each mode and radius with its real and imaginary part.

    columns: names; None: all that start with psi4. Raises FileError where there are none. Returns the list of axes.
    """
    names = [name for name in run.columns if name.lower().startswith("psi4")] if columns is None else columns
    if not names:
        raise FileError(f"{run.path}: has no columns psi4*: no extraction spheres in this run")
    modes = {}
    for name in names:
        words = [word for word in name.split("_") if word not in ("re", "im", "real", "imag", "imaginary")]
        modes.setdefault("_".join(words), []).append(name)
    figure, axes = panels(len(modes))
    for panel, (title, parts) in zip(axes, modes.items()):
        draw(panel, run, parts, title)
        panel.set_ylabel(run.units.get(parts[0], ""))
    figure.suptitle(run.path, x=0.01, ha="left", fontweight="bold")
    return axes
