#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Measure, and print the tables: build/bench/verbs.csv, su.csv. The figures are on
# the clock of a guest that counts instructions; ratios are what they are good for.
#
# Usage: bench.sh verbs|su ...

. "$(dirname "$0")/../qemu/lib.sh"
cd "$SUO_TOP"
dir=${SUO_BUILD:-build}/bench
mkdir -p "$dir"

for what in "$@"; do
	say "measuring $what; this takes some minutes ..."
	if ! tests/run-vm.sh "tests/vm/bench-$what.sh" "$dir/$what" \
			> "$dir/$what.tap"; then
		cat "$dir/$what.tap" >&2
		die "see $dir/$what/console.log"
	fi
	cp "$dir/$what/$what.csv" "$dir/$what.csv"
	column -t -s , "$dir/$what.csv"
	say "$dir/$what.csv"
done
