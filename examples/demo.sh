#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What bitfold is for, shown on the data in examples/data in a few seconds; `make demo` runs it.
#
# usage: demo.sh [COMMAND]
# COMMAND is the bitfold to show (default build/bitfold). examples/demo.expected is what this prints.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bitfold=${1:-$top/build/bitfold}
case $bitfold in */*) bitfold=$(cd "$(dirname "$bitfold")" && pwd)/$(basename "$bitfold") ;; esac
cd "$top/examples/data"

# `row FILE FLAG...` prints a result's bits and value, and the file and flags that gave them.
row() { printf '  %-10s %-12s %s\n' "$("$bitfold" sum "$@" --bits)" "$("$bitfold" sum "$@")" "$*"; }

echo "One sum, six contracts: carbon dioxide at Mauna Loa, 2225 weeks, float32."
for order in exact sequential reverse "lanes(4)" "canonical(16)" "pairwise(128,lanes(8))"; do row co2.npy --order "$order"; done

echo
echo "The same values shuffled: exact keeps its bits, sequential does not."
for order in exact sequential; do row co2_shuffled.npy --order "$order"; done

echo
echo "Half precision: 115008 pixels of handwritten digits, added up in float32, in float16 and in bfloat16."
row digits.npy --as f16 --contract acc=f32:sequential:out=f32
row digits.npy --as f16 --contract acc=f16:sequential:out=f32
row digits.npy --as bf16 --contract acc=bf16:sequential:out=f32

echo
echo "Every machine here, on generated data and on the files: one hash each."
"$bitfold" agree digits.npy weights_f16.npy co2.npy | sed 's/^/  /'

echo
echo "SuperFloat clamps at each step, in sequence: 0.5 + 0.5 + 0.5 - 0.5 is not 1.0."
echo "  \$ bitfold sum overflow_sf16.npy --as sf16"
"$bitfold" sum overflow_sf16.npy --as sf16 2>&1 | sed 's/^/  /' || true
echo "  \$ bitfold sum overflow_sf16.npy --as sf16 --over ignore"
"$bitfold" sum overflow_sf16.npy --as sf16 --over ignore | sed 's/^/  /'
