# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For check_cortex_m.sh to source, after target.sh: builds the twelve functions in one way and finds out all that is asked of them.
#
# What a function finds it prints as tally.sh does, with lines of explanation that begin with "note"; figures for the table go to
# $here/figures, a word and a value a line. A level is -O3 (of what is measured; the rest is compiled faster) or -Ofast (of all).

STRICT="-Wall -Wextra -Wpedantic -Werror"
CODE_MAX=6144 # bytes of the twelve with Helium at -Os
STACK_MAX=256 # bytes of one call there

# `prepare FOLDER TARGET MACHINE COMPILER LEVEL` sets what the functions below use. COMPILER: gcc, clang, or mixed: gcc, but clang
# for Helium's files. What does not know the machine is compiled once for all builds by one compiler, in $shared.
prepare() {
  target "$2" || return
  machine=$3 level=$5 here=$1/$2-$3-$4$5 name="$2 $3 $4"
  if [ "$level" = -Ofast ]; then name+=" -Ofast"; fi
  rest=$(gcc_for) vector=$(clang_for)
  if [ "$4" = clang ]; then rest=$vector; elif [ "$4" = gcc ]; then vector=$rest; fi
  shared=$1/shared-$2-${rest%%-*}$level
  # Clang 19 would rather have -Ofast called -O3 -ffast-math; projects still say -Ofast.
  if [ "$level" = -Ofast ]; then STRICT+=" -Wno-deprecated-ofast"; fi
  mkdir -p "$here" "$shared"
  touch "$here/figures"
}
figure() { echo "$1 $2" >>"$here/figures"; }

# `gates f32|f16|both|none` prints the flags that say which functions exist.
gates() {
  case $1 in
    f32) echo "-DARM_NN_ENABLE_F32=1 -DARM_NN_ENABLE_F16=0" ;;
    f16) echo "-DARM_NN_ENABLE_F32=0 -DARM_NN_ENABLE_F16=1" ;;
    both) echo "-DARM_NN_ENABLE_F32=1 -DARM_NN_ENABLE_F16=1" ;;
    none) echo "-DARM_NN_ENABLE_F32=0 -DARM_NN_ENABLE_F16=0" ;;
  esac
}

