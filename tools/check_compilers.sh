#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the core and the golden program with four compilers at five optimisation levels, fast-math included; all must print the
# golden bits (helia.md H9).
#
# usage: check_compilers.sh FOLDER
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
. tools/tally.sh

best=scalar # of the machines that this processor must have
case $(uname -m) in x86_64) best=sse2 ;; aarch64) best=neon ;; esac
for compiler in gcc-12 clang-14 clang-16 clang-19; do
  for level in -O0 -O2 -O3 -Os -Ofast; do
    flags=(-Wall -Wextra -Werror "$level")
    # It would rather be called -O3 -ffast-math now; projects still say -Ofast.
    if [ "$compiler$level" = clang-19-Ofast ]; then flags+=(-Wno-deprecated-ofast); fi
    if command -v "$compiler" >/dev/null; then
      check_golden "$compiler $level" "$best" "$1/$compiler$level" "" "$compiler" "${flags[@]}"
    else
      skip "$compiler $level" "no $compiler here"
    fi
  done
done
closing
