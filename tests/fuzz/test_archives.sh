#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Every archive of the corpus holds files, and packing them again gives the same archive. Regressions are not in it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$1" >&2; exit 1; }

for name in input checkpoint plot history series; do
  archive=$here/corpus/$name.tar.gz
  mkdir "$scratch/$name"
  tar -C "$scratch/$name" -xzf "$archive"
  touch "$scratch/$name"/*
  "$here/pack.sh" "$scratch/$name" "$scratch/$name.tar.gz"
  # The compressed bytes depend on the version of gzip.
  cmp <(gzip -dc "$archive") <(gzip -dc "$scratch/$name.tar.gz") || fail "$archive: not as pack.sh packs it"
  for regression in "$here/regressions/$name"/*; do
    ! [ -e "$scratch/$name/$(basename "$regression")" ] || fail "$archive holds $regression"
  done
done
mkdir "$scratch/none"
! "$here/pack.sh" "$scratch/none" "$scratch/none.tar.gz" 2>/dev/null || fail "an empty folder was packed"
! [ -e "$scratch/none.tar.gz" ] || fail "an archive of an empty folder was left"
