# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Slices with the outlines of the patches, and the partition along the curve."""
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import BoundaryNorm, SymLogNorm
from matplotlib.patches import Circle
from matplotlib.patheffects import withStroke

from meander_amr import accretion
from meander_amr.errors import OptionError
from meander_amr.plot.style import decade_ticks, default_field, magnitude, new_axes, part_colours, scale_of
from meander_amr.sampling import Slice

AXES = "xyz"


def patch_borders(cut, colour):
    """Yields the line segments of all patch borders, thinner and fainter for finer levels."""
    for level, corners, edge in cut.outlines:
        x, y = corners[:, 0], corners[:, 1]
        # Lower and left side of each patch: the neighbours draw the other sides.
        square = np.stack([np.stack([x, y + edge], 1), np.stack([x, y], 1), np.stack([x + edge, y], 1)], 1)
        depth = level - cut.outlines[0][0]
        yield LineCollection(square, colors=colour, linewidths=0.8 * 0.6 ** depth, alpha=max(0.2, 0.7 * 0.8 ** depth))


def show(axes, cut, image, norm, colours, outline_colour):
    shown = axes.imshow(image, origin="lower", extent=cut.extent, norm=norm, cmap=colours, interpolation="nearest")
    axes.set_facecolor("0.7")  # visible where values are not finite
    if outline_colour:
        for lines in patch_borders(cut, outline_colour):
            axes.add_collection(lines)
    axes.set(xlim=cut.extent[:2], ylim=cut.extent[2:], xlabel=AXES[cut.axes[0]], ylabel=AXES[cut.axes[1]])
    for side in axes.spines.values():
        side.set_visible(False)
    return shown


def colour_bar(axes, shown, label, ticks=None):
    bar = axes.figure.colorbar(shown, ax=axes, fraction=0.046, pad=0.02, ticks=ticks)
    bar.set_label(label)
    bar.outline.set_visible(False)


def figure_size(cut):
    """Returns the size in inches: proportions of the plane, with space for labels."""
    left, right, bottom, top = cut.extent
    share = np.clip((top - bottom) / (right - left), 0.15, 2)
    return (8.2, 7 * share + 0.9) if share <= 1 else (max(4.5, 7 / share + 1.2), 7.9)


def place_of(cut):
    return "" if cut.axis is None else f" at {AXES[cut.axis]} = {cut.at:.4g}"


# pylint: disable-next=redefined-builtin
def slice(snapshot, field=None, axis=None, at=None, outlines=True, axes=None, width=None, scale="auto"):
    """Draws a field in a plane, with the outlines of the patches; for vectors, the magnitude. Returns matplotlib's axes.

    axis, at, width: as in Snapshot.slice. scale: auto, linear, log or symlog, as in style.scale_of. For accretion runs, draws the theoretical
    turnaround and shock radii.
    """
    field = default_field(snapshot, field)
    cut = Slice(snapshot, field, axis, at, width=width)
    axes = new_axes(axes, figure_size(cut))
    image = magnitude(snapshot, field, cut.image)
    norm, colours = scale_of(field, image, scale)
    shown = show(axes, cut, image, norm, colours, "white" if outlines else None)
    ticks = norm.boundaries[:-1] + 0.5 if field == "level" and isinstance(norm, BoundaryNorm) else None
    colour_bar(axes, shown, field, decade_ticks(norm) if isinstance(norm, SymLogNorm) else ticks)
    numbers = [level for level, _, _ in cut.outlines]
    levels = f"levels {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"level {numbers[0]}"
    axes.set_title(f"{field}{place_of(cut)}: {levels}, patches of "
                   f"{snapshot.p}$^{snapshot.dim}$ volumes" + (" outlined" if outlines else ""), loc="left")
    if snapshot.scenario["name"] == "accretion":
        draw_circles(axes, snapshot, cut)
    return axes


def draw_circles(axes, snapshot, cut):
    """Draws the circles in which the slice intersects the spheres of the marked radii."""
    centre = snapshot.centre
    across = 0 if cut.axis is None else cut.at - centre[cut.axis]
    for (radius, _), style in zip(accretion.marked_radii(snapshot), ("--", ":")):
        if radius > abs(across):
            circle = Circle(centre[cut.axes], np.sqrt(radius ** 2 - across ** 2), fill=False, color="cyan", lw=1.2, ls=style)
            circle.set_path_effects([withStroke(linewidth=2.6, foreground="black")])  # visible on bright colours, too
            axes.add_patch(circle)


def leaves_each(size):
    if len(size) == 1:
        return f"{size[0]} leaves"
    return f"{size.min()} to {size.max()} leaves each" if size.min() < size.max() else f"{size[0]} leaves each"


def partition(snapshot, parts=None, axis=None, at=None, curve=None, axes=None):
    """Draws the pieces of the Peano curve in colours, in 2D with the curve itself. Returns matplotlib's axes.

    parts: None: the ranks that wrote the file; a number: that number of pieces with equal numbers of leaves, by
    Snapshot.partition. curve: whether to draw the curve; None: in 2D with at most 20000 leaves.
    """
    cut = Slice(snapshot, "curve_index", axis, at)
    axes = new_axes(axes, figure_size(cut))
    part = snapshot.partition(parts)
    number = int(part.max()) + 1
    norm, colours = part_colours(number)
    shown = show(axes, cut, part[cut.image.astype(int)], norm, colours, "white")
    what = "rank" if parts is None else "part"
    colour_bar(axes, shown, what, np.arange(number) if number <= 16 else None)
    if curve or (curve is None and snapshot.dim == 2 and snapshot.leaves <= 20000):
        if snapshot.dim == 3:
            raise OptionError("the curve is drawn in 2D only: in 3D it leaves the plane of the slice")
        middle = np.empty((snapshot.leaves, 2))
        for level in snapshot.levels:
            middle[level.leaves] = level.lower + 0.5 * level.edge
        axes.plot(*middle.T, color="black", lw=np.clip(10 / snapshot.leaves ** 0.5, 0.25, 1.0), alpha=0.8)
    held, size = np.unique(part, return_counts=True)
    if len(held) < number:
        size = np.append(size, 0)  # ranks without leaves
    made = f"{number} rank{'s' * (number > 1)} of the run" if parts is None else \
        f"cut into {number} equal parts, not the run's ranks"
    axes.set_title(f"Peano curve{place_of(cut)}: {made}, {leaves_each(size)}", loc="left")
    return axes
