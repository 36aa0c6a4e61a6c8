#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Three clusters that differ in one bandwidth each: the measured time of an
# AllReduce must differ by what the closed form says.
#
# Hierarchical AllReduce of S bytes on H = 2 domains of G = 4 is, for every rank,
# 2 (G - 1) steps of S / G over the scale-up fabric (a ring ReduceScatter and an
# AllGather) and 2 (H - 1) steps of S / G / H over the NIC between them. In the
# difference of two runs, latencies and software cancel out; what is left is
# serialisation:
#
#	scale-up: packets of 256 bytes and 16 of header: S / G * 272 / 256 bytes
#	scale-out: packets of 4096 and 82 bytes (Documentation/design/contracts.rst)
#
# Usage: bandwidth.sh OUT-DIR

. "$(dirname "$0")/../qemu/lib.sh"
[ $# = 1 ] || { echo "Usage: bandwidth.sh OUT-DIR" >&2; exit 2; }
out=$1
size=4194304
# How far from the closed form, percent
tolerance=3
mkdir -p "$out"

# cluster NAME UP-GBPS OUT-GBPS
cluster()
{
	cat > "$out/$1.yaml" << EOF
name: bandwidth-$1
hosts: 2
accelerators: 4
scale_up:
  profile: nvlink4
  rate_gbps: $2
  latency_ns: 500
  flit_bytes: 16
  max_payload_bytes: 256
  header_bytes: 16
scale_out:
  profile: roce-400g
  rate_gbps: $3
  latency_ns: 2000
  mtu_bytes: 4096
bench:
  min_bytes: $size
  max_bytes: $size
  factor: 2
  algorithms: [hierarchical]
EOF
}

# run NAME: print the measured time, us
run()
{
	SUO_TEST_CLUSTER=$(realpath --relative-to="$SUO_TOP" "$out/$1.yaml") \
		"$SUO_TOP/tests/run-vm.sh" "$SUO_TOP/tests/vm/perf.sh" \
		"$out/$1" > "$out/$1.tap" ||
		{ cat "$out/$1.tap" "$out/$1/console.log" >&2; return 1; }
	awk -F, -v s=$size '$1 == s { print $4 }' "$out/$1/allreduce.raw.csv"
}

# judge NUMBER WHAT TIME-A TIME-B BYTES-A-STEP STEPS GBPS-A GBPS-B
judge()
{
	awk -v n="$1" -v what="$2" -v a="$3" -v b="$4" -v bytes="$5" \
	    -v steps="$6" -v ra="$7" -v rb="$8" -v tol=$tolerance '
	BEGIN {
		# bytes * 8 / (Gb/s) is nanoseconds
		want = steps * bytes * 8 * (1 / rb - 1 / ra) / 1000
		off = 100 * ((b - a) - want) / want
		good = a > 0 && b > 0 && off <= tol && off >= -tol
		printf "%sok %d - %s: %.3f us more, closed form %.3f us (%+.2f %%)\n",
			good ? "" : "not ", n, what, b - a, want, off
		exit !good
	}'
}

cluster base 3600 400
cluster up 1200 400
cluster out 3600 100
base=$(run base)
up=$(run up)
other=$(run out)

up_bytes=$((size * 272 / 256 / 4))
out_bytes=$((size * (4096 + 82) / 4096 / 8))
status=0
judge 1 "a third of the scale-up bandwidth" "$base" "$up" $up_bytes 6 3600 1200 || status=1
judge 2 "a quarter of the scale-out bandwidth" "$base" "$other" $out_bytes 2 400 100 || status=1
echo "1..2"
exit $status
