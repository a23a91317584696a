# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Slices, projections and boxes of output in the run."""
import numpy as np
from matplotlib.colors import BoundaryNorm, SymLogNorm

from meander_amr.errors import OptionError, check_name
from meander_amr.plot.slices import colour_bar
from meander_amr.plot.style import decade_ticks, new_axes, scale_of, set_value_scale

AXES = "xyz"


def default_field(image, wanted=None):
    """Returns the requested field, or else density, lapse or the first field. Raises FileError."""
    if wanted is None:
        return next((name for name in ("density", "lapse") if name in image.fields), image.fields[0])
    check_name(image.path, "field", wanted, image.fields)
    return wanted


def image(data, field=None, axes=None, scale="auto"):
    """Draws a field of an Image with pixels: in two dimensions as a picture, of a box its middle layer, along one axis as a line; for vectors, the magnitude.
    Returns matplotlib's axes. Raises OptionError for images of cells."""
    field = default_field(data, field)
    if not data.axes:
        raise OptionError(f"{data.path}: has cells, which ParaView shows; there is a picture of pixels only")
    values = data[field]
    if field in data.vectors:
        values = np.linalg.norm(values, axis=-1)
    title = f"{data.kind} {data.name}: {field}"
    if len(data.axes) == 1:
        axes = new_axes(axes, (7, 4.5))
        axes.plot(data.centres(data.axes), values, lw=1.2)
        set_value_scale(axes, field, values, scale)
        axes.set(xlabel=data.axes, ylabel=field)
        axes.grid(alpha=0.25, lw=0.5)
        axes.set_title(title, loc="left")
        return axes
    shown = data.axes
    if len(data.axes) == 3:
        middle = values.shape[0] // 2
        title += f", at z = {data.centres('z')[middle]:.4g}"
        values, shown = values[middle], "xy"
    along = [AXES.index(axis) for axis in shown]
    extent = [end for a in along for end in (data.lower[a], data.upper[a])]
    share = np.clip((extent[3] - extent[2]) / (extent[1] - extent[0]), 0.15, 2)
    axes = new_axes(axes, (8.2, 7 * share + 0.9) if share <= 1 else (max(4.5, 7 / share + 1.2), 7.9))
    norm, colours = scale_of(field, values, scale)
    picture = axes.imshow(values, origin="lower", extent=extent, norm=norm, cmap=colours, interpolation="nearest")
    axes.set_facecolor("0.7")  # visible where values are not finite
    axes.set(xlabel=shown[0], ylabel=shown[1])
    for side in axes.spines.values():
        side.set_visible(False)
    ticks = norm.boundaries[:-1] + 0.5 if field == "level" and isinstance(norm, BoundaryNorm) else None
    colour_bar(axes, picture, field, decade_ticks(norm) if isinstance(norm, SymLogNorm) else ticks)
    axes.set_title(f"{title}, t = {data.time:.4g}", loc="left")
    return axes
