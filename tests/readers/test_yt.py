# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints in yt, as yt.load opens them, and what meander_amr makes of plot files for it."""
import unittest

import meander_amr
import numpy as np
import yt
from expectations import CASES, ReaderTest, leaves, path

yt.set_log_level("error")


class Yt(ReaderTest):
    def check(self, data, expected, case, kind, tolerance, shift):
        """shift: what yt's positions are ahead of the run's."""
        dim = case["dim"]
        density = (kind, "density")
        self.assertEqual(float(data.current_time), expected["time"])
        self.assertEqual(data.dimensionality, dim)
        grids = data.index.level_stats["numgrids"]
        self.assertEqual([int(n) for n in grids if n], leaves(expected))
        everything = data.all_data()
        volume = everything["index", "cell_volume"]
        self.assertEqual(len(volume), expected["volumes"])
        self.assert_near(float(volume.sum()), np.prod(np.subtract(case["upper"], case["lower"])), 1e-12, "volume")
        self.assert_near(float((everything[density] * volume).sum()), expected["mass"], tolerance, "mass")
        if not expected["is_last"]:
            return
        for at, value in zip(case["points"], case["density"]):
            point = data.point([x + s for x, s in zip(at, shift)] + [0.5] * (3 - dim))
            self.assertEqual(len(point[density]), 1)
            self.assert_near(float(point[density][0]), value, tolerance, f"density at {at}")
        cut = data.slice(0, case["cut"] + shift[0])
        integral = (cut[density] * cut["index", "dy"] * cut["index", "dz"]).sum()
        self.assert_near(float(integral), case["integral"], tolerance, "integral over a slice")

    def test_checkpoints(self):
        for case in CASES:
            with self.subTest(case["case"]):
                data = yt.load(path(case, case["checkpoint"]))
                self.assertEqual(type(data).__name__, "ChomboDataset")
                self.check(data, case["checkpoint"], case, "chombo", 1e-12, [-x for x in case["lower"]])

    def test_to_yt(self):
        for case in CASES:
            with self.subTest(case["case"]):
                for file in (case["plots"][0], case["plots"][-1], case["checkpoint"]):
                    with meander_amr.open(path(case, file)) as snapshot:
                        tolerance = 1e-12 if file is case["checkpoint"] else self.tolerance(case)
                        self.check(snapshot.to_yt(["density"]), file, case, "stream", tolerance, [0] * case["dim"])

    def test_periodicity_is_that_of_the_input(self):
        case = CASES[0]
        with meander_amr.open(path(case, case["plots"][0])) as snapshot:
            self.assertEqual(snapshot.to_yt(["density"]).periodicity, (True, True, True))
            snapshot.input["boundary"] = {"x-lower": "outflow", "x-upper": "outflow", "y-lower": "periodic", "y-upper": "periodic"}
            self.assertEqual(snapshot.to_yt(["density"]).periodicity, (False, True, True))
            snapshot.input["boundary"]["y-lower"] = {"kind": "inflow", "density": 1}
            self.assertEqual(snapshot.to_yt(["density"]).periodicity, (False, False, True))


if __name__ == "__main__":
    print("yt", yt.__version__)
    unittest.main(verbosity=2)
