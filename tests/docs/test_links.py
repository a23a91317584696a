# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""Links in README, CONTRIBUTING, CHANGELOG and docs lead to files and headings that exist, and paths of the tree that
the text names in code exist too. Links to other sites are not followed. Tables in CSV files are linked from a page."""
import csv
import glob
import os
import re
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("apps", "cmake", "docs", "extras", "inputs", "packaging", "python", "scripts", "src", "tests")


def pages():
    return sorted(glob.glob(f"{SOURCE}/*.md") + glob.glob(f"{SOURCE}/docs/**/*.md", recursive=True))


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def without_blocks(text):
    return re.sub(r"(?ms)^```.*?^```", "", text)


def anchor(heading):
    """As GitHub and MkDocs make them."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", text))


def anchors(path):
    return {anchor(heading) for heading in re.findall(r"(?m)^#+ (.*)$", without_blocks(read(path)))}


def dead_links(path, text):
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "``", without_blocks(text))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        goal = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.exists(goal) or (heading and heading not in anchors(goal)):
            found.append(target)
    return found


def missing_paths(text):
    """Of code such as `src/mesh/halo_plan.hpp`; patterns and parts of others are left alone."""
    named = re.findall(r"`((?:%s)/[\w./-]+)`" % "|".join(FOLDERS), without_blocks(text))
    return [name for name in named if not os.path.exists(os.path.join(SOURCE, name))]


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        for page in pages():
            self.assertEqual(dead_links(page, read(page)), [], os.path.relpath(page, SOURCE))

    def test_paths_exist(self):
        for page in pages():
            if not page.endswith("CHANGELOG.md"):
                self.assertEqual(missing_paths(read(page)), [], os.path.relpath(page, SOURCE))

    def test_dead_ones_are_found(self):
        page = os.path.join(SOURCE, "README.md")
        for text in ("[x](docs/none.md)", "[x](docs/house.md#no-such-heading)", "[x](#none)"):
            self.assertEqual(len(dead_links(page, text)), 1, text)
        self.assertEqual(dead_links(page, "[x](docs/invariants.md#tests), [y](https://example.org/none)"), [])
        self.assertEqual(missing_paths("`src/none.hpp` `src/mesh`"), ["src/none.hpp"])

    def test_tables_are_whole_and_linked(self):
        linked = {os.path.normpath(os.path.join(os.path.dirname(page), target))
                  for page in pages() for target in re.findall(r"\]\(([\w/.-]+\.csv)\)", read(page))}
        tables = glob.glob(f"{SOURCE}/docs/**/*.csv", recursive=True)
        self.assertEqual(sorted(set(tables) - linked), [])
        for table in tables:
            self.assertEqual(len({len(row) for row in csv.reader(read(table).splitlines())}), 1, table)

    def test_every_page_is_on_the_site(self):
        menu = read(os.path.join(SOURCE, "mkdocs.yml"))
        for page in glob.glob(f"{SOURCE}/docs/**/*.md", recursive=True):
            self.assertIn(f"- {os.path.relpath(page, SOURCE + '/docs')}\n", menu, "mkdocs.yml, nav")


if __name__ == "__main__":
    unittest.main()
