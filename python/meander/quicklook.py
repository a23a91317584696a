# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a plot file: a slice with the outlines of the patches, and a profile."""
import argparse
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.colors import BoundaryNorm, LogNorm, Normalize, TwoSlopeNorm  # noqa: E402

from meander import accretion  # noqa: E402
from meander.plot_file import PlotFile, PlotFileError, last_of_series  # noqa: E402
from meander.sampling import Samples, Slice  # noqa: E402

AXES = "xyz"
UNITS = {"accretion": "comoving"}
RADIAL_SCENARIOS = ("accretion", "sedov", "vortex")
STYLE = {"font.size": 10, "axes.titlesize": 11, "axes.spines.top": False, "axes.spines.right": False,
         "legend.frameon": False, "figure.facecolor": "white"}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="scripts/plot", description=__doc__)
    parser.add_argument("file", help="plot_*.vtkhdf, or plot.vtkhdf.series for the last one")
    parser.add_argument("--field", help="what to show (a vector: its magnitude); density, lapse, or the file's first")
    parser.add_argument("--axis", choices=list(AXES), help="normal of the slice in 3D; the domain's shortest axis")
    parser.add_argument("--at", type=float, help="where the slice cuts the axis; the scenario's centre")
    parser.add_argument("--radial", action="store_true", help="a radial profile whatever the scenario")
    parser.add_argument("--line", action="store_true", help="a profile along the longest axis whatever the scenario")
    parser.add_argument("--no-outlines", action="store_true", help="without the outlines of the patches")
    parser.add_argument("--output", help="the picture; the file's name with .png")
    return parser.parse_args(arguments)


def field_to_show(plot, wanted):
    """The field asked for, or the one most likely to be wanted."""
    if wanted is None:
        return next((name for name in ("density", "lapse") if name in plot.fields), plot.fields[0])
    plot.check_field(wanted)
    return wanted


def scale_of(name, values):
    """Normalisation and colour map that suit a field."""
    low, high = np.nanmin(values), np.nanmax(values)
    if name == "level":
        levels = np.arange(low, high + 2) - 0.5
        return BoundaryNorm(levels, 256), "viridis"
    if low < 0 < high and name != "curve_index":
        bound = max(-low, high)
        return TwoSlopeNorm(0, -bound, bound), "RdBu_r"
    if low > 0 and high > 30 * low:
        return LogNorm(low, high), "inferno"
    return Normalize(low, high if high > low else low + 1e-300 + abs(low) * 1e-6), "inferno"


def outlines(cut):
    """Line segments of all patch borders, thinner and fainter for finer levels."""
    for level, corners, edge in cut.outlines:
        x, y = corners[:, 0], corners[:, 1]
        # Lower and left side of each patch: those of its neighbours make the rest.
        square = np.stack([np.stack([x, y + edge], 1), np.stack([x, y], 1), np.stack([x + edge, y], 1)], 1)
        depth = level - cut.outlines[0][0]
        yield LineCollection(square, colors="white", linewidths=0.8 * 0.6 ** depth, alpha=max(0.2, 0.7 * 0.8 ** depth))


def draw_slice(figure, axes, plot, field, axis, at, with_outlines):
    cut = Slice(plot, field, axis, at)
    norm, colours = scale_of(field, cut.image)
    image = axes.imshow(cut.image, origin="lower", extent=cut.extent, norm=norm, cmap=colours, interpolation="nearest")
    if with_outlines:
        for lines in outlines(cut):
            axes.add_collection(lines)
    axes.set(xlim=cut.extent[:2], ylim=cut.extent[2:], xlabel=AXES[cut.axes[0]], ylabel=AXES[cut.axes[1]])
    for side in axes.spines.values():
        side.set_visible(False)
    bar = figure.colorbar(image, ax=axes, fraction=0.046, pad=0.02,
                          ticks=np.unique(cut.image[np.isfinite(cut.image)]) if field == "level" else None)
    bar.set_label(field)
    bar.outline.set_visible(False)
    place = "" if axis is None else f" at {AXES[axis]} = {at:.4g}"
    numbers = [level for level, _, _ in cut.outlines]
    axes.set_title(f"{field}{place}: levels {numbers[0]} to {numbers[-1]}, patches of "
                   f"{plot.p}$^{plot.dim}$ volumes outlined", loc="left")
    return cut


def draw_circles(axes, plot, axis, at):
    """The marked radii, where the slice cuts their spheres."""
    centre = plot.centre
    across = 0 if axis is None else at - centre[axis]
    inplane = [centre[a] for a in range(plot.dim) if a != axis]
    for (radius, _), style in zip(accretion.marked_radii(plot), ("--", ":")):
        if radius > abs(across):
            axes.add_patch(plt.Circle(inplane, np.sqrt(radius ** 2 - across ** 2), fill=False, color="cyan", lw=1.2,
                                      ls=style))


