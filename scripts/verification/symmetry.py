# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs in a part of the domain that planes of symmetry cut out, against runs of the whole on the mirrored mesh: equal histories, and
fewer updates. Half an hour."""
import csv
import dataclasses
import json
import math
import os

import verification.session as session

# Of the domain alone, of levels, which differ with the number of base cells, or of how well an equation was solved.
OF_THE_DOMAIN = ("level", "leaves", "first_order", "floored", "residual", "rms", "gravity_cycles")
ROUNDING = 1e-9  # over a column's largest value, which is at least
LEAST = {"chi": 1.0, "puncture_": 1.0}  # where all may vanish


@dataclasses.dataclass
class Case:
    """An input; edge: of a base cell; cells: of the part along a cut axis; axes: those that a plane cuts at 0."""
    source: str
    edge: float
    cells: int
    axes: str
    settings: dict
    uncut: int = 0  # base cells along other axes
    beyond: str = "sommerfeld"  # the boundary of the whole

    def of(self, is_whole):
        cut = [axis in self.axes for axis in "xyz"]
        number = [(2 if is_whole else 1) * self.cells if c else self.uncut for c in cut]
        lower = [0.0 if c and not is_whole else -self.edge * n / 2 for c, n in zip(cut, number)]
        upper = [self.edge * (self.cells if c else n / 2) for c, n in zip(cut, number)]
        base = math.ceil(math.log(max(number), 3) - 1e-12)
        settings = {"domain.lower": lower, "domain.upper": upper, "domain.cells": number, **self.settings}
        depth = settings.pop("depth")
        settings |= {"mesh.min-level": base, "mesh.max-level": base + depth}
        kind = self.beyond if is_whole else "symmetric"
        return settings | {f"boundary.{axis}-lower": f'"{kind}"' for axis in self.axes}


BLACK_HOLE = {"mesh.patch-size": 9, "time.end": 1.0, "diagnostics.psi4-every": 0.2}
CASES = {
    "head-on": Case("head-on-octant.toml", 54.0, 3, "xyz", {**BLACK_HOLE, "depth": 4}),
    "qc0": Case("qc0.toml", 81.0, 2, "z", {**BLACK_HOLE, "depth": 4}, 4),
    "puncture": Case("puncture.toml", 162.0, 2, "xyz", {**BLACK_HOLE, "diagnostics.extraction-radii": [60.0], "depth": 4}),
    "sedov": Case("sedov-3d.toml", 0.5, 1, "xyz", {"depth": 2}, beyond="outflow"),
    "accretion": Case("accretion-3d.toml", 5 / 6, 2, "xyz", {"boundary.all": '"reflecting"', "scenario.end-scale-factor": 0.05, "output.plot-times": [], "depth": 2}, beyond="reflecting"),
}


def kind(column):
    """Of which column's size differences are a share."""
    file, name = column.split(" ", 1)
    name = name.split(" [")[0]
    if name.startswith(("centroid_", "mean_radius")):
        return f"{file} length"
    if "spin_" in name or name == "area":
        return f"{file} area"
    for word in ("total_", "psi4_", "puncture_"):
        if name.startswith(word):
            return f"{file} {word}"
    return column


def columns(directory):
    """The numbers of all tables of a run by file and column."""
    found = {}
    for name in sorted(os.listdir(directory)):
        if not (name.endswith(".csv") and (name == "history.csv" or name.startswith("horizon_"))):
            continue
        with open(os.path.join(directory, name), encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                for column, cell in row.items():
                    if not any(word in column for word in OF_THE_DOMAIN) and column != "status":
                        found.setdefault(f"{name} {column}", []).append(float(cell))
    return found


def symmetry(verification):
    rows = []
    for name, case in CASES.items():
        seconds, completed = {}, True
        for is_whole in (False, True):
            run = f"{name}-{'whole' if is_whole else 'part'}"
            _, complete, seconds[is_whole] = verification.run(run, session.shipped(case.source), case.of(is_whole))
            if not complete:
                completed = False
                verification.claim(f"symmetry, {run}", "a complete run", "stopped", False, seconds[is_whole])
        if not completed:
            continue
        part, whole = (columns(verification.directory(f"{name}-{which}")) for which in ("part", "whole"))
        largest, where = 0.0, "nothing"
        sizes = {}  # of columns of one kind, some of which vanish: components of vectors, modes of waves
        for column, values in whole.items():
            sizes[kind(column)] = max([sizes.get(kind(column), 0), LEAST.get(kind(column).split(" ")[1], 1e-12), *(abs(v) for v in values if math.isfinite(v))])
        for column, values in whole.items():
            if len(values) != len(part.get(column, ())):
                largest, where = math.inf, f"{column}: rows"
                continue
            size = sizes[kind(column)]
            for here, there in zip(part[column], values):
                off = 0 if math.isnan(here) and math.isnan(there) else abs(here - there) / size
                if not off <= largest:
                    largest, where = off, column
        updates = []
        for which in ("part", "whole"):
            with open(os.path.join(verification.directory(f"{name}-{which}"), "summary.json"), encoding="utf-8") as summary:
                updates.append(json.load(summary)["volume_updates"])
        images = 2 ** len(case.axes)
        verification.claim(f"symmetry, {name}: largest difference of {len(whole)} columns, over the column's largest value", f"at most {ROUNDING:.0e}",
                           f"{largest:.1e} ({where})", largest <= ROUNDING, seconds[False] + seconds[True])
        verification.claim(f"symmetry, {name}: updates of the whole over those of the part", f"{images} less 10 %", f"{updates[1] / updates[0]:.3f}",
                           updates[1] >= 0.9 * images * updates[0], 0)
        rows.append((name, case.axes, f"{updates[0]:.3g}", f"{updates[1]:.3g}", f"{seconds[False]:.1f}", f"{seconds[True]:.1f}"))
    verification.table("Planes of symmetry: updates and seconds", ("run", "planes", "updates", "of the whole", "s", "of the whole"), rows)
