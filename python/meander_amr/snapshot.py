# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""State at one time: a mesh of patches with fields, from a file of any kind."""
import math
import os
import tomllib

import numpy as np

from meander_amr import convert, sampling
from meander_amr.boundaries import kind_of_boundary
from meander_amr.checks import require_plain
from meander_amr.errors import Defect, FileError, OptionError, check_name, needs, reading, require_regular

AXES = "xyz"
MOST = 10000  # of all sizes except numbers of leaves
HDF5_HEAD, CHECKPOINT_HEAD = b"\x89HDF\r\n\x1a\n", b"MEANDER CHECKPOINT"  # first bytes of plot files and checkpoints
TOLERANCE = 1e-6  # relative, of widths
OF_LEAVES = ("level", "rank", "curve_index")  # fields of every file: one number per leaf


def require(holds, what, value):
    """Raises Defect unless the condition holds."""
    if not holds:
        raise Defect(f"{what}: {value}")


class Level:
    """The leaves of one level, in curve order. d: dimensions, n: leaves of the level.

    number:  level of the spacetree
    spacing: width of a volume
    edge:    width of a leaf
    leaves:  [n] positions along the curve, among the leaves of all levels
    index:   [n, d] positions in units of leaves of this level, counted from the domain's lower corner
    lower:   [n, d] lower corners
    """

    def __init__(self, number, spacing, p, origin, leaves, index):
        self.number, self.spacing, self.p = number, spacing, p
        self.edge = spacing * p
        self.leaves, self.index = leaves, index
        self.lower = origin + index * self.edge
        self._columns = index.max(axis=0) + 1
        keys = self._key(index)
        self._order = np.argsort(keys)
        self._keys = keys[self._order]

    def __len__(self):
        return len(self.leaves)

    def _key(self, index):
        key = np.zeros(len(index), np.int64)
        for a in reversed(range(index.shape[1])):
            key = key * self._columns[a] + index[:, a]
        return key

    def find(self, index):
        """Returns the rows [m] of the leaves at index [m, d]; -1 where this level has no leaf."""
        known = (index < self._columns).all(axis=1)
        place = np.minimum(np.searchsorted(self._keys, self._key(index)), len(self) - 1)
        known &= self._keys[place] == self._key(index)
        return np.where(known, self._order[place], -1)

    def centres(self, rows=None):
        """Returns the centres of the volumes along each axis: d arrays that broadcast to [leaf, (z,) y, x]."""
        lower = self.lower if rows is None else self.lower[rows]
        dim = lower.shape[1]
        inside = (np.arange(self.p) + 0.5) * self.spacing
        result = []
        for a in range(dim):
            shape = [1] * (dim + 1)
            shape[dim - a] = self.p
            result.append(lower[:, a].reshape([-1] + [1] * dim) + inside.reshape(shape))
        return result


