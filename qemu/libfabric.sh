#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make a tar archive of the libfabric of another Debian suite, with its programs,
# everything that they are linked to, and the loader that goes with it: all below
# /suite, to be unpacked in a guest. Nothing is installed here.
#
# Usage: libfabric.sh SUITE OUT.tar		trixie, sid

. "$(dirname "$0")/lib.sh"
need dpkg-deb apt-get flock tar
[ $# = 2 ] || { echo "Usage: libfabric.sh SUITE OUT.tar" >&2; exit 2; }
suite=$1
out=$(realpath "$2")

cache_lock "libfabric-$suite"
scratch_dir "libfabric-$suite"
apt=$SUO_CACHE/apt-libfabric-$suite
suite_apt "$apt" "$suite"
mkdir -p "$SCRATCH/all" "$SCRATCH/suite"
rm -f "$apt"/archives/*.deb

own apt-get -qq -o APT::Update::Error-Mode=any update >&2 ||
	die "$suite cannot be had"
own apt-get -qq -y --download-only install libfabric-bin \
	libibverbs1 >&2 || die "cannot download libfabric of $suite"
unpack_debs "$SCRATCH/all" "$apt"/archives/*.deb
rm -f "$apt"/archives/*.deb

# Programs and libraries are all that is wanted.
mkdir -p "$SCRATCH/suite"/{bin,lib}
cp "$SCRATCH"/all/usr/bin/fi_* "$SCRATCH/suite/bin/"
find "$SCRATCH/all" -name '*.so*' -path '*/lib/*-linux-gnu/*' \
	! -path '*-linux-gnu/*/*' -exec cp -L {} "$SCRATCH/suite/lib/" \;
find "$SCRATCH/all" -name 'ld-linux*.so.*' -exec cp -L {} "$SCRATCH/suite/lib/" \;
[ -e "$SCRATCH/suite/lib/libfabric.so.1" ] ||
	die "no libfabric in the packages of $suite"
find "$SCRATCH/suite" -exec touch -h -d @0 {} +
tar -c -f "$SCRATCH/out" -C "$SCRATCH" --sort=name --owner=0 --group=0 \
	--numeric-owner suite
mv "$SCRATCH/out" "$out"
