# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tracks of punctures and masses of horizons."""
import glob
import os
import re

import matplotlib.pyplot as plt
import numpy as np

from meander_amr.errors import Defect, FileError, reading
from meander_amr.history import History
from meander_amr.plot.style import STYLE
from meander_amr.tables import read_csv

MASSES = {"irreducible_mass": "irreducible", "christodoulou_mass": "Christodoulou"}


def read_horizon(path):
    """Returns the columns of horizon_N.csv by name: floats [rows], NaN where a cell has no number, as in searches without a horizon; `status` as text.
    Raises FileError."""
    with reading(path, "is no table of a horizon"):
        titles, rows = read_csv(path)
        names = [re.sub(r" \[.*\]$", "", title) for title in titles]
        if "time" not in names:
            raise Defect("it has no column time")

    def number(cell):
        try:
            return float(cell)
        except ValueError:
            return np.nan

    columns = {name: np.array([number(row[n]) for _, row in rows]) for n, name in enumerate(names)}
    if "status" in names:
        columns["status"] = np.array([row[names.index("status")] for _, row in rows], dtype=str)
    return columns


def horizons(directory):
    """Returns the columns of each horizon of a run, by its number."""
    found = {}
    for path in glob.glob(os.path.join(glob.escape(directory), "horizon_*.csv")):
        number = re.fullmatch(r"horizon_(\d+)\.csv", os.path.basename(path))
        if number:
            found[int(number[1])] = read_horizon(path)
    return dict(sorted(found.items()))


def masses_of(columns, name):
    """Returns masses, NaN where the search has resolved no horizon."""
    unresolved = columns.get("status", np.array("found")) == "under-resolved"
    return np.where(unresolved, np.nan, columns[name])


def widen(axes):
    """Makes the shorter side of a picture of tracks at least a third of the longer one: punctures may move along a line."""
    spans = [np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())]
    for limits, change in ((axes.get_xlim(), axes.set_xlim), (axes.get_ylim(), axes.set_ylim)):
        if np.ptp(limits) < max(spans) / 3:
            change(np.mean(limits) - max(spans) / 6, np.mean(limits) + max(spans) / 6)


def plane_of(tracks):
    """Returns the two axes, 0 to 2, along which positions [3, rows] extend furthest."""
    extent = np.max([np.ptp(track, axis=1) + np.abs(track).max(axis=1) for track in tracks], axis=0)
    return sorted(np.argsort(-extent, kind="stable")[:2])


def tracks(directory):
    """Draws the punctures of a run's history.csv in the plane in which they move, and the masses of its horizons over time, as
    fractions of the first. Returns the list of axes. Raises FileError if there are neither."""
    history = os.path.join(directory, "history.csv")
    run = History(history) if os.path.exists(history) else None
    punctures = {}
    for name in run.columns if run else []:
        number = re.fullmatch(r"puncture_(\d+)_x", name)
        if number:
            track = np.stack([run[f"puncture_{number[1]}_{axis}"] for axis in "xyz"])
            track = track[:, np.isfinite(track).all(axis=0)]
            if track.size:
                punctures[int(number[1])] = track
    found = horizons(directory)
    masses = [(number, name, columns["time"], masses_of(columns, name))
              for number, columns in found.items() for name in MASSES if name in columns]
    masses = [entry for entry in masses if np.isfinite(entry[-1]).any()]
    if not punctures and not masses:
        raise FileError(f"{directory}: has neither punctures in history.csv nor files horizon_N.csv with masses")
    panels = bool(punctures) + bool(masses)
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(1, panels, squeeze=False, figsize=(6.5 * panels, 5.5), layout="constrained")
    grid = list(grid[0])
    if punctures:
        first, second = plane_of(list(punctures.values()))
        for number, track in punctures.items():
            (line,) = grid[0].plot(track[first], track[second], lw=1.2, label=f"puncture {number}")
            grid[0].plot(track[first, -1], track[second, -1], "o", color=line.get_color(), ms=4)
        grid[0].set(xlabel="xyz"[first], ylabel="xyz"[second], aspect="equal")
        widen(grid[0])
        grid[0].set_title(f"punctures until t = {run['time'][-1]:g}", loc="left")
    for number, name, time, values in masses:
        start = values[np.isfinite(values)][0]
        grid[-1].plot(time, values / start - 1, lw=1.2, label=f"horizon {number}, {MASSES[name]}, first {start:.6g}")
    if masses:
        grid[-1].set(xlabel="time")
        grid[-1].set_title("mass over its first value, less 1", loc="left")
    for axes in grid:
        axes.grid(alpha=0.25, lw=0.5)
        if axes.lines:
            axes.legend(loc="best", fontsize=8)
    figure.suptitle(directory, x=0.01, ha="left", fontweight="bold")
    return grid
