#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env mem=1024
# files: build/tests/vm/fabric_data build/tests/vm/coll_epochs
#
# The libfabric provider and suo-perf, on both paths: between hosts over RoCEv2,
# inside a domain over the scale-up fabric.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

# A handshake message is answered within seconds of guest time, or not at all.
export FI_SUO_CONNECT_TRIES=4

for rank in 0 3; do
	on "$(host_of $rank)" fi_info -p suo -d suo$rank > /tmp/info 2>&1
	ok "fi_info offers suo$rank" grep -q "domain: suo$rank\$" /tmp/info
	ok "suo$rank has reliable datagram endpoints" grep -q FI_EP_RDM /tmp/info
done
# A peer by IP address, with its service or for no more than to ask who gets there
ok "a peer's IP address and service" on h0 fi_info -p suo -n "$(addr_of 2)" -P 4711
ok "a peer's IP address alone" on h0 fi_info -p suo -n "$(addr_of 2)"
on h0 fi_info -p suo -n "$(addr_of 2)" -P http > /tmp/info 2>&1
is "a service that is no number: FI_ENODATA" $? 61
on h0 fi_info -p suo -n g00n13s > /tmp/info 2>&1
is "a name that means nothing here: FI_ENODATA" $? 61
on h0 fi_info -e > /tmp/env 2>&1
for name in IFACE GID_INDEX EAGER_SIZE RX_BUFFERS CONNECT_MS; do
	ok "fi_info explains FI_SUO_$name" grep -q "FI_SUO_$name" /tmp/env
done

for where in "between hosts:0 2" "inside a domain:1 0"; do
	ends=${where#*:}
	where=${where%:*}
	for mode in msg tagged; do
		# Checking the data takes the guest longer than moving it.
		# shellcheck disable=SC2086
		PAIR_TIMEOUT=120 ok "fi_pingpong $where, $mode, all sizes, data checked" \
			pair $ends 47592 fi_pingpong -p suo -d @DEV@ -e rdm \
			-m $mode -c -I 2 -S all
	done
done

# data_pair RANK RANK: the test program at both, whose TAP lines become ours.
data_pair()
{
	rm -f /tmp/data.meet
	on "$(host_of "$2")" /lab/fabric_data 1 "suo$2" unix:/tmp/data.meet \
		> /tmp/data.1 2>&1 &
	_pid=$!
	on "$(host_of "$1")" /lab/fabric_data 0 "suo$1" unix:/tmp/data.meet \
		> /tmp/data.0 2>&1
	_rc=$?
	wait $_pid || _rc=$?
	while read -r _ok _no _dash _what; do
		case $_ok in
		ok)	tap_result 0 "$_what, $3" ;;
		not)	tap_result 1 "${_what#- }, $3" ;;
		'#')	tap_line "$_ok $_no $_dash $_what" ;;
		esac
	done < /tmp/data.0
	is "fabric_data $3: exit status" $_rc 0
	[ $_rc = 0 ] || sed 's/^/# /' /tmp/data.0 /tmp/data.1
}

data_pair 0 2 "between hosts"
data_pair 2 3 "inside a domain"

# perf N DOMAIN-SIZE OPTIONS...: suo-perf on the first N ranks; the table of rank
# 0 is left in /tmp/perf.0. PERF_KILL names a rank to kill after a while.
perf()
{
	_n=$1 _g=$2
	shift 2
	rm -f /tmp/perf.*
	_pids=
	for _r in $(seq $((_n - 1)) -1 0); do
		perf_rank "$@" > /tmp/perf.$_r 2>&1 &
		_pids="$_pids $!"
		[ "$_r" != "${PERF_KILL:-none}" ] || _victim=$!
	done
	if [ -n "${PERF_KILL:-}" ]; then
		sleep 20
		kill -9 $_victim
	fi
	_status=0 _all=
	for _pid in $_pids; do
		wait "$_pid"
		_rc=$?
		_all="$_all $_rc"
		[ $_rc = 0 ] || _status=$_rc
	done
	cat /tmp/perf.*
	return $_status
}

# One rank of it: the process itself, so that it can be killed.
perf_rank()
{
	exec nsenter --net="/run/netns/$(host_of "$_r")" suo-perf allreduce \
		--rank "$_r" --ranks "$_n" --domain-size "$_g" --device "suo$_r" \
		--rendezvous unix:/tmp/perf.meet -n 1 "$@"
}

ok "allreduce of 4 ranks, 0 B to 1 MiB" perf 4 2 -b 0 -e 1M -f 4
ok "nothing was wrong" grep -q '^# Out of bounds values : 0 OK' /tmp/perf.0
ok "the ring, 1 to 100 001 B, int8 maximum" perf 4 2 -b 1 -e 100001 -i 25000 \
	-d int8 -o max --algorithm ring --csv /tmp/perf.csv
is "every line of the CSV file says 0 wrong" \
	"$(tail -n +2 /tmp/perf.csv | cut -d, -f7 | sort -u)" 0
is "it has a line a size" "$(wc -l < /tmp/perf.csv)" 6
ok "3 ranks, double product" perf 3 1 -b 8 -e 80008 -i 40000 -d double -o prod
ok "2 ranks of one domain, uint64 minimum" perf 2 2 -b 8 -e 32K -f 8 -d uint64 -o min
ok "1 rank" perf 1 1 -b 4 -e 4

# 300 runs without a word in between.
rm -f /tmp/epochs.meet
pids=
for rank in 1 2 3; do
	on "$(host_of $rank)" /lab/coll_epochs $rank 4 2 suo suo$rank \
		unix:/tmp/epochs.meet &
	pids="$pids $!"
done
ok "runs that overlap" on h0 /lab/coll_epochs 0 4 2 suo suo0 unix:/tmp/epochs.meet
# shellcheck disable=SC2086
wait $pids

PERF_KILL=2
perf 4 2 -b 4M -e 4M -n 1000 > /tmp/killed
PERF_KILL=
is "when rank 2 is killed, the others fail and it was killed" \
	"$(echo "$_all" | tr ' ' '\n' | sort | tr '\n' ' ')" " 1 1 1 137 "
ok "rank 0 says who is gone" grep -q 'rank 0: .*gone' /tmp/perf.0

suo-perf allreduce --rank 0 --ranks 4 --domain-size 3 --rendezvous unix:/tmp/x \
	2> /tmp/usage
is "usage errors end with status 2" $? 2
ok "and name the option" grep -q -e '--domain-size' /tmp/usage

lab_down
tap_done
