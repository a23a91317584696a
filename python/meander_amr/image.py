# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files of [[output.slice]], projection, box and sphere: values on uniform pixels, or of cells."""
import math

import numpy as np

from meander_amr.errors import OptionError, check_name, needs, reading
from meander_amr.snapshot import require

AXES = "xyz"
MOST = 1 << 31  # values of a field


class Image:
    """Values on pixels (slices, projections, boxes), or of cells (slices of resolution 0, spheres).

    path, kind ("slice", "projection", "box", "sphere"), name, time, step
    dim:     dimensions of the domain
    meta:    dict of the file's metadata about the program that wrote it
    fields:  names of the fields; one number per pixel or cell unless listed in `vectors`
    vectors: names of the fields with three numbers

    Of pixels:
    axes:    names of the axes with pixels, "xy"; an image lies at `lower` along the others
    lower, upper: [3] corners; spacing: [3] widths of a pixel; shape: numbers of pixels, [(z,) (y,) x] of these axes

    Of cells:
    corners: [cells, 2 or 4, 3] corners of lines or quadrilaterals; None for pixels

    image["density"]: array of `shape` or [cells], for vectors with a last axis of three.
    """

    def __init__(self, path, file):
        self.path, self._file = path, file
        self.meta = {key: value.decode() if isinstance(value, bytes) else value for key, value in file["meta"].attrs.items()}
        self.kind, self.name = str(self.meta["kind"]), str(self.meta["name"])
        self.time, self.step, self.dim = float(self.meta["time"]), int(self.meta["step"]), int(self.meta["dimensions"])
        require(math.isfinite(self.time), "time", self.time)
        require(self.dim in (2, 3), "dimensions", self.dim)
        self._has_pixels = "pixels" in file["meta"].attrs
        self.corners = None
        if self._has_pixels:
            self._read_pixels()
        else:
            self._read_cells(file["VTKHDF"])
        self._data = file["VTKHDF/Level0/CellData" if self._has_pixels else "VTKHDF/CellData"]
        self.fields = list(self._data)
        self.vectors = [field for field in self.fields if self._data[field].ndim == 2]
        for field in self.fields:
            expected = (math.prod(self.shape),) + ((3,) if field in self.vectors else ())
            require(self._data[field].shape == expected and self._data[field].dtype.kind in "fi", f"size of {field}",
                    self._data[field].shape)

    def _read_pixels(self):
        pixels = np.array(self.meta["pixels"], int)
        require(pixels.shape == (3,) and (pixels >= 0).all() and pixels.max() > 0, "pixels", pixels)
        require(math.prod(int(n) for n in pixels if n > 0) < MOST, "pixels", pixels)
        self.axes = "".join(axis for axis, n in zip(AXES, pixels) if n > 0)
        self.shape = tuple(int(n) for n in pixels[::-1] if n > 0)
        self.lower, self.spacing = np.array(self.meta["lower"], float), np.array(self.meta["spacing"], float)
        require(self.lower.shape == self.spacing.shape == (3,) and np.isfinite(self.lower).all() and
                np.isfinite(self.spacing).all() and (self.spacing[pixels > 0] > 0).all(), "lower and spacing",
                f"{self.lower}, {self.spacing}")
        self.upper = self.lower + self.spacing * pixels

    def _read_cells(self, root):
        points, offsets = root["Points"][:], root["Offsets"][:]
        require(points.ndim == 2 and points.shape[1] == 3 and np.isfinite(points).all(), "points", points.shape)
        require(len(offsets) > 1 and len(points) % (len(offsets) - 1) == 0, "cells", len(offsets) - 1)
        self.corners = points.reshape(len(offsets) - 1, -1, 3)
        require(self.corners.shape[1] in (2, 4), "corners of a cell", self.corners.shape[1])
        self.axes, self.shape = "", (len(self.corners),)
        self.lower, self.upper, self.spacing = points.min(axis=0), points.max(axis=0), None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._file.close()

    def __repr__(self):
        form = " x ".join(str(n) for n in self.shape[::-1]) + (" pixels" if self.axes else " cells")
        return f"<{self.kind} '{self.name}' {self.path}: step {self.step}, time {self.time:.6g}, {form}, {', '.join(self.fields)}>"

    def __getitem__(self, field):
        check_name(self.path, "field", field, self.fields)
        with reading(self.path, "is damaged"):
            return self._data[field][...].reshape(self.shape + ((3,) if field in self.vectors else ()))

    def centres(self, axis):
        """Returns the centres of the pixels along an axis, "x", "y" or "z" of `axes`."""
        if axis not in tuple(self.axes):
            raise OptionError(f"{self.path}: has no pixels along {axis}" + (f", but along {', '.join(self.axes)}" if self.axes else ""))
        a = AXES.index(axis)
        return self.lower[a] + self.spacing[a] * (np.arange(self.shape[::-1][self.axes.index(axis)]) + 0.5)

    def to_xarray(self):
        """Returns an xarray.Dataset with a coordinate for each axis with pixels; of cells, their centres over `cell`."""
        xarray = needs("xarray", "to_xarray()")
        names = tuple(self.axes[::-1]) or ("cell",)
        if self.axes:
            coordinates = {axis: self.centres(axis) for axis in self.axes}
        else:
            coordinates = {axis: ("cell", self.corners.mean(axis=1)[:, a]) for a, axis in enumerate(AXES[:self.dim])}
        variables = {}
        for field in self.fields:
            values = self[field]
            if field in self.vectors:
                variables.update({f"{field}_{axis}": (names, values[..., a]) for a, axis in enumerate(AXES[:self.dim])})
            else:
                variables[field] = (names, values)
        return xarray.Dataset(variables, coordinates, {"source": self.path, "time": self.time, "step": self.step})

    def to_yt(self):
        """Returns a yt dataset (load_uniform_grid). Axes without pixels have one, of the width of the others."""
        yt = needs("yt", "to_yt()")
        if not self.axes:
            raise OptionError(f"{self.path}: has cells; yt takes pixels")
        yt.set_log_level("warning")
        count = [self.shape[::-1][self.axes.index(axis)] if axis in self.axes else 1 for axis in AXES]
        width = min(self.spacing[AXES.index(axis)] for axis in self.axes)
        spacing = np.array([self.spacing[a] if axis in self.axes else width for a, axis in enumerate(AXES)])
        lower = np.array([self.lower[a] if axis in self.axes else self.lower[a] - width / 2 for a, axis in enumerate(AXES)])
        data = {}
        for field in self.fields:
            values = self[field].astype(float)
            parts = {f"{field}_{axis}": values[..., a] for a, axis in enumerate(AXES[:self.dim])} if field in self.vectors \
                else {field: values}
            for name, part in parts.items():  # [z, y, x] to [x, y, z]
                data[name] = np.ascontiguousarray(part.T.reshape(count))
        box = np.stack([lower, lower + spacing * count], axis=1)
        return yt.load_uniform_grid(data, count, bbox=box, sim_time=self.time, periodicity=(False, False, False))
