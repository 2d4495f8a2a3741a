#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into an empty folder and uses it from there as a stranger would: pkg-config, find_package, the command.
#
# usage: check_install.sh BUILD
set -euo pipefail
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
cmake --install "$build" --prefix "$root" >/dev/null

for file in include/bitfold/bitfold.h include/bitfold/cmsis_nn/drop_in/arm_nnfunctions.h bin/bitfold share/man/man1/bitfold.1 share/bash-completion/completions/bitfold; do
  [ -f "$root/$file" ] || { echo "not installed: $file"; exit 1; }
done

# `want GOT FROM` compares the sum that a program built in one way prints.
want() { [ "$1" = 2 ] || { echo "$2: want 2, got '$1'"; exit 1; }; }
mkdir "$work/user"
cat >"$work/user/main.c" <<'PROGRAM'
#include <bitfold/bitfold.h>
#include <stdio.h>
int main(void) {
  float x[4] = {1e8f, 1, -1e8f, 1}, y = 0;
  if (bitfold_sum_f32(x, 4, NULL, &y)) return 1;
  printf("%g\n", (double)y);
  return 0;
}
PROGRAM

cat >"$work/user/pool.c" <<'PROGRAM'
#include <arm_nnfunctions.h>
#include <stdio.h>
int main(void) {
  const float x[4] = {1, 3, 1, 3};
  const cmsis_nn_dims in = {1, 2, 2, 1}, mask = {0, 1, 1, 0}, out = {1, 1, 1, 1};
  float y = 0;
  if (arm_nn_mean_f32(x, &in, &mask, &y, &out) != ARM_CMSIS_NN_SUCCESS) return 1;
  printf("%g\n", (double)y);
  return 0;
}
PROGRAM

PKG_CONFIG_PATH=$(dirname "$(find "$root" -name bitfold.pc)")
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir bitfold)
# shellcheck disable=SC2046
"${CC:-cc}" "$work/user/main.c" $(pkg-config --cflags --libs bitfold) -o "$work/shared"
want "$(LD_LIBRARY_PATH=$libraries "$work/shared")" "pkg-config, shared library"
# shellcheck disable=SC2046
"${CC:-cc}" "$work/user/main.c" $(pkg-config --cflags bitfold) "$libraries/libbitfold.a" $(pkg-config --variable=openmp bitfold) -o "$work/static"
want "$("$work/static")" "pkg-config, static library"

cat >"$work/user/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(bitfold 0.1 REQUIRED)
add_executable(user main.c)
target_link_libraries(user PRIVATE bitfold::bitfold)
foreach(kind shared static)
  add_executable(pool_${kind} pool.c)
  target_link_libraries(pool_${kind} PRIVATE bitfold::cmsis_nn_${kind} bitfold::cmsis_nn_drop_in)
endforeach()
PROJECT
cmake -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$root" >/dev/null
cmake --build "$work/user/build" >/dev/null
want "$("$work/user/build/user")" "find_package"
for kind in shared static; do want "$("$work/user/build/pool_$kind")" "find_package, cmsis_nn_$kind"; done

"$root/bin/bitfold" info >/dev/null
echo "installed, and used through pkg-config and find_package"
