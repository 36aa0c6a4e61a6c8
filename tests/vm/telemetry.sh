#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/three.env timeout=580
# files: build/tests/vm/verbs_traffic
#
# What the links of a domain say they do, against what they were made to do. Figures
# are worked out here, for 1 MiB in 64 segments of 16 KiB.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
DOM=$CONFIG/domains/dom0
SIZE=1048576

# Nothing to wait for, but for what is told.
plain()
{
	for _file in "$DOM"/*_ps "$DOM"/*_bytes "$DOM"/stages "$DOM"/errors_per_pbit; do
		put "$_file" 0
	done
	put $DOM/rate_mbps 800000
	put $DOM/endpoint_ps 500000
	put $DOM/retry none
}

member()
{
	cat $DOM/members/suo$1/$2
}

# note RANK COUNTER, grew RANK COUNTER
note()
{
	eval "was_$1_$2=$(member "$1" "$2")"
}

grew()
{
	eval "echo \$(($(member "$1" "$2") - was_$1_$2))"
}

note_all()
{
	for _r in 0 1 2; do
		for _file in "$DOM/members/suo$_r"/su_*; do
			note $_r "$(basename "$_file")"
		done
	done
}

# traffic DEVICES PATTERN
traffic()
{
	note_all
	ok "$2, $SIZE bytes" on h0 /lab/verbs_traffic -d "$1" "$2" $SIZE
}

# about DESCRIPTION GOT WANT: within a thousandth
about()
{
	tap_line "# $1: $2, expected $3"
	ok "$1" test $(($2 * 1000)) -ge $(($3 * 999)) -a \
		$(($2 * 1000)) -le $(($3 * 1001))
}

# One answer of headers only comes back for each 32 segments.
traffic_one()
{
	traffic 2 one
	is "$1: segments sent" "$(grew 0 su_tx_segments)" 64
	is "$1: segments received" "$(grew 1 su_rx_segments)" 64
	is "$1: bytes sent" "$(grew 0 su_tx_bytes)" $SIZE
	is "$1: bytes received" "$(grew 1 su_rx_bytes)" $SIZE
}

# NVLink: 4096 packets of 256 bytes, each 17 flits of 16
plain
put $DOM/max_payload_bytes 256
put $DOM/header_bytes 16
put $DOM/flit_bytes 16
traffic_one flits
is "flits: link packets" "$(grew 0 su_tx_packets)" 4096
is "flits: flits" "$(grew 0 su_tx_flits)" $((4096 * 17))
is "flits: bytes on the wire" "$(grew 0 su_tx_wire_bytes)" $((4096 * 272))
is "flits: nothing stalls" "$(grew 0 su_tx_stalls) $(grew 0 su_tx_stall_ps)" "0 0"
is "flits: no queue" "$(grew 1 su_rx_queue_ps)" 0
# 64 segments: 17408 bytes at 100 GB/s and 500 ns
is "flits: time in flight" "$(grew 0 su_tx_flight_ps)" $((64 * (174080 + 500000)))
is "flits: efficiency" "$(member 0 su_tx_efficiency_ppm)" 941176
is "hw_counters say the same" "$(counter 0 su_tx_flits)" "$(member 0 su_tx_flits)"
rdma_says()
{
	on h0 rdma statistic show link suo0/1 | tr ' ' '\n' |
		grep -A 1 -x su_tx_wire_bytes | tail -n 1
}
is "rdma statistic too" "$(rdma_says)" "$(member 0 su_tx_wire_bytes)"

# CXL: 16384 lines in 5 slots of 16 bytes, four of which are in a flit of 68
plain
put $DOM/max_payload_bytes 64
put $DOM/header_bytes 16
put $DOM/flit_bytes 16
put $DOM/frame_bytes 68
put $DOM/frame_payload_bytes 64
traffic_one frames
is "frames: bytes on the wire" "$(grew 0 su_tx_wire_bytes)" $((16384 * 85))
is "frames: flits" "$(grew 0 su_tx_flits)" $((16384 * 5 / 4))

# Ethernet: neither
plain
put $DOM/max_payload_bytes 4096
put $DOM/header_bytes 82
traffic_one frames
is "Ethernet: no flits" "$(grew 0 su_tx_flits)" 0
is "Ethernet: bytes on the wire" "$(grew 0 su_tx_wire_bytes)" $((256 * 4178))

# Credits for a tenth of the rate: 10000 bytes a microsecond. Each of 64 segments takes
# ten times as long, but for what the window saves of the first.
plain
put $DOM/credit_bytes 10000
put $DOM/credit_rtt_ps 1000000
traffic_one credits
is "credits: each segment stalls" "$(grew 0 su_tx_stalls)" 64
about "credits: for so long" "$(grew 0 su_tx_stall_ps)" \
	$((64 * 16384 * (100 - 10) - (1000000 - 100000)))

# Two into one, no buffer: what one sends, the other waits for. Both are done after
# 2 SIZE bytes, but for the last segment of the second, of which each sent SIZE.
plain
traffic 3 two
about "two into one: they stall as long as one of them sends" \
	$(($(grew 0 su_tx_stall_ps) + $(grew 1 su_tx_stall_ps))) \
	$((2 * SIZE * 10 - 163840))
is "two into one: the longest queue is a segment" \
	"$(member 2 su_rx_queue_max_bytes)" 16384

# A buffer takes all of it: nobody stalls, but half of it queues in the end.
plain
put $DOM/buffer_bytes 4194304
traffic 3 two
is "a buffer: nobody stalls" "$(grew 0 su_tx_stalls) $(grew 1 su_tx_stalls)" "0 0"
about "a buffer: the longest queue" "$(member 2 su_rx_queue_max_bytes)" $SIZE

# One packet of 1 KiB in 122 is hit: 8192 bits at 10^-6.
plain
put $DOM/max_payload_bytes 1024
put $DOM/errors_per_pbit 1000000000
put $DOM/retry llr
put $DOM/retry_ps 200000
traffic_one errors
tap_line "# $(grew 0 su_tx_retries) of 1024 packets were sent again; 8.4 are to be expected"
ok "errors: some packets are sent again" test "$(grew 0 su_tx_retries)" -ge 1 -a \
	"$(grew 0 su_tx_retries)" -le 20
is "errors: nothing is lost" "$(grew 0 su_tx_lost)" 0
put $DOM/retry none
put $DOM/errors_per_pbit 100000000
traffic 2 one
tap_line "# $(grew 0 su_tx_lost) segments were lost"
ok "no retry: segments are lost, and the transport repeats them" \
	test "$(grew 0 su_tx_lost)" -ge 1

for file in "$DOM"/members/suo0/su_*; do
	! { echo 0 > "$file"; } 2> /dev/null || result="$result $file"
done
is "none can be written" "$result" ""
ok "a member without a device" mkdir $DOM/members/suo9
is "has counters, of nothing" "$(cat $DOM/members/suo9/su_tx_bytes)" 0
rmdir $DOM/members/suo9

plain
mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null
echo 1 > /sys/kernel/tracing/events/suo/suo_clock/enable
traffic 2 one
echo 0 > /sys/kernel/tracing/events/suo/suo_clock/enable
grep -o 'suo_clock: dev=suo0 path=su .*' /sys/kernel/tracing/trace > /tmp/clock
is "the tracepoint has each segment" "$(wc -l < /tmp/clock)" 64
is "its times are what the counters say" \
	"$(sed 's/.*late_ps=//' /tmp/clock | awk '{ n += $1 } END { printf "%d", n }')" \
	"$(grew 0 su_tx_late_ps)"
lab_down
tap_done
