# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the files of a run: fields and partition of plot files and checkpoints, and histories."""
import argparse
import math
import os
import re
import sys

from meander_amr import FileError, console, open as open_file
from meander_amr.errors import OptionError

KINDS = {"overview": "a slice and a profile", "slice": "a slice with the outlines of the patches",
         "radial": "a radial profile", "line": "a profile along the longest axis",
         "image": "a file of output in the run: slice_*, projection_*, box_*",
         "partition": "the pieces of the curve that the ranks hold", "history": "columns of history.csv over time",
         "psi4": "gravitational waves in history.csv",
         "waves": "waveforms from the modes of Psi4 in a run's directory, with tables of what was radiated",
         "tracks": "tracks of punctures and masses of horizons, of a run's directory"}
OF_RUN = ("waves", "tracks")
OF_HISTORY = ("history", "psi4")
IMAGES = ("slice", "projection", "box", "sphere")  # kinds of files that are images
# Options that only some kinds of pictures accept, with these kinds.
TAKEN_BY = {"field": ("overview", "slice", "radial", "line", "image"), "axis": ("overview", "slice", "partition"),
            "at": ("overview", "slice", "partition"), "radial": ("overview",), "line": ("overview",),
            "width": ("slice",), "no_outlines": ("overview", "slice"), "parts": ("partition",), "columns": OF_HISTORY,
            "scale": ("overview", "slice", "radial", "line", "image", *OF_HISTORY), "mass": ("waves",), "lowest": ("waves",),
            "junk": ("waves",), "taper": ("waves",)}
