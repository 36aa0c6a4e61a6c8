#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=1024 timeout=1500
# files: tests/vm/bench.inc build/tests/vm/verbs_latency
#
# suo beside rdma_rxe over the network (bench.inc), suo unpaced. Beside them what
# plain UDP does over suo's netdevs. All figures are on the guest's clock, which
# counts instructions.
#
# Leaves verbs.csv: case,size_bytes,metric,unit,suo,peer,peer_name,ratio

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/bench.inc
. /lab/bench.inc
CSV=$RESULTS/verbs.csv

write_latency()
{
	_peer=$(timeout 60 /lab/verbs_latency rxe0 rxe1 $N | head -n 1) &&
	_suo=$(timeout 60 /lab/verbs_latency suo0 suo1 $N | head -n 1) &&
	row write_lat 8 half_round_trip us "$_suo" "$_peer" rdma_rxe
}

# sockperf ARGS...: what plain UDP does between suo's netdevs. A socket writes
# a datagram at a time, so this is the limit of one packet an operation.
udp()
{
	(in_ns suo 0 timeout 100 sockperf server -i 10.9.0.1 -p 4000) \
		> /tmp/server.log 2>&1 &
	_pid=$!
	# shellcheck disable=SC2016
	until (in_ns suo 0 sh -c '[ -n "$(ss -Hlun "sport = :4000")" ]'); do
		kill -0 $_pid 2> /dev/null || break
		sleep 0.1
	done
	(in_ns suo 1 timeout 100 sockperf "$@" -i 10.9.0.1 -p 4000) \
		> /tmp/client.log 2>&1
	_rc=$?
	kill $_pid
	wait $_pid
	return $_rc
}

udp_latency()
{
	udp ping-pong -m 14 -t 1 || return 1
	_udp=$(sed -n 's/.*Latency is \([0-9.]*\) usec.*/\1/p' /tmp/client.log)
	for _case in send_lat write_lat; do
		_suo=$(awk -F, -v c=$_case '$1 == c && $7 == "rdma_rxe" { print $5 }' \
			"$CSV")
		row $_case 8 half_round_trip us "$_suo" "$_udp" udp || return 1
	done
}

udp_bandwidth()
{
	udp throughput -m 4096 -t 1 || return 1
	_udp=$(sed -n 's/.*BandWidth is \([0-9.]*\) MBps.*/\1/p' /tmp/client.log)
	for _case in send_bw write_bw read_bw; do
		_suo=$(awk -F, -v c=$_case '$1 == c && $2 == 65536 &&
			$7 == "rdma_rxe" { print $5 }' "$CSV")
		row $_case 65536 bandwidth MiB/s "$_suo" "$_udp" udp_4096 ||
			return 1
	done
}

csv_begin
N=2000
ok "send_lat 8" both_sides send_lat 8 half_round_trip us 5 ib_send_lat -e -n $N
ok "write_lat 8" write_latency
for size in 65536 1048576; do
	n=$((N * 65536 / size))
	# ib_write_bw knows no events.
	for bw in "ib_send_bw -e" ib_write_bw "ib_read_bw -e"; do
		op=${bw#ib_}
		# shellcheck disable=SC2086
		ok "${op%% *} $size" both_sides ${op%% *} $size bandwidth \
			MiB/s 4 $bw -n $n
	done
done
for bw in "ib_send_bw -e" ib_write_bw; do
	op=${bw#ib_}
	op=${op%%_*}_rate
	# shellcheck disable=SC2086
	ok "$op 64" both_sides $op 64 message_rate Mmsg/s 5 $bw -n $((N * 5))
done
ok "plain UDP, to and fro" udp_latency
ok "plain UDP, one way" udp_bandwidth
tap_done
