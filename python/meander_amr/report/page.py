# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a report, from its template."""
import base64
import contextlib
import io
import os
import time

import jinja2
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import ScalarFormatter

from meander_amr import plot, sampling
from meander_amr.errors import FileError, OptionError
from meander_amr.plot import histories
from meander_amr.plot.overview import RADIAL_SCENARIOS
from meander_amr.plot.style import STYLE, default_field
from meander_amr.report import facts
from meander_amr.report.lock import is_running

DPI = 130
PANEL = (4.9, 3.1)   # inches
MOST_PICTURES = 40   # of a section
MOST_OUTPUTS = 12    # pictures of output in the run
MOST_CURVES = 12
WIDE = 7            # inches: more does not fit into a column of the page
LEAST_CHANGE = 1e-12  # at the border of the picture of totals


def style_numbers(axes):
    """Numbers of linear axes as powers of ten where they are far from 1."""
    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), ScalarFormatter):
            axis.get_major_formatter().set_powerlimits((-3, 4))


class Pictures:
    """Pictures as data of the page. A picture that a file does not have is left out, with the reason."""

    def __init__(self):
        self.skipped = []

    def take(self, caption, draw):
        """Returns {caption, data}, or None. draw() returns matplotlib's axes or figure."""
        try:
            with plt.rc_context(STYLE):
                drawn = draw()
            figure = getattr(drawn, "figure", drawn)
            if len(figure.axes) <= 2 and hasattr(drawn, "set_title"):
                drawn.set_title("", loc="left")  # the caption says it, and does not end at the picture's border
                style_numbers(drawn)
            stream = io.BytesIO()
            figure.savefig(stream, dpi=DPI, format="png")
        except (FileError, OptionError) as error:
            self.skipped.append(f"{caption}: {error}")
            return None
        finally:
            plt.close("all")
        is_wide = figure.get_figwidth() > WIDE
        return {"caption": caption, "data": base64.b64encode(stream.getvalue()).decode(), "wide": is_wide}

    def opened(self, series, i):
        """Returns a file of a series, or None."""
        try:
            return series[i]
        except FileError as error:
            self.skipped.append(str(error))
            return None

    def all(self, drawn, most=MOST_PICTURES):
        """Returns the first pictures of a section, from its list of (caption, draw)."""
        self.skipped += [f"{caption}: is beyond the {most} pictures of its section" for caption, _ in drawn[most:]]
        return [picture for picture in (self.take(caption, draw) for caption, draw in drawn[:most]) if picture]


def width_of_fine_region(snapshot):
    """The width of a region about the scenario's centre that holds the two finest levels; None if that is most of the domain."""
    if len(snapshot.levels) < 3:
        return None
    fine = snapshot.levels[-2]
    centre = snapshot.centre
    width = 2 * max(np.abs(fine.lower - centre).max(), np.abs(fine.lower + fine.edge - centre).max())
    return width if width < 0.6 * (snapshot.upper - snapshot.lower).max() else None


def state_pictures(run, pictures):
    """Slices and profiles of the first and the last plot file, and both files. Without a first one, or if that is the last, it is None."""
    if run.plots is None:
        return [], None, None
    first = pictures.opened(run.plots, 0) if len(run.plots) > 1 else None
    last = pictures.opened(run.plots, -1)
    there = [(words, snapshot) for words, snapshot in (("first", first), ("last", last)) if snapshot is not None]
    if not there:
        return [], None, None
    name = default_field(there[-1][1])
    radial = run.input["scenario"]["name"] in RADIAL_SCENARIOS
    profile = plot.radial_profile if radial else plot.line_profile
    drawn = []
    for words, snapshot in there:
        at = f"{words} state, t = {snapshot.time:.4g}"
        drawn += [(f"{name}, {at}, with the patches' outlines", lambda s=snapshot: plot.slice(s, name, axes=plane_of(s))),
                  (f"{name}, {at}: volumes and their means", lambda s=snapshot: profile(s, name, axes=panel((5.2, 4.4))))]
    if last is None:
        return pictures.all(drawn), first, None
    width = width_of_fine_region(last)
    if width is not None:
        drawn.append((f"{name}, last state, t = {last.time:.4g}, near the scenario's centre",
                      lambda: plot.slice(last, name, width=width, axes=plane((1, 1)))))
    if len(last.levels) > 1:
        drawn.append((f"levels of the mesh, t = {last.time:.4g}",
                      lambda: plot.slice(last, "level", outlines=False, axes=plane_of(last))))
    return pictures.all(drawn), first, last


