#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Build suo.ko (and suo_test.ko where the kernel has KUnit) against one kernel.
# The sources are copied first, so that objects of two kernels never meet.
#
# Usage: build-kmod.sh KERNEL-BUILD-DIR OUT-DIR [MAKE-ARGUMENTS...]

. "$(dirname "$0")/lib.sh"
[ $# -ge 2 ] || { echo "Usage: build-kmod.sh KERNEL-BUILD-DIR OUT-DIR" >&2; exit 2; }
kdir=$1 out=$2
shift 2
[ -e "$kdir/Makefile" ] ||
	die "no kernel to build against in '$kdir'; run 'make deps' or set KDIR"

mkdir -p "$out"
out=$(realpath "$out")
cd "$SUO_TOP"
find Kbuild kmod model/core include -type f \
	\( -name '*.[chS]' -o -name Kbuild -o -name Makefile -o -name 'Kconfig*' \) |
	sort > "$out/.sources"
# Keep the time stamps: make must see what has changed, and nothing else.
cpio --quiet -pdmu "$out" < "$out/.sources" 2> "$out/.cpio" || die "$(< "$out/.cpio")"
(cd "$out" && find . -type f -name '*.[ch]' ! -name '*.mod.c' -printf '%P\n' |
	sort) | comm -23 - "$out/.sources" |
	while read -r gone; do
		rm -f "$out/$gone"
	done
# "make" of the kernel must not see the variables of the one that calls us.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES CFLAGS
make -s -j"$(nproc)" -C "$kdir" M="$out" "$@" modules
