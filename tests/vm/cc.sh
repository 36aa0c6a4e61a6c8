#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=900
# files: build/tests/vm/verbs_traffic build/tests/vm/pause_frame build/tests/vm/cc_replay
#
# Congestion control and pauses of the NIC: 400 Gb/s and 2 us, from suo0 on one host
# to suo2 on the other. A queueing discipline on the way marks packets: netem with
# "ecn", which drops instead what cannot be marked. Figures are worked out here.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
modprobe sch_netem 2> /dev/null
NICS=$CONFIG/nics
S=$NICS/suo0 R=$NICS/suo2
TRACE=/sys/kernel/tracing
mount -t tracefs none $TRACE 2> /dev/null
echo 20000 > $TRACE/buffer_size_kb

# time_of ROUNDS PATTERN: sets NS, of 1 MiB
time_of()
{
	on h0 /lab/verbs_traffic -d 3 -n "$1" "$2" 1048576 > /tmp/traffic.txt 2>&1 || {
		cat /tmp/traffic.txt
		return 1
	}
	NS=$(awk '{ print int($3) }' /tmp/traffic.txt)
}

# about DESCRIPTION WANT ROUNDS PATTERN [PERCENT]: within so much, or a hundredth
about()
{
	NS=0
	ok "$1: traffic" time_of "$3" "$4"
	tap_line "# $1: $NS ns, expected $2"
	ok "$1" test $((NS * 100)) -ge $(($2 * (100 - ${5:-1}))) -a \
		$((NS * 100)) -le $(($2 * (100 + ${5:-1})))
}

refused()
{
	! { echo "$2" > "$1"; } 2> /dev/null
}

# marks PROBABILITY: of the packets to suo2 so many meet congestion
marks()
{
	ip netns exec fabric tc qdisc replace dev h1v0 root netem limit 100000 loss "$1" ecn
}

no_marks()
{
	ip netns exec fabric tc qdisc del dev h1v0 root
}

# param NIC NAME=VALUE...
param()
{
	_nic=$1
	shift
	for _p in "$@"; do
		put "$NICS/$_nic/cc_params/${_p%%=*}" "${_p#*=}"
	done
}

trace_start()
{
	echo 0 > $TRACE/tracing_on
	echo > $TRACE/trace
	for _e in "$@"; do
		echo 1 > $TRACE/events/suo/$_e/enable
	done
	echo 1 > $TRACE/tracing_on
}

trace_stop()
{
	echo 0 > $TRACE/tracing_on
	echo 0 > $TRACE/events/suo/enable
	cat $TRACE/trace > /tmp/trace.txt
}

# since NAME DEVICE COUNTER: what it has grown by since the last call
since()
{
	_now=$(counter "$2" "$3")
	eval "GREW=\$((_now - \${LAST_$1:-0})) LAST_$1=$_now"
}

pause()
{
	ip netns exec fabric /lab/pause_frame "$@"
}

# 256 packets of 4096 bytes, each 82 more, at 50 bytes a nanosecond
LINE=$((256 * 4178 / 50))

# What is there, and what is refused
is "control is off" "$(cat $S/cc)" none
is "DSCP of notifications" "$(cat $S/cc_params/np_cnp_dscp)" 48
is "time between them" "$(cat $S/cc_params/np_min_time_between_cnps)" 4
is "g as mlx5 has it" "$(cat $S/cc_params/rp_dce_tcp_g)" 1019
is "additive increase, Mb/s" "$(cat $S/cc_params/rp_ai_rate)" 5
ok "an unknown algorithm is refused" refused $S/cc bbr
ok "a DSCP of 64 is refused" refused $S/cc_params/np_cnp_dscp 64
ok "a minimum rate of 0 is refused" refused $S/cc_params/rp_min_rate 0
ok "g of 1 is refused" refused $S/cc_params/rp_dce_tcp_g 1024
ok "63 bytes are too few to count" refused $S/cc_params/rp_byte_reset 63
is "and stay as they were" "$(cat $S/cc_params/rp_byte_reset)" 32767

# Both ends of a queue pair send: acknowledgments, 8 of 86 bytes each way, go between
# the packets. Behind them they would come when the peer's window has long been full.
about "each to the other" $((LINE + 8 * 86 / 50 + 2000)) 2 across

