#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Packs the files of a folder, without its subfolders. Equal files give an equal archive: names are sorted; owner, mode and
# time are fixed.
#   usage: tests/fuzz/pack.sh DIRECTORY ARCHIVE.tar.gz
set -euo pipefail
export LC_ALL=C
directory=$1 archive=$2
names=$(cd "$directory" && find . -maxdepth 1 -type f -printf '%P\n' | sort)
[ -n "$names" ] || { echo "$directory: no files to pack" >&2; exit 1; }
trap 'rm -f "$archive.part"' EXIT
tar -C "$directory" --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 --no-recursion -cf - \
  --verbatim-files-from -T - <<<"$names" | gzip -9n >"$archive.part"
mv "$archive.part" "$archive"
