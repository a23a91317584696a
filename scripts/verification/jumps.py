# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Noise in flat space on meshes with resolution jumps, fourth-order CCZ4: its growth rate, against the same run
without the jumps. That is the same domain and patch size with leaves of the coarsest level only. Noise is a random
number in every unknown of every volume, of one amplitude whatever the volume's width: both runs start from the same
numbers where both meshes are coarse, and the refined one from more and finer ones elsewhere."""
import os

from verification.session import interpolated, rate, reader

CONSTRAINTS = ("hamiltonian", "momentum", "connection", "ordering_lapse", "ordering_shift", "ordering_metric",
               "ordering_phi")
PAIRS, AXES = ("xx", "xy", "xz", "yy", "yz", "zz"), ("x", "y", "z")
UNKNOWNS = ([f"g_{pair}" for pair in PAIRS] + [f"At_{pair}" for pair in PAIRS] + ["theta"] + [f"G_{i}" for i in AXES]
            + ["lapse"] + [f"shift_{i}" for i in AXES] + [f"b_{i}" for i in AXES] + [f"A_{k}" for k in AXES]
            + [f"B_{k}{i}" for k in AXES for i in AXES] + [f"D_{k}{pair}" for k in AXES for pair in PAIRS]
            + ["K", "phi"] + [f"P_{k}" for k in AXES] + ["K0"])
IN_FLAT_SPACE = {"g_xx": 1, "g_yy": 1, "g_zz": 1, "lapse": 1, "phi": 1}  # the others: 0

NOISE, FIRST, LAST = 1e-8, 2, 10  # amplitude; times between which rates are fitted
DISSIPATIONS = {"default": 0.2, "shipped": 0.3}

BOXES = '[[refinement]]\nkind = "box"\nlower = {}\nupper = {}\nlevel = {}\n'
ROW = """[domain]
lower = [-4.5, -1.5, -1.5]
upper = [4.5, 1.5, 1.5]
cells = [3, 1, 1]
[mesh]
patch-size = 9
buffer = 0
[solver]
f = 0.7
"""
NARROW_ROW = ROW.replace("4.5", "0.5").replace("1.5", "0.16666666666666667")
CUBE = """[domain]
lower = [-9, -9, -9]
upper = [9, 9, 9]
cells = [3, 3, 3]
[mesh]
patch-size = 10
buffer = 0
[solver]
eta = 2.0
"""
REST = """equation = "ccz4"
cfl = 0.8
[scenario]
name = "minkowski"
noise = 1e-8
[output]
history-steps = 4
"""

# Boxes that touch the leaves to be refined: lower and upper corner, level.
MESHES = {
    "a": ("the middle one of [3, 1, 1] cells refined, 3 wide", ROW, [([-0.9] * 3, [0.9] * 3, 2)]),
    "a-narrow": ("the same, 1/3 wide", NARROW_ROW, [([-0.1] * 3, [0.1] * 3, 2)]),
    "b": ("one refined cube in 3^3 cells", CUBE, [([-1] * 3, [1] * 3, 2)]),
    "c": ("an L of three refined cells in 3^3", CUBE, [([-1] * 3, [7, 1, 1], 2), ([-1] * 3, [1, 7, 1], 2)]),
    "d": ("three levels nested, the middle one a leaf wide", CUBE,
          [([-1] * 3, [1] * 3, 2), ([-0.5] * 3, [0.5] * 3, 3)]),
}


def noise_input(mesh):
    text = MESHES[mesh][1] + REST
    boxes = "".join(BOXES.format(*box) for box in MESHES[mesh][2])
    return text.replace("[solver]\n", boxes + "[solver]\n")


def run(verification, name, mesh, refined, settings):
    levels = max(box[2] for box in MESHES[mesh][2]) if refined else 1
    boxes = {} if refined else {f"refinement[{i}].level": 0 for i in range(len(MESHES[mesh][2]))}
    name = f"jumps-{name}-{'refined' if refined else 'unrefined'}"
    source = verification.input(name, noise_input(mesh))
    return name, *verification.run(name, source, {"time.end": LAST, "mesh.max-level": levels, **boxes, **settings})


def deviations(directory):
    """By time: the largest deviation of each unknown from flat space, from the plot files of a run."""
    meander = reader()
    result = {}
    for file in sorted(os.listdir(directory)):
        if not (file.startswith("plot_") and file.endswith(".vtkhdf")):
            continue
        with meander.open(os.path.join(directory, file)) as plot:
            result[plot.time] = {name: float(abs(plot.volumes(name).value - IN_FLAT_SPACE.get(name, 0)).max())
                                 for name in UNKNOWNS}
    return result


def growth(verification, mesh, what, name, settings):
    """One mesh and one set of parameters against the unrefined run."""
    plots = {"output.plot-every": 1, "output.precision": "float64",
             "output.fields": "[" + ", ".join(f'"{unknown}"' for unknown in UNKNOWNS) + "]"}
    path, rows, done, seconds = run(verification, name, mesh, True, {**settings, **plots})
    plain_path, plain, _, more = run(verification, name, mesh, False, {**settings, **plots})
    columns = [f"{constraint}_l2" for constraint in CONSTRAINTS]
    rates = {column: rate(rows, column, FIRST, LAST) for column in columns}
    without = {column: rate(plain, column, FIRST, LAST) for column in columns}
    figures = [(column.removesuffix("_l2"), *(f"{interpolated(rows, t, column):.2e}" for t in (FIRST, 5, LAST)),
                f"{rates[column]:+.3f}", f"{without[column]:+.3f}") for column in columns]
    verification.table(f"{what}: L2 norms of constraints and their rates from t = {FIRST} to {LAST}",
                       ("constraint", f"t = {FIRST}", "t = 5", f"t = {LAST}", "rate", "rate, unrefined"), figures)
    # B_k^i and the shift part company where ordering is 0, on any mesh: then ordering_shift grows without jumps, too.
    falling = [column for column in columns if without[column] < 0]
    worst = max(falling, key=lambda column: rates[column])
    holds = done and all(interpolated(rows, LAST, column) < interpolated(rows, FIRST, column) and rates[column] < 0
                         for column in falling)
    verification.claim(f"{what}: largest rate of a constraint's L2 norm, of those that fall without jumps",
                       f"below 0, and less at t = {LAST} than at t = {FIRST}",
                       f"{rates[worst]:+.3f} ({worst}); ended at t = {rows[-1]['time']:.3g}", holds, seconds)
    excess = {column: rates[column] - without[column] for column in columns if column not in falling}
    for column, more_than_without in excess.items():
        verification.claim(f"{what}: rate of {column}, which does not fall without jumps either, less that rate",
                           "at most 0.05", f"{more_than_without:+.3f}", done and more_than_without <= 0.05, seconds)
    compare_unknowns(verification, what, deviations(verification.directory(path)),
                     deviations(verification.directory(plain_path)), done, seconds + more)


def compare_unknowns(verification, what, refined, plain, done, seconds):
    times = [t for t in sorted(set(refined) & set(plain)) if t >= FIRST]
    if not times or not done:
        verification.claim(f"{what}: largest deviation of any unknown over that without jumps", "at most 1.5",
                           "the run failed", False, seconds)
        return
    largest = {t: max(refined[t].values()) / max(plain[t].values()) for t in times}
    worst = max(times, key=largest.get)
    t, unknown = max(((t, unknown) for t in times for unknown in UNKNOWNS),
                     key=lambda key: refined[key[0]][key[1]] / plain[key[0]][key[1]])
    verification.claim(f"{what}: largest deviation of any unknown over that without jumps, t = {FIRST} to {LAST}",
                       "at most 1.5",
                       f"{largest[worst]:.2f} at t = {worst:g}; of one unknown against itself at most "
                       f"{refined[t][unknown] / plain[t][unknown]:.2f} ({unknown}, t = {t:g})",
                       largest[worst] <= 1.5, seconds)


def part(mesh):
    def jumps(verification):
        orderings = (1, 0) if mesh.startswith("a") else (5, 0)
        for name, dissipation in DISSIPATIONS.items():
            for ordering in orderings:
                settings = {"solver.dissipation": dissipation, "solver.ordering": ordering}
                what = f"({mesh}) {MESHES[mesh][0]}, dissipation {dissipation}, ordering {ordering}"
                growth(verification, mesh, what, f"{mesh}-{name}-ordering-{ordering}", settings)
    return jumps


def in_cube(directory):
    """By time: root mean squares of each constraint's plot field over the middle cell, [-3, 3]^3."""
    meander = reader()
    result = {}
    for file in sorted(os.listdir(directory)):
        if not (file.startswith("plot_") and file.endswith(".vtkhdf")):
            continue
        with meander.open(os.path.join(directory, file)) as plot:
            norms = {}
            for name in CONSTRAINTS:
                volumes = plot.volumes(name)
                inside = (abs(volumes.centre) < 3).all(axis=1)
                norms[name] = float((volumes.value[inside] ** 2).mean() ** 0.5)
            result[plot.time] = norms
    return result


