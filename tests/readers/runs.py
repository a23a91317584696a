# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The runs whose files the readers are tried with: `runs.py DIRECTORY` makes them, with the program MEANDER.

A directory each, and what the program itself says of it: summary.json and history.csv."""
import os
import shutil
import subprocess
import sys

BLAST = """
[domain]
dimensions = {dim}
lower = {lower}
upper = {upper}
cells = {cells}
[mesh]
patch-size = {p}
min-level = {levels[0]}
max-level = {levels[1]}
regrid-every = 4
buffer = 0
{refinement}
[solver]
scheme = "{scheme}"
[scenario]
name = "sedov"
radius = 0.2
centre = {centre}
[output]
precision = "{precision}"
fields = ["density", "velocity", "pressure", "level", "curve_index"]
plot-steps = 20
[time]
max-steps = 40
"""
BALL = '[[refinement]]\nkind = "ball"\nradius = {radius}\nlevel = {level}\n'
# name: dimensions, p, levels, radius of the refined ball, and what else differs
CASES = {
    "2d-p4": (2, 4, (1, 3), 0.3, {}),
    "2d-p5": (2, 5, (1, 3), 0.4, {"precision": "float32"}),
    "2d-p9": (2, 9, (2, 3), 0.2, {"scheme": "muscl"}),
    "2d-thin": (2, 9, (2, 3), 0.1, {"cells": [6, 2], "lower": [0.0, 0.0], "upper": [3.0, 1.0], "centre": [1.4, 0.6]}),
    "3d-p4": (3, 4, (1, 2), 0.3, {}),
    "3d-p5": (3, 5, (1, 2), 0.3, {"precision": "float32"}),
    "3d-p9": (3, 9, (1, 2), 0.1, {"scheme": "muscl"}),
    # Every leaf of the coarsest level that the input allows is refined.
    "2d-empty-coarsest": (2, 4, (1, 3), 0.3, {"everywhere": 2}),
    "3d-empty-coarsest": (3, 4, (0, 2), 0.3, {"everywhere": 1}),
    "restart": (2, 6, (1, 3), 0.3, {}),
}


def text_of(case):
    dim, p, levels, radius, extra = CASES[case]
    refinement = BALL.format(radius=radius, level=levels[1])
    if "everywhere" in extra:
        refinement += BALL.format(radius=10.0, level=extra["everywhere"])
    return BLAST.format(dim=dim, p=p, levels=levels, refinement=refinement, scheme=extra.get("scheme", "rusanov"),
                        precision=extra.get("precision", "float64"), cells=extra.get("cells", [1] * dim),
                        lower=extra.get("lower", [-1.0, -2.0, -3.0][:dim]),
                        upper=extra.get("upper", [1.0, 0.0, -1.0][:dim]),
                        centre=extra.get("centre", [0.1, -1.2, -2.1][:dim]))


def make(case, directory, program):
    source = os.path.join(directory, case + ".toml")
    with open(source, "w", encoding="utf-8") as stream:
        stream.write(text_of(case))

    def start(*arguments):
        subprocess.run([program, *arguments, "--threads", "1"], check=True, stderr=subprocess.DEVNULL)

    output = os.path.join(directory, case)
    start("run", source, "--output", output)
    if case == "restart":
        start("restart", os.path.join(output, "chk_000040.hdf5"), "--set", "time.max-steps=70")


def main():
    directory = sys.argv[1]
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for case in CASES:
        make(case, directory, os.environ["MEANDER"])


if __name__ == "__main__":
    main()
