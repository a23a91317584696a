# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Shipped problems by formulas, as shipped, against theory and figures of the literature."""
import math

from verification.session import reader, rate, shipped

try:
    import numpy
except ImportError:  # reader() says what is missing
    numpy = None

WIDTH = "width"


def run(verification, name, settings, quick):
    """The plot files of the shipped input, whether it was completed, and the seconds it took. quick: settings for --quick."""
    rows, done, seconds = verification.run(name, shipped(f"{name}.toml"),
                                           {**settings, **(quick if verification.options.quick else {})})
    return reader().open(verification.directory(name)), rows, done, seconds


def volumes(plot, *fields):
    """Centres, widths and values of all volumes in 2D, in dictionaries of arrays."""
    columns = {name: [] for name in ("x", "y", WIDTH, *fields)}
    for level in plot.levels:
        values = [plot.values(field, level).astype(float) for field in fields]
        centres = numpy.broadcast_arrays(*level.centres(), values[0])[:2]
        for name, column in zip(columns, [*centres, numpy.full(values[0].shape, level.spacing), *values]):
            columns[name].append(numpy.ravel(column))
    return {name: numpy.concatenate(parts) for name, parts in columns.items()}


def collocation(width, wall, points):
    """Chebyshev points between walls at y = -wall and y = wall, dense within a few widths of y = 0, and the matrix of the derivative."""
    n = numpy.arange(points + 1)
    s = numpy.cos(math.pi * n / points)
    weights = numpy.where((n == 0) | (n == points), 2.0, 1.0) * (-1.0) ** n
    derivative = numpy.outer(weights, 1 / weights) / (s[:, None] - s[None, :] + numpy.eye(points + 1))
    derivative -= numpy.diag(derivative.sum(axis=1))
    stretch = math.asinh(wall / (3 * width))
    y = 3 * width * numpy.sinh(stretch * s)
    derivative /= (3 * width * stretch * numpy.cosh(stretch * s))[:, None]
    return y, derivative


def shear_layer_rate(wave_number, width, speed, contrast, wall=1.0, points=120):
    """The largest growth rate of small disturbances of velocity `speed` tanh(y / width) and density 1 above, `contrast` below, pressure
    1 / gamma, between walls: eigenvalues of the linear Euler equations of velocity and pressure."""
    y, derivative = collocation(width, wall, points)
    velocity = speed * numpy.tanh(y / width)
    shear = speed / width / numpy.cosh(y / width) ** 2
    volume = 1 / ((1 + contrast) / 2 + (1 - contrast) / 2 * numpy.tanh(y / width))
    one, none = numpy.eye(points + 1), numpy.zeros((points + 1, points + 1))
    advection = -1j * wave_number * numpy.diag(velocity)
    matrix = numpy.block([
        [advection, -numpy.diag(shear), -1j * wave_number * numpy.diag(volume)],
        [none, advection, -volume[:, None] * derivative],
        [-1j * wave_number * one, -derivative, advection]])  # gamma p = 1
    inside = numpy.delete(numpy.arange(3 * (points + 1)), [points + 1, 2 * points + 1])  # no velocity across the walls
    return numpy.linalg.eigvals(matrix[numpy.ix_(inside, inside)]).real.max()


def kelvin_helmholtz(verification):
    plots, _, done, seconds = run(verification, "kelvin-helmholtz", {"output.plot-every": 0.1, "time.end": 6}, {"mesh.max-level": 3})
    rows = []
    for plot in plots:
        gas = volumes(plot, "density", "velocity_y")
        rows.append({"time": plot.time, "energy": float((gas["density"] * (gas["velocity_y"] * gas[WIDTH]) ** 2).sum())})
    michalke = shear_layer_rate(0.4446, 1, 0.01, 1, wall=30) / 0.01
    verification.claim("eigenvalue problem of the shear layer: Michalke's largest rate, nearly incompressible", "0.1897 within 0.1 %",
                       f"{michalke:.4f}", abs(michalke / 0.1897 - 1) < 1e-3, 0)
    theory, seen = shear_layer_rate(2 * math.pi, 0.07, 0.5, 2), rate(rows, "energy", 2, 5.5) / 2
    verification.claim("kelvin-helmholtz.toml: growth rate of the transverse velocity against the eigenvalue", "within 2 %",
                       f"{seen:.4f}, theory {theory:.4f}", done and abs(seen / theory - 1) < 0.02, seconds)


