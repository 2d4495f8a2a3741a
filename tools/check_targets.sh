#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs check_cortex_m.sh; compiles the core for Cortex-M0 and looks at what it needs; runs the golden program on other processors
# under emulation.
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

mkdir -p "$1"
check_cortex_m "$1/cortex-m"
check_cortex_m0 "$1"
strict="-O2 -Wall -Wextra -Wpedantic -Werror -static"
# shellcheck disable=SC2086
{
  check_golden "s390x, big endian" "$1/s390x" qemu-s390x s390x-linux-gnu-gcc $strict
  check_golden "aarch64" "$1/aarch64" qemu-aarch64 aarch64-linux-gnu-gcc $strict
  if command -v i686-linux-gnu-gcc >/dev/null; then
    check_golden "i386 with SSE2" "$1/i386" qemu-i386 i686-linux-gnu-gcc $strict -msse2 -mfpmath=sse
  else
    skip "i386 with SSE2" "no i686-linux-gnu-gcc here (it conflicts with gcc-multilib)"
  fi
}
closing
