# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""The version of the program is that of the Python package, of the files for those who cite, and of README.md."""
import json
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        return stream.read()


class Versions(unittest.TestCase):
    def test_are_those_of_the_program(self):
        version = re.search(r"project\(meander VERSION ([0-9.]+)", text_of("CMakeLists.txt")).group(1)
        for path, pattern in (("python/pyproject.toml", r'^version = "(.*)"$'), ("python/meander_amr/__init__.py", r'^__version__ = "(.*)"$'),
                              ("CITATION.cff", r"^version: (.*)$"), ("packaging/conda/meta.yaml", r'^  version: "(.*)"$'),
                              ("README.md", r"version ([0-9.]+) \(20")):
            found = re.search(pattern, text_of(path), re.MULTILINE)
            self.assertIsNotNone(found, path)
            self.assertEqual(found.group(1), version, path)
        self.assertEqual(json.loads(text_of("codemeta.json"))["version"], version)


if __name__ == "__main__":
    unittest.main()
