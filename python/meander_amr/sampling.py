# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Points, lines, slices and profiles of a snapshot as numpy arrays.

The value at a point is the value of the volume that contains it, without interpolation. A point on a face belongs to the
volume above, also one that rounding has put just below, and on the domain's upper side to the last volume."""
from dataclasses import dataclass

import numpy as np

from meander_amr.errors import OptionError

ON_FACE = 1e-9  # in volumes of the finest level: points so little below a face are on it


@dataclass
class Volumes:
    """All n volumes of a snapshot as flat arrays, level by level, along the curve, x fastest.

    centre: [n, d]; value: [n], for vectors [n, d]; measure: [n] volume (2D: area); level: [n] level of the spacetree
    """
    centre: np.ndarray
    value: np.ndarray
    measure: np.ndarray
    level: np.ndarray

    def radius(self, about):
        """Returns the distances [n] of the centres from a point [d]."""
        return np.sqrt(((self.centre - about) ** 2).sum(axis=1))


def volumes(snapshot, field):
    """Returns all volumes with their values, as Volumes."""
    parts = []
    for level in snapshot.levels:
        value = snapshot.values(field, level)
        shape = value.shape[:snapshot.dim + 1]
        centre = np.stack([np.broadcast_to(c, shape).ravel() for c in level.centres()], axis=1)
        value = value.reshape((len(centre),) + value.shape[snapshot.dim + 1:])
        parts.append((centre, value, np.full(len(centre), level.spacing ** snapshot.dim),
                      np.full(len(centre), level.number)))
    return Volumes(*(np.concatenate(part) for part in zip(*parts)))


def finest_index(snapshot, points):
    """Returns the indices [n, d] of the volumes that contain points [n, d] on a mesh uniformly of the finest level."""
    dx = snapshot.levels[-1].spacing
    count = np.round((snapshot.upper - snapshot.lower) / dx).astype(np.int64)
    return np.clip(np.floor((points - snapshot.lower) / dx + ON_FACE).astype(np.int64), 0, count - 1)


def numbers(name, values):
    """Returns an argument as an array of floats. Raises OptionError."""
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name}: must be numbers, but is {values!r}") from error


def position(snapshot, name, values):
    """Returns an argument as a position [d]. Raises OptionError."""
    point = numbers(name, values)
    if point.shape != (snapshot.dim,) or not np.isfinite(point).all():
        raise OptionError(f"{name}: must be a position of {snapshot.dim} finite numbers, but is {values!r}")
    return point


def number_of_axis(snapshot, axis):
    """Returns the number of an axis, given by its number or letter. Raises OptionError."""
    letters = "xyz"[:snapshot.dim]
    for number, letter in enumerate(letters):
        if axis in (number, letter):
            return number
    raise OptionError(f"axis {axis!r}: is none of {', '.join(map(repr, (*range(snapshot.dim), *letters)))}")


