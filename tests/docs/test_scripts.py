# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Scripts that start programs of the system: these are replaced by notes of their arguments."""
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOTE = """#!/bin/sh
echo "$(basename "$0")" "$@" >>"{notes}"
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        for name in ("programs", "scripts", "elsewhere"):
            os.mkdir(self.path(name))

    def path(self, name):
        return os.path.join(self.scratch, name)

    def replace(self, *names):
        for name in names:
            with open(self.path(name), "w", encoding="utf-8") as stream:
                stream.write(NOTE.format(notes=self.path("notes")))
            os.chmod(self.path(name), 0o755)

    def run_(self, *command, cwd="."):
        environment = {**os.environ, "PATH": f"{self.path('programs')}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}
        return subprocess.run(command, cwd=self.path(cwd), env=environment, capture_output=True, text=True, check=False)

    def test_parts_within_minutes_run_from_any_directory(self):
        shutil.copy(os.path.join(SOURCE, "scripts/test"), self.path("scripts/test"))
        self.replace("scripts/install-dependencies", "programs/cmake", "programs/ctest")
        done = self.run_("../scripts/test", "--within", "5", "tsan", cwd="elsewhere")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("part tsan: ", done.stdout)
        with open(self.path("notes"), encoding="utf-8") as stream:
            self.assertIn("ctest --preset tsan", stream.read())

    def test_a_job_continues_from_the_last_of_a_million_steps(self):
        self.replace("programs/srun", "programs/squeue", "programs/scontrol")
        os.makedirs(self.path("output/x"))
        for step in ("000500", "999000", "1003000"):
            with open(self.path(f"output/x/chk_{step}.hdf5"), "wb"):
                pass
        done = self.run_("bash", os.path.join(SOURCE, "docs/slurm-job.sh"), "x.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("notes"), encoding="utf-8") as stream:
            self.assertIn("meander restart output/x/chk_1003000.hdf5 ", stream.read())


if __name__ == "__main__":
    unittest.main()
