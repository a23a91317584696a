# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Orders of convergence: runs an input with an exact solution at several resolutions.

Prints the errors at the end of each run and the orders between them, and writes convergence.csv and convergence.png. Errors are
the columns error_... of history.csv: scenario.name = "formulas" with a table [scenario.exact], gauge-wave, linear-wave and others have
them. Of plot files, the runs write only the first and the last."""
import argparse
import collections
import csv
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

from meander_amr import console
from meander_amr.errors import FileError, OptionError, words_of
from meander_amr.history import History

LEAST_PATCH, MOST_PATCH = 3, 32
MOST_LEVELS = 8
# Before the keys of the command line, which may differ: neither plots nor checkpoints in between, and history rows at the ends.
QUIET = ("output.plot-every=0", "output.plot-steps=0", "output.plot-times=[]", "output.history-steps=1000000000",
         "checkpoint.every-steps=0", "checkpoint.every-minutes=0")
INFORMATION = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d I ")
MOST_SLOPES = 4
MARKERS = "osD^v<>pX*"

# A resolution, and the width of its smallest volumes.
Resolution = collections.namedtuple("Resolution", "min_level max_level patch_size width")
# Values of each column at the end of a run.
Result = collections.namedtuple("Result", "resolution time errors")


class RunFailed(Exception):
    """A run of the program that failed. The text is the program's."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def count(least, most):
    """A whole number in a range, for argparse."""
    def parse(text):
        if not re.fullmatch(r"\d{1,9}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}, but is {text}")
        return int(text)
    return parse


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="scripts/convergence", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="Exit codes: 0 done, 1 no program or a Python package is missing, 2 an invalid input or "
                                     "option, or no exact solution; that of a run that fails.")
    parser.add_argument("input", metavar="INPUT", help="input file (TOML)")
    parser.add_argument("--levels", type=count(2, MOST_LEVELS), default=3, metavar="N", help="number of resolutions. Default: 3")
    parser.add_argument("--by", choices=("level", "patch-size"), default="level",
                        help="level, the default: mesh.min-level, mesh.max-level and levels of criteria are raised by one, so that each resolution has "
                        "volumes a third as wide. Any input allows this, and patches, halos and refinement stay alike. A run costs 27 times "
                        "as much in 2D, 81 times in 3D. patch-size: mesh.patch-size is doubled, for 8 and 16 times the cost; it "
                        f"begins with the input's, or a smaller one so that the last is at most {MOST_PATCH}")
    parser.add_argument("--set", action="append", default=[], metavar="TABLE.KEY=VALUE", dest="keys",
                        help="replaces a key of the input; can be repeated")
    parser.add_argument("--ranks", type=count(1, 100000), metavar="N", help="runs under mpirun with N ranks")
    parser.add_argument("--threads", type=count(1, 4096), metavar="N", help="threads of each rank. Default: the program's")
    parser.add_argument("--output", metavar="DIR", help="directory for table, picture and the directories of the runs; must not exist or "
                        "be empty. Default: a new one, output/convergence-NAME-NNN")
    parser.add_argument("--meander", default=os.environ.get("MEANDER"), metavar="PROGRAM",
                        help="the program. Default: the environment variable MEANDER, or the program that scripts/run has built")
    return parser.parse_args(arguments)


def run_program(options, output, keys):
    """Runs the input. Raises RunFailed with the messages of the program, without those that only inform."""
    launcher = [] if options.ranks is None else [os.environ.get("MPIEXEC", "mpirun"), "--oversubscribe", "--bind-to", "none", "-np",
                                                 str(options.ranks)]
    command = [*launcher, options.meander, "run", options.input, "--output", output]
    if options.threads is not None:
        command += ["--threads", str(options.threads)]
    for key in (*QUIET, *options.keys, *keys):
        command += ["--set", key]
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **os.environ}
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=environment, check=False)
    except OSError as error:
        raise RunFailed(f"{command[0]}: cannot be started ({words_of(error)})", 1) from error
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if not INFORMATION.match(line)]
        code = done.returncode if done.returncode > 0 else 128 - done.returncode
        raise RunFailed("\n".join(lines) or f"{command[0]} ended with exit code {code} and no message", code)