def sample_points(snapshot, field, points):
    """Returns the values at points [n, d]: [n], for vectors [n, d], float64; NaN outside the domain."""
    points = np.atleast_2d(numbers("points", points))
    dim, p = snapshot.dim, snapshot.p
    if points.ndim != 2 or points.shape[1] != dim:
        raise OptionError(f"points have the shape {points.shape}, not [n, {dim}]")
    result = np.full((len(points), dim) if snapshot.is_vector(field) else len(points), np.nan)
    inside = np.flatnonzero(((points >= snapshot.lower) & (points <= snapshot.upper)).all(axis=1))
    # All levels use the integer index of the finest level, so that rounding leaves no point without an owner.
    finest = finest_index(snapshot, points[inside])
    for level in snapshot.levels:
        volume = finest // 3 ** (snapshot.levels[-1].number - level.number)
        row = level.find(volume // p)
        here = np.flatnonzero(row >= 0)
        if len(here) == 0:
            continue
        rows, number = np.unique(row[here], return_inverse=True)
        place = (number.ravel(),) + tuple(volume[here, a] % p for a in reversed(range(dim)))
        result[inside[here]] = snapshot.values(field, level, rows)[place]
    return result


def sample_line(snapshot, field, start, end, number=1000):
    """Samples a field at `number` equidistant points from start [d] to end [d], both included.

    Returns the distance [number] from start, and the values [number], for vectors [number, d]; NaN outside the domain.
    """
    start, end = position(snapshot, "start", start), position(snapshot, "end", end)
    share = np.linspace(0, 1, number)
    points = (1 - share)[:, np.newaxis] * start + share[:, np.newaxis] * end
    return share * np.linalg.norm(end - start), sample_points(snapshot, field, points)


class Slice:
    """A plane normal to `axis` (0, 1, 2 or "x", "y", "z") at coordinate `at`; the whole domain of a 2D file.

    axis: default: the shortest axis of the domain. at: default: the scenario's centre. width: width of the region around
    that centre; default: the whole domain. The image has one pixel per volume of the finest level, but at most `pixels`
    along the longer side.

    image:    [ny, nx], for vectors [ny, nx, d]: values at the pixels' centres
    x, y:     [nx], [ny] centres of the pixels along the two axes
    extent:   (left, right, bottom, top), for matplotlib's imshow with origin="lower"
    axes:     numbers of the two axes; axis, at: the plane (None in 2D)
    outlines: list of (level, corners [n, 2], edge): lower corners and width of the patches that intersect the plane
    """

    def __init__(self, snapshot, field, axis=None, at=None, pixels=1500, width=None):
        self.axis, self.at = plane(snapshot, axis, at)
        self.axes = [a for a in range(snapshot.dim) if a != self.axis]
        lower, upper = snapshot.lower[self.axes], snapshot.upper[self.axes]
        if width is not None:
            middle = snapshot.centre[self.axes]
            lower, upper = np.maximum(lower, middle - 0.5 * width), np.minimum(upper, middle + 0.5 * width)
            if not (lower < upper).all():
                raise OptionError(f"width {width:g}: nothing of the domain lies so near to the scenario's centre")
        self.extent = (lower[0], upper[0], lower[1], upper[1])
        size = upper - lower
        width = min(max(size) / snapshot.levels[-1].spacing, pixels)
        shape = np.maximum(1, np.round(size / max(size) * width)).astype(int)
        self.x, self.y = (lower[a] + (np.arange(shape[a]) + 0.5) * (size[a] / shape[a]) for a in range(2))
        points = np.empty((shape[1], shape[0], snapshot.dim))
        points[..., self.axes[0]] = self.x
        points[..., self.axes[1]] = self.y[:, np.newaxis]
        if self.axis is not None:
            points[..., self.axis] = self.at
        values = sample_points(snapshot, field, points.reshape(-1, snapshot.dim))
        self.image = values.reshape((shape[1], shape[0]) + values.shape[1:])
        self.outlines = list(self._outlines(snapshot, points[0, 0]))

    def _outlines(self, snapshot, point):
        finest = finest_index(snapshot, point)
        for level in snapshot.levels:
            cut = np.ones(len(level), bool)
            if self.axis is not None:
                layer = finest[self.axis] // 3 ** (snapshot.levels[-1].number - level.number) // snapshot.p
                cut = level.index[:, self.axis] == layer
            if cut.any():
                yield level.number, level.lower[cut][:, self.axes], level.edge


def plane(snapshot, axis=None, at=None):
    """Returns the checked axis and position of a slice, with defaults; (None, None) in 2D. Raises OptionError."""
    if snapshot.dim == 2:
        if axis is not None or at is not None:
            raise OptionError(f"{snapshot.path}: is 2D; axis and at are for 3D")
        return None, None
    size = snapshot.upper - snapshot.lower
    if axis is None:
        axis = max(a for a in range(3) if size[a] <= size.min() * (1 + 1e-9))
    else:
        axis = number_of_axis(snapshot, axis)
    at = snapshot.centre[axis] if at is None else at
    if not snapshot.lower[axis] <= at <= snapshot.upper[axis]:
        raise OptionError(f"at {at:g}: the domain reaches from {snapshot.lower[axis]:g} to {snapshot.upper[axis]:g} "
                         f"along {'xyz'[axis]}")
    return axis, float(at)


@dataclass
class Profile:
    """Means over the m bins that contain volumes.

    x: [m] mean coordinate (radius, or position along an axis); mean: [m], for vectors [m, d], weighted with volume;
    minimum, maximum: shapes as mean; volume: [m] total volume of the volumes with their centre in the bin
    """
    x: np.ndarray
    mean: np.ndarray
    minimum: np.ndarray
    maximum: np.ndarray
    volume: np.ndarray


def binned(coordinate, value, measure, edges):
    """Returns the Profile of values [n] or [n, d] over a coordinate [n].

    Bins are half open: edges[i] <= coordinate < edges[i+1].
    """
    edges = np.asarray(edges, float)
    number = np.searchsorted(edges, coordinate, side="right") - 1
    good = (number >= 0) & (number < len(edges) - 1)
    order = np.argsort(number[good], kind="stable")
    coordinate, value, measure, number = (a[good][order] for a in (coordinate, value, measure, number))
    first = np.flatnonzero(np.diff(number, prepend=-1))
    if len(first) == 0:
        return Profile(coordinate, value, value, value, measure)
    volume = np.add.reduceat(measure, first)
    column = measure.reshape([-1] + [1] * (value.ndim - 1))
    return Profile(np.add.reduceat(measure * coordinate, first) / volume,
                   np.add.reduceat(column * value, first) / volume.reshape([-1] + [1] * (value.ndim - 1)),
                   np.minimum.reduceat(value, first), np.maximum.reduceat(value, first), volume)


def radial_edges(snapshot, centre):
    """Returns edges of shells, a few finest volumes wide, from the centre to the nearest side of the domain on which it is not."""
    reach = np.concatenate([centre - snapshot.lower, snapshot.upper - centre])
    reach = np.min(reach[reach > 0])
    return np.linspace(0, reach, int(min(200, max(20, reach / snapshot.levels[-1].spacing / 2))) + 1)


def radial_profile(snapshot, field, centre=None, edges=None):
    """Returns the Profile of volume-weighted means over shells (2D: rings) around centre [d], by default the scenario's.

    edges: radii between the shells, ascending. A volume belongs to the shell that contains its centre.
    """
    centre = snapshot.centre if centre is None else position(snapshot, "centre", centre)
    edges = radial_edges(snapshot, centre) if edges is None else edges
    all_volumes = volumes(snapshot, field)
    return binned(all_volumes.radius(centre), all_volumes.value.astype(float), all_volumes.measure, edges)
