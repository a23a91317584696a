#!/bin/sh
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# with_h5py.sh SCRIPT: runs a script with a Python that has h5py and numpy. Relative names are relative to this folder.
here=$(cd "$(dirname "$0")" && pwd)
for python in /usr/bin/python3 python3; do
  if "$python" -c 'import h5py, numpy' 2>/dev/null; then exec "$python" "$(cd "$here" && realpath "$1")"; fi
done
echo "SKIPPED: no Python with h5py and numpy"
exit 77
