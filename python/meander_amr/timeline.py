# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Picture of a trace: activity of threads, queues and messages over a few steps."""
import argparse
import collections
import json
import math
import os
import sys

import matplotlib

from meander_amr import console
from meander_amr.errors import FileError, OptionError, read_text, reading

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

# Colours of Okabe and Ito, distinguishable for colour-blind readers. Waiting is light.
COLOURS = {"skeletons": "#D55E00", "traversal": "#E69F00", "enclaves": "#009E73", "enclave batch": "#56B4E9",
           "land batch": "#0072B2", "copy in": "#56B4E9", "update": "#009E73", "copy out": "#0072B2", "fluxes": "#CC79A7",
           "halos": "#F0E442", "halos of levels": "#F0E442", "fluxes of a level": "#CC79A7",
           "fill halos": "#B8B88A", "flux correction": "#8C564B", "regrid": "#7F7F7F", "output": "#444444",
           "checkpoint": "#222222"}
# Local time steps, by the level that is updated. Skeletons are hatched.
LEVEL_COLOURS = ["#08306B", "#2171B5", "#41AB5D", "#FE9929", "#CC4C02", "#7A0177"]
COLOURS |= {f"{kind} of level {n}": colour for kind in ("skeletons", "enclaves") for n, colour in enumerate(LEVEL_COLOURS)}
WAITING = "#E8E8E8"
SKIPPED = {"step", "offload batch", "write back", "call_host", "free"}  # shown by other events
LEGEND = {"enclave batch": "start of a batch", "copy in": None, "land batch": "end of a batch", "copy out": None,
          "update": None, "enclaves": "enclaves (threads), kernel (queues)", "halos": "halos under way",
          "fluxes": "fluxes under way", "halos of levels": "halos under way", "fluxes of a level": "fluxes under way"}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="scripts/plot-trace", description=__doc__)
    parser.add_argument("file", help="trace of `meander run --trace FILE`")
    parser.add_argument("--steps", metavar="FIRST:LAST", help="steps to show. Default: the middle two of the run")
    parser.add_argument("--ms", metavar="BEGIN:END", help="milliseconds to show, instead of steps")
    parser.add_argument("--output", help="path of the picture. Default: the file's name with .png")
    return parser.parse_args(arguments)


def read_rows(path):
    """Returns the names of the processes, and {(process, number): (title, [(name, begin, end, value)])} with times in ms, in
    the order of the file. Raises FileError."""
    rows = collections.OrderedDict()
    processes = {}
    with reading(path, "is no trace of meander"):
        for event in json.loads(read_text(path))["traceEvents"]:
            key = event["pid"], event["tid"]
            if event["name"] == "process_name":
                processes[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                rows[key] = event["args"]["name"], []
            elif event["ph"] == "X":
                begin = event["ts"] / 1000
                rows[key][1].append((event["name"], begin, begin + event["dur"] / 1000, event.get("args", {}).get("value")))
    return processes, rows


def kind(title):
    """Returns the sort key of a row: threads first, then queues, then messages."""
    return 0 if title.startswith("thread") else 2 if title.startswith("messages") else 1


def chosen_steps(arguments, known):
    """Returns the first and the last step to show, of the known ones. Raises OptionError, which names those."""
    least, most = min(known), max(known)
    if arguments.steps is None:
        first = sorted(known)[max(0, len(known) // 2 - 1)]
        return first, min(first + 1, most)
    try:
        first, last = map(int, arguments.steps.split(":"))
    except ValueError:
        first, last = None, None
    if first not in known or last not in known or first > last:
        there = f"steps {least} to {most}" if least < most else f"step {least} only"
        raise OptionError(f"{arguments.file}: --steps '{arguments.steps}': must be FIRST:LAST in ascending order; "
                        f"the trace has {there}")
    return first, last


def window(arguments, rows):
    """Returns begin and end of the picture, in ms."""
    if arguments.ms is not None:
        try:
            begin, end = map(float, arguments.ms.split(":"))
        except ValueError:
            begin, end = math.nan, math.nan
        if not begin < end or not math.isfinite(end - begin):
            raise OptionError(f"{arguments.file}: --ms '{arguments.ms}': must be BEGIN:END in ascending order, in milliseconds")
        return begin, end
    steps = {event[3]: event for _, events in rows.values() for event in events if event[0] == "step"}
    if not steps:
        raise FileError(f"{arguments.file}: there is no step in the trace: give --ms")
    first, last = chosen_steps(arguments, steps)
    return steps[first][1], steps[last][2]


def hatch(name):
    return "//////" if name.startswith("skeletons of level") else None


def draw(path, processes, rows, begin, end, output):
    shown = sorted(((key, row) for key, row in rows.items()), key=lambda item: (item[0][0], kind(item[1][0]), item[0][1]))
    shown = [(key, title, [e for e in events if e[2] > begin and e[1] < end and e[0] not in SKIPPED])
             for key, (title, events) in shown]
    shown = [row for row in shown if row[2]]
    if not shown:
        raise OptionError(f"{path}: from {begin:g} to {end:g} ms there is nothing in the trace")
    plt.rcParams.update({"font.size": 8, "figure.facecolor": "white"})
    figure, axes = plt.subplots(figsize=(11, 0.8 + 0.27 * len(shown)), layout="constrained")
    used, before, y, ticks = {}, None, 0, []
    for (process, _), title, events in shown:
        y += 1.5 if before is not None and process != before else 1
        before = process
        ticks.append((y, f"{processes[process]}: {title}" if len(processes) > 1 else title))
        # Nested events are drawn later, and therefore above the enclosing event.
        for name, first, last, value in sorted(events, key=lambda e: (e[1], -e[2])):
            waits = name.startswith("wait")
            colour = WAITING if waits else COLOURS.get(name, "#BBBBBB")
            used["waiting" if waits else name] = colour
            axes.broken_barh([(first - begin, last - first)], (y - 0.4, 0.8), facecolor=colour, linewidth=0.2, edgecolor="white",
                             hatch=hatch(name))
            if name == "update" and value is not None and last - first > 0.02 * (end - begin):
                axes.text((first + last) / 2 - begin, y, f"{value:g}", ha="center", va="center", fontsize=6, clip_on=True)
    axes.set_yticks([tick[0] for tick in ticks], [tick[1] for tick in ticks])
    axes.set_ylim(y + 0.6, 0.4)
    axes.set_xlim(0, end - begin)
    axes.set_xlabel(f"ms, from {begin:.1f} ms after the start")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    labels = {LEGEND.get(name, name): colour for name, colour in used.items() if LEGEND.get(name, name)}
    handles = [Patch(facecolor=colour, edgecolor="white", hatch=hatch(label), label=label) for label, colour in labels.items()]
    axes.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1), ncol=5, frameon=False)
    console.save(figure, output, 110)


def main(arguments=None):
    arguments = parse_arguments(arguments)

    def work():
        processes, rows = read_rows(arguments.file)
        begin, end = window(arguments, rows)
        output = console.place_of_picture(arguments.output or os.path.splitext(arguments.file)[0] + ".png")
        draw(arguments.file, processes, rows, begin, end, output)
        console.tell(output)
    return console.run("plot-trace", arguments.file, work)


if __name__ == "__main__":
    sys.exit(main())