def double_blast(verification):
    plots, _, done, seconds = run(verification, "double-blast", {}, {"mesh.max-level": 5})
    gas = volumes(plots[-1], "density")
    peak = gas["density"].argmax()
    density, x = gas["density"][peak], gas["x"][peak]
    verification.claim("double-blast.toml: largest density and its place (Woodward & Colella 1984: 6.4 at 0.78)", "within 3 %, 0.015",
                       f"{density:.3f} at {x:.4f}", done and abs(density / 6.4 - 1) < 0.03 and abs(x - 0.78) < 0.015, seconds)


def noh(verification):
    plots, rows, done, seconds = run(verification, "noh-2d", {}, {"time.end": 1})
    gas, end = volumes(plots[-1], "density"), plots[-1].time
    r, density, area = numpy.hypot(gas["x"], gas["y"]), gas["density"], gas[WIDTH] ** 2
    within = (r > 0.3 * end / 3) & (r < 0.9 * end / 3)
    mean = numpy.average(density[within], weights=area[within])
    worst = abs(density[within] / 16 - 1).max()
    verification.claim("noh-2d.toml: density from 0.3 to 0.9 shock radii, mean and every volume (exact: 16)", "within 2 %",
                       f"{mean:.3f}; {100 * worst:.1f} %; on the axis {density[r.argmin()]:.2f}", done and worst < 0.02, seconds)
    front = [r[density < 8].min() / end, r[density > 8].max() / end]
    share = (rows[-1]["floored_volumes"], rows[-1]["first_order_volumes"])
    verification.claim("noh-2d.toml: shock between radii, over t (exact: 1/3)", "within 2 %",
                       f"{front[0]:.4f}, {front[1]:.4f}; {share[0]:.0f} updates raised to a floor, {share[1]:.0f} of first order",
                       done and abs(3 * front[0] - 1) < 0.02 and abs(3 * front[1] - 1) < 0.02, seconds)


def gresho(verification):
    plots, rows, done, seconds = run(verification, "gresho", {}, {"mesh.max-level": 2, "time.end": 1.26})
    peaks = []
    for plot in (plots[0], plots[-1]):
        gas = volumes(plot, "velocity_x", "velocity_y")
        peaks.append(numpy.hypot(gas["velocity_x"], gas["velocity_y"]).max())
    kept = rows[-1]["kinetic_energy"] / rows[0]["kinetic_energy"]
    verification.claim(f"gresho.toml at t = {plots[-1].time:g}: kinetic energy and largest velocity over those of the start", "above 0.99, 0.93",
                       f"{kept:.4f}, {peaks[1] / peaks[0]:.4f}; error_l1 {rows[-1]['error_l1']:.2e}, "
                       f"error_linf {rows[-1]['error_linf']:.2e}",
                       done and kept > 0.99 and peaks[1] > 0.93 * peaks[0], seconds)


def star(left, right, gamma):
    """Pressure and velocity between two states (density, velocity, pressure) whose waves are shocks or rarefactions."""
    def change(state, pressure):
        density, _, p = state
        if pressure > p:
            return (pressure - p) * math.sqrt(2 / density / ((gamma + 1) * pressure + (gamma - 1) * p))
        return 2 * math.sqrt(gamma * p / density) / (gamma - 1) * ((pressure / p) ** ((gamma - 1) / (2 * gamma)) - 1)
    lower, upper = 1e-9, 1e9
    for _ in range(200):
        middle = math.sqrt(lower * upper)
        if change(left, middle) + change(right, middle) + right[1] - left[1] > 0:
            upper = middle
        else:
            lower = middle
    return lower, right[1] + change(right, lower)


def slope(points):
    return numpy.polyfit(*zip(*points), 1)[0]


