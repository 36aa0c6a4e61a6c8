#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Install the packages named as arguments that are not installed yet.
#
# Usage: deps.sh PACKAGE...

. "$(dirname "$0")/lib.sh"
command -v apt-get > /dev/null ||
	die "this is not a Debian system; install the equivalents of: $*"

missing=()
for p in $(printf '%s\n' "$@" | sort -u); do
	case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2> /dev/null) in
	installed) ;;
	*) missing+=("$p") ;;
	esac
done
if [ ${#missing[@]} = 0 ]; then
	exit 0
fi

if [ "$(id -u)" = 0 ]; then
	as_root=(env)
elif command -v sudo > /dev/null && sudo -v; then
	as_root=(sudo)
else
	say "Error: these packages are missing and we are neither root nor have sudo:"
	echo "	apt-get install ${missing[*]}" >&2
	exit 1
fi
say "installing: ${missing[*]}"
install=(apt-get install -y --no-install-recommends -o Dpkg::Use-Pty=0
	-o DPkg::Lock::Timeout=300)
# The lists may be missing or out of date: look again before giving up.
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
	"${install[@]}" "${missing[@]}" < /dev/null >&2 || {
	"${as_root[@]}" apt-get update < /dev/null >&2
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
		"${install[@]}" "${missing[@]}" < /dev/null >&2
} || die "apt-get could not install: ${missing[*]}"
