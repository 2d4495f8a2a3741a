# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For scripts to source: keeps count of passed, failed and skipped cases, and compiles the core for them.

passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); echo "ok    $1"; }
fail() { failed=$((failed + 1)); echo "FAIL  $1"; }
skip() { skipped=$((skipped + 1)); echo "skip  $1: $2"; }

# `closing` prints the one line that sums up, and is the script's exit status.
closing() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# `compile_core FOLDER CC FLAG...` compiles src/**/*.c, two at a time, to FOLDER/*.o.
compile_core() {
  local folder=$1
  shift
  rm -rf "$folder" && mkdir -p "$folder"
  find src -name '*.c' -print | xargs -P "$(nproc)" -I{} sh -c \
    'file=$1 object=$2/$(echo "$1" | tr / _).o; shift 2; "$@" -std=c11 -Iinclude -c "$file" -o "$object"' sh {} "$folder" "$@"
}

# `check_golden NAME MACHINE FOLDER RUNNER CC FLAG...` compiles the core and the golden program, runs it (with RUNNER, unless that is
# empty) and compares what it prints with tests/golden.txt. It visits every machine that the core has there, MACHINE among them.
check_golden() {
  local name=$1 machine=$2 folder=$3 runner=$4 visited
  shift 4
  # shellcheck disable=SC2086
  if ! compile_core "$folder" "$@" || ! "$@" -std=c11 -Iinclude tests/c/golden.c "$folder"/*.o -o "$folder/golden"; then
    fail "$name does not compile"
  elif ! tools/same.sh tests/golden.txt $runner "$folder/golden"; then
    fail "$name gives other bits"
  elif visited=$($runner "$folder/golden" machines) && [[ " $visited " == *" $machine "* ]]; then
    pass "$name: $visited"
  else
    fail "$name: the machines that ran are '$visited', without $machine"
  fi
}
