#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds board.c for a Cortex-M55, starts it in QEMU with a pseudo-terminal as its serial line, and asks in which order it adds.
#
# usage: run.sh [N [BITFOLD]]
set -euo pipefail
count=${1:-256}
bitfold=$(realpath "${2:-$(command -v bitfold || echo build/bitfold)}")
cd "$(dirname "$0")/../.."
. tools/cortex_m/target.sh
tools/need.sh cortex-m >&2

folder=$(mktemp -d)
trap 'kill "${emulator:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
target M55
compile "$folder" "$(clang_for)" "-O2 -DBITFOLD_MACHINE=helium" examples/reveal/board.c compat/cmsis_nn/reductions.c src/dense.c \
  src/isa/*.c
link "$folder/board.elf" "$folder"/*.o
qemu-system-arm -M "$board" -display none -monitor none -serial pty -semihosting-config enable=on,target=native \
  -kernel "$folder/board.elf" >"$folder/said" 2>&1 &
emulator=$!
for _ in {1..100}; do
  line=$(sed -n 's/.*redirected to \([^ ]*\).*/\1/p' "$folder/said")
  [ -z "$line" ] || break
  sleep 0.1
done
if [ -z "$line" ]; then
  cat "$folder/said" >&2
  exit 2
fi
"$bitfold" reveal --pipe "python3 examples/reveal/serial_line.py $line" --n "$count" --format f32
