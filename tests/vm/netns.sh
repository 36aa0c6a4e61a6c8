#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=768 timeout=900
# files: tests/vm/wire.inc
#
# Network namespaces and RDMA's two ways with them: devices that all share, and
# devices that are in one namespace at a time, as netdevs are. A device's packets
# are its netdev's, wherever either is.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/wire.inc
. /lab/wire.inc

# sees NAMESPACE DEVICE: by netlink, sysfs and verbs alike: yes, no, or which do
sees()
{
	_ns=${1:+ip netns exec $1} _dev=$2 _say=
	$_ns rdma dev show "$_dev" > /dev/null 2>&1 && _say=netlink
	$_ns test -e "/sys/class/infiniband/$_dev" && _say=$_say,sysfs
	$_ns ibv_devinfo -d "$_dev" > /dev/null 2>&1 && _say=$_say,verbs
	case $_say in
	'') echo no ;;
	netlink,sysfs,verbs) echo yes ;;
	*) echo "$_say" ;;
	esac
}

# who_sees DEVICE: in the first namespace, in s, in t
who_sees()
{
	echo "$(sees '' "$1") $(sees s "$1") $(sees t "$1")"
}

# in_one NAMESPACE GID-SERVER GID-CLIENT: suo0 and suo1, both by programs there
in_one()
{
	_ns=${1:+ip netns exec $1}
	$_ns timeout 30 ibv_rc_pingpong -e -c -n 5 -d suo0 -g "$2" \
		> /tmp/server.log 2>&1 &
	_pid=$!
	until [ -n "$($_ns ss -Hltn "sport = :18515")" ]; do
		kill -0 $_pid 2> /dev/null || break
		sleep 0.1
	done
	$_ns timeout 30 ibv_rc_pingpong -e -c -n 5 -d suo1 -g "$3" 127.0.0.1 &&
		wait $_pid
}

traffic_works()
{
	ok "$1: ibv_rc_pingpong, data checked" \
		pingpong rc suo0 suo1 "$(gid suo0)" "$(gid suo1)" -n 5 -s 20001 -c
	ok "$1: ibv_ud_pingpong" \
		pingpong ud suo1 suo0 "$(gid suo1)" "$(gid suo0)" -n 5
	ok "$1: rping" both suo0 suo1 0 \
		rping -s -a "$(address suo0)" -C 3 -V -- \
		rping -c -a "$(address suo0)" -C 3 -V
}

# sends_more COUNT: suo0, than that; programs take a while to start
sends_more()
{
	for _ in $(seq 100); do
		[ "$(hw_counter suo0 sent_pkts)" -le $(($1 + 100)) ] || return 0
		sleep 0.1
	done
	return 1
}

# traffic_up NAMESPACE-OF-SERVER NAMESPACE-OF-CLIENT ADDRESS: from suo1 to suo0, until
# it is stopped
traffic_up()
{
	# "timeout" would be another process to kill.
	${1:+ip netns exec $1} ibv_rc_pingpong -e -n 1000000000 -s 65536 -d suo0 \
		-g "$(gid suo0)" > /tmp/traffic0 2>&1 &
	traffic0=$!
	until [ -n "$(${1:+ip netns exec $1} ss -Hltn "sport = :18515")" ]; do
		sleep 0.1
	done
	${2:+ip netns exec $2} ibv_rc_pingpong -e -n 1000000000 -s 65536 -d suo1 \
		-g "$(gid suo1)" "$3" > /tmp/traffic1 2>&1 &
	traffic1=$!
	ok "there is traffic" sends_more "$(hw_counter suo0 sent_pkts)"
}

# traffic_ends WHAT: suo0's program comes to an end by itself, since its device has
# gone; the other one may be waiting for it.
traffic_ends()
{
	for _ in $(seq 100); do
		kill -0 $traffic0 2> /dev/null || break
		sleep 0.1
	done
	ok "$1: its program has ended" refused kill -0 $traffic0
	kill -9 $traffic0 $traffic1 2> /dev/null
	wait $traffic0 $traffic1 2> /dev/null
}

# traffic_down
traffic_down()
{
	kill -9 $traffic0 $traffic1
	wait $traffic0 $traffic1 2> /dev/null
}

