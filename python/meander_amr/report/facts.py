# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the files of a run say in words and numbers."""
import glob
import json
import math
import os
import re
import tomllib
from dataclasses import dataclass, field

import numpy as np

import meander_amr
from meander_amr.boundaries import kind_of_boundary
from meander_amr.errors import FileError, read_text, reading
from meander_amr.plot.style import default_field, magnitude
from meander_amr.sampling import volumes

OUTPUTS = ("slice", "projection", "box", "sphere")
PARTS = ("update", "waiting", "regrid", "output", "other")


@dataclass
class Run:
    """The files of a run's directory. What is missing is None or empty: a run may go on, or may have been killed.

    input: dict of tables; text: the resolved input; summary: dict, empty until the run or its last restart ends
    history: History; plots: Series
    outputs: Series of output in the run; probes: History by name
    """
    directory: str
    text: str = ""
    input: dict = field(default_factory=dict)
    summary: dict = field(default_factory=dict)
    history: object = None
    plots: object = None
    outputs: list = field(default_factory=list)
    probes: dict = field(default_factory=dict)
    is_running: bool = False

    @property
    def equation(self):
        return self.input["solver"]["equation"]


def read_run(directory, is_running):
    """Reads the files of a run. Raises FileError if the directory has no input.toml, and for damaged files."""
    def path(name):
        return os.path.join(directory, name)
    if not os.path.exists(path("input.toml")):
        raise FileError(f"{directory}: has no input.toml: is no directory of a run")
    run = Run(directory, is_running=is_running)
    run.text = read_text(path("input.toml"))
    with reading(path("input.toml"), "is no input of a run"):
        run.input = tomllib.loads(run.text)
        for table, key in (("solver", "equation"), ("scenario", "name"), ("domain", "dimensions"), ("time", "end")):
            run.input[table][key]  # pylint: disable=expression-not-assigned
    if os.path.exists(path("history.csv")):
        run.history = meander_amr.open(path("history.csv"))
        if len(run.history) == 0:
            run.history = None
    if os.path.exists(path("summary.json")):
        with reading(path("summary.json"), "is no summary of a run"):
            run.summary = dict(json.loads(read_text(path("summary.json"))))
            # A restart in place leaves the summary of the part before it until its own end.
            goes_on = run.history is not None and run.history["step"][-1] > float(run.summary.get("last_step", math.inf))
        if is_running or goes_on:
            run.summary = {}
    if os.path.exists(path("plot.vtkhdf.series")):
        run.plots = meander_amr.open(path("plot.vtkhdf.series"))
    for name in sorted(glob.glob(path("*.vtkhdf.series"))):
        if os.path.basename(name).startswith(tuple(kind + "_" for kind in OUTPUTS)):
            run.outputs.append(meander_amr.open(name))
    for name in sorted(glob.glob(path("probe_*.csv"))):
        probe = meander_amr.open(name)
        if len(probe):
            run.probes[os.path.basename(name)[6:-4]] = probe
    return run


def number(value, digits=4):
    """A number for readers: 12345 as 12 345, others with the given digits."""
    if isinstance(value, (int, np.integer)) or (float(value).is_integer() and abs(value) < 1e9):
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:.{digits}g}"


def duration(seconds):
    if seconds < 120:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def state(run):
    """How far the run is: (word, sentence)."""
    end, most = float(run.input["time"]["end"]), int(run.input["time"].get("max-steps", 0))
    if run.history is None and not run.summary:
        return ("running" if run.is_running else "no history"), "nothing is written yet"
    step = int(run.summary.get("last_step", run.history["step"][-1] if run.history else 0))
    at = float(run.summary.get("time", run.history["time"][-1] if run.history else 0.0))
    reached = f"step {number(step)}, time {number(at, 6)} of {number(end, 6)}"
    if run.is_running:
        return "running", reached
    if not run.summary:
        return "killed or failed", reached + ": there is no summary; continue with meander restart"
    if at >= end or (most > 0 and step >= most):
        return "finished", reached + ("" if at >= end else f": time.max-steps = {number(most)}")
    return "stopped", reached + ": continue with meander restart"


