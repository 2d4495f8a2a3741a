#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sees to it that the Debian packages of the named groups of packages.txt are there: installs them as root, else says how to.
#
# usage: need.sh GROUP...
# On a system without dpkg it does nothing: there the build itself says what it lacks.
set -eu
list=$(dirname "$0")/packages.txt
command -v dpkg-query >/dev/null 2>&1 || exit 0

missing=
for group in "$@"; do
  packages=$(sed -n "s/^$group: *//p" "$list")
  [ -n "$packages" ] || { echo "need.sh: no group '$group' in $list" >&2; exit 2; }
  for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "missing packages; run: sudo apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
install="apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends"
# A list of packages that is absent or old is the one failure that a second try can mend.
# shellcheck disable=SC2086
$install $missing >/dev/null 2>&1 || { apt-get update -q >/dev/null && $install $missing >/dev/null; }
