# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Masses, spins and lapse of the horizons of single black holes."""
import math
import os

import verification.session as session

SETTLED_LAPSE = 0.376180  # of the stationary 1+log slice at R = 2 M (Hannam et al. 2008, arXiv:0804.0628)
# puncture.toml in an octant, with volumes of 0.11 M at the hole: 112 leaves.
OCTANT = {"domain.lower": [0.0] * 3, "domain.upper": [162.0] * 3, "domain.cells": [2] * 3, "mesh.patch-size": 9,
          **{f"boundary.{axis}-lower": '"symmetric"' for axis in "xyz"}}
# The same with volumes of 0.2 and 0.067 M; coarse steps are of equal length.
COARSE = OCTANT | {"mesh.patch-size": 15, "mesh.max-level": 4}
FINE = OCTANT | {"mesh.patch-size": 15}
# Constraints are damped as it keeps the mass of a settled hole (docs/verification.md).
PLAIN_FIRST = {"solver.plain-until": 30}


def searches(verification, name, number=1):
    """Rows of horizon_N.csv with a horizon, as dictionaries of numbers; `status` is dropped."""
    found = session.reader().open(os.path.join(verification.directory(name), f"horizon_{number}.csv"))
    columns = [column for column in found.columns if column != "status"]
    rows = [dict(zip(columns, values)) for values in zip(*(found[column] for column in columns))]
    return [row for row in rows if math.isfinite(row["area"])]


def drift(rows, column, first=0.0):
    """Largest relative deviation from the first row at or after that time."""
    kept = [row[column] for row in rows if row["time"] >= first]
    return max(abs(value / kept[0] - 1) for value in kept)


def puncture_mass(verification):
    """The mass of the horizon of a black hole of mass 1 while the gauge adjusts, on two meshes."""
    end = 1 if verification.options.quick else 10
    largest = []
    for name, settings in (("0.2 M", COARSE), ("0.067 M", FINE)):
        directory = f"puncture-mass-{name.split()[0]}"
        _, done, seconds = verification.run(directory, session.shipped("puncture.toml"), {"time.end": end, **settings, **PLAIN_FIRST})
        rows = searches(verification, directory)
        largest.append(max(abs(row["irreducible_mass"] - 1) for row in rows))
        limit = 3e-4 if settings is FINE else math.inf
        verification.claim(f"puncture.toml in an octant, volumes of {name}: largest abs(M_irr - 1) to {end} M",
                           f"at most {limit:g}" if settings is FINE else "reported",
                           f"{largest[-1]:.1e} ({len(rows)} horizons to {rows[-1]['time']:.3g} M)",
                           done and largest[-1] <= limit and rows[-1]["time"] > 0.8 * end, seconds)
        verification.table(f"M_irr - 1, volumes of {name}", ("t [M]", "M_irr - 1", "mean radius [M]"),
                           [(f"{row['time']:.3g}", f"{row['irreducible_mass'] - 1:+.1e}", f"{row['mean_radius']:.3f}")
                            for row in rows])
    ratio = largest[0] / largest[1]
    verification.claim("ratio of these two", "above 60", f"{ratio:.0f}", ratio > 60, 0)


def on_horizon(plot, row, field, number=2000):
    """Mean of a field of a plot file of an octant over the sphere of the horizon's mean radius about the origin."""
    golden = math.pi * (1 + math.sqrt(5))
    points = []
    for n in range(number):
        z = 1 - (2 * n + 1) / number
        rho = math.sqrt(1 - z * z)
        across = (rho * math.cos(golden * n), rho * math.sin(golden * n), z)
        points.append([row["mean_radius"] * abs(x) for x in across])
    return float(plot.sample_points(field, points).mean())


def puncture_settles(verification):
    """The stationary state: mass, lapse on the horizon, no spurious waves."""
    end = 2 if verification.options.quick else 100
    name = "puncture-settles"
    history, done, seconds = verification.run(
        name, session.shipped("puncture.toml"),
        {"time.end": end, "diagnostics.extraction-radii": "[40.0]", **OCTANT, **PLAIN_FIRST})
    rows = searches(verification, name)
    largest = max(abs(row["irreducible_mass"] - 1) for row in rows)
    verification.claim(f"puncture.toml in an octant, volumes of 0.11 M: largest abs(M_irr - 1) to {end} M", "at most 1e-3",
                       f"{largest:.1e}", done and largest <= 1e-3, seconds)
    last = max(file for file in os.listdir(verification.directory(name)) if file.endswith(".vtkhdf"))
    with session.reader().open(os.path.join(verification.directory(name), last)) as plot:
        lapse = on_horizon(plot, rows[-1], "lapse")
    verification.claim(f"the same: mean lapse on the horizon at {end} M", f"{SETTLED_LAPSE} +- 0.005", f"{lapse:.4f}",
                       abs(lapse - SETTLED_LAPSE) <= 0.005, seconds)
    modes = [column for column in history[0] if column.startswith("psi4_")]
    spurious = max(abs(row[column]) for row in history for column in modes)
    verification.claim("the same: largest mode of Psi4 with l = 2 at r = 40 M, whose exact value is 0", "at most 1e-5",
                       f"{spurious:.1e}", spurious <= 1e-5, seconds)


def hole_damping(verification):
    """The mass of a black hole at rest with each damping of the constraints. Half an hour on two cores."""
    end = 4 if verification.options.quick else 100
    rows = {}
    for name, settings in (("lapse", {}), ("plain", {"solver.damping": '"plain"'}), ("plain-until", {"solver.plain-until": 0.3 * end})):
        directory = f"hole-damping-{name}"
        _, done, seconds = verification.run(directory, session.shipped("puncture.toml"), {"time.end": end, **OCTANT, **settings})
        rows[name] = searches(verification, directory)
        limit = 1e-6 if name == "plain-until" else math.inf
        seen = session.slope([(row["time"], row["irreducible_mass"]) for row in rows[name] if row["time"] >= 0.5 * end])
        verification.claim(f"puncture.toml in an octant, {name}: dM_irr/dt in the last {end / 2:g} M",
                           "reported" if math.isinf(limit) else f"at most {limit:g}", f"{seen:+.1e}",
                           done and abs(seen) <= limit, seconds)
    times = sorted(set.intersection(*({round(row["time"], 6) for row in found} for found in rows.values())))
    at = {name: {round(row["time"], 6): row["irreducible_mass"] - 1 for row in found} for name, found in rows.items()}
    verification.table("M_irr - 1", ("t [M]", *rows), [(f"{t:.3g}", *(f"{at[name][t]:+.2e}" for name in rows)) for t in times])


def spinning_puncture(verification):
    """Angular momentum and mass of a spinning black hole."""
    end = 2 if verification.options.quick else 100
    name = "spinning-puncture"
    _, done, seconds = verification.run(name, session.shipped("spinning-puncture.toml"), {"time.end": end})
    rows = searches(verification, name)
    verification.claim("spinning-puncture.toml at the start: J - 0.5", "at most 1e-5",
                       f"{rows[0]['coordinate_spin_z'] - 0.5:+.1e}", abs(rows[0]["coordinate_spin_z"] - 0.5) <= 1e-5,
                       seconds)
    for column, what in (("spin_z", "J"), ("christodoulou_mass", "M")):
        seen = drift(rows, column)
        verification.claim(f"the same to {end} M: largest relative change of {what}", "at most 1e-3", f"{seen:.1e}",
                           done and seen <= 1e-3, seconds)
