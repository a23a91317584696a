# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Files and folders that docs/house.md, step.md and invariants.md name in backticks exist: from the root
(`src/mesh/spacetree.cpp`) or from src, with a room first (`mesh/spacetree.cpp`). `src/physics/{euler,ccz4}` names two folders; a
pattern such as `tests/*/mpi` must fit something. The walks of step.md are as short as they are meant to stay."""
import glob
import os
import re
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "extras", "apps", "tests", "scripts", "docs", "inputs", "cmake", "python")
ROOMS = ("base", "gpu", "parallel", "solvers", "offload", "mesh", "io", "tasks", "simulation", "physics")
PAGES = ("house.md", "step.md", "invariants.md")
# Files from main() to the kernel, by the heading of the walk.
MOST_FILES = {"A global Euler step, file by file": 15, "A local CCZ4 step on a device, file by file": 20}
PATH = re.compile(r"`((?:%s)/[\w./*{},-]*)(?::\d+)?`" % "|".join((*FOLDERS, *ROOMS)))


def spelled_out(path):
    """Every path that braces stand for."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [one for choice in match.group(1).split(",")
            for one in spelled_out(path[:match.start()] + choice.strip() + path[match.end():])]


def missing_paths(text, root):
    named = [path for match in PATH.finditer(text) for path in spelled_out(match.group(1))]
    return [path for path in named
            if not glob.glob(os.path.join(root, "src" if path.split("/")[0] in ROOMS else "", path))]


def read(page):
    with open(os.path.join(SOURCE, "docs", page), encoding="utf-8") as stream:
        return stream.read()


def walk(text, heading):
    """The first file of each numbered line below a heading."""
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [PATH.search(line).group(1) for line in re.findall(r"(?m)^\d+\. .*$", section)]


class House(unittest.TestCase):
    def test_paths_exist(self):
        for page in PAGES:
            self.assertEqual(missing_paths(read(page), SOURCE), [], page)

    def test_walks_are_short(self):
        for heading, most in MOST_FILES.items():
            files = walk(read("step.md"), heading)
            self.assertGreater(len(files), 10, heading)
            self.assertLessEqual(len(files), most, heading)
            self.assertEqual(len(files), len(set(files)), heading)

    def test_missing_ones_are_found(self):
        with tempfile.TemporaryDirectory(prefix="meander-house-") as root:
            for path in ("src/mesh/tree.hpp", "src/physics/euler/terms.hpp", "tests/io/test_a.cpp"):
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8"):
                    pass
            good = "`src/mesh/tree.hpp` `src/mesh/` `mesh/tree.hpp:12` `tests/*/test_*.cpp` `src/physics/{euler}/terms.hpp` `a/b`"
            self.assertEqual(missing_paths(good, root), [])
            self.assertEqual(
                missing_paths("`src/none.hpp`, `mesh/none.hpp`\n`src/physics/{euler,ccz4}/`, `tests/*.md`, scripts/none", root),
                ["src/none.hpp", "mesh/none.hpp", "src/physics/ccz4/", "tests/*.md"])


if __name__ == "__main__":
    unittest.main()
