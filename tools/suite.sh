#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every test of a finished build, with ctest and then pytest, and ends with one line that counts the cases of both.
#
# usage: suite.sh BUILD VENV [quick]
# quick leaves out the Python tests that are marked slow or full.
set -uo pipefail
build=$(realpath "$1")
python=$(realpath -s "$2/bin/python")
quick=${3:-}
reports=$build/reports
rm -rf "$reports"
mkdir -p "$reports"
export BITFOLD_BUILD=$build BITFOLD_LIBRARY=$build/libbitfold.so BITFOLD_COMMAND=$build/bitfold PYTHONDONTWRITEBYTECODE=1
export PATH=$build:$PATH
part=(--full)
if [ -n "$quick" ]; then part=(-m "not slow and not full"); fi

outcomes=() # a report and the exit status of its runner, in turn

# `run_pytest NAME PATH...` keeps the report as NAME.xml.
run_pytest() {
  local name=$1
  shift
  "$python" -m pytest -q --rootdir . -p no:cacheprovider -n "$(nproc)" "${part[@]}" --junit-xml "$reports/$name.xml" "$@"
  outcomes+=("$reports/$name.xml" $?)
}

echo "== ctest"
ctest --test-dir "$build" --output-on-failure --no-tests=error \
  --test-output-size-passed 4000000 --output-junit "$reports/ctest.xml" | grep -v '^ *Start '
outcomes+=("$reports/ctest.xml" "${PIPESTATUS[0]}")
if grep -q '^BITFOLD_SANITIZE:BOOL=\(1\|ON\)' "$build/CMakeCache.txt"; then
  # Python itself leaks by design and has no sanitizer inside, so for tests that load the library the run-time is loaded first and
  # counts no leaks; tests of the command are their own processes and do.
  echo "== pytest, in process"
  # Workers of pytest-xdist die there while they read a -m expression, before any test; the long part is left out without one too.
  whole=("${part[@]}")
  if [ -n "$quick" ]; then part=(); fi
  ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$("${CC:-cc}" -print-file-name=libasan.so) run_pytest python tests --ignore tests/cli --ignore tests/python
  echo "== pytest, the command and the installed packages"
  part=("${whole[@]}")
  run_pytest command tests/cli tests/python tools/snippets.py tools/sessions.py
else
  echo "== pytest"
  run_pytest python tests tools/snippets.py tools/sessions.py tools/check_layers.py
fi
echo "== all"
"$python" tools/summarise.py "${outcomes[@]}"
