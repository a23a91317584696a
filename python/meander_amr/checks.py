# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks of files before their content is used. Meander writes HDF5 with hard links and datasets in one piece, without
filters; a forged file could use other features to read other files, to load libraries, or to exhaust the memory."""
import os

from meander_amr.errors import FileError, needs

MOST_TEXT = 1 << 25  # bytes of a string
MOST_DEPTH = 8       # groups in groups


def require_plain(path, file):
    """Raises FileError if the open HDF5 file uses a feature that Meander never writes."""
    h5py = needs("h5py", path)
    size = os.stat(path).st_size

    def visit(group, name, depth, above):
        if depth > MOST_DEPTH:
            raise FileError(f"{path}: {name}: groups are nested too deeply")
        for child in group:
            full = f"{name}/{child}"
            if not isinstance(group.get(child, getlink=True), h5py.HardLink):
                raise FileError(f"{path}: {full} is a link out of its group, which is never written")
            item = group[child]
            check_attributes(path, full, item, size, h5py)
            if isinstance(item, h5py.Dataset):
                check_dataset(path, full, item, size, h5py)
            elif isinstance(item, h5py.Group):
                address = h5py.h5o.get_info(item.id).addr
                if address in above:
                    raise FileError(f"{path}: {full} contains itself")
                visit(item, full, depth + 1, above | {address})
    check_attributes(path, "/", file, size, h5py)
    visit(file, "", 0, {h5py.h5o.get_info(file["/"].id).addr})


def check_dataset(path, name, data, size, h5py):
    """Raises FileError unless the dataset is in one piece of the file, and holds numbers or one string."""
    creation = data.id.get_create_plist()
    if creation.get_external_count() > 0:
        raise FileError(f"{path}: {name} is stored in another file, which is never written")
    if creation.get_layout() != h5py.h5d.CONTIGUOUS:
        raise FileError(f"{path}: {name} is not stored in one piece, as Meander writes it")
    if creation.get_nfilters() > 0:
        raise FileError(f"{path}: {name} has filters, which are never written")
    if data.id.get_space().get_simple_extent_npoints() == 0:
        return
    length = check_values(path, name, data.id.get_type(), data.id.get_space(), h5py)
    offset = data.id.get_offset()
    if offset is None or offset + length > size:
        raise FileError(f"{path}: {name} has more values than the file holds")


def check_attributes(path, name, item, size, h5py):
    for attribute in item.attrs:
        if isinstance(attribute, bytes):
            raise FileError(f"{path}: {name} has an attribute whose name is no text")
        found = item.attrs.get_id(attribute)
        if check_values(path, f"{name}@{attribute}", found.get_type(), found.get_space(), h5py) > size:
            raise FileError(f"{path}: {name}@{attribute} has more values than the file holds")


def check_values(path, name, kind, space, h5py):
    """Returns the bytes of the values. Raises FileError for a type that is never written."""
    known = (h5py.h5t.INTEGER, h5py.h5t.FLOAT, h5py.h5t.STRING, h5py.h5t.COMPOUND)
    is_outside = kind.get_class() == h5py.h5t.STRING and kind.is_variable_str()
    if kind.get_class() not in known or is_outside or kind.detect_class(h5py.h5t.VLEN) or \
            kind.detect_class(h5py.h5t.REFERENCE):
        raise FileError(f"{path}: {name} is of a type that is never written")
    if kind.get_size() > MOST_TEXT:
        raise FileError(f"{path}: {name} is a value of {kind.get_size()} bytes")
    return kind.get_size() * space.get_simple_extent_npoints()
