#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Build suo.ko (and suo_test.ko where the kernel has KUnit) against one kernel.
# The sources are copied first, so that objects of two kernels never meet.
#
# Usage: build-kmod.sh [-r ROOT] KERNEL-BUILD-DIR OUT-DIR [MAKE-ARGUMENTS...]
#   -r	build in a tree that has a compiler and make of its own (suite-kernel.sh);
#	KERNEL-BUILD-DIR is a path in it

. "$(dirname "$0")/lib.sh"
root=
if [ "${1:-}" = -r ] && [ $# -ge 2 ]; then
	root=$2
	shift 2
fi
if [ $# -lt 2 ]; then
	echo "Usage: build-kmod.sh [-r ROOT] KERNEL-BUILD-DIR OUT-DIR" >&2
	exit 2
fi
kdir=$1 out=$2
shift 2
[ -e "$root$kdir/Makefile" ] ||
	die "no kernel to build against in '$root$kdir'; run 'make deps' or set KDIR"

mkdir -p "$out"
out=$(realpath "$out")
# Tests that go on beside each other may need the same module.
exec 9> "$out/.lock"
flock 9
# Nothing but the headers tells apart two kernels of one release that are
# configured in different ways, and make does not look where those came from.
if [ "$(cat "$out/.kernel" 2> /dev/null)" != "$root$kdir" ]; then
	rm -rf "${out:?}"/{kmod,model,suo}*
	echo "$root$kdir" > "$out/.kernel"
fi
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
make=(make -s -j"$(nproc)" -C "$kdir")
if [ -z "$root" ]; then
	exec "${make[@]}" M="$out" "$@" modules
fi

# Mounts that end with the build, in a user namespace unless we are root.
as=()
[ "$(id -u)" = 0 ] || as=(--user --map-root-user)
# shellcheck disable=SC2016 # for the shell in there
exec unshare "${as[@]}" --mount --propagation private /bin/bash -c '
	set -e
	root=$1
	mount --rbind /proc "$root/proc"
	mount --bind /dev/null "$root/dev/null"
	mount --bind "$2" "$root/build"
	shift 2
	exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin LC_ALL=C "$@"
' bash "$root" "$out" "${make[@]}" M=/build "$@" modules
