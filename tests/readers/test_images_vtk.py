# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Slices, projections, boxes and spheres of a run in ParaView, or else in VTK. h5py, whose HDF5 library may be another
one, reads the expected values in a process of its own."""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

try:
    from paraview import servermanager, simple
except ImportError:
    simple = None
    import vtk
from vtkmodules.util.numpy_support import vtk_to_numpy

EXPECTED = """
import sys
import numpy, meander_amr, test_images
test_images.make_runs(sys.argv[1])
for dim in (2, 3):
    for stem in test_images.STEMS:
        path = test_images.last(sys.argv[1], dim, stem)
        with meander_amr.open(path) as image:
            numpy.savez(f"{sys.argv[1]}/{dim}-{stem}.npz", path=path, axes=image.axes, lower=image.lower, upper=image.upper,
                        **{"field " + field: image[field] for field in image.fields})
"""


def read(path):
    """Returns the data object, and what must live as long."""
    if simple is None:
        reader = vtk.vtkHDFReader()
        reader.SetFileName(path)
        reader.Update()
        return reader.GetOutputDataObject(0), reader
    manager = servermanager.vtkSMProxyManager
    if manager.GetVersionMajor() * 100 + manager.GetVersionMinor() < 512:  # knows another ending only
        os.symlink(path, path.replace(".vtkhdf", ".hdf"))
        path = path.replace(".vtkhdf", ".hdf")
    source = simple.OpenDataFile(path)
    simple.UpdatePipeline(proxy=source)
    return source.GetClientSideObject().GetOutputDataObject(0), source


class Images(unittest.TestCase):
    def test_images(self):
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([sys.executable, "-c", EXPECTED, scratch], cwd=os.path.dirname(os.path.abspath(__file__)), check=True)
            names = sorted(name for name in os.listdir(scratch) if name.endswith(".npz"))
            self.assertEqual(len(names), 10)
            for name in names:
                with self.subTest(name):
                    self.check(np.load(os.path.join(scratch, name)))

    def check(self, expected):
        data, kept = read(str(expected["path"]))
        lower, upper = expected["lower"], expected["upper"]
        if str(expected["axes"]):
            self.assertEqual((data.GetClassName(), data.GetNumberOfLevels()), ("vtkOverlappingAMR", 1))
            data = data.GetDataSetAsImageData(0, 0) if hasattr(data, "GetDataSetAsImageData") else data.GetDataSet(0, 0)
            # One pixel where the image is flat.
            half = np.where(lower == upper, min(data.GetSpacing()) / 2, 0)
            lower, upper = lower - half, upper + half
        else:
            self.assertEqual(data.GetClassName(), "vtkUnstructuredGrid")
        bounds = np.reshape(data.GetBounds(), (3, 2))
        np.testing.assert_allclose(bounds[:, 0], lower, atol=1e-14)
        np.testing.assert_allclose(bounds[:, 1], upper, atol=1e-14)
        fields = [key for key in expected.files if key.startswith("field ")]
        self.assertTrue(fields)
        for field in fields:
            values = vtk_to_numpy(data.GetCellData().GetArray(field.split(" ")[1]))
            np.testing.assert_array_equal(values.ravel(), expected[field].ravel())
        del kept


if __name__ == "__main__":
    unittest.main()
