#!/bin/sh
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Runs test_quicklook.py with the Python that scripts/plot would take.
here=$(cd "$(dirname "$0")" && pwd)
for python in /usr/bin/python3 python3; do
  if "$python" -c 'import h5py, numpy, matplotlib, tomllib' 2>/dev/null; then
    PYTHONPATH="$here/../../python" PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/test_quicklook.py"
  fi
done
echo "SKIPPED: no Python with h5py, numpy and matplotlib"
exit 77
