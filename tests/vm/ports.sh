#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=3072 timeout=1500
# files: build/tests/vm/verbs_traffic
#
# A domain of as many ports as fabrics have today, 1024, each with its device; traffic
# between two of them, and all of it taken down again.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
PORTS=1024

now()
{
	awk '{ print int($1 * 100 + 0.5) }' /proc/uptime
}

ports()
{
	seq 0 $((PORTS - 1))
}

netdevs()
{
	for _i in $(ports); do
		echo "link add d$_i type dummy"
		echo "addr add 10.8.$((_i / 250)).$((_i % 250 + 1))/16 dev d$_i"
		echo "link set d$_i up"
	done | ip -batch -
	# Nobody answers on a dummy.
	ip neigh replace 10.8.0.2 lladdr 02:53:55:00:00:02 nud permanent dev d0 &&
	ip neigh replace 10.8.0.1 lladdr 02:53:55:00:00:01 nud permanent dev d1
}

domain_up()
{
	insmod "/lib/modules/$(uname -r)/suo.ko" || return
	put $CONFIG/time_scale 1000000
	mkdir $CONFIG/domains/pod || return
	put $CONFIG/domains/pod/rate_mbps 800000
	put $CONFIG/domains/pod/latency_ps 500000
	for _i in $(ports); do
		mkdir $CONFIG/domains/pod/members/suo$_i || return
		echo "link add suo$_i type suo netdev d$_i"
	done > /tmp/batch
	rdma -b /tmp/batch
}

domain_down()
{
	for _i in $(ports); do
		echo "link delete suo$_i"
	done > /tmp/batch
	rdma -b /tmp/batch || return
	for _i in $(ports); do
		rmdir $CONFIG/domains/pod/members/suo$_i || return
	done
	rmdir $CONFIG/domains/pod && rmmod suo
}

# The rdma tool keeps a socket for each command of a batch.
# shellcheck disable=SC3045 # every shell here has it
ulimit -n 4096
echo 1 > /proc/sys/net/ipv4/conf/all/accept_local
ok "$PORTS netdevs" netdevs
begin=$(now)
ok "a domain of $PORTS members" domain_up
tap_line "# in $(($(now) - begin)) hundredths of a second"
is "devices" "$(rdma link | grep -c 'suo[0-9]*/1 state ACTIVE')" $PORTS
traffic()
{
	/lab/verbs_traffic one 65536
}
ok "two of them talk" traffic
# 65536 bytes at 100 GB/s and 500 ns
is "in the time that it takes" "$(traffic | awk '{ print int($3) }')" 1155
begin=$(now)
ok "it goes again" domain_down
tap_line "# in $(($(now) - begin)) hundredths of a second"
tap_done
