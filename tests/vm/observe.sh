#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env mem=1024 timeout=1200
# files: build/tests/vm/verbs_cases build/tests/vm/prometheus-node-exporter
#
# What can be seen of the devices: tracepoints, counters, rdma resource and rdma
# statistic. Traffic of which every packet is known is what they are held
# against, and tcpdump; and Prometheus' own collector reads the counters.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
TRACE=/sys/kernel/tracing

trace_on()
{
	echo 0 > $TRACE/tracing_on
	: > $TRACE/trace
	echo 1 > $TRACE/events/suo/enable &&
	echo 1 > $TRACE/tracing_on
}

# traced COMMAND...: with all events on; what they said is in /tmp/trace then.
traced()
{
	trace_on || return 1
	"$@"
	_rc=$?
	echo 0 > $TRACE/tracing_on
	echo 0 > $TRACE/events/suo/enable
	sed -n 's/.*: \(suo_[a-z_]*: \)/\1/p' $TRACE/trace > /tmp/trace
	return $_rc
}

# said PATTERN: how many events fit
said()
{
	grep -c "^$1" /tmp/trace
}

# note RANK COUNTER...: remember; grew RANK COUNTER: by how much since
note()
{
	_rank=$1
	shift
	for _c in "$@"; do
		counter "$_rank" "$_c" > "/tmp/note.$_rank.$_c"
	done
}

grew()
{
	echo $(($(counter "$1" "$2") - $(cat "/tmp/note.$1.$2")))
}

both_notes()
{
	note 0 sent_pkts rcvd_pkts port_xmit_packets port_rcv_packets \
		port_xmit_data port_rcv_data rx_write_requests tx_bytes
	note 2 sent_pkts rcvd_pkts port_xmit_packets port_rcv_packets \
		port_xmit_data port_rcv_data tx_bytes
}

profiles()
{
	for _dev in 0 1 2 3; do
		"$1" $CONFIG/nics/suo$_dev || return 1
	done
}

segmentation()
{
	for _h in h0 h1; do
		on $_h ethtool -K v0 tx-udp-segmentation "$1" || return 1
	done
}

# 5 writes of 64 KiB from suo2 to suo0, 64 packets of 1024 bytes each
writes()
{
	pair 0 2 18515 ib_write_bw -F -d @DEV@ -x @GID@ -m 1024 -s 65536 -n 5
}

# Those packets at a time: BTH 12, payload 1024, ICRC 4, UDP 8, IPv4 20; the first of
# a message has a RETH of 16.
WRITE_PACKETS=$((5 * 64))
WRITE_DATA=$(((WRITE_PACKETS * (20 + 8 + 12 + 1024 + 4) + 5 * 16) / 4))

