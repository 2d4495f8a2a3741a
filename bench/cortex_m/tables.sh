#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints, as Markdown tables, the instructions that the twelve functions and their kernels execute on Cortex-M4F and M55 in QEMU.
#
# usage: tables.sh FOLDER
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
. tools/cortex_m/target.sh
. tools/cortex_m/examine.sh

# `tables TARGET MACHINE COMPILER TITLE`
tables() {
  prepare "$folder" "$1" "$2" "$3" -O3 && compile_shell both && compile_machine "$here/machine" -O3 && compile_small &&
    ICOUNT=shift=7 measure count "" "$shared/shell-both" "$here/machine" && measure stack "" "$here/small" || return
  awk -v title="$4" -f bench/cortex_m/tables.awk "$here/stack.log" "$here/count.log"
}

folder=$1
rm -rf "$folder"
mkdir -p "$folder"
tables M55 helium clang "Cortex-M55, helium, clang-19 -O3" &&
  tables M4F m4f gcc "Cortex-M4F, m4f, arm-none-eabi-gcc 12 -O3"
