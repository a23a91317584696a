# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Theory of the accretion scenario (Bertschinger 1985, ApJS 58, 39), in supercomoving variables."""
import math

SHOCK_OVER_TURNAROUND = 0.338976  # gamma = 5/3, 3D


def scale_factor(tau):
    return tau ** -2


def turnaround_radius(snapshot):
    """Comoving turnaround radius around the seed at the file's time; None without a single seed, without the gas's own
    gravity or with that of other masses, and once the shell that turns around started in the shell that compensates it.

    3/5 of the initial excess is in the growing mode. A shell turns around at a linear overdensity of 1.0624
    (2D: 0.83134), at a density of 9 pi^2 / 16 (2D: 3.49895) times the mean."""
    scenario, dim = snapshot.scenario, snapshot.dim
    gravity = snapshot.input.get("gravity", {})
    if (gravity.get("method"), gravity.get("external")) != ("radial", "none") or scenario.get("seed") == "noise":
        return None
    ball = 4 * math.pi / 3 if dim == 3 else math.pi
    excess = scenario["mass"] if scenario["seed"] == "point" else scenario["delta"] * ball * scenario["radius"] ** dim
    linear, contrast = (1.0624, 9 * math.pi ** 2 / 16) if dim == 3 else (0.83134, 3.49895)
    growing = 0.6 * excess / scenario["start-scale-factor"]
    if growing <= 0:
        return None
    radius = (growing * scale_factor(snapshot.time) / (ball * linear * contrast)) ** (1 / dim)
    compensated = scenario.get("compensation-radius", 0)
    if compensated > 0 and radius * contrast ** (1 / dim) > 2 / 3 * compensated:
        return None
    return radius


def marked_radii(snapshot):
    """Pairs (radius, label) to draw into pictures of an accretion run."""
    turnaround = turnaround_radius(snapshot)
    if turnaround is None:
        return []
    if snapshot.dim == 2:
        return [(turnaround, "turnaround (theory)")]
    marks = [(turnaround, "turnaround (Bertschinger)"), (SHOCK_OVER_TURNAROUND * turnaround, "shock (Bertschinger)")]
    return marks