# gone DEVICE: soon, since that is queued
gone()
{
	for _ in $(seq 100); do
		[ -e "/sys/class/infiniband/$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# netdev_again DEVICE NAMESPACE
netdev_again()
{
	netdev_up "$1" "$2" &&
		at "$1" rdma link add "$1" type suo netdev "v$(number "$1")"
}

# move DEVICE FROM TO
move()
{
	${2:+ip netns exec $2} rdma dev set "$1" netns "$3"
}

is "devices are shared at first" "$(rdma system | grep -o 'netns [a-z]*')" "netns shared"
ok "rdma_rxe and suo on a wire" wire_up || { tap_line "Bail out!"; exit 1; }
for dev in rxe0 suo0 suo1; do
	is "shared: all see $dev" "$(who_sees $dev)" "yes yes yes"
done
ok "s knows suo0's netdev" sh -c "ip netns exec s rdma link show suo0/1 | grep -q 'netdev v1'"
ok "t does not" refused sh -c "ip netns exec t rdma link show suo0/1 | grep netdev"
for dev in rxe0 suo0; do
	is "shared: $dev cannot be moved" \
		"$(rdma dev set $dev netns t 2>&1 | grep -o 'not supported')" "not supported"
done
is "the way cannot be changed while there are namespaces" \
	"$(rdma system set netns exclusive 2>&1 | grep -o 'busy')" busy
traffic_works "shared"
ok "shared: verbs in t, of suo0, whose netdev is in s" in_one t "$(gid suo0)" "$(gid suo1)"
ok "shared: verbs in the first namespace, of both" in_one "" "$(gid suo0)" "$(gid suo1)"
ok "but no rdma_cm of an address of s in t" refused \
	ip netns exec t timeout 5 rping -s -a "$(address suo0)"
traffic_up "" "" 127.0.0.1
ok "the namespace of suo0's netdev is deleted" ip netns delete s
traffic_ends "shared"
ok "and suo0 with it" gone suo0
is "suo1 is still there" "$(sees t suo1)" yes
ok "a namespace once again, and suo0" sh -c "
	ip netns add s &&
	ip -n s link set lo up"
ok "suo0 in it" netdev_again suo0 s
traffic_works "shared, again"

traffic_up s t "$(address suo0)"
ok "suo0's netdev goes to another namespace" ip -n s link set v1 netns t
traffic_ends "netdev moved"
ok "suo0 has gone" gone suo0
ok "rxe0's netdev goes to another namespace" ip link set v0 netns t
ok "rxe0 has gone in the same way" gone rxe0
ok "suo0 is added where its netdev is" \
	ip netns exec t rdma link add suo0 type suo netdev v1
is "which sees it" "$(sees t suo0)" yes
ok "suo0's port is down, as a netdev that has moved is" sh -c \
	"ip netns exec t rdma link show suo0/1 | grep -q 'state DOWN'"
ok "everything goes" sh -c 'rdma link delete suo0 && rdma link delete suo1 && rmmod suo &&
	ip netns delete s && ip netns delete t && ip netns delete wire && rmmod rdma_rxe'

# The last namespace is gone when its work has been done.
exclusive()
{
	for _ in $(seq 100); do
		rdma system set netns exclusive && return 0
		sleep 0.1
	done
	return 1
}

ok "devices are to be exclusive" exclusive
is "they are" "$(rdma system | grep -o 'netns [a-z]*')" "netns exclusive"
ok "rdma_rxe and suo on a wire" wire_up || { tap_line "Bail out!"; exit 1; }
# Linux 6.1 puts a new device into the first namespace, wherever its netdev is.
is "a new device is seen in the first namespace only" "$(who_sees suo0)" "yes no no"
ok "verbs in the first namespace, of both" in_one "" "$(gid suo0)" "$(gid suo1)"
is "rdma_rxe cannot be moved" \
	"$(rdma dev set rxe0 netns s 2>&1 | grep -o 'not supported')" "not supported"
ok "suo0 goes to s" move suo0 "" s
ok "suo1 goes to t" move suo1 "" t
is "suo0 is seen in s only" "$(who_sees suo0)" "no yes no"
is "suo1 is seen in t only" "$(who_sees suo1)" "no no yes"
traffic_works "exclusive"

traffic_up s t "$(address suo0)"
ok "suo0 is moved under traffic" move suo0 s t
traffic_ends "device moved"
is "suo0 is seen in t" "$(who_sees suo0)" "no no yes"
ok "verbs in t, of suo0, whose netdev is in s" in_one t "$(gid suo0)" "$(gid suo1)"
ok "suo0 goes back" move suo0 t s
traffic_works "there and back"

traffic_up s t "$(address suo0)"
ok "suo0's netdev is deleted" ip -n s link delete v1
traffic_ends "netdev deleted"
ok "suo0 has gone" gone suo0
ok "suo0 again" netdev_again suo0 s
ok "which goes to s" move suo0 "" s
traffic_works "exclusive, again"

ok "s is deleted, which suo0 and its netdev are in" ip netns delete s
ok "suo0 has gone" gone suo0
is "suo1 has not" "$(sees t suo1)" yes

# A device whose netdev is not in the namespace that goes comes back.
ok "a namespace once again" sh -c 'ip netns add s && ip -n s link set lo up'
ok "rdma_rxe makes room" sh -c 'rdma link delete rxe0 && rmmod rdma_rxe'
ok "suo2 on its netdev" rdma link add suo2 type suo netdev v0
ok "suo2 goes to s" move suo2 "" s
is "suo2 is seen in s only" "$(who_sees suo2)" "no yes no"
ok "s is deleted" ip netns delete s
for _ in $(seq 100); do
	[ "$(sees "" suo2)" != yes ] || break
	sleep 0.1
done
is "suo2 has come back" "$(sees "" suo2)" yes
g=$(grep -l ffff:0a09:0001 /sys/class/infiniband/suo2/ports/1/gids/* |
	sed 's/.*gids.//' | tail -n 1)
ok "and works" both rxe0 suo1 18515 ibv_rc_pingpong -e -n 5 -d suo2 -g "$g" -- \
	ibv_rc_pingpong -e -n 5 -d suo1 -g "$(gid suo1)" "$(address rxe0)"
ok "everything goes" sh -c 'rdma link delete suo2 && ip netns exec t rdma link delete suo1 &&
	rmmod suo && ip netns delete t && ip netns delete wire'
tap_done