# watch_writes HOW: the same with everybody watching
watch_writes()
{
	both_notes
	on_exec h1 tcpdump -Z root -U -n -i v0 -w /tmp/wire.pcap udp port 4791 \
		2> /tmp/tcpdump &
	_dump=$!
	until grep -q listening /tmp/tcpdump; do
		sleep 0.1
	done
	ok "$1: 5 writes of 64 KiB at MTU 1024" traced writes
	sleep 1
	kill $_dump
	wait $_dump
	is "$1: suo2 sends 5 first packets of a write" \
		"$(said 'suo_tx: dev=suo2 .*opcode=RC_RDMA_WRITE_FIRST .*len=1024 ')" 5
	is "$1: 310 middle ones" \
		"$(said 'suo_tx: dev=suo2 .*opcode=RC_RDMA_WRITE_MIDDLE .*len=1024 ')" 310
	is "$1: 5 last ones, which ask for an acknowledgment" \
		"$(said 'suo_tx: dev=suo2 .*opcode=RC_RDMA_WRITE_LAST .*len=1024 ackreq=1 ')" 5
	is "$1: suo0 receives as many, by the wire, from suo2's address" \
		"$(said 'suo_rx: dev=suo0 .*RDMA_WRITE.* path=wire .*src=::ffff:10.0.1.1 dst=::ffff:10.0.0.1$')" \
		$WRITE_PACKETS
	is "$1: their numbers go up by one" "$(sed -n \
		's/^suo_rx: dev=suo0 .*RDMA_WRITE.* psn=\([0-9]*\) .*/\1/p' /tmp/trace |
		awk 'NR > 1 && ($1 - last + 16777216) % 16777216 != 1 { bad++ }
		     { last = $1 } END { print bad + 0 }')" 0
	is "$1: nobody drops any" "$(said suo_drop)" 0
	is "$1: port_xmit_packets" "$(grew 2 port_xmit_packets)" $WRITE_PACKETS
	is "$1: sent_pkts" "$(grew 2 sent_pkts)" $WRITE_PACKETS
	is "$1: port_xmit_data, in units of 4 octets" \
		"$(grew 2 port_xmit_data)" $WRITE_DATA
	is "$1: tx_bytes" "$(grew 2 tx_bytes)" $((WRITE_DATA * 4))
	is "$1: the peer's port_rcv_packets" "$(grew 0 port_rcv_packets)" \
		$WRITE_PACKETS
	is "$1: the peer's port_rcv_data" "$(grew 0 port_rcv_data)" $WRITE_DATA
	is "$1: the peer's rx_write_requests" "$(grew 0 rx_write_requests)" 5
	is "$1: every packet sent is traced" "$(said 'suo_tx: dev=suo2 ') $(said 'suo_tx: dev=suo0 ')" \
		"$(grew 2 sent_pkts) $(grew 0 sent_pkts)"
	is "$1: and every one received" "$(said 'suo_rx: dev=suo2 ') $(said 'suo_rx: dev=suo0 ')" \
		"$(grew 2 rcvd_pkts) $(grew 0 rcvd_pkts)"
}

# What tcpdump has seen on suo2's netdev: FROM-ADDRESS -> packets, data
wire()
{
	tcpdump -Z root -n -q -r /tmp/wire.pcap "src $1" 2> /dev/null |
		sed -n 's/.*UDP, length \([0-9]*\)$/\1/p' |
		awk '{ n++; sum += $1 + 28 } END { print n + 0, sum / 4 }'
}

sees_wire()
{
	is "$1: tcpdump sees what suo2 says it has sent" "$(wire 10.0.1.1)" \
		"$(grew 2 port_xmit_packets) $(grew 2 port_xmit_data)"
	is "$1: and received" "$(wire 10.0.0.1)" \
		"$(grew 2 port_rcv_packets) $(grew 2 port_rcv_data)"
}

# states DEV: the queue pair states that an RC queue pair of DEV goes through
states()
{
	sed -n "s/^suo_qp_state: dev=$1 .*type=RC from=\([A-Z]*\) to=\([A-Z]*\) why=\([a-z_]*\)\$/\1>\2:\3/p" \
		/tmp/trace | tr '\n' ' '
}

faults()
{
	timeout 60 /lab/verbs_cases "$@" > /tmp/faults
}

# udp HEX: these bytes from host h1, which no device sends, to suo0
udp()
{
	on h1 /lab/verbs_cases udp 10.0.0.1 "$1"
}

lab_up
ok "tracefs" mount -t tracefs none $TRACE
echo 8192 > $TRACE/buffer_size_kb

# 02:53:55:00:00:01 as an EUI-64
is "rdma dev" "$(rdma dev show suo0 | sed 's/.*node_type/node_type/; s/ *$//')" \
	"node_type ca fw 1.0.0 node_guid 0053:55ff:fe00:0001 sys_image_guid 0053:55ff:fe00:0001"
is "rdma link" "$(on h0 rdma link show suo0/1 | sed 's/ *$//')" \
	"link suo0/1 state ACTIVE physical_state LINK_UP netdev v0"

watch_writes "paced"
sees_wire "paced"
ok "NICs are not paced any more" profiles rmdir
watch_writes "in datagrams of many"
ok "in datagrams of many: the trace says so" \
	[ "$(sed -n 's/^suo_tx: dev=suo2 .* nr=[0-9]*.\([0-9]*\) .*/\1/p' /tmp/trace |
		sort -n | tail -n 1)" -gt 1 ]
