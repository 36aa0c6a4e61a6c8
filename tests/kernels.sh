#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Build suo.ko for the kernel of a Debian suite, by that suite's compiler, with all
# warnings that W=1 has; and run a test in a VM on that kernel.
#
# Usage: kernels.sh SUITE OUT-DIR TEST.sh...

. "$(dirname "$0")/../qemu/lib.sh"
. "$SUO_TOP/tests/tap.sh"
[ $# -ge 3 ] || { echo "Usage: kernels.sh SUITE OUT-DIR TEST.sh..." >&2; exit 2; }
build=${SUO_BUILD:-$SUO_TOP/build}
suite=$1 out=$2
shift 2
status=0
kdir=$("$SUO_TOP/qemu/kernel.sh" -s "$suite") || status=$?
result $status "$suite has a kernel"
[ $status = 0 ] || { tap_done; exit; }
release=$(< "$kdir/release")
kmod=$build/kernels/$release

# From nothing: what make does not build again says no warning again.
rm -rf "$kmod"
where=("/lib/modules/$release/build")
[ ! -d "$kdir/root" ] || where=(-r "$kdir/root" "/usr/src/linux-headers-$release")
said=$("$SUO_TOP/qemu/build-kmod.sh" "${where[@]}" "$kmod" W=1 2>&1) || status=$?
# The module has no BTF where the headers come without a vmlinux.
said=$(grep -v 'Skipping BTF generation' <<< "$said") || true
[ -z "$said" ] || status=1
result_said $status "suo.ko builds for $release without a warning" "$said"

for test in "$@"; do
	name=$(basename "$test" .sh)
	status=0
	SUO_TEST_SUITE=$suite "$SUO_TOP/tests/run-vm.sh" "$test" "$out/$name" \
		> "$out.$name.tap" || status=$?
	result_of_guest "$out.$name.tap" "$release: "
	grep -q '^1\.\.' "$out.$name.tap" || status=1
	result $status "$release: $name ends well"
done
tap_done
