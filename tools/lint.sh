#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the layout of all C files, and runs clang-tidy and cppcheck over what is compiled for this computer; every finding is an error.
#
# usage: lint.sh BUILD FILE...
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
build=$1
shift
status=0

echo "== clang-format"
clang-format --dry-run -Werror "$@" || status=1

echo "== clang-tidy"
# `tidy FOLDER` reads names of C files, which were compiled in that folder.
tidy() {
  xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$1" 2> >(grep -v 'warnings generated\|Suppressed\|Use -header' >&2) || status=1
}
printf '%s\n' "$@" | grep '\.c$' | grep -v '/cortex_m/\|/emulated/\|/reveal/board\|^python/' | tidy "$build"
printf '%s\n' "$@" | grep '^python/.*\.c$' | tidy build/python

echo "== cppcheck"
cppcheck --quiet --project="$build/compile_commands.json" --enable=warning,performance,portability --inline-suppr --std=c11 \
  --error-exitcode=1 --suppress=missingIncludeSystem --suppress=unmatchedSuppression -j "$(nproc)" || status=1

[ $status -eq 0 ] && echo "lint is clean"
exit $status
