#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=1024 timeout=1500
# files: tests/vm/bench.inc build/tests/vm/verbs_latency build/tests/vm/su_limits build/tests/vm/shm_latency
#
# The scale-up path beside rdma_rxe (bench.inc): suo's two devices are members of a
# domain whose links take no time, at a time scale of 1, so that what is left is
# the software. Beside them, what no software can beat: one memcpy() of the same
# bytes, shared memory that is polled, a turn that is handed over by futex. All
# figures are on the guest's clock, which counts instructions.
#
# Leaves su.csv: case,size_bytes,metric,unit,suo,peer,peer_name,ratio

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/bench.inc
. /lab/bench.inc
CSV=$RESULTS/su.csv
DOMAIN=/sys/kernel/config/suo/domains/fast

su_up()
{
	[ -d /sys/kernel/config/suo ] ||
		mount -t configfs none /sys/kernel/config || return 1
	[ "$(cat /sys/kernel/config/suo/time_scale)" = 1 ] &&
		mkdir $DOMAIN $DOMAIN/members/suo0 $DOMAIN/members/suo1
}

# su_bytes: what has gone by the scale-up path
su_bytes()
{
	cat /sys/class/infiniband/suo[01]/ports/1/hw_counters/su_tx_bytes |
		awk '{ n += $1 } END { print n + 0 }'
}

# suo_of CASE SIZE: suo's figure of a row that is there already
suo_of()
{
	awk -F, -v c="$1" -v s="$2" '$1 == c && $2 == s { print $5; exit }' "$CSV"
}

# bandwidth SIZE N: each way to move it, and one copy
bandwidth()
{
	_size=$1 _n=$2
	# ib_write_bw knows no events.
	for _bw in "ib_send_bw -e" ib_write_bw "ib_read_bw -e"; do
		_op=${_bw#ib_}
		# shellcheck disable=SC2086
		ok "${_op%% *} $_size" both_sides ${_op%% *} "$_size" bandwidth \
			MiB/s 4 $_bw -n "$_n"
	done
	ok "memcpy $_size" beside_memcpy "$_size" "$_n"
}

beside_memcpy()
{
	_copy=$(/lab/su_limits memcpy "$1" "$2") || return 1
	for _op in send_bw write_bw read_bw; do
		row $_op "$1" bandwidth MiB/s "$(suo_of $_op "$1")" "$_copy" \
			memcpy || return 1
	done
}

# polled CASE [send]
polled()
{
	_case=$1
	shift
	_peer=$(timeout 60 /lab/verbs_latency rxe0 rxe1 $N "$@" | head -n 1) &&
	_suo=$(timeout 60 /lab/verbs_latency suo0 suo1 $N "$@" | head -n 1) &&
	row "$_case" 8 half_round_trip us "$_suo" "$_peer" rdma_rxe
}

# beside_limit NAME CASE... -- COMMAND...: the latency of something leaner
beside_limit()
{
	_name=$1 _cases=
	shift
	while [ "$1" != -- ]; do
		_cases="$_cases $1"
		shift
	done
	shift
	_limit=$(timeout 60 "$@") || return 1
	for _case in $_cases; do
		row "$_case" 8 half_round_trip us "$(suo_of "$_case" 8)" \
			"$_limit" "$_name" || return 1
	done
}

csv_begin
ok "a domain whose links take no time" su_up
N=2000
before=$(su_bytes)
ok "send_lat 8, by events" both_sides send_lat 8 half_round_trip us 5 \
	ib_send_lat -e -n $N
ok "send_lat 8, polled" polled send_poll_lat send
ok "write_lat 8, polled" polled write_poll_lat
ok "shared memory, polled" beside_limit libfabric_shm \
	send_poll_lat write_poll_lat -- /lab/shm_latency $N
ok "a turn handed over" beside_limit futex \
	send_lat send_poll_lat write_poll_lat -- /lab/su_limits futex $N
is "all that went by the scale-up path" "$(($(su_bytes) > before))" 1
bandwidth 65536 $N
bandwidth 1048576 $((N / 16))
tap_done
