#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Measure collectives on the example cluster by all algorithms, and Open MPI's
# AllReduce in the same boot, put the model's predictions beside them and judge:
# build/bench/collectives.csv.
#
# Usage: bench-collectives.sh

. "$(dirname "$0")/../qemu/lib.sh"
cd "$SUO_TOP"
build=${SUO_BUILD:-build}
dir=$build/bench
cluster=model/cluster/examples/2x4-nvlink4-roce400.yaml
mkdir -p "$dir"

say "measuring collectives; this takes a quarter of an hour or more ..."
if ! tests/run-vm.sh tests/vm/bench-collectives.sh "$dir/collectives" > "$dir/collectives.tap"; then
	cat "$dir/collectives.tap" >&2
	die "see $dir/collectives/console.log"
fi
status=0
"$build/tests/bench_predict" "$cluster" < "$dir/collectives/raw.csv" > "$dir/collectives.csv" ||
	status=$?
column -t -s , "$dir/collectives.csv"
say "$dir/collectives.csv"
exit $status