class Snapshot:
    """Common interface of plot files and checkpoints. d: dimensions, p: volumes along an edge of a patch.

    path, kind ("plot file", "checkpoint"), time, step, dim, p
    lower, upper:  [d] corners of the domain
    meta:          dict of the file's metadata about the program that wrote it (git_hash, compiler, ...)
    input:         the resolved input, as dict of tables
    fields:        names of the fields; one number per volume unless listed in `vectors`
    vectors:       names of the fields with d numbers per volume
    levels:        list of Level, coarsest first; only leaves are in the files
    leaf_level, leaf_index, leaf_rank: [leaves], [leaves, d], [leaves], along the curve

    In addition to `fields`, every file has `level`, `rank` and `curve_index` of each leaf, components of vectors as
    velocity_x, ..., and vectors whose components are fields. All lengths and times are in the run's units.
    """

    kind = ""

    def __init__(self, path, file):
        self.path, self._file = path, file
        meta = file["meta"]
        self.meta = {key: value.decode() if isinstance(value, bytes) else value for key, value in meta.attrs.items()}
        self.dim, self.p = int(self.meta["dimensions"]), int(self.meta["patch_size"])
        require(self.dim in (2, 3), "dimensions", self.dim)
        require(1 <= self.p <= MOST, "patch_size", self.p)
        self.time, self.step = float(self.meta["time"]), int(self.meta["step"])
        self.input = tomllib.loads(meta["input"][()].decode())
        self.lower = np.array(self.input["domain"]["lower"], float)
        self.upper = np.array(self.input["domain"]["upper"], float)
        require(np.isfinite(self.time), "time", self.time)
        require(self.lower.shape == self.upper.shape == (self.dim,) and np.isfinite(self.upper - self.lower).all() and
                (self.upper > self.lower).all(), "domain", f"{self.lower} to {self.upper}")
        require(isinstance(self.input["scenario"]["name"], str), "scenario.name", self.input["scenario"]["name"])
        self.leaf_level = meta["patch_level"][:]
        self.leaf_index = meta["patch_index"][:].reshape(-1, self.dim)
        self.leaf_rank = meta["patch_rank"][:]
        first = int(self.meta["level_offset"])
        require(0 <= first <= MOST, "level_offset", first)
        require(self.leaf_level.ndim == self.leaf_rank.ndim == 1, "tables", "of several columns")
        require(len(self.leaf_index) == len(self.leaf_level) == len(self.leaf_rank), "tables", "of different lengths")
        require((self.leaf_index >= 0).all() and (self.leaf_rank >= 0).all(), "tables", "of negative numbers")
        self.levels = []
        for i, spacing in enumerate(self._spacings()):
            require(np.isfinite(spacing) and spacing > 0, f"spacing of level {first + i}", spacing)
            leaves = np.flatnonzero(self.leaf_level == first + i)
            require(len(leaves) > 0, f"level {first + i}", "without leaves")
            self.levels.append(Level(first + i, spacing, self.p, self.lower, leaves, self.leaf_index[leaves]))
        require(sum(map(len, self.levels)) == self.leaves, "tables", "of leaves on unknown levels")
        self._require_tiling()
        self.fields, self.vectors = self._names()
        require(len(self.fields) > 0, "fields", "none")
        for i, level in enumerate(self.levels):
            for field in self.fields:
                self._require_shape(field, i, len(level) * self.p ** self.dim)

    def _require_tiling(self):
        """Raises Defect unless the leaves fill the domain. Then its width bounds the number of volumes along each axis."""
        size = self.upper - self.lower
        for coarse, fine in zip(self.levels, self.levels[1:]):
            require(abs(coarse.spacing / fine.spacing - 3) < TOLERANCE, f"spacing of level {fine.number}", fine.spacing)
        for level in self.levels:
            require(((level.index + 1.0) * level.edge <= size * (1 + TOLERANCE)).all(), f"leaves of level {level.number}",
                    "outside of the domain")
        filled = math.fsum(len(level) * level.edge ** self.dim for level in self.levels) / math.prod(map(float, size))
        require(abs(filled - 1) < TOLERANCE, "leaves", f"fill {100 * filled:.3g} % of the domain")

    def __repr__(self):
        return (f"<{self.kind} {self.path}: {self.dim}D, step {self.step}, time {self.time:.6g}, {self.leaves} leaves of "
                f"{self.p}^{self.dim} volumes on levels {self.levels[0].number} to {self.levels[-1].number}>")

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def leaves(self):
        return len(self.leaf_level)

    @property
    def scenario(self):
        """The table [scenario] of the input, as dict."""
        return self.input["scenario"]

    @property
    def centre(self):
        """The scenario's centre [d], or the middle of several ones.

        Without one: the domain's middle, on an axis with a plane of symmetry that plane, as in the program. A scenario that
        knows no centre is about the wall of an axis with one reflecting wall.
        """
        given = np.array(self.scenario.get("centre") or [], float)
        if given.size and given.size % self.dim == 0:
            return given.reshape(-1, self.dim).mean(axis=0)
        centre = 0.5 * (self.lower + self.upper)
        mirrors = ("symmetric",) if "centre" in self.scenario else ("symmetric", "reflecting")
        boundary = self.input.get("boundary", {})
        for a, axis in enumerate(AXES[:self.dim]):
            sides = [kind_of_boundary(boundary, axis, side) for side in ("lower", "upper")]
            for mirror in mirrors:
                if sides.count(mirror) == 1:
                    centre[a] = (self.lower, self.upper)[sides.index(mirror)][a]
                    break
        return centre

    # Fields

    def is_vector(self, field):
        """Returns whether values of this field have a last axis of d components. Raises FileError for an unknown field."""
        if field in self.fields:
            return field in self.vectors
        if field in OF_LEAVES or self._component(field):
            return False
        if all(f"{field}_{axis}" in self.fields for axis in AXES[:self.dim]):
            return True
        check_name(self.path, "field", field, self.fields,
                   f"; besides {', '.join(OF_LEAVES)}" +
                   (" (output.fields in the input says which)" if self.kind == "plot file" else ""))
        return False

    def _component(self, field):
        """Returns ("velocity", 0) for "velocity_x" if the file has the vector velocity, else None."""
        vector, _, axis = field.rpartition("_")
        return (vector, AXES.index(axis)) if vector in self.vectors and axis and axis in AXES[:self.dim] else None

    def _read_checked(self, field, i, rows):
        with reading(self.path, f"{field} of level {self.levels[i].number} cannot be read"):
            return self._read(field, i, rows)

    def values(self, field, level, rows=None):
        """Returns the values of the leaves of a level: [n, (z,) y, x], for vectors [n, (z,) y, x, d].

        level: one of self.levels; rows: sorted indices of its leaves; None: all. The type is the file's.
        """
        rows = np.arange(len(level)) if rows is None else np.asarray(rows)
        shape = (len(rows),) + (self.p,) * self.dim
        vector = self.is_vector(field)
        if field in self.fields:
            values = self._read_checked(field, self.levels.index(level), rows)
            return values[..., :self.dim].reshape(shape + (self.dim,)) if vector else values.reshape(shape)
        if vector:
            parts = [self._read_checked(f"{field}_{axis}", self.levels.index(level), rows) for axis in AXES[:self.dim]]
            return np.stack([part.reshape(shape) for part in parts], axis=-1)
        if field in OF_LEAVES:
            of_leaf = {"level": self.leaf_level, "rank": self.leaf_rank, "curve_index": np.arange(self.leaves)}[field]
            return np.broadcast_to(of_leaf[level.leaves[rows]].reshape([-1] + [1] * self.dim), shape)
        whole, axis = self._component(field)
        return self.values(whole, level, rows)[..., axis]

    def total(self, field):
        """Returns the integral over the domain: a float, for vectors [d].

        The summation is that of the program: by rows of volumes within a patch, and exact over patches. For a checkpoint
        the result is bitwise equal to total_* in history.csv.
        """
        vector = self.is_vector(field)
        of_patches = []
        for level in self.levels:
            values = self.values(field, level).astype(float)
            values = values if vector else values[..., np.newaxis]
            rows = sum(values[..., i, :] for i in range(self.p))
            rows = rows.reshape(len(level), -1, values.shape[-1])
            volume = math.prod([level.spacing] * self.dim)
            of_patches.append(sum(rows[:, i] for i in range(rows.shape[1])) * volume)
        sums = [math.fsum(column) for column in np.concatenate(of_patches).T]
        return np.array(sums) if vector else sums[0]

    def partition(self, parts=None):
        """Returns the part [leaves] of each leaf, along the curve.

        None: the rank of the leaf when the file was written. Otherwise `parts` pieces of the curve with equal numbers of
        leaves (to within one): the initial partition of a run on as many ranks, not that of an actual run.
        Raises OptionError unless there are between 1 and as many parts as leaves.
        """
        if parts is not None and not 1 <= parts <= self.leaves:
            raise OptionError(f"{self.path}: {parts} parts: must be at least 1 and at most {self.leaves}, the number of leaves")
        return self.leaf_rank if parts is None else np.arange(self.leaves) * parts // self.leaves

    # Sampling and conversion: see modules sampling and convert

    def volumes(self, field):
        return sampling.volumes(self, field)

    def sample_points(self, field, points):
        return sampling.sample_points(self, field, points)

    def sample_line(self, field, start, end, number=1000):
        return sampling.sample_line(self, field, start, end, number)

    def slice(self, field, axis=None, at=None, pixels=1500, width=None):
        return sampling.Slice(self, field, axis, at, pixels, width)

    def radial_profile(self, field, centre=None, edges=None):
        return sampling.radial_profile(self, field, centre, edges)

    def to_yt(self, fields=None):
        return convert.to_yt(self, fields)

    def to_vtk(self, fields=None):
        return convert.to_vtk(self, fields)

    for _method, _source in ((volumes, sampling.volumes), (sample_points, sampling.sample_points),
                             (sample_line, sampling.sample_line), (slice, sampling.Slice),
                             (radial_profile, sampling.radial_profile), (to_yt, convert.to_yt), (to_vtk, convert.to_vtk)):
        _method.__doc__ = _source.__doc__

    # Implemented by each kind of file

    def _require_shape(self, field, i, volumes):
        """Raises Defect unless a field of levels[i] has a value for each of the given number of volumes."""
        raise NotImplementedError

    def _spacings(self):
        """Returns the width of a volume, level by level."""
        raise NotImplementedError

    def _names(self):
        """Returns the names of the fields, and of those that are vectors."""
        raise NotImplementedError

    def _read(self, field, i, rows):
        """Returns a field of levels[i]: [rows, p^d] or [rows, p^d, 3]."""
        raise NotImplementedError


def open_hdf5(path):
    """Opens an HDF5 file. Raises FileError."""
    require_regular(path)
    h5py = needs("h5py", path)  # imported here: other modules of the package work without it
    try:
        file = h5py.File(path, "r")
    except (OSError, RuntimeError, ValueError) as error:
        with open(path, "rb") as stream:
            starts = stream.read(len(CHECKPOINT_HEAD)).startswith((HDF5_HEAD, CHECKPOINT_HEAD))
        why = "an HDF5 file that is cut short or damaged" if starts else \
            "no HDF5 file; there are plot files, checkpoints, *.series and history.csv"
        raise FileError(f"{path}: is {why}") from error
    try:
        with reading(path, "is damaged"):
            require_plain(path, file)
    except FileError:
        file.close()
        raise
    return file


def read_rows(data, rows, width):
    """Returns [rows, width, ...]: pieces of `width` entries of a long dataset. Reads the whole dataset for many rows."""
    if 4 * len(rows) > len(data) // width:
        return data[...].reshape((-1, width) + data.shape[1:])[rows]
    result = np.empty((len(rows), width) + data.shape[1:], data.dtype)
    for i, row in enumerate(rows):
        result[i] = data[row * width:(row + 1) * width]
    return result