about "no control" $((LINE + 2000)) 1 first
put $S/cc dcqcn
put $R/cc dcqcn
about "no congestion" $((LINE + 2000)) 1 first

# One notification is all there is in a second: alpha is one, the rate is halved,
# and nothing makes it rise again. In the second round a packet begins every two
# packets' time.
param suo0 rp_time_reset=0 rp_byte_reset=0
param suo2 np_min_time_between_cnps=1000000
ok "all packets are marked" marks 100%
for c in np_cnp_sent np_ecn_marked_roce_packets; do
	since R_$c 2 $c
done
since handled 0 rp_cnp_handled
about "half the rate" $((511 * 4178 / 50 + 2000)) 2 first
since R_np_cnp_sent 2 np_cnp_sent
is "one notification is sent" "$GREW" 1
since handled 0 rp_cnp_handled
is "and handled" "$GREW" 1
since R_np_ecn_marked_roce_packets 2 np_ecn_marked_roce_packets
is "512 packets were marked" "$GREW" 512
ok "no mark" no_marks
about "the next connection has the line again" $((LINE + 2000)) 2 first

# A read's responses come from suo2: it is suo2 that is slower. What the two sides say
# to each other by TCP cannot be marked, and has to get through.
param suo0 np_min_time_between_cnps=1000000
param suo2 rp_time_reset=0 rp_byte_reset=0
since read 2 rp_cnp_handled
ok "read responses are marked" ip netns exec fabric tc qdisc replace dev h0v0 \
	root netem limit 100000 loss 20% ecn
trace_start suo_cc
ok "ib_read_bw" pair 2 0 18515 ib_read_bw -e -F -d @DEV@ -x @GID@ -s 1048576 -n 5
trace_stop
since read 2 rp_cnp_handled
is "the responder has heard of it" "$GREW" 1
rates()
{
	awk '/ suo_cc: dev=suo2 .* event=sent/ { sub(/.*rate_kbps=/, ""); print $1 }' \
		/tmp/trace.txt | uniq | tr '\n' ' '
}
is "its data goes at line rate, then at half of it" "$(rates)" "400000000 200000000 "
ip netns exec fabric tc qdisc del dev h0v0 root

# Falling and rising, as the law says.
P="rp_time_reset=10 rp_byte_reset=32767 rp_dce_tcp_rtt=5 rp_ai_rate=2000"
# shellcheck disable=SC2086
param suo0 $P
param suo2 np_min_time_between_cnps=20
ok "a tenth of the packets is marked" marks 10%
on_exec h1 tcpdump -Z root -U -i v0 --time-stamp-precision nano \
	-w "$RESULTS/cc.pcap" udp port 4791 2> /tmp/tcpdump &
tcpdump=$!
until grep -q listening /tmp/tcpdump; do
	sleep 0.1
done
trace_start suo_cc
ok "traffic" time_of 20 first
trace_stop
sleep 1
kill $tcpdump
wait $tcpdump
no_marks
grep "dev=suo0 " /tmp/trace.txt > /tmp/suo0.txt
cp /tmp/suo0.txt "$RESULTS/cc.txt"
# shellcheck disable=SC2086
ok "each rate is that of the law" \
	sh -c '/lab/cc_replay 400000 "$@" < /tmp/suo0.txt > /tmp/replay' sh $P
tap_line "# events, notifications, lowest and last rate, flows: $(cat /tmp/replay)"
read -r events cnps lowest _ < /tmp/replay
ok "there were many events" test "$events" -gt 5000
ok "and notifications" test "$cnps" -ge 10
ok "the rate has fallen" test "$lowest" -le 200000000
rises()
{
	awk '{ sub(/.*rate_kbps=/, ""); if (n++ && $1 + 0 > was) up++; was = $1 + 0 }
		END { exit !(up > 20) }' /tmp/suo0.txt
}
ok "and risen" rises
# 20 us at a time scale of 1000, less what the first of two has waited for the line and
# for the one processor that there is
gaps()
{
	tcpdump -Z root -r "$RESULTS/cc.pcap" -nn -tt 'udp[8] == 0x81' 2> /dev/null |
		awk '{ if (n++ && $1 - was < 0.018) bad++; was = $1 }
			END { print n; exit bad || n < 10 }' > /tmp/gaps
}
ok "notifications keep their distance on the wire" gaps
# The last one may have found its queue pair gone.
ok "each that was sent was handled" test "$(cat /tmp/gaps)" -le $((cnps + 1)) -a \
	"$(cat /tmp/gaps)" -ge "$cnps"
