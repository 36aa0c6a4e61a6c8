#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A cluster file with a fault is refused: exit status 2, nothing on stdout, and a
# message that names the file, the line and the key. Each case spoils one line of
# a good file.

. "$(dirname "$0")/../qemu/lib.sh"
. "$SUO_TOP/tests/tap.sh"
suo=${SUO_BUILD:-$SUO_TOP/build}/bin/suo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/good.yaml" << 'EOF'
name: small
hosts: 2
accelerators: 2
scale_up:
  profile: nvlink4
  rate_gbps: 3600
  latency_ns: 500
scale_out:
  profile: roce-400g
  rate_gbps: 400
  latency_ns: 2000
  mtu_bytes: 4096
lab:
  time_scale: 1000
bench:
  min_bytes: 1KiB
  max_bytes: 1MiB
  factor: 2
  algorithms: [hierarchical]
EOF

status=0
"$suo" cluster env "$work/good.yaml" > "$work/out" 2> "$work/err" || status=$?
result_said $status "a good file is accepted" "$(< "$work/err")"
for want in "SUO_NAME='small'" "SUO_HOSTS='2'" "SUO_RANKS='4'" \
	    "SUO_TIME_SCALE='1000'" "SUO_UP_ENDPOINT_PS='500000'" \
	    "SUO_OUT_RATE_MBPS='400000'" "SUO_BENCH_MAX_BYTES='1048576'"; do
	status=0
	grep -qx "$want" "$work/out" || status=1
	result_said $status "the environment has $want" "$(< "$work/err")"
done

# bad LINE KEY REPLACEMENT: KEY must be in the message.
bad()
{
	local what="line $1: $3" status=0

	awk -v n="$1" -v text="$3" 'NR == n { print text; next } { print }' \
		"$work/good.yaml" > "$work/bad.yaml"
	"$suo" cluster env "$work/bad.yaml" > "$work/out" 2> "$work/err" || status=$?
	[ $status = 2 ] || echo "exit status $status" >> "$work/err"
	if [ $status = 2 ] && [ ! -s "$work/out" ] &&
	   grep -F "$work/bad.yaml:$1:" "$work/err" | grep -qF "$2"; then
		result_said 0 "refused: $what" "$(< "$work/err")"
	else
		result_said 1 "refused: $what" "$(< "$work/err")"
	fi
}

bad 2 hosts "hosts: 0"
bad 2 hosts "hosts: two"
bad 3 accelerator "accelerator: 2"
bad 3 accelerators "accelerators: -4"
bad 5 profile "  profile: nvlink77"
bad 5 profil "  profil: nvlink4"
bad 6 rate_gbps "  rate_gbps: -3600"
bad 6 rate_gbps "  rate_gbps: fast"
bad 6 rate_gbps "  rate_gbps: 99999999999999999999"
bad 7 latency_ns "  latency_ns: -1"
bad 9 profile "  profile: nvlink4"
bad 10 bandwith "  bandwith: 400"
bad 12 mtu_bytes "  mtu_bytes: 4000"
bad 14 time_scale "  time_scale: 0"
bad 16 min_bytes "  min_bytes: 2 bushels"
bad 17 max_bytes "  max_bytes: 512"
bad 18 factor "  factor: 1"
bad 19 algorithms "  algorithms: [quantum]"
bad 19 factor "  factor: 3"

for file in "$work/absent.yaml" "$work"; do
	status=0
	"$suo" cluster env "$file" > "$work/out" 2> "$work/err" || status=$?
	[ $status = 2 ] && grep -qF "$file" "$work/err" && status=0 || status=1
	result_said $status "refused: a path that is no file" "$(< "$work/err")"
done
tap_done
