#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lays out a folder that a firmware project can copy: the twelve arm_* functions for one machine, and how they are compiled.
#
# usage: firmware_tree.sh OUT [MACHINE]
# MACHINE is helium (the default), m4f or scalar. OUT is made, or must be an empty folder.
set -euo pipefail
out=${1:-}
machine=${2:-helium}
refuse() {
  echo "firmware_tree.sh: $1" >&2
  exit 2
}
[ -n "$out" ] || refuse "where to? usage: firmware_tree.sh OUT [MACHINE], or make firmware-tree OUT=folder [MACHINE=helium]"
[ $# -le 2 ] || refuse "one folder and one machine, not also '$3'"
case $machine in
  helium) processor="a Cortex-M55, or another with MVE float" target=M55 ;;
  m4f) processor="a Cortex-M4F, or with other -mcpu and -mfpu for an M7 or M33: whatever has single precision and DSP" target=M4F ;;
  scalar) processor="this computer, or any other processor (put its compiler's name and flags in place of cc)" target= ;;
  *) refuse "no machine '$machine': helium, m4f or scalar" ;;
esac
if [ -e "$out" ]; then
  [ -d "$out" ] || refuse "$out is a file; name a new or empty folder"
  [ -z "$(ls -A "$out")" ] || refuse "$out is not empty; name a new or empty folder"
fi
parent=$(dirname "$(realpath -m "$out")")
[ -d "$parent" ] || refuse "there is no folder $parent to make $out in"
out=$(realpath -m "$out")

cd "$(dirname "$0")/.."
. tools/cortex_m/target.sh
# As text: the user's shell is to find it.
# shellcheck disable=SC2016
newlib='"$(dirname "$(arm-none-eabi-gcc -print-file-name=libc.a)")/../include"'
case $machine in
  helium) target $target && compiler=$(clang_for "$newlib") ;;
  m4f) target $target && compiler=$(gcc_for) ;;
  scalar) compiler=cc ;;
esac

# `add FILE` lists a file and all that it includes and that is ours.
files=
add() {
  local file included folder
  file=$(realpath --relative-to=. "$1")
  case " $files " in *" $file "*) return ;; esac
  files+=" $file"
  while read -r included; do
    for folder in "$(dirname "$file")" include compat/cmsis_nn/include; do
      if [ -f "$folder/$included" ]; then
        add "$folder/$included"
        break
      fi
    done
  done < <(sed -n 's/^ *# *\(include\|define SELF\) *["<]\([^">]*\)[">].*/\2/p' "$file")
}
for file in compat/cmsis_nn/reductions.c compat/cmsis_nn/dims.c compat/cmsis_nn/include/drop_in/*.h src/dense.c src/isa/control.c \
  src/isa/scalar*.c "src/isa/$machine"*.c; do
  add "$file"
done

# Written beside OUT and then moved there, so that OUT is whole or absent.
tree=$(mktemp -d "$parent/.firmware-tree.XXXXXX") || refuse "cannot write in $parent"
trap 'rm -rf "$tree"' EXIT
# shellcheck disable=SC2086
cp --parents LICENSE $files "$tree"
version=$(sed -n 's/^#define BITFOLD_VERSION "\(.*\)"/\1/p' include/bitfold/bitfold.h)
flags="-std=c11 -O2 -ffunction-sections -fdata-sections -DBITFOLD_MACHINE=$machine -Iinclude -Icompat/cmsis_nn/include"
cat >"$tree/README.md" <<END
# Twelve reductions for $machine

\`arm_reduce_sum\`, \`arm_nn_mean\`, \`arm_reduce_max\`, \`arm_reduce_min\`, \`arm_argmax\` and \`arm_argmin\` of float32 and
float16, with the same bits on every processor: a part of bitfold $version.

This folder is for $processor.

In this folder, this makes the objects:

\`\`\`sh
$compiler $flags -c src/*.c src/isa/*.c compat/cmsis_nn/*.c
\`\`\`

Callers include \`bitfold_arm_nn.h\` (the manual) from \`compat/cmsis_nn/include\`; a source that was written for CMSIS-NN's own
\`arm_nnfunctions.h\` finds one in \`compat/cmsis_nn/include/drop_in\`. Link with \`-Wl,--gc-sections\`, which leaves out what is not
called. \`-DARM_NN_ENABLE_F32=0\` or \`-DARM_NN_ENABLE_F16=0\`, for callers too, leaves out the functions of one format.
END
chmod 755 "$tree"
if [ -d "$out" ]; then rmdir "$out"; fi
mv "$tree" "$out"
trap - EXIT
echo "$out: $(find "$out" -type f | wc -l) files; README.md has the command that compiles them"
