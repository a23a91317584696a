# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Waves that cross resolution jumps, fourth-order CCZ4: their order, and what a pulse leaves at a jump. --baseline PROGRAM
runs the same with another program, whose errors must not be smaller."""
import math
import os

from verification.session import listed, reader

ALONG_X = """[domain]
lower = [-0.5, 0, 0]
upper = [0.5, {width!r}, {width!r}]
cells = [{cells}, 1, 1]
[[refinement]]
kind = "box"
lower = [-0.1, 0, 0]
upper = [0.1, {width!r}, {width!r}]
"""
DIAGONAL = """[domain]
lower = [-0.5, -0.5, 0]
upper = [0.5, 0.5, {width!r}]
cells = [{cells}, {cells}, 1]
[[refinement]]
kind = "box"
lower = [-0.1, -0.1, 0]
upper = [0.1, 0.1, {width!r}]
"""
REST = """[mesh]
patch-size = 9
max-level = {level}
buffer = 0
[solver]
equation = "ccz4"
slicing = "harmonic"
s = 0
cfl = 0.8
[time]
end = {end!r}
[output]
history-steps = 1000
"""
GAUGE_WAVE = '[scenario]\nname = "gauge-wave"\namplitude = 0.1\n'
DIAGONAL_WAVE = GAUGE_WAVE + f'direction = "diagonal"\nwidth = {math.sqrt(0.5)!r}\n'
LINEAR_WAVE = '[scenario]\nname = "linear-wave"\namplitude = 1e-8\n'
CELLS = {3: 2, 6: 3, 12: 4}  # base cells across, the middle third of them refined: to this level


def orders(verification, what, domain, scenario, cells):
    programs = {"": None} | ({"-baseline": verification.options.baseline} if verification.options.baseline else {})
    errors, seconds = {suffix: [] for suffix in programs}, 0
    for number in cells:
        text = (domain + REST + scenario).format(width=1 / number, cells=number, level=CELLS[number], end=0.1)
        for suffix, program in programs.items():
            name = f"{what.replace(' ', '-')}-{number}{suffix}"
            rows, _, took = verification.run(name, verification.input(name, text), {}, program)
            errors[suffix].append(rows[-1]["error_l2"])
            seconds += took
    seen = [math.log2(coarse / fine) for coarse, fine in zip(errors[""], errors[""][1:])]
    verification.claim(f"{what}, middle refined, t = 0.1, {listed(cells, 'd')} cells of 9 volumes across: order of the L2 "
                       "error of all unknowns", "3.8", f"{listed(seen, '.2f')} (errors {listed(errors[''], '.2e')})",
                       min(seen) >= 3.8, seconds)
    if "-baseline" in errors:
        verification.claim(f"{what}, middle refined: errors over those of the baseline", "at most 1",
                           f"{listed([new / old for new, old in zip(errors[''], errors['-baseline'])], '.3f')} "
                           f"(baseline {listed(errors['-baseline'], '.2e')})",
                           all(new <= old for new, old in zip(errors[""], errors["-baseline"])), seconds)


def waves_across_jumps(verification):
    quick = verification.options.quick
    all_cells = [3, 6] if quick else list(CELLS)
    orders(verification, "gauge wave along x", ALONG_X, GAUGE_WAVE, all_cells)
    orders(verification, "linear wave along x", ALONG_X, LINEAR_WAVE, all_cells)
    orders(verification, "gauge wave along the diagonal", DIAGONAL, DIAGONAL_WAVE, [3, 6] if quick else [3, 6, 12])


PULSE = """[domain]
lower = [{lower!r}, 0, 0]
upper = [{upper!r}, {width!r}, {width!r}]
cells = [{cells}, 1, 1]
[[refinement]]
kind = "box"
lower = [{slab_lower!r}, 0, 0]
upper = [{slab_upper!r}, {width!r}, {width!r}]
[scenario]
name = "linear-wave"
profile = "pulse"
amplitude = 1e-5
sigma = 1.0
centre = -6.0
width = {distance!r}
"""


def left_over(plot, first, last):
    """Largest |g_yy - g_zz| / 2 with first <= x <= last: the polarisation that the pulse has; what is of second order in the
    amplitude is the same in both."""
    difference = 0.5 * abs(plot.volumes("g_yy").value - plot.volumes("g_zz").value)
    x = plot.volumes("g_yy").centre[:, 0]
    return float(difference[(x >= first) & (x <= last)].max())


def pulse_run(verification, per_sigma, refined):
    """Lengths in sigma; the first jump at 0, the pulse starts at -6. Cells of 1.8 sigma at 5 volumes a sigma, the slab being
    3.6 wide. What the first jump has left is seen at t = 11, when the pulse is at 5 and its echo at -5: the pulse is
    7.5 away from what is looked at, and the echo of the second jump 4.7. What both have left is seen at t = 18, when that echo is at -4.8."""
    doubling = per_sigma // 5
    width = 9 / per_sigma
    left, right, slab = 8 * doubling, 8 * doubling, 2 * doubling  # cells
    cells = left + slab + right
    base = math.ceil(math.log(cells, 3) - 1e-9)
    values = {"cells": cells, "width": width, "lower": -left * width, "upper": (slab + right) * width,
              "slab_lower": 0.25 * width, "slab_upper": (slab - 0.25) * width, "distance": cells * width,
              "level": base + 1 if refined else base, "end": 18.0}
    name = f"pulse-{per_sigma}{'' if refined else '-unrefined'}"
    settings = {"output.plot-times": "[11.0]", "output.precision": "float64", "output.fields": '["g_yy", "g_zz"]',
                "solver.cfl": 1.5}
    _, done, seconds = verification.run(name, verification.input(name, (PULSE + REST).format(**values)), settings)
    directory = verification.directory(name)
    plots = sorted(file for file in os.listdir(directory) if file.startswith("plot_") and file.endswith(".vtkhdf"))
    meander = reader()
    with meander.open(os.path.join(directory, plots[1])) as first, meander.open(os.path.join(directory, plots[-1])) as both:
        return done, seconds, left_over(first, -left * width, -2.5) / 1e-5, left_over(both, -left * width, -2.5) / 1e-5


def pulse(verification):
    resolutions = [5] if verification.options.quick else [5, 10]
    left, both, without, seconds, done = [], [], [], 0, True
    for per_sigma in resolutions:
        completed, took, first, second = pulse_run(verification, per_sigma, True)
        _, _, plain, _ = pulse_run(verification, per_sigma, False)
        left.append(first)
        both.append(second)
        without.append(plain)
        seconds, done = seconds + took, done and completed
    what = f"pulse of {listed(resolutions, 'd')} coarse volumes a sigma that has crossed a jump"
    verification.claim(f"{what}: largest of it left on the coarse side, over its amplitude", "at most 1e-5",
                       f"{listed(left, '.2e')} (without a jump {listed(without, '.2e')})",
                       done and max(left) <= 1e-5, seconds)
    if len(left) > 1:
        falls = [coarse / fine for coarse, fine in zip(left, left[1:])]
        verification.claim(f"{what}: fall of that per doubling of the resolution", "at least 30", listed(falls, ".1f"),
                           min(falls) >= 30, seconds)
    verification.table("pulse: left on the coarse side in front of the slab, over its amplitude",
                       ("volumes a sigma", "after the first jump", "after both", "without jumps"),
                       [(f"{n}", f"{a:.2e}", f"{b:.2e}", f"{c:.2e}")
                        for n, a, b, c in zip(resolutions, left, both, without)])
