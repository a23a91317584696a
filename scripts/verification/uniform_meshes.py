# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Uniform meshes: orders of waves, waves and noise over many crossing times."""
import math

from verification import session
from verification.session import at, largest, listed, shipped

ACROSS = {9: "27", 18: "54", 36: "108"}  # base cells of p = 3

NOISE = """[domain]
lower = [-0.5, 0, 0]
[mesh]
patch-size = 3
[solver]
equation = "ccz4"
f = 0.7  # off 0.75, where two speeds meet in flat space
cfl = 0.8
[scenario]
name = "minkowski"
"""


def thin(cells):
    """A domain one wave long and one base cell thick, of 3 volumes a cell."""
    return {"mesh.patch-size": 3, "domain.cells": f"[{cells}, 1, 1]", "domain.lower": "[-0.5, 0.0, 0.0]",
            "domain.upper": f"[0.5, {1 / cells!r}, {1 / cells!r}]"}


def orders(verification, name, source, settings, end):
    errors, seconds, completed = [], 0, True
    for cells in ACROSS:
        rows, done, took = verification.run(f"{name}-order-{ACROSS[cells]}", source,
                                            {**thin(cells), "time.end": end, "output.history-steps": 1000, **settings})
        errors.append(rows[-1]["error_l2"])
        seconds += took
        completed &= done
    seen = session.orders(errors)
    verification.claim(f"{name}, t = {end}, 27 to 54 to 108 across: order of the L2 error of all unknowns", "3.8",
                       f"{listed(seen, '.2f')} (errors {listed(errors, '.2e')})",
                       completed and session.all_at_least(seen, 3.8), seconds)


def gauge_wave(verification):
    quick = verification.options.quick
    orders(verification, "gauge-wave", shipped("gauge-wave.toml"), {}, 0.1 if quick else 0.5)
    end = 20 if quick else 100
    for cells in [9] if quick else ACROSS:
        rows, done, seconds = verification.run(f"gauge-wave-{ACROSS[cells]}", shipped("gauge-wave.toml"),
                                               {**thin(cells), "time.end": end, "output.history-steps": 100})
        half, last = at(rows, end / 2), rows[-1]
        most = largest(row["hamiltonian_linf"] for row in rows if row["time"] <= end / 2)
        seen = (f"{most:.2e} by half time, {last['hamiltonian_linf']:.2e} at t = {last['time']:g}; least lapse "
                f"{last['lapse_min']:.4f} (exact: {math.sqrt(0.9):.4f}); L2 error {at(rows, 1)['error_l2']:.2e} at "
                f"t = 1, {half['error_l2']:.2e} at {end / 2:g}, {last['error_l2']:.2e} at the end")
        verification.claim(f"gauge wave, A = 0.1, {ACROSS[cells]} across, {end} crossing times: Hamiltonian "
                           "constraint, Linf",
                           "at most 0.2" if quick else "at the end at most 1.5 times the largest by half time", seen,
                           done and last["hamiltonian_linf"] <= (0.2 if quick else 1.5 * most), seconds)


def linear_wave(verification):
    orders(verification, "linear-wave", shipped("linear-wave.toml"), {}, 0.1 if verification.options.quick else 0.5)


def robust_stability(verification):
    quick = verification.options.quick
    end = 2 if quick else 10
    source = verification.input("noise", NOISE)
    for cells in [9] if quick else ACROSS:
        noise = 1e-10 * (9 / cells) ** 2
        rows, done, seconds = verification.run(
            f"robust-{ACROSS[cells]}", source,
            {**thin(cells), "scenario.noise": noise, "time.end": end, "output.history-steps": 20})
        most = largest(row["error_linf"] for row in rows)
        early = largest(row["error_linf"] for row in rows if row["time"] <= 2)
        seen = f"largest {most / noise:.1f} times the noise, {rows[-1]['error_linf'] / noise:.1f} at t = {end}"
        verification.claim(f"noise of {noise:.1e} in flat space, {ACROSS[cells]} across, {end} crossing times",
                           "largest by t = 2, and at most 30 times the noise", seen,
                           done and most <= early and most <= 30 * noise, seconds)
