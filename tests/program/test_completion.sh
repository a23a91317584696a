#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
# Completions of bash, without a terminal; they include every command and option of the program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/../../share/bash-completion/completions/meander"
failures=0
asked=
compopt() { asked="$*"; }  # the builtin requires a terminal

# offered WORD...: the completions of the last word, in one line, sorted.
offered() {
  COMP_WORDS=("$MEANDER" "$@")
  COMP_CWORD=$#
  _meander
  printf '%s\n' "${COMPREPLY[@]:-}" | sort | paste -sd ' '
}

expect() { # offered, wanted
  [ "$1" = "$2" ] && return
  echo "offered '$1', expected '$2'" >&2
  failures=$((failures + 1))
}

expect "$(offered ex)" "explain"
expect "$(offered rep)" "report"
expect "$(offered res)" "restart"
expect "$(offered run --th)" "--threads"
expect "$(offered check in.toml --set mesh.p)" "mesh.patch-size="
expect "$(offered run in.toml --set gpu-memory.)" "gpu-memory.alignment= gpu-memory.fallback= gpu-memory.limit= gpu-memory.messages= gpu-memory.patches= gpu-memory.quota= gpu-memory.trim-after="
expect "$(offered explain mesh.b)" "mesh.buffer"
expect "$(offered explain doma)" "domain domain.cells domain.dimensions domain.lower domain.upper"
expect "$(offered run in.toml --threads '')" ""
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
touch sod.toml sod.txt sad.toml chk_000010.hdf5
mkdir solo
expect "$(offered run so)" "sod.toml solo/"
expect "$(offered restart c)" "chk_000010.hdf5"
expect "$(offered restart s)" "sad.toml sod.toml solo/"
expect "$(offered report s)" "solo"
offered check in.toml --set mesh.p >/dev/null
expect "$asked" "-o nospace +o filenames"

for command in "" run restart check explain info report scenarios input-reference terms; do
  for option in $("$MEANDER" ${command:+"$command"} --help | grep -oE '(^|[ ,])--[a-z-]+' | tr -d ' ,' | sort -u); do
    [[ " $(_meander_options "$command") " == *" $option "* ]] ||
      { echo "meander $command $option is not completed" >&2; failures=$((failures + 1)); }
  done
done
for command in $("$MEANDER" --help | sed -n '/^S[uU][bB]/,$p' | awk '/^  [a-z]/ {print $1}'); do
  [ "$(offered "$command")" = "$command" ] || { echo "meander $command is not completed" >&2; failures=$((failures + 1)); }
done
[ "$failures" -eq 0 ]