ok "tx-udp-segmentation off" segmentation off
watch_writes "apart"
sees_wire "apart"
is "apart: the trace says so" "$(said 'suo_tx: .* nr=1/1 ')" "$(said 'suo_tx: ')"
ok "tx-udp-segmentation on" segmentation on

# By the other path the same events, in segments of 16 KiB
su_write()
{
	pair 0 1 18515 ib_write_bw -F -d @DEV@ -x @GID@ -s 65536 -n 5
}
note 1 su_tx_segments su_tx_bytes sent_pkts
ok "in a domain: 5 writes of 64 KiB" traced su_write
is "in a domain: 20 segments are sent" \
	"$(said 'suo_tx: dev=suo1 .*RDMA_WRITE.* len=16384 .* path=su ')" 20
is "in a domain: and received" \
	"$(said 'suo_rx: dev=suo0 .*RDMA_WRITE.* len=16384 .* path=su ')" 20
is "in a domain: counters" \
	"$(grew 1 su_tx_segments) $(grew 1 su_tx_bytes) $(grew 1 sent_pkts)" "20 327680 0"

# States
ok "one ibv_rc_pingpong" traced \
	pair 0 2 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -n 5
for dev in suo0 suo2; do
	is "$dev goes from state to state" "$(states $dev)" \
		"RESET>INIT:modify_qp INIT>RTR:modify_qp RTR>RTS:modify_qp RTS>RESET:destroy_qp "
	is "$dev has its region registered and deregistered" \
		"$(said "suo_mr: dev=$dev .*op=reg .* length=4096 ") $(said "suo_mr: dev=$dev .*op=dereg .* length=4096 ")" \
		"1 1"
done

# Faults
note 0 req_remote_access_errors req_cqe_error
note 2 resp_remote_access_errors
ok "a key that is wrong: REM_ACCESS_ERR" traced faults rkey suo0 suo2
is "a key that is wrong: suo2 refuses it" \
	"$(said 'suo_nak: dev=suo2 .*aeth=NAK_REM_ACCESS')" 1
is "a key that is wrong: suo0 is told" \
	"$(said 'suo_rx: dev=suo0 .*opcode=RC_ACKNOWLEDGE .*aeth=NAK_REM_ACCESS ')" 1
is "a key that is wrong: suo0 completes" \
	"$(said 'suo_cqe_err: dev=suo0 .*opcode=RDMA_WRITE status=REM_ACCESS_ERR ')" 1
is "a key that is wrong: suo2 has an event" \
	"$(said 'suo_event: dev=suo2 event=QP_ACCESS_ERR ')" 1
is "a key that is wrong: both queue pairs stop" \
	"$(said 'suo_qp_state: dev=suo2 .*to=ERR why=peer_refused') $(said 'suo_qp_state: dev=suo0 .*to=ERR why=request_failed')" \
	"1 1"
is "a key that is wrong: counters" \
	"$(grew 0 req_remote_access_errors) $(grew 0 req_cqe_error) $(grew 2 resp_remote_access_errors)" \
	"1 1 1"

note 0 rnr_nak_retry_err retry_rnr_exceeded_err
note 2 out_of_buffer send_rnr_err
ok "no receive, 3 retries: RNR_RETRY_EXC_ERR" traced faults rnr suo0 suo2
# 10 us: what timer 1 stands for (IBA table 45)
is "no receive: suo0 tries again" "$(sed -n \
	's/^suo_retry: dev=suo0 .*why=rnr_nak_retry_err left=\([0-9]\) delay_ps=10000000$/\1/p' \
	/tmp/trace | tr '\n' ' ')" "2 1 0 "
is "no receive: suo2 says so 4 times" \
	"$(said 'suo_nak: dev=suo2 .*aeth=RNR_NAK') $(said 'suo_drop: dev=suo2 .*reason=no_receive_posted')" \
	"4 4"
