# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The accretion inputs with dual energy, as shipped: floors, radii, and the adiabat of the gas that falls in."""
import json

from verification.session import reader, shipped

INPUTS = ("accretion-2d", "accretion-3d", "accretion-3d-fine")
QUICK = ("accretion-2d",)
INITIAL = 1e-7  # p / rho^gamma outside the seed
FURTHEST = 0.6  # gas between this radius and the faces is drawn away from the faces


def largest_heating(plot, nearest):
    """The largest relative deviation of p / rho^gamma from INITIAL, and so of the temperature from the adiabat."""
    worst = 0.0
    for level in plot.levels:
        r2 = sum(axis ** 2 for axis in level.centres())
        entropy = plot.values("pressure", level) / plot.values("density", level).astype(float) ** (5 / 3)
        infall = (r2 > nearest ** 2) & (r2 < FURTHEST ** 2)
        worst = max(worst, abs(entropy / INITIAL - 1).max(where=infall, initial=0.0))
    return worst


def cold_infall(verification):
    for name in INPUTS:
        if verification.options.quick and name not in QUICK:
            continue
        run = f"cold-infall-{name}"
        rows, done, seconds = verification.run(run, shipped(f"{name}.toml"), {
            "output.fields": '["density", "pressure"]'})
        last = rows[-1]
        with open(verification.directory(run) + "/summary.json", encoding="utf-8") as summary:
            share = last["floored_volumes"] / json.load(summary)["volume_updates"]
        radius = last["turnaround_radius"] / last["turnaround_formula"] - 1
        ratio = last["shock_radius"] / last["turnaround_radius"]
        verification.claim(f"{name}.toml: volume updates raised to a floor", "less than 0.1 %", f"{share:.1e}",
                           done and share < 1e-3, seconds)
        verification.claim(f"{name}.toml: turnaround radius against the formula", "within 5 %", f"{100 * radius:+.1f} %; "
                           f"shock over turnaround radius {ratio:.3f}", done and abs(radius) < 0.05, seconds)
        worst = largest_heating(reader().open(verification.directory(run))[-1], 2 * last["shock_radius"])
        verification.claim(f"{name}.toml: temperature from two shock radii to {FURTHEST} against the adiabat",
                           "within 5 %", f"{100 * worst:.2g} %", done and worst < 0.05, seconds)