def panel(size=PANEL):
    return plt.subplots(figsize=size, layout="constrained")[1]


def plane(size):
    """Axes for a picture of a plane of that size, with a colour bar. Labels stay legible in a column of the page."""
    share = np.clip(size[1] / size[0], 0.15, 2)
    return panel((5.2, 3.85 * share + 0.7) if share <= 1 else (4.2 / share + 1.4, 4.9))


def plane_of(snapshot):
    axis = sampling.plane(snapshot, None, None)[0]
    size = snapshot.upper - snapshot.lower
    return plane([size[a] for a in range(snapshot.dim) if a != axis])


def plane_of_image(image):
    size = [image.upper["xyz".index(axis)] - image.lower["xyz".index(axis)] for axis in image.axes[:2]]
    return plane(size) if len(size) == 2 else panel()


def curve_panels(run, wanted, pictures):
    """Panels over time of those groups of columns whose names `wanted` accepts."""
    if run.history is None or len(run.history) < 2:
        return []
    drawn = []
    for title, names in histories.groups(run.history).items():
        if not wanted(names[0]):
            continue
        caption = title if len(names) > 1 else run.history.label(names[0])

        def draw(names=names, title=title):
            axes = panel()
            since = 1 if names == ["dt"] else 0  # no step led to the first row
            for name in names[:MOST_CURVES]:
                axes.plot(run.history["time"][since:], run.history[name][since:], lw=1.3, label=name)
            histories.set_scale(axes, names, np.concatenate([run.history[name][since:] for name in names]), "auto")
            axes.grid(alpha=0.25, lw=0.5)
            axes.set(xlabel=run.history.label("time"), ylabel=title if len(names) > 1 else run.history.label(names[0]))
            if len(names) > 1:
                axes.legend(loc="best", fontsize=8)
            return axes
        drawn.append((caption, draw))
    return pictures.all(drawn)


def drift_picture(run, pictures):
    """The change of the conserved totals over time."""
    if run.history is None or len(run.history) < 2:
        return []
    scales = {name: scale for name, scale in facts.scales_of_totals(run).items()
              if scale > 0 and np.ptp(run.history["total_" + name]) > 0}
    if not scales:
        return []

    def draw():
        axes = panel()
        for name, scale in scales.items():
            values = run.history["total_" + name]
            axes.plot(run.history["time"], (values - values[0]) / scale, lw=1.3, label=name)
        bound = max(LEAST_CHANGE, *(np.nanmax(np.abs(line.get_ydata())) for line in axes.lines))
        axes.set_yscale("symlog", linthresh=1e-16)
        powers = [10.0 ** power for power in range(-15, 1, 3 if bound < 1e-4 else 5)]
        axes.set_yticks([-power for power in powers[::-1]] + [0] + powers)
        axes.set_ylim(-3 * bound, 3 * bound)
        axes.set(xlabel=run.history.label("time"), ylabel="change over its size")
        axes.grid(alpha=0.25, lw=0.5)
        axes.legend(loc="best", fontsize=8)
        return axes
    return pictures.all([("change of the totals", draw)])


def time_picture(run, pictures):
    parts = facts.parts_of_step(run)
    if not parts:
        return []

    def draw():
        axes = panel((6.4, 2.6))
        names, seconds = zip(*parts)
        axes.barh(names, [1e3 * s for s in seconds], color="#33658a")
        axes.invert_yaxis()
        whole = sum(seconds)
        for n, s in enumerate(seconds):
            axes.annotate(f" {100 * s / whole:.0f} %", (1e3 * s, n), va="center")
        axes.set_xlim(0, 1.15e3 * max(seconds))
        axes.set_xlabel("milliseconds a step (mean of the ranks)")
        return axes
    return pictures.all([("parts of a step", draw)])


def has_waves(run):
    return os.path.isdir(os.path.join(run.directory, "waves"))


