#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Pack a directory as a cpio archive that depends on nothing but its content:
# sorted, owned by root, dated 1970. The kernel takes it as an initramfs, and
# several of them one after the other, so a test can overlay a common base.
#
# Usage: pack.sh DIR OUT.cpio

. "$(dirname "$0")/lib.sh"
[ $# = 2 ] || { echo "Usage: pack.sh DIR OUT.cpio" >&2; exit 2; }
need cpio

out=$(realpath "$2")
cd "$1"
find . -exec touch -h -d @0 {} +
find . -mindepth 1 -printf '%P\n' | sort |
	cpio --quiet --reproducible -o -H newc -R 0:0 > "$out.tmp"
mv "$out.tmp" "$out"
