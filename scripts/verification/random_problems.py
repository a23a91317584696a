# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Random problems: domains, boundaries, meshes, schemes, gravity, time steps and criteria that no shipped input combines. Each runs
a few steps on one thread, and again by threads, ranks, devices and a restart, which must not change a bit."""
import os
import random
import shutil
import subprocess
import time

from verification.device_patches import last_checkpoint, same_bits
from verification.session import AS_ROOT

SECONDS = 15  # a problem that takes more on one thread is too large, and left out
AXES = "xyz"


def gas(draw, lines, dimensions, scheme, lower, upper):
    lines += ["[solver]", f'scheme = "{scheme}"', f"cfl = {draw.choice([0.2, 0.4, 0.8])}",
              f"gamma = {draw.choice([1.1, 1.4, 1.6666666666666667, 2.0])}"]
    if scheme != "rusanov":
        lines.append(f'riemann = "{draw.choice(["rusanov", "hllc"])}"')
    if scheme == "muscl":
        lines.append(f'limiter = "{draw.choice(["minmod", "mc", "van-leer"])}"')
    if draw.random() < 0.2:
        lines.append("dual-energy = true")
    if draw.random() < 0.5:
        lines += ["density-floor = 1e-6", "pressure-floor = 1e-9"]
    if draw.random() < 0.35:
        lines += ["[gravity]", 'method = "poisson"', f"constant = {draw.choice([0.1, 1.0])}"]
        if draw.random() < 0.3:
            lines.append("tolerance = 1e-8")
    lines.append("[scenario]")
    middle = [a + (b - a) * draw.choice([0.5, 0.37, 0.21]) for a, b in zip(lower, upper)]
    edge = min(b - a for a, b in zip(lower, upper))
    name = draw.choice(["formulas", "formulas", "sedov", "uniform"])
    lines.append(f'name = "{name}"')
    if name == "sedov":
        lines += [f"radius = {edge * draw.choice([0.05, 0.1])}", f"centre = {middle}", "pressure = 0.01"]
    elif name == "uniform":
        lines.append("noise = 0.3")
    else:
        square = "+".join(f"({axis}-({at}))^2" for axis, at in zip(AXES, middle))
        lines += ["[scenario.fields]", f'density = "1 + {draw.choice([0.5, 3, 30])} * exp(-({square}) / {(0.15 * edge) ** 2})"',
                  f'pressure = "{draw.choice(["1", "0.01", "0.5 + 0.4 * sin(4 * y)"])}"']
        for axis in AXES[:dimensions]:
            lines.append(f'velocity-{axis} = "{draw.choice(["0", "0.3", "-0.5 * sin(3 * x + 2 * y)", "2 * y - x"])}"')


def criterion(draw, lines, is_gas, levels, lower, upper):
    edge = min(b - a for a, b in zip(lower, upper))
    middle = [a + (b - a) * draw.choice([0.5, 0.37, 0.21]) for a, b in zip(lower, upper)]
    has_gravity = 'method = "poisson"' in lines
    kind = draw.choice(["ball", "box", "formula"] + ["jump"] * is_gas + ["jeans"] * has_gravity)
    lines += ["[[refinement]]", f'kind = "{kind}"']
    if kind == "ball":
        lines += [f"centre = {middle}", f"radius = {edge * draw.choice([0.1, 0.2, 0.3])}", f"speed = {draw.choice([-0.5, 0, 1, 5])}"]
    elif kind == "box":
        corner = [a + draw.random() * (b - a) for a, b in zip(lower, upper)]
        lines += [f"lower = {corner}", f"upper = {[min(b, a + 0.3 * edge) for a, b in zip(corner, upper)]}"]
    elif kind == "jeans":
        lines.append(f"refine = {draw.choice([4, 12, 40])}")
    elif kind == "jump":
        lines += [f'variable = "{draw.choice(["density", "pressure"])}"', f"refine = {draw.choice([0.02, 0.1])}"]
    else:
        lines.append(f'formula = "{0.2 * edge} - abs(x - ({middle[0]}) - 3 * t)"')
    if draw.random() < 0.3:
        lines.append(f"level = {draw.randint(levels[0] + 1, levels[1])}")


def problem(draw):
    """The text of an input, and whether it takes local time steps."""
    is_gas = draw.random() > 0.15
    dimensions = draw.choice([2, 2, 3]) if is_gas else 3
    cells = [draw.choice([1, 1, 2, 3, 4, 5] if dimensions == 2 else [1, 1, 2, 3]) for _ in range(dimensions)]
    width = draw.choice([0.25, 1.0, 2.0]) if is_gas else 1.0
    lower = [draw.choice([-1.0, -0.5, 0.0, 0.3]) for _ in cells]
    upper = [a + width * n for a, n in zip(lower, cells)]
    scheme = draw.choice(["godunov", "rusanov", "muscl", "muscl", "muscl"] if is_gas else ["godunov", "rusanov", "fourth-order"])
    halo = {"muscl": 2, "fourth-order": 3}.get(scheme, 1)
    size = draw.choice([p for p in range(3, 18 if dimensions == 2 else 12) if p >= halo])
    base = next(level for level in range(4) if 3 ** level >= max(cells))
    coarsest = base + draw.choice([0, 0, 1] if dimensions == 2 else [0, 0, 0, 1])
    finest = coarsest + (draw.choice([0, 1, 1, 2, 3] if dimensions == 2 else [0, 1, 1, 2]) if size >= 3 * halo else 0)
    is_local = finest > coarsest and draw.random() < 0.4
    steps = draw.choice([3, 4, 6])
    every = draw.choice(["1", "2", "3", '"auto"'])
    lines = ["[domain]", f"dimensions = {dimensions}", f"lower = {lower}", f"upper = {upper}", f"cells = {cells}", "[mesh]",
             f"patch-size = {size}", f"min-level = {coarsest}", f"max-level = {finest}", f"regrid-every = {every}",
             f"buffer = {draw.choice([0, 0, 1, 2])}", f"subcycled-levels = {draw.choice([1, 2, 3])}", "[time]", "end = 100.0",
             f"max-steps = {steps}", f'stepping = "{"local" if is_local else "global"}"', "[checkpoint]",
             f"every-steps = {max(1, steps // 2)}", "keep = 10", "[output]", "history-steps = 1", "[boundary]"]
    kinds = ["periodic", "outflow"] + (["reflecting", "diode"] if is_gas else ["sommerfeld"] * (scheme == "fourth-order"))
    for axis in AXES[:dimensions]:
        kind = draw.choice(kinds)
        other = kind if kind == "periodic" else draw.choice(kinds[1:])
        lines += [f'{axis}-lower = "{kind}"', f'{axis}-upper = "{other}"']
    if is_gas:
        gas(draw, lines, dimensions, scheme, lower, upper)
    else:
        lines += ["[solver]", 'equation = "ccz4"', f'scheme = "{scheme}"', 'slicing = "harmonic"', "s = 0", "[scenario]",
                  draw.choice(['name = "gauge-wave"\namplitude = 0.05', 'name = "linear-wave"', 'name = "minkowski"\nnoise = 1e-6'])]
    for _ in range(draw.choice([1, 1, 2]) if finest > coarsest else 0):
        criterion(draw, lines, is_gas, (coarsest, finest), lower, upper)
    return "\n".join(lines) + "\n", is_local


def variants(draw, is_local):
    """Names, settings, ranks and threads of the runs beside that of one thread."""
    on_ranks = {}
    if is_local and draw.random() < 0.5:
        on_ranks["partition.cuts"] = "levels"
    if draw.random() < 0.3:
        on_ranks["partition.weights"] = "measured"
    if draw.random() < 0.3:
        on_ranks["partition.windows"] = "off"
    device = {"offload.device": "host"}
    yield "threads", {}, 1, 3
    yield "ranks", on_ranks, draw.choice([2, 3, 4, 5]), 1
    yield "resident", {**device, "gpu-memory.patches": "device", "gpu-memory.messages": draw.choice(["host", "device"])}, draw.choice([1, 2, 3]), 2
    yield "batches", {**device, "offload.batch": draw.choice([1, 4, 13])}, 1, 2


def random_problems(verification):
    options = verification.options
    seed = int(time.time()) if options.seed is None else options.seed
    draw, ran, refused, large, wrong, started = random.Random(seed), 0, 0, 0, [], time.monotonic()

    def start(name, arguments, ranks, threads, limit=None):
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)] if ranks > 1 else []
        with open(verification.directory(name) + ".log", "w", encoding="utf-8") as log:
            try:
                return subprocess.run([*launcher, options.meander, *arguments, "--threads", str(threads), "--output", verification.directory(name)],
                                      stdout=log, stderr=log, timeout=limit, check=False, env=AS_ROOT).returncode
            except subprocess.TimeoutExpired:
                return None

    while ran < (6 if options.quick else 100):
        text, is_local = problem(draw)
        name = f"random-{seed}-{ran + refused + large}"
        path = verification.input(name, text)
        checked = subprocess.run([options.meander, "check", path], capture_output=True, text=True, check=False)
        code = start(name, ["run", path], 1, 1, SECONDS) if checked.returncode == 0 else checked.returncode
        is_large, is_refused = code is None or "out of memory" in checked.stderr, checked.returncode == 2
        if is_refused or is_large:
            large += is_large
            refused += is_refused
            shutil.rmtree(verification.directory(name), ignore_errors=True)
            os.remove(path)
            continue
        ran += 1
        others, seen = [name], [] if code == 0 else [f"exit code {code}"]
        for what, settings, ranks, threads in variants(draw, is_local) if code == 0 else ():
            sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            others.append(f"{name}-{what}")
            code = start(others[-1], ["run", path, *sets], ranks, threads)
            # Batches are refused for self-gravity and local time steps.
            if code != 0 and not (code == 2 and what == "batches"):
                seen.append(f"{what}: exit code {code}")
            elif code == 0 and not same_bits(verification, name, others[-1]):
                seen.append(f"{what}: other bits")
        first = sorted(entry for entry in os.listdir(verification.directory(name)) if entry.startswith("chk_"))[:1] if not seen else []
        for checkpoint in first:
            others.append(f"{name}-restarted")
            code = start(others[-1], ["restart", os.path.join(verification.directory(name), checkpoint)], 2, 1)
            # Nothing is left to do after a last checkpoint.
            is_same = last_checkpoint(verification.directory(others[-1])) is None or same_bits(verification, name, others[-1])
            if code != 0 or not is_same:
                seen.append("restarted: other bits" if code == 0 else f"restarted: exit code {code}")
        if seen:
            wrong.append(f"{name}.toml: {', '.join(seen)}")
            print(f"  {wrong[-1]}", flush=True)
        else:
            for other in others:
                shutil.rmtree(verification.directory(other), ignore_errors=True)
                os.remove(verification.directory(other) + ".log")
            os.remove(path)
    verification.claim(f"{ran} random problems of seed {seed} ({refused} more were refused, {large} too large): threads, ranks, devices, batches and "
                       "a restart", "the bits of one thread", "; ".join(wrong) or "the same", not wrong, time.monotonic() - started)
