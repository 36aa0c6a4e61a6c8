#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=768 timeout=900
# files: tests/vm/wire.inc
# programs: ethtool
# modules: 8021q
#
# VLANs: the core makes GIDs of the addresses of a VLAN on a device's netdev. What is
# sent by them has the tag, and what has another tag, or none, does not reach them.
# Bridges and macvlans see what is theirs.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/wire.inc
. /lab/wire.inc

# vlan_up DEVICE ID EGRESS-MAP...
vlan_up()
{
	_dev=$1 _vn=v$(number "$1") _vid=$2
	shift 2
	at "$_dev" ip link add link "$_vn" name "$_vn.$_vid" type vlan id "$_vid" \
		egress-qos-map "$@" &&
	at "$_dev" ip addr add "$(address "$_dev" "$_vid")/24" dev "$_vn.$_vid" &&
	at "$_dev" ip addr add "$(address "$_dev" "$_vid" 6)/64" dev "$_vn.$_vid" nodad &&
	at "$_dev" ip link set "$_vn.$_vid" up
}

vlans_up()
{
	modprobe 8021q 2> /dev/null
	for _d in rxe0 suo0 suo1; do
		# On VLAN 10 nothing is as it is called; VLAN 20 is straight.
		vlan_up $_d 10 0:1 3:3 5:4 6:5 &&
		vlan_up $_d 20 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 || return
	done
}

# Datagrams of many packets would be whole in the captures.
set_segmentation()
{
	for _d in suo0 suo1; do
		at $_d ethtool -K "v$(number $_d)" tx-udp-segmentation "$1" || return
	done
}

ok "rdma_rxe and suo on a wire" wire_up || { tap_line "Bail out!"; exit 1; }
ok "with VLANs" vlans_up
for dev in rxe0 suo0 suo1; do
	n=$(number $dev)
	for id in 10 20; do
		for ip in 4 6; do
			is "$dev: the GID for IPv$ip on VLAN $id is that netdev's" \
				"$(gid_dev $dev "$(gid $dev $id $ip)")" "v$n.$id"
		done
	done
	is "$dev: the GID without VLAN is the device's netdev's" \
		"$(gid_dev $dev "$(gid $dev)")" "v$n"
done