cat > "$RESULTS/cc.judge" << JUDGE
some infiniband.bth.opcode == 129
all ip.dsfield.dscp == 48 && ip.dsfield.ecn == 0 if infiniband.bth.opcode == 129
all infiniband.bth.psn == 0 && infiniband.bth.a == 0 && infiniband.bth.m == 0 if infiniband.bth.opcode == 129
all ip.src == 10.0.1.1 && ip.len == 60 if infiniband.bth.opcode == 129
all ip.dsfield.ecn == 2 || ip.dsfield.ecn == 3 if infiniband.bth.opcode >= 6 && infiniband.bth.opcode <= 11
all ip.dsfield.ecn == 0 if infiniband.bth.opcode == 17
JUDGE

# Parameters, and the algorithm itself, change under traffic.
ok "marks" marks 10%
(on_exec h0 /lab/verbs_traffic -d 3 -n 100000 first 1048576) > /tmp/traffic.log 2>&1 &
pid=$!
churn()
{
	for _i in 1 2 3 4 5 6; do
		for _cc in nscc none dcqcn; do
			sleep 0.1
			put $S/cc $_cc
			put $R/cc $_cc
			param suo0 rp_ai_rate=$((_i * 100)) rp_max_rate=$((_i * 1000))
			put $S/rate_mbps 0
			put $S/rate_mbps 400000
			kill -0 $pid || return
		done
	done
}
ok "changes under traffic" churn
kill $pid
wait $pid
is "it went on all the time" "$? $(cat /tmp/traffic.log)" "143 "
no_marks
param suo0 rp_max_rate=0

# A window of one packet: each waits for the acknowledgment (86 bytes of line) of
# the one before it.
put $S/cc nscc
param suo0 nscc_base_rtt_ps=1
about "a window of one packet" $((256 * (4178 / 50 + 86 / 50 + 4000) - 2000)) 1 first 2
param suo0 nscc_base_rtt_ps=12000000
about "a window of 900 kB" $((LINE + 2000)) 1 first

# Pauses. The traffic has DSCP 0, so it is priority 0.
put $S/cc none
put $R/cc none
(on_exec h0 /lab/verbs_traffic -d 3 -n 100000 first 1048576) > /tmp/traffic.log 2>&1 &
pid=$!
sleep 0.5
trace_start suo_pause suo_clock
ok "1000 quanta, twenty times" pause -n 20 -g 5000 h0v0 0 1000
sleep 0.1
trace_stop
grep -h "dev=suo0" /tmp/trace.txt > "$RESULTS/pause.txt"
# 1000 times 512 bits at 400 Gb/s are 1.28 us. A packet arrives 2 us after its last
# bit has left, a whole one 83.56 ns after its first has, the first of a message (RETH)
# 83.88, and the last (immediate data) 83.64.
exactly()
{
	awk '/suo_pause:/ {
		split($0, f, "now_ps="); split(f[2], n, " ")
		split($0, f, "until_ps="); now = n[1] + 0; until = f[2] + 0
		pauses++
		if (until - now != 1280000)
			wrong++
		seen = 0
	}
	/suo_clock:/ && until {
		split($0, f, "due_ps="); split(f[2], n, " ")
		end = n[1] - 2000000
		if (end - 83880 >= now && end - 83560 < until)
			inside++
		if (end - 83560 >= until && !seen++) {
			late = end - until
			if (late == 83560 || late == 83880 || late == 83640)
				exact++
			else if (late < 84000)
				wrong++
		}
	}
	END { print pauses + 0, exact + 0, inside + 0, wrong + 0 }' "$RESULTS/pause.txt"
}
exactly > /tmp/exactly
read -r pauses exact inside wrong < /tmp/exactly
tap_line "# pauses, a packet begins as it ends, in it, off: $(cat /tmp/exactly)"
is "pauses, each of 1280000 ps" "$pauses $wrong" "20 0"
is "nothing begins in one" "$inside" 0
# Now and then a pause ends while the two wait for each other.
ok "a packet begins at the very end" test "$exact" -ge 5
# 25.6 us
is "counted" "$(counter 0 rx_prio0_pause) $(counter 0 rx_prio0_pause_duration)" "20 25"

