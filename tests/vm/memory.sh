#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env mem=1792 timeout=400
# files: build/tests/vm/verbs_memory
# programs: mke2fs
# modules: brd ext4
#
# Regions over every kind of memory, on both paths; and the same by rdma_rxe.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

memory_up()
{
	modprobe brd rd_nr=1 rd_size=32768 &&
	modprobe ext4 &&
	mke2fs -q -t ext4 -O ^has_journal /dev/ram0 &&
	mkdir /run/ext4 &&
	mount -t ext4 /dev/ram0 /run/ext4 &&
	echo 8 > /proc/sys/vm/nr_hugepages &&
	# Nobody but root is used to opening them here.
	chmod 755 /dev/infiniband &&
	chmod 666 /dev/infiniband/uverbs*
}

lab_up
ok "memory of several kinds" memory_up
is "there are huge pages" "$(cat /proc/sys/vm/nr_hugepages)" 8
merge "inside a domain" /lab/verbs_memory suo0 suo1 /run/ext4
merge "between hosts" /lab/verbs_memory suo0 suo2 /run/ext4
merge "an ordinary user" /lab/verbs_memory --limit suo0
lab_down

rxe_up()
{
	modprobe crc32_generic 2> /dev/null
	modprobe rdma_rxe &&
	ip link set lo up &&
	ip link add v0 type veth peer name v1 &&
	ip addr add 10.9.0.1/24 dev v0 &&
	ip link set v0 up &&
	ip link set v1 up &&
	rdma link add rxe0 type rxe netdev v0 &&
	chmod 666 /dev/infiniband/uverbs*
}

# What rxe does with them, to compare; not where each access is checked: rxe_mr_copy()
# of 6.1 looks at the entry behind a region's last one.
if [ ! -e /sys/kernel/debug/kmemleak ]; then
	ok "rdma_rxe" rxe_up
	# All namespaces share the device.
	ip netns add h0
	merge "rdma_rxe to itself" /lab/verbs_memory rxe0 rxe0 /run/ext4
	merge "rdma_rxe, an ordinary user" /lab/verbs_memory --limit rxe0
fi
tap_done
