# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Picture of scripts/run: a slice beside a profile."""
import matplotlib.pyplot as plt

from meander_amr.plot.profiles import line_profile, radial_profile
from meander_amr.plot.slices import slice as draw_slice
from meander_amr.plot.style import STYLE, default_field, headline
from meander_amr.sampling import plane

RADIAL_SCENARIOS = ("accretion", "sedov")


def overview(snapshot, field=None, axis=None, at=None, radial=None, outlines=True, scale="auto"):
    """Draws a slice and a profile, side by side, or stacked for long domains. Returns matplotlib's figure.

    axis, at: as in Snapshot.slice. radial: whether the profile is radial; None: chosen by the scenario.
    scale: auto, linear, log or symlog, as in style.scale_of.
    """
    field = default_field(snapshot, field)
    axis, at = plane(snapshot, axis, at)
    size = (snapshot.upper - snapshot.lower)[[a for a in range(snapshot.dim) if a != axis]]
    with plt.rc_context(STYLE):
        if size[0] > 2 * size[1]:
            # The slice has the width of the figure, the profile a height of 4.5 inches.
            width = 11
            height = 1 + 0.9 * width * size[1] / size[0]
            figure, panels = plt.subplots(2, 1, figsize=(width, height + 4.5), height_ratios=[height, 4.5],
                                          layout="constrained")
        else:
            figure, panels = plt.subplots(1, 2, figsize=(14, 6.2), width_ratios=[1.08, 1], layout="constrained")
        draw_slice(snapshot, field, axis, at, outlines, panels[0], scale=scale)
        if snapshot.scenario["name"] in RADIAL_SCENARIOS if radial is None else radial:
            radial_profile(snapshot, field, axes=panels[1], scale=scale)
        else:
            line_profile(snapshot, field, axes=panels[1], scale=scale)
        figure.suptitle(headline(snapshot), x=0.01, ha="left", fontsize=13, fontweight="bold")
    return figure
