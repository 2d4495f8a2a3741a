# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For scripts to source: the Cortex-M processors that are built for, how their programs are compiled, linked and run in QEMU.

QEMU_SECONDS=${QEMU_SECONDS:-300}

# `target NAME [small]` sets cpu (flags of both compilers), board, memory (code, its size, data, its size) and systick (Hz).
# QEMU's one board with a Cortex-M0 is small; without `small` its programs run on a Cortex-M3, which executes all of ARMv6-M.
# shellcheck disable=SC2034 # systick is for those who count
target() {
  memory="0 4M 0x20000000 4M" systick=25000000
  case $1 in
    M0) cpu="-mcpu=cortex-m0 -mfloat-abi=soft" board=mps2-an385 ;;
    M3) cpu="-mcpu=cortex-m3 -mfloat-abi=soft" board=mps2-an385 ;;
    M4F) cpu="-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16" board=mps2-an386 ;;
    M7) cpu="-mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16" board=mps2-an500 ;;
    M33)
      cpu="-mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16"
      board=mps2-an505 memory="0x10000000 4M 0x38000000 2M" systick=20000000
      ;;
    M55) cpu="-mcpu=cortex-m55 -mfloat-abi=hard" board=mps3-an547 memory="0 512K 0x20000000 512K" systick=32000000 ;;
    *)
      echo "no target '$1': M0, M3, M4F, M7, M33 or M55" >&2
      return 1
      ;;
  esac
  if [ "$1 ${2:-}" = "M0 small" ]; then board=microbit memory="0 256K 0x20000000 16K"; fi
}

# `gcc_for` and `clang_for` print the compiler with the flags of the target; Clang needs to be told where newlib's headers are.
gcc_for() { echo "arm-none-eabi-gcc -mthumb $cpu -mfp16-format=ieee"; }
clang_for() { echo "clang-19 --target=arm-none-eabi -mthumb $cpu -fshort-enums -isystem ${1:-$(newlib)}"; }
newlib() { echo "$(dirname "$(arm-none-eabi-gcc -print-file-name=libc.a)")/../include"; }

# `vcvtb_is_right` asks the assembler for one instruction, whose code it leaves in `vcvtb`: GNU as 2.40 writes another one.
vcvtb_is_right() {
  local object
  object=$(mktemp) || return
  echo '.syntax unified; vcvtb.f32.f16 q2, q1' | arm-none-eabi-as -march=armv8.1-m.main+mve.fp -mthumb -o "$object" -
  vcvtb=$(arm-none-eabi-objdump -d "$object" | awk '$1 == "0:" { print $2 " " $3 }')
  rm -f "$object"
  [ "$vcvtb" = "fe3f 4e03" ]
}

# `compile FOLDER COMPILER FLAGS FILE...` makes an object of each C file, which is named after its path.
compile() {
  local folder=$1 compiler=$2 flags=$3 file
  shift 3
  mkdir -p "$folder"
  for file in "$@"; do
    # shellcheck disable=SC2086
    $compiler -std=c11 -ffunction-sections -fdata-sections -Iinclude -Icompat/cmsis_nn/include $flags -c "$file" \
      -o "$folder/${file//\//_}.o" || return
  done
}

# `link PROGRAM OBJECT...` adds startup and newlib. With TRAP_UNALIGNED=1 misaligned words and halfwords fault there.
link() {
  local program=$1 code code_size ram ram_size
  shift
  read -r code code_size ram ram_size <<<"$memory"
  # shellcheck disable=SC2046
  $(gcc_for) -std=c11 -O2 -mno-unaligned-access -nostartfiles -T tools/cortex_m/link.ld \
    -Wl,--gc-sections -Wl,--no-warn-rwx-segments -Wl,-z,noexecstack \
    "-Wl,--defsym=CODE=$code,--defsym=CODE_SIZE=$code_size,--defsym=RAM=$ram,--defsym=RAM_SIZE=$ram_size" \
    ${TRAP_UNALIGNED:+-DTRAP_UNALIGNED} tools/cortex_m/startup.c tools/cortex_m/syscalls.c "$@" -o "$program"
}

# `emulate PROGRAM [ARGUMENT...]` runs it; its output and its exit status are the program's, but 124 says that it took too long.
emulate() {
  local program=$1 arguments=arg=program argument
  shift
  for argument in "$@"; do arguments+=,arg=$argument; done
  timeout "$QEMU_SECONDS" qemu-system-arm -M "$board" ${ICOUNT:+-icount "$ICOUNT"} -display none -monitor none -serial none \
    -semihosting-config "enable=on,target=native,$arguments" -kernel "$program"
}
