# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the parts of a checkpoint that other programs rely on, with h5py alone: check_checkpoint_layout.py FILE.

The file is one of tests/io/checkpoints.hpp: leaf i along the curve holds sin(i + n / 1000) as its n-th value.
"""
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1], "r") as file:
    assert file.userblock_size == 512, file.userblock_size
    unknowns, levels = int(file.attrs["num_components"]), int(file.attrs["num_levels"])
    assert [file.attrs[f"component_{u}"] for u in range(unknowns)] == [b"unknown_%d" % u for u in range(unknowns)]
    assert file.attrs["time"] == 0.1 and file.attrs["max_level"] == levels - 1
    assert file.attrs["filetype"] == b"VanillaAMRFileType"
    dim = int(file["Chombo_global"].attrs["SpaceDim"])
    assert sorted(k for k in file if k.startswith("level_")) == [f"level_{n}" for n in range(levels)]

    meta = file["meta"]
    p, coarsest = int(meta.attrs["patch_size"]), int(meta.attrs["level_offset"])
    level, index, rank = meta["patch_level"][:], meta["patch_index"][:], meta["patch_rank"][:]
    assert (level.min(), level.max()) == (coarsest, coarsest + levels - 1)
    assert meta["input"][()] == "[mesh]\n# ä\n".encode()
    assert (meta.attrs["step"], meta.attrs["dt"], meta.attrs["equation"]) == (1234567890123, 1e-300, b"euler")
    assert dict(meta["counters"].attrs) == {"plots": 7, "updates": 2**60}
    for name in ("git_hash", "compiler", "options", "version", "architecture", "build_type"):
        assert meta.attrs[name], name
    assert meta["level_checksum"].shape == (levels,) and meta["level_checksum"].dtype == np.uint64

    axes = "ijk"[:dim]
    volume = 0
    for n in range(levels):
        group = file[f"level_{n}"]
        members = np.flatnonzero(level == coarsest + n)
        width = meta.attrs["base_width"] / 3.0 ** (coarsest + n - meta.attrs["base_level"])
        assert abs(group.attrs["dx"] * p / width - 1) < 1e-14 and group.attrs["ref_ratio"] == 3
        domain = group.attrs["prob_domain"]
        cells = meta.attrs["base_cells"] * 3 ** (coarsest + n - meta.attrs["base_level"])
        assert [domain[f"lo_{a}"] for a in axes] == [0] * dim
        assert [domain[f"hi_{a}"] for a in axes] == list(cells * p - 1)
        assert [group.attrs[f"is_periodic_{a}"] for a in range(dim)] == list(meta.attrs["periodic"])
        boxes = group["boxes"]
        assert boxes.dtype.names == tuple(f"lo_{a}" for a in axes) + tuple(f"hi_{a}" for a in axes)
        for a, letter in enumerate(axes):
            assert (boxes[f"lo_{letter}"] == index[members, a] * p).all()
            assert (boxes[f"hi_{letter}"] == index[members, a] * p + p - 1).all()
        assert (group["Processors"][:] == rank[members]).all()
        values = unknowns * p**dim
        assert (group["data:offsets=0"][:] == np.arange(len(members) + 1) * values).all()
        data = group["data:datatype=0"]
        assert data.dtype == np.float64 and data.chunks is None
        expected = np.sin(members[:, None] + 1e-3 * np.arange(values))
        assert np.abs(data[:].reshape(len(members), values) - expected).max() < 1e-12
        attributes = group["data_attributes"].attrs
        assert attributes["comps"] == unknowns
        assert [attributes["outputGhost"][f"intvect{a}"] for a in axes] == [0] * dim
        volume += len(members) * width**dim
    assert abs(volume / (meta.attrs["base_cells"].prod() * meta.attrs["base_width"] ** dim) - 1) < 1e-12
