#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=300
# files: build/tests/vm/verbs_events
#
# A little of everything that goes through an interface of the kernel: for kernels
# that the other tests do not run on. See stage_kernels in tests/check.sh.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

# netdev_to UP-OR-DOWN STATE: switch v0 of host h0 and wait for suo0 to follow.
netdev_to()
{
	ip -n h0 link set v0 "$1" &&
	timeout 10 sh -c "until grep -q $2 /sys/class/infiniband/suo0/ports/1/state
		do sleep 0.1; done"
}

gone()
{
	timeout 10 sh -c "while [ -e /sys/class/infiniband/$1 ]; do sleep 0.1; done"
}

# Two ends, no address known to a tool that speaks to one: rdma_cm finds it.
connect()
{
	on_exec h0 timeout 20 rping -s -a "$(addr_of 0)" -C 5 -V > /tmp/rping 2>&1 &
	sleep 1
	on h1 timeout 20 rping -c -a "$(addr_of 0)" -C 5 -V && wait $!
}

unload()
{
	rmdir $CONFIG/domains/*/members/* $CONFIG/domains/* $CONFIG/nics/* &&
		rmmod suo
}

lab_up
is "neighbours do not age" \
	"$(on h1 cat /proc/sys/net/ipv4/neigh/v0/base_reachable_time_ms)" 1000000000

for where in "by the wire:2 0" "in a domain:1 0"; do
	ends=${where#*:}
	where=${where%:*}
	before=$(counter 0 su_tx_bytes)
	ok "ibv_rc_pingpong $where, data checked" \
		pair $ends 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c -s 65537 -n 20
	ok "ibv_rc_pingpong $where over IPv6, data checked" \
		pair $ends 18515 ibv_rc_pingpong -d @DEV@ -g @GID6@ -c -s 65537 -n 20
	ok "ibv_uc_pingpong $where, data checked" \
		pair $ends 18515 ibv_uc_pingpong -d @DEV@ -g @GID@ -c -s 65537 -n 20
	ok "ibv_ud_pingpong $where" \
		pair $ends 18515 ibv_ud_pingpong -d @DEV@ -g @GID@ -s 1024 -n 20
	ok "ibv_srq_pingpong $where, data checked" \
		pair $ends 18515 ibv_srq_pingpong -d @DEV@ -g @GID@ -c -n 20 -q 2
	ok "ib_send_lat -e $where" \
		pair $ends 18515 ib_send_lat -e -F -d @DEV@ -x @GID@ -s 8 -n 50
	ok "ib_write_bw $where" \
		pair $ends 18515 ib_write_bw -F -d @DEV@ -x @GID@ -s 65536 -n 20
	ok "ib_read_bw $where" \
		pair $ends 18515 ib_read_bw -e -F -d @DEV@ -x @GID@ -s 65536 -n 20
	ok "ib_atomic_bw $where" \
		pair $ends 18515 ib_atomic_bw -F -d @DEV@ -x @GID@ -n 20
	# Connections that have a domain in common use nothing else.
	grew=$(($(counter 0 su_tx_bytes) > before))
	case $where in
	*domain) is "the domain's own path was taken" $grew 1 ;;
	*) is "the domain's own path was not taken" $grew 0 ;;
	esac
done
ok "rping by rdma_cm" connect
for rank in 0 1 2; do
	is "suo$rank has no packet dropped" "$(counter $rank rx_drops)" 0
	is "suo$rank has no bad ICRC" "$(counter $rank rx_icrc_encapsulated)" 0
done

# One event for one change: from the core on some kernels, from suo on others.
on_exec h0 /lab/verbs_events suo0 > /tmp/events 2>&1 &
watch=$!
ok "events can be read" \
	timeout 10 sh -c 'until grep -q ready /tmp/events; do sleep 0.1; done'
ok "a netdev goes down, its port too" netdev_to down DOWN
ok "a netdev comes up, its port too" netdev_to up ACTIVE
sleep 1
kill $watch
is "one event for each, no other" "$(grep port /tmp/events | tr '\n' ';')" \
	"port error;port active;"

ok "a link is deleted" rdma link delete suo3
ok "it is gone" gone suo3
ok "a host is deleted, a device in it" ip netns delete h1
ok "it went with the host" gone suo2
ok "the others remain" pair 1 0 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c -n 20
ok "the module unloads, two devices with it" unload
ok "they are gone" gone suo0
tap_done
