#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs check_cortex_m.sh; compiles the core for Cortex-M0 and looks at what it needs; runs the golden program on other processors
# under emulation, on every machine that the core has there; sees x87 arithmetic refused.
#
# usage: check_targets.sh FOLDER
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
. tools/tally.sh

# The script for Cortex-M has a closing line of its own, which is added to ours.
check_cortex_m() {
  local numbers
  tools/check_cortex_m.sh "$1" | tee "$1.log" | sed '$d'
  read -ra numbers < <(tail -n 1 "$1.log" | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$')
  if [ ${#numbers[@]} -eq 6 ]; then
    passed=$((passed + numbers[0])) failed=$((failed + numbers[2])) skipped=$((skipped + numbers[4]))
  else
    fail "check_cortex_m.sh did not come to its closing line"
  fi
}

# The core on a processor without floating point: nothing but three functions of <string.h> and the compiler's own helpers.
check_cortex_m0() {
  local folder=$1/cortex-m0 cc="arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb" unknown
  # shellcheck disable=SC2086
  if ! compile_core "$folder" $cc -Os -Wall -Wextra -Wpedantic -Werror -ffunction-sections -fdata-sections; then
    fail "Cortex-M0 does not compile"
    return
  fi
  arm-none-eabi-ld -r "$folder"/*.o -o "$folder/core.elf"
  unknown=$(comm -23 \
    <(arm-none-eabi-nm -u --format=posix "$folder/core.elf" | cut -d' ' -f1 | sort -u) \
    <({ printf '%s\n' memcpy memset memmove
        arm-none-eabi-nm --defined-only --format=posix --quiet "$($cc -print-libgcc-file-name)" | cut -d' ' -f1; } | sort -u))
  if [ -n "$unknown" ]; then
    fail "Cortex-M0 needs more than memcpy, memset, memmove and libgcc: $(echo "$unknown" | tr '\n' ' ')"
  else
    pass "Cortex-M0, $(arm-none-eabi-size -t "$folder"/*.c.o | awk 'END { print $1 " bytes of code, " $2 + $3 " of data" }')"
  fi
}

# `check_x87 FOLDER`: arithmetic that keeps excess precision is refused by one sentence, whichever file is compiled first.
check_x87() {
  local sentence="error: #error \"float additions here keep excess precision (x87?), so no sum would have its bits: on i386 compile"
  local file files=0 errors
  sentence+=" with -msse2 -mfpmath=sse\""
  while read -r file; do
    i686-linux-gnu-gcc -O2 -std=c11 -mfpmath=387 -Iinclude -c "$file" -o "$1/x87.o" 2>"$1/x87.log"
    errors=$(grep -c 'error:' "$1/x87.log")
    if [ "$errors" -ne 1 ] || ! grep -qF "$sentence" "$1/x87.log"; then
      fail "x87: $file is not refused by the one sentence"
      head -n 3 "$1/x87.log"
      return
    fi
    files=$((files + 1))
  done < <(find src -name '*.c')
  pass "i386 with x87 arithmetic: $files files refused by one sentence"
}

# `check_machines NAME MACHINE FOLDER RUNNER CC FLAG...` is check_golden, and every machine against the machine scalar: random layouts
# of hostile data, and data at the edges of pages.
check_machines() {
  local name=$1 folder=$3 runner=$4 failed_before=$failed
  check_golden "$@"
  shift 4
  if [ "$failed" -ne "$failed_before" ]; then return; fi
  try_machines machines 40000 "$@"
  try_machines fences_reduce 8 "$@"
}

# `try_machines PROGRAM PART CC FLAG...` runs a program of tests/c with the core that check_golden compiled, in part.
try_machines() {
  local program=$1 part=$2
  shift 2
  # shellcheck disable=SC2086
  if ! "$@" -std=c11 -D_GNU_SOURCE -Iinclude tests/c/"${program%_*}"*.c tests/c/hostile*.c "$folder"/*.o -lm -o "$folder/$program"; then
    fail "$name: $program does not compile"
  elif $runner "$folder/$program" "$part" >"$folder/$program.log"; then
    pass "$name: $(tail -n 1 "$folder/$program.log")"
  else
    head -n 20 "$folder/$program.log"
    fail "$name: $program"
  fi
}

mkdir -p "$1"
check_cortex_m "$1/cortex-m"
check_cortex_m0 "$1"
strict="-O2 -Wall -Wextra -Wpedantic -Werror -static"
# shellcheck disable=SC2086
{
  check_machines "s390x, big endian" scalar "$1/s390x" qemu-s390x s390x-linux-gnu-gcc $strict
  check_golden "ppc64le" scalar "$1/ppc64le" qemu-ppc64le powerpc64le-linux-gnu-gcc $strict
  check_golden "riscv64" scalar "$1/riscv64" qemu-riscv64 riscv64-linux-gnu-gcc $strict
  check_golden "armhf" scalar "$1/armhf" qemu-arm arm-linux-gnueabihf-gcc $strict
  # NEON vectors of floats flush subnormals there, and fast-math would let the compiler make them.
  check_golden "armhf with NEON, -Ofast" scalar "$1/armhf-neon" qemu-arm arm-linux-gnueabihf-gcc $strict -Ofast -mfpu=neon-vfpv4
  check_machines "aarch64" neon "$1/aarch64" qemu-aarch64 aarch64-linux-gnu-gcc $strict
  if command -v i686-linux-gnu-gcc >/dev/null; then
    check_golden "i386 with SSE2" scalar "$1/i386" qemu-i386 i686-linux-gnu-gcc $strict -msse2 -mfpmath=sse
    check_x87 "$1"
  else
    skip "i386 with SSE2" "no i686-linux-gnu-gcc here (it conflicts with gcc-multilib)"
    skip "i386 with x87 arithmetic" "no i686-linux-gnu-gcc here"
  fi
  if [ "$(uname -m)" = x86_64 ]; then # floating point and instruction sets other than this processor's
    check_machines "x86-64 with AVX2, emulated" avx2 "$1/x86-64" "qemu-x86_64 -cpu max" gcc $strict
    check_golden "x86-64 without AVX, emulated" sse2 "$1/x86-64" "qemu-x86_64 -cpu Nehalem" gcc $strict
  else
    skip "x86-64, emulated" "no cross compiler here"
  fi
}
closing
