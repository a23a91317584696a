# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Rows of numbers in text files. A wrong number is reported with its line and column."""
import csv
import io

import numpy as np

from meander_amr.errors import Defect, read_text


def read_csv(path):
    """Returns the titles of the columns, and the rows as (line, cells). Raises FileError, Defect.

    The last row of a running or killed program may be incomplete, and is left out.
    """
    text = read_text(path)
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        rows = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise Defect(f"line {reader.line_num}: cannot be divided into columns") from error
    if not rows:
        raise Defect("is empty")
    titles = rows[0][1]
    for number, title in enumerate(titles, 1):
        if not title.isprintable():
            raise Defect(f"line 1: the title of column {number} has a line break or another control character")
    # Without a line end, the last cell may be cut to another number.
    if len(rows) > 1 and (len(rows[-1][1]) != len(titles) or not text.endswith("\n")):
        rows.pop()
    for line, cells in rows[1:]:
        if len(cells) != len(titles):
            raise Defect(f"line {line}: has {len(cells)} columns, the first line {len(titles)}")
    return titles, rows[1:]


def numbers(rows, titles, kind=float):
    """Returns rows (line, cells) of numbers as an array [rows, columns]. Raises Defect."""
    try:
        return np.array([cells for _, cells in rows], kind).reshape(len(rows), len(titles))
    except (ValueError, OverflowError):
        pass
    return np.array([[number(cell, line, title, kind) for cell, title in zip(cells, titles)] for line, cells in rows], kind)


def number(cell, line, title, kind=float):
    """Returns the number of one cell. Raises Defect with its line and column."""
    try:
        return kind(cell)
    except ValueError as error:
        what = "whole number" if kind is int else "number"
        raise Defect(f"line {line}, column {title}: {cell[:40]!r} is no {what}") from error
