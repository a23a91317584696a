# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fills the list of all tests into verification.md when the site is built, from the tests themselves: what each file
says of itself, and its cases."""
import glob
import os
import re

MARK = "<!-- list of all tests -->"


def introduction(text):
    """The first comment or docstring after the licence."""
    comments = re.search(r"(?m)^// (?!SPDX).*(?:\n//.*)*", text)
    docstring = re.search(r'"""(.*?)"""', text, re.S)
    found = docstring.group(1) if docstring else comments.group(0).replace("//", "") if comments else ""
    return " ".join(found.split())


def cases(text):
    found = re.findall(r"(?m)^(?:TYPED_)?TEST(?:_P|_F)?\(\s*(\w+),\s*(\w+)\)", text)
    return [".".join(case) for case in found] + re.findall(r"(?m)^    def (test_\w+)", text)


def list_of_tests(root):
    lines, count = [], 0
    for folder in sorted({os.path.dirname(path) for path in glob.glob(f"{root}/tests/**/test_*", recursive=True)}):
        rows = []
        for path in sorted(glob.glob(f"{folder}/test_*")):
            if not path.endswith((".cpp", ".cu", ".py")):
                continue
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
            names = cases(text)
            count += len(names)
            words = introduction(text).replace("|", "\\|")
            rows.append(f"| `{os.path.basename(path)}` | {words} | {', '.join(f'`{name}`' for name in names)} |")
        if rows:
            lines += ["", f"### {os.path.relpath(folder, root)}", "", "| file | what it checks | cases |", "|---|---|---|", *rows]
    return f"{count} cases, many of them for several dimensions, patch sizes, ranks, threads or devices.\n" + "\n".join(lines)


def on_page_markdown(markdown, page, config, files):
    return markdown.replace(MARK, list_of_tests(os.path.dirname(config.config_file_path)))
