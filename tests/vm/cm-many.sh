#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two-real.env mem=1024 timeout=3000
# files: build/tests/vm/cm_many
# programs: cmtime rdma_server rdma_client rdma_xserver rdma_xclient
# programs: rstream riostream
#
# Connections in numbers: thousands of them, none stale, and nothing left behind;
# and those of librdmacm's programs that cm.sh does not run, sockets over RDMA
# among them. Between hosts and inside a domain.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
modprobe rdma_ucm 2> /dev/null

# A kernel that checks everything takes ten times as long for each.
COUNT=2000
[ ! -e /sys/kernel/debug/kmemleak ] || COUNT=200

resources()
{
	rdma resource show
}

before=$(resources)
for ends in "0 2" "0 1"; do
	# shellcheck disable=SC2086
	set -- $ends
	to=$(addr_of $1) from=$(addr_of $2)
	su=$(counter $2 su_tx_segments) sent=$(counter $2 sent_pkts)
	for at_a_time in 1 64; do
		PAIR_TIMEOUT=600 ok "$2 to $1: $COUNT connections, $at_a_time at a time" \
			two $1 $2 /lab/cm_many server "$to" $COUNT -- \
			/lab/cm_many client "$to" $COUNT "$from" $at_a_time
		tap_line "# $(tail -n 1 /tmp/ok.log)"
	done
	# Datagrams, and so the exchange of each connection, always take the wire.
	su=$(($(counter $2 su_tx_segments) - su))
	sent=$(($(counter $2 sent_pkts) - sent))
	# REQ, RTU and DREQ; only REQ where the answer is no
	messages=$((2 * (3 * (COUNT - COUNT / 16) + COUNT / 16)))
	if [ "$ends" = "0 1" ]; then
		is "$2 to $1: messages of the connection manager, none repeated" \
			$sent $messages
		ok "$2 to $1: the data went inside the domain" \
			test $su -ge $((2 * (COUNT - COUNT / 16)))
	else
		ok "$2 to $1: messages of the connection manager, and data" \
			test $sent -gt $messages
		is "$2 to $1: nothing went inside a domain" $su 0
	fi
	is "$2 to $1: nothing is left of them" "$(resources)" "$before"
	for dev in $1 $2; do
		is "suo$dev: nothing was retried in vain" \
			"$(counter $dev req_cqe_error)" 0
	done
done

# Not here: rstream -T async, whose last poll takes the peer's closing for an error,
# and udpong, whose address handle to itself has no GRH, as RoCE wants.

# The same as two, for a server that serves until it is ended.
with_server()
{
	two "$@" > /tmp/two.log
	[ $? = 1 ] && grep -q '^client: exit status 0, server: 124' /tmp/two.log &&
		return
	cat /tmp/two.log
	return 1
}

for ends in "0 2" "3 1"; do
	# shellcheck disable=SC2086
	set -- $ends
	to=$(addr_of $1) from=$(addr_of $2)
	ok "cmtime $2 to $1, 100 connections" with_server $1 $2 \
		cmtime -b "$to" -- cmtime -s "$to" -b "$from" -c 100
	ok "rdma_server, rdma_client $2 to $1" two $1 $2 \
		rdma_server -s "$to" -- rdma_client -s "$to"
	ok "rdma_xserver, rdma_xclient $2 to $1" two $1 $2 \
		rdma_xserver -c r -- rdma_xclient -c r -s "$to"
	for how in b n; do
		ok "rstream $2 to $1, -T $how, data checked" two $1 $2 \
			rstream -b "$to" -T v -T $how -S 65536 -C 20 -I 5 -- \
			rstream -s "$to" -b "$from" -T v -T $how -S 65536 -C 20 -I 5
	done
	ok "riostream $2 to $1, data checked" two $1 $2 \
		riostream -b "$to" -T v -S 65536 -C 20 -I 5 -- \
		riostream -s "$to" -b "$from" -T v -S 65536 -C 20 -I 5
done
is "nothing is left of anything" "$(resources)" "$before"

lab_down
tap_done
