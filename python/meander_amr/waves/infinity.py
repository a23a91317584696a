# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Waves at infinity from those on spheres of finite radius, in two ways. Their difference estimates the error."""
import numpy as np

from meander_amr.errors import OptionError, needs
from meander_amr.waves.files import Sphere
from meander_amr.waves.integration import fixed_frequency, tapered


def areal_radius(radius, mass):
    """Returns R = r (1 + M / 2r)^2 for the isotropic coordinate r."""
    return radius * (1 + 0.5 * mass / radius) ** 2


def retarded_time(time, radius, mass):
    """Returns t - R - 2M ln(R / 2M - 1)."""
    areal = areal_radius(radius, mass)
    return time - areal - (2 * mass * np.log(areal / (2 * mass) - 1) if mass > 0 else 0)


def perturbative(sphere, mass, lowest=0.1, taper=0.0):
    """Returns R Psi4 at infinity, a Sphere of radius 1 over retarded time, from one sphere: (1 - 2M/R) (R Psi4 - (l - 1)(l + 2) / 2R int R Psi4 dt), up
    to 1 / R^2 (Nakano, Healy, Lousto and Zlochower 2015, arXiv:1503.00718, eq. 29). lowest, taper: of the integral, see Sphere.integrated; a series that does not vanish at its ends needs a taper."""
    areal = areal_radius(sphere.radius, mass)
    modes = {}
    for (l, m), values in sphere.modes.items():
        first = fixed_frequency(sphere.time, areal * tapered(sphere.time, values, taper), lowest * max(abs(m), 1), 1)
        modes[l, m] = (1 - 2 * mass / areal) * (areal * values - (l - 1) * (l + 2) / (2 * areal) * first)
    return Sphere(1.0, retarded_time(sphere.time, sphere.radius, mass), modes)


def fitted(spheres, mass, order=None):
    """Returns R Psi4 at infinity, a Sphere of radius 1 over the retarded times that all spheres cover: least squares in powers of 1 / R of
    the given order, by default 1 for two or three spheres and 2 for more, of the modes that all spheres have.
    Raises OptionError for too few spheres, and if they have no times or modes in common."""
    order = (1 if len(spheres) < 4 else 2) if order is None else order
    if len(spheres) < order + 1:
        raise OptionError(f"a fit of order {order} in 1 / R needs {order + 1} radii, but there are {len(spheres)}")
    spline = needs("scipy.interpolate", "extrapolation").CubicSpline
    times = [retarded_time(sphere.time, sphere.radius, mass) for sphere in spheres]
    areal = np.array([areal_radius(sphere.radius, mass) for sphere in spheres])
    finest = min(time[1] - time[0] for time in times)
    first, last = max(time[0] for time in times), min(time[-1] for time in times)
    if last - first < 4 * finest:
        raise OptionError("the spheres have no retarded times in common")
    common = np.linspace(first, last, int((last - first) / finest) + 1)
    # The first row of the pseudo-inverse gives the value at 1 / R = 0.
    weights = np.linalg.pinv(np.vander(1 / areal, order + 1, increasing=True))[0]
    modes = {}
    for mode in spheres[0].modes:
        if all(mode in sphere.modes for sphere in spheres):
            modes[mode] = sum(weight * radius * spline(time, sphere.modes[mode])(common)
                              for weight, radius, time, sphere in zip(weights, areal, times, spheres))
    if not modes:
        raise OptionError("the spheres have no modes in common")
    return Sphere(1.0, common, modes)