is "no receive: counters" \
	"$(grew 0 rnr_nak_retry_err) $(grew 0 retry_rnr_exceeded_err) $(grew 2 out_of_buffer) $(grew 2 send_rnr_err)" \
	"3 1 4 4"

note 0 local_ack_timeout_err retry_exceeded_err
note 2 rx_strays port_rcv_errors
ok "nobody answers, 2 retries: RETRY_EXC_ERR" traced faults lost suo0 suo2
is "nobody answers: suo0 tries again" "$(sed -n \
	's/^suo_retry: dev=suo0 .*why=local_ack_timeout_err left=\([0-9]\) .*/\1/p' \
	/tmp/trace | tr '\n' ' ')" "1 0 "
is "nobody answers: suo2 drops all three" \
	"$(said 'suo_drop: dev=suo2 .*opcode=RC_SEND_ONLY .*reason=qp_state')" 3
is "nobody answers: counters" \
	"$(grew 0 local_ack_timeout_err) $(grew 0 retry_exceeded_err) $(grew 2 rx_strays) $(grew 2 port_rcv_errors)" \
	"2 1 3 0"

# Packets that nobody sends. 24 bytes: BTH, payload, ICRC.
drops()
{
	udp 0102030405 &&
	udp ff40ffff0000001100000001000000000000000000000000 &&
	udp 0440ffff00abcdef00000001000000000000000000000000 &&
	sleep 1
}
note 0 rx_drops rx_strays port_rcv_errors
ok "three stray datagrams" traced drops
is "stray: each is dropped for its reason" \
	"$(sed -n 's/^suo_drop: dev=suo0 .*reason=//p' /tmp/trace | tr '\n' ' ')" \
	"too_short bad_header no_qp "
is "stray: counters" \
	"$(grew 0 rx_drops) $(grew 0 rx_strays) $(grew 0 port_rcv_errors)" "2 1 2"

# Multicast, and a port that goes down
group()
{
	two 0 2 mckey -m 239.1.2.1 -b 10.0.0.1 -C 5 -- \
		mckey -m 239.1.2.1 -b 10.0.1.1 -s -C 5
}
modprobe rdma_ucm 2> /dev/null
for rank in 0 2; do
	note $rank multicast_xmit_packets multicast_rcv_packets \
		unicast_xmit_packets unicast_rcv_packets \
		port_xmit_packets port_rcv_packets
done
ok "mckey, 5 messages" group
is "mckey: multicast_xmit_packets, multicast_rcv_packets" \
	"$(grew 2 multicast_xmit_packets) $(grew 0 multicast_rcv_packets)" "5 5"
is "mckey: all others are unicast" \
	"$(grew 0 unicast_rcv_packets) $(grew 2 unicast_xmit_packets)" \
	"$(($(grew 0 port_rcv_packets) - 5)) $(($(grew 2 port_xmit_packets) - 5))"
flap()
{
	ip -n h0 link set v1 down && sleep 1 && ip -n h0 link set v1 up && sleep 1
}
note 1 link_downed
ok "a netdev goes down and up" traced flap
is "its port too, once" \
	"$(sed -n 's/^suo_event: dev=suo1 event=\(PORT_[A-Z]*\) number=1$/\1/p' /tmp/trace | tr '\n' ' ')" \
	"PORT_ERR PORT_ACTIVE "
is "link_downed" "$(grew 1 link_downed)" 1

# words: of the input, a line each
words()
{
	tr -s '[:space:]' '\n'
}

# rdma resource
resources()
{
	rdma resource show | sed 's/^[0-9]*: //'
}
# field NAME: of the line of rdma resource that is read
field()
{
	sed -n "s/.* $1 \([^ ]*\).*/\1/p"
}
resources > /tmp/resources
on_exec h0 ibv_srq_pingpong -d suo0 -g "$(gid_index 0)" -q 2 \
	> /tmp/server.log 2>&1 &
