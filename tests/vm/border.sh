#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/six.env mem=768 timeout=580
# files: build/tests/vm/verbs_border build/tests/vm/verbs_traffic
#
# What must not get across the border of a domain, what may not hold up the machine,
# and laws that nobody can live with, which may be put right.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
DOM=$CONFIG/domains/dom0
OTHER=$CONFIG/domains/other

# The directory goes as soon as the program is ready.
(
	until grep -q ready /tmp/merge.tap 2> /dev/null; do
		sleep 0.1
	done
	rmdir $DOM/members/suo0
	: > /tmp/left
) &
merge leave /lab/verbs_border leave /tmp/left
mkdir $DOM/members/suo0

rmdir $DOM/members/suo2 $DOM/members/suo3
mkdir $OTHER $OTHER/members/suo2 $OTHER/members/suo3
merge cross /lab/verbs_border cross
rmdir $OTHER/members/suo2 $OTHER/members/suo3 $OTHER
mkdir $DOM/members/suo2 $DOM/members/suo3

# By such a law what is sent never comes.
rate=$(cat $DOM/rate_mbps) payload=$(cat $DOM/max_payload_bytes)
put $DOM/max_payload_bytes 1
put $DOM/flit_bytes 65536
put $DOM/frame_bytes 4096
put $DOM/frame_payload_bytes 1
put $DOM/rate_mbps 1
all()
{
	on h0 timeout "$1" /lab/verbs_traffic -d 3 all 50000
}
all 20 > /tmp/never 2>&1
ok "by an absurd law nothing comes" \
	grep -q "transport retry counter exceeded" /tmp/never
put $DOM/rate_mbps "$rate"
put $DOM/max_payload_bytes "$payload"
put $DOM/flit_bytes 16
put $DOM/frame_bytes 0
put $DOM/frame_payload_bytes 0
ok "once it is put right, all does" all 20

# All that is under way arrives at once, after a second.
put $DOM/rate_mbps 0
put $DOM/latency_ps 1000000000000
was=$(counter 1 su_rx_bytes)
merge flood /lab/verbs_border flood
# 4 queue pairs, 500 requests of 2 MiB
is "all of it has come" $(($(counter 1 su_rx_bytes) - was)) $((2000 * 2097152))
put $DOM/latency_ps 0
lab_down
tap_done
