# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The accretion inputs with local time steps against global ones: radii, mass profile, updates."""
import json

from verification.session import reader, shipped

INPUTS = ("accretion-2d", "accretion-3d")
QUICK = ("accretion-2d",)
RADII = [0.05 * n for n in range(1, 31)]


def mass_profile(plot):
    """The mass excess within each of the radii."""
    profile = [0.0] * len(RADII)
    for level in plot.levels:
        excess = (plot.values("density", level).astype(float) - 1) * level.spacing ** plot.dim
        r2 = sum(axis ** 2 for axis in level.centres())
        profile = [mass + excess.sum(where=r2 < radius ** 2) for mass, radius in zip(profile, RADII)]
    return profile


def local_steps(verification):
    for name in INPUTS:
        if verification.options.quick and name not in QUICK:
            continue
        last, profiles, updates, total = {}, {}, {}, 0.0
        for stepping in ("global", "local"):
            run = f"local-steps-{name}-{stepping}"
            rows, done, seconds = verification.run(run, shipped(f"{name}.toml"), {
                "time.stepping": f'"{stepping}"', "output.fields": '["density"]'})
            total += seconds
            if not done:
                verification.claim(f"{name}.toml, {stepping} steps", "ends", "failed", False, seconds)
                return
            last[stepping] = rows[-1]
            profiles[stepping] = mass_profile(reader().open(verification.directory(run))[-1])
            with open(verification.directory(run) + "/summary.json", encoding="utf-8") as summary:
                updates[stepping] = json.load(summary)["volume_updates"]
        for column in ("turnaround_radius", "shock_radius"):
            change = last["local"][column] / last["global"][column] - 1
            verification.claim(f"{name}.toml: {column} with local steps against global ones", "within 1 %",
                               f"{100 * change:+.2f} %", abs(change) < 0.01, total)
        most = max(map(abs, profiles["global"]))
        change = max(abs(a - b) for a, b in zip(profiles["local"], profiles["global"])) / most
        verification.claim(f"{name}.toml: mass profile with local steps against global ones", "within 1 %",
                           f"{100 * change:.2f} %", change < 0.01, total)
        verification.claim(f"{name}.toml: updates with global steps over those with local ones", "more than 1",
                           f"{updates['global'] / updates['local']:.2f}", updates["local"] < updates["global"], total)