SCALES = ("auto", "linear", "log", "symlog")
NEGATIVE = re.compile(r"-(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)


def number(text):
    """A finite number, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must be a finite number, but is {text}")
    return value


def width(text):
    """A width in the units of the run, for argparse."""
    value = number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be a finite number greater than 0, but is {text}")
    return value


def joined(arguments):
    """Returns arguments with negative numbers joined to the option before, as in --at=-1e-3. argparse takes -1e-3 for an option."""
    result = []
    for word in arguments:
        if NEGATIVE.fullmatch(word) and result and re.fullmatch("--[a-z]+", result[-1]):
            result[-1] += "=" + word
        else:
            result.append(word)
    return result


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="meander-plot", description=__doc__)
    parser.add_argument("file", help="plot_*.vtkhdf, chk_*.hdf5, *.vtkhdf.series, history.csv, slice_*.vtkhdf and others of output in the run, or a "
                        "run's directory (its last plot file, or its history)")
    parser.add_argument("--show", choices=list(KINDS), metavar="WHAT",
                        help="; ".join(f"{kind}: {words}" for kind, words in KINDS.items()) +
                        ". Default: overview, history for history.csv and probe_*.csv, and image for output in the run")
    parser.add_argument("--field",
                        help="field to show (a vector: its magnitude). Default: density, lapse, or the file's first field")
    parser.add_argument("--axis", choices=["x", "y", "z"],
                        help="normal of the slice in 3D. Default: the domain's shortest axis")
    parser.add_argument("--at", type=number, help="position of the slice on the axis. Default: the scenario's centre")
    parser.add_argument("--width", type=width,
                        help="slice: width of the region around the scenario's centre. Default: the whole domain")
    parser.add_argument("--radial", action="store_true", help="overview: a radial profile for any scenario")
    parser.add_argument("--line", action="store_true", help="overview: a profile along an axis for any scenario")
    parser.add_argument("--scale", choices=SCALES,
                        help="of colours and of the axis of values. auto, the default: logarithmic for values that span "
                        "decades, symlog (logarithmic on both sides of 0) if they are not all positive")
    parser.add_argument("--no-outlines", action="store_true", help="omit the outlines of the patches")
    parser.add_argument("--parts", type=int, metavar="N", help="partition: N equal pieces instead of the run's ranks")
    parser.add_argument("--columns",
                        help="history, psi4: names of columns, separated by commas. Default: all numbers that change")
    parser.add_argument("--mass", type=width, help="waves: total mass M, for extrapolation and ringdown. Default: 1")
    parser.add_argument("--lowest", type=width, metavar="W",
                        help="waves: least physical angular frequency of modes with m = 0 and 1, of others times m; integration damps "
                        "lower ones. Default: 0.1 / M")
    parser.add_argument("--junk", type=number, metavar="T",
                        help="waves: omits times before the radius of each sphere plus T, when the junk of initial data passes. Default: none")
    parser.add_argument("--taper", type=width, metavar="T",
                        help="waves: time over which both ends of the series rise from 0, at most a quarter of them. Default: 50 M")
    parser.add_argument("--output", help="path of the picture. Default: the file's name with .png")
    return parser.parse_args(joined(sys.argv[1:] if arguments is None else arguments))


def draw(data, kind, options):
    """Returns the figure of one kind."""
    from meander_amr import plot  # slow import, not required for --help
    columns = options.columns.split(",") if options.columns else None
    scale = options.scale or "auto"
    if kind == "history":
        return plot.history(data, columns, scale)[0].figure
    if kind == "psi4":
        return plot.psi4(data, columns, options.scale or "linear")[0].figure
    if kind == "image":
        return plot.image(data, options.field, scale=scale).figure
    outlines = not options.no_outlines
    if kind == "overview":
        radial = False if options.line else True if options.radial else None
        return plot.overview(data, options.field, options.axis, options.at, radial, outlines, scale)
    if kind == "slice":
        return plot.slice(data, options.field, options.axis, options.at, outlines, width=options.width, scale=scale).figure
    if kind == "radial":
        return plot.radial_profile(data, options.field, scale=scale).figure
    if kind == "line":
        return plot.line_profile(data, options.field, scale=scale).figure
    return plot.partition(data, options.parts, options.axis, options.at).figure


def check_options(options, kind):
    """Raises OptionError if an option was given that this kind of picture does not have, or that contradicts another one."""
    for name, kinds in TAKEN_BY.items():
        if getattr(options, name) not in (None, False) and kind not in kinds:
            raise OptionError(f"--{name.replace('_', '-')}: is no option of '{kind}', but of {', '.join(kinds)}")
    if options.radial and options.line:
        raise OptionError("--radial and --line: are two profiles, of which an overview has one")


def run_picture(options):
    """Returns the figure of a whole run. For waves, prints their table."""
    from meander_amr import plot, waves
    check_options(options, options.show)
    if options.show == "tracks":
        return plot.tracks(options.file)[0].figure
    mass = options.mass or 1.0
    psi4 = waves.read(options.file)
    report = waves.report(psi4, mass, options.lowest or 0.1 / mass, options.taper or 50 * mass, options.junk)
    console.tell("\n".join(report.lines()))
    return plot.waveforms(psi4, report, mass)[0].figure


def picture(options):
    """Draws the requested picture and returns its path. Raises FileError, OptionError."""
    if options.show in OF_RUN:
        if not os.path.isdir(options.file):
            raise FileError(f"{options.file}: is no directory of a run, which --show {options.show} needs")
        output = console.place_of_picture(options.output or os.path.join(options.file, f"{options.show}.png"))
        console.save(run_picture(options), output, 130)
        return output
    of_history = os.path.isdir(options.file) and options.show in OF_HISTORY
    data = open_file(os.path.join(options.file, "history.csv") if of_history else options.file)
    if data.kind == "series":
        data = data[-1]
    default = "history" if data.kind == "history" else "image" if data.kind in IMAGES else "overview"
    kind = options.show or default
    if (data.kind == "history") != (kind in OF_HISTORY) or (data.kind in IMAGES) != (kind == "image"):
        raise FileError(f"{options.file}: is a {data.kind}, of which there is no '{kind}'")
    check_options(options, kind)
    output = console.place_of_picture(
        options.output or os.path.splitext(data.path)[0] + ("" if kind == default else "_" + kind) + ".png")
    console.save(draw(data, kind, options), output, 130)
    return output


def main(arguments=None):
    options = parse_arguments(arguments)
    os.environ.setdefault("HDF5_PLUGIN_PRELOAD", "::")  # HDF5 loads no libraries for filters

    def work():
        import matplotlib
        matplotlib.use("Agg")
        console.tell(picture(options))
    return console.run("meander-plot", options.file, work)
