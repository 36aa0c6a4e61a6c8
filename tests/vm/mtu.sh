#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=768 timeout=600
# files: tests/vm/wire.inc build/tests/vm/verbs_events
# programs: ethtool
#
# Every path MTU; and a netdev that changes under its device: MTU, addresses, link.
# What rdma_rxe does in the same case stands beside it.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/wire.inc
. /lab/wire.inc

active_mtu()
{
	ibv_devinfo -d "$1" | awk '$1 == "active_mtu:" { print $2 }'
}

# until_sent DEVICE COUNT: so many packets more
until_sent()
{
	_limit=$(($(hw_counter "$1" sent_pkts) + $2))
	for _ in $(seq 300); do
		[ "$(hw_counter "$1" sent_pkts)" -lt $_limit ] || return 0
		sleep 0.02
	done
	return 1
}

# under_traffic SENDER PEER MTU COMMAND...: what is heard of a connection of which one
# end's netdev is tampered with
under_traffic()
{
	_s=$1 _p=$2 _m=$3
	shift 3
	at "$_p" timeout 8 ibv_rc_pingpong -e -d "$_p" -g "$(gid "$_p")" -m "$_m" \
		-s 65536 -n 100000000 > /tmp/peer.log 2>&1 &
	_peer=$!
	until [ -n "$(at "$_p" ss -Hltn "sport = :18515")" ]; do
		kill -0 $_peer || break
		sleep 0.1
	done
	at "$_s" timeout 8 ibv_rc_pingpong -e -d "$_s" -g "$(gid "$_s")" -m "$_m" \
		-s 65536 -n 100000000 "$(address "$_p")" > /tmp/sender.log 2>&1 &
	_sender=$!
	until_sent suo0 200 || echo "no traffic"
	"$@"
	wait $_sender
	_rc=$?
	# Whoever had something to send hears of it; the other waits.
	[ $_rc != 124 ] || grep -q status /tmp/peer.log || echo "timeout"
	kill $_peer 2> /dev/null
	wait $_peer
	cat /tmp/sender.log /tmp/peer.log |
		sed -n 's/^Failed status \(.*\) for wr_id.*/\1/p' | sort -u
}

# fails SENDER...: the same for rdma_rxe, which fails by itself if it was its turn; else
# it is its peer that hears nothing
fails()
{
	under_traffic "$@" > /tmp/fails
	cat /tmp/fails
	grep -q 'local QP operation error (2)\|transport retry counter exceeded (12)' \
		/tmp/fails
}

# goes_on 4|6 COMMAND...: a connection from suo0 to suo1, by its address of that kind,
# over which everything arrives, whatever the command does meanwhile
goes_on()
{
	_ip=$1
	shift
	PAIR_TIMEOUT=60 pingpong rc suo1 suo0 "$(gid suo1 0 "$_ip")" \
		"$(gid suo0 0 "$_ip")" -c -s 20001 -m 1024 -n 2000 > /tmp/goes_on.log 2>&1 &
	_both=$!
	until_sent suo0 200 || echo "no traffic"
	"$@" || echo "exit status $? of: $*"
	until_sent suo0 200 || echo "no traffic afterwards"
	wait $_both
	_rc=$?
	cat /tmp/goes_on.log
	return $_rc
}

# events_of DEVICE: to a file
events_of()
{
	/lab/verbs_events "$1" > "/tmp/events-$1" &
	events_pids="$events_pids $!"
	until grep -q ready "/tmp/events-$1"; do
		sleep 0.1
	done
}

ok "rdma_rxe and suo on a wire" wire_up || { tap_line "Bail out!"; exit 1; }
ok "packets are to leave one by one" sh -c "
	ip netns exec s ethtool -K v1 tx-udp-segmentation off &&
	ip netns exec t ethtool -K v2 tx-udp-segmentation off"
