# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reader of history.csv, one row of numbers per step, or per n steps; and of horizon_N.csv, one row per search."""
import csv
import re

import numpy as np

from meander_amr.errors import DEFECTS, FileError, check_name, needs, open_text

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
        with open_text(path) as stream:
            try:
                rows = list(csv.reader(stream))
                # The last line of a running or killed run may be incomplete.
                if len(rows) > 1 and len(rows[-1]) != len(rows[0]):
                    rows.pop()
                words = [n for n, title in enumerate(rows[0]) if title in WORDS]
                self._words = {rows[0][n]: np.array([row.pop(n) for row in rows[1:]], str) for n in reversed(words)}
                numbers = len(rows[0]) - len(words)
                self._values = np.array(rows[1:], float).reshape(len(rows) - 1, numbers)
            except (*DEFECTS, csv.Error) as error:
                raise FileError(f"{path}: is no history of meander ({error})") from error
        self.columns, self.units = [], {}
        for title in rows[0]:
            name, unit = re.fullmatch(r"(.*?)(?: \[(.*)\])?", title).groups()
            self.columns.append(name)
            if unit:
                self.units[name] = unit
        self.numbers = [name for name in self.columns if name not in self._words]
        if "time" not in self.columns or "step" not in self.columns:
            raise FileError(f"{path}: is no history of meander (it has no columns step and time)")

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
