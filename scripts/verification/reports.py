# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The report on the first steps of every shipped input: written, below 5 MB, with all of its pictures in a browser."""
import glob
import html
import json
import os
import re
import shutil
import subprocess
import time

from verification.device_patches import SMALLER
from verification.session import shipped

MOST_BYTES = 5_000_000
STEPS = 4
WIDTHS = (390, 1280)
QUICK = ("sod", "gauge-wave")
# Sets the title of the page to what is wrong with it.
PROBE = """<script>window.addEventListener("load", () => {
  const faults = [...document.images].filter(image => !image.naturalWidth).map(image => image.alt);
  if (document.documentElement.scrollWidth > window.innerWidth) faults.push("wider than the window");
  document.title = "PROBED " + JSON.stringify(faults);
});</script></head>"""


def faults_in_browser(path, text):
    """What is wrong with a page at any of the widths; None: there is no browser."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return None
    probed = path.replace(".html", "-probed.html")
    with open(probed, "w", encoding="utf-8") as stream:
        stream.write(text.replace("</head>", PROBE))
    found = []
    for width in WIDTHS:
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900",
                               "--virtual-time-budget=20000", "--dump-dom", "file://" + os.path.abspath(probed)],
                              capture_output=True, text=True, check=False)
        title = re.search("<title>PROBED (.*?)</title>", done.stdout)
        found += json.loads(html.unescape(title[1])) if title else ["no page"]
    return found


def reports(verification):
    for path in sorted(glob.glob(shipped("*.toml"))):
        name = os.path.splitext(os.path.basename(path))[0]
        if verification.options.quick and name not in QUICK:
            continue
        run = f"reports-{name}"
        began = time.monotonic()
        verification.run(run, path, {"time.max-steps": STEPS, "output.history-steps": 1, **SMALLER.get(name, {})})
        page = os.path.join(verification.directory(run), "report.html")
        done = subprocess.run([verification.options.meander, "report", verification.directory(run)], capture_output=True,
                              text=True, check=False)
        faults = [done.stderr.strip()] if done.returncode else []
        seen = ""
        if not faults:
            with open(page, encoding="utf-8") as stream:
                text = stream.read()
            if len(text) > MOST_BYTES:
                faults.append("too large")
            in_browser = faults_in_browser(page, text)
            faults += in_browser or []
            seen = f"{len(text) / 1e6:.2f} MB, {text.count('<img ')} pictures" + (", no browser" if in_browser is None else "")
        verification.claim(f"{name}.toml, {STEPS} steps: report", "below 5 MB, complete at widths of 390 and 1280",
                           "; ".join(faults) or seen, not faults, time.monotonic() - began)