pid=$!
ok "ibv_srq_pingpong waits" wait_listen h0 18515 $pid
# Where the command of an SRQ's process should be, this rdma prints something else.
for what in "qp link suo0/1" "cq dev suo0" "mr dev suo0" "pd dev suo0" "srq dev suo0" \
	    "ctx dev suo0"; do
	# shellcheck disable=SC2086
	rdma resource show $what > "/tmp/res.${what%% *}" 2>&1
	[ "${what%% *}" != srq ] || sed -i 's/comm .*/comm ibv_srq_pingpon/' /tmp/res.srq
	is "rdma resource show $what: its process" \
		"$(sed -n 's/.* pid \([0-9]*\) .*comm \([^ []*\).*/\1 \2/p' \
			"/tmp/res.${what%% *}" | sort -u)" "$pid ibv_srq_pingpon"
done
is "two queue pairs, RC, in INIT, without a peer" \
	"$(grep -c "type RC state INIT .*pid $pid " /tmp/res.qp)" 2
is "of one region of its 4096 bytes" \
	"$(grep "pid $pid " /tmp/res.mr | field mrlen)" 4096
is "which are the domain's" "$(grep "pid $pid " /tmp/res.mr | field pdn)" \
	"$(grep "pid $pid " /tmp/res.pd | field pdn)"
is "and the context's" "$(grep "pid $pid " /tmp/res.pd | field ctxn)" \
	"$(grep "pid $pid " /tmp/res.ctx | field ctxn)"
is "the SRQ names its queue pairs" \
	"$(grep "pid $pid " /tmp/res.srq | field lqpn)" \
	"$(grep "pid $pid " /tmp/res.qp | field lqpn | sort -n | tr '\n' '-' | sed 's/-$//')"
ok "rdma -dd resource show: what the driver knows" sh -c \
	'rdma -dd resource show qp link suo0/1 | grep -q "drv_sq_posted 0" &&
	 rdma -dd resource show cq dev suo0 | grep -q "drv_waiting 0" &&
	 rdma -dd resource show mr dev suo0 | grep -q "drv_access 0x1 .*drv_valid 1"'
kill "$pid"
wait
on_exec h0 timeout 60 rping -s -a 10.0.0.1 -C 1 > /tmp/server.log 2>&1 &
pid=$!
ok "rping listens" timeout 20 sh -c \
	'until rdma resource show cm_id | grep -q "state LISTEN"; do sleep 0.1; done'
is "rdma resource show cm_id: its process and address" \
	"$(rdma resource show cm_id link suo0/1 | sed -n \
		's/.*state LISTEN ps TCP pid [0-9]* comm \([^ ]*\) src-addr \([^ ]*\).*/\1 \2/p')" \
	"rping 10.0.0.1:7174"
kill $pid
wait
sleep 1
is "what was there is gone with its process" "$(resources)" "$(cat /tmp/resources)"