def scales_of_totals(run):
    """The size of each conserved total, by name: its largest magnitude; of components of a vector at least the root of the
    product of the first and the last other total, which for gas is that of mass and energy: a momentum may be 0 but for rounding."""
    names = [name for name in run.history.columns if name.startswith("total_")]
    sizes = {name[len("total_"):]: np.abs(run.history[name][np.isfinite(run.history[name])]).max(initial=0) for name in names}
    others = [size for name, size in sizes.items() if not re.search(r"_[xyz]$", name)]
    least = math.sqrt(others[0] * others[-1]) if others else 0.0
    return {name: max(size, least) if re.search(r"_[xyz]$", name) else size for name, size in sizes.items()}


def totals(run):
    """Rows (name, first, last, change over its size) of the conserved totals."""
    if run.history is None:
        return []
    rows = []
    for name, scale in scales_of_totals(run).items():
        values = run.history["total_" + name]
        finite = values[np.isfinite(values)]
        if finite.size:
            rows.append((name, finite[0], finite[-1], (finite[-1] - finite[0]) / scale if scale > 0 else 0.0))
    return rows


def is_closed(run):
    """Whether nothing passes the domain's borders."""
    return all(word in ("periodic", "reflecting", "symmetric") for word in boundary_words(run))


def boundary_words(run):
    dims = run.input["domain"]["dimensions"]
    table = run.input.get("boundary", {})
    words = []
    for axis in "xyz"[:dims]:
        for side in ("lower", "upper"):
            words.append(kind_of_boundary(table, axis, side))
    return words


def extremes(snapshot, name):
    """(least, largest, place of the least, place of the largest) of a field, of finite values; None if there are none."""
    every = volumes(snapshot, name)
    values = magnitude(snapshot, name, every.value).astype(float)
    finite = np.flatnonzero(np.isfinite(values))
    if finite.size == 0:
        return None
    least, largest = finite[np.argmin(values[finite])], finite[np.argmax(values[finite])]
    return values[least], values[largest], every.centre[least], every.centre[largest]


def place(x):
    return "(" + ", ".join(f"{c:.4g}" for c in x) + ")"


def what_happened(run, first, last):
    """Sentences on the field that is drawn, and on what the scenario measures. first: None if no other state than the last is known."""
    if last is None:
        return []
    name = default_field(last)
    found, before = extremes(last, name), extremes(first, name) if first is not None else None
    lines = []
    # Of the lapse the least value tells where a hole is.
    for word, value in (("least", 0), ("largest", 1))[::1 if name == "lapse" else -1] if found is not None else ():
        at = f" at {place(found[2 + value])}" if not lines else ""
        if before is not None and np.isclose(found[value], before[value], rtol=1e-6, atol=0):
            lines.append(f"The {word} {name} stays at {found[value]:.4g}{at}.")
        else:
            lines.append(f"The {word} {name} is {found[value]:.4g}{at}" + (f"; at the start it was {before[value]:.4g}." if before is not None else "."))
    if run.history is not None:
        for column in run.history.columns:
            if column.endswith("_radius") and np.isfinite(run.history[column][-1]) and run.history[column][-1] != 0:
                lines.append(f"{column.replace('_', ' ').capitalize()}: {run.history[column][-1]:.4g}"
                             f"{' ' + run.history.units[column] if column in run.history.units else ''} at the end.")
    return lines


