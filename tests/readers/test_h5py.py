# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plot files and checkpoints as h5py sees them, against each other and what the run says."""
import os
import unittest

import h5py
import numpy as np
from expectations import CASES, ReaderTest, leaves, path


class H5py(ReaderTest):
    def test_plot_files(self):
        for case in CASES:
            with self.subTest(case["case"]):
                for expected in case["plots"]:
                    with h5py.File(path(case, expected), "r") as file:
                        root, dim, p = file["VTKHDF"], case["dim"], case["p"]
                        self.assertEqual(file["meta"].attrs["time"], expected["time"])
                        self.assertEqual(file["meta"].attrs["step"], expected["step"])
                        self.assertEqual(file["meta"].attrs["level_offset"], min(expected["leaves"]))
                        self.assertEqual([len(root[f"Level{n}/AMRBox"]) for n in range(len(root))], leaves(expected))
                        mass = volumes = 0
                        for n in range(len(root)):
                            density = root[f"Level{n}/CellData/density"][:].astype(float)
                            dx = root[f"Level{n}"].attrs["Spacing"][0]
                            mass += density.sum() * dx ** dim
                            volumes += len(density)
                            edge = 2.0 * 3.0 ** -min(expected["leaves"]) / 3 ** n / p
                            if case["case"] != "2d-thin":
                                self.assert_near(dx, edge, 1e-15)
                        self.assertEqual(volumes, expected["volumes"])
                        self.assert_near(mass, expected["mass"], self.tolerance(case), "mass")

    def test_last_plot_and_checkpoint_agree_to_the_bit(self):
        for case in CASES:
            with self.subTest(case["case"]):
                with h5py.File(path(case, case["plots"][-1]), "r") as plot, \
                        h5py.File(path(case, case["checkpoint"]), "r") as checkpoint:
                    self.assertEqual(checkpoint.attrs["time"], case["checkpoint"]["time"])
                    self.assertEqual(checkpoint.attrs["iteration"], case["checkpoint"]["step"])
                    for name in ("patch_level", "patch_index", "patch_rank"):
                        np.testing.assert_array_equal(plot["meta"][name][:], checkpoint["meta"][name][:])
                    unknowns = int(checkpoint.attrs["num_components"])
                    for n in range(int(checkpoint.attrs["num_levels"])):
                        group, level = checkpoint[f"level_{n}"], plot[f"VTKHDF/Level{n}"]
                        boxes = group["boxes"][:]
                        for a, letter in enumerate("ijk"[:case["dim"]]):
                            np.testing.assert_array_equal(boxes[f"lo_{letter}"], level["AMRBox"][:, 2 * a])
                            np.testing.assert_array_equal(boxes[f"hi_{letter}"], level["AMRBox"][:, 2 * a + 1])
                        data = group["data:datatype=0"][:].reshape(len(boxes), unknowns, -1)[:, 0].ravel()
                        plotted = level["CellData/density"][:]
                        np.testing.assert_array_equal(plotted, data.astype(plotted.dtype))

    def test_boxes_tile_the_domain(self):
        for case in CASES:
            with self.subTest(case["case"]):
                with h5py.File(path(case, case["plots"][-1]), "r") as file:
                    level, index = file["meta/patch_level"][:], file["meta/patch_index"][:]
                    finest = level.max()
                    cells = np.round((np.array(case["upper"]) - case["lower"]) / (
                        file[f"VTKHDF/Level{finest - level.min()}"].attrs["Spacing"][0] * case["p"])).astype(int)
                    owner = np.zeros(cells, int)
                    for number, at in zip(level, index):
                        size = 3 ** (finest - number)
                        owner[tuple(slice(i * size, (i + 1) * size) for i in at)] += 1
                    self.assertTrue((owner == 1).all())

    def test_series_names_every_plot_file_once_across_a_restart(self):
        for case in CASES:
            with self.subTest(case["case"]):
                there = sorted(name for name in os.listdir(os.path.dirname(path(case, case["checkpoint"])))
                               if name.startswith("plot_"))
                self.assertEqual([file["name"] for file in case["plots"]], there)
                self.assertEqual(len(there), 5 if case["case"] == "restart" else 3)
                times = [file["time"] for file in case["plots"]]
                self.assertEqual(times, sorted(set(times)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
