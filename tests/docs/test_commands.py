# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of the documentation, as they stand there: every shell block below `<!-- run -->` (`<!-- run: 2 -->`: its
last command ends with exit code 2), page by page, in a folder that looks like the tree after scripts/run, which builds only
the program meander. Runs are cut short: programs stop after a few steps."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["BUILD"]
BLOCK = re.compile(r"<!-- run(?:: (\d+))? -->\n```sh\n(.*?)```", re.S)
SAID_IF = re.compile(r"&& echo (.*)")
STEPS = 6
# In front of the programs: what they are told, and fewer steps. Restarts go on for a few more.
SHIM = """#!/bin/sh
case "$*" in *--threads*) threads= ;; *) threads="--threads 2" ;; esac
case "$1" in
  run) exec {program} "$@" $threads --set time.max-steps={steps} --set output.plot-every=0 ;;
  restart) exec {program} "$@" $threads --set time.max-steps={more} ;;
  *) exec {program} "$@" ;;
esac
"""
MPIRUN = """#!/bin/sh
exec {mpirun} --oversubscribe "$@"
"""
# In place of scripts/run, which would install and build.
RUN = """#!/bin/sh
exec {program} run "$@" --output "$(mktemp -u output/run-XXXXXX)"
"""
# In front of CMake: a build in the tree takes programs from a folder, in which the tests have built them already.
CMAKE = """#!/bin/sh
case "$1 $2" in
  "--preset release") ;;
  "--build --preset")
    [ "$3 $4" = "release --target" ] || exit 1
    shift 4
    for target in "$@"; do
      mkdir -p "build/release/apps/$target" && cp "{built}/$target" "build/release/apps/$target" || exit 1
    done ;;
  "--install build/release") shift 2; exec "{cmake}" --install "{build}" "$@" ;;
  *) exec "{cmake}" "$@" ;;
esac
"""
ONLY_BUILT = "meander"  # by scripts/run
PROGRAM = re.compile(r"build/(\w+)/(?:apps/([\w-]+)|tests/([\w-]+))")
BUILT = re.compile(r"cmake --build --preset (\w+)(?: --target ([\w -]+))?")
SUNDIALS = os.path.exists(os.path.join(BUILD, "apps/tutorial-sundials/tutorial-sundials"))
DRAWS = any(subprocess.run([python, "-c", "import h5py, numpy, matplotlib"], stderr=subprocess.DEVNULL,
                           check=False).returncode == 0 for python in ("/usr/bin/python3", "python3"))
PAGES = sorted(glob.glob(f"{SOURCE}/*.md") + glob.glob(f"{SOURCE}/docs/**/*.md", recursive=True))


def blocks(text):
    """Pairs of exit code and commands."""
    return [(int(code or 0), commands) for code, commands in BLOCK.findall(text)]


def not_built(text):
    """Yields the programs of a build folder that a page calls before it builds them: (preset, name)."""
    built = {("release", ONLY_BUILT)}
    for line in text.splitlines():
        for preset, targets in BUILT.findall(line):
            built |= {(preset, target) for target in targets.split() or ["NAME"]}
        for preset, *names in PROGRAM.findall(line):
            name = "".join(names)
            if not {(preset, name), (preset, "NAME")} & built:  # NAME: a complete build, or any target
                yield preset, name


