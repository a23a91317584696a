# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the program, the claims about them, and the table of results."""
import csv
import importlib
import json
import math
import os
import subprocess
import sys
import time
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Tables of the input that determine the solution; the others are of output and of how it is computed.
OF_SOLUTION = ("domain", "boundary", "mesh", "refinement", "solver", "gravity", "scenario", "time")

AS_ROOT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def shipped(name):
    return os.path.join(ROOT, "inputs", name)


def reader():
    """The package meander_amr of this tree, which needs h5py and numpy."""
    sys.path.insert(0, os.path.join(ROOT, "python"))
    try:
        return importlib.import_module("meander_amr")
    except ImportError as error:
        sys.exit(f"scripts/verify: this part reads plot files and needs Python with h5py and numpy ({error}); on "
                 "Debian: apt install python3-h5py, and /usr/bin/python3 scripts/verify")


class FileError(Exception):
    """A file of a run that cannot be evaluated. The text is for the user."""


class RunError(Exception):
    """A run that was refused or killed, or that wrote no history. The text is for the user."""


def history_rows(directory):
    """Raises FileError."""
    path, line = directory + "/history.csv", 1
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            rows = []
            for row in csv.DictReader(stream):
                line += 1
                rows.append({key.split(" [")[0]: float(value) for key, value in row.items()})
    except FileNotFoundError as error:
        raise FileError(f"{path}: no such file") from error
    except (ValueError, TypeError, AttributeError, csv.Error) as error:
        raise FileError(f"{path}: line {line} is no row of numbers") from error
    if not rows:
        raise FileError(f"{path}: has no rows")
    return rows


def has_reached(time_, end):
    """Whether a time is at or after another one, which may be negative, but for rounding."""
    return time_ >= end - 1e-12 * abs(end)


def is_complete(directory):
    """Whether a run in this directory has reached its time.end. Raises FileError."""
    try:
        with open(directory + "/summary.json", encoding="utf-8") as summary, open(directory + "/input.toml", "rb") as keys:
            return has_reached(json.load(summary)["time"], tomllib.load(keys)["time"]["end"])
    except FileNotFoundError:
        return False
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{directory}: summary.json or input.toml is not of a run of meander") from error


