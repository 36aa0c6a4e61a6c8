#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug cluster=tests/data/unpaced.env mem=768 timeout=900
# files: build/tests/vm/verbs_data build/tests/vm/verbs_rules build/tests/vm/verbs_stale
#
# A domain whose links take no time, where segments of a message go as one
# (kmod/su.c). Data arrives and refusals are made as where they go one by one; what
# is counted is segments; and whoever traces them sees each.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

SIZE=1048577
N=20
# A message is cut into segments of 16384 bytes.
SEGMENTS=$((N * ((SIZE + 16383) / 16384)))
TRACING=/sys/kernel/tracing

# grown RANK COUNTER: by how much since the last time
grown()
{
	_now=$(counter "$1" "$2")
	_then=$(cat "/tmp/$1.$2" 2> /dev/null || echo 0)
	echo "$_now" > "/tmp/$1.$2"
	echo $((_now - _then))
}

# counted WHAT SENDER RECEIVER TOOL ...: N messages, all of them counted by segment
counted()
{
	_what=$1 _from=$2 _to=$3
	shift 3
	for _c in tx_segments tx_bytes; do
		grown "$_from" su_$_c > /dev/null
	done
	for _c in rx_segments rx_bytes; do
		grown "$_to" su_$_c > /dev/null
	done
	ok "$_what" pair 0 1 18515 "$@" -F -d @DEV@ -x @GID@ -s $SIZE -n $N
	is "$_what: segments sent" "$(grown "$_from" su_tx_segments)" $SEGMENTS
	is "$_what: bytes sent" "$(grown "$_from" su_tx_bytes)" $((N * SIZE))
	is "$_what: segments received" "$(grown "$_to" su_rx_segments)" $SEGMENTS
	is "$_what: bytes received" "$(grown "$_to" su_rx_bytes)" $((N * SIZE))
}

# Rank 1 is the client, which sends and writes, and reads what rank 0 sends.
counted "send" 1 0 ib_send_bw -e
counted "write" 1 0 ib_write_bw
counted "read" 0 1 ib_read_bw -e

[ -d $TRACING/events ] || mount -t tracefs none $TRACING
if [ -d $TRACING/events/suo ]; then
	put $TRACING/buffer_size_kb 16384
	put $TRACING/events/suo/suo_tx/enable 1
	counted "write, traced" 1 0 ib_write_bw
	put $TRACING/events/suo/suo_tx/enable 0
	is "each segment is seen" "$(grep suo_tx: $TRACING/trace |
		grep -c RDMA_WRITE)" $SEGMENTS
	# To end a message, more than one byte of it is not needed.
	is "as many end a message as there are" "$(grep suo_tx: $TRACING/trace |
		grep RDMA_WRITE_LAST | grep -c ' len=1 ')" $N
else
	skip "each segment is seen" "this kernel has no tracing"
fi

merge "data" /lab/verbs_data -r suo0 suo1
merge "rules" /lab/verbs_rules suo0 suo1
# 100 ms, at a time scale of 1
put $CONFIG/domains/dom0/latency_ps 100000000000
merge "a slot used again" /lab/verbs_stale suo0 suo1
put $CONFIG/domains/dom0/latency_ps 0

lab_down
tap_done
