# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the commands of the package have in common: one message for the user, exit codes, and the place of a picture."""
import os
import stat
import sys
import warnings

from meander_amr.errors import DEFECTS, FileError, OptionError, words_of

PICTURES = (".eps", ".jpeg", ".jpg", ".pdf", ".png", ".ps", ".svg", ".svgz", ".tif", ".tiff", ".webp")


def run(program, path, work):
    """Calls work() and returns the exit code: 0, 1 without a Python package, 2 for an invalid file or option. The message names
    the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numpy and matplotlib, on values that a forged file may hold
            work()
    except ImportError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    except (FileError, OptionError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except DEFECTS as error:
        print(f"{program}: {path}: {words_of(error)}", file=sys.stderr)
        return 2
    return 0


def tell(text):
    """Prints a result. Raises FileError if standard output accepts nothing."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Python would try again, and complain, when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise FileError(f"standard output: cannot be written ({words_of(error)})") from error


def place_of_picture(path):
    """Returns the path of a picture that can be written, with .png if it has no ending. Raises FileError."""
    ending = os.path.splitext(path)[1].lower()
    path = path if ending else path + ".png"
    if ending and ending not in PICTURES:
        raise FileError(f"{path}: is no name of a picture: its ending must be one of {', '.join(PICTURES)}")
    directory = os.path.dirname(path) or "."
    if not os.path.isdir(directory):
        raise FileError(f"{path}: cannot be written ({directory} is no directory)")
    try:
        is_new = not os.path.exists(path)
        if not is_new and not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would wait
            raise FileError(f"{path}: cannot be written (is no regular file)")
        with open(path, "ab"):
            pass
        if is_new:
            os.remove(path)
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({words_of(error)})") from error
    return path


def save(figure, path, dpi):
    """Writes a picture to a place_of_picture() and closes the figure. Raises FileError."""
    from matplotlib import pyplot  # slow import, not required for --help
    try:
        figure.savefig(path, dpi=dpi)
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({words_of(error)})") from error
    finally:
        pyplot.close(figure)
