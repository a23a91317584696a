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
import subprocess
import tempfile
import time
import unittest

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
