# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The command meander-plot and scripts/plot, on runs of the program."""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

import matplotlib.pyplot
import meander_amr
import numpy as np
from expectations import RUNS, ReaderTest
from meander_amr import accretion, command, plot
from meander_amr.plot import style

matplotlib.use("Agg")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SOD = """
[domain]
upper = [0.25, 1, 0.25]
cells = [1, 4, 1]
[mesh]
patch-size = 3
[boundary]
y = "outflow"
[scenario]
name = "sod"
axis = "y"
[time]
max-steps = 3
"""
ACCRETION = """
[domain]
lower = [-1, -1, -1]
[mesh]
patch-size = 5
min-level = 1
max-level = 2
[[refinement]]
kind = "ball"
radius = 0.2
[solver]
gamma = 1.6666666666666667
[scenario]
name = "accretion"
[time]
max-steps = 2
"""
HEADER = ("step,time,psi4_r30_2_-2_re [1 / length^2],psi4_r30_2_-2_im [1 / length^2],"
          "psi4_r30_2_0_re [1 / length^2]")


class Pictures(ReaderTest):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.series = {"blast": os.path.join(RUNS, "2d-p9", "plot.vtkhdf.series")}
        for name, text in (("sod", SOD), ("accretion", ACCRETION)):
            source = os.path.join(cls.scratch.name, name + ".toml")
            with open(source, "w", encoding="utf-8") as stream:
                stream.write(text)
            out = os.path.join(cls.scratch.name, name)
            subprocess.run([os.environ["MEANDER"], "run", source, "--output", out, "--threads", "1"], check=True,
                           stderr=subprocess.DEVNULL)
            cls.series[name] = os.path.join(out, "plot.vtkhdf.series")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def tearDown(self):
        matplotlib.pyplot.close("all")

    def last(self, name):
        snapshot = meander_amr.open(self.series[name])[-1]
        self.addCleanup(snapshot.close)
        return snapshot

    def beside(self, name, file):
        return os.path.join(os.path.dirname(self.series[name]), file)

    def complaint(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(command.main(list(arguments)), 2)
        return errors.getvalue().strip()

    def test_centred_slices_look_alike_across_all_axes(self):
        snapshot = self.last("accretion")
        for axis in range(3):
            for at in (-1.0, 0.0, 1.0):
                self.assertFalse(np.isnan(snapshot.slice("density", axis, at, pixels=90).image).any())
            np.testing.assert_allclose(snapshot.slice("density", axis, 0.0, pixels=90).image,
                                       snapshot.slice("density", 0, 0.0, pixels=90).image, rtol=1e-5)

    def test_turnaround_at_the_end_of_the_default_run(self):
        snapshot = self.last("accretion")
        snapshot.time = -8 ** -0.5
        self.assertAlmostEqual(accretion.turnaround_radius(snapshot), 0.4368, places=4)
        snapshot.time = -20 ** -0.5
        self.assertEqual(len(accretion.marked_radii(snapshot)), 2)
        snapshot.scenario["compensation-radius"] = 1.56  # the shells started in the compensating shell
        self.assertEqual(accretion.marked_radii(snapshot), [])
        snapshot.scenario["compensation-radius"] = 0.0
        self.assertEqual(len(accretion.marked_radii(snapshot)), 2)
        for key, value in (("method", "none"), ("external", "uniform")):
            before, snapshot.input["gravity"][key] = snapshot.input["gravity"][key], value
            self.assertEqual(accretion.marked_radii(snapshot), [])
            snapshot.input["gravity"][key] = before
        snapshot.scenario["seed"] = "noise"
        self.assertEqual(accretion.marked_radii(snapshot), [])

    def test_what_is_drawn_is_what_the_file_holds(self):
        snapshot = self.last("sod")
        drawn = plot.slice(snapshot, "density", "x", 0.1)
        np.testing.assert_array_equal(drawn.get_images()[0].get_array(), snapshot.slice("density", "x", 0.1).image)
        parts = plot.partition(snapshot, 3, "x")
        self.assertIn("cut into 3 equal parts, not the run's ranks", parts.get_title(loc="left"))
        self.assertEqual(set(np.unique(parts.get_images()[0].get_array())), {0, 1, 2})
        self.assertIn("1 rank of the run", plot.partition(snapshot).get_title(loc="left"))
        history = meander_amr.open(self.beside("blast", "history.csv"))
        (axes,) = plot.history(history, ["shock_radius"])
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), history["shock_radius"])

    def test_the_scale_of_a_failed_state_is_that_of_its_finite_values(self):
        for values in ([1.0, np.nan, 3.0], [1.0, np.inf, 3.0], [-np.inf, 3.0, 1.0]):
            norm, _ = style.scale_of("pressure", np.array(values))
            self.assertEqual((norm.vmin, norm.vmax), (1, 3))
        for scale in style.SCALES:
            norm, _ = style.scale_of("pressure", np.array([np.nan, np.inf]), scale)
            self.assertEqual((norm.vmin, norm.vmax), (0, 1))

    def test_pictures(self):
        options = {"blast": [["--field", "velocity"], ["--field", "level"], ["--line"], ["--show", "partition"],
                             ["--show", "partition", "--parts", "40"], ["--show", "radial"],
                             ["--show", "slice", "--width", "0.3"]],
                   "sod": [[], ["--axis", "y", "--at", "0.3"], ["--radial", "--no-outlines"], ["--show", "line"]],
                   "accretion": [["--axis", "x"], ["--line"], ["--show", "slice", "--field", "rank"]]}
        files = [(self.series[name], extra) for name, every in options.items() for extra in every]
        files += [(self.beside("blast", "chk_000024.hdf5"), []), (self.beside("accretion", "history.csv"), []),
                  (self.beside("accretion", "history.csv"), ["--columns", "dt,leaves_level_2"])]
        for i, (file, extra) in enumerate(files):
            picture = os.path.join(self.scratch.name, f"{i}.png")
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(command.main([file, "--output", picture] + extra), 0, (file, extra))
            self.assertEqual(said.getvalue(), picture + "\n")
            with open(picture, "rb") as stream:
                self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n")

    def test_script_works_without_installation(self):
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run([os.path.join(ROOT, "scripts/plot"), self.beside("sod", "plot_000001.vtkhdf")], check=True,
                              env={**environment, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True)
        self.assertEqual(done.stdout, self.beside("sod", "plot_000001.png") + "\n")
        self.assertTrue(os.path.exists(self.beside("sod", "plot_000001.png")))

    def test_the_example_of_the_documentation(self):
        with open(os.path.join(ROOT, "docs/python.md"), encoding="utf-8") as stream:
            (example,) = re.findall(r"```python\n(.*?)```", stream.read(), re.S)
        os.mkdir(os.path.join(self.scratch.name, "output"))
        os.symlink(os.path.dirname(self.series["blast"]), os.path.join(self.scratch.name, "output/sedov-2d-001"))
        done = subprocess.run([sys.executable, "-c", example], cwd=self.scratch.name, capture_output=True, text=True,
                              env={**os.environ, "MPLBACKEND": "Agg"}, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("<plot file output/sedov-2d-001/plot_000002.vtkhdf: 2D, step 24", done.stdout)
        self.assertTrue(os.path.exists(os.path.join(self.scratch.name, "density.png")))

    def test_waves(self):
        source = os.path.join(self.scratch.name, "waves.csv")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(HEADER + "\n0,0,1,2,3\n1,1,2,3,4\n")
        panels = plot.psi4(meander_amr.open(source))
        self.assertEqual([panel.get_title(loc="left") for panel in panels], ["psi4_r30_2_-2", "psi4_r30_2_0_re [1 / length^2]"])
        self.assertEqual([len(panel.lines) for panel in panels], [2, 1])
        self.assertEqual(panels[0].get_ylabel(), "1 / length^2")
        self.assertIn("no columns psi4*", self.complaint(self.beside("blast", "history.csv"), "--show", "psi4"))

    def test_modes_that_vanish_are_left_out(self):
        source = os.path.join(self.scratch.name, "symmetric.csv")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(HEADER + "\n0,0,1e-17,2e-17,3e-5\n1,1,2e-17,3e-17,4e-5\n")
        history = meander_amr.open(source)
        self.assertEqual([panel.get_title(loc="left") for panel in plot.psi4(history)], ["psi4_r30_2_0_re [1 / length^2]"])
        (asked,) = plot.psi4(history, ["psi4_r30_2_-2_re"])
        np.testing.assert_array_equal(asked.lines[0].get_ydata(), [1e-17, 2e-17])

    def test_what_belongs_together_shares_a_panel(self):
        source = os.path.join(self.scratch.name, "levels.csv")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write("step,time,dt,leaves_level_1,leaves_level_2,puncture_1_x [length],puncture_1_y [length],"
                         "hamiltonian_l2,hamiltonian_l2_level_1,hamiltonian_l2_level_2,lapse_min\n"
                         "0,0,0,1,2,0,0,0,1e-30,1e-2,0.3\n1,1,1,2,3,1,2,2e-3,2e-5,2e-2,0.4\n2,3,2,3,4,2,3,3e-3,3e-5,3e-2,0.5\n")
        panels = plot.history(meander_amr.open(source))
        found = {panel.get_title(loc="left"): (len(panel.lines), panel.get_yscale()) for panel in panels}
        self.assertEqual(found, {"dt": (1, "linear"), "leaves": (2, "linear"), "puncture_1 [length]": (2, "linear"),
                                 "hamiltonian_l2": (3, "log"), "lapse_min": (1, "linear")})
        np.testing.assert_array_equal(panels[0].lines[0].get_ydata(), [1, 2])  # no step led to the first row

        # A column keeps its whole name: in the title of its own panel, and in the legend of one that it shares.
        history = meander_amr.open(source)
        named = {panel.get_title(loc="left"): [text.get_text() for text in panel.get_legend().get_texts()]
                 if panel.get_legend() else [] for panel in panels}
        self.assertEqual(named["leaves"], ["leaves_level_1", "leaves_level_2"])
        self.assertEqual(named["hamiltonian_l2"], ["hamiltonian_l2", "hamiltonian_l2_level_1", "hamiltonian_l2_level_2"])
        for name in ("hamiltonian_l2_level_2", "leaves_level_1", "puncture_1_x"):
            (axes,) = plot.history(history, [name])
            self.assertEqual(axes.get_title(loc="left"), history.label(name))

    def test_each_column_of_panels_has_a_time_axis(self):
        source = os.path.join(self.scratch.name, "odd.csv")
        for number, lowest in ((3, [2]), (4, [2, 3]), (5, [3, 4])):
            names = "abcde"[:number]
            with open(source, "w", encoding="utf-8") as stream:
                stream.write("step,time [time]," + ",".join(names) + "\n")
                stream.writelines(f"{i},{1e6 * i}" + f",{i}" * number + "\n" for i in range(3))
            panels = plot.history(meander_amr.open(source))
            panels[0].figure.canvas.draw()
            for n, panel in enumerate(panels):
                self.assertEqual(panel.get_xlabel(), "time [time]" if n in lowest else "", (number, n))
                self.assertEqual(any(label.get_visible() and label.get_text() for label in panel.get_xticklabels()), n in lowest)
                self.assertEqual(panel.xaxis.offsetText.get_visible(), n in lowest)

    def test_the_searches_of_a_horizon_are_drawn_without_their_status(self):
        source = os.path.join(self.scratch.name, "horizon_1.csv")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write("step,time,status,area [length^2],spin_z\n"
                         "0,0,found,50.2,0\n1,0.5,not-found,nan,nan\n2,1,found,50.3,0\n")
        horizon = meander_amr.open(source)
        panels = plot.history(horizon)
        self.assertEqual([panel.get_title(loc="left") for panel in panels], ["area [length^2]"])
        np.testing.assert_array_equal(panels[0].lines[0].get_ydata(), [50.2, np.nan, 50.3])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(command.main([source]), 0)
        self.assertEqual(said.getvalue(), os.path.splitext(source)[0] + ".png\n")
        refusal = f"meander-plot: {source}: column 'status' holds words, which cannot be drawn over time"
        for columns in ("status", "area,status"):
            for show in ("history", "psi4"):
                self.assertEqual(self.complaint(source, "--show", show, "--columns", columns), refusal)

    def test_a_directory_is_that_of_a_run(self):
        directory = os.path.dirname(self.series["sod"])
        self.assertEqual(meander_amr.open(directory).names, meander_amr.open(self.series["sod"]).names)
        self.assertIn("is a directory without", self.complaint(self.scratch.name))
        for arguments, picture in (([], "plot_000001.png"), (["--show", "history"], "history.png")):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(command.main([directory, *arguments]), 0)
            self.assertEqual(said.getvalue(), os.path.join(directory, picture) + "\n")

    def test_complaints(self):
        self.assertEqual(self.complaint("no.vtkhdf"), "meander-plot: no.vtkhdf: no such file")
        blast = self.series["blast"]
        self.assertIn("has no field 'densty'; did you mean 'density'?", self.complaint(blast, "--field", "densty"))
        self.assertIn("is 2D", self.complaint(blast, "--axis", "z"))
        self.assertIn("reaches from 0 to 1 along y", self.complaint(self.series["sod"], "--axis", "y", "--at", "2"))
        for at in ("-1e-3", "-.001", "-0.001"):
            self.assertIn("at -0.001: the domain reaches", self.complaint(self.series["sod"], "--axis", "y", "--at", at))
        for draw, words in ((lambda s: plot.line_profile(s, axis="z"), "axis 'z': is none of 0, 1, 'x', 'y'"),
                            (lambda s: plot.line_profile(s, axis=2), "axis 2: is none of"),
                            (lambda s: plot.radial_profile(s, centre=[0, 0, 0]), "centre: must be a position of 2 finite numbers")):
            with self.assertRaisesRegex(meander_amr.OptionError, words):
                draw(self.last("blast"))
        for parts in (0, 100000):
            self.assertRegex(self.complaint(blast, "--show", "partition", "--parts", str(parts)),
                             rf"\.vtkhdf: {parts} parts: must be at least 1 and at most \d+, the number of leaves$")
        self.assertIn("of which there is no 'history'", self.complaint(blast, "--show", "history"))
        self.assertIn("--columns: is no option of 'overview', but of history, psi4",
                      self.complaint(blast, "--columns", "dt"))
        self.assertIn("--radial and --line: are two profiles", self.complaint(blast, "--radial", "--line"))
        self.assertIn("--field: is no option of 'history'",
                      self.complaint(self.beside("blast", "history.csv"), "--field", "density"))
        self.assertRegex(self.complaint(self.beside("blast", "summary.json")), r"is no HDF5 file; there are plot files, .*csv$")
        self.assertIn("did you mean 'dt'?", self.complaint(self.beside("blast", "history.csv"), "--columns", "dtt"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