class Commands(unittest.TestCase):
    def setUp(self):
        """A folder like the tree, with programs in its build folder that stop early."""
        scratch = tempfile.TemporaryDirectory(prefix="meander-docs-")
        self.addCleanup(scratch.cleanup)
        self.tree = os.path.join(scratch.name, "tree")
        self.programs = os.path.join(scratch.name, "programs")
        os.makedirs(os.path.join(self.tree, "output"))
        for name in ("apps", "docs", "inputs", "python", "scripts/convergence", "scripts/plot"):
            link = os.path.join(self.tree, name)
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.join(SOURCE, name), link)
        meander = os.path.join(self.tree, "build/release/apps/meander/meander")
        built = os.path.join(scratch.name, "built")
        for name in ("meander", "tutorial-advection", "tutorial-sundials"):
            self.write(meander if name == ONLY_BUILT else os.path.join(built, name),
                       SHIM.format(program=os.path.join(BUILD, "apps", name, name), steps=STEPS, more=2 * STEPS))
        os.makedirs(self.programs)
        os.symlink(meander, os.path.join(self.programs, "meander"))  # as the tutorial's first page puts it on the path
        self.write(os.path.join(self.programs, "cmake"),
                   CMAKE.format(built=built, build=BUILD, cmake=shutil.which(os.environ["CMAKE"])))
        self.path_file = os.path.join(scratch.name, "path")
        self.write(self.path_file, f"{self.programs}:{os.environ['PATH']}")
        self.home = os.path.join(scratch.name, "home")
        os.mkdir(self.home)
        self.write(os.path.join(self.tree, "scripts/run"), RUN.format(program=meander))
        self.write(os.path.join(self.programs, "mpirun"), MPIRUN.format(mpirun=shutil.which(os.environ["MPIEXEC"])))

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(path, 0o755)

    def do(self, code, commands):
        if "tutorial-sundials" in commands and not SUNDIALS:
            print("SKIPPED for want of SUNDIALS:", commands)
            return
        if re.search("scripts/(plot|convergence)", commands) and not DRAWS:
            print("SKIPPED for want of h5py, numpy or matplotlib:", commands)
            return
        with open(self.path_file, encoding="utf-8") as stream:
            path = stream.read()
        # scripts/convergence refuses runs that are cut short.
        environment = {**os.environ, "PATH": path, "HOME": self.home, "PYTHONDONTWRITEBYTECODE": "1",
                       "MEANDER": os.path.join(BUILD, "apps/meander/meander")}
        # A block may extend the path for the blocks below it.
        script = f"trap 'printf %s \"$PATH\" >{self.path_file}' EXIT\n{commands}"
        done = subprocess.run(["bash", "-euc", script], cwd=self.tree, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, f"{commands}\n{done.stdout}")
        # bash -e goes on behind a list like `diff a b && echo the same bits` that failed.
        for words in SAID_IF.findall(commands):
            self.assertIn(f"{words}\n", done.stdout, commands)

    def page(self, name):
        with open(os.path.join(SOURCE, name), encoding="utf-8") as stream:
            found = blocks(stream.read())
        for code, commands in found:
            self.do(code, commands)
        return len(found)

    def test_every_page(self):
        count = 0
        for path in PAGES:
            name = os.path.relpath(path, SOURCE)
            with self.subTest(name):
                self.setUp()  # a tree of its own
                count += self.page(name)
        self.assertGreater(count, 15)  # the marks are still read

    def test_pages_build_the_programs_that_they_call(self):
        for path in PAGES:
            with open(path, encoding="utf-8") as stream:
                self.assertEqual(list(not_built(stream.read())), [], path)

    def test_a_program_that_is_not_built_is_noticed(self):
        advection = "build/release/apps/tutorial-advection"
        call = f"export PATH=$PWD/{advection}:$PATH\ntutorial-advection --version\n"
        with self.assertRaisesRegex(AssertionError, "127 != 0"):
            self.do(0, call)
        build = "cmake --build --preset release --target "
        with self.assertRaises(AssertionError):
            self.do(0, build + "tutorial-advektion")
        self.do(0, build + "tutorial-advection\n" + call)
        self.do(0, "tutorial-advection --version")
        for text, missing in ((call, [("release", "tutorial-advection")]),
                              (build + "meander\n" + call, [("release", "tutorial-advection")]),
                              (build + "tutorial-advection\n" + call, []), (build.replace(" --target ", "\n") + call, []),
                              ("build/openmp/apps/meander/meander", [("openmp", "meander")]), ("build/release/apps/meander/meander", []),
                              ("build/release/tests/meander-test-io", [("release", "meander-test-io")])):
            self.assertEqual(list(not_built(text)), missing, text)

    def test_an_installation_needs_no_more_than_scripts_run_builds(self):
        with open(os.path.join(SOURCE, "scripts/run"), encoding="utf-8") as stream:
            self.assertIn(f"cmake --build --preset release --target {ONLY_BUILT};", stream.read())
        if not os.path.exists(os.path.join(BUILD, "build.ninja")):
            self.skipTest("only Ninja says what a target is made from")
        done = subprocess.run(["ninja", "-C", BUILD, "-t", "inputs", f"apps/{ONLY_BUILT}/{ONLY_BUILT}"], capture_output=True, text=True,
                              check=True)
        built = {*done.stdout.split(), f"apps/{ONLY_BUILT}/{ONLY_BUILT}"}
        installed = set()
        for path in glob.glob(f"{BUILD}/**/cmake_install.cmake", recursive=True):
            with open(path, encoding="utf-8") as stream:
                installed |= {os.path.relpath(file, BUILD) for file in
                              re.findall(r'FILES "([^"]+\.(?:a|so))"|TYPE EXECUTABLE FILES "([^"]+)"', stream.read()) for file in file if file}
        self.assertGreater(len(installed), 10)
        self.assertEqual(installed - built, set())

    def test_a_command_that_fails_is_noticed(self):
        text = "<!-- run -->\n```sh\nmeander check inputs/sod.toml --set a.b=1\n```\n"
        (code, commands), = blocks(text)
        with self.assertRaises(AssertionError):
            self.do(code, commands)

    def test_a_comparison_that_fails_in_the_middle_is_noticed(self):
        with self.assertRaises(AssertionError):
            self.do(0, "diff inputs/sod.toml inputs/vortex.toml >/dev/null && echo the same bits\ntrue\n")
        self.do(0, "diff inputs/sod.toml inputs/sod.toml && echo the same bits\ntrue\n")


if __name__ == "__main__":
    unittest.main()