def shock_bubble(verification):
    gamma, mach, light = 1.4, 1.22, 0.182
    times = [0.2, 0.24, 0.28, 0.32, 0.36, 2, 3]
    plots, _, done, seconds = run(verification, "shock-bubble", {"output.plot-times": times, "time.end": 3}, {"mesh.max-level": 4})
    behind = ((gamma + 1) * mach ** 2 / ((gamma - 1) * mach ** 2 + 2), 2 / (gamma + 1) * (mach - 1 / mach),
              (1 + 2 * gamma / (gamma + 1) * (mach ** 2 - 1)) / gamma)
    pressure, velocity = star(behind, (light, 0, 1 / gamma), gamma)
    shock = math.sqrt(((gamma + 1) / (2 * gamma) * (gamma * pressure - 1) + 1) / light)
    contacts, shocks, circulations = [], [], []
    for plot in plots:
        gas = volumes(plot, "density", "velocity_x", "velocity_y", "pressure")
        x, y, width = gas["x"], gas["y"], gas[WIDTH]
        if 0.19 < plot.time < 0.37:
            contacts.append((plot.time, x[(y < width) & (gas["density"] < 0.6)].min()))
            shocks.append((plot.time, x[(y < width) & (gas["pressure"] > (pressure + 1 / gamma) / 2)].max()))
        elif plot.time > 1:
            along, across = gas["velocity_x"] * width, gas["velocity_y"] * width
            lower, upper = plot.lower, plot.upper
            circulations.append(along[y < width].sum() - along[y > upper[1] - width].sum()
                                + across[x > upper[0] - width].sum() - across[x < lower[0] + width].sum())
    seen = slope(contacts), slope(shocks)
    verification.claim("shock-bubble.toml: upstream interface and shock in the bubble on the axis against a plane shock", "within 10 %, 5 %",
                       f"{seen[0]:.3f}, {seen[1]:.3f}; plane {velocity:.3f}, {shock:.3f}",
                       done and abs(seen[0] / velocity - 1) < 0.1 and abs(seen[1] / shock - 1) < 0.05, seconds)
    model = 4 / mach * (behind[2] - 1 / gamma) / behind[0] * (1 - light) / (1 + light)
    verification.claim("shock-bubble.toml: circulation at t = 2 and 3 against the model of Yang, Kubota & Zukoski (1994)", "at t = 2 within 5 %",
                       f"{circulations[0]:.3f}, {circulations[-1]:.3f}; model {model:.3f}",
                       done and abs(circulations[0] / model - 1) < 0.05, seconds)


def oblique(mach, angle, gamma=1.4):
    """Ratios of pressure and density across a shock at an angle to the stream, deflection, Mach number behind it."""
    normal = (mach * math.sin(angle)) ** 2
    deflection = math.atan(2 / math.tan(angle) * (normal - 1) / (mach ** 2 * (gamma + math.cos(2 * angle)) + 2))
    behind = math.sqrt((1 + (gamma - 1) / 2 * normal) / (gamma * normal - (gamma - 1) / 2)) / math.sin(angle - deflection)
    return (1 + 2 * gamma / (gamma + 1) * (normal - 1), (gamma + 1) * normal / ((gamma - 1) * normal + 2), deflection, behind)


def three_shocks(path, mach=10, wedge=math.pi / 6):
    """Pressure at the triple point over that ahead, and density behind the reflected shock over that ahead, for a path of
    the triple point at this angle to the wall (von Neumann's theory; Ben-Dor 2007): pressures and directions are equal on both sides
    of the slip line."""
    ahead = mach / math.cos(wedge + path)
    p1, rho1, first, between = oblique(ahead, math.pi / 2 - wedge - path)

    def defects(angles):
        p2, _, second, _ = oblique(between, angles[0])
        p3, _, third, _ = oblique(ahead, angles[1])
        return numpy.array([p1 * p2 / p3 - 1, first - second - third])

    angles = numpy.array([0.75, math.pi / 2 - path - 0.05])  # of the reflected shock and the stem to the streams ahead of them
    for _ in range(20):
        slopes = [(defects(angles + step) - defects(angles)) / 1e-7 for step in 1e-7 * numpy.eye(2)]
        angles = angles - numpy.linalg.solve(numpy.transpose(slopes), defects(angles))
    p2, rho2, _, _ = oblique(between, angles[0])
    return p1 * p2, rho1 * rho2


def reflection(plot, edge=1 / 6):
    """The foot of the Mach stem and the triple point, relative to the wall's edge, and density and pressure between the reflected shock and the slip
    line next to it."""
    gas, t = volumes(plot, "density", "pressure"), plot.time
    x, y, width = gas["x"] - edge, gas["y"], gas[WIDTH]
    h = width.min()
    shocked = (gas["density"] > 4) & (width < 1.5 * h)
    rows = sorted({round(at / h, 1) for at in y[shocked]})
    stem = numpy.array([(row * h, x[shocked & (abs(y - row * h) < h / 4)].max()) for row in rows])
    lead = stem[:, 1] - (stem[:, 0] + 20 * t) / math.sqrt(3)  # of the stem, over the incident shock
    near = (lead > 3 * h) & (lead < 0.5 * t)
    line = numpy.polyfit(stem[near, 0], lead[near], 1)
    height = -line[1] / line[0]
    triple = (height + 20 * t) / math.sqrt(3)
    behind = (x < triple - 0.3 * t) & (x > triple - 0.5 * t) & (gas["density"] > 11)
    return stem[0, 1], triple, height, numpy.median(gas["density"][behind]), numpy.median(gas["pressure"][behind])


