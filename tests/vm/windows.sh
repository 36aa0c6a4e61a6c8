#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-eight.env mem=768 timeout=900
# files: build/tests/vm/windows_data build/tests/vm/windows_load build/tests/vm/windows_mmap build/tests/vm/windows_rules build/tests/vm/windows_time
#
# Windows of a domain of eight members: writes to all of them, reductions over them,
# and memory of one that processes of others map.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

memory_up()
{
	mkdir -p /run/ramfs &&
	mount -t ramfs none /run/ramfs &&
	echo 4 > /proc/sys/vm/nr_hugepages
}

# until_says WORD FILE PID: until a program has said something
until_says()
{
	until grep -q "$1" "$2"; do
		kill -0 "$3" 2> /dev/null || return 1
		sleep 0.1
	done
}

# start WORD PROGRAM [ARGS]: on host 0, in the background; sets PID
start()
{
	_word=$1
	shift
	(on_exec h0 "$@") > /tmp/bg.log 2>&1 &
	PID=$!
	ok "$(basename "$1") runs" until_says "$_word" /tmp/bg.log $PID
}

# ends_well: what start has started does
ends_well()
{
	wait $PID || {
		cat /tmp/bg.log
		return 1
	}
}

dom=$CONFIG/domains/dom0

lab_up
ok "memory of several kinds" memory_up
merge "rules" /lab/windows_rules "$dom"
merge "data" /lab/windows_data
ok "a reduction takes 80 ns" sh -c "echo 80000 > $dom/reduce_ps"
is "the domain says so" "$(cat "$dom/reduce_ps")" 80000
merge "time" /lab/windows_time "$SUO_TIME_SCALE" "$SUO_UP_RATE_MBPS" \
	"$(cat "$dom/latency_ps")" 80000
merge "mmap" /lab/windows_mmap /run/ramfs/file
ok "the device that it has deleted comes back" \
	on h0 rdma link add suo3 type suo netdev v3

# Who has mapped something loses it with his own device, and with either member.
start mapped /lab/windows_mmap --hold
ok "the importer's device is deleted" on h0 rdma link delete suo5
ok "its process gets SIGBUS" ends_well
ok "it comes back" on h0 rdma link add suo5 type suo netdev v5
for left in suo3 suo5; do
	start mapped /lab/windows_mmap --hold
	ok "$left leaves the domain" rmdir "$dom/members/$left"
	ok "the importer gets SIGBUS" ends_well
	ok "$left comes back" mkdir "$dom/members/$left"
done

# Under load: a member leaves, a device goes, all go.
start running /lab/windows_load
ok "a member leaves under load" rmdir "$dom/members/suo6"
ok "its peers see it" ends_well
ok "it comes back" mkdir "$dom/members/suo6"
start running /lab/windows_load
ok "a device is deleted under load" on h0 rdma link delete suo6
kill $PID
wait $PID
ok "it comes back" on h0 rdma link add suo6 type suo netdev v6
start running /lab/windows_load
ok "who uses windows is killed" kill -9 $PID
wait $PID

# A mapping holds the module, even when nothing is left of it. Processes that only have
# windows do not.
start mapped /lab/windows_mmap --keep
KEEPS=$PID
mv /tmp/bg.log /tmp/keeps.log
start running /lab/windows_load
ok "the configuration goes under load" rmdir $CONFIG/domains/*/members/* \
	$CONFIG/domains/* $CONFIG/nics/*
ok "the importer gets SIGBUS" until_says lost /tmp/keeps.log $KEEPS
ok "the module cannot be unloaded while the mapping is there" \
	sh -c '! rmmod suo 2> /dev/null'
kill -9 $KEEPS
wait $KEEPS
ok "then it can be, under load" rmmod suo
kill $PID 2> /dev/null
wait $PID
tap_done
