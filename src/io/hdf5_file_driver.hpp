// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An HDF5 file driver that survives a full disk. HDF5 1.10 cannot close a file whose last writes fail, and
// crashes when the process ends. This driver records the first failure and from then on discards all writes
// and reports success, so that the library can close the file. The owner of the file checks the recorded
// failure.

#include <hdf5.h>

namespace meander::io::hdf5 {

// Selects the driver for files opened with the access list `access`. `*first_errno` is set to the errno of
// the first failed call; it must be 0 initially and outlive the file. For new files and for reading. Takes no
// locks, which some parallel file systems lack. Returns a negative number on failure.
herr_t use_surviving_driver(hid_t access, int* first_errno);

}  // namespace meander::io::hdf5