def double_mach(verification):
    plots, _, done, seconds = run(verification, "double-mach", {"output.plot-every": 0.1}, {"mesh.max-level": 4})
    half, whole = reflection(plots[1]), reflection(plots[-1])
    pairs = [(a / 0.1, b / 0.2) for a, b in zip(half[:3], whole[:3])]
    verification.claim("double-mach.toml: foot of the stem, triple point (x, y) from the wall's edge over t, at t = 0.1 and 0.2", "within 3 %",
                       "; ".join(f"{a:.3f}, {b:.3f}" for a, b in pairs) + f"; at t = 0.2 the foot is at x = {whole[0] + 1 / 6:.3f}",
                       done and all(abs(a / b - 1) < 0.03 for a, b in pairs), seconds)
    path = math.atan2(whole[2], whole[1])
    pressure, density = three_shocks(path)
    verification.claim(f"double-mach.toml: density behind the reflected shock and pressure at the triple point, whose path is at {math.degrees(path):.2f} "
                       "degrees to the wall, against the theory of three shocks", "within 2 %",
                       f"{whole[3]:.2f}, {whole[4]:.1f}; theory {1.4 * density:.2f}, {pressure:.1f}",
                       done and abs(whole[3] / (1.4 * density) - 1) < 0.02 and abs(whole[4] / pressure - 1) < 0.02, seconds)


def mixing_rate(wave_number, width, contrast, gravity, wall, pressure=1.0, gamma=1.4, points=120):
    """As shear_layer_rate, of gas at rest under gravity whose density grows from 1 to `contrast` as tanh(y / width): velocities,
    pressure and density."""
    y, derivative = collocation(width, wall, points)
    profile = numpy.tanh(y / width)
    density = (1 + contrast) / 2 + (contrast - 1) / 2 * profile
    slope_of_density = (contrast - 1) / 2 / width * (1 - profile ** 2)
    stiffness = gamma * (pressure - gravity * ((1 + contrast) / 2 * y + (contrast - 1) / 2 * width * numpy.log(numpy.cosh(y / width))))
    none = numpy.zeros((points + 1, points + 1))
    along = 1j * wave_number
    matrix = numpy.block([
        [none, none, -along * numpy.diag(1 / density), none],
        [none, none, -derivative / density[:, None], -gravity * numpy.diag(1 / density)],
        [-along * numpy.diag(stiffness), gravity * numpy.diag(density) - stiffness[:, None] * derivative, none, none],
        [-along * numpy.diag(density), -numpy.diag(slope_of_density) - density[:, None] * derivative, none, none]])
    inside = numpy.delete(numpy.arange(4 * (points + 1)), [points + 1, 2 * points + 1])
    return numpy.linalg.eigvals(matrix[numpy.ix_(inside, inside)]).real.max()


def rayleigh_taylor(verification):
    plots, _, done, seconds = run(verification, "rayleigh-taylor", {"output.plot-every": 0.25}, {"mesh.max-level": 3})
    rows, heights = [], []
    for plot in plots:
        gas = volumes(plot, "density", "velocity_y")
        amplitude = abs((gas["velocity_y"] * numpy.cos(4 * math.pi * gas["x"]) * gas[WIDTH] ** 2).sum())
        rows.append({"time": plot.time, "amplitude": float(amplitude)})
        if plot.time > 10:
            heights.append((plot.time, gas["y"][(abs(gas["x"]) < gas[WIDTH]) & (gas["density"] < 1.5)].max()))
    theory, seen = mixing_rate(4 * math.pi, 0.02, 2, 0.1, 0.75), rate(rows, "amplitude", 5, 9)
    verification.claim("rayleigh-taylor.toml: growth rate from t = 5 to 9 against the eigenvalue", "within 3 %",
                       f"{seen:.4f}, theory {theory:.4f}", done and abs(seen / theory - 1) < 0.03, seconds)
    speed, goncharov = slope(heights), math.sqrt(2 / 3 / (4 / 3) * 0.1 / (12 * math.pi))
    verification.claim("rayleigh-taylor.toml: speed of the bubble from t = 10 on against Goncharov (2002)", "within 10 %",
                       f"{speed:.4f}, theory {goncharov:.4f}", done and abs(speed / goncharov - 1) < 0.1, seconds)


