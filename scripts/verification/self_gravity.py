# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Gravity of the gas itself (gravity.method = "poisson"), as shipped, against theory and the radial gravity of spheres."""
import math

from verification.session import reader, shipped

try:
    import numpy
except ImportError:  # reader() says what is missing
    numpy = None


def radius(plot, centre, near):
    """The radius of a uniform ball with the mass and the moment of inertia of the gas within `near` of a centre, and the mass."""
    mass = moment = 0.0
    for level in plot.levels:
        density = plot.values("density", level).astype(float)
        r2 = sum((x - c) ** 2 for x, c in zip(level.centres(), centre)) + 0 * density
        ball = density * (r2 < near ** 2) * level.spacing ** 3
        mass, moment = mass + ball.sum(), moment + (ball * r2).sum()
    return math.sqrt(moment / mass * 5 / 3), mass


def time_of_collapse(start, mass, share):
    """The time in which a ball of cold gas, at rest at the start, falls to this share of its radius; G = 1."""
    return math.sqrt(start ** 3 / (2 * mass)) * (math.acos(math.sqrt(share)) + math.sqrt(share * (1 - share)))


def dust_collapse(verification):
    start, centre, shares = 0.5, (0.13, -0.07, 0.05), (0.7, 0.4, 0.2, 0.1)
    mass = 4 / 3 * math.pi * start ** 3
    times = [time_of_collapse(start, mass, share) for share in shares]
    _, done, seconds = verification.run("dust-collapse", shipped("dust-collapse.toml"), {
        "output.plot-times": str(times[:-1]), "time.end": times[-1]})
    plots = list(reader().open(verification.directory("dust-collapse")))[1:]
    seen = [radius(plot, centre, 1.3 * start)[0] / start for plot in plots]
    verification.claim(f"dust-collapse.toml: radius over that of the start when theory says {shares}", "within 0.015",
                       ", ".join(f"{one:.4f}" for one in seen),
                       done and len(seen) == 4 and all(abs(a - b) < 0.015 for a, b in zip(seen, shares)), seconds)


def accretion_by_poisson(verification):
    last = {}
    for method in ("radial", "poisson"):
        rows, done, seconds = verification.run(f"accretion-{method}", shipped("accretion-3d.toml"), {
            "output.plot-times": "[]", "gravity.method": method})
        last[method] = rows[-1]
    for column in ("turnaround_radius", "shock_radius"):
        ratio = last["poisson"][column] / last["radial"][column]
        verification.claim(f"accretion-3d.toml: {column} by Poisson's equation over that by radial gravity", "within 0.5 %",
                           f"{ratio:.4f}; {last['poisson'][column]:.4f}", done and abs(ratio - 1) < 0.005, seconds)
    cycles = max(row["gravity_cycles"] for row in rows[1:])
    verification.claim("accretion-3d.toml by Poisson's equation: most cycles of a step in the history", "1", f"{cycles:.0f}",
                       cycles == 1, 0)


def two_seeds(verification):
    rows, done, seconds = verification.run("two-seeds", shipped("accretion-two-seeds.toml"), {})
    drift = max(abs(rows[-1][f"total_momentum_{axis}"]) for axis in "xyz")
    verification.claim("accretion-two-seeds.toml: momentum of the merged gas", "1e-12", f"{drift:.1e}", done and drift < 1e-12, seconds)
    plot = list(reader().open(verification.directory("two-seeds")))[-1]
    _, within = radius(plot, (0, 0, 0), 0.1)
    places = [radius(plot, (x, 0, 0), 0.1)[1] for x in (-0.25, 0.25)]
    verification.claim("accretion-two-seeds.toml: mass within 0.1 of the middle over that about a point 0.25 away", "above 10",
                       f"{within / max(places):.1f}", within > 10 * max(places), 0)