# The parts of a program, each a function that compiles a folder of objects:
# `compile_core` the core but for dense.c and the machines; `compile_shell GATES` the twelve functions' own files, fast unless they
# are measured; `compile_machine FOLDER LEVEL` dense.c and the machine; `compile_small` both of these at -Os; `compile_suite FOLDER
# GATES FLAGS` a clause suite; `compile_golden` the core's golden program. Programs are held to aligned accesses.
compile_core() {
  local files
  mapfile -t files < <(find src -name '*.c' ! -path 'src/isa/*' ! -path src/dense.c)
  compile "$shared/core" "$rest" "${level/-O3/-Os} $STRICT" "${files[@]}"
}
compile_shell() {
  local optimise=$level
  if [ "$1" != both ]; then optimise=-O1; fi
  compile "$shared/shell-$1" "$rest" "$optimise $STRICT $(gates "$1")" compat/cmsis_nn/*.c
}
compile_machine() {
  local helium others flags="$2 $STRICT -DBITFOLD_MACHINE=$machine"
  mapfile -t helium < <(find src/isa -name 'helium*.c')
  mapfile -t others < <(find src/dense.c src/isa -name '*.c' ! -name 'helium*.c')
  compile "$1" "$rest" "$flags" "${others[@]}" && compile "$1" "$vector" "$flags" "${helium[@]}"
}
compile_suite() {
  local flags="${level/-O3/-O2} -mno-unaligned-access $STRICT $3"
  compile "$shared/$(basename "$1")-$2" "$rest" "$flags $(gates "$2")" "$1"/*.c tests/c/hostile.c
}
compile_small() { compile_machine "$here/small" -Os && compile "$here/small" "$rest" "-Os $STRICT" compat/cmsis_nn/*.c; }
compile_golden() { compile "$shared/core_golden" "$rest" "${level/-O3/-O2} -mno-unaligned-access $STRICT" tests/c/golden.c; }

# `build_shared PART...` compiles what several builds have in common: shell, core, and suites by their folders.
build_shared() {
  local part
  for part in "$@"; do
    case $part in
      shell) compile_shell both ;;
      core) compile_core && compile_golden ;;
      *) compile_suite "$part" both "" ;;
    esac || return
  done
}

# How many functions of one format, f32 or f16, the objects of a folder define.
count_functions() {
  arm-none-eabi-nm --defined-only --format=posix "$1"/*.o |
    grep -cE "^arm_(reduce_sum|reduce_max|reduce_min|nn_mean|argmax|argmin)_$2 T"
}

# Which of the twelve each choice of gates exports: six, six, none, twelve (H10).
check_symbols() {
  local part found
  for part in f32 f16 none both; do
    if ! compile_shell "$part"; then
      fail "$name: does not compile with gates '$part'"
      continue
    fi
    found="$(count_functions "$shared/shell-$part" f32) and $(count_functions "$shared/shell-$part" f16)"
    case "$part: $found" in
      "f32: 6 and 0" | "f16: 0 and 6" | "both: 6 and 6" | "none: 0 and 0") pass "$name: gates '$part' export $found functions" ;;
      *) fail "$name: gates '$part' export $found functions of f32 and of f16" ;;
    esac
  done
}

# `check_suite FOLDER GATES` runs a clause suite that is compiled. Its closing line is handed on, with what fails or is left out.
check_suite() {
  local program status closing
  program=$(basename "$1")-$2
  if ! link "$here/$program.elf" "$shared/$program"/*.o "$shared/shell-$2"/*.o "$here/machine"/*.o; then
    fail "$name: $program does not link"
    return
  fi
  emulate "$here/$program.elf" >"$here/$program.log" 2>&1
  status=$?
  grep -E '^(FAIL|skip|fault)' "$here/$program.log" | sed "s/^/note $name: /"
  closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$here/$program.log" | tail -n 1)
  if [ -z "$closing" ]; then fail "$name: $program did not end: status $status (124: the time limit, 99: a fault)"
  elif [ $status -ne 0 ] && [[ $closing == *" 0 failed"* ]]; then fail "$name: $program ends with status $status"
  else echo "suite $closing: $name, $program"; fi
}

# `check_lines WORD EXPECTED ARGUMENT FOLDER...` links a program of those folders, which must print a file's lines; WORD names it.
check_lines() {
  local word=$1 expected=$2 argument=$3 status equal objects
  shift 3
  mapfile -t objects < <(find "$@" -name '*.o')
  if ! link "$here/$word.elf" "${objects[@]}"; then
    fail "$name: the program for $expected does not link"
    return
  fi
  emulate "$here/$word.elf" ${argument:+"$argument"} >"$here/$word.log" 2>&1
  status=$?
  equal=$(awk 'NR == FNR { want[FNR] = $0; n = FNR; next } $0 == want[FNR] { equal++ } END { print equal + 0 "/" n + 0 }' \
    "$expected" "$here/$word.log")
  figure "$word" "$equal"
  if cmp -s "$expected" "$here/$word.log" && [ $status -eq 0 ]; then
    pass "$name: $equal lines of $expected"
  else
    diff "$expected" "$here/$word.log" | grep '^[<>]' | head -n 2 | sed 's/^/note /'
    fail "$name: $equal lines of $expected, status $status (124: the time limit, 99: a fault)"
  fi
}

# The golden lines of the twelve, of their integer relatives, and of the core.
check_twelve() {
  check_lines twelve tests/cmsis_nn/golden.txt golden "$shared/cmsis_nn-both" "$shared/shell-both" "$here/machine"
}
check_integers() {
  check_lines integers tests/cmsis_nn_integer/golden.txt digests "$shared/cmsis_nn_integer-both" "$shared/shell-both" \
    "$here/machine"
}
check_core() { check_lines core tests/golden.txt "" "$shared/core_golden" "$here/machine" "$shared/core"; }

# The twelve at -Os, linked with nothing else: bytes of code and of data.
measure_size() {
  local code data roots
  if ! compile_small; then
    fail "$name: does not compile at -Os"
    return
  fi
  mapfile -t roots < <(arm-none-eabi-nm --defined-only --format=posix "$here/small"/*.o |
    sed -n 's/^\(arm_[a-z_]*_f[0-9]*\) T.*/-Wl,-u,\1/p')
  # shellcheck disable=SC2046
  $(gcc_for) -nostartfiles -Wl,--gc-sections -Wl,-z,noexecstack -Wl,-e,arm_reduce_sum_f32 "${roots[@]}" "$here/small"/*.o \
    -o "$here/small.elf" || return
  read -r code data < <(arm-none-eabi-size "$here/small.elf" | awk 'END { print $1, $2 + $3 }')
  figure functions ${#roots[@]}
  figure code "$code"
  figure data "$data"
  if [ "$data" -ne 0 ]; then fail "$name: $data bytes of data"
  elif [ "$machine" = helium ] && [ "$code" -gt $CODE_MAX ]; then fail "$name: $code bytes of code, more than $CODE_MAX"
  else pass "$name: $code bytes of code, no data"; fi
}

# `measure PROGRAM ARGUMENT FOLDER...` runs a program of bench/cortex_m with the twelve that lie in those folders; its output is
# $here/PROGRAM.log.
measure() {
  local program=$1 argument=$2 objects
  # shellcheck disable=SC2154 # target() sets systick
  local flags="-O2 $STRICT -DSYSTICK_HZ=$systick -DBITFOLD_MACHINE=$machine"
  shift 2
  mapfile -t objects < <(find "$@" -name '*.o')
  compile "$here/$program" "$rest" "$flags" "bench/cortex_m/$program.c" bench/cortex_m/subjects.c || return
  link "$here/$program.elf" "$here/$program"/*.o "${objects[@]}" || return
  emulate "$here/$program.elf" ${argument:+"$argument"} >"$here/$program.log" && return
  cat "$here/$program.log"
  return 1
}

# The deepest call, at -Os.
measure_stack() {
  local most
  if ! measure stack "" "$here/small"; then
    fail "$name: the stack cannot be measured"
    return
  fi
  most=$(awk '$2 > most { most = $2 } END { print most + 0 }' "$here/stack.log")
  figure stack "$most"
  if [ "$machine" = helium ] && [ "$most" -gt $STACK_MAX ]; then
    fail "$name: a call takes $most bytes of stack, more than $STACK_MAX"
  else
    pass "$name: a call takes at most $most bytes of stack"
  fi
}

# Instructions an element of four kernels on random data.
measure_instructions() {
  if ! ICOUNT=shift=7 measure count brief "$shared/shell-both" "$here/machine"; then
    fail "$name: instructions cannot be counted"
    return
  fi
  figure instructions "$(awk '
    { each[$1 " " $3 " " $4] = $6 / $4 }
    END {
      printf "%.2f,%.2f,%.2f,%.2f", each["arm_reduce_sum_f32 row 1024"], each["arm_reduce_sum_f32 columns 12288"],
        each["arm_reduce_max_f32 row 1024"], each["arm_argmax_f16 row 1024"]
    }' "$here/count.log")"
  pass "$name: instructions counted"
}

# `check_tree FOLDER MACHINE` lays out a firmware project's folder and runs the one command in its README.
check_tree() {
  local command
  rm -rf "$1"
  tools/firmware_tree.sh "$1" "$2" || return
  # shellcheck disable=SC2016
  command=$(sed -n '/^```sh$/,/^```$/p' "$1/README.md" | grep -v '^```')
  if [ "$(wc -l <<<"$command")" -ne 1 ]; then
    echo "README.md has no command of one line"
    return 1
  fi
  (cd "$1" && bash -c "$command")
}

# What firmware_tree.sh refuses gives one line, and leaves nothing.
check_refusals() {
  local folder=$1 bad
  for bad in "" "$folder" "$folder/new arm9" "$folder/none/new helium" "$folder/file" "$folder/new helium m4f"; do
    : >"$folder/file"
    # shellcheck disable=SC2086
    if tools/firmware_tree.sh $bad >"$folder/said" 2>&1 || [ "$(wc -l <"$folder/said")" -ne 1 ] || [ -e "$folder/new" ]; then
      fail "firmware_tree.sh $bad is not refused in one line: $(head -n 3 "$folder/said")"
    else
      pass "firmware_tree.sh refuses: $(cat "$folder/said")"
    fi
  done
}
