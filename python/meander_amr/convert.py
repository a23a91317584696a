# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots as data of yt and of VTK."""
import numpy as np

from meander_amr.errors import needs


def scalars(snapshot, fields):
    """Names of the fields, vectors by their components."""
    names = []
    for field in snapshot.fields if fields is None else fields:
        names += [f"{field}_{axis}" for axis in "xyz"[:snapshot.dim]] if snapshot.is_vector(field) else [field]
    return names


def to_yt(snapshot, fields=None):
    """A dataset of yt in memory: positions as in the run, fields ("stream", name), vectors by components.

    fields: names; None: all of the file. yt's levels count from the coarsest that has leaves. In 2D, z reaches from 0
    to 1. Axis-aligned projections refuse refinement by 3 (yt issue 313); slices, profiles and rays work.
    `yt.load(checkpoint)` works without this package too, but counts positions from the domain's lower corner.
    """
    yt = needs("yt", "to_yt()")
    names = scalars(snapshot, fields)
    flat = [] if snapshot.dim == 3 else [1]
    grids = []
    for i, level in enumerate(snapshot.levels):
        values = {name: snapshot.values(name, level).astype(float) for name in names}
        for row, corner in enumerate(level.lower):
            grid = {"left_edge": [*corner, *(0.0 for _ in flat)],
                    "right_edge": [*(corner + level.edge), *(1.0 for _ in flat)],
                    "level": i, "dimensions": [snapshot.p] * snapshot.dim + flat}
            for name in names:
                grid[("stream", name)] = values[name][row].T.reshape(grid["dimensions"])
            grids.append(grid)
    size = snapshot.upper - snapshot.lower
    cells = np.round(size / snapshot.levels[0].spacing).astype(int)
    box = np.array([[*snapshot.lower, *(0.0 for _ in flat)], [*snapshot.upper, *(1.0 for _ in flat)]]).T
    boundary = snapshot.input.get("boundary", {})
    periodic = tuple(boundary.get(a, boundary.get("all", "periodic")) == "periodic" for a in "xyz")
    return yt.load_amr_grids(grids, [*cells, *flat], bbox=box, sim_time=snapshot.time, refine_by=3,
                             periodicity=periodic, length_unit=1.0)


def to_vtk(snapshot, fields=None):
    """A vtkOverlappingAMR with the leaves, cell data by name: as what VTK's reader makes of a plot file.

    fields: names; None: all of the file. Vectors have three components. VTK's levels count from the coarsest that has
    leaves. In 2D all boxes lie in the plane z = 0.
    """
    needs("vtkmodules", "to_vtk() (vtk)")
    data_model = needs("vtkmodules.vtkCommonDataModel", "to_vtk() (vtk)")
    numpy_support = needs("vtkmodules.util.numpy_support", "to_vtk() (vtk)")
    fields = snapshot.fields if fields is None else list(fields)
    flat = [] if snapshot.dim == 3 else [0.0]
    amr = data_model.vtkOverlappingAMR()
    amr.Initialize(len(snapshot.levels), [len(level) for level in snapshot.levels])
    amr.SetOrigin([*snapshot.lower, *flat])
    amr.SetGridDescription(data_model.VTK_XYZ_GRID if snapshot.dim == 3 else data_model.VTK_XY_PLANE)
    for i, level in enumerate(snapshot.levels):
        spacing = [level.spacing] * snapshot.dim + [snapshot.levels[0].spacing for _ in flat]
        amr.SetSpacing(i, spacing)
        values = {name: snapshot.values(name, level) for name in fields}
        for row, corner in enumerate(level.lower):
            first = level.index[row] * snapshot.p
            box = data_model.vtkAMRBox([*map(int, first), *(0 for _ in flat)],
                                       [*map(int, first + snapshot.p - 1), *((-1,) if flat else ())])
            amr.SetAMRBox(i, row, box)
            grid = data_model.vtkUniformGrid()
            grid.SetOrigin([*corner, *flat])
            grid.SetSpacing(spacing)
            grid.SetDimensions([snapshot.p + 1] * snapshot.dim + [1 for _ in flat])
            for name in fields:
                array = values[name][row].reshape((snapshot.p ** snapshot.dim, -1))
                if array.shape[1] == 2:
                    array = np.pad(array, ((0, 0), (0, 1)))
                data = numpy_support.numpy_to_vtk(np.ascontiguousarray(array), deep=True)
                data.SetName(name)
                grid.GetCellData().AddArray(data)
            amr.SetDataSet(i, row, grid)
    for i in range(len(snapshot.levels) - 1):
        amr.SetRefinementRatio(i, 3)
    return amr
