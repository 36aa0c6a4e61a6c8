#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env
#
# Capture what the devices put on the wire, for tests/interop/judge_pcap.py:
# wire*.pcap hold traffic between hosts, fabric*.pcap were taken while only
# members of one domain talked, over the scale-up fabric, and must stay empty.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

# capture_start NAME: on every accelerator's netdev, as the accelerator sees it.
capture_start()
{
	pids=
	for rank in 0 1 2 3; do
		on_exec "$(host_of $rank)" tcpdump -Z root -U -i v$((rank % SUO_ACCELS)) \
			--time-stamp-precision nano -w "$RESULTS/$1$rank.pcap" \
			udp port 4791 2> "/tmp/tcpdump$rank" &
		pids="$pids $!"
	done
	for rank in 0 1 2 3; do
		until grep -q listening /tmp/tcpdump$rank; do
			sleep 0.1
		done
	done
}

capture_stop()
{
	sleep 1
	kill $pids
	wait $pids
}

capture_start fabric
ok "ibv_rc_pingpong inside a domain" \
	pair 0 1 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c -n 20
ok "ib_write_bw inside a domain" \
	pair 0 1 18515 ib_write_bw -F -d @DEV@ -x @GID@ -s 65536 -n 10
capture_stop

capture_start wire
for size in 1 3 4096 10001; do
	ok "ibv_rc_pingpong between hosts, $size bytes" \
		pair 0 2 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c -m 4096 \
		-s $size -n 10
done
ok "ibv_ud_pingpong between hosts" \
	pair 1 3 18515 ibv_ud_pingpong -d @DEV@ -g @GID@ -s 1023 -n 10
ok "ib_write_bw between hosts" \
	pair 2 0 18515 ib_write_bw -F -d @DEV@ -x @GID@ -s 10000 -n 10
ok "ib_read_bw between hosts" \
	pair 3 1 18515 ib_read_bw -e -F -d @DEV@ -x @GID@ -s 10000 -n 10
if command -v suo-perf > /dev/null; then
	ok "allreduce" /lab/demo.sh $ENV -e 16384
else
	skip "allreduce" "no suo-perf"
fi
capture_stop

lab_down
tap_done