def bondi(verification):
    plots, _, done, seconds = run(verification, "bondi", {"output.plot-every": 1}, {"mesh.patch-size": 6, "time.end": 1})
    bounds, rate_of_theory = (0.15, 0.2, 0.4, 0.8, 2, 4), math.exp(1.5) / 4
    seen, masses = [], []
    for plot in plots:
        fluxes, measures, mass = numpy.zeros(5), numpy.zeros(5), 0.0
        for level in plot.levels:
            x, y, z = level.centres()
            density = plot.values("density", level).astype(float)
            velocity = plot.values("velocity", level).astype(float)
            r = numpy.sqrt(x ** 2 + y ** 2 + z ** 2)
            inward = -density * r * (x * velocity[..., 0] + y * velocity[..., 1] + z * velocity[..., 2])
            for k in range(5):
                shell = (r > bounds[k]) & (r < bounds[k + 1])
                fluxes[k] += inward[shell].sum() * level.spacing ** 3
                measures[k] += shell.sum() * level.spacing ** 3
            mass += density[r < 0.2].sum() * level.spacing ** 3
        seen.append(fluxes / measures / rate_of_theory)
        masses.append((plot.time, mass))
    worst = max(abs(seen[-1] - 1))
    verification.claim(f"bondi.toml at t = {plots[-1].time:g}: accretion rate in shells from r = 0.15 to 4 over Bondi's", "within 2 %",
                       ", ".join(f"{share:.4f}" for share in seen[-1]), done and worst < 0.02, seconds)
    growth = slope(masses) / (math.pi / 2 * rate_of_theory)
    verification.claim("bondi.toml: growth of the mass within r = 0.2 over Bondi's rate", "within 2 %", f"{growth:.4f}",
                       done and abs(growth - 1) < 0.02, seconds)


def hydrostatic(verification):
    """At the shipped size and with narrower volumes, with the balance and without."""
    sizes = (9, 18) if verification.options.quick else (9, 18, 27)

    def speeds(p, balanced):
        """Mean speeds at t = 5 and 10, and the largest one at the end."""
        name = f"hydrostatic-{p}" + ("" if balanced else "-plain")
        settings = {"mesh.patch-size": p, "output.plot-every": 5, "gravity.well-balanced": "true" if balanced else "false"}
        _, done, seconds = verification.run(name, shipped("hydrostatic.toml"), settings)
        means = []
        for plot in list(reader().open(verification.directory(name)))[1:]:
            gas = volumes(plot, "velocity_x", "velocity_y")
            speed = numpy.hypot(gas["velocity_x"], gas["velocity_y"])
            means.append((speed * gas[WIDTH] ** 2).sum())
        return means, speed.max(), done, seconds

    for balanced in (True, False):
        kind = "hydrostatic.toml" + ("" if balanced else ", well-balanced = false")
        growth, bar = (1.5, 1.9) if balanced else (1.05, 1.9)
        last, most = {}, {}
        for p in sizes:
            means, most[p], done, seconds = speeds(p, balanced)
            last[p] = means[1]
            verification.claim(f"{kind}, patch-size = {p}: mean speed at t = 10 over that at t = 5", f"at most {growth}",
                               f"{means[1] / means[0]:.3f}; mean {means[1]:.2e}, largest {most[p]:.2e}",
                               done and means[1] < growth * means[0], seconds)
        p = sizes[-1]
        order, of_largest = (math.log(of[9] / of[p]) / math.log(p / 9) for of in (last, most))
        verification.claim(f"{kind}: order of the mean and of the largest speed", f"{bar}; 0.9", f"{order:.2f}, {of_largest:.2f}",
                           order > bar and of_largest > 0.9, 0)
        if balanced:
            of_balanced = last
    verification.claim("hydrostatic.toml: mean speed over that without the balance", "at most 0.3",
                       ", ".join(f"{of_balanced[p] / last[p]:.3f}" for p in sizes),
                       all(of_balanced[p] < 0.3 * last[p] for p in sizes), 0)


PROBLEMS = {"kelvin-helmholtz": kelvin_helmholtz, "double-blast": double_blast, "noh-2d": noh, "gresho": gresho,
            "shock-bubble": shock_bubble, "double-mach": double_mach, "rayleigh-taylor": rayleigh_taylor, "bondi": bondi,
            "hydrostatic": hydrostatic}
