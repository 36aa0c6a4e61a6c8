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

. "$(dirname "$0")/lib.sh"
need dpkg-deb apt-get xz depmod flock
PATH=$PATH:/usr/sbin:/sbin

release=${1:-$("$SUO_TOP/qemu/kver.sh")}
pkg=linux-image-$release
version=$(dpkg-query -W -f '${Version}' "linux-headers-$release" 2> /dev/null) ||
	die "linux-headers-$release is not installed; run 'make deps'"
dir=$SUO_CACHE/kernel-${release}_$version

# extract_vmlinux BZIMAGE OUT: the kernel proper is an xz stream in the image.
extract_vmlinux()
{
	local at

	grep -aobP '\xfd7zXZ\x00' "$1" | cut -d: -f1 > "$SCRATCH/offsets"
	while read -r at; do
		# xz writes the whole stream, then complains about what follows.
		tail -c "+$((at + 1))" "$1" | xz -dc > "$2" 2> /dev/null || true
		if [ "$(head -c 4 "$2" | tail -c 3)" = ELF ]; then
			return 0
		fi
	done < "$SCRATCH/offsets"
	return 1
}

if [ ! -e "$dir/release" ]; then
	cache_lock kernel
	if [ ! -e "$dir/release" ]; then
		say "fetching $pkg $version ..."
		scratch_dir kernel
		fetch_deb "$pkg" "$version"
		mkdir "$SCRATCH/out"
		extract_vmlinux "$SCRATCH/boot/vmlinuz-$release" \
			"$SCRATCH/out/vmlinux" ||
			die "no xz-compressed kernel in vmlinuz-$release"
		mv "$SCRATCH/lib" "$SCRATCH/out/lib"
		depmod -b "$SCRATCH/out" "$release"
		echo "$release" > "$SCRATCH/out/release"
		rm -rf "$dir"
		mv "$SCRATCH/out" "$dir"
	fi
	cache_unlock
fi
echo "$dir"
