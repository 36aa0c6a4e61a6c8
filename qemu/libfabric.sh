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
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

cache_lock "libfabric-$suite"
scratch_dir "libfabric-$suite"
apt=$SUO_CACHE/apt-libfabric-$suite
mkdir -p "$apt"/{lists/partial,archives/partial,none} "$SCRATCH/all" "$SCRATCH/suite"
rm -f "$apt"/archives/*.deb

# The machine's own mirror, whatever it is called.
# shellcheck disable=SC2016 # apt's variables
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
	'Created-By: Packages' |
	awk '$2 !~ /[-\/]/ && $3 == "main" { print $1; exit }')
[ -n "$mirror" ] || die "apt has no Debian mirror among its sources"
echo "deb [signed-by=$keyring] $mirror $suite main" > "$apt/sources.list"
: > "$apt/status"
cat > "$apt/apt.conf" << EOF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::preferences "$apt/none/none";
Dir::Etc::preferencesparts "$apt/none";
Dir::State::status "$apt/status";
Dir::State::lists "$apt/lists";
Dir::State::extended_states "$apt/extended_states";
Dir::Cache::archives "$apt/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "root";
APT::Default-Release "";
APT::Install-Recommends "false";
EOF
apt-get -c "$apt/apt.conf" -qq -o APT::Update::Error-Mode=any update >&2 ||
	die "$suite cannot be had"
apt-get -c "$apt/apt.conf" -qq -y --download-only install libfabric-bin \
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
