#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug cluster=tests/data/two-by-two.env timeout=900
# files: build/tests/vm/verbs_hostile build/tests/vm/verbs_objects build/tests/vm/verbs_threads build/tests/vm/verbs_stale
#
# What a device has to survive: threads, processes that scribble over the rings,
# die in the middle, or lose their device, on a kernel that watches for misuse of
# memory and locks. The lab fails a test after which the kernel's log complains.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

for where in "inside a domain:suo0 suo1" "between hosts:suo0 suo2"; do
	devs=${where#*:}
	where=${where%:*}
	# shellcheck disable=SC2086
	ok "threads share a queue pair, $where" \
		on h0 timeout 300 /lab/verbs_threads $devs
	# shellcheck disable=SC2086
	ok "objects change while they are in use, $where" \
		on h0 timeout 300 /lab/verbs_objects $devs
	# shellcheck disable=SC2086
	ok "rings full of nonsense, $where" \
		on h0 timeout 300 /lab/verbs_hostile $devs 20 1
	# shellcheck disable=SC2086
	ok "and other nonsense, $where" \
		on h0 timeout 300 /lab/verbs_hostile $devs 20 2
done

latency=$(cat $CONFIG/domains/dom0/latency_ps)
put $CONFIG/domains/dom0/latency_ps 100000000
merge "a slot used again" /lab/verbs_stale suo0 suo1
put $CONFIG/domains/dom0/latency_ps "$latency"

# start_side RANK [SERVER]: one side of a transfer without end; sets SIDE to its
# process, not to a shell around it.
start_side()
{
	gid=$(gid_index "$1") || return
	ip netns exec "$(host_of "$1")" ib_write_bw -D 100 -F -d "suo$1" \
		-x "$gid" -s 65536 ${2:+"$2"} > "/tmp/side$1.log" 2>&1 &
	SIDE=$!
}

# start_pair SERVER-RANK CLIENT-RANK: sets SERVER and CLIENT.
start_pair()
{
	start_side "$1"
	SERVER=$SIDE
	wait_listen "$(host_of "$1")" 18515
	start_side "$2" "$(addr_of "$1")"
	CLIENT=$SIDE
	sleep 1
	ok "a transfer is under way, ranks $1 $2" kill -0 "$SERVER" "$CLIENT"
}

# stop PROCESS...
stop()
{
	kill -9 "$@" 2> /dev/null
	wait "$@" 2> /dev/null
}

still_works()
{
	pair "$1" "$2" 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c -e -n 20
}

for ends in "0 1" "0 2"; do
	# shellcheck disable=SC2086
	start_pair $ends
	stop "$CLIENT"
	stop "$SERVER"
	# shellcheck disable=SC2086
	ok "a pair works after one was killed, ranks $ends" still_works $ends
done

# The device goes while a process uses it.
start_pair 1 3
ok "a device is deleted under traffic" on h0 rdma link delete suo1
stop "$CLIENT" "$SERVER"
ok "and comes back" on h0 rdma link add suo1 type suo netdev v1
ok "and works inside its domain" still_works 0 1
ok "and between hosts" still_works 1 3

# The netdev goes, and takes the device with it.
start_pair 3 0
ok "a netdev is deleted under traffic" ip -n h1 link delete v1
stop "$CLIENT" "$SERVER"
tries=50
while [ -e /sys/class/infiniband/suo3 ] && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
ok "its device has gone" test ! -e /sys/class/infiniband/suo3
ok "the others still work" still_works 0 2

# Directories in configfs hold the module; devices do not.
ok "the configuration goes" rmdir $CONFIG/domains/*/members/* \
	$CONFIG/domains/* $CONFIG/nics/*
ok "the module unloads with devices in place" rmmod suo
tap_done
