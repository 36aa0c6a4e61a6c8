#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make the kernel of another Debian suite ready to boot in the lab and to build
# modules against, and print the directory that holds it: "vmlinux", "release",
# "lib/modules/RELEASE", and "root", a tree with that suite's headers, compiler and
# make in it. What the headers' build tools are linked to, and the compiler that
# they ask for, is newer than this machine's: building goes on in "root"
# (build-kmod.sh -r). Nothing is installed, here or there, and no privilege is
# needed: apt, with lists and sources of its own, says which packages it takes,
# and they are unpacked.
#
# The result is kept in the user's cache until the suite has another kernel.
#
# Usage: suite-kernel.sh SUITE		trixie, sid

. "$(dirname "$0")/lib.sh"
need dpkg-deb apt-get apt-cache xz depmod flock tar
command -v zstd > /dev/null || die "zstd is missing; install the package zstd"
PATH=$PATH:/usr/sbin:/sbin

[ $# = 1 ] || { echo "Usage: suite-kernel.sh SUITE" >&2; exit 2; }
suite=$1
arch=$(dpkg --print-architecture)

cache_lock "kernel-$suite"
apt=$SUO_CACHE/apt-$suite
suite_apt "$apt" "$suite"
# An image wants a program that makes initramfs; the lab makes its own.
cat > "$apt/status" << EOF
Package: lab-initramfs
Status: install ok installed
Maintainer: nobody
Version: 1
Architecture: all
Provides: linux-initramfs-tool
Description: stands for the lab's initramfs

EOF
# What the cache has must do if the mirror cannot be asked.
fresh=1
own apt-get -qq -o Acquire::Retries=2 -o APT::Update::Error-Mode=any update >&2 ||
	fresh=0
depends=$(own apt-cache show --no-all-versions "linux-image-$arch" 2> /dev/null |
	sed -n 's/^Depends: //p' | tr ',' '\n' | sed 's/^ *//; s/ .*//')
image=$(grep -m 1 '^linux-image-[0-9]' <<< "$depends") || image=
version=$(own apt-cache show --no-all-versions "$image" 2> /dev/null |
	sed -n 's/^Version: //p')
if [ $fresh = 0 ] || [ -z "$version" ]; then
	for dir in "$SUO_CACHE/suite-${suite}_"*; do
		[ -e "$dir/release" ] || continue
		say "no news of $suite; using what is there"
		echo "$dir"
		exit 0
	done
	die "no kernel of $suite to be had"
fi
release=${image#linux-image-}
# What this script does is part of what it makes.
key=$(sha256sum < "$0" | cut -c 1-8)
dir=$SUO_CACHE/suite-${suite}_${version}_$key
if [ -e "$dir/release" ]; then
	echo "$dir"
	exit 0
fi

say "fetching $image $version of $suite, with headers and compiler ..."
scratch_dir "suite-$suite"
# perl for the kernel's own check of comments, in W=1
own apt-get -qq -y --download-only install "linux-image-$release" \
	"linux-headers-$release" make base-files bash dash coreutils findutils grep \
	sed mawk perl >&2 || die "cannot download $image of $suite"
root=$SCRATCH/out/root
mkdir -p "$root"
unpack_debs "$root" "$apt"/archives/base-files_*.deb
unpack_debs "$root" "$apt"/archives/*.deb
ln -s mawk "$root/usr/bin/awk"
mkdir -p "$root/build" "$root/dev" "$root/proc"
: > "$root/dev/null"
# Where the image is has changed, too.
vmlinuz=$root/usr/lib/modules/$release/vmlinuz
[ -e "$vmlinuz" ] || vmlinuz=$root/boot/vmlinuz-$release
extract_vmlinux "$vmlinuz" "$SCRATCH/out/vmlinux" || die "no kernel found in $image"
mkdir -p "$SCRATCH/out/lib/modules"
mv "$root/usr/lib/modules/$release" "$SCRATCH/out/lib/modules/"
rm -f "$SCRATCH/out/lib/modules/$release/"{build,source,vmlinuz,System.map}
depmod -b "$SCRATCH/out" "$release"
rm -rf "${root:?}"/{boot,usr/share/{doc,man,locale,info}}
echo "$release" > "$SCRATCH/out/release"
# Another run may still use the last one.
find "$SUO_CACHE" -maxdepth 1 -name "suite-${suite}_*" -mtime +7 -exec rm -rf {} +
mv "$SCRATCH/out" "$dir"
own apt-get -qq clean
say "the kernel of $suite is ready"
echo "$dir"