def settings_words(settings):
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def differences(found, wanted, key=""):
    """(key, found, wanted) of what two parsed inputs both have and in which they differ."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name in wanted:
            if name in found:
                yield from differences(found[name], wanted[name], f"{key}.{name}" if key else name)
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for n, pair in enumerate(zip(found, wanted)):
            yield from differences(*pair, f"{key}[{n}]")
    elif isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        if not math.isclose(found, wanted, rel_tol=1e-12):
            yield key, found, wanted
    elif found != wanted:
        yield key, found, wanted


class Verification:
    def __init__(self, options):
        self.options = options
        self.rows, self.tables = [], []
        self.failures = 0

    def directory(self, name):
        return os.path.join(self.options.output, name)

    def input(self, name, text):
        """The path of a new input file with this text."""
        path = self.directory(name + ".toml")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return path

    def run(self, name, source, settings, program=None, ranks=1, environment=None):
        """Rows of the history, whether the run was completed, and the seconds it took. A run that fails leaves the rows
        up to its failure. Plot files, where the settings ask for them, are in self.directory(name); a run that is there
        already (--reuse) is not repeated. `program`: another one than --meander. `environment`: more variables. With more than one rank each has one thread."""
        directory = self.directory(name)
        if os.path.isdir(directory):
            rows, done = history_rows(directory), is_complete(directory)
            self.require_settings(directory, source, settings)
            return rows, done, 0.0
        command = [program or self.options.meander, "run", source, "--output", directory,
                   "--threads", str(self.options.threads if ranks == 1 else 1)]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), *command]
        command += settings_words({"output.plot-every": 0, **settings})
        print(f"{name} ...", flush=True)
        started = time.monotonic()
        with open(directory + ".log", "w", encoding="utf-8") as log:
            code = subprocess.run(command, stdout=log, stderr=log, check=False, env={**AS_ROOT, **(environment or {})}).returncode
        seconds = time.monotonic() - started
        if code not in (0, 1) or not os.path.exists(directory + "/history.csv"):
            raise RunError(f"{name}: exit code {code}; see {directory}.log")
        return history_rows(directory), code == 0, seconds

    def require_settings(self, directory, source, settings):
        """Raises FileError unless the run in this directory is one of this input with these settings: it may be a shorter one of
        --quick, or of an input that has changed since. Runs that go on after the end of the input as shipped are taken."""
        kept = {key: value for key, value in settings.items() if not key.startswith(("offload.", "gpu-memory."))}
        check = subprocess.run([self.options.meander, "check", "--input-only", source, *settings_words(kept)], capture_output=True,
                               text=True, check=False)
        if check.returncode != 0:
            raise FileError(f"{directory}: its input is refused now ({check.stderr.splitlines()[0]})")
        wanted = {table: keys for table, keys in tomllib.loads(check.stdout).items() if table in OF_SOLUTION}
        with open(directory + "/input.toml", "rb") as stream:
            found = tomllib.load(stream)
        for key, value, other in differences(found, wanted):
            if key != "time.end" or key in settings or value < other:
                raise FileError(f"{directory}: is a run with {key} = {value}, but {other} is needed: it may be of --quick, or of another input")

    def plot(self, directory, options):
        """A picture by scripts/plot; without its packages there is none."""
        done = subprocess.run([os.path.join(ROOT, "scripts/plot"), directory, *options], check=False)
        if done.returncode != 0:
            print(f"  no picture of {directory}", flush=True)

    def claim(self, what, demanded, seen, holds, seconds):
        self.failures += not holds
        self.rows.append((what, demanded, seen, "yes" if holds else "NO", f"{seconds:.0f} s"))
        print(f"  {what}: {seen} ({demanded}): {'holds' if holds else 'DOES NOT HOLD'}", flush=True)
        self.write()

    def table(self, title, header, rows):
        """Figures without a claim, printed and written below the claims."""
        lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        print("\n".join([f"  {title}:"] + lines), flush=True)
        self.tables.append((title, lines))
        self.write()

    def write(self):
        with open(os.path.join(self.options.output, "verification.md"), "w", encoding="utf-8") as stream:
            version = subprocess.run([self.options.meander, "--version"], capture_output=True, text=True, check=True)
            stream.write(f"# Verification, {time.strftime('%Y-%m-%d')}\n\n{version.stdout.strip()}\n\n")
            stream.write("| claim | demanded | seen | holds | took |\n|---|---|---|---|---|\n")
            for row in self.rows:
                stream.write("| " + " | ".join(row) + " |\n")
            for title, lines in self.tables:
                stream.write(f"\n{title}:\n\n" + "\n".join(lines) + "\n")


def listed(numbers, form):
    return ", ".join(format(number, form) for number in numbers)


def at(rows, t):
    """The first row at or after that time; the last one if there is none."""
    return next((row for row in rows if has_reached(row["time"], t)), rows[-1])


def interpolated(rows, t, column):
    """Linear between the rows before and after that time; NaN outside of them."""
    for before, after in zip(rows, rows[1:]):
        if before["time"] <= t <= after["time"]:
            share = (t - before["time"]) / (after["time"] - before["time"])
            return (1 - share) * before[column] + share * after[column]
    return math.nan


def largest(values):
    """NaN if one of the values is NaN, which max() may leave out, or if there are none."""
    values = list(values)
    return max(values) if values and not any(map(math.isnan, values)) else math.nan


def ratios(above, below):
    """Quotients of two lists; NaN where the lower one is 0."""
    return [a / b if b else math.nan for a, b in zip(above, below)]


def orders(errors):
    """Orders of convergence of errors, each on a mesh twice as fine as that of the one before; NaN where there is none."""
    return [math.log2(fall) if fall > 0 else math.nan for fall in ratios(errors, errors[1:])]


def all_at_least(values, bound):
    """Whether there are values, and all of them numbers not below the bound."""
    return bool(values) and all(value >= bound for value in values)


def slope(points):
    """Change of y per x of points (x, y), by least squares."""
    middle_x, middle_y = (sum(values) / len(points) for values in zip(*points))
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / sum((x - middle_x) ** 2 for x, _ in points)


def rate(rows, column, first, last):
    """Exponent per unit time between two times, by least squares of the logarithm; NaN with less than three rows."""
    points = [(row["time"], math.log(row[column])) for row in rows if first <= row["time"] <= last and row[column] > 0]
    if len(points) < 3:
        return math.nan
    return slope(points)
