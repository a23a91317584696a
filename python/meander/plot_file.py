# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plot files (VTKHDF OverlappingAMR with leaves only), read with h5py."""
import difflib
import json
import os
import tomllib

import h5py
import numpy as np


class PlotFileError(Exception):
    """A file that is no plot file of meander, or lacks what is asked for. The text is for the user."""


def last_of_series(path):
    """The plot file that a .series index names last."""
    try:
        with open(path, encoding="utf-8") as stream:
            files = json.load(stream)["files"]
        name = files[-1]["name"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise PlotFileError(f"{path}: is no index of plot files ({error!r})") from error
    return os.path.join(os.path.dirname(path), name)


class Level:
    """The leaves of one level: `boxes` (lower index of each patch), `spacing`, and fields patch by patch."""

    def __init__(self, group, number, dim, p, origin):
        self._data = group["CellData"]
        self.number = number
        self.dim, self.p = dim, p
        self.spacing = float(group.attrs["Spacing"][0])
        self.boxes = group["AMRBox"][:, 0:2 * dim:2]
        self.lower = origin[:dim] + self.boxes * self.spacing  # lower corner of each patch

    def __len__(self):
        return len(self.boxes)

    def patches(self, name, chosen=None):
        """Values as [patch, (z,) y, x] of all patches or of those with the (sorted) numbers `chosen`.

        Vectors come as their magnitude."""
        data = self._data[name]
        volumes = self.p ** self.dim
        if chosen is None or 4 * len(chosen) > len(self):
            values = data[...].reshape((len(self), volumes) + data.shape[1:])
            values = values if chosen is None else values[chosen]
        else:
            values = np.stack([data[i * volumes:(i + 1) * volumes] for i in chosen]) if len(chosen) else \
                np.empty((0, volumes) + data.shape[1:])
        values = values.astype(float)
        if values.ndim == 3:
            values = np.sqrt((values ** 2).sum(axis=2))
        return values.reshape((len(values),) + (self.p,) * self.dim)

    def centres(self):
        """Centres of all volumes along each axis: a list of arrays that broadcast to [patch, (z,) y, x]."""
        inside = (np.arange(self.p) + 0.5) * self.spacing
        result = []
        for a in range(self.dim):
            shape = [1] * (self.dim + 1)
            shape[self.dim - a] = self.p
            corner = self.lower[:, a].reshape([-1] + [1] * self.dim)
            result.append(corner + inside.reshape(shape))
        return result


class PlotFile:
    def __init__(self, path):
        self.path = path
        if not os.path.exists(path):
            raise PlotFileError(f"{path}: no such file")
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise PlotFileError(f"{path}: is no HDF5 file ({error})") from error
        for group in ("VTKHDF", "meta"):
            if group not in self._file:
                raise PlotFileError(f"{path}: is an HDF5 file, but no plot file of meander (it has no group /{group})")
        meta = self._file["meta"]
        self.meta = {key: value.decode() if isinstance(value, bytes) else value for key, value in meta.attrs.items()}
        self.dim = int(self.meta["dimensions"])
        self.p = int(self.meta["patch_size"])
        self.time = float(self.meta["time"])
        self.step = int(self.meta["step"])
        self.input = tomllib.loads(meta["input"][()].decode())
        root = self._file["VTKHDF"]
        self.lower = np.array(self.input["domain"]["lower"], float)
        self.upper = np.array(self.input["domain"]["upper"], float)
        groups = sorted((name for name in root if name.startswith("Level")), key=lambda name: int(name[5:]))
        self.levels = [Level(root[name], int(self.meta["level_offset"]) + i, self.dim, self.p, root.attrs["Origin"])
                       for i, name in enumerate(groups)]
        self.fields = list(root[groups[0]]["CellData"])

    def check_field(self, name):
        if name in self.fields:
            return
        near = difflib.get_close_matches(name, self.fields, 1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise PlotFileError(f"{self.path}: has no field '{name}'; {hint}fields are: {', '.join(self.fields)} "
                            "(output.fields in the input says which)")

    @property
    def scenario(self):
        return self.input["scenario"]

    @property
    def centre(self):
        """The scenario's centre, else the domain's."""
        given = self.scenario.get("centre") or []
        return np.array(given, float) if len(given) == self.dim else 0.5 * (self.lower + self.upper)

    @property
    def patches(self):
        return sum(len(level) for level in self.levels)
