# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The runs whose files the readers are tried with: `runs.py DIRECTORY` makes them, with the program MEANDER.

A directory each, and facts.json: what the program itself says of every file, from history.csv and summary.json; values
at points and on a plane are taken from the checkpoint's bytes, volume by volume."""
import csv
import glob
import json
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

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
plot-steps = 12
[time]
max-steps = 24
"""
BALL = '[[refinement]]\nkind = "ball"\nradius = {radius}\nlevel = {level}\n'
# name: dimensions, p, levels, radius of the refined ball, and what else differs
CASES = {
    "2d-p4": (2, 4, (2, 4), 0.1, {}),
    "2d-p5": (2, 5, (1, 3), 0.4, {"precision": "float32"}),
    "2d-p9": (2, 9, (2, 3), 0.2, {"scheme": "muscl"}),
    "2d-thin": (2, 9, (2, 3), 0.1, {"cells": [6, 2], "lower": [0.0, 0.0], "upper": [3.0, 1.0], "centre": [1.4, 0.6]}),
    "3d-p4": (3, 4, (1, 3), 0.05, {}),
    "3d-p5": (3, 5, (1, 2), 0.3, {"precision": "float32"}),
    "3d-p9": (3, 9, (1, 2), 0.1, {"scheme": "muscl"}),
    # Every leaf of the coarsest level that the input allows is refined.
    "2d-empty-coarsest": (2, 4, (1, 3), 0.3, {"everywhere": 2}),
    "3d-empty-coarsest": (3, 4, (0, 2), 0.3, {"everywhere": 1}),
    "restart": (2, 6, (1, 3), 0.3, {}),
}
PLANE = 0.0437  # where the first axis is cut, above the middle of the domain: no face of any volume


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
        start("restart", os.path.join(output, "chk_000024.hdf5"), "--set", "time.max-steps=40")


def density_in(path, lower, cut):
    """(points, values): two volumes of each level; and the integral of density over the plane x = cut."""
    points, values, integral = [], [], 0.0
    with h5py.File(path, "r") as file:
        dim, unknowns = int(file["Chombo_global"].attrs["SpaceDim"]), int(file.attrs["num_components"])
        for n in range(int(file.attrs["num_levels"])):
            group = file[f"level_{n}"]
            dx, boxes, data = float(group.attrs["dx"]), group["boxes"][:], group["data:datatype=0"][:]
            p = int(file["meta"].attrs["patch_size"])
            data = data.reshape((len(boxes), unknowns) + (p,) * dim)[:, 0]
            for i, box in enumerate(boxes):
                corner = np.array([lower[a] + box[f"lo_{letter}"] * dx for a, letter in enumerate("ijk"[:dim])])
                if corner[0] < cut < corner[0] + p * dx:
                    integral += data[i][..., int((cut - corner[0]) / dx)].sum() * dx ** (dim - 1)
                if i in (len(boxes) // 3, len(boxes) // 2):
                    at = np.arange(1, dim + 1) % p  # a different one along each axis
                    points.append((corner + (at + 0.5) * dx).tolist())
                    values.append(float(data[i][tuple(at[::-1])]))
    return points, values, integral


def facts(case, output):
    dim, p = CASES[case][:2]
    lower, upper = (np.array(CASES[case][4].get(key, default[:dim])) for key, default in
                    (("lower", [-1.0, -2.0, -3.0]), ("upper", [1.0, 0.0, -1.0])))
    with open(os.path.join(output, "history.csv"), encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    with open(os.path.join(output, "summary.json"), encoding="utf-8") as stream:
        summary = json.load(stream)
    with open(os.path.join(output, "plot.vtkhdf.series"), encoding="utf-8") as stream:
        series = [(entry["name"], entry["time"]) for entry in json.load(stream)["files"]]
    checkpoint = sorted(glob.glob(os.path.join(output, "chk_*.hdf5")))[-1]
    cut = float(0.5 * (lower[0] + upper[0]) + PLANE)
    points, values, integral = density_in(checkpoint, lower, cut)
    files = []
    for name, time in series + [(os.path.basename(checkpoint), summary["time"])]:
        row = next(row for row in rows if float(row["time"]) == time)
        leaves = {int(key[len("leaves_level_"):]): int(row[key]) for key in row if key.startswith("leaves_level_")}
        leaves = {level: number for level, number in leaves.items() if number}
        files.append({"name": name, "time": time, "step": int(float(row["step"])), "leaves": leaves,
                      "volumes": sum(leaves.values()) * p ** dim, "mass": float(row["total_density"]),
                      "energy": float(row["total_energy"]), "is_last": time == summary["time"]})
    assert sum(files[-1]["leaves"].values()) == summary["leaves"] and files[-1]["volumes"] == summary["volumes"]
    return {"case": case, "dim": dim, "p": p, "lower": lower.tolist(), "upper": upper.tolist(),
            "single": CASES[case][4].get("precision") == "float32", "points": points, "density": values,
            "cut": cut, "integral": integral, "plots": files[:-1], "checkpoint": files[-1]}


def main():
    directory = sys.argv[1]
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    everything = []
    for case in CASES:
        make(case, directory, os.environ["MEANDER"])
        everything.append(facts(case, os.path.join(directory, case)))
    with open(os.path.join(directory, "facts.json"), "w", encoding="utf-8") as stream:
        json.dump(everything, stream, indent=1)


if __name__ == "__main__":
    main()
