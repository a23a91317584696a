# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every shipped input at four times its length; and noise in uniform states on nests for 100 crossing times, with all
schemes but fourth-order CCZ4."""
import math

from verification.session import shipped

# The limits of each run, four times as large; inputs/accretion-3d-fine.toml would take an hour and is left out. At the end the
# formulae's turnaround radii are 0.46 (2D) and 0.42 (3D) of the boxes' half widths.
LENGTHS = {
    "sod": {"time.end": 0.8}, "vortex": {"time.end": 8}, "uniform": {"time.end": 0.4}, "sedov-2d": {"time.end": 0.6},
    "sedov-3d": {"time.end": 0.2}, "riemann-2d": {"time.end": 3.2},
    "accretion-2d": {"scenario.end-scale-factor": 16}, "accretion-3d": {"scenario.end-scale-factor": 32},
    "kelvin-helmholtz": {"time.end": 40}, "double-blast": {"time.end": 0.152}, "noh-2d": {"time.end": 8}, "gresho": {"time.end": 12},
    "shock-bubble": {"time.end": 40}, "double-mach": {"time.end": 0.8}, "rayleigh-taylor": {"time.end": 52}, "bondi": {"time.end": 12},
    "hydrostatic": {"time.end": 40}, "jeans": {"time.end": 3.2}, "pancake": {"time.end": -0.275},
    "gauge-wave": {"time.end": 40}, "linear-wave": {"time.end": 40}, "kerr-schild": {"time.end": 8},
    "evrard": {"time.end": 8}, "dust-collapse": {"time.end": 2.14}, "accretion-two-seeds": {"scenario.end-scale-factor": 32},
    "binary-stars": {"time.end": 25.13},
    "puncture": {"time.end": 80}, "binary": {"time.end": 20},
}
QUICK = ("sod", "vortex")
# Errors of these grow at most as the square of time: exponential growth of a rate that matters is faster.
GROWING = {"vortex": "error_l2", "gresho": "error_l2", "hydrostatic": "error_l2", "gauge-wave": "error_l2", "linear-wave": "error_l2",
           "kerr-schild": "error_l2", "puncture": "hamiltonian_l2", "binary": "hamiltonian_l2"}
CLOSED = ("vortex", "uniform", "kelvin-helmholtz", "double-blast", "gresho", "rayleigh-taylor", "hydrostatic", "accretion-2d", "accretion-3d")  # nothing leaves the domain
REPORTED = ("error_l2", "error_linf", "shock_radius", "turnaround_radius", "turnaround_formula", "hamiltonian_l2",
            "momentum_l2", "lapse_min", "puncture_1_x", "puncture_1_y", "puncture_2_x", "puncture_2_y",
            "first_order_volumes", "floored_volumes")


def growth(rows, column):
    """n where a column grows as time to the power of n from half of the run to its end; of its largest values in a tenth of the run."""
    start, end = rows[0]["time"], rows[-1]["time"]

    def most(share):
        return max(row[column] for row in rows if share - 0.1 < (row["time"] - start) / (end - start) <= share)
    return math.log2(most(1.0) / most(0.5))


def four_times(verification):
    options = verification.options
    for name in options.input or (QUICK if options.quick else LENGTHS):
        length = LENGTHS[name]
        plots = {"output.plot-times": "[]"} if name.startswith("accretion") else {}
        rows, done, seconds = verification.run(f"four-times-{name}", shipped(f"{name}.toml"), {**length, **plots})
        first, last = rows[0], rows[-1]
        figures = [f"{column} {last[column]:.3g}" for column in REPORTED if last.get(column)]
        kept = True
        if name in CLOSED:
            drift = abs(last["total_density"] / first["total_density"] - 1)
            kept = drift <= 1e-11 or last["floored_volumes"] > 0
            figures.insert(0, f"mass changed by {drift:.1e}")
        if name in GROWING:
            exponent = growth(rows, GROWING[name])
            verification.claim(f"{name}.toml, four times as long: {GROWING[name]} at the end over that at half of the time, as a power of time",
                               "at most 2.1", f"{exponent:.2f}", done and exponent <= 2.1, seconds)
        verification.claim(f"{name}.toml, four times as long", "completed, mass kept where nothing leaves or is lifted",
                           f"t = {last['time']:.4g} after {last['step']:.0f} steps; " + ", ".join(figures),
                           done and kept, seconds)


NEST = """[domain]
dimensions = {dim}
[mesh]
patch-size = 6
min-level = 1
max-level = 3
buffer = 0
[[refinement]]
kind = "box"
lower = [{lower}]
upper = [{upper}]
level = 2
[[refinement]]
kind = "ball"
radius = 0.02
[time]
end = {end}
[output]
history-steps = 20
"""
GAS = """[solver]
scheme = "{scheme}"
gamma = 1.4
[scenario]
name = "uniform"
velocity = [{velocity}]
pressure = 0.7142857142857143
noise = 1e-6
"""
CCZ4 = """[solver]
equation = "ccz4"
scheme = "rusanov"
f = 0.7
[scenario]
name = "minkowski"
noise = 1e-8
"""


def nest(dim, end):
    return NEST.format(dim=dim, end=end, lower=", ".join(["0.4"] * dim), upper=", ".join(["0.6"] * dim))


def noise_on_nests(verification):
    """The sound crosses the domain in t = 1, as light does."""
    end = 5 if verification.options.quick else 100
    runs = [(f"Euler {scheme}, {dim}D, gas {'moving' if speed else 'at rest'}",
             nest(dim, end) + GAS.format(scheme=scheme, velocity=", ".join(str(speed / (d + 1)) for d in range(dim))))
            for dim in (2, 3) for scheme in ("muscl", "rusanov") for speed in (0.0, 0.5)]
    runs.append(("CCZ4 rusanov", nest(3, end) + CCZ4))
    for what, text in runs:
        name = "nest-" + what.lower().replace(",", "").replace(" ", "-")
        rows, done, seconds = verification.run(name, verification.input(name, text), {})
        early = max(row["error_linf"] for row in rows if row["time"] <= 2)
        late = max(row["error_linf"] for row in rows if row["time"] >= 0.9 * end)
        verification.claim(f"noise on three nested levels, {what}, {end} crossing times: largest deviation in the last "
                           "tenth over that by t = 2", "at most 1",
                           f"{late / early:.2g} ({early:.2e}, {late:.2e})", done and late <= early, seconds)
