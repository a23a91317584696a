# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Gravitational waves from the modes of Psi4 that a run with diagnostics.psi4-every writes.

    from meander_amr import waves
    psi4 = waves.read("output/head-on-001")           # spheres by radius, modes by (l, m)
    sphere = psi4.spheres[60.0]                       # one of diagnostics.extraction-radii
    wave = sphere.integrated(lowest=0.1)              # wave.strain, .news: times the radius; wave.energy(), wave.momentum(), ...
    ringdown = waves.fit_ringdown(sphere.time, sphere.modes[2, 0])

Modes are those of Psi4 = +d^2/dt^2 (h_plus - i h_cross) for spin weight -2, with the phases of Ajith et al. (2007), arXiv:0709.0093. Units: G = c = 1.
"""
from meander_amr.waves.files import Psi4, Sphere, read
from meander_amr.waves.infinity import areal_radius, fitted, perturbative, retarded_time
from meander_amr.waves.integration import Wave, fixed_frequency, tapered
from meander_amr.waves.ringdown import Ringdown, fit_ringdown, settled_ringdown
from meander_amr.waves.table import Report, report

__all__ = ["Psi4", "Report", "Ringdown", "Sphere", "Wave", "areal_radius", "fit_ringdown", "fitted", "fixed_frequency", "perturbative",
           "read", "report", "retarded_time", "settled_ringdown", "tapered"]
