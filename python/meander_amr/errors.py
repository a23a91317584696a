# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Errors with a text for the user, and the words for what other libraries raise."""
import contextlib
import csv
import difflib
import importlib
import json
import os
import re
import stat
import tomllib

# What numpy, h5py, matplotlib and Python's own containers raise for content that has another form than expected.
DEFECTS = (KeyError, ValueError, IndexError, TypeError, AttributeError, ArithmeticError, RuntimeError, OSError, MemoryError,
           csv.Error)
MOST_TEXT_FILE = 1 << 30  # bytes
PACKAGES = {"vtkmodules": "vtk"}  # names for pip, where they are not those of the modules


class FileError(Exception):
    """A file that Meander has not written, without the requested data, or that cannot be written. The text is for the user."""


class OptionError(ValueError):
    """An argument that does not fit the file. The text is for the user."""


class Defect(ValueError):
    """A defect of the content of a file, in words for the user but without the name of the file."""


def words_of(error):
    """Returns the defect that an exception of DEFECTS stands for, in words for the user."""
    if isinstance(error, (Defect, OptionError)):
        return str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is no text"
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: is no JSON"
    if isinstance(error, tomllib.TOMLDecodeError):
        return "its input is no TOML"
    if isinstance(error, MemoryError):
        return "needs more memory than there is"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    if isinstance(error, OSError):  # h5py, on an object of a file
        return "is cut short or damaged"
    if isinstance(error, KeyError):
        # A dict gives the key, h5py a sentence with the name in quotes.
        name = re.search(r"'([^' ]+)'", str(error))
        return f"has no '{name[1]}'" if name else "an object in it is damaged"
    return "has content of another form than Meander writes"


@contextlib.contextmanager
def reading(path, verdict):
    """Turns exceptions of DEFECTS into a FileError with the path, the verdict and the defect."""
    try:
        yield
    except DEFECTS as error:
        raise FileError(f"{path}: {verdict} ({words_of(error)})") from error


def check_name(path, kind, name, known, hint=""):
    """Raises FileError unless `name` is among `known`. The text gives the nearest known name."""
    if name in known:
        return
    near = difflib.get_close_matches(name, known, 1)
    meant = f"did you mean '{near[0]}'? " if near else ""
    raise FileError(f"{path}: has no {kind} '{name}'; {meant}{kind}s are: {', '.join(known)}{hint}")


def require_regular(path):
    """Raises FileError unless the path is a regular file that can be read: a pipe would wait, a device may have no end."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode):
            with open(path, "rb"):
                return
    except FileNotFoundError as error:
        raise FileError(f"{path}: no such file") from error
    except ValueError as error:
        raise FileError(f"{path!r}: is no name of a file") from error
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({words_of(error)})") from error
    raise FileError(f"{path}: is {'a directory' if stat.S_ISDIR(mode) else 'no regular file'}")


def read_text(path):
    """Returns the text of a file, with its line ends as they are. Raises FileError."""
    require_regular(path)
    if os.stat(path).st_size > MOST_TEXT_FILE:
        raise FileError(f"{path}: is larger than {MOST_TEXT_FILE} bytes")
    with reading(path, "is no text file"), open(path, "rb") as stream:
        return stream.read().decode()


def needs(module, what):
    """Imports an optional module. Raises ImportError with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        root = module.partition(".")[0]
        package = PACKAGES.get(root, root)
        raise ImportError(f"{what} needs the Python package {package}: pip install {package}") from error
