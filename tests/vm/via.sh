#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/four.env timeout=580
# files: build/tests/vm/verbs_traffic
#
# Accelerators behind one NIC. suo0 and suo1 are a domain, suo2 and suo3 are not in it.
# What leaves it does so by a line of 400 Gb/s and 2 us, suo1's by suo0's if told so,
# over links of 800 Gb/s and 500 ns. Figures are worked out here, for 1 MiB.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
DOM=$CONFIG/domains/dom0
NICS=$CONFIG/nics
rmdir $DOM/members/suo2 $DOM/members/suo3

# time_of DEVICES PATTERN: sets NS
time_of()
{
	on h0 /lab/verbs_traffic -d "$1" "$2" 1048576 > /tmp/traffic.txt 2>&1 || {
		cat /tmp/traffic.txt
		return 1
	}
	NS=$(awk '{ print int($3) }' /tmp/traffic.txt)
}

# about DESCRIPTION WANT DEVICES PATTERN: within a hundredth
about()
{
	NS=0
	ok "$1: traffic" time_of "$3" "$4"
	tap_line "# $1: $NS ns, expected $2"
	ok "$1" test $((NS * 100)) -ge $(($2 * 99)) -a $((NS * 100)) -le $(($2 * 101))
}

# refused FILE VALUE
refused()
{
	! { echo "$2" > "$1"; } 2> /dev/null
}

# 256 packets of 4096 bytes, each 82 more, at 50 bytes a nanosecond
LINE=$((256 * 4178 / 50))
about "two NICs, two flows" $((LINE + 2000)) 3 two
put $NICS/suo1/via suo0
is "via" "$(cat $NICS/suo1/via)" suo0
# The guest's last packet is the last of all.
about "one NIC, two flows" $((2 * LINE + 2500)) 3 two
# Nothing else is under way: its own line, with nobody else on it.
about "one NIC, one flow of its owner" $((LINE + 2000)) 3 first
about "one NIC, one flow of its guest" $((LINE + 2500)) 3 second
wire=$(cat $DOM/members/suo1/su_tx_wire_bytes)
ok "a guest's packets cross the domain" test "$wire" -gt 1048576
rmdir $DOM/members/suo0
about "the same, not in one domain any more" $((LINE + 2000)) 3 second
is "nothing crosses it" "$(cat $DOM/members/suo1/su_tx_wire_bytes)" "$wire"
about "but they share the line" $((2 * LINE + 2000)) 3 two
mkdir $DOM/members/suo0
about "and are in it again" $((LINE + 2500)) 3 second
put $NICS/suo0/rate_mbps 100000
about "the owner's rate counts" $((4 * LINE + 2500)) 3 second
put $NICS/suo0/rate_mbps 400000

ok "no NIC of that name: refused" refused $NICS/suo1/via suo7
ok "its own: refused" refused $NICS/suo1/via suo1
ok "a guest's: refused" refused $NICS/suo2/via suo1
ok "an owner is no guest: refused" refused $NICS/suo0/via suo2
is "via is as before" "$(cat $NICS/suo1/via)" suo0
rmdir $NICS/suo0
about "the owner's profile is gone" $((LINE + 2000)) 3 second
mkdir $NICS/suo0
put $NICS/suo0/rate_mbps 400000
put $NICS/suo0/latency_ps 2000000
about "and is back" $((LINE + 2500)) 3 second
echo > $NICS/suo1/via
about "its own line again" $((LINE + 2000)) 3 second

# All of it comes and goes under traffic.
put $NICS/suo1/via suo0
(on_exec h0 /lab/verbs_traffic -d 3 -n 100000 two 100000) > /tmp/traffic.log 2>&1 &
pid=$!
churn()
{
	for _i in 1 2 3 4 5 6 7 8; do
		sleep 0.3
		rmdir $DOM/members/suo0 && mkdir $DOM/members/suo0 || return
		echo > $NICS/suo1/via
		put $NICS/suo1/via suo0
		rmdir $NICS/suo0 && mkdir $NICS/suo0 || return
		put $NICS/suo0/rate_mbps 400000
		kill -0 $pid || return
	done
}
ok "changes under traffic" churn
kill $pid
wait $pid
is "it went on all the time" "$? $(cat /tmp/traffic.log)" "143 "
mkdir -p $DOM/members/suo2 $DOM/members/suo3
lab_down
tap_done
