#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The simulator beside csg-htsim and closed forms, and what it costs. Prints TAP and
# leaves OUT.csv, the table. Times of the processor are those of a user process; they
# grow when the machine has other things to do.
#
# csg-htsim's figures: htsim_roce and htsim_eqds of github.com/Broadcom/csg-htsim with
# -linkspeed 400000 -mtu 4096 -hop_latency 0.5 -switch_latency 0.5 -strat ecmp_host
# -paths 128 on a three-tier fat tree: means over 24 seeds (permutation), one run (the
# others). Its ports pause at 15 packets of an ingress queue and go on at 12.
#
# Usage: bench-sim.sh OUT [SEEDS]

. "$(dirname "$0")/../qemu/lib.sh"
. "$SUO_TOP/tests/tap.sh"
[ $# -ge 1 ] || { echo "Usage: bench-sim.sh OUT [SEEDS]" >&2; exit 2; }
out=$1
seeds=${2:-24}
suo=${SUO_BUILD:-$SUO_TOP/build}/bin/suo
mkdir -p "$(dirname "$out")"
line=$(mktemp)
trap 'rm -f "$line"' EXIT

# As csg-htsim's switches
pfc=(--xoff 61440 --xon 12288 --headroom 1MiB --buffer 8MiB)
tree=(--topology fat-tree --rate 400Gb/s)

# simulate ARG...: leaves the figures in the associative array got, seconds in user.
declare -A got
simulate()
{
	local TIMEFORMAT=%U names values i

	user=$({ time "$suo" simulate "$@" --csv "$line" > /dev/null; } 2>&1)
	IFS=, read -ra names < "$line"
	IFS=, read -ra values < <(tail -n 1 "$line")
	for i in "${!names[@]}"; do
		got[${names[i]}]=${values[i]}
	done
}

calc()
{
	awk "BEGIN { printf \"%.3f\", $1 }"
}

# judge WHAT OURS THEIRS PERCENT: within so much
judge()
{
	local ratio ok

	ratio=$(calc "$2 / $3")
	echo "$1,$2,$3,$ratio" >> "$out.csv"
	ok=0
	awk "BEGIN { exit !($ratio >= 1 - $4 / 100 && $ratio <= 1 + $4 / 100) }" || ok=1
	result $ok "$1: $2, expected $3, ratio $ratio"
}

# at_most WHAT OURS LIMIT
at_most()
{
	local ok

	echo "$1,$2,$3,$(calc "$2 / $3")" >> "$out.csv"
	ok=0
	awk "BEGIN { exit !($2 < $3) }" || ok=1
	result $ok "$1: $2, at most $3"
}

echo "what,ours,reference,ratio" > "$out.csv"

sums=(0 0 0 0)
for ((seed = 1; seed <= seeds; seed++)); do
	simulate permutation "${tree[@]}" --hosts 128 -b 2000000 "${pfc[@]}" --seed $seed
	sums=("$(calc "${sums[0]} + ${got[min_us]}")" "$(calc "${sums[1]} + ${got[p50_us]}")"
	      "$(calc "${sums[2]} + ${got[p99_us]}")" "$(calc "${sums[3]} + ${got[max_us]}")")
done
what="permutation 128 x 2 MB RoCE ECMP PFC, us"
judge "$what, min" "$(calc "${sums[0]} / $seeds")" 44.78 15
judge "$what, p50" "$(calc "${sums[1]} / $seeds")" 125.15 15
judge "$what, p99" "$(calc "${sums[2]} / $seeds")" 229.54 15
judge "$what, last" "$(calc "${sums[3]} / $seeds")" 230.82 15

simulate permutation "${tree[@]}" --hosts 128 -b 2000000 --transport pull
judge "permutation 128 x 2 MB EQDS, last, us" "${got[max_us]}" 73.3 15
simulate incast "${tree[@]}" --hosts 128 -n 32 -b 1000000 "${pfc[@]}"
judge "incast 32 x 1 MB RoCE, us" "${got[done_us]}" 661.5 15
simulate incast "${tree[@]}" --hosts 128 -n 32 -b 1000000 --transport pull
judge "incast 32 x 1 MB EQDS, us" "${got[done_us]}" 673.7 15
simulate ring "${tree[@]}" --hosts 16 -n 8 -b 16MiB --steps 15 --at-done "${pfc[@]}"
judge "ring of 8, 15 steps of 16 MiB RoCE, us" "${got[done_us]}" 5330 15

# 4178 bytes for 4096; two links, one switch
simulate incast --hosts 33 -n 32 -b 1MiB
judge "incast at one switch, closed form, us" "${got[data_us]}" \
	"$(calc "(32 * (256 * 4178 + 20) + 4194) * 8 / 400e3 + 1.5")" 1
simulate collective -a ring --hosts 16 -b 16MiB --ack-every 1000
judge "ring AllReduce of 16 at one switch, closed form, us" "${got[data_us]}" \
	"$(calc "30 * ((257 * 4178 + 20) * 8 / 400e3 + 1.5)")" 1
simulate collective -a hierarchical --hosts 1024 -g 8 --topology rail --hosts-per-leaf 128 \
	-b 1GiB --train 64 --scale-up nvlink4
hierarchical=$user
# A message of 1 MiB in trains of 64 packets; 14 steps of 128 MiB at 450 GB/s and 413 ns
judge "hierarchical AllReduce of 8 x 128, 1 GiB, closed form, us" "${got[data_us]}" \
	"$(calc "14 * (134217728 / 450e3 + 0.413) + 254 * ((257 * 4178 + 20) * 8 / 400e3 + 1.5)")" 1

at_most "hierarchical AllReduce of 1024, 1 GiB, s (ASTRA-sim 7.1)" "$hierarchical" 7.1
for hosts in 16 54 128 432 1024; do
	simulate permutation "${tree[@]}" --hosts $hosts -b 2000000 "${pfc[@]}"
	say "permutation of $hosts x 2 MB RoCE: $user s, ${got[packets]} packets"
	echo "permutation of $hosts x 2 MB RoCE: s,$user,," >> "$out.csv"
	case $hosts in
	128) at_most "permutation of 128, s (csg-htsim 0.7)" "$user" 0.7;;
	1024) at_most "permutation of 1024, s" "$user" 20;;
	esac
done
simulate permutation "${tree[@]}" --hosts 1024 -b 2000000 --transport pull
at_most "permutation of 1024 EQDS, s (csg-htsim 42.9)" "$user" 20
tap_done
