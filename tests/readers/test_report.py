# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""`meander report`: what is in the page of a run that is finished, that goes on, or that was killed; and the page in a
browser, where one is installed."""
import base64
import glob
import html
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import types
import unittest
from unittest import mock

import numpy as np
from meander_amr.report import facts, lock

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MOST_BYTES = 5e6
ENVIRONMENT = {**os.environ, "MPLBACKEND": "Agg"}
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Name: input, settings.
RUNS = {
    "gas": ("riemann-2d", ["mesh.patch-size=6", "mesh.min-level=1", "mesh.max-level=3", "time.max-steps=20", "output.history-steps=1",
                           "output.slice=[{name = \"cut\", normal = \"y\", offset = 0.5, every-steps = 5}]",
                           "output.box=[{name = \"all\", resolution = 40}]", "output.probe=[{name = \"p\", at = [0.78, 0.78]}]"]),
    "wave": ("gauge-wave", ["time.max-steps=3"]),
    "collapse": ("jeans", ["time.max-steps=6", "output.history-steps=1"]),
    "uniform": ("uniform", ["time.max-steps=2"]),
}
# Sets the title of the page to what is wrong with it.
PROBE = """<script>
window.addEventListener("load", () => {
  const faults = [];
  for (const image of document.images) if (!image.naturalWidth) faults.push("no picture: " + image.alt);
  if (document.documentElement.scrollWidth > window.innerWidth) faults.push("wider than the window: " + document.documentElement.scrollWidth);
  for (const element of document.querySelectorAll("p, li, td, th, figcaption, h1, h2, h3, pre")) {
    if (parseFloat(getComputedStyle(element).fontSize) < 13) faults.push("small text: " + element.textContent);
    const box = element.getBoundingClientRect();
    if (box.width === 0 && element.offsetParent) faults.push("no width: " + element.textContent);
  }
  for (const figure of document.querySelectorAll("figure img"))
    if (figure.getBoundingClientRect().width < 250) faults.push("small picture: " + figure.alt);
  document.title = "PROBED " + JSON.stringify({images: document.images.length, faults: faults});
});
</script>"""


class Report(unittest.TestCase):
    def assertIn(self, member, container, msg=None):  # pages are long
        self.assertTrue(member in container, msg or f"{member!r} is missing")

    def assertNotIn(self, member, container, msg=None):
        self.assertFalse(member in container, msg or f"{member!r} is there")

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = scratch.name
        cls.pages = {}
        for name, (source, settings) in RUNS.items():
            pairs = [word for pair in settings for word in ("--set", pair)]
            subprocess.run([os.environ["MEANDER"], "run", os.path.join(SOURCE, "inputs", source + ".toml"), "--threads", "1",
                            "--output", os.path.join(cls.scratch, name), *pairs], check=True, stderr=subprocess.DEVNULL)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def report(self, *arguments, code=0):
        done = subprocess.run([os.environ["MEANDER"], "report", *arguments], cwd=self.scratch, env=ENVIRONMENT, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.strip() if code == 0 else done.stderr.strip()

    def page(self, name):
        """The text of a report; those of RUNS are made once."""
        if name not in self.pages:
            self.assertEqual(self.report(name), f"{name}/report.html")
            with open(self.path(f"{name}/report.html"), encoding="utf-8") as stream:
                self.pages[name] = stream.read()
        return self.pages[name]

    def copy(self, name, to):
        shutil.copytree(self.path(name), self.path(to))
        self.addCleanup(shutil.rmtree, self.path(to))

    def lock(self, name, **changes):
        """Writes the lock that this process would write."""
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as stream:
            boot = stream.read().strip()
        with open("/proc/self/stat", encoding="utf-8") as stream:
            start = stream.read().rpartition(")")[2].split()[19]
        record = {"host": socket.gethostname(), "boot": boot, "process": os.getpid(), "start": start, "flock": 1, **changes}
        with open(self.path(f"{name}/meander.lock"), "w", encoding="utf-8") as stream:
            stream.write("A run of meander writes to this directory.\n" +
                         "".join(f"{key} {value}\n" for key, value in record.items() if value is not None))

    def change_summary(self, name, **changes):
        with open(self.path(f"{name}/summary.json"), encoding="utf-8") as stream:
            summary = json.load(stream)
        with open(self.path(f"{name}/summary.json"), "w", encoding="utf-8") as stream:
            json.dump({**summary, **changes}, stream)

    def captions(self, text):
        return [html.unescape(caption) for caption in re.findall("<figcaption>(.*?)</figcaption>", text)]

    def test_pages_need_no_network(self):
        for name in RUNS:
            text = self.page(name)
            self.assertLess(len(text), MOST_BYTES)
            self.assertNotRegex(text, r'(src|href)="(?!data:)')
            self.assertNotIn("http://", text)
            self.assertNotIn("https://", text)
            pictures = re.findall('src="data:image/png;base64,([^"]*)"', text)
            self.assertGreater(len(pictures), 2)
            for picture in pictures:
                self.assertTrue(base64.b64decode(picture).startswith(b"\x89PNG"))
            self.assertEqual(len(pictures), len(self.captions(text)))
            # No section without content.
            for section in re.split("<h2>", text)[1:]:
                self.assertRegex(section, "<figure>|<li>|<td>|<pre>")

    def test_gas_at_a_glance(self):
        text = self.page("gas")
        self.assertIn("<h1>riemann-2d, 2D", text)
        self.assertIn(">finished<", text)
        self.assertRegex(text, r"The largest density stays at [\d.]+ at \(")
        self.assertIn("Total density changed by", text)
        self.assertIn("ns of processor time per volume and step", text)
        self.assertRegex(text, r"\d+ % of a step is \w+")
        with open(self.path("gas/history.csv"), encoding="utf-8") as stream:
            last = stream.read().splitlines()[-1].split(",")
        self.assertIn(f"step {last[0]}, ", text)
        captions = " | ".join(self.captions(text))
        for words in ("density, first state", "density, last state", "levels of the mesh", "slice cut: density", "box all: density",
                      "probe p: density", "change of the totals", "dt", "parts of a step"):
            self.assertIn(words, captions)

    def test_changed_keys_are_marked(self):
        text = self.page("gas")
        marked = [html.unescape(line) for line in re.findall('<span class="changed">(.*?)</span>', text)]
        self.assertIn("patch-size = 6", marked)
        self.assertIn("max-steps = 20", marked)
        self.assertIn("[[refinement]]", marked)
        for line in ("imbalance = 1.1", 'memory = "pooled"', "history-steps = 1"):
            self.assertNotIn(line, marked)

    def test_waves_and_collapse(self):
        text = self.page("wave")
        self.assertIn("against the exact solution", text)
        self.assertIn("The unknowns are not conserved", text)
        self.assertIn("Gravity changes momentum and energy", self.page("collapse"))

    def test_runs_without_an_end(self):
        self.copy("gas", "killed")
        os.remove(self.path("killed/summary.json"))
        text = self.page("killed")
        self.assertIn(">killed or failed<", text)
        self.assertIn("The summary is written at the end of the run.", text)
        self.copy("gas", "empty")
        for name in os.listdir(self.path("empty")):
            if name != "input.toml":
                os.remove(self.path("empty/" + name))
        self.assertIn("nothing is written yet", self.page("empty"))

    def test_a_lock_is_that_of_a_run_while_its_process_lives(self):
        os.mkdir(self.path("locked"))
        self.addCleanup(shutil.rmtree, self.path("locked"))
        self.assertFalse(lock.is_running(self.path("locked")))
        ended = subprocess.Popen(["true"])
        ended.wait()
        zombie = subprocess.Popen(["true"])
        self.addCleanup(zombie.wait)
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
        for changes, expected in (({}, True), ({"start": 0}, True), ({"start": 1}, False), ({"process": ended.pid}, False),
                                  ({"process": zombie.pid, "start": 0}, False), ({"boot": "another"}, False),
                                  ({"host": "another", "process": ended.pid}, True), ({"process": "x"}, True),
                                  ({"boot": None}, True)):
            self.lock("locked", **changes)
            self.assertEqual(lock.is_running(self.path("locked")), expected, changes)
        for text in (b"", b"\xff", b"host"):
            with open(self.path("locked/meander.lock"), "wb") as stream:
                stream.write(text)
            self.assertTrue(lock.is_running(self.path("locked")), text)

    def test_a_killed_run_is_not_followed(self):
        self.copy("gas", "dead")
        os.remove(self.path("dead/summary.json"))
        self.lock("dead", start=1)
        self.assertEqual(self.report("dead", "--follow"), "dead/report.html")
        with open(self.path("dead/report.html"), encoding="utf-8") as stream:
            self.assertIn(">killed or failed<", stream.read())

    def test_the_summary_of_the_part_before_a_restart_is_not_used(self):
        self.copy("gas", "resumed")
        self.change_summary("resumed", warnings=["of the first part"])
        directory = self.path("resumed")
        for is_running, word, step in ((False, "finished", 20), (True, "running", 20)):
            run = facts.read_run(directory, is_running)
            self.assertEqual((facts.state(run)[0], bool(run.summary)), (word, not is_running))
            self.assertIn(f"step {step}, ", facts.state(run)[1])
        with open(self.path("resumed/history.csv"), "r+", encoding="utf-8") as stream:
            last = stream.read().splitlines()[-1].split(",")
            stream.write(",".join(["21", str(1.01 * float(last[1])), *last[2:]]) + "\n")
        run = facts.read_run(directory, False)
        self.assertEqual(facts.state(run)[0], "killed or failed")
        self.assertIn("step 21, ", facts.state(run)[1])
        self.assertEqual(run.summary, {})
        self.assertEqual(facts.where_the_time_went(run), ["The summary is written at the end of the run."])

    def test_words(self):
        self.copy("gas", "words")
        self.assertIn(" on 1 rank with 1 thread.", facts.where_the_time_went(facts.read_run(self.path("words"), False))[0])
        self.change_summary("words", ranks=2, threads=8)
        self.assertIn(" on 2 ranks with 8 threads in all.", facts.where_the_time_went(facts.read_run(self.path("words"), False))[0])
        os.remove(self.path("words/history.csv"))
        self.assertEqual(facts.what_was_conserved(facts.read_run(self.path("words"), False)), ["There is no history."])

    def test_what_is_left_out_is_told(self):
        self.copy("gas", "many")
        for n in range(3):
            shutil.copy(self.path("many/probe_p.csv"), self.path(f"many/probe_q{n}.csv"))
        with open(self.path("many/horizon_1.csv"), "w", encoding="utf-8") as stream:
            stream.write("step,time,status,irreducible_mass\n0,0,under-resolved,2\n1,1,found,1\n2,2,found,1.001\n"
                         "3,3,under-resolved,3\n")
        text = self.page("many")
        self.assertIn("Horizon 1: irreducible 1 at t = 1, 1.001 at t = 2.", text)
        left_out = text[text.index("<h2>Left out</h2>"):]
        captions = self.captions(text)
        for n in range(3):
            with_picture = [caption for caption in captions if caption.startswith(f"probe q{n}: ")]
            without = re.findall(f"<li>(probe q{n}: .*?): is beyond the 12 pictures of its section</li>", left_out)
            self.assertEqual(len(with_picture) + len(without), 4)
        self.assertGreater(len(without), 0)
        self.assertNotIn("<h2>Left out</h2>", self.page("gas"))

    def test_files_that_are_missing_or_cut_are_left_out(self):
        self.copy("gas", "cut")
        plots = sorted(glob.glob(self.path("cut/plot_*.vtkhdf")))
        cuts = sorted(glob.glob(self.path("cut/slice_cut_*.vtkhdf")))
        self.assertGreater(len(plots), 1)
        os.remove(plots[0])
        os.truncate(cuts[-1], 1000)
        text = self.page("cut")
        left_out = html.unescape(text[text.index("<h2>Left out</h2>"):])
        self.assertIn("which is not there</li>", left_out)
        self.assertIn(f"{os.path.basename(cuts[-1])}: is an HDF5 file that is cut short or damaged</li>", left_out)
        captions = " | ".join(self.captions(text))
        self.assertIn("density, last state", captions)
        self.assertNotIn("density, first state", captions)
        self.assertNotIn("slice cut", captions)
        self.assertRegex(text, r"The largest density is [\d.]+ at \([^;]*\.<")

    def test_a_run_whose_last_state_is_cut_has_its_first_one(self):
        self.copy("gas", "end")
        (*_, last) = sorted(glob.glob(self.path("end/plot_*.vtkhdf")))
        os.truncate(last, 1000)
        text = self.page("end")
        self.assertIn(f"{os.path.basename(last)}: is an HDF5 file that is cut short or damaged</li>", html.unescape(text))
        captions = " | ".join(self.captions(text))
        self.assertIn("density, first state", captions)
        self.assertNotIn("density, last state", captions)
        self.assertNotIn("What happened, and where?", text)

    def test_the_only_state_is_not_compared_with_itself(self):
        self.copy("gas", "one")
        with open(self.path("one/plot.vtkhdf.series"), encoding="utf-8") as stream:
            series = json.load(stream)
        with open(self.path("one/plot.vtkhdf.series"), "w", encoding="utf-8") as stream:
            json.dump({**series, "files": series["files"][-1:]}, stream)
        text = self.page("one")
        self.assertIn("density, last state", " | ".join(self.captions(text)))
        self.assertRegex(text, r"The largest density is [\d.]+ at ")
        self.assertNotIn("stays at", text)

    def test_small_values_change_as_large_ones_do(self):
        def state(values):
            volumes = types.SimpleNamespace(value=np.array(values), centre=np.zeros((len(values), 2)))
            return mock.Mock(spec=["fields", "volumes"], fields=["density"], volumes=volumes)
        with mock.patch.object(facts, "volumes", lambda snapshot, name: snapshot.volumes), \
                mock.patch.object(facts, "magnitude", lambda snapshot, name, values: values):
            for scale in (1.0, 1e-9):
                lines = facts.what_happened(facts.Run(""), state([scale, 2 * scale]), state([scale, 3 * scale]))
                self.assertEqual([" stays at " in line for line in lines], [False, True], lines)

    def test_refusals(self):
        os.mkdir(self.path("other"))
        self.assertEqual(self.report("other", code=2), "meander report: other: has no input.toml: is no directory of a run")
        self.assertEqual(self.report("missing", code=2), "meander report: missing: is no directory of a run")
        self.assertIn("--every", self.report("gas", "--every", "0", code=2))
        self.assertEqual(self.report("gas", "--output", "none/x.html", code=2),
                         "meander report: none/x.html: cannot be written (no such file or directory)")
        self.copy("gas", "damaged")
        with open(self.path("damaged/summary.json"), "w", encoding="utf-8") as stream:
            stream.write("{")
        self.assertIn("damaged/summary.json: is no summary of a run", self.report("damaged", code=2))
        self.copy("gas", "forged")
        with open(self.path("forged/input.toml"), "a", encoding="utf-8") as stream:
            stream.write("# <script>alert(1)</script>\n")
        self.assertNotIn("<script>", self.page("forged"))

    def test_follow(self):
        process = subprocess.Popen([os.environ["MEANDER"], "run", os.path.join(SOURCE, "inputs/riemann-2d.toml"), "--threads", "1",
                                    "--output", self.path("long"), "--set", "mesh.patch-size=6", "--set", "mesh.max-level=3",
                                    "--set", "output.plot-every=0.05"], stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while not glob.glob(self.path("long/plot.vtkhdf.series")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(19)  # SIGSTOP: it is running when the first page is written
        watcher = subprocess.Popen([os.environ["MEANDER"], "report", self.path("long"), "--follow", "--every", "1"], env=ENVIRONMENT,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(watcher.stdout.close)
        self.addCleanup(watcher.kill)
        self.assertIn("renewed at", watcher.stdout.readline())
        with open(self.path("long/report.html"), encoding="utf-8") as stream:
            text = stream.read()
        self.assertIn(">running<", text)
        self.assertIn('http-equiv="refresh" content="1"', text)
        process.send_signal(18)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(watcher.wait(60), 0)
        with open(self.path("long/report.html"), encoding="utf-8") as stream:
            text = stream.read()
        self.assertIn(">finished<", text)
        self.assertNotIn('http-equiv="refresh"', text)

    @unittest.skipIf(BROWSER is None, "needs Chromium: apt install chromium")
    def test_in_a_browser(self):
        for name in RUNS:
            text = self.page(name)
            probed = self.path(f"{name}/probed.html")
            with open(probed, "w", encoding="utf-8") as stream:
                stream.write(text.replace("</head>", PROBE + "</head>"))
            for width in (390, 1280):
                done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900",
                                       "--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom", "file://" + probed],
                                      capture_output=True, text=True, check=True, timeout=120)
                found = json.loads(html.unescape(re.search("<title>PROBED (.*?)</title>", done.stdout)[1]))
                self.assertEqual(found["faults"], [], (name, width))
                self.assertEqual(found["images"], text.count("<img "))
                self.assertEqual(re.findall(r"CONSOLE.*", done.stderr), [])


if __name__ == "__main__":
    unittest.main()