def scatter(axes, samples, most=30000):
    """A share of the volumes as points, coloured by level, coarse ones below."""
    generator = np.random.default_rng(1)
    numbers = np.unique(samples.level)
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.85, len(numbers)))
    for number, colour in zip(numbers, colours):
        chosen = np.flatnonzero(samples.level == number)
        if len(chosen) > most // len(numbers):
            share = samples.share[chosen]
            chosen = generator.choice(chosen, most // len(numbers), replace=False, p=share / share.sum())
        axes.scatter(samples.x[chosen], samples.value[chosen], s=4, color=colour, alpha=0.35, lw=0, rasterized=True,
                     label=f"level {number}")


def finish_profile(axes, field, values, title):
    norm, _ = scale_of(field, values)
    if isinstance(norm, LogNorm):
        axes.set_yscale("log")
    axes.set_ylabel(field)
    axes.set_title(title, loc="left")
    axes.grid(alpha=0.25, lw=0.5)
    legend = axes.legend(loc="best", markerscale=3)
    for handle in legend.legendHandles:
        handle.set_alpha(1)


def draw_radial(axes, plot, field):
    centre = plot.centre
    samples = Samples(plot, field, radius_from=centre)
    reach = np.min(np.minimum(centre - plot.lower, plot.upper - centre))
    finest = plot.levels[-1].spacing
    is_accretion = plot.scenario["name"] == "accretion"
    scatter(axes, samples)
    if is_accretion:
        edges = np.geomspace(finest, reach, 60)
        axes.set_xscale("log")
        axes.set_xlim(0.5 * finest, reach)
    else:
        edges = np.linspace(0, reach, int(min(200, max(20, reach / finest / 2))))
        axes.set_xlim(0, reach)
    axes.plot(*samples.means(edges), color="crimson", lw=1.6, label="volume-weighted mean")
    if is_accretion:
        for (radius, words), style in zip(accretion.marked_radii(plot), ("--", ":")):
            axes.axvline(radius, color="black", ls=style, lw=1.2, label=f"{words} {radius:.3g}")
    axes.set_xlabel("radius" + (f" ({UNITS[plot.scenario['name']]})" if plot.scenario["name"] in UNITS else ""))
    finish_profile(axes, field, samples.value, "radial profile about (" + ", ".join(f"{c:.4g}" for c in centre) + ")")


def draw_line(axes, plot, field):
    size = plot.upper - plot.lower
    along = AXES.index(plot.scenario["axis"]) if "axis" in plot.scenario else int(np.argmax(size))
    samples = Samples(plot, field, along=along)
    scatter(axes, samples)
    edges = np.arange(plot.lower[along], plot.upper[along] + 0.5 * plot.levels[0].spacing, plot.levels[0].spacing)
    if plot.scenario["name"] != "sod":
        axes.plot(*samples.means(edges), color="crimson", lw=1.6, label="volume-weighted mean")
    axes.set_xlim(plot.lower[along], plot.upper[along])
    axes.set_xlabel(AXES[along])
    finish_profile(axes, field, samples.value, f"all volumes along {AXES[along]}")


def choose_slice(plot, arguments):
    """Axis and place of the slice; (None, None) in 2D."""
    if plot.dim == 2:
        if arguments.axis or arguments.at is not None:
            raise PlotFileError(f"{plot.path}: is 2D; --axis and --at are for 3D")
        return None, None
    size = plot.upper - plot.lower
    shortest = max(a for a in range(3) if size[a] <= size.min() * (1 + 1e-9))
    axis = AXES.index(arguments.axis) if arguments.axis else shortest
    at = plot.centre[axis] if arguments.at is None else arguments.at
    if not plot.lower[axis] <= at <= plot.upper[axis]:
        raise PlotFileError(f"--at {at:g}: the domain reaches from {plot.lower[axis]:g} to {plot.upper[axis]:g} "
                            f"along {AXES[axis]}")
    return axis, at


def make_picture(plot, arguments, output):
    axis, at = choose_slice(plot, arguments)
    shown = [a for a in range(plot.dim) if a != axis]
    size = (plot.upper - plot.lower)[shown]
    radial = not arguments.line and (arguments.radial or plot.scenario["name"] in RADIAL_SCENARIOS)
    with plt.rc_context(STYLE):
        if size[0] > 2 * size[1]:
            # The slice as wide as the figure, and 4.5 inches for the profile.
            width = 11
            height = 1 + 0.9 * width * size[1] / size[0]
            figure, panels = plt.subplots(2, 1, figsize=(width, height + 4.5), height_ratios=[height, 4.5],
                                          layout="constrained")
        else:
            figure, panels = plt.subplots(1, 2, figsize=(14, 6.2), width_ratios=[1.08, 1], layout="constrained")
        draw_slice(figure, panels[0], plot, arguments.field, axis, at, not arguments.no_outlines)
        if plot.scenario["name"] == "accretion":
            draw_circles(panels[0], plot, axis, at)
        if radial:
            draw_radial(panels[1], plot, arguments.field)
        else:
            draw_line(panels[1], plot, arguments.field)
        time = f"t = {plot.time:.4g}"
        if plot.scenario["name"] == "accretion":
            time = f"scale factor a = {accretion.scale_factor(plot.time):.3g}"
        figure.suptitle(f"{plot.scenario['name']}, {plot.dim}D, {time}, step {plot.step}, {plot.patches} patches",
                        x=0.01, ha="left", fontsize=13, fontweight="bold")
        figure.savefig(output, dpi=130)
        plt.close(figure)


def main(arguments=None):
    arguments = parse_arguments(arguments)
    try:
        path = arguments.file
        if not os.path.exists(path):
            raise PlotFileError(f"{path}: no such file")
        if path.endswith(".series"):
            path = last_of_series(path)
        plot = PlotFile(path)
        arguments.field = field_to_show(plot, arguments.field)
        output = arguments.output or os.path.splitext(path)[0] + ".png"
        make_picture(plot, arguments, output)
    except (PlotFileError, OSError) as error:
        print(f"scripts/plot: {error}", file=sys.stderr)
        return 1
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
