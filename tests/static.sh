#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What can be said about the sources without running them: shellcheck for the
# scripts, checkpatch, sparse and the compiler's further warnings for the kernel
# module, and an SPDX line in every file.

. "$(dirname "$0")/../qemu/lib.sh"
. "$SUO_TOP/tests/tap.sh"
cd "$SUO_TOP"
build=${SUO_BUILD:-build}

# ok DESCRIPTION COMMAND...: the command succeeds and says nothing.
ok()
{
	local what=$1 said status=0

	shift
	said=$("$@" 2>&1) || status=$?
	[ -z "$said" ] || status=1
	result_said $status "$what" "$said"
}

# What git tracks, so that nothing made or lying about is judged; or everything,
# in an unpacked archive.
sources()
{
	if git rev-parse --git-dir > /dev/null 2>&1; then
		git ls-files
	else
		find . -path "./$build" -prune -o -type f -printf '%P\n'
	fi
}

no_spdx()
{
	sources | grep -E '(\.([chS]|sh|inc|py|mk|rst|yaml|env|map|gp|config)|/Kbuild|^Kbuild|^Makefile)$' |
		while read -r file; do
			[ ! -e "$file" ] ||
				head -n 3 "$file" | grep -q SPDX-License-Identifier ||
				echo "$file: no SPDX line"
		done
}

kernel_warnings()
{
	local out=$build/static-kmod

	rm -rf "$out"
	qemu/build-kmod.sh "$1" "$out" W=1 C=2 CHECK="sparse -D__CHECK_ENDIAN__" \
		2>&1 | grep -E 'warning:|error:' || true
}

# Which kernel it is, is asked in one place; and one that is too old is refused.
version_checks()
{
	sources | grep '^kmod/.*\.[ch]$' | grep -v '^kmod/compat\.h$' |
		xargs grep -n 'LINUX_VERSION_CODE' || true
}

# compat_for VERSION: what the preprocessor says of compat.h
compat_for()
{
	local dir=$build/static-version

	mkdir -p "$dir/linux"
	cat > "$dir/linux/version.h" <<- EOF
		#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
		#define LINUX_VERSION_CODE KERNEL_VERSION($1, 0)
	EOF
	"${CC:-gcc}" -E -nostdinc -I "$dir" -o /dev/null kmod/compat.h
}

# names SED-SCRIPT FILE: what the script prints of a header, which may not be nothing
names()
{
	sed -n "$1" "$2" | grep . || echo "no names are found in $2"
}

# Counters, tracepoints and reasons that Documentation/ABI does not have
no_abi()
{
	local name abi=Documentation/ABI

	names '/define SUO_.*STATS(x)/,/^$/s/.*x(\([a-z_]*\)).*/\1/p' kmod/stats.h |
		while read -r name; do
			grep -qw "$name" $abi/{sysfs-class-infiniband,netlink-rdma}-suo ||
				echo "counter: $name"
		done
	names 's/^TRACE_EVENT(\(.*\),/\1/p; s/^DEFINE_EVENT(.*, \(.*\),/\1/p' \
		kmod/trace.h | while read -r name; do
			grep -q "/suo/$name\$" $abi/tracefs-suo ||
				echo "tracepoint: $name"
		done
	names '/define SUO_DROPS/,/^$/s/.*"\(.*\)".*/\1/p' kmod/stats.h |
		while read -r name; do
			grep -qw "$name" $abi/tracefs-suo || echo "reason: $name"
		done
}

for script in $(sources | grep -E '\.(sh|inc)$|^\.ci/run$'); do
	ok "shellcheck: $script" shellcheck -x "$script"
done
ok "every source has an SPDX line" no_spdx
ok "kmod: counters and tracepoints are documented" no_abi
ok "kmod: only compat.h asks for the kernel's version" version_checks
ok "kmod: Linux 6.1 is not refused" compat_for "6, 1"
too_old=$(compat_for "6, 0" 2>&1) || true
ok "kmod: Linux 6.0 is refused, with the reason" \
	grep -q 'error.*suo needs Linux 6\.1 or later' <<< "$too_old"

kdir=$("$SUO_TOP/qemu/test-kernel.sh")/build
ok "sparse and W=1: the kernel module" kernel_warnings "$kdir"
for file in $(sources | grep -E '^(kmod|model/core|include)/.*\.[ch]$'); do
	ignore=
	# What the file is for
	[ "$file" != kmod/trace.h ] ||
		ignore=,TRAILING_SEMICOLON,PARENTHESIS_ALIGNMENT
	[ "$file" != kmod/compat.h ] ||
		ignore=,LINUX_VERSION_CODE,CONSTANT_COMPARISON,MACRO_WITH_FLOW_CONTROL,MACRO_ARG_PRECEDENCE
	ok "checkpatch: $file" perl "$kdir/scripts/checkpatch.pl" -q --strict --no-tree \
		--terse --no-summary --file --max-line-length=100 \
		--ignore FILE_PATH_CHANGES,SPDX_LICENSE_TAG,CONST_STRUCT,COMPLEX_MACRO,MACRO_ARG_REUSE,UNCOMMENTED_DEFINITION,PREFER_KERNEL_TYPES$ignore "$file"
done
tap_done
