#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=1024 timeout=1500
# files: build/tests/vm/verbs_latency
#
# suo beside rdma_rxe, in one boot, over networks of one shape: two netdevs, each
# a veth pair into a bridge, MTU 9000. rxe at its best: the processor's CRC, and
# both devices in the first namespace, the only one it works in; policy routing
# makes its packets take the bridge. suo unpaced, each device in a namespace.
# Beside them what plain UDP does over suo's netdevs. All figures are on the
# guest's clock, which counts instructions.
#
# Leaves verbs.csv: case,size_bytes,metric,unit,suo,peer,peer_name,ratio

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
CSV=$RESULTS/verbs.csv

bridge()
{
	ip link add "$1" address "$2" mtu 9000 type bridge ageing_time 1000000000 \
		mcast_snooping 0 &&
	ip link set "$1" up
}

# rxe: 10.8.0.1 and .2 on r0 and r1, which only know each other by the bridge.
rxe_up()
{
	modprobe crc32_pclmul
	modprobe crc32_generic
	modprobe rdma_rxe &&
	bridge rbr 02:53:55:01:00:00 || return 1
	ip link set lo up
	cd /proc/sys/net/ipv4/conf || return 1
	for c in all default; do
		echo 1 > $c/accept_local
		echo 0 > $c/rp_filter
		echo 1 > $c/arp_ignore
		echo 2 > $c/arp_announce
	done
	ip rule add pref 200 lookup local &&
	ip rule del pref 0 || return 1
	for i in 0 1; do
		ip link add r$i mtu 9000 address 02:53:55:01:01:0$i type veth \
			peer name rp$i mtu 9000 &&
		ip link set rp$i master rbr up &&
		ip addr add 10.8.0.$((i + 1))/24 dev r$i &&
		ip link set r$i up &&
		ip rule add pref 10 iif r$i lookup local &&
		ip route add 10.8.0.0/24 dev r$i table $((100 + i)) &&
		ip rule add pref 20 from 10.8.0.$((i + 1)) to 10.8.0.0/24 \
			lookup $((100 + i)) &&
		rdma link add rxe$i type rxe netdev r$i || return 1
	done
	ip neigh replace 10.8.0.2 lladdr 02:53:55:01:01:01 dev r0 &&
	ip neigh replace 10.8.0.1 lladdr 02:53:55:01:01:00 dev r1
}

# suo: 10.9.0.1 and .2 on v0 of namespaces s0 and s1, the bridge in a third.
suo_up()
{
	insmod "/lib/modules/$(uname -r)/suo.ko" &&
	ip netns add sbr &&
	ip netns exec sbr sh -c 'echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6' &&
	ip netns exec sbr ip link add sbr address 02:53:55:02:00:00 mtu 9000 \
		type bridge ageing_time 1000000000 mcast_snooping 0 &&
	ip -n sbr link set sbr up || return 1
	for i in 0 1; do
		ip netns add s$i &&
		ip -n s$i link set lo up &&
		ip -n s$i link add v0 mtu 9000 address 02:53:55:02:01:0$i \
			type veth peer name sp$i netns sbr mtu 9000 &&
		ip -n sbr link set sp$i master sbr up &&
		ip -n s$i addr add 10.9.0.$((i + 1))/24 dev v0 &&
		ip -n s$i link set v0 up &&
		ip -n s$i neigh replace 10.9.0.$((2 - i)) \
			lladdr 02:53:55:02:01:0$((1 - i)) dev v0 &&
		ip netns exec s$i rdma link add suo$i type suo netdev v0 ||
			return 1
	done
}

# in_ns SIDE I COMMAND...: where device I of a side lives
in_ns()
{
	if [ "$1" = suo ]; then
		_ns=s$2
		shift 2
		exec ip netns exec "$_ns" "$@"
	fi
	shift 2
	exec "$@"
}

gid_of()
{
	grep -l "ffff:0a0[89]" /sys/class/infiniband/"$1"/ports/1/gids/* |
		sed 's/.*gids.//' | head -n 1
}

# perftest SIDE COLUMN TOOL ARGS...: the figure in a column of the client's table
perftest()
{
	_side=$1 _column=$2 _tool=$3
	shift 3
	if [ "$_side" = suo ]; then
		_to=10.9.0.1
	else
		_to=127.0.0.1
	fi
	(in_ns "$_side" 0 timeout 120 "$_tool" -F -d "$_side"0 \
		-x "$(gid_of "$_side"0)" "$@") > /tmp/server.log 2>&1 &
	_pid=$!
	# shellcheck disable=SC2016
	until (in_ns "$_side" 0 sh -c '[ -n "$(ss -Hltn "sport = :18515")" ]'); do
		kill -0 $_pid 2> /dev/null || break
		sleep 0.1
	done
	(in_ns "$_side" 1 timeout 120 "$_tool" -F -d "$_side"1 \
		-x "$(gid_of "$_side"1)" "$@" $_to) > /tmp/client.log 2>&1
	_rc=$?
	[ $_rc = 0 ] || kill $_pid 2> /dev/null
	wait $_pid || _rc=1
	if [ $_rc != 0 ]; then
		cat /tmp/server.log /tmp/client.log >&2
		return 1
	fi
	awk -v c="$_column" '$1 ~ /^[0-9]+$/ && NF > 3 { x = $c } END { print x }' \
		/tmp/client.log
}

# row CASE SIZE METRIC UNIT SUO PEER PEER-NAME
row()
{
	echo "$1,$2,$3,$4,$5,$6,$7,$(awk -v a="$5" -v b="$6" \
		'BEGIN { if (b + 0) printf "%.3f", a / b }')" >> "$CSV"
	tail -n 1 "$CSV"
	[ -n "$5" ] && [ -n "$6" ]
}

# both_sides CASE SIZE METRIC UNIT COLUMN TOOL ARGS...
both_sides()
{
	_case=$1 _size=$2 _metric=$3 _unit=$4
	shift 4
	_peer=$(perftest rxe "$@" -s "$_size") &&
	_suo=$(perftest suo "$@" -s "$_size") &&
	row "$_case" "$_size" "$_metric" "$_unit" "$_suo" "$_peer" rdma_rxe
}

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

if ! ok "rdma_rxe" rxe_up || ! ok "suo beside it" suo_up; then
	tap_line "Bail out! nothing to compare"
	exit 1
fi
echo "case,size_bytes,metric,unit,suo,peer,peer_name,ratio" > "$CSV"

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
