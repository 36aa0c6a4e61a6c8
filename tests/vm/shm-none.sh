#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env
#
# A machine that shares no memory with another says so, and all else works.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
dom=$CONFIG/domains/dom0

is "there is no shared memory" "$(cat "$dom/shared_memory")" ""
is "so there are no members elsewhere" "$(cat "$dom/remote_members")" ""
for name in auto 0000:00:04.0 0000:ff:1f.7; do
	echo $name | dd of="$dom/shared_memory" 2> /tmp/why
	ok "'$name': no such device" grep -q 'No such device' /tmp/why
done
ok "the log tells why" eval "dmesg | grep -q \
	'domain dom0: this machine has no ivshmem device (PCI 1af4:1110)'"
ok "and of a device that is none" eval "dmesg | grep -q \
	'domain dom0: there is no PCI device 0000:ff:1f.7'"
ok "to let go of nothing is no error" eval "echo > $dom/shared_memory"
ok "remote_members cannot be written" eval "! echo 1 > $dom/remote_members"
ok "the domain works as ever" pair 0 1 18515 \
	ibv_rc_pingpong -d @DEV@ -g @GID@ -c -n 20

lab_down
tap_done
