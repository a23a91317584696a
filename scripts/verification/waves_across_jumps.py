# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Waves that cross resolution jumps, fourth-order CCZ4: their order, and the error that a pulse leaves at a jump. --baseline PROGRAM
runs the same with another program, whose errors must not be smaller."""
import math
import os

from verification import session
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
dissipation = 0.2
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
    errors, seconds, completed = {suffix: [] for suffix in programs}, 0, dict.fromkeys(programs, True)
    for number in cells:
        text = (domain + REST + scenario).format(width=1 / number, cells=number, level=CELLS[number], end=0.1)
        for suffix, program in programs.items():
            name = f"{what.replace(' ', '-')}-{number}{suffix}"
            rows, done, took = verification.run(name, verification.input(name, text), {}, program)
            errors[suffix].append(rows[-1]["error_l2"])
            seconds += took
            completed[suffix] &= done
    seen = session.orders(errors[""])
    verification.claim(f"{what}, middle refined, t = 0.1, {listed(cells, 'd')} cells of 9 volumes across: order of the L2 "
                       "error of all unknowns", "3.8", f"{listed(seen, '.2f')} (errors {listed(errors[''], '.2e')})",
                       completed[""] and session.all_at_least(seen, 3.8), seconds)
    if "-baseline" in errors:
        verification.claim(f"{what}, middle refined: errors over those of the baseline", "at most 1",
                           f"{listed(session.ratios(errors[''], errors['-baseline']), '.3f')} "
                           f"(baseline {listed(errors['-baseline'], '.2e')})",
                           all(completed.values()) and all(new <= old for new, old in zip(errors[""], errors["-baseline"])), seconds)


def waves_across_jumps(verification):
    quick = verification.options.quick
    all_cells = [3, 6] if quick else list(CELLS)
    orders(verification, "gauge wave along x", ALONG_X, GAUGE_WAVE, all_cells)
    orders(verification, "linear wave along x", ALONG_X, LINEAR_WAVE, all_cells)
    orders(verification, "gauge wave along the diagonal", DIAGONAL, DIAGONAL_WAVE, [3, 6] if quick else [3, 6, 12])


AMPLITUDE = 1e-5
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
amplitude = {amplitude!r}
sigma = 1.0
centre = -6.0
width = {distance!r}
"""


def plots_of(directory):
    """Plot files after the first one."""
    names = sorted(name for name in os.listdir(directory) if name.startswith("plot_") and name.endswith(".vtkhdf"))
    return [os.path.join(directory, name) for name in names[1:]]


def echo(refined, unrefined, last):
    """Largest difference of (g_yy - g_zz) / 2, the pulse's polarisation, between two plot files at x <= last, where both have
    the same volumes: what jumps have sent back. (Each of both has left more than that where the pulse started, an error of
    the scheme on the coarse mesh.)"""
    meander = reader()
    with meander.open(refined) as with_slab, meander.open(unrefined) as without:
        centre = with_slab.volumes("g_yy").centre
        inside = centre[:, 0] <= last
        difference = 0.0
        for field, sign in (("g_yy", 0.5), ("g_zz", -0.5)):
            value = with_slab.volumes(field).value[inside] - without.sample_points(field, centre[inside])
            difference = difference + sign * value
        return float(abs(difference).max())


def pulse_run(verification, per_sigma, refined, stepping="global"):
    """Lengths in sigma; the slab begins at 0, the pulse starts at -6. Cells are 1.8 sigma wide at 5 volumes a sigma, the slab
    is 3.6 wide. The echo of the first jump is seen at t = 11, when the pulse is at 5 and its echo at -5: the pulse is 7.5 away
    from what is looked at, the echo of the second jump 4.7. That is seen at t = 18, when it is at -4.8, and the first one
    at -12."""
    doubling = per_sigma // 5
    width = 9 / per_sigma
    left, right, slab = 8 * doubling, 8 * doubling, 2 * doubling  # cells
    cells = left + slab + right
    base = math.ceil(math.log(cells, 3) - 1e-9)
    values = {"cells": cells, "width": width, "lower": -left * width, "upper": (slab + right) * width,
              "slab_lower": 0.25 * width, "slab_upper": (slab - 0.25) * width, "distance": cells * width,
              "level": base + 1 if refined else base, "end": 18.0, "amplitude": AMPLITUDE}
    name = f"pulse-{per_sigma}{'' if refined else '-unrefined'}{'-local' if stepping == 'local' else ''}"
    settings = {"output.plot-times": "[11.0]", "output.precision": "float64", "output.fields": '["g_yy", "g_zz"]',
                "solver.cfl": 1.5, "time.stepping": f'"{stepping}"'}
    _, done, seconds = verification.run(name, verification.input(name, (PULSE + REST).format(**values)), settings)
    return plots_of(verification.directory(name)), done, seconds


def pulse(verification):
    """With global steps, time steps follow the finest volumes, so that coarse volumes take shorter steps in the refined run: what
    that changes is within the figures. With local steps they take the same."""
    resolutions = [5] if verification.options.quick else [5, 10]
    plots, seconds, done = {}, {}, {}
    for per_sigma in resolutions:
        for run in ((False,), (True,), (True, "local")):
            plots[per_sigma, run], done[per_sigma, run], seconds[per_sigma, run] = pulse_run(verification, per_sigma, *run)
    for run, what in (((True,), ""), ((True, "local"), ", local steps")):
        what = f"pulse of {listed(resolutions, 'd')} coarse volumes a sigma that enters a refined slab{what}"
        took = sum(seconds[per_sigma, each] for per_sigma in resolutions for each in ((False,), run))
        ends = all(done[per_sigma, run] for per_sigma in resolutions)
        first, second = ([echo(plots[per_sigma, run][plot], plots[per_sigma, (False,)][plot], -2.5) / AMPLITUDE
                          for per_sigma in resolutions] for plot in (0, -1))
        verification.claim(f"{what}: echo over amplitude, first jump", "at most 1e-5", listed(first, ".2e"),
                           ends and session.largest(first) <= 1e-5, took)
        if len(first) > 1:
            falls = session.ratios(first, first[1:])
            verification.claim(f"{what}: fall of that per doubling of the resolution", "at least 30", listed(falls, ".1f"),
                               ends and session.all_at_least(falls, 30), took)
        verification.claim(f"{what}: the same at t = 18, second jump included", "reported", listed(second, ".2e"), ends, took)