def how_exact(run, last):
    """Sentences on errors, on volumes with emergency measures, and on the finest level."""
    lines = []
    history, updates = run.history, run.summary.get("volume_updates", 0)
    if history is not None:
        for column in (name for name in history.columns if name.startswith("error_")):
            lines.append(f"{column}: {history[column][-1]:.3g} against the exact solution.")
        constraints = [name for name in history.columns if name.startswith("hamiltonian") and np.isfinite(history[name][-1])]
        for column in constraints[:2]:
            lines.append(f"{column}: {history[column][-1]:.3g} at the end.")
    for key, words in (("first_order_volume_updates", "fell back to first order"), ("floored_volume_updates", "were raised to a floor")):
        if updates and run.summary.get(key, 0) > 0:
            lines.append(f"{100 * run.summary[key] / updates:.2g} % of the updates of volumes {words}.")
    if updates and not any(run.summary.get(key, 0) for key in ("first_order_volume_updates", "floored_volume_updates")):
        lines.append("No volume fell back to first order or was raised to a floor.")
    if last is not None:
        finest = last.levels[-1]
        share = len(finest) * finest.edge ** last.dim / math.prod(last.upper - last.lower)
        lines.append(f"Level {finest.number}, with volumes {finest.spacing:.3g} wide, covers {100 * share:.3g} % of the domain"
                     + (", as fine as the input allows." if finest.number == run.input["mesh"].get("max-level") else "."))
    if not any(line.startswith("error_") for line in lines):
        lines.append("There is no exact solution: compare with a run at another resolution (mesh.max-level or mesh.patch-size).")
    return lines


def share(change):
    """A change relative to some value, in words."""
    if abs(change) < 1e-15:
        return "less than 1e-15"
    return f"{100 * change:.3g} %" if abs(change) >= 1e-3 else f"{change:.2g}"


def what_was_conserved(run):
    if run.history is None:
        return ["There is no history."]
    rows = totals(run)
    if not rows:
        has_totals = any(name.startswith("total_") for name in run.history.columns)
        return ["No total is a finite number." if has_totals else "The unknowns are not conserved."]
    lines = [f"Total {name.replace('_', ' ')} changed by {share(change)} of its largest value."
             for name, _, _, change in rows if not re.search(r"_[xyz]$", name)]
    if not is_closed(run):
        lines.append("The borders are open: what passes them counts as a change.")
    if run.input.get("gravity", {}).get("method", "none") != "none" or run.input.get("gravity", {}).get("external", "none") != "none":
        lines.append("Gravity changes momentum and energy of the gas.")
    return lines


def where_the_time_went(run):
    if not run.summary:
        return ["The summary is written at the end of the run."]
    summary = run.summary
    ranks, threads = summary["ranks"], summary["threads"]  # threads: of all ranks
    lines = [f"{duration(summary['seconds'])} for {number(summary['steps'])} steps on {number(ranks)} rank{'s' * (ranks != 1)} "
             f"with {number(threads)} thread{'s' * (threads != 1)}{' in all' * (ranks != 1)}.",
             f"{summary['processor_ns_per_volume_update']:.4g} ns of processor time per volume and step; "
             f"{summary['volumes_per_second'] / 1e6:.4g} million volumes a second."]
    shares = parts_of_step(run)
    if shares:
        largest = max(shares, key=lambda part: part[1])
        lines.append(f"{100 * largest[1] / sum(part[1] for part in shares):.0f} % of a step is {largest[0]}.")
    return lines


def parts_of_step(run):
    """(name, mean seconds a step) of the parts of a step."""
    found = [(part, run.summary.get(f"seconds_per_step_{part}")) for part in PARTS]
    return [(part, float(times["mean"])) for part, times in found if isinstance(times, dict) and times.get("mean", 0) > 0]


def holes(run):
    """Sentences on black holes."""
    from meander_amr.plot.tracks import MASSES, horizons, masses_of
    lines = []
    for index, columns in horizons(run.directory).items():
        for name in (name for name in MASSES if name in columns):
            masses = masses_of(columns, name)
            known = np.isfinite(masses)
            if known.any():
                first, last = masses[known][0], masses[known][-1]
                lines.append(f"Horizon {index}: {MASSES[name]} {first:.6g} at t = {columns['time'][known][0]:.4g}, {last:.6g} at "
                             f"t = {columns['time'][known][-1]:.4g}.")
    return lines
