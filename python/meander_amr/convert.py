# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Conversion of snapshots to datasets of yt and VTK."""
import numpy as np

from meander_amr.boundaries import kind_of_boundary
from meander_amr.errors import needs


def scalars(snapshot, fields):
    """Names of the fields, with vectors split into components."""
    names = []
    for field in snapshot.fields if fields is None else fields:
        names += [f"{field}_{axis}" for axis in "xyz"[:snapshot.dim]] if snapshot.is_vector(field) else [field]
    return names


def to_yt(snapshot, fields=None):
    """Returns a dataset of yt in memory, with the run's positions, fields ("stream", name), and vectors by components.

    fields: names; None: all fields of the file. yt counts levels from the coarsest level with leaves. In 2D, z reaches
    from 0 to 1. Axis-aligned projections refuse refinement by 3 (yt issue 313); slices, profiles and rays work.
    `yt.load(checkpoint)` works without this package too, but counts positions from the domain's lower corner.
    """
    stream = needs("yt.frontends.stream.data_structures", "to_yt() (yt)")
    names = scalars(snapshot, fields)
    flat = [] if snapshot.dim == 3 else [1]
    size = [snapshot.p] * snapshot.dim + flat
    left, right, levels, data = [], [], [], stream.StreamDictFieldHandler()
    for i, level in enumerate(snapshot.levels):
        values = {name: snapshot.values(name, level).astype(float) for name in names}
        for row, corner in enumerate(level.lower):
            data[len(left)] = {("stream", name): values[name][row].T.reshape(size) for name in names}
            left.append([*corner, *(0.0 for _ in flat)])
            right.append([*(corner + level.edge), *(1.0 for _ in flat)])
            levels.append([i])
    # yt.load_amr_grids refuses the mesh: it compares floats and requires leaves to start on faces of coarser volumes,
    # which holds only for patch sizes that are multiples of 3. Leaves have no parents in the file.
    count, no_units = len(left), ("code_length", "code_mass", "code_time", "code_velocity", "code_magnetic")
    boundary = snapshot.input.get("boundary", {})
    handler = stream.StreamHandler(
        np.array(left), np.array(right), np.full((count, 3), size, "int32"), np.array(levels, "int32"),
        np.full(count, -1), np.zeros((count, 1), "int64"), np.zeros((count, 1)), data,
        {("stream", name): "" for name in names}, no_units, particle_types={},
        periodicity=tuple(kind_of_boundary(boundary, a, "lower") == "periodic" for a in "xyz"))
    handler.name = snapshot.path
    handler.domain_left_edge = np.array([*snapshot.lower, *(0.0 for _ in flat)])
    handler.domain_right_edge = np.array([*snapshot.upper, *(1.0 for _ in flat)])
    cells = np.round((snapshot.upper - snapshot.lower) / snapshot.levels[0].spacing).astype(int)
    handler.domain_dimensions = np.array([*cells, *flat])
    handler.dimensionality, handler.refine_by = snapshot.dim, 3
    handler.simulation_time, handler.cosmology_simulation = snapshot.time, 0
    return stream.StreamDataset(handler)


def to_vtk(snapshot, fields=None):
    """Returns a vtkOverlappingAMR with the leaves and cell data by name, as VTK's reader returns for a plot file.

    fields: names; None: all fields of the file. Vectors have three components. VTK counts levels from the coarsest level
    with leaves. In 2D all boxes are one volume of the coarsest level thick, from z = 0.
    """
    data_model = needs("vtkmodules.vtkCommonDataModel", "to_vtk() (vtk)")
    numpy_support = needs("vtkmodules.util.numpy_support", "to_vtk() (vtk)")
    names = snapshot.fields if fields is None else list(fields)
    flat = [] if snapshot.dim == 3 else [0]
    amr = data_model.vtkOverlappingAMR()
    sizes = [len(level) for level in snapshot.levels]
    try:
        amr.Initialize(sizes)  # VTK 9.6
    except TypeError:
        amr.Initialize(len(sizes), sizes)
    amr.SetOrigin([*snapshot.lower, *flat])
    amr.SetGridDescription(data_model.VTK_XYZ_GRID if hasattr(data_model, "VTK_XYZ_GRID") else
                           data_model.vtkStructuredData.VTK_STRUCTURED_XYZ_GRID)
    for i, level in enumerate(snapshot.levels):
        spacing = [level.spacing] * snapshot.dim + [snapshot.levels[0].spacing for _ in flat]
        amr.SetSpacing(i, spacing)
        values = {name: snapshot.values(name, level) for name in names}
        for row, corner in enumerate(level.lower):
            first = [int(n) * snapshot.p for n in level.index[row]]
            amr.SetAMRBox(i, row, data_model.vtkAMRBox(first + flat, [n + snapshot.p - 1 for n in first] + flat))
            grid = data_model.vtkUniformGrid()
            grid.SetOrigin([*corner, *flat])
            grid.SetSpacing(spacing)
            grid.SetDimensions([snapshot.p + 1] * snapshot.dim + [2 for _ in flat])
            for name in names:
                array = values[name][row].reshape((snapshot.p ** snapshot.dim, -1))
                array = np.pad(array, ((0, 0), (0, 1))) if array.shape[1] == 2 else array
                data = numpy_support.numpy_to_vtk(np.ascontiguousarray(array), deep=True)
                data.SetName(name)
                grid.GetCellData().AddArray(data)
            amr.SetDataSet(i, row, grid)
    for i in range(len(snapshot.levels)):
        amr.SetRefinementRatio(i, 3)
    return amr
