#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the C tests, the examples and the command on the example data under valgrind: any invalid access, use of an undefined value
# or leak is a failure.
#
# usage: check_valgrind.sh BUILD
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
. tools/tally.sh
build=$1
declare -A rows=([exact_mpfr]=5000 [machines]=5000 [fences_reduce]=6) # random rows or contracts to try, where all would take long
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# `clean NAME STATUS COMMAND...` expects that exit status and no finding.
clean() {
  local name=$1 want=$2
  shift 2
  valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=all "$@" >"$log" 2>&1
  local got=$?
  if [ "$got" -eq "$want" ]; then pass "$name"; else fail "$name: exit status $got"; tail -n 40 "$log"; fi
}

for program in "$build"/tests/* "$build"/examples/*; do
  name=$(basename "$program")
  if [ "$name" = environment ]; then skip "$name" "valgrind has no flush-to-zero state to keep"
  elif [ -f "$program" ]; then clean "$name" 0 "$program" ${rows[$name]:-}
  fi
done
data=examples/data
bitfold=$build/bitfold
for order in exact sequential "lanes(8)" "canonical(16)" "pairwise(128,lanes(8))" "blocks(256,sequential)"; do
  clean "sum of digits, $order" 0 "$bitfold" sum $data/digits.npy --axis 0 --order "$order"
done
clean "sum of float16 weights as JSON" 0 "$bitfold" sum $data/weights_f16.npy --json
clean "argmax of float16 weights" 0 "$bitfold" argmax $data/weights_f16.npy --axis 1
clean "SuperFloat sum that overflows" 1 "$bitfold" sum $data/overflow_sf16.npy --as sf16 --codes
clean "a file that is not there" 2 "$bitfold" sum $data/absent.npy
clean "a contract with a typo" 2 "$bitfold" sum $data/co2.npy --order sequentail
closing