def hole_pictures(run, pictures):
    found = []
    with contextlib.suppress(FileError):
        if run.history is not None and ("puncture_1_x" in run.history or facts.holes(run)):
            found += pictures.all([("tracks of punctures, masses of horizons", lambda: plot.tracks(run.directory)[0])])
    if has_waves(run):
        from meander_amr import waves

        def draw():
            psi4 = waves.read(run.directory)
            return plot.waveforms(psi4, waves.report(psi4, 1.0, 0.1, 50.0, None), 1.0)[0]
        try:
            found += pictures.all([("waves on spheres", draw)])
        except (ImportError, ValueError, IndexError) as error:  # too few samples, or no scipy
            pictures.skipped.append(f"waves on spheres: {error}")
            plt.close("all")
    return found


def output_pictures(run, pictures):
    drawn = []
    for series in run.outputs:
        last = pictures.opened(series, -1)
        if last is None or not last.axes:
            continue
        for name in last.fields[:2]:
            drawn.append((f"{last.kind} {last.name}: {name}, t = {last.time:.4g} ({len(series)} files)",
                          lambda last=last, name=name: plot.image(last, name, axes=plane_of_image(last))))
    for title, probe in run.probes.items():
        if len(probe) < 2:
            continue
        for name in [name for name in probe.numbers if name not in ("step", "time", "level") and histories.changes(probe, name)][:4]:
            def draw(probe=probe, name=name):
                axes = panel()
                axes.plot(probe["time"], probe[name], lw=1.3)
                axes.set(xlabel="time", ylabel=name)
                axes.grid(alpha=0.25, lw=0.5)
                return axes
            drawn.append((f"probe {title}: {name}", draw))
    return pictures.all(drawn, MOST_OUTPUTS)


def input_lines(run):
    """(line, whether it differs from the default) of the resolved input."""
    changed = set(run.summary.get("changed_keys", []))
    table, lines = "", []
    for line in run.text.splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            table = stripped.strip("[]")
            marked = stripped.startswith("[[") and bool(changed)
        else:
            key = stripped.split("=")[0].strip()
            marked = f"{table}.{key}" in changed
        lines.append((line, marked))
    return lines


def leaves_rows(last):
    return [(level.number, f"{level.spacing:.4g}", facts.number(len(level)), facts.number(len(level) * last.p ** last.dim))
            for level in last.levels] if last is not None else []


def of_mesh(name):
    return name.startswith(("leaves_", "ratio", "updates_")) or name == "dt"


def render(directory, refresh=0):
    """Returns the HTML text. Raises FileError."""
    run = facts.read_run(directory, is_running(directory))
    pictures = Pictures()
    word, reached = facts.state(run)
    states, first, last = state_pictures(run, pictures)
    is_gas = bool(facts.totals(run))

    def elsewhere(name):
        return of_mesh(name) or name.startswith(("total_", "puncture_")) or (has_waves(run) and name.startswith("psi4"))
    answers = [("What happened, and where?", facts.what_happened(run, first, last) + facts.holes(run)),
               ("Is it exact enough?", facts.how_exact(run, last)),
               ("What was conserved?", facts.what_was_conserved(run)),
               ("Where did the time go?", facts.where_the_time_went(run))]
    sections = [
        ("First and last state", states),
        ("Black holes", hole_pictures(run, pictures)),
        ("Output in the run", output_pictures(run, pictures)),
        ("Conserved totals", drift_picture(run, pictures)),
        ("Quantities over time", curve_panels(run, lambda name: not elsewhere(name), pictures)),
        ("Mesh and time steps", curve_panels(run, of_mesh, pictures)),
        ("Where the time went", time_picture(run, pictures)),
    ]
    meta = last.meta if last is not None else {}
    scenario, dims = run.input["scenario"]["name"], run.input["domain"]["dimensions"]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(os.path.dirname(__file__)), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("page.html").render(
        title=f"{scenario}, {dims}D", directory=directory, state=word, reached=reached,
        equation=run.equation, is_gas=is_gas, answers=[answer for answer in answers if answer[1]],
        sections=[(title, found) for title, found in sections if found], levels=leaves_rows(last), skipped=pictures.skipped,
        warnings=run.summary.get("warnings", []), lines=input_lines(run), marks=bool(run.summary.get("changed_keys")),
        version=meta.get("version", ""), git=meta.get("git_hash", "")[:10], compiler=meta.get("compiler", ""),
        build=meta.get("build_type", ""), processor=run.summary.get("processor", ""), refresh=int(refresh),
        made=time.strftime("%Y-%m-%d %H:%M:%S"))
