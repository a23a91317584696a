# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fit of a damped oscillation to the ringdown of a black hole."""
from dataclasses import dataclass, replace

import numpy as np

from meander_amr.errors import OptionError, needs


@dataclass
class Ringdown:
    """frequency: complex, exp(-i w t): its imaginary part is negative for a damped oscillation. residual: root mean square of what the
    fit leaves over that of the data. start, end: the times fitted. spread: largest differences of the real and the imaginary part of
    the frequency between fits with neighbouring starts, as a complex number; NaN of a single fit."""
    frequency: complex
    residual: float
    start: float
    end: float
    spread: complex = complex("nan+nanj")


def columns(time, w):
    """Returns exp(-i w t) and, for waves that are not circularly polarised, exp(i w* t): [rows, 2]."""
    return np.stack([np.exp(-1j * w * time), np.exp(1j * np.conj(w) * time)], 1)


def first_guess(time, values):
    """Returns the dominant frequency by linear prediction from two values (Prony's method): those of the model satisfy
    x[n + 2] = p x[n + 1] + q x[n]."""
    step = max(1, round(len(values) / 60))  # 0.5 M of 30 M: with finer ones, noise decides
    x = values
    past = np.stack([x[step:-step], x[:-2 * step]], 1)
    p, q = np.linalg.lstsq(past, x[2 * step:], rcond=None)[0]
    w = 1j * np.log(np.roots([1, -p, -q]).astype(complex)) / (step * (time[1] - time[0]))
    amplitude = np.abs(np.linalg.lstsq(np.exp(-1j * np.outer(time - time[0], w)), x, rcond=None)[0])
    best = w[np.argmax(amplitude)]
    return complex(abs(best.real), min(best.imag, -1e-6))


def fit_ringdown(time, values, delay=15.0, duration=30.0):
    """Returns the Ringdown of a mode, complex [rows] at uniform times, from `delay` after the largest magnitude on, for `duration`. Amplitudes follow by linear
    least squares for every trial of the frequency. Raises OptionError if there are fewer than 8 rows in this interval."""
    start = time[np.argmax(np.abs(values))] + delay
    kept = (time >= start) & (time <= start + duration)
    if np.count_nonzero(kept) < 8:
        raise OptionError(f"ringdown: the rows end before {delay:g} to {delay + duration:g} after the largest magnitude")
    t, x = time[kept] - time[kept][0], values[kept] / np.abs(values[kept]).max()

    def left(parameters):
        basis = columns(t, complex(*parameters))
        rest = x - basis @ np.linalg.lstsq(basis, x, rcond=None)[0]
        return np.concatenate([rest.real, rest.imag])

    guess = first_guess(t, x)
    solve = needs("scipy.optimize", "the fit of a ringdown").least_squares
    found = solve(left, [guess.real, guess.imag], x_scale=[3 / duration, 0.3 / duration], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    rest = np.sqrt(np.mean(left(found.x) ** 2) / np.mean(np.concatenate([x.real, x.imag]) ** 2))
    return Ringdown(complex(abs(found.x[0]), found.x[1]), float(rest), float(time[kept][0]), float(time[kept][-1]))


def settled_ringdown(time, values, mass=1.0):
    """Returns the Ringdown of a mode where it depends least on the start of the fit. Too early the signal of the merger is left, too late there is
    noise. Fits of 30 mass are started from 0 to 60 mass after the largest magnitude, 2.5 mass apart. Of each five in succession the
    frequencies have a spread; the middle fit of those with the least one is returned. Raises OptionError if the series is too short for five."""
    step, duration, together = 2.5 * mass, 30 * mass, 5
    largest = time[np.argmax(np.abs(values))]
    starts = [step * n for n in range(25) if largest + step * n + duration <= time[-1] + 1e-9 * duration]
    if len(starts) < together:
        raise OptionError(f"ringdown: the rows end before {(together - 1) * step + duration:g} after the largest magnitude")
    fits = [fit_ringdown(time, values, start, duration) for start in starts]
    best = None
    for first in range(len(fits) - together + 1):
        neighbours = fits[first:first + together]
        real, imaginary = ([getattr(fit.frequency, part) for fit in neighbours] for part in ("real", "imag"))
        spread = complex(max(real) - min(real), max(imaginary) - min(imaginary))
        if best is None or abs(spread) < abs(best.spread):
            best = replace(neighbours[together // 2], spread=spread)
    return best
