# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plot files, checkpoints, series of files, and open(), which tells them apart."""
import json
import os

import numpy as np

from meander_amr.errors import Defect, FileError, read_text, reading
from meander_amr.history import History
from meander_amr.image import Image
from meander_amr.snapshot import MOST, Snapshot, open_hdf5, read_rows, require


class PlotFile(Snapshot):
    """Plot file plot_NNNNNN.vtkhdf (or .hdf): the fields of output.fields, float32 or float64. See Snapshot."""

    kind = "plot file"

    def _group(self, i):
        return self._file[f"VTKHDF/Level{i}"]

    def _spacings(self):
        levels = sum(name.startswith("Level") for name in self._file["VTKHDF"])
        return [float(self._group(i).attrs["Spacing"][0]) for i in range(levels)]

    def _names(self):
        data = self._group(0)["CellData"]
        return list(data), [name for name in data if data[name].ndim == 2]

    def _read(self, field, i, rows):
        return read_rows(self._group(i)["CellData"][field], rows, self.p ** self.dim)

    def _require_shape(self, field, i, volumes):
        data = self._group(i)["CellData"][field]
        require(data.shape == ((volumes, 3) if field in self.vectors else (volumes,)) and data.dtype.kind in "fi",
                f"size of {field}", f"{data.shape} of {data.dtype}")


class Checkpoint(Snapshot):
    """Checkpoint chk_NNNNNN.hdf5: all unknowns, float64, in Chombo's layout. See Snapshot."""

    kind = "checkpoint"

    def _spacings(self):
        levels = int(self._file.attrs["num_levels"])
        require(1 <= levels <= MOST, "num_levels", levels)
        return [float(self._file[f"level_{i}"].attrs["dx"]) for i in range(levels)]

    def _require_shape(self, field, i, volumes):
        data = self._file[f"level_{i}/data:datatype=0"]
        require(data.shape == (volumes * len(self.fields),) and data.dtype.kind == "f", f"size of level {i}",
                f"{data.shape} of {data.dtype}")

    def _names(self):
        number = int(self._file.attrs["num_components"])
        require(1 <= number <= MOST, "num_components", number)
        return [self._file.attrs[f"component_{u}"].decode() for u in range(number)], []

    def _read(self, field, i, rows):
        volumes, unknowns = self.p ** self.dim, len(self.fields)
        data = self._file[f"level_{i}/data:datatype=0"]
        # A patch is stored unknown by unknown. For few patches, only the requested unknown is read.
        if 4 * len(rows) > len(self.levels[i]):
            return data[...].reshape(-1, unknowns, volumes)[rows, self.fields.index(field)]
        return read_rows(data, np.asarray(rows) * unknowns + self.fields.index(field), volumes)


class Series:
    """Index plot.vtkhdf.series of the plot files of a run, or that of an output such as slice_NAME.vtkhdf.series.
    series[i] opens a file; a series can be iterated.

    names: paths of the files; times: [files] their times
    """

    kind = "series"

    def __init__(self, path):
        self.path = path
        with reading(path, "is no index of plot files"):
            files = json.loads(read_text(path))["files"]
            self.times = np.array([entry["time"] for entry in files], float)
            self.names = [os.path.join(os.path.dirname(path), entry["name"]) for entry in files]
            if self.times.ndim != 1 or not np.isfinite(self.times).all():
                raise Defect("its times are no finite numbers")
        if not self.names:
            raise FileError(f"{path}: names no file")

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        if not os.path.exists(self.names[i]):
            raise FileError(f"{self.path}: names {self.names[i]}, which is not there")
        return _open_hdf5(self.names[i])

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        return f"<series {self.path}: {len(self)} files, time {self.times[0]:.6g} to {self.times[-1]:.6g}>"

    def at(self, time):
        """Opens the plot file with the nearest time."""
        return self[int(np.argmin(np.abs(self.times - time)))]


def _open_hdf5(path):
    file = open_hdf5(path)
    kind = PlotFile if "VTKHDF" in file else Checkpoint if "Chombo_global" in file else None
    if kind is PlotFile and "meta" in file and "kind" in file["meta"].attrs:
        kind = Image
    if kind is None or "meta" not in file:
        file.close()
        raise FileError(f"{path}: is an HDF5 file, but neither a plot file nor a checkpoint of meander (it lacks the group "
                        + ("/meta)" if kind else "/VTKHDF or /Chombo_global)"))
    try:
        with reading(path, "is damaged or incomplete"):
            return kind(path, file)
    except FileError:
        file.close()
        raise


def open(path):  # pylint: disable=redefined-builtin
    """Opens an output file of a run, of any kind.

    plot_*.vtkhdf, *.hdf  PlotFile        chk_*.hdf5   Checkpoint
    *.series              Series          history.csv  History
    slice_*.vtkhdf        Image, also projection_*, box_*, sphere_*
    probe_*.csv           History
    a run's directory     Series

    Raises FileError; its text names the defect of the file.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        series = os.path.join(path, "plot.vtkhdf.series")
        if not os.path.exists(series):
            raise FileError(f"{path}: is a directory without a plot.vtkhdf.series")
        path = series
    if path.endswith(".series"):
        return Series(path)
    if path.endswith(".csv"):
        return History(path)
    return _open_hdf5(path)
