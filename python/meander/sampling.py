# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Slices, lines and radial profiles of a plot file."""
import numpy as np


class Slice:
    """A plane through the domain as an image, and the outlines of the patches it cuts."""

    def __init__(self, plot, field, axis=None, at=None, pixels=1500):
        axes = [a for a in range(plot.dim) if a != axis]
        self.axes = axes
        lower, upper = plot.lower[axes], plot.upper[axes]
        self.extent = (lower[0], upper[0], lower[1], upper[1])
        size = upper - lower
        finest = plot.levels[-1].spacing
        # One pixel a volume of the finest level where that is affordable.
        width = min(max(size) / finest, pixels)
        shape = np.maximum(1, np.round(size / max(size) * width)).astype(int)
        pixel = size / shape
        self.image = np.full((shape[1], shape[0]), np.nan)
        self.outlines = []  # (level, lower corners, edge)
        for level in plot.levels:
            edge = level.spacing * level.p
            if axis is None:
                chosen = np.arange(len(level))
            else:
                # The plane belongs to the patches above it, and at the domain's upper side to those below.
                inside = (level.lower[:, axis] <= at) & (at < level.lower[:, axis] + edge)
                if at >= plot.upper[axis]:
                    inside = level.lower[:, axis] + 1.5 * edge > plot.upper[axis]
                chosen = np.flatnonzero(inside)
            if len(chosen) == 0:
                continue
            corners = level.lower[chosen]
            self.outlines.append((level.number, corners[:, axes], edge))
            values = level.patches(field, chosen)
            if axis is not None:
                layer = np.clip(((at - corners[:, axis]) / level.spacing).astype(int), 0, level.p - 1)
                values = np.stack([np.take(v, i, axis=plot.dim - 1 - axis) for v, i in zip(values, layer)])
            self._paint(values, corners[:, axes], level, lower, pixel)

    def _paint(self, values, corners, level, lower, pixel):
        for patch, corner in zip(values, corners):
            first = np.ceil((corner - lower) / pixel - 0.5 - 1e-9).astype(int)
            last = np.ceil((corner + level.p * level.spacing - lower) / pixel - 0.5 - 1e-9).astype(int)
            index = []
            for a in range(2):
                first[a], last[a] = max(first[a], 0), min(last[a], self.image.shape[1 - a])
                centres = lower[a] + (np.arange(first[a], last[a]) + 0.5) * pixel[a]
                index.append(np.clip(((centres - corner[a]) / level.spacing).astype(int), 0, level.p - 1))
            self.image[first[1]:last[1], first[0]:last[0]] = patch[np.ix_(index[1], index[0])]


class Samples:
    """All volumes as flat arrays: coordinate (radius or position along an axis), value, measure, level."""

    def __init__(self, plot, field, radius_from=None, along=None):
        coordinate, value, measure, level_of = [], [], [], []
        for level in plot.levels:
            centres = level.centres()
            if radius_from is not None:
                x = np.sqrt(sum((c - radius_from[a]) ** 2 for a, c in enumerate(centres)))
            else:
                x = centres[along]
            v = level.patches(field)
            coordinate.append(np.broadcast_to(x, v.shape).ravel())
            value.append(v.ravel())
            measure.append(np.full(v.size, level.spacing ** plot.dim))
            level_of.append(np.full(v.size, level.number))
        self.x, self.value = np.concatenate(coordinate), np.concatenate(value)
        self.measure, self.level = np.concatenate(measure), np.concatenate(level_of)
        # Radii near the centre have few volumes and those far away many: draw them alike.
        self.share = np.ones_like(self.x) if radius_from is None else 1 / self.x ** plot.dim

    def means(self, edges):
        """Volume-weighted means between edges, and the middles; empty bins are left out."""
        number = np.digitize(self.x, edges) - 1
        good = (number >= 0) & (number < len(edges) - 1)
        weight = np.bincount(number[good], self.measure[good], len(edges) - 1)
        total = np.bincount(number[good], (self.measure * self.value)[good], len(edges) - 1)
        place = np.bincount(number[good], (self.measure * self.x)[good], len(edges) - 1)
        full = weight > 0
        return place[full] / weight[full], total[full] / weight[full]