for dirs in "suo0 suo1" "rxe0 suo0" "suo0 rxe0"; do
	server=${dirs% *} client=${dirs#* }
	for mtu in 256 512 1024 2048 4096; do
		capture_start "mtu-$server-$client-$mtu" "$server"
		for ip in 4 6; do
			ok "$client to $server, IPv$ip, path MTU $mtu: data checked" \
				pingpong rc "$server" "$client" \
				"$(gid "$server" 0 $ip)" "$(gid "$client" 0 $ip)" \
				-c -n 3 -s 9001 -m $mtu
		done
		capture_stop
		# UDP header, BTH, ICRC
		judge "some udp.length == $((mtu + 24)) && ip"
		judge "some udp.length == $((mtu + 24)) && ipv6"
		judge "none udp.dstport == 4791 && udp.length > $((mtu + 24))"
	done
done
ok "whole datagrams are sent again" sh -c "
	ip netns exec s ethtool -K v1 tx-udp-segmentation on &&
	ip netns exec t ethtool -K v2 tx-udp-segmentation on"

for mtu in 9000 4200 2200 1500 1200 700 400; do
	ok "MTU $mtu on both" sh -c "ip link set v0 mtu $mtu && ip -n s link set v1 mtu $mtu"
	is "MTU $mtu: the active MTU is rdma_rxe's" "$(active_mtu suo0)" "$(active_mtu rxe0)"
done
is "the largest is 4096" "$(ip -n s link set v1 mtu 65535; active_mtu suo0)" 4096
ok "MTU 1500" sh -c "ip -n s link set v1 mtu 1500"
is "the active MTU" "$(active_mtu suo0)" 1024
# rdma_rxe takes any, and never gets a packet through.
PAIR_TIMEOUT=5
ok "a path MTU that does not fit is refused" refused \
	pingpong rc suo0 suo1 "$(gid suo0)" "$(gid suo1)" -n 1 -m 4096
PAIR_TIMEOUT=
ok "one that fits is not" pingpong rc suo0 suo1 "$(gid suo0)" "$(gid suo1)" -c -n 3 \
	-s 20001 -m 1024
# Linux takes the addresses of IPv6 away below 1280.
ok "MTU 9000" sh -c "
	ip link set v0 mtu 9000 && ip -n s link set v1 mtu 9000 &&
	ip -n s addr add $(address suo0 0 6)/64 dev v1 nodad"
ok "then a path MTU of 4096 is not refused" \
	pingpong rc suo0 suo1 "$(gid suo0)" "$(gid suo1)" -c -n 3 -s 20001 -m 4096

is "MTU under traffic: the path MTU fits no more, and the sender is told" \
	"$(under_traffic suo0 suo1 4096 ip -n s link set v1 mtu 1500)" \
	"transport retry counter exceeded (12)"
ok "MTU 9000" ip -n s link set v1 mtu 9000
ok "MTU under traffic, which still fits: it goes on" goes_on 4 sh -c '
	ip -n s link set v1 mtu 1500 && sleep 0.1 && ip -n s link set v1 mtu 9000'
is "rdma_rxe: the path MTU fits no more" \
	"$(under_traffic rxe0 suo0 4096 ip link set v0 mtu 1500)" "timeout"
ok "MTU 9000" ip link set v0 mtu 9000

# The device is the same, and so is the connection over its other address.
is "an address is removed under traffic, and the sender is told" \
	"$(under_traffic suo0 suo1 1024 ip -n s addr del "$(address suo0)/24" dev v1)" \
	"transport retry counter exceeded (12)"
is "the GID has gone" "$(gid suo0 2> /dev/null)" ""
ok "the address comes back" ip -n s addr add "$(address suo0)/24" dev v1
ok "and works" pingpong rc suo0 suo1 "$(gid suo0)" "$(gid suo1)" -n 3
ok "rdma_rxe: an address is removed under traffic, and a request fails" \
	fails rxe0 suo0 1024 ip addr del "$(address rxe0)/24" dev v0
ok "the address comes back" ip addr add "$(address rxe0)/24" dev v0
ok "an address is removed and comes back under traffic: it goes on" goes_on 4 sh -c "
	ip -n s addr del $(address suo0)/24 dev v1 && sleep 0.1 &&
	ip -n s addr add $(address suo0)/24 dev v1"
ok "another address does: it goes on" goes_on 6 sh -c "
	ip -n s addr del $(address suo0)/24 dev v1 && sleep 0.1 &&
	ip -n s addr add $(address suo0)/24 dev v1"

is "the link goes down under traffic, and the sender is told" \
	"$(under_traffic suo0 suo1 1024 ip -n s link set v1 down)" \
	"transport retry counter exceeded (12)"
is "the port is down" "$(ibv_devinfo -d suo0 | awk '$1 == "state:" { print $2 }')" PORT_DOWN
ok "the link comes up" ip -n s link set v1 up
is "the port is up" "$(ibv_devinfo -d suo0 | awk '$1 == "state:" { print $2 }')" PORT_ACTIVE
ok "the link goes down and comes up under traffic: it goes on" goes_on 4 sh -c '
	ip -n s link set v1 down && sleep 0.1 && ip -n s link set v1 up'
ok "rdma_rxe: the link goes down under traffic, and a request fails" \
	fails rxe0 suo0 1024 ip link set v0 down
ok "the link comes up" ip link set v0 up

# What the process hears. IPv6 addresses go with the link. The kernel tells of a
# carrier once a second at most, so let it first tell of what was before.
sleep 2
events_pids=
events_of suo0
events_of rxe0
ok "addresses come and go" sh -c '
	ip -n s addr add 10.9.77.2/24 dev v1 && ip addr add 10.9.77.1/24 dev v0 &&
	sleep 0.2 &&
	ip -n s addr del 10.9.77.2/24 dev v1 && ip addr del 10.9.77.1/24 dev v0 &&
	sleep 0.2'
ok "links go and come" sh -c '
	ip -n s link set v1 down && ip link set v0 down && sleep 0.2 &&
	ip -n s link set v1 up && ip link set v0 up && sleep 0.2'
# shellcheck disable=SC2086
kill $events_pids
# shellcheck disable=SC2086
wait $events_pids
is "first of the addresses, then of the link" \
	"$(grep -v ready /tmp/events-suo0 | uniq | tr '\n' ',')" \
	"GID table change,port error,port active,"
is "suo0 hears what rxe0 hears" \
	"$(uniq /tmp/events-suo0)" "$(uniq /tmp/events-rxe0)"
wire_down
tap_done
