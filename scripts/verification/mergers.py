# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two black holes that merge: what is radiated, what remains, and whether both add up. Hours; --reuse evaluates a run that
is complete."""
import dataclasses
import os

import verification.session as session
from verification.horizons import searches

LAST = 20.0  # in M: time at the end over which the remnant is averaged


def mean(rows, column):
    """Over the last part of the run."""
    kept = [row[column] for row in rows if row["time"] >= rows[-1]["time"] - LAST]
    return sum(kept) / len(kept)


@dataclasses.dataclass
class Window:
    """What is evaluated of a waveform. junk: time in M after which the junk of the initial data has passed a sphere, less its radius. taper: rise of
    both ends in M. lowest: least angular frequency with m = 0 and 1."""
    junk: float
    taper: float
    lowest: float


# The holes merge soon after the junk has left: at r + 20 M almost nothing passes, and at r + 30 M the largest amplitude.
HEAD_ON = Window(20.0, 4.0, 0.1)
# On their orbit the holes radiate from the start: the signal exceeds the junk from r + 7 M on.
QC0 = Window(6.0, 3.0, 0.13)


def radiated(verification, name, window):
    """The Report of the waves of a run; prints its table."""
    session.reader()
    from meander_amr import waves  # pylint: disable=import-outside-toplevel
    report = waves.report(waves.read(verification.directory(name)), 1.0, window.lowest, window.taper, window.junk)
    print("\n".join(f"  {line}" for line in report.lines()), flush=True)
    return report


def at_infinity(report, quantity):
    """Both extrapolations, or the outermost sphere where a run is too short for them."""
    names = [name for name in report.waves if name.startswith("infinity")] or list(report.waves)[-1:]
    return [quantity(report.waves[name]) for name in names]


def claim_ringdown(verification, report, mode, frequency, mass, seconds):
    """`frequency` times the mass of the remnant; within 2 % (real) and 3 % (imaginary)."""
    found = report.ringdowns.get(mode)
    seen = found.frequency * mass if found else complex("nan")
    verification.claim(f"the same: ringdown of l = {mode[0]}, m = {mode[1]}, M omega",
                       f"{frequency.real:.4f} {frequency.imag:+.4f} i, 2 % and 3 %", f"{seen.real:.4f} {seen.imag:+.4f} i",
                       abs(seen.real / frequency.real - 1) <= 0.02 and abs(seen.imag / frequency.imag - 1) <= 0.03, seconds)


def pictures(verification, name, window):
    for kind in ("waves", "tracks"):
        target = os.path.join(verification.options.output, f"{name}-{kind}.png")
        options = ["--junk", str(window.junk), "--taper", str(window.taper), "--lowest", str(window.lowest)] if kind == "waves" else []
        verification.plot(verification.directory(name), ["--show", kind, "--output", target, *options])


def merged(verification, name, common=3):
    """Runs an input, whose horizon of that number is common to both holes. Its history, rows of the common horizon, which are none if the run has not ended, and seconds; claims that it
    has ended, and that there is one."""
    history, done, seconds = verification.run(name, session.shipped(f"{name}.toml"), {})
    rows = searches(verification, name, common)
    seen = f"t = {rows[0]['time']:.2f} M" if rows else "none"
    verification.claim(f"{name}.toml, completed: first common horizon", "found",
                       f"{seen}; ended at t = {history[-1]['time']:g} M", done and bool(rows), seconds)
    return history, rows if done else [], seconds


def claim_steady(verification, rows, seconds):
    late = [(row["time"], row["christodoulou_mass"]) for row in rows if row["time"] >= rows[-1]["time"] - 50]
    seen = session.slope(late)
    verification.claim("the same: dM/dt of the remnant over the last 50 M", "at most 1e-6", f"{seen:+.1e}", abs(seen) <= 1e-6, seconds)


def head_on_octant(verification):
    """Half an hour of processor time."""
    head_on(verification, "head-on-octant")


def head_on(verification, name="head-on"):
    is_whole = name == "head-on"
    history, rows, seconds = merged(verification, name, 3 if is_whole else 2)
    if not rows:
        return
    report = radiated(verification, name, HEAD_ON)
    energies = at_infinity(report, lambda wave: float(wave.energy()[-1]))
    verification.claim("the same: radiated energy at infinity, by each extrapolation", "5.5e-4 M +- 10 %",
                       session.listed(energies, ".2e"), all(abs(e / 5.5e-4 - 1) <= 0.1 for e in energies), seconds)
    claim_ringdown(verification, report, (2, 0), 0.373672 - 0.088962j, 1.0, seconds)
    mass = mean(rows, "christodoulou_mass")
    expected = history[0]["initial_adm_mass"] - energies[0]
    verification.claim("the same: mass of the remnant over ADM mass less radiated energy, minus 1", "at most 1e-3",
                       f"{mass / expected - 1:+.1e}", abs(mass / expected - 1) <= 1e-3, seconds)
    claim_steady(verification, rows, seconds)
    if is_whole:
        first, second = searches(verification, name, 1), searches(verification, name, 2)
        differ = max(abs(a["irreducible_mass"] / b["irreducible_mass"] - 1) for a, b in zip(first, second))
        verification.claim("the same: masses of both holes, largest difference", "at most 1e-8", f"{differ:.1e}",
                           differ <= 1e-8, seconds)
    pictures(verification, name, HEAD_ON)


def qc0(verification):
    name = "qc0"
    history, rows, seconds = merged(verification, name)
    if not rows:
        return
    report = radiated(verification, name, QC0)
    mass, spin = mean(rows, "christodoulou_mass"), mean(rows, "spin_z")
    verification.claim("the same: chi of the remnant", "0.69 +- 0.02", f"{mean(rows, 'chi'):.4f}",
                       abs(mean(rows, "chi") - 0.69) <= 0.02, seconds)
    energy = at_infinity(report, lambda wave: float(wave.energy()[-1]))[0]
    lost = at_infinity(report, lambda wave: float(wave.angular_momentum()[2, -1]))[0]
    before = history[0]["initial_adm_mass"], 2 * 1.168642873 * 0.3331917498  # ADM mass and angular momentum
    for what, sum_, total in (("mass and energy", mass + energy, before[0]),
                              ("angular momentum of remnant and waves", spin + lost, before[1])):
        verification.claim(f"the same: {what} over that of the initial data, minus 1", "at most 0.02",
                           f"{sum_ / total - 1:+.1e}", abs(sum_ / total - 1) <= 0.02, seconds)
    claim_ringdown(verification, report, (2, 2), 0.528221 - 0.081162j, mass, seconds)
    claim_steady(verification, rows, seconds)
    pictures(verification, name, QC0)
