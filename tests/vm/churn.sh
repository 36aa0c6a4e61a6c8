#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/six.env mem=768 timeout=1500
# files: build/tests/vm/verbs_traffic
#
# What a domain is made of changes while all its members write to each other:
# parameters, who belongs to it, what devices there are, and whether it exists. What
# cannot go on ends with the status that says so, what can goes on, and afterwards all
# is as before. The order is drawn from a seed.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
ROUNDS=25
STATE=1

# draw N: sets DRAWN to one of 0 to N - 1
draw()
{
	STATE=$(((STATE * 1103515245 + 12345) & 0x7fffffff))
	DRAWN=$(((STATE >> 8) % $1))
}

# traffic ROUNDS: between suo0 to suo3
traffic()
{
	on_exec h0 /lab/verbs_traffic -d 4 -n "$1" -e all 50000
}

# The counters say that it goes on.
flows()
{
	_was=$(counter 0 su_tx_segments)
	_tries=400
	while [ $_tries -gt 0 ]; do
		[ "$(counter 0 su_tx_segments)" -lt $((_was + 100)) ] || return 0
		sleep 0.05
		_tries=$((_tries - 1))
	done
	echo "no traffic"
	cat /tmp/traffic.log
	return 1
}

# ends STATUS WHAT...: the traffic in the background, with one of these results
ends()
{
	_want=$1
	shift
	_tries=300
	while kill -0 $PID 2> /dev/null && [ $_tries -gt 0 ]; do
		sleep 0.1
		_tries=$((_tries - 1))
	done
	if [ $_tries = 0 ]; then
		echo "it goes on"
		kill -9 $PID
	fi
	wait $PID
	_rc=$?
	cat /tmp/traffic.log
	[ $_rc = "$_want" ] || { echo "exit status $_rc"; return 1; }
	for _end; do
		! grep -q "^suo[0-3]: $_end\$" /tmp/traffic.log || return 0
	done
	return 1
}

begin()
{
	(traffic 1000000) > /tmp/traffic.log 2>&1 &
	PID=$!
	# The first time each peer's MAC address has to be found out.
	flows && return
	kill -9 $PID
	return 1
}

# It has met no error until now.
stop()
{
	kill $PID
	wait $PID
	_rc=$?
	cat /tmp/traffic.log
	[ $_rc = 143 ] && [ ! -s /tmp/traffic.log ] && return 0
	echo "exit status $_rc"
	return 1
}

DOM=$CONFIG/domains/dom0
RETRY="transport retry counter exceeded"

# Traffic goes on whatever the law is, and its data is right.
parameters()
{
	begin || return
	for _i in 1 2 3 4 5 6; do
		draw 5
		_rate=$((DRAWN * 900000))
		draw 4
		_payload=$((64 << DRAWN))
		draw 3
		_flit=$((16 << DRAWN))
		put $DOM/rate_mbps $_rate
		put $DOM/max_payload_bytes $_payload
		put $DOM/flit_bytes $_flit
		put $DOM/header_bytes $((_i * 8))
		draw 3
		put $DOM/buffer_bytes $((DRAWN * 30000))
		put $DOM/credit_rtt_ps $((DRAWN * 100000))
		draw 3
		put $DOM/credit_bytes $((DRAWN * 5000))
		put $DOM/stages $DRAWN
		put $DOM/switch_ps 100000
		case $_i in
		2)	put $DOM/retry llr ;;
		3)	put $DOM/retry gbn ;;
		4)	put $DOM/retry none ;;
		esac
		# With none the transport repeats: about one segment in a hundred.
		put $DOM/errors_per_pbit 100000000
		flows || return
	done
	put $DOM/rate_mbps "$SUO_UP_RATE_MBPS"
	put $DOM/errors_per_pbit 0
	stop
}

leave()
{
	draw 4
	begin && rmdir $DOM/members/suo$DRAWN && ends 3 "$RETRY" &&
		mkdir $DOM/members/suo$DRAWN
}

# Others than those who talk come and go.
join()
{
	begin || return
	for _i in 1 2 3; do
		rmdir $DOM/members/suo5 && flows && mkdir $DOM/members/suo5 || return
		on h0 rdma link delete suo4 && flows &&
		on h0 rdma link add suo4 type suo netdev v4 && flows || return
	done
	stop
}

delete()
{
	draw 4
	begin && on h0 rdma link delete suo$DRAWN &&
		ends 3 "device removed" "no request posted" "$RETRY" &&
		on h0 rdma link add suo$DRAWN type suo netdev v$DRAWN
}

remove()
{
	begin || return
	if rmdir $DOM 2> /dev/null; then
		echo "a domain with members went"
		return 1
	fi
	rmdir $DOM/members/* && rmdir $DOM && ends 3 "$RETRY" || return
	mkdir $DOM $DOM/members/suo0 $DOM/members/suo1 $DOM/members/suo2 \
		$DOM/members/suo3 $DOM/members/suo4 $DOM/members/suo5
	put $DOM/rate_mbps "$SUO_UP_RATE_MBPS"
	put $DOM/latency_ps "$SUO_UP_ENDPOINT_PS"
}

killed()
{
	begin || return
	kill -9 $PID
	wait $PID
	[ $? = 137 ]
}

lab_up
n=0
while [ $n -lt $ROUNDS ]; do
	n=$((n + 1))
	# Each of them in the first six rounds.
	draw 6
	[ $n -gt 6 ] || DRAWN=$((n - 1))
	case $DRAWN in
	0)	what=parameters ;;
	1)	what=leave ;;
	2)	what="join" ;;
	3)	what=delete ;;
	4)	what=remove ;;
	*)	what=killed ;;
	esac
	ok "round $n: $what" $what
	again()
	{
		(traffic 20)
	}
	ok "round $n: all is well afterwards" again
done
is "nothing is left of the processes" \
	"$(on h0 rdma resource show qp | grep -c traffic)" 0
lab_down
tap_done