# 65535 quanta are 83.88 us, 84 ms of the guest's.
sends()
{
	_was=$(counter 0 sent_pkts)
	sleep 0.02
	[ "$(counter 0 sent_pkts)" -gt $((_was + 10)) ]
}
stopped()
{
	! sends
}
echo 1 > /sys/class/infiniband/suo0/ports/1/hw_counters/lifespan
ok "it sends" sends
pause h0v0 0 65535
ok "a long pause" stopped
pause h0v0 0 0
ok "and the end of it" sends
pause h0v0 5 65535
ok "another priority's" sends
pause -o 0001 h0v0 0 65535
ok "an opcode that is not PFC's" sends
pause -d 02 h0v0 0 65535
ok "another address" sends
pause -l 40 h0v0 0 65535
ok "a runt" sends
is "nobody counts them" "$(counter 0 rx_prio0_pause) $(counter 0 rx_prio5_pause)" "22 1"
ok "a NIC without rate" put $S/rate_mbps 0
pause h0v0 0 65535
is "takes no notice" "$(counter 0 rx_prio0_pause)" 22
put $S/rate_mbps 400000

# Nobody has been asked to acknowledge what is under way when a window narrows to less
# than that. A packet of 4096 bytes takes 4.2 us to be acknowledged, so 20 go in 0.1 s.
narrows()
{
	for _i in $(seq 10); do
		param suo0 nscc_base_rtt_ps=12000000
		sleep 0.01
		param suo0 nscc_base_rtt_ps=1
		_was=$(counter 0 sent_pkts)
		sleep 0.1
		[ "$(counter 0 sent_pkts)" -gt $((_was + 15)) ] || return
	done
}
put $S/cc nscc
since timeouts 0 local_ack_timeout_err
ok "it goes on in a window that narrows" narrows
since timeouts 0 local_ack_timeout_err
is "without a timeout" "$GREW" 0
param suo0 nscc_base_rtt_ps=12000000

# A storm: whoever is paused for ever can still end.
(ip netns exec fabric /lab/pause_frame -n 0 -g 10000 h0v0 0 65535) &
storm=$!
sleep 0.2
ok "a storm" stopped
kill -9 $pid
wait $pid
is "the program ends" "$?" 137
ok "its queue pairs are gone" sh -c '! rdma resource show qp | grep -q verbs_traffic'
# So slow that the second packet waits for half a minute of the guest's time
put $S/cc dcqcn
put $R/cc dcqcn
param suo0 rp_rate_to_set_on_first_cnp=1 rp_min_rate=1
ok "marks" marks 100%
kill $storm
wait $storm
pause h0v0 0 0
(on_exec h0 /lab/verbs_traffic -d 3 -n 100000 first 1048576) > /tmp/traffic.log 2>&1 &
pid=$!
sleep 0.5
ok "next to nothing is sent" stopped
kill -9 $pid
wait $pid
is "the program ends" "$?" 137
(ip netns exec fabric /lab/pause_frame -n 0 -g 10000 h0v0 0 65535) &
storm=$!
(on_exec h0 /lab/verbs_traffic -e -d 3 -n 100000 first 1048576) > /tmp/traffic.log 2>&1 &
pid=$!
sleep 0.5
kill -9 $pid
wait $pid
(on_exec h0 /lab/verbs_traffic -e -d 3 -n 100000 first 1048576) > /tmp/traffic.log 2>&1 &
pid=$!
sleep 0.5
# Deletes suo0 while it is paused, and with it goes what uses it.
lab_down
wait $pid
is "the traffic ends with the device" "$?" 3
kill $storm
wait $storm
tap_done
