# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Errors with a text for the user."""
import difflib
import importlib
import os
import stat

# What numpy, h5py and Python's own containers raise for content that has another form than expected.
DEFECTS = (KeyError, ValueError, IndexError, TypeError, AttributeError, OverflowError, RuntimeError, OSError, MemoryError)
MOST_TEXT_FILE = 1 << 30  # bytes


class FileError(Exception):
    """A file that Meander has not written, or without the requested data. The text is for the user."""


def check_name(path, kind, name, known, hint=""):
    """Raises FileError unless `name` is among `known`. The text gives the nearest known name."""
    if name in known:
        return
    near = difflib.get_close_matches(name, known, 1)
    meant = f"did you mean '{near[0]}'? " if near else ""
    raise FileError(f"{path}: has no {kind} '{name}'; {meant}{kind}s are: {', '.join(known)}{hint}")


def open_text(path):
    """Opens a text file for reading. Raises FileError."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise FileError(f"{path}: is no regular file")
        if status.st_size > MOST_TEXT_FILE:
            raise FileError(f"{path}: is larger than {MOST_TEXT_FILE} bytes")
        return open(path, encoding="utf-8", newline="")
    except ValueError as error:  # a zero byte in the path
        raise FileError(f"{path!r}: {error}") from error
    except OSError as error:
        raise FileError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def needs(module, what):
    """Imports an optional module. Raises ImportError with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs the Python package {module}: pip install {module}") from error
