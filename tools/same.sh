#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a command and compares what it prints, standard output and standard error together, with a file; shows the difference.
#
# usage: same.sh EXPECTED COMMAND [ARGUMENT...]
set -u
expected=$1
shift
got=$(mktemp)
trap 'rm -f "$got"' EXIT
"$@" >"$got" 2>&1
status=$?
diff -u "$expected" "$got" || exit 1
exit $status
