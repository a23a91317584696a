#!/bin/sh
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# with_python.sh system|current "MODULES" SCRIPT [arguments]: runs a script beside this file with Debian's Python, or with
# that of scripts/install-readers. Where a module is missing, or the runs are, it says so and ends with 77: skipped.
here=$(cd "$(dirname "$0")" && pwd)
which=$1 modules=$2 script=$3
shift 3
case "$which" in
  system) python=/usr/bin/python3 how="apt install python3-..., or scripts/install-dependencies --with-checks" ;;
  current) python=$here/../../build/readers/bin/python how="scripts/install-readers" ;;
esac
if ! [ -x "$python" ]; then
  echo "SKIPPED: $python is not there: $how"
  exit 77
fi
for module in $modules; do
  if ! "$python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$module'.split('.')[0]) is None)"; then
    echo "SKIPPED: $python has no module $module: $how"
    exit 77
  fi
done
if [ "$script" != runs.py ] && ! [ -f "$RUNS/facts.json" ]; then
  echo "SKIPPED: no runs to read; the test readers.runs says why"
  exit 77
fi
exec "$python" "$here/$script" "$@"
