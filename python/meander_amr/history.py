# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reader of history.csv, one row of numbers per step, or per n steps; and of horizon_N.csv, one row per search."""
import re

import numpy as np

from meander_amr.errors import Defect, check_name, needs, reading
from meander_amr.tables import numbers, read_csv

WORDS = ("status",)  # columns that are no numbers


class History:
    """History of a run, or searches of a horizon. history["time"] is a column: float64 [rows]; history["status"] of a
    horizon: str [rows].

    columns: names of the columns, in the file's order, without units
    numbers: those of them that hold numbers
    units:   dict from column to unit, for columns with a unit
    """

    kind = "history"

    def __init__(self, path):
        self.path = path
        with reading(path, "is no history of meander"):
            titles, rows = read_csv(path)
            self.columns, self.units = [], {}
            for title in titles:
                name, unit = re.fullmatch(r"(.*?)(?: \[(.*)\])?", title).groups()
                self.columns.append(name)
                if unit:
                    self.units[name] = unit
            if "time" not in self.columns or "step" not in self.columns:
                raise Defect("it has no columns step and time")
            words = [n for n, name in enumerate(self.columns) if name in WORDS]
            self._words = {self.columns[n]: np.array([cells.pop(n) for _, cells in rows], str) for n in reversed(words)}
            self.numbers = [name for name in self.columns if name not in self._words]
            self._values = numbers(rows, self.numbers)

    def __len__(self):
        return len(self._values)

    def __contains__(self, name):
        return name in self.columns

    def __getitem__(self, name):
        check_name(self.path, "column", name, self.columns)
        if name in self._words:
            return self._words[name]
        return self._values[:, self.numbers.index(name)]

    def __repr__(self):
        return f"<history {self.path}: {len(self)} rows, columns {', '.join(self.columns)}>"

    def label(self, name):
        """Returns name and unit as in the file."""
        return f"{name} [{self.units[name]}]" if name in self.units else name

    def to_xarray(self):
        """Returns an xarray.Dataset with dimension `step` [rows], coordinates step and time, and one variable per column.
        The attribute `units` of a variable is its unit."""
        xarray = needs("xarray", "to_xarray()")
        variables = {name: ("step", self[name], {"units": self.units[name]} if name in self.units else {})
                     for name in self.columns if name not in ("step", "time")}
        coordinates = {"step": self["step"].astype(int), "time": ("step", self["time"])}
        return xarray.Dataset(variables, coordinates, {"source": self.path})
