#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=400
#
# The other implementation: Debian's own rdma_rxe, which only works in the first
# namespace, against suo in another one, both roles of each.
#
#	first namespace		namespace s
#	rxe0			suo0
#	v0 10.9.0.1 ----------- v1 10.9.0.2

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

link_up()
{
	modprobe crc32_generic
	modprobe rdma_rxe &&
	insmod "/lib/modules/$(uname -r)/suo.ko" &&
	ip netns add s &&
	ip link add v0 mtu 9000 type veth peer name v1 mtu 9000 netns s &&
	ip addr add 10.9.0.1/24 dev v0 &&
	ip addr add fd09::1/64 dev v0 nodad &&
	ip -n s addr add 10.9.0.2/24 dev v1 &&
	ip -n s addr add fd09::2/64 dev v1 nodad &&
	ip link set v0 up &&
	ip -n s link set v1 up &&
	rdma link add rxe0 type rxe netdev v0 &&
	ip netns exec s rdma link add suo0 type suo netdev v1
}

# gid DEVICE ADDRESS-IN-A-GID: its index
gid()
{
	grep -l "$2" /sys/class/infiniband/"$1"/ports/1/gids/* 2> /dev/null |
		sed 's/.*gids.//' | head -n 1
}

# side DEVICE PREFIX COMMAND...
side()
{
	_dev=$1
	shift
	if [ "$_dev" = suo0 ]; then
		exec timeout 30 ip netns exec s "$@"
	else
		exec timeout 30 "$@"
	fi
}

# both SERVER CLIENT PORT SERVER-COMMAND -- CLIENT-COMMAND
both()
{
	_server=$1 _client=$2 _port=$3
	shift 3
	_cmd=
	while [ "$1" != -- ]; do
		_cmd="$_cmd $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	(side "$_server" $_cmd) > /tmp/server.log 2>&1 &
	_pid=$!
	if [ "$_port" != 0 ]; then
		_ns=
		[ "$_server" = rxe0 ] || _ns="ip netns exec s"
		until [ -n "$($_ns ss -Hltn "sport = :$_port")" ]; do
			kill -0 $_pid 2> /dev/null || break
			sleep 0.1
		done
	else
		sleep 1
	fi
	(side "$_client" "$@")
	_rc=$?
	[ $_rc = 0 ] || kill $_pid 2> /dev/null
	wait $_pid
	_rc2=$?
	[ $_rc = 0 ] && [ $_rc2 = 0 ] && return 0
	echo "client: exit status $_rc, server: $_rc2, which said:"
	cat /tmp/server.log
	return 1
}

if ! ok "rdma_rxe and suo side by side" link_up; then
	tap_line "Bail out! nothing to compare"
	exit 1
fi

for dirs in "rxe0 suo0" "suo0 rxe0"; do
	server=${dirs% *} client=${dirs#* }
	if [ "$server" = rxe0 ]; then
		addr=10.9.0.1
	else
		addr=10.9.0.2
	fi
	what="$client to $server"
	# GIDs as sysfs writes them: v4-mapped, then IPv6
	for ip in ffff:0a09 fd09; do
		sx=$(gid $server $ip) cx=$(gid $client $ip)
		for size in 1 65537; do
			for mtu in 256 1024 4096; do
				ok "$what, GID $ip: ibv_rc_pingpong, $size bytes, MTU $mtu, data checked" \
					both $server $client 18515 \
					ibv_rc_pingpong -c -n 20 -s $size -m $mtu -d $server -g "$sx" -- \
					ibv_rc_pingpong -c -n 20 -s $size -m $mtu -d $client -g "$cx" $addr
			done
		done
		ok "$what, GID $ip: ibv_ud_pingpong" both $server $client 18515 \
			ibv_ud_pingpong -n 20 -s 1024 -d $server -g "$sx" -- \
			ibv_ud_pingpong -n 20 -s 1024 -d $client -g "$cx" $addr
		ok "$what, GID $ip: ibv_srq_pingpong, data checked" both $server $client 18515 \
			ibv_srq_pingpong -c -n 20 -q 4 -d $server -g "$sx" -- \
			ibv_srq_pingpong -c -n 20 -q 4 -d $client -g "$cx" $addr
		ok "$what, GID $ip: ibv_uc_pingpong, data checked" both $server $client 18515 \
			ibv_uc_pingpong -c -n 20 -s 65537 -d $server -g "$sx" -- \
			ibv_uc_pingpong -c -n 20 -s 65537 -d $client -g "$cx" $addr
		for tool in "ib_send_lat -e" "ib_send_bw -e" ib_write_bw ib_read_bw \
			    "ib_send_bw -e -c UC" "ib_write_bw -c UC" "ib_send_bw -c UD" \
			    "ib_atomic_bw -A FETCH_AND_ADD" "ib_atomic_bw -A CMP_AND_SWAP" \
			    "ib_atomic_lat -A FETCH_AND_ADD"; do
			# shellcheck disable=SC2086
			ok "$what, GID $ip: $tool" both $server $client 18515 \
				$tool -F -n 20 -d $server -x "$sx" -- \
				$tool -F -n 20 -d $client -x "$cx" $addr
		done
	done
	ok "$what: rping, data checked" both $server $client 0 \
		rping -s -a $addr -C 5 -V -- rping -c -a $addr -C 5 -V
done

ok "no packet was dropped" sh -c 'rdma statistic show link suo0/1 |
	grep -q " rx_icrc_encapsulated 0 .* rx_drops 0 "'
ok "the device goes" rdma link delete suo0
ok "the module goes" rmmod suo
tap_done
