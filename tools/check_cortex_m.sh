#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the twelve arm_* functions for Cortex-M processors, runs the clause suites and the golden programs in QEMU, prints a table.
#
# usage: check_cortex_m.sh FOLDER
# The clause suites take a minute of emulation, so they are run once for each kind of machine; FULL=1 runs them for every build. The
# golden lines, which hash all shapes, masks and kinds of data, are compared for every build.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
. tools/tally.sh
. tools/cortex_m/target.sh
. tools/cortex_m/examine.sh
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
trap 'jobs -rp | xargs -r kill' EXIT

# What builds by one compiler have in common: `common TARGET COMPILER LEVEL PART...`.
common() {
  prepare "$folder" "$1" scalar "$2" "$3" || return
  shift 3
  if build_shared "$@"; then pass "$name: $* compile"; else fail "$name: does not compile"; fi
  if [ "$level" = -O3 ]; then check_symbols; fi
}

# A build in every respect: `whole TARGET MACHINE COMPILER [GATES...]`; GATES: with which the clause suite runs.
whole() {
  local part
  prepare "$folder" "$1" "$2" "$3" -O3 || return
  shift 3
  if ! compile_machine "$here/machine" -O3; then
    fail "$name: does not compile"
    return
  fi
  check_twelve
  check_core
  measure_size
  measure_stack
  measure_instructions
  if [ -n "${FULL:-}" ] && [ $# -eq 0 ]; then set -- both; fi
  for part in "$@"; do
    if [ "$part" = both ] || { compile_shell "$part" && compile_suite tests/cmsis_nn "$part" ""; }; then
      check_suite tests/cmsis_nn "$part"
    else
      fail "$name: the clause suite does not compile with gates '$part'"
    fi
  done
  if [ $# -gt 0 ]; then
    check_integers
    check_suite tests/cmsis_nn_integer both
  fi
}

# The suites on a Cortex-M0 with 16 KiB of memory; with GATES f32, because its arithmetic is slow, unless FULL=1.
tiny() {
  local part=${FULL:+both}
  part=${part:-f32}
  prepare "$folder" M0 scalar gcc -O3 && target M0 small || return
  name+=", 16 KiB" shared=$folder/tiny here=$folder/tiny
  if compile_machine "$here/machine" -O3 && compile_shell "$part" && compile_suite tests/cmsis_nn "$part" -DSMALL &&
    compile_suite tests/cmsis_nn_integer "$part" -DSMALL; then
    check_suite tests/cmsis_nn "$part"
    check_suite tests/cmsis_nn_integer "$part"
  else
    fail "$name: does not compile"
  fi
}

# The sources and their caller at -Ofast give the golden bits (H9); the core does so too, where compilers make vectors of it.
fast() {
  prepare "$folder" "$1" "$2" "$3" -Ofast || return
  if compile_machine "$here/machine" -Ofast; then
    check_twelve
    if [ "$1" = M55 ]; then
      check_integers
      check_core
    fi
  else
    fail "$name: does not compile"
  fi
}

# Misaligned words and halfwords fault, and the compiler is told so (H8).
trapping() {
  local suite
  prepare "$folder" "$1" "$2" "$3" -O3 || return
  suite=$shared/cmsis_nn-both shared=$folder/trapping-$1-$2-$3 here=$folder/trapping-$1-$2-$3
  name+=", misaligned accesses fault" STRICT+=" -mno-unaligned-access" TRAP_UNALIGNED=1
  if compile_machine "$here/machine" -O3 && compile_shell both; then
    check_lines twelve tests/cmsis_nn/golden.txt golden "$suite" "$shared/shell-both" "$here/machine"
  else
    fail "$name: does not compile"
  fi
}

# What `make firmware-tree` lays out compiles by the command that its README shows, and gives the golden lines.
firmware() {
  prepare "$folder" "$1" "$2" "$3" -O3 || return
  if check_tree "$here/tree" "$2"; then
    check_lines tree tests/cmsis_nn/golden.txt golden "$shared/cmsis_nn-both" "$here/tree"
  else
    fail "$name: the firmware tree does not compile"
  fi
}

# The same on this computer.
firmware_here() {
  local tree=$folder/tree
  if check_tree "$tree" scalar &&
    cc -std=c11 -D_GNU_SOURCE -O2 -I"$tree/compat/cmsis_nn/include" tests/cmsis_nn/*.c tests/c/hostile.c "$tree"/*.o \
      -Wl,--gc-sections -o "$folder/golden" &&
    "$folder/golden" golden | cmp - tests/cmsis_nn/golden.txt; then
    pass "firmware tree for scalar, compiled here: the golden lines"
  else
    fail "firmware tree for scalar, compiled here"
  fi
  check_refusals "$tree"
}

# The example prints on the chip what it prints on this computer, as README.md shows it.
example() {
  prepare "$folder" "$1" "$2" "$3" -O3 || return
  if compile "$here/pool" "$rest" "-O2 $STRICT" examples/cortex-m/pool.c examples/cortex-m/features.c; then
    check_lines example examples/cortex-m/pool.expected "" "$here/pool" "$shared/shell-both" "$here/machine"
  else
    fail "$name: examples/cortex-m does not compile"
  fi
}
# shellcheck disable=SC2016
example_shown() {
  local readme='/^\$ examples\/cortex-m\/run.sh m55$/,/^```$/{/^[`$]/d;p}' by_hand='/^```sh$/,/^```$/{/^`/d;p}'
  if diff <(sed -n "$readme" README.md) <(examples/cortex-m/run.sh m55); then pass "README.md shows what the example prints"
  else fail "README.md does not show what the example prints"; fi
  if diff examples/cortex-m/pool.expected <(sed -n "$by_hand" examples/cortex-m/README.md | bash); then
    pass "the example is built by hand as its README says"
  else fail "the example cannot be built by hand as its README says"; fi
}

# A board that is asked over its serial line adds in the order of its function.
board_asked() {
  if [ "$(examples/reveal/run.sh 64 "${BITFOLD_COMMAND:-build/bitfold}" | head -n 1)" = "sum:f32:lanes(4,fold=left)" ]; then pass "examples/reveal"
  else fail "examples/reveal does not find the board's order"; fi
}

# Counts and prints what a job has found.
count_findings() {
  local word text numbers
  while read -r word text; do
    case $word in
      ok) pass "$text" ;;
      FAIL) fail "$text" ;;
      suite)
        read -ra numbers <<<"$text"
        passed=$((passed + numbers[0])) failed=$((failed + numbers[2])) skipped=$((skipped + numbers[4]))
        echo "suite $text"
        ;;
      note) echo "      $text" ;;
      *) echo "      $word $text" ;;
    esac
  done <"$1"
}

# `start JOB ARGUMENT...` runs a job beside the others, as many as there are processors; findings are printed in order.
results=() pids=() shown=0
start() {
  local result
  result=$folder/$(echo "$*" | tr ' /' -).result
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  "$@" >"$result" 2>&1 &
  results+=("$result") pids+=($!)
  while [ "$shown" -lt ${#pids[@]} ] && ! kill -0 "${pids[shown]}" 2>/dev/null; do show; done
}
show() { count_findings "${results[shown++]}"; }
finish() {
  wait
  while [ "$shown" -lt ${#results[@]} ]; do show; done
}

# `row TARGET MACHINE COMPILER` prints a line of the table; a figure that was not found is a dash.
row() {
  awk -v name="$*" '
    { value[$1] = $2 }
    function of(word) { return word in value ? value[word] : "-" }
    END {
      printf "%-17s %9s %9s %10s  %-23s %5s %5s %5s\n", name, of("functions"), of("twelve"), of("core"), of("instructions"),
        of("code"), of("data"), of("stack")
    }' "$folder/$1-$2-$3-O3/figures"
}

if vcvtb_is_right; then
  helium=("M55 helium clang" "M55 helium mixed" "M55 helium gcc")
  STRICT+=" -DBITFOLD_VCVTB_IS_RIGHT"
else
  helium=("M55 helium clang" "M55 helium mixed")
  echo "arm-none-eabi-as writes vcvtb.f32.f16 q2, q1 as $vcvtb, not fe3f 4e03: clang-19 compiles src/isa/helium*.c, gcc does not"
fi
scalar=("M55 scalar gcc" "M55 scalar clang")
builds=("M0 scalar gcc" "M3 scalar gcc" "M4F m4f gcc" "M4F scalar gcc" "M7 m4f gcc" "M33 m4f gcc" "${helium[@]}" "${scalar[@]}")
fast_builds=("M4F m4f gcc" "M4F m4f clang" "M4F scalar gcc" "M4F scalar clang" "${helium[@]}" "${scalar[@]}")

for target in M0 M3 M7 M33; do start common $target gcc -O3 shell core tests/cmsis_nn ${FULL:+tests/cmsis_nn_integer}; done
for target in M4F M55; do start common $target gcc -O3 shell core tests/cmsis_nn tests/cmsis_nn_integer; done
start common M55 clang -O3 shell core tests/cmsis_nn tests/cmsis_nn_integer
for compiler in gcc clang; do
  start common M4F $compiler -Ofast shell tests/cmsis_nn
  start common M55 $compiler -Ofast shell core tests/cmsis_nn tests/cmsis_nn_integer
done
finish
start tiny
for build in "${builds[@]}"; do
  # The suite's parts for f32 and for f16 are together the whole.
  case $build in
    "M4F m4f gcc" | "M55 helium clang") parts="f32 f16" ;;
    "M55 scalar gcc") parts=both ;;
    *) parts= ;;
  esac
  # shellcheck disable=SC2086
  start whole $build $parts
done
# shellcheck disable=SC2086
for build in "${fast_builds[@]}"; do start fast $build; done
start trapping M3 scalar gcc
start trapping M4F m4f gcc
start trapping M55 helium clang
start firmware M4F m4f gcc
start firmware M55 helium clang
start firmware_here
start example M4F m4f gcc
start example M55 helium clang
start example M55 helium mixed
start example_shown
start board_asked
finish

printf '\n%-17s %9s %9s %10s  %-23s %5s %5s %5s\n' target functions "golden(1)" core "instructions(2)" code data stack
# shellcheck disable=SC2086
for build in "${builds[@]}"; do row $build; done
cat <<'END'
(1) lines of the golden files that are equal: of the twelve functions, of the core
(2) an element, kernel alone, random data, -O3: sum f32 rows of 1024, and 256 x 48 columns; max f32 rows; argmax f16 rows
code and data: bytes of the twelve functions linked alone; stack: bytes of the deepest call; all at -Os
END
closing
