# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The table [boundary] of an input."""


def kind_of_boundary(table, axis, side):
    """Returns the kind of the boundary of an axis ("x", "y", "z") on a side ("lower", "upper")."""
    for name in (f"{axis}-{side}", axis, "all"):
        if name in table:
            return table[name].get("kind") if isinstance(table[name], dict) else table[name]
    return "periodic"
