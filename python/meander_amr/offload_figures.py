# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Figures from measurements of meander-bench-offload, with the axes of Figures 1 to 4 of Wille et al. (ISC 2023).

Figure 1: 2D, memory allocated each time (map): time per volume update over batch size, one line per number of threads.
Figure 2: 3D, memory allocated each time: time per volume update over threads, one line per batch size.
Figure 3: as Figure 2, with memory from the host's cache (pooled).
Figure 4: as Figure 2, with unified memory.
A table of --kernels-only gives one figure: volume updates per second of kernels on resident patches, over patch size.
A figure without rows is left out. Times of Figures 1 to 4 include all transfers. Titles mark results of an emulated device as
a model."""
import argparse
import collections
import math
import os
import sys

import matplotlib

from meander_amr import console
from meander_amr.errors import Defect, FileError, reading, words_of
from meander_amr.tables import number, read_csv

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
         "figure.facecolor": "white"}
Axes = collections.namedtuple("Axes", "dim memory meaning x lines")
MAP, THREADS, BATCH = "memory allocated and freed each time (map)", ("threads", "threads"), ("batch", "patches per batch")
FIGURES = {1: Axes(2, "map", MAP, BATCH, THREADS), 2: Axes(3, "map", MAP, THREADS, BATCH),
           3: Axes(3, "pooled", "memory from the host's cache (pooled)", THREADS, BATCH),
           4: Axes(3, "unified", "unified memory", THREADS, BATCH)}
NAMES = {"euler": "Euler", "euler-muscl": "Euler MUSCL", "ccz4": "CCZ4", "ccz4-fourth-order": "CCZ4 fourth order"}
MARKERS = "osD^v<>pX*"
INTEGERS = ("dim", "p", "threads", "batch", "patches")
REALS = ("us_a_patch_median", "us_a_patch_min", "us_a_patch_max", "ns_a_volume_median", "link_us_a_patch",
         "volumes_a_second")
OF_KERNELS = ("label", "device", "equation", "dim", "p", "volumes_a_second")
OF_FIGURES = ("label", "device", "equation", "memory", "dim", "p", "threads", "batch", "us_a_patch_min", "us_a_patch_max",
              "ns_a_volume_median", "link_us_a_patch")


def read(path):
    """Returns the rows of a table, as dictionaries. Raises FileError."""
    with reading(path, "is no table of meander-bench-offload"):
        titles, lines = read_csv(path)
        for name in OF_KERNELS if "volumes_a_second" in titles else OF_FIGURES:
            if name not in titles:
                raise Defect(f"it has no column {name}")
        if not lines:
            raise Defect("there are no rows")
        kinds = {**dict.fromkeys(INTEGERS, int), **dict.fromkeys(REALS, float)}
        return [{title: measured(cell, line, title, kinds[title]) if title in kinds else cell
                 for title, cell in zip(titles, cells)} for line, cells in lines]


def measured(cell, line, title, kind):
    """Returns a count, at least 1, or a time or rate, at least 0. Raises Defect."""
    value, least = number(cell, line, title, kind), 1 if kind is int else 0
    if not least <= value < math.inf:
        raise Defect(f"line {line}, column {title}: {cell} is not at least {least}")
    return value


def title(rows, text):
    kinds = {row["label"] for row in rows}
    devices = ", ".join(sorted({row["device"] for row in rows}))
    if kinds == {"measured"}:
        return f"{text}\nmeasured on {devices}"
    return f"{text}\nMODEL: emulated device of given costs, not a GPU" + (f" (and measured: {devices})" if len(kinds) > 1 else "")


def groups(rows, *keys):
    found = collections.OrderedDict()
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def seconds_a_volume(row, column):
    return 1e-6 * row[column] / row["p"] ** row["dim"]


def draw(axis, panel, axes, values):
    colours = plt.get_cmap("viridis")
    for (value,), line in sorted(groups(panel, axes.lines[0]).items()):
        i = values.index(value)
        line.sort(key=lambda row: row[axes.x[0]])
        x, colour = [row[axes.x[0]] for row in line], colours(i / max(1, len(values) - 1) * 0.9)
        axis.plot(x, [1e-9 * row["ns_a_volume_median"] for row in line], marker=MARKERS[i % len(MARKERS)], markersize=4,
                  color=colour, label=f"{value}")
        axis.fill_between(x, *([seconds_a_volume(row, f"us_a_patch_{end}") for row in line] for end in ("min", "max")),
                          alpha=0.12, color=colour, linewidth=0)
    link = seconds_a_volume(panel[0], "link_us_a_patch")
    axis.axhline(link, color="#888888", linestyle="--", linewidth=1)
    axis.text(min(row[axes.x[0]] for row in panel), link, " link alone", va="bottom", fontsize=7, color="#666666")
    axis.set(yscale="log", xlabel=axes.x[1], ylabel="time per volume update [s]")
    axis.set_xscale("log", base=2)


def figure_of(rows, number, path):
    axes = FIGURES[number]
    rows = [row for row in rows if row["memory"] == axes.memory and row["dim"] == axes.dim]
    if not rows:
        return False
    panels = groups(rows, "device", "equation", "p")
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    figure, grid = plt.subplots(lines, columns, figsize=(1.4 + 3.8 * columns, 0.9 + 2.9 * lines), squeeze=False,
                                layout="constrained")
    values = sorted({row[axes.lines[0]] for row in rows})
    for axis, ((device, equation, p), panel) in zip(grid.flat, panels.items()):
        draw(axis, panel, axes, values)
        axis.set_title(f"{NAMES.get(equation, equation)} {axes.dim}D, p = {p}, {device}", fontsize=9)
    for axis in grid.flat[len(panels):]:
        axis.set_visible(False)
    grid.flat[0].legend(title=axes.lines[1], fontsize=7, title_fontsize=7, ncol=2)
    figure.suptitle(title(rows, f"Figure {number}: {axes.meaning}"))
    console.save(figure, path, 110)
    return True


def kernels(rows, path):
    figure, axis = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
    for i, ((equation, dim, device), line) in enumerate(groups(rows, "equation", "dim", "device").items()):
        line.sort(key=lambda row: row["p"])
        axis.plot([row["p"] for row in line], [row["volumes_a_second"] for row in line], marker=MARKERS[i % len(MARKERS)],
                  markersize=5, label=f"{NAMES.get(equation, equation)} {dim}D, {device}")
    axis.set(yscale="log", xlabel="p", ylabel="volume updates (of one stage) per second",
             xticks=sorted({row["p"] for row in rows}))
    axis.legend(fontsize=7)
    figure.suptitle(title(rows, "Kernels alone on resident patches"))
    console.save(figure, path, 110)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="scripts/plot-offload", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="CSV file of meander-bench-offload")
    parser.add_argument("directory", help="output directory of offload-1.png to offload-4.png or kernels.png")
    arguments = parser.parse_args(arguments)

    def work():
        rows = read(arguments.csv)
        try:
            os.makedirs(arguments.directory, exist_ok=True)
        except OSError as error:
            raise FileError(f"{arguments.directory}: cannot be created ({words_of(error)})") from error

        def place(name):
            return console.place_of_picture(os.path.join(arguments.directory, name))
        plt.rcParams.update(STYLE)
        if "volumes_a_second" in rows[0]:
            path = place("kernels.png")
            kernels(rows, path)
            console.tell(path)
            return
        for figure in FIGURES:
            path = place(f"offload-{figure}.png")
            if figure_of(rows, figure, path):
                console.tell(path)
    return console.run("plot-offload", arguments.csv, work)


if __name__ == "__main__":
    sys.exit(main())
