# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Black holes on adaptive meshes."""
from verification.session import all_at_least, interpolated, largest, listed, ratios, shipped


def puncture(verification):
    """The constraint is the Hamiltonian one, L2 over the finest level outside r = 1."""
    quick = verification.options.quick
    end = 1 if quick else 20
    times = [0.5, 1] if quick else [2, 5, 10, 15, 20]
    column = "hamiltonian_l2_level_5"
    widths, constraints, completed = [], [], True
    for p in [10, 14]:
        rows, done, seconds = verification.run(f"puncture-{p}", shipped("puncture.toml"),
                                               {"mesh.patch-size": p, "time.end": end})
        widths.append(f"volumes of {2 / p:.3f} M at the puncture")
        constraints.append([interpolated(rows, t, column) for t in times])
        completed &= done
        most = largest(row[column] for row in rows)
        verification.claim(f"{widths[-1]}: reaches t = {end} M; constraint at any time", "at most 2e-2",
                           f"t = {rows[-1]['time']:g} M, {most:.2e}", done and most <= 2e-2, seconds)
        if not quick:
            late = [row["lapse_min"] for row in rows if row["time"] >= 12]
            verification.claim(f"{widths[-1]}: least lapse from t = 12 M on", "between 0.02 and 0.06",
                               f"{min(late, default=0):.3f} to {largest(late):.3f}",
                               done and all_at_least(late, 0.02) and largest(late) <= 0.06, seconds)
    falls = ratios(*constraints)
    verification.claim(f"constraint at t = {listed(times, 'g')} M, {widths[0]} over {widths[1]}", "at least 3",
                       f"{listed(falls, '.1f')} ({listed(constraints[0], '.2e')}; {listed(constraints[1], '.2e')})",
                       completed and all_at_least(falls, 3), seconds)