def read_input(directory):
    """Returns the input of a run with all defaults."""
    with open(os.path.join(directory, "input.toml"), "rb") as stream:
        return tomllib.load(stream)


def resolution_of(resolved):
    """Returns the resolution of an input with all defaults."""
    mesh, domain = resolved["mesh"], resolved["domain"]
    cell = (domain["upper"][0] - domain["lower"][0]) / domain["cells"][0]
    level = next(level for level in range(64) if 3 ** level >= max(domain["cells"]))  # of the base cells
    finest = mesh["max-level"] if resolved.get("refinement") else mesh["min-level"]
    return Resolution(mesh["min-level"], finest, mesh["patch-size"], cell / 3 ** (finest - level) / mesh["patch-size"])


def resolutions(options, resolved):
    """Returns the keys of each resolution, coarsest first. Raises OptionError."""
    mesh = resolved["mesh"]
    if options.by == "level":
        # Criteria may name levels of their own; 0 stands for mesh.max-level.
        levels = {f"mesh.{end}-level": mesh[f"{end}-level"] for end in ("min", "max")}
        for number, criterion in enumerate(resolved.get("refinement", [])):
            if criterion.get("level", 0) > 0:
                levels[f"refinement[{number}].level"] = criterion["level"]
        return [[f"{key}={level + more}" for key, level in levels.items()] for more in range(options.levels)]
    first = min(mesh["patch-size"], MOST_PATCH >> options.levels - 1)
    if first < LEAST_PATCH:
        most = (MOST_PATCH // LEAST_PATCH).bit_length()
        raise OptionError(f"--levels {options.levels}: patch sizes from {LEAST_PATCH} to {MOST_PATCH} can be doubled {most - 1} times, which "
                          f"is --levels {most}; use --by level")
    return [[f"mesh.patch-size={first << more}"] for more in range(options.levels)]


def probe(options):
    """Takes one step. Returns the input with all defaults, and the columns with errors. Raises FileError if there are none."""
    with tempfile.TemporaryDirectory(prefix="meander-convergence-") as scratch:
        directory = os.path.join(scratch, "probe")
        run_program(options, directory, ["time.max-steps=1"])
        resolved = read_input(directory)
        columns = [name for name in History(os.path.join(directory, "history.csv")).columns if name.startswith("error_")]
    if not columns:
        name = resolved["scenario"]["name"]
        hint = "; give the table [scenario.exact]" if name == "formulas" else f", which the scenario '{name}' does not have"
        raise FileError(f"{options.input}: has no exact solution to compare with: the history has no columns error_...{hint}")
    return resolved, columns


def measure(options, keys, columns, directory):
    """Runs one resolution. Returns its Result."""
    run_program(options, directory, keys)
    history = History(os.path.join(directory, "history.csv"))
    return Result(resolution_of(read_input(directory)), history["time"][-1], {name: history[name][-1] for name in columns})


def order(coarse, fine, name):
    """Returns the order of one column between two results; nan where an error is 0 or not finite."""
    before, after = coarse.errors[name], fine.errors[name]
    if not (0 < before < math.inf and 0 < after < math.inf):
        return math.nan
    return math.log(before / after) / math.log(coarse.resolution.width / fine.resolution.width)


def orders(results, name):
    """Returns the order from each result to the next, after nan for the first."""
    return [math.nan] + [order(*pair, name) for pair in zip(results, results[1:])]


def rows(results, columns, written):
    """Yields the rows of a table, titles first. `written` gives the text of a number: (value, is_order)."""
    yield ["min_level", "max_level", "patch_size", "width", "time",
           *(title for name in columns for title in (name, name.replace("error", "order", 1)))]
    of_column = {name: orders(results, name) for name in columns}
    for n, (resolution, end, errors) in enumerate(results):
        cells = [cell for name in columns for cell in (written(errors[name], False), written(of_column[name][n], True))]
        yield [*map(str, resolution[:3]), written(resolution.width, False), written(end, False), *cells]


def for_people(value, is_order):
    if is_order:
        return "-" if math.isnan(value) else f"{round(value, 2) + 0.0:.2f}"  # no -0.00
    return f"{value:.4g}"


def for_programs(value, is_order):
    return "" if is_order and math.isnan(value) else repr(float(value))


def text_of(table):
    """Returns the lines of a table with aligned columns."""
    table = list(table)
    widths = [max(map(len, column)) for column in zip(*table)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in table)


def slopes(results, columns):
    """Returns the whole orders next to those of the finest two resolutions, for lines of reference."""
    last = [value for name in columns for value in orders(results, name)[-1:] if not math.isnan(value)]
    if not last:
        return []
    first, end = max(1, math.floor(min(last) + 0.25)), max(1, math.ceil(max(last) - 0.25))
    return list(range(first, end + 1))[-MOST_SLOPES:]


def draw(results, columns, title, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from meander_amr.plot.style import STYLE
    plt.rcParams.update(STYLE)
    figure, axes = plt.subplots(figsize=(6, 4.6), layout="constrained")
    widths = [result.resolution.width for result in results]
    for name, marker in zip(columns, MARKERS * len(columns)):
        last = orders(results, name)[-1]
        values = [result.errors[name] if result.errors[name] > 0 else math.nan for result in results]
        axes.plot(widths, values, marker=marker, label=name if math.isnan(last) else f"{name}, order {last:.2f}")
    largest = max((result.errors[name] for result in results[-1:] for name in columns), default=math.nan)
    for slope in slopes(results, columns) if 0 < largest < math.inf else []:
        line = [1.6 * largest * (width / widths[-1]) ** slope for width in widths]
        axes.plot(widths, line, color="#999999", linestyle="--", linewidth=1, zorder=0)
        axes.annotate(f"order {slope}", (widths[0], line[0]), textcoords="offset points", xytext=(4, 0), va="center",
                      fontsize=8, color="#666666")
    axes.set(xscale="log", yscale="log", xlabel="width of the smallest volumes", ylabel=f"error at t = {results[-1].time:g}",
             title=title)
    axes.set_xticks(widths, [f"{width:.3g}" for width in widths])
    axes.minorticks_off()
    axes.set_xlim(0.8 * widths[-1], 1.6 * widths[0])
    axes.legend(fontsize=8)
    console.save(figure, path, 130)


def output_directory(options):
    """Returns a new directory. Raises FileError."""
    path = options.output
    if path is None:
        stem, number = os.path.splitext(os.path.basename(options.input))[0], 1
        while os.path.exists(path := f"output/convergence-{stem}-{number:03d}"):
            number += 1
    try:
        os.makedirs(path, exist_ok=True)
        if os.listdir(path):
            raise FileError(f"{path}: exists and is not empty; choose another output directory with --output")
    except OSError as error:
        raise FileError(f"{path}: cannot be created ({words_of(error)})") from error
    return path


def compare(options):
    """Runs all resolutions and writes table and picture."""
    if options.input == "-":
        raise OptionError("the input is read several times and must be a file, not standard input")
    if shutil.which(options.meander) is None:
        raise RunFailed(f"convergence: {options.meander}: no such program; scripts/run builds it, or give --meander", 1)
    resolved, columns = probe(options)
    chosen = resolutions(options, resolved)
    directory = output_directory(options)
    picture = console.place_of_picture(os.path.join(directory, "convergence.png"))
    results = []
    for number, keys in enumerate(chosen, 1):
        print(f"run {number} of {len(chosen)}: {', '.join(keys)} ...", file=sys.stderr, flush=True)
        begin = time.monotonic()
        results.append(measure(options, keys, columns, os.path.join(directory, f"run-{number}")))
        print(f"  {time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)
    if any(abs(result.time - results[0].time) > 1e-9 * abs(results[0].time) for result in results):
        raise FileError(f"{options.input}: the runs end at different times ({', '.join(f'{result.time:g}' for result in results)}), so that "
                        "their errors cannot be compared: give time.end, and no time.max-steps")
    with open(os.path.join(directory, "convergence.csv"), "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows(results, columns, for_programs))
    draw(results, columns, os.path.basename(options.input), picture)
    console.tell(text_of(rows(results, columns, for_people)))
    console.tell(f"table: {os.path.join(directory, 'convergence.csv')}\npicture: {picture}")


def main(arguments=None):
    options = parse_arguments(arguments)
    options.meander = options.meander or "meander"
    try:
        return console.run("convergence", options.input, lambda: compare(options))
    except RunFailed as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
