#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make a tar archive of Debian's python3, of pyverbs and of rdma-core's own tests,
# to be unpacked at / in a guest. Everything is compiled beforehand, since a
# guest takes its time.
#
# Usage: python.sh OUT.tar

. "$(dirname "$0")/lib.sh"
need tar gunzip ldd
[ $# = 1 ] || { echo "Usage: python.sh OUT.tar" >&2; exit 2; }

# Debian's, not what a shell would take for it.
python=$(realpath /usr/bin/python3)
stdlib=/usr/lib/${python##*/}
pyverbs=/usr/lib/python3/dist-packages/pyverbs
tests=/usr/share/doc/rdma-core/tests
[ -d $pyverbs ] || die "$pyverbs is missing; run 'make check-long'"
[ -d $tests ] ||
	die "$tests is missing; does dpkg leave out documentation on this system?"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir -p "$root"/usr/{bin,lib/python3/dist-packages} "$root/lab"
cp "$python" "$root/usr/bin/"
ln -s "${python##*/}" "$root/usr/bin/python3"
cp -a "$stdlib" "$root$stdlib"
# Never used here, and nearly all of its size; and what brings libraries along.
(
	cd "$root$stdlib"
	rm -rf config-* test idlelib lib2to3 ensurepip distutils pydoc_data \
		turtledemo tkinter
	cd lib-dynload
	rm -f {_bz2,_crypt,_curses,_curses_panel,_dbm,_hashlib,_lzma,_sqlite3,_ssl,_tkinter,nis,readline}.*
)
find "$root$stdlib" -name __pycache__ -prune -exec rm -rf {} +
cp -a "$pyverbs" "$root$pyverbs"
cp -r "$tests" "$root/lab/rdma-core-tests"
find "$root/lab/rdma-core-tests" -name '*.gz' -exec gunzip -f {} +

# The base has some of these; a second copy does no harm.
while read -r lib; do
	[ -e "$root$lib" ] || install -D -m 755 "$lib" "$root$lib"
done < <(find "$root" \( -name '*.so' -o -path "*/bin/${python##*/}" \) \
		-exec ldd {} + | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u)

"$python" -m compileall -q --invalidation-mode unchecked-hash \
	-s "$root" "$root$stdlib" "$root$pyverbs" "$root/lab/rdma-core-tests"
# usr/lib only: / in the guest has links for the rest.
if [ -d "$root/lib" ]; then
	cp -a "$root/lib/." "$root/usr/lib/"
fi
find "$root" -exec touch -h -d @0 {} +
tar -c -f "$1.tmp" -C "$root" --sort=name --owner=0 --group=0 --numeric-owner usr lab
mv "$1.tmp" "$1"
