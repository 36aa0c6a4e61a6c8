#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Measure, and print the table: build/bench/verbs.csv. The figures are on the
# clock of a guest that counts instructions; ratios are what they are good for.
#
# Usage: bench.sh

. "$(dirname "$0")/../qemu/lib.sh"
cd "$SUO_TOP"
dir=${SUO_BUILD:-build}/bench
mkdir -p "$dir"

say "measuring verbs; this takes some minutes ..."
if ! tests/run-vm.sh tests/vm/bench-verbs.sh "$dir/verbs" > "$dir/verbs.tap"; then
	cat "$dir/verbs.tap" >&2
	die "see $dir/verbs/console.log"
fi
cp "$dir/verbs/verbs.csv" "$dir/verbs.csv"
column -t -s , "$dir/verbs.csv"
say "$dir/verbs.csv"
