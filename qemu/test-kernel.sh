#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Build a small kernel with KUnit, KASAN, lockdep and kmemleak from Debian's
# kernel source and print the directory that holds it: "vmlinux", "release",
# "lib/modules/RELEASE" and "build" to build modules against. It takes about
# six minutes once; the result is kept in the user's cache until the source,
# the configuration or this script changes.
#
# Usage: test-kernel.sh [SOURCE-SERIES]		default: 6.1

. "$(dirname "$0")/lib.sh"
need dpkg-deb apt-get apt-cache xz tar make gcc bc flex bison flock depmod
PATH=$PATH:/usr/sbin:/sbin

series=${1:-6.1}
pkg=linux-source-$series
config=$SUO_TOP/qemu/test-kernel.config
version=$(apt-cache madison "$pkg" 2> /dev/null | awk 'NR == 1 { print $3 }')
key=$(cat "$config" "$0" | sha256sum | cut -c 1-12)

# Without package lists (offline, say) any build of the same recipe will do.
if [ -z "$version" ]; then
	for dir in "$SUO_CACHE/test-kernel-$series"_*_"$key"; do
		[ ! -e "$dir/release" ] || { echo "$dir"; exit 0; }
	done
	die "apt knows no $pkg; is 'apt-get update' due?"
fi
dir=$SUO_CACHE/test-kernel-${series}_${version}_$key

if [ -e "$dir/release" ]; then
	echo "$dir"
	exit 0
fi
cache_lock test-kernel
if [ -e "$dir/release" ]; then
	echo "$dir"
	exit 0
fi

say "fetching $pkg $version ..."
scratch_dir test-kernel
fetch_deb "$pkg" "$version"
mkdir "$SCRATCH/out"
src=$SCRATCH/out/build
mkdir "$src"
# Most of the tree is for other machines.
tar -x -J -C "$src" --strip-components=1 \
	--exclude='*/Documentation/*.rst' --exclude='*/arch/[!x]*/*.[chS]' --exclude='*.dts*' \
	--exclude='*/drivers/gpu/drm/amd/*.[ch]' --exclude='*/sound/*.[ch]' \
	--exclude='*/tools/testing/*' \
	-f "$SCRATCH/usr/src/$pkg.tar.xz"
rm -rf "${SCRATCH:?}/usr"

say "building the test kernel; this takes about six minutes, once ..."
cd "$src"
unset MAKEFLAGS MFLAGS MAKEOVERRIDES CFLAGS
# Nothing in the result may depend on where and when it was built.
export KBUILD_BUILD_TIMESTAMP='1970-01-01' KBUILD_BUILD_USER=suo \
	KBUILD_BUILD_HOST=suo
log=$SUO_CACHE/test-kernel.log
{
	make ARCH=x86_64 tinyconfig
	cat "$config" >> .config
	make ARCH=x86_64 olddefconfig
} > "$log" 2>&1 || die "configuration failed; see $log"
unmet=$(grep -E '^CONFIG_[A-Z0-9_]+=' "$config" | grep -vxFf .config) || true
[ -z "$unmet" ] || die "Kconfig did not accept:" $unmet
# The PVH entry, and the memcmp() that it calls, run before KASAN's shadow memory
# exists.
nice make -j"$(nproc)" ARCH=x86_64 KASAN_SANITIZE_enlighten.o=n \
		KASAN_SANITIZE_string.o=n vmlinux modules >> "$log" 2>&1 || {
	tail -n 20 "$log" >&2
	die "the test kernel does not build; see $log"
}
make -s ARCH=x86_64 INSTALL_MOD_PATH="$SCRATCH/out" modules_install >> "$log" 2>&1
release=$(make -s ARCH=x86_64 kernelrelease)
rm -f "$SCRATCH/out/lib/modules/$release"/{build,source}
mv vmlinux "$SCRATCH/out/vmlinux"

# Keep what building a module needs.
find . -path ./scripts -prune -o -path ./tools -prune -o -type f \
	\( -name '*.c' -o -name '*.o' -o -name '*.a' -o -name '*.S' \
	   -o -name '*.cmd' -o -name '*.dts*' \) -exec rm -f {} +
rm -rf drivers/gpu sound fs net/wireless .tmp_vmlinux* System.map
find . -type d -empty -delete
echo "$release" > "$SCRATCH/out/release"
rm -rf "$dir"
mv "$SCRATCH/out" "$dir"
cache_unlock
say "the test kernel is ready"
echo "$dir"