def sommerfeld(verification):
    """(b) with radiative boundaries. Their echo reaches the cube at t = 6 and raises the constraints there with and without
    a jump, so that only the comparison tells; the constraints are plot fields of both runs, over the same region."""
    settings = {"solver.dissipation": 0.3, "solver.ordering": 5, "boundary.all": "sommerfeld", "time.end": 15,
                "output.plot-every": 1, "output.precision": "float64",
                "output.fields": "[" + ", ".join(f'"{name}"' for name in CONSTRAINTS) + "]"}
    path, _, done, seconds = run(verification, "sommerfeld", "b", True, settings)
    plain_path, _, _, _ = run(verification, "sommerfeld", "b", False, settings)
    refined, plain = (in_cube(verification.directory(one)) for one in (path, plain_path))
    times = [t for t in sorted(set(refined) & set(plain)) if t >= 2]
    verification.table("(b) with Sommerfeld boundaries: constraints in [-3, 3]^3, refined over unrefined",
                       ("t", *CONSTRAINTS),
                       [(f"{t:g}", *(f"{refined[t][name]:.2e} / {plain[t][name]:.2e}" for name in CONSTRAINTS))
                        for t in times])
    # The cube starts with finer noise, hence larger constraints, than the same region without it; that decays, and from
    # t = 12 on the echo of the boundaries is what is left. Without jumps ordering constraints fall to rounding; interpolation
    # of unknowns and their derivatives, each for itself, keeps them at its error.
    late = [t for t in times if t >= 12]
    ratios = {(t, name): refined[t][name] / plain[t][name] for t in late for name in CONSTRAINTS[:3]}
    worst = max(ratios, key=ratios.get, default=None)
    what = "(b) with Sommerfeld boundaries, dissipation 0.3, ordering 5"
    verification.claim(f"{what}: a constraint other than ordering in the cube over that of the unrefined run, t = 12 to 15",
                       "at most 1.2", f"{ratios[worst]:.2f} ({worst[1]}, t = {worst[0]:g})" if late else "the run failed",
                       done and bool(late) and ratios[worst] <= 1.2, seconds)
    ordering = max((refined[t][name] for t in late for name in CONSTRAINTS[3:]), default=1)
    verification.claim(f"{what}: ordering constraints in the cube over the noise, t = 12 to 15", "at most 0.05",
                       f"{ordering / NOISE:.3f}", done and ordering <= 0.05 * NOISE, seconds)
