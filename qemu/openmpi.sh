#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make a tar archive of Debian's Open MPI, to be unpacked at / in a guest: the
# launcher, the library and those of its components that need nothing which the
# lab has not.
#
# Usage: openmpi.sh OUT.tar

. "$(dirname "$0")/lib.sh"
need tar ldd gcc
[ $# = 1 ] || { echo "Usage: openmpi.sh OUT.tar" >&2; exit 2; }

libdir=/usr/lib/$(gcc -print-multiarch)
components=$libdir/openmpi/lib/openmpi3
pmix=$libdir/pmix2
for dir in "$components" "$pmix" /usr/share/openmpi; do
	[ -d "$dir" ] || die "$dir is missing; is openmpi-bin installed?"
done

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir -p "$root"/{usr/bin,etc}
cp "$(realpath /usr/bin/orterun)" "$root/usr/bin/mpirun"
cp "$(realpath /usr/bin/orted)" "$root/usr/bin/orted"
cp -r /etc/openmpi "$root/etc/"
mkdir -p "$root$components" "$root/usr/share"
for lib in "$components"/mca_*.so; do
	case ${lib##*/} in
	*_ucx.so | *_psm*.so | *_openib.so | *_slurm.so | *_gridengine.so | \
	*_monitoring.so | mca_io_romio*.so | *_avx.so)
		;;
	*)	cp "$lib" "$root$components/" ;;
	esac
done
cp -rL /usr/share/openmpi "$root/usr/share/"
mkdir -p "$root$pmix/lib"
cp -rL "$pmix/lib/pmix" "$root$pmix/lib/"
[ ! -d /usr/share/pmix ] || cp -rL /usr/share/pmix "$root/usr/share/"
[ ! -d "$pmix/share" ] || cp -rL "$pmix/share" "$root$pmix/"
find "$root" -name '*.a' -delete

# The base has some of these; a second copy does no harm.
while read -r lib; do
	[ -e "$root$lib" ] || install -D -m 755 "$lib" "$root$lib"
done < <(find "$root" \( -name '*.so' -o -path '*/bin/*' \) -exec ldd {} + 2> /dev/null |
		awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u)
# usr/lib only: / in the guest has links for the rest.
if [ -d "$root/lib" ]; then
	cp -a "$root/lib/." "$root/usr/lib/"
fi
find "$root" -exec touch -h -d @0 {} +
tar -c -f "$1.tmp" -C "$root" --sort=name --owner=0 --group=0 --numeric-owner usr etc
mv "$1.tmp" "$1"
