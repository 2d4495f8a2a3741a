#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds pool.c and what it needs of bitfold, and runs it: here, or on an emulated Cortex-M.
#
# usage: run.sh host|m55|m4f
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/cortex_m/target.sh

host() {
  tools/need.sh build >&2
  echo "this host: portable C"
  compile "$folder" "${CC:-cc}" "-O2 -DBITFOLD_MACHINE=scalar" "${files[@]}"
  "${CC:-cc}" -Wl,--gc-sections "$folder"/*.o -lm -o "$folder/pool"
  "$folder/pool"
}

# `chip TARGET MACHINE COMPILER`: a name of target.sh, a machine of bitfold, gcc_for or clang_for.
chip() {
  tools/need.sh cortex-m >&2
  target "$1"
  echo "Cortex-$1: $2, emulated $board"
  compile "$folder" "$("$3")" "-O2 -DBITFOLD_MACHINE=$2" "${files[@]}"
  link "$folder/pool.elf" "$folder"/*.o
  emulate "$folder/pool.elf"
}

files=(examples/cortex-m/pool.c examples/cortex-m/features.c compat/cmsis_nn/reductions.c src/dense.c src/isa/*.c)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case ${1:-} in
  host) host ;;
  m55) chip M55 helium clang_for ;;
  m4f) chip M4F m4f gcc_for ;;
  *)
    echo "usage: run.sh host|m55|m4f" >&2
    exit 2
    ;;
esac
