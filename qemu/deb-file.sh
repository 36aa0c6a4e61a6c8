#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Take one file out of a Debian package that is not to be installed here: it would
# start a service.
#
# Usage: deb-file.sh PACKAGE PATH OUT

. "$(dirname "$0")/lib.sh"
need apt-get apt-cache dpkg-deb
[ $# = 3 ] || { echo "Usage: deb-file.sh PACKAGE PATH OUT" >&2; exit 2; }

version=$(apt-cache madison "$1" 2> /dev/null | awk 'NR == 1 { print $3 }')
[ -n "$version" ] || die "apt knows no $1; is 'apt-get update' due?"
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
fetch_deb "$1" "$version"
install -D -m 755 "$SCRATCH$2" "$3.tmp"
mv "$3.tmp" "$3"
