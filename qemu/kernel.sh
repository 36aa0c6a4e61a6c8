#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make Debian's kernel ready to boot in the lab and print the directory that
# holds it: "vmlinux" (for a PVH boot, which needs no decompression),
# "release" and "lib/modules/RELEASE". The package is unpacked in the user's
# cache, never installed: that would touch the machine's boot loader.
#
# Usage: kernel.sh [RELEASE]		e.g. 6.1.0-31-amd64; default: the newest
#					kernel whose headers are installed
#        kernel.sh -s SUITE		the newest kernel of another Debian suite;
#					see suite-kernel.sh

. "$(dirname "$0")/lib.sh"
if [ "${1:-}" = -s ]; then
	# shellcheck source=/dev/null
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	[ "${2:-$suite}" = "$suite" ] || exec "$SUO_TOP/qemu/suite-kernel.sh" "$2"
	shift $(($# < 2 ? 1 : 2))
fi
need dpkg-deb apt-get xz depmod flock
PATH=$PATH:/usr/sbin:/sbin

release=${1:-$("$SUO_TOP/qemu/kver.sh")}
pkg=linux-image-$release
version=$(dpkg-query -W -f '${Version}' "linux-headers-$release" 2> /dev/null) ||
	die "linux-headers-$release is not installed; run 'make deps'"
dir=$SUO_CACHE/kernel-${release}_$version

if [ ! -e "$dir/release" ]; then
	cache_lock kernel
	if [ ! -e "$dir/release" ]; then
		say "fetching $pkg $version ..."
		scratch_dir kernel
		fetch_deb "$pkg" "$version"
		mkdir "$SCRATCH/out"
		extract_vmlinux "$SCRATCH/boot/vmlinuz-$release" \
			"$SCRATCH/out/vmlinux" ||
			die "no kernel found in vmlinuz-$release"
		mv "$SCRATCH/lib" "$SCRATCH/out/lib"
		depmod -b "$SCRATCH/out" "$release"
		echo "$release" > "$SCRATCH/out/release"
		rm -rf "$dir"
		mv "$SCRATCH/out" "$dir"
	fi
	cache_unlock
fi
echo "$dir"