# rdma statistic
is "rdma statistic shows what sysfs does" \
	"$(rdma statistic show link suo0/1 | words |
		awk 'NR > 2 { printf NR % 2 ? $0 " " : $0 "\n" }' | sort)" \
	"$(cd /sys/class/infiniband/suo0/ports/1/hw_counters &&
		grep . ./* | sed 's,^\./,,; s/:/ /' | grep -v ^lifespan | sort)"
note 2 rx_write_requests
ok "a counter for each queue pair of a type" \
	rdma statistic qp set link suo2/1 auto type on
timeout 60 /lab/verbs_cases hold suo0 suo2 > /tmp/faults &
pid=$!
ok "7 writes" timeout 20 sh -c 'until grep -q ready /tmp/faults; do sleep 0.1; done'
qpn=$(sed -n 's/^a [0-9]* b //p' /tmp/faults)
rdma statistic qp show link suo2/1 > /tmp/statistic
is "they are the queue pair's" "$(words < /tmp/statistic |
	grep -A 1 rx_write_requests | tail -n 1)" 7
ok "which is named" grep -q "LQPN: <$qpn>" /tmp/statistic
is "and the port's" "$(grew 2 rx_write_requests)" 7
kill $pid
wait
is "which they stay without it" "$(grew 2 rx_write_requests)" 7
is "the queue pair's counter went with it" \
	"$(rdma statistic qp show link suo2/1 | grep -c LQPN)" 0
ok "no such counters any more" rdma statistic qp set link suo2/1 auto off
timeout 60 /lab/verbs_cases hold suo0 suo2 > /tmp/faults &
pid=$!
ok "7 writes more" timeout 20 sh -c 'until grep -q ready /tmp/faults; do sleep 0.1; done'
qpn=$(sed -n 's/^a [0-9]* b //p' /tmp/faults)
is "go to the port alone" "$(grew 2 rx_write_requests) $(rdma statistic qp show link suo2/1)" "14 "
ok "a counter is bound to a queue pair by hand" \
	rdma statistic qp bind link suo2/1 lqpn "$qpn"
ok "and shown" sh -c \
	"rdma statistic qp show link suo2/1 | grep -q 'LQPN: <$qpn>'"
kill $pid
wait

# marked N: so many packets that carry "congestion experienced" to suo0
marked()
{
	pair 0 2 18515 ib_send_bw -F -d @DEV@ -x @GID@ -m 1024 -s 1024 -n "$1" --tclass=3
}
ce_packets()
{
	rdma statistic show link suo0/1 | words |
		grep -A 1 cc_rx_ce_pkts | tail -n 1
}
is "an optional counter is off" "$(ce_packets)" ""
ok "it is offered" sh -c \
	'rdma statistic mode supported link suo0/1 | grep -q cc_rx_ce_pkts'
ok "it is set" rdma statistic set link suo0/1 optional-counters cc_rx_ce_pkts
ok "10 packets marked" marked 10
is "are counted" "$(ce_packets)" 10
ok "it is unset" rdma statistic unset link suo0/1 optional-counters
is "and not shown" "$(ce_packets)" ""

# Prometheus
ip link set lo up
/lab/prometheus-node-exporter --collector.disable-defaults --collector.infiniband \
	--web.listen-address=127.0.0.1:9100 > /tmp/exporter.log 2>&1 &
pid=$!
scrape()
{
	busybox wget -q -O /tmp/metrics http://127.0.0.1:9100/metrics
}
n=0
until scrape 2> /dev/null || [ $n = 600 ]; do
	n=$((n + 1))
	sleep 0.5
done
ok "node_exporter's infiniband collector succeeds" \
	grep -qx 'node_scrape_collector_success{collector="infiniband"} 1' /tmp/metrics
# metric NAME RANK: its value, as a whole number
metric()
{
	awk -v m="node_infiniband_$1{device=\"suo$2\",port=\"1\"}" \
		'index($0, m) == 1 { printf "%d", $NF }' /tmp/metrics
}
port=/sys/class/infiniband/suo0/ports/1
is "port_data_transmitted_bytes_total" \
	"$(metric port_data_transmitted_bytes_total 0)" \
	$(($(cat $port/counters/port_xmit_data) * 4))
is "port_data_received_bytes_total" \
	"$(metric port_data_received_bytes_total 0)" \
	$(($(cat $port/counters/port_rcv_data) * 4))
for pair in port_packets_transmitted_total:port_xmit_packets \
	    port_packets_received_total:port_rcv_packets \
	    port_errors_received_total:port_rcv_errors \
	    multicast_packets_received_total:multicast_rcv_packets \
	    unicast_packets_transmitted_total:unicast_xmit_packets; do
	is "${pair%:*}" "$(metric ${pair%:*} 0)" "$(cat $port/counters/${pair#*:})"
done
is "link_downed_total" "$(metric link_downed_total 1)" 1
is "state_id: active" "$(metric state_id 0)" 4
ok "info: firmware and type" grep -q \
	'^node_infiniband_info{board_id="suo",device="suo0",firmware_version="1.0.0",hca_type="suo"} 1' \
	/tmp/metrics
kill $pid
wait

ok "NICs get their profiles back" profiles mkdir
lab_down
tap_done
