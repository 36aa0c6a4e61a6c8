#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug cluster=tests/data/two-by-two-real.env mem=1024 timeout=4000 starved=1
# files: build/tests/vm/config_faults build/tests/vm/verbs_faults build/tests/vm/verbs_starved
# leaky: sysfs_slab_add uverbs_alloc_api
#
# The kernel has no memory: each allocation of each verb and of each step of the
# configuration fails once, and some of those that traffic makes do (the kernel's
# Documentation/fault-injection). The lab fails a test after which the kernel's
# log complains, or memory is left that nobody owns; but for what the kernel itself
# forgets: the name of a slab that could not be shown in sysfs (mm/slub.c), and
# nodes of a radix tree into which the rest of an entry did not come (ib_uverbs).

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

# Not only allocations that may not sleep, and of one page too. That one was made
# to fail is no complaint, so it is not traced.
DEBUGFS=/run/debug
faults_on()
{
	# Where the sysfs of a namespace does not hide it.
	mkdir $DEBUGFS && mount -t debugfs debugfs $DEBUGFS || return
	for _kind in failslab fail_page_alloc; do
		_dir=$DEBUGFS/$_kind
		echo N > $_dir/ignore-gfp-wait &&
		echo 0 > $_dir/verbose || return
	done
	echo N > $_dir/ignore-gfp-highmem &&
	echo 0 > $_dir/min-order
}

resources()
{
	for _dev in 0 1 2 3; do
		rdma resource show suo$_dev
	done
}

# faults NAME PEER [OPTION]
faults()
{
	_left=$(resources)
	merge "$1" /lab/verbs_faults ${3:+"$3"} suo0 "$2"
	is "$1: nothing is left of it" "$(resources)" "$_left"
}

# starved NAME PEER PERCENT ROUNDS LEAST
starved()
{
	_left=$(resources)
	merge "$1" /lab/verbs_starved $DEBUGFS suo0 "$2" "$3" "$4" "$5"
	is "$1: nothing is left of it" "$(resources)" "$_left"
}

MERGE_TIMEOUT=20000
ok "allocations can fail" faults_on

lab_up
faults "inside a domain" suo1
faults "between hosts" suo2 -q
# Packets are used again, so few are allocated; in a domain, none in most rounds.
starved "inside a domain, starved" suo1 20 100 0
starved "between hosts, starved" suo2 2 100 20

# Where NICs are not paced, packets share datagrams.
for rank in 0 2; do
	put $CONFIG/nics/suo$rank/rate_mbps 0
	put $CONFIG/nics/suo$rank/latency_ps 0
done
faults "between hosts, not paced" suo2 -q
starved "between hosts, not paced, starved" suo2 20 200 1000

# A namespace without devices has no sockets yet.
ok "a namespace" ip netns add h9
ok "and its netdev" ip -n h9 link add v9 type veth peer name w9
ip -n h9 addr add 10.9.0.1/24 dev v9
ip -n h9 link set v9 up
ip -n h9 link set w9 up
MERGE_HOST=h9
merge "the configuration" /lab/config_faults devices v9
lab_down
merge "the module" /lab/config_faults module "/lib/modules/$(uname -r)/suo.ko"

ok "the namespace goes" ip netns delete h9
tap_done
