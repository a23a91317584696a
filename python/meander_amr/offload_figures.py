# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Four figures from measurements of meander-bench-offload, after Figures 1 to 4 of Wille et al. (ISC 2023).

Figure 1: time per volume update over batch size, one line per number of threads, memory allocated each time (map).
Figure 2: as Figure 1, with memory from the host's cache (pooled).
Figure 3: as Figure 1, with unified memory.
Figure 4: the best setting of each strategy over patch sizes, compared with the time of the link alone.
All times include all transfers. Titles mark results of an emulated device as a model."""
import argparse
import collections
import csv
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
         "figure.facecolor": "white"}
FIGURES = {1: "map", 2: "pooled", 3: "unified"}
MEANINGS = {"map": "allocated and freed each time (map)", "pooled": "from the host's cache (pooled)",
            "unified": "unified memory"}
NAMES = {"euler": "Euler", "ccz4": "CCZ4"}
MARKERS = "osD^v<>pX*"


def read(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        raise ValueError("there are no rows")
    for row in rows:
        for key in ("dim", "p", "threads", "batch"):
            row[key] = int(row[key])
        for key in ("us_a_patch_median", "us_a_patch_min", "us_a_patch_max", "ns_a_volume_median", "link_us_a_patch"):
            row[key] = float(row[key])
    return rows


def title(rows, text):
    kinds = {row["label"] for row in rows}
    devices = ", ".join(sorted({row["device"] for row in rows}))
    if kinds == {"measured"}:
        return f"{text}\nmeasured on {devices}"
    return f"{text}\nMODEL: emulated device of given costs, not a GPU" + (f" (and measured: {devices})" if len(kinds) > 1 else "")


def volumes(row):
    return row["p"] ** row["dim"]


def groups(rows, *keys):
    found = collections.OrderedDict()
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def case(device, equation, dim, p):
    return f"{NAMES.get(equation, equation)} {dim}D, p = {p}, {device}"


def over_batches(rows, number, path):
    memory = FIGURES[number]
    rows = [row for row in rows if row["memory"] == memory]
    if not rows:
        return False
    panels = groups(rows, "device", "equation", "dim", "p")
    columns = min(3, len(panels))
    lines = -(-len(panels) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(1 + 3.6 * columns, 0.9 + 2.9 * lines), squeeze=False,
                                layout="constrained")
    colours = plt.get_cmap("viridis")
    threads = sorted({row["threads"] for row in rows})
    for axis, (key, panel) in zip(axes.flat, panels.items()):
        for number_of_threads, line in sorted(groups(panel, "threads").items()):
            i = threads.index(number_of_threads[0])
            line.sort(key=lambda row: row["batch"])
            x = [row["batch"] for row in line]
            scale = [1e-6 / volumes(row) for row in line]
            axis.plot(x, [1e-9 * row["ns_a_volume_median"] for row in line], marker=MARKERS[i % len(MARKERS)], markersize=4,
                      color=colours(i / max(1, len(threads) - 1) * 0.9), label=f"{number_of_threads[0]}")
            axis.fill_between(x, [row["us_a_patch_min"] * s for row, s in zip(line, scale)],
                              [row["us_a_patch_max"] * s for row, s in zip(line, scale)], alpha=0.12,
                              color=colours(i / max(1, len(threads) - 1) * 0.9), linewidth=0)
        link = 1e-6 * panel[0]["link_us_a_patch"] / volumes(panel[0])
        axis.axhline(link, color="#888888", linestyle="--", linewidth=1)
        axis.text(min(row["batch"] for row in panel), link, " link alone", va="bottom", fontsize=7, color="#666666")
        axis.set(xscale="log", yscale="log", xlabel="patches a batch", ylabel="s a volume update")
        axis.set_xscale("log", base=2)
        axis.set_title(case(*key), fontsize=9)
    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    axes.flat[0].legend(title="threads", fontsize=7, title_fontsize=7, ncol=2)
    figure.suptitle(title(rows, f"Figure {number}: memory {MEANINGS[memory]}"))
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return True


def over_patch_sizes(rows, path):
    panels = groups(rows, "device", "equation", "dim")
    figure, axes = plt.subplots(1, len(panels), figsize=(1 + 3.8 * len(panels), 3.8), squeeze=False, layout="constrained")
    for axis, (key, panel) in zip(axes.flat, panels.items()):
        for i, (memory, line) in enumerate(groups(panel, "memory").items()):
            best = {}
            for row in line:
                if row["p"] not in best or row["ns_a_volume_median"] < best[row["p"]]["ns_a_volume_median"]:
                    best[row["p"]] = row
            x = sorted(best)
            axis.plot(x, [1e-9 * best[p]["ns_a_volume_median"] for p in x], marker=MARKERS[i], label=memory[0], markersize=5)
        links = {row["p"]: 1e-6 * row["link_us_a_patch"] / volumes(row) for row in panel}
        axis.plot(sorted(links), [links[p] for p in sorted(links)], color="#888888", linestyle="--", label="link alone")
        axis.set(yscale="log", xlabel="p", ylabel="s a volume update, best setting", xticks=sorted(links))
        axis.set_title(f"{NAMES.get(key[1], key[1])} {key[2]}D, {key[0]}", fontsize=9)
    axes.flat[0].legend(fontsize=7)
    figure.suptitle(title(rows, "Figure 4: the best threads and batch for each patch size"))
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="scripts/plot-offload", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="CSV file of meander-bench-offload")
    parser.add_argument("directory", help="output directory of offload-1.png to offload-4.png")
    arguments = parser.parse_args(arguments)
    try:
        rows = read(arguments.csv)
        os.makedirs(arguments.directory, exist_ok=True)
    except (OSError, ValueError, KeyError) as error:
        print(f"plot-offload: {arguments.csv}: {error}", file=sys.stderr)
        return 2
    plt.rcParams.update(STYLE)
    for number in FIGURES:
        path = os.path.join(arguments.directory, f"offload-{number}.png")
        if over_batches(rows, number, path):
            print(path)
        else:
            print(f"SKIPPED Figure {number}: no rows with memory {FIGURES[number]}")
    path = os.path.join(arguments.directory, "offload-4.png")
    over_patch_sizes(rows, path)
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