def spherical_collapse(shells, end, gamma=5 / 3, energy=0.05):
    """Times and thermal energies of the collapse of evrard.toml in spherical symmetry: shells of equal mass that move with the gas,
    with the artificial viscosity of von Neumann and Richtmyer. Mass, radius and G are 1."""
    inside = numpy.arange(shells + 1) / shells  # mass
    r, mass, u = numpy.sqrt(inside), numpy.diff(inside), numpy.zeros(shells + 1)
    of_node = numpy.append(numpy.append(1, (mass[1:] + mass[:-1]) / 2), mass[-1] / 2)
    density = mass / (4 / 3 * math.pi * numpy.diff(r ** 3))
    e, viscosity = numpy.full(shells, energy), numpy.zeros(shells)
    t, dt, found = 0.0, 1e-4, []
    while t < end:
        pressure = (gamma - 1) * density * e
        sound, du = numpy.sqrt(gamma * pressure / density), numpy.diff(u)
        dt = min(1.1 * dt, 0.25 * (numpy.diff(r) / (sound + 4 * abs(du))).min())
        force = numpy.append(pressure + viscosity, 0)
        u[1:] -= dt * (4 * math.pi * r[1:] ** 2 * numpy.diff(force) / of_node[1:] + inside[1:] / r[1:] ** 2)
        r = r + dt * u
        before, density, du = density, mass / (4 / 3 * math.pi * numpy.diff(r ** 3)), numpy.diff(u)
        viscosity = numpy.where(du < 0, (before + density) / 2 * (2 * du * du - sound * du / 2), 0)
        expansion = 1 / density - 1 / before
        e = (e - (pressure / 2 + viscosity) * expansion) / (1 + (gamma - 1) / 2 * density * expansion)
        t += dt
        found.append((t, (mass * e).sum()))
    return found


def evrard(verification):
    rows, done, seconds = verification.run("evrard", shipped("evrard.toml"), {"output.plot-times": "[]"})
    coarse, fine = (max(spherical_collapse(shells, 1.2), key=lambda row: row[1]) for shells in (500, 1000))
    exact = 2 * fine[1] - coarse[1]  # of first order
    peak = max(rows, key=lambda row: row["thermal_energy"])
    ratio = 8 * peak["thermal_energy"] / exact
    verification.claim("evrard.toml: largest thermal energy over that of spherical shells", "within 2 %",
                       f"{ratio:.4f}; {8 * peak['thermal_energy']:.4f} at t = {peak['time']:.3f}, shells {exact:.4f} at {fine[0]:.3f}",
                       done and abs(ratio - 1) < 0.02, seconds)
    # Later, the shock carries gas through the open faces.
    energies = [row["total_energy"] + row["potential_energy"] - row["regrid_energy"] for row in rows if row["time"] < 1.6]
    drift = max(abs(one - energies[0]) for one in energies) / max(abs(row["potential_energy"]) for row in rows)
    verification.claim("evrard.toml: change of the energy of gas and potential until t = 1.6, over the largest potential energy",
                       "at most 2e-6", f"{drift:.1e}", drift < 2e-6, 0)


def binary_stars(verification):
    rows, done, seconds = verification.run("binary-stars", shipped("binary-stars.toml"), {})
    plot = list(reader().open(verification.directory("binary-stars")))[-1]
    mass, moment = numpy.zeros(2), numpy.zeros((2, 2))  # of the star on each side of x = 0; of x and y
    for level in plot.levels:
        density = plot.values("density", level).astype(float)
        stars = numpy.where(density > 0.5, density, 0) * level.spacing ** 3
        places = [centres + 0 * density for centres in level.centres()]
        for star, side in enumerate((places[0] > 0, places[0] < 0)):
            mass[star] += (stars * side).sum()
            moment[star] += [(stars * side * place).sum() for place in places[:2]]
    between = moment[0] / mass[0] - moment[1] / mass[1]
    ahead, distance = math.atan2(between[1], between[0]) / (2 * math.pi), math.hypot(*between)
    verification.claim("binary-stars.toml: after one orbit, the stars are ahead by a part of it", "within 0.01", f"{ahead:.4f}",
                       done and abs(ahead) < 0.01, seconds)
    verification.claim("binary-stars.toml: their distance over that at the start", "within 2 %", f"{distance:.4f}", abs(distance - 1) < 0.02, 0)
    factor = max(abs(row["energy_factor"]) for row in rows[2:])
    verification.claim("binary-stars.toml: largest share of its work that closes the budget of energy", "below 0.1", f"{factor:.3f}",
                       factor < 0.1, 0)


PROBLEMS = {"evrard": evrard, "binary-stars": binary_stars, "dust-collapse": dust_collapse, "accretion-by-poisson": accretion_by_poisson, "two-seeds": two_seeds}
