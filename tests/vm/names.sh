#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug cluster=tests/data/two-by-two.env mem=1024 timeout=300
#
# Devices that are renamed, and names that are taken: what configfs knows a device
# by stays its own.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

domain=$CONFIG/domains/d
ready()
{
	insmod "/lib/modules/$(uname -r)/suo.ko" &&
	ip link add v0 mtu 9000 type veth peer name v1 mtu 9000 &&
	ip addr add 10.9.0.1/24 dev v0 &&
	ip addr add 10.9.1.2/24 dev v1 &&
	ip link set v0 up &&
	ip link set v1 up &&
	mkdir $domain $domain/members/s0
}

refused()
{
	! "$@"
}

# To itself: a queue pair goes to RTR, where it looks for its domain.
pingpong()
{
	_dir=/sys/class/infiniband/$1/ports/1/gids
	_gid=$(grep -l ffff:0a09 $_dir/* | sed 's/.*gids.//' | head -n 1)
	timeout 30 ibv_rc_pingpong -d "$1" -g "$_gid" -c -n 5 \
		> /tmp/server.log 2>&1 &
	_pid=$!
	until [ -n "$(ss -Hltn "sport = :18515")" ]; do
		kill -0 $_pid 2> /dev/null || return 1
		sleep 0.1
	done
	timeout 30 ibv_rc_pingpong -d "$1" -g "$_gid" -c -n 5 127.0.0.1 &&
		wait $_pid
}

ok "a domain that waits for s0" ready
ip link set lo up
ok "s0 comes" rdma link add s0 type suo netdev v0
ok "and is renamed" rdma dev set s0 name foo
ok "its first name is taken still" refused rdma link add s0 type suo netdev v1
ok "another name is not" rdma link add s1 type suo netdev v1
ok "a name with a slash is refused" refused rdma link add a/b type suo netdev lo
ok "foo is in the domain" pingpong foo
ok "foo takes that path" grep -qv '^0$' \
	/sys/class/infiniband/foo/ports/1/hw_counters/su_tx_bytes
ok "s1 is not" pingpong s1
ok "s1 takes the wire" grep -q '^0$' \
	/sys/class/infiniband/s1/ports/1/hw_counters/su_tx_bytes
ok "foo goes" rdma link delete foo
ok "the name is free" rdma link add s0 type suo netdev v0
ok "the domain goes" rmdir $domain/members/s0 $domain
ok "s0 works without it" pingpong s0
ok "the devices go" sh -c 'rdma link delete s0 && rdma link delete s1'
ok "the module goes" rmmod suo
tap_done