ok "packets are to leave one by one" set_segmentation off
for dirs in "suo0 suo1" "rxe0 suo0" "suo0 rxe0"; do
	server=${dirs% *} client=${dirs#* }
	capture_start "vlan-$server-$client" "$server"
	for ip in 4 6; do
		sg=$(gid "$server" 10 $ip) cg=$(gid "$client" 10 $ip)
		for type in rc ud; do
			ok "$client to $server, IPv$ip: ibv_${type}_pingpong on VLAN 10" \
				pingpong $type "$server" "$client" "$sg" "$cg" -n 5 -s 1000
		done
	done
	sg=$(gid "$server" 20) cg=$(gid "$client" 20)
	for type in rc ud; do
		ok "$client to $server: ibv_${type}_pingpong on VLAN 20, service level 5" \
			pingpong $type "$server" "$client" "$sg" "$cg" -n 5 -s 1000 -l 5
	done
	capture_stop
	judge "all vlan.id == 10 if !(ip.addr == 10.9.20.0/24)"
	judge "all vlan.id == 20 if ip.addr == 10.9.20.0/24"
	judge "some ipv6.src == fd09:0:0:10::/64"
	# The service level, whatever the map says; but rdma_rxe knows no priority,
	# and the map has 1 for that.
	for dev in $server $client; do
		a=$(address "$dev" 10)
		if [ "$dev" = rxe0 ]; then
			judge "all vlan.priority == 1 if ip.src == $a"
		else
			judge "all vlan.priority == 0 if ip.src == $a"
			judge "all vlan.priority == 5 if ip.src == $(address "$dev" 20)"
		fi
	done

	# The core makes of the type of service 0 the priority 0, and of that by the map
	# of VLAN 10 the service level 1; of 0x10 the priority 6, and 5. The peer is told
	# in the request.
	capture_start "cm-$server-$client" "$server"
	ok "$client to $server: rping on VLAN 10, IPv6" both "$server" "$client" 0 \
		rping -s -a "$(address "$server" 10 6)" -C 3 -V -- \
		rping -c -a "$(address "$server" 10 6)" -C 3 -V
	ok "$client to $server: rdma_cm on VLAN 10, type of service 0x10" \
		both "$server" "$client" 0 ucmatose -t 0x10 -C 5 -- \
		ucmatose -t 0x10 -C 5 -s "$(address "$server" 10)"
	capture_stop
	judge "all vlan.id == 10"
	judge "all ip.dsfield == 0x10 if ip.src == $(address "$client" 10) &&" \
		"infiniband.bth.destqp != 1"
	for dev in $server $client; do
		[ "$dev" != rxe0 ] || continue
		for ip in "1 if ipv6.src == $(address "$dev" 10 6)" \
			  "5 if ip.src == $(address "$dev" 10)"; do
			judge "all vlan.priority == $ip && infiniband.bth.destqp != 1"
		done
	done
done
ok "whole datagrams are sent again" set_segmentation on
for dirs in "suo0 suo1" "rxe0 suo0" "suo0 rxe0"; do
	server=${dirs% *} client=${dirs#* }
	sg=$(gid "$server" 10 6) cg=$(gid "$client" 10 6)
	ok "$client to $server: ibv_rc_pingpong, 100000 bytes, data checked" \
		pingpong rc "$server" "$client" "$sg" "$cg" -n 5 -s 100000 -c
done

# The sender has one address in every VLAN, and so a GID for each; the stack of the
# receiver takes what is for any of its addresses, whatever netdev it comes by.
ok "suo1 has its address of VLAN 10 in VLAN 20 and without" sh -c "
	ip -n t addr add $(address suo1 10)/24 dev v2.20 &&
	ip -n t addr add $(address suo1 10)/24 dev v2 &&
	ip -n t addr add $(address suo1 0)/24 dev v2.10"
for server in rxe0 suo0; do
	sg=$(gid $server 10)
	for netdev in v2.10 v2.20 v2; do
		cg=$(gid suo1 10 4 $netdev)
		is "there is a GID for it of $netdev" "$(gid_dev suo1 "$cg")" $netdev
		for type in rc ud; do
			what="$server, VLAN 10, by $netdev: ibv_${type}_pingpong"
			if [ $netdev = v2.10 ]; then
				ok "$what is taken" pingpong $type $server suo1 "$sg" "$cg" -n 3
			else
				PAIR_TIMEOUT=5
				ok "$what is not" refused \
					pingpong $type $server suo1 "$sg" "$cg" -n 3
				PAIR_TIMEOUT=
			fi
		done
	done
	sg=$(gid $server) cg=$(gid suo1 0 4 v2.10)
	PAIR_TIMEOUT=5
	ok "$server, no VLAN, by v2.10: ibv_rc_pingpong is not taken" refused \
		pingpong rc $server suo1 "$sg" "$cg" -n 3
	PAIR_TIMEOUT=
done
ok "what is on VLAN 20 still works" \
	pingpong rc suo0 suo1 "$(gid suo0 20)" "$(gid suo1 20 4)" -n 3

ok "suo1 has each address once again" sh -c "
	ip -n t addr del $(address suo1 10)/24 dev v2.20 &&
	ip -n t addr del $(address suo1 10)/24 dev v2 &&
	ip -n t addr del $(address suo1 0)/24 dev v2.10"
is "suo1 has the GID no more" "$(gid suo1 10 4 v2.20 2> /dev/null)" ""

# A VLAN that goes under a connection. Whichever end has something to send is told; the
# other waits.
at suo1 timeout 10 ibv_rc_pingpong -e -d suo1 -g "$(gid suo1 20)" -n 1000000000 \
	> /tmp/peer.log 2>&1 &
server_pid=$!
until [ -n "$(at suo1 ss -Hltn "sport = :18515")" ]; do
	kill -0 $server_pid || break
	sleep 0.1
done
before=$(hw_counter suo0 sent_pkts)
at suo0 timeout 10 ibv_rc_pingpong -e -d suo0 -g "$(gid suo0 20)" -n 1000000000 \
	"$(address suo1)" > /tmp/client.log 2>&1 &
client_pid=$!
for _ in $(seq 100); do
	[ "$(hw_counter suo0 sent_pkts)" -le $((before + 100)) ] || break
	sleep 0.1
done
ok "there is traffic" test "$(hw_counter suo0 sent_pkts)" -gt $((before + 100))
ok "a VLAN is deleted under traffic" ip -n s link delete v1.20
wait $client_pid $server_pid
is "a request fails" "$(cat /tmp/client.log /tmp/peer.log |
	sed -n 's/^Failed status \(.*\) for wr_id.*/\1/p' | sort -u)" \
	"transport retry counter exceeded (12)"
is "its GID has gone" "$(gid suo0 20 2> /dev/null)" ""

# What stands on the device's netdev in other ways: see the short way, ingress.c.
received()
{
	ip netns exec s cat "/sys/class/net/$1/statistics/rx_packets"
}

ok "v1 becomes a port of a bridge, which has its addresses" sh -c "
	ip -n s link add brs address \$(ip netns exec s cat /sys/class/net/v1/address) \
		mtu 9000 type bridge &&
	ip -n s addr flush dev v1 &&
	ip -n s link set v1 master brs &&
	ip -n s link set brs up &&
	ip -n s addr add $(address suo0)/24 dev brs"
sg=$(gid suo0)
is "suo0: the GID is the bridge's" "$(gid_dev suo0 "$sg")" brs
before=$(received brs)
ok "suo1 to suo0: ibv_rc_pingpong by the bridge" \
	pingpong rc suo0 suo1 "$sg" "$(gid suo1)" -n 100 -s 1000
ok "the bridge has seen it" test $(($(received brs) - before)) -ge 100
ok "an address of v1 itself, which is a port" \
	ip -n s addr add "$(address suo0)/32" dev v1
sg=$(gid suo0 0 4 v1)
before=$(received brs)
PAIR_TIMEOUT=5
pingpong rc suo0 suo1 "$sg" "$(gid suo1)" -n 3 > /dev/null 2>&1
PAIR_TIMEOUT=
ok "what is for v1's address does not pass the bridge by" \
	test $(($(received brs) - before)) -ge 1
ok "v1 is no port any more" sh -c "
	ip -n s link delete brs &&
	ip -n s addr add $(address suo0)/24 dev v1"
ok "suo1 to suo0: ibv_rc_pingpong" \
	pingpong rc suo0 suo1 "$(gid suo0)" "$(gid suo1)" -n 3
ok "a macvlan on v1, with a device of its own" sh -c "
	ip -n s link add link v1 name m1 type macvlan mode bridge &&
	ip -n s addr add 10.9.0.66/24 dev m1 &&
	ip -n s link set m1 up &&
	ip netns exec s rdma link add suom type suo netdev m1"
sg=$(grep -l ffff:0a09:0042 /sys/class/infiniband/suom/ports/1/gids/* |
	sed 's/.*gids.//' | tail -n 1)
before=$(received m1)
ok "suo1 to the macvlan's device: ibv_rc_pingpong" both suo0 suo1 18515 \
	ibv_rc_pingpong -d suom -g "$sg" -n 100 -- \
	ibv_rc_pingpong -d suo1 -g "$(gid suo1)" -n 100 "$(address suo0)"
ok "the macvlan has seen it" test $(($(received m1) - before)) -ge 100
before=$(received m1)
ok "suo1 to suo0 beside it: ibv_rc_pingpong" \
	pingpong rc suo0 suo1 "$(gid suo0)" "$(gid suo1)" -n 100
is "the macvlan has not seen that" "$(($(received m1) - before))" 0
ok "the macvlan's device goes" rdma link delete suom
wire_down
tap_done
