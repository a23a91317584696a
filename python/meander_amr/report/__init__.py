# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""A report on a run: one HTML file with pictures, which needs no network.

    meander report output/sod-001             # output/sod-001/report.html
    meander report output/sod-001 --follow    # renewed while the run goes on
"""
import argparse
import os
import sys
import time

from meander_amr import console
from meander_amr.errors import FileError, needs
from meander_amr.report.lock import is_running

NAME = "report.html"


def write(directory, output, refresh=0):
    """Writes the report of a run's directory. refresh: seconds after which a browser reads it again; 0: never. Raises FileError."""
    from meander_amr.report import page  # slow imports, not required for --help
    text = page.render(directory, refresh)
    try:
        with open(output + ".part", "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(output + ".part", output)  # a browser never reads half of it
    except OSError as error:
        raise FileError(f"{output}: cannot be written ({os.strerror(error.errno).lower()})") from error


def follow(directory, output, seconds):
    """Renews the report until no run holds the directory."""
    while is_running(directory):
        write(directory, output, seconds)
        console.tell(f"{output}: renewed at {time.strftime('%H:%M:%S')}")
        until = time.monotonic() + seconds
        while is_running(directory) and time.monotonic() < until:
            time.sleep(min(1, seconds))
    write(directory, output)


def interval(text):
    """Seconds, for argparse."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 1 <= seconds <= 86400:
        raise argparse.ArgumentTypeError(f"must be a number of seconds from 1 to 86400, but is {text}")
    return seconds


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="meander report", description="Writes a report on a run: one HTML file with pictures.")
    parser.add_argument("directory", help="the run's directory")
    parser.add_argument("--output", help=f"path of the report. Default: {NAME} in that directory")
    parser.add_argument("--follow", action="store_true", help="renew it while the run goes on")
    parser.add_argument("--every", type=interval, default=30.0, metavar="SECONDS", help="--follow: time between renewals. Default: 30")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    os.environ.setdefault("HDF5_PLUGIN_PRELOAD", "::")  # HDF5 loads no libraries for filters

    def work():
        import matplotlib
        matplotlib.use("Agg")
        needs("jinja2", "a report")
        if not os.path.isdir(options.directory):
            raise FileError(f"{options.directory}: is no directory of a run")
        output = options.output or os.path.join(options.directory, NAME)
        try:
            if options.follow:
                follow(options.directory, output, options.every)
            else:
                write(options.directory, output)
        except KeyboardInterrupt:
            sys.exit(130)
        console.tell(output)
    return console.run("meander report", options.directory, work)
