// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An HDF5 file driver that survives a full disk. HDF5 1.10 cannot close a file whose last writes fail, and
// crashes when the process ends. This driver remembers the first failure and then takes everything without
// writing it, so that the library can close and forget the file, while its owner learns of the failure here.

#include <hdf5.h>

namespace meander::io::hdf5 {

// Makes files opened with the access list `access` use the driver. `*first_errno` becomes the errno of the
// first call that failed; it must be 0 at first and outlive the file. For new files and for reading; takes no
// locks, which some parallel file systems lack. Returns a negative number on failure.
herr_t use_surviving_driver(hid_t access, int* first_errno);

}  // namespace meander::io::hdf5
