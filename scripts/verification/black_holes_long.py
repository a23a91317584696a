# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Black holes at rest for a long time: growth at resolution jumps."""
import itertools
import math
import os
import statistics

import verification.session as session

FACE, OFF_AXIS = 2.9, 0.1  # points in the last volumes of the finest cube, near the middles of its faces


def hamiltonian_at_jumps(plot):
    """|H| in the finest cube of a plot file: largest within three volumes of all of three faces (its corners), and mean
    over points near the middles of the faces."""
    finest = plot.levels[-1]
    volumes = plot.volumes("hamiltonian")
    centres, values = (column[volumes.level == finest.number] for column in (volumes.centre, volumes.value))
    lower, upper = finest.lower.min(axis=0), (finest.lower + finest.edge).max(axis=0)
    margin = 3 * finest.spacing
    corner = ((centres < lower + margin) | (centres > upper - margin)).all(axis=1)
    points = [[sign * FACE if a == axis else OFF_AXIS if a == (axis + 1) % 3 else -OFF_AXIS for a in range(3)]
              for axis, sign in itertools.product(range(3), (-1, 1))]
    return float(abs(values[corner]).max()), float(abs(plot.sample_points("hamiltonian", points)).mean())


def rows_of_plots(directory):
    meander = session.reader()
    rows = []
    for file in sorted(os.listdir(directory)):
        if file.startswith("plot_") and file.endswith(".vtkhdf"):
            with meander.open(os.path.join(directory, file)) as plot:
                corner, face = hamiltonian_at_jumps(plot)
                rows.append({"time": plot.time, "corner": corner, "face": face})
    return rows


def picture(path, history, plots):
    """Requires matplotlib; without it there is no picture."""
    try:
        from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("  no picture: Python has no matplotlib", flush=True)
        return
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for column, label in (("corner", "finest cube, corners: largest"), ("face", "finest cube, middles of faces")):
        left.semilogy([row["time"] for row in plots], [row[column] for row in plots], label=label)
    for level, label in ((5, "L2, finest level"), (4, "L2, level around it")):
        column = f"hamiltonian_l2_level_{level}"
        left.semilogy([row["time"] for row in history[1:]], [row[column] for row in history[1:]], label=label)
    left.set(xlabel="t [M]", ylabel="Hamiltonian constraint")
    left.legend()
    offset = [math.hypot(*(row[f"puncture_1_{axis}"] for axis in "xyz")) for row in history]
    right.semilogy([row["time"] for row in history], [max(value, 1e-17) for value in offset])
    right.axhline(1e-9, linestyle=":", color="black")
    right.set(xlabel="t [M]", ylabel="distance of the puncture from the origin [M]")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"  picture: {path}", flush=True)


def puncture_long(verification):
    end = 2 if verification.options.quick else 100
    first = 1 if verification.options.quick else 20
    history, done, seconds = verification.run("puncture-long", session.shipped("puncture.toml"),
                                              {"time.end": end, "output.plot-every": 1 if end < 4 else 4})
    plots = rows_of_plots(verification.directory("puncture-long"))
    offset = max(abs(row["puncture_1_x"]) for row in history)
    verification.claim(f"puncture.toml to {end} M: largest |puncture_1_x|", "below 1e-9",
                       f"{offset:.1e}; ended at {history[-1]['time']:g} M", done and offset < 1e-9, seconds)
    late = [row for row in plots if row["time"] >= first]
    growth = session.rate(plots, "corner", first, end)
    # Single plots scatter by a factor of five.
    begin, final = (statistics.mean(row["corner"] for row in part)
                    for part in ([row for row in late if row["time"] <= first + end / 5],
                                 [row for row in late if row["time"] >= end - end / 5]))
    verification.claim(f"the same: |H| at the corners of the finest cube from {first} M on",
                       f"rate below 0, and over the last {end / 5:g} M no more than over the first on average",
                       f"rate {growth:+.3f} / M, {begin:.1e} and {final:.1e}, at most "
                       f"{max(row['corner'] for row in late):.1e}", done and growth < 0 and final <= begin, seconds)
    times = [row["time"] for row in plots if row["time"] > 0]
    verification.table("puncture.toml: H over time",
                       ("t [M]", "abs(puncture_1_x)", "corners of the finest cube, largest", "middles of its faces, mean",
                        "L2, finest level", "L2, level around it"),
                       [(f"{t:.3g}", f"{abs(session.at(history, t)['puncture_1_x']):.1e}",
                         f"{session.at(plots, t)['corner']:.1e}", f"{session.at(plots, t)['face']:.1e}",
                         f"{session.at(history, t)['hamiltonian_l2_level_5']:.1e}",
                         f"{session.at(history, t)['hamiltonian_l2_level_4']:.1e}") for t in times])
    middle = session.rate(plots, "face", 0.6 * end, end)
    verification.claim(f"the same: mean |H| at the middles of the finest cube's faces from {0.6 * end:g} M on",
                       "reported", f"rate {middle:+.3f} / M, {plots[-1]['face']:.1e} at the end", done, seconds)
    picture(verification.directory("puncture-long.png"), history, plots)


def kerr_schild_long(verification):
    first, end = (0.5, 1) if verification.options.quick else (20, 100)
    rows, done, seconds = verification.run("kerr-schild-long", session.shipped("kerr-schild.toml"),
                                           {"time.end": end, "output.history-steps": 20})
    early, late = session.interpolated(rows, first, "error_l2"), rows[-1]["error_l2"]
    verification.claim(f"kerr-schild.toml to t = {end}: L2 error of all unknowns over that at t = {first}", "at most 2",
                       f"{late / early:.2f} ({early:.2e}, {late:.2e}); ended at t = {rows[-1]['time']:g}",
                       done and late <= 2 * early, seconds)
