# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Labels of tests (tests/CMakeLists.txt): the table of CONTRIBUTING.md below `<!-- quick -->` names exactly the files with quick
tests, and tests that documentation names as `Suite.Test`, or tables in a column "test", exist."""
import csv
import glob
import os
import re
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The suite of a test, or the instantiation of a suite.
DECLARED = re.compile(r"\b(INSTANTIATE_TEST_SUITE_P|TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+),\s*(\w+)")
NAMED = re.compile(r"`([A-Z]\w+)\.([A-Z]\w+)(\.\.\.|\*)?`")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as stream:
        return stream.read()


def test_files(*endings):
    return sorted(os.path.relpath(path, SOURCE) for ending in endings
                  for path in glob.glob(f"{SOURCE}/tests/**/test_*{ending}", recursive=True))


def declared():
    """Files with what they declare: kind, suite or instantiation, test or suite."""
    for path in test_files(".cpp", ".cu"):
        for match in DECLARED.finditer(read(path)):
            yield path, *match.groups()


def quick_files():
    found = {path for path, _, first, second in declared() if re.search(r"Quick(Long)?$", first)}
    return found | {path for path in test_files(".py", ".sh") if re.search(r"^# Label: quick$", read(path), re.M)}


def named_tests(page):
    if not page.endswith(".csv"):
        return NAMED.findall(read(page))
    rows = csv.DictReader(read(page).splitlines())
    return [name for row in rows for test in row.get("test", "").split(", ") for name in NAMED.findall(f"`{test}`")]


class Labels(unittest.TestCase):
    def test_the_table_names_every_file_with_quick_tests(self):
        table = read("CONTRIBUTING.md").split("<!-- quick -->\n")[1].split("\n\n")[0]
        named = set(re.findall(r"`(tests/[\w/]+\.(?:cpp|py|sh))`", table))
        self.assertGreater(len(named), 20)
        self.assertEqual(sorted(named), sorted(quick_files()))

    def test_scripts_have_labels_that_are_read(self):
        for path in test_files(".py", ".sh"):
            for line in re.findall(r"^# *[Ll]abel.*$", read(path), re.M):
                self.assertRegex(line, r"^# Label: (quick|long)$", path)

    def test_named_tests_exist(self):
        known = {}
        for _, kind, suite, test in declared():
            if kind != "INSTANTIATE_TEST_SUITE_P":
                known.setdefault(suite, set()).add(test)
        count = 0
        pages = [page for ending in ("md", "csv") for page in glob.glob(f"docs/**/*.{ending}", root_dir=SOURCE, recursive=True)]
        for page in (*sorted(pages), "CONTRIBUTING.md", "README.md"):
            for suite, test, cut in named_tests(page):
                fits = [name for name in known.get(suite, ()) if name == test or cut and name.startswith(test)]
                self.assertTrue(fits, f"{page}: {suite}.{test}")
                count += 1
        self.assertGreater(count, 20)


if __name__ == "__main__":
    unittest.main()
