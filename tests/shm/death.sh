#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# files: build/tests/shm/shm_data
#
# A VM dies, one stands still for a while, and somebody scribbles in the memory.

# shellcheck source=tests/shm/shm.inc
. /lab/shm.inc
[ "$VM" = 0 ] || serve

# under COMMAND...: what the host does under traffic ends a connection, with the
# right status and not before its time.
under()
{
	# The server goes, too, so nobody waits for it.
	at 1 "timeout 300 /lab/shm_data s10 serve 7001" > /tmp/serve.log 2>&1 &
	until_ok 20 at 1 "ss -Hltn 'sport = :7001' | grep -q ." || return
	timeout 200 /lab/shm_data s00 until 10.99.0.2 7001 > /tmp/endless.log &
	_until=$!
	until_ok 100 grep -q under /tmp/endless.log || return
	sleep 1
	host "$@" || return
	wait $_until
}

# churn SECONDS: connections that come and go meanwhile
churn()
{
	at 1 "timeout 300 /lab/shm_data s10 serve 7001" > /tmp/serve.log 2>&1 &
	until_ok 20 at 1 "ss -Hltn 'sport = :7001' | grep -q ." || return
	timeout $(($1 + 200)) /lab/shm_data s00 churn 10.99.0.2 7001 "$1"
}

works()
{
	ok "VM 0 sees VM 1's members" until_ok 30 sees 3
	ok "VM 1 sees VM 0's" until_ok 30 at 1 sees 3
	ok "data checked, $1" xpair 1 s10 0 s00 18515 \
		ibv_rc_pingpong -d @DEV@ -g @GID@ -c -s 65537 -n 20
}

ok "VM 0 comes up" shm_up
ok "VM 1 answers" until_ok 120 at 1 true
ok "VM 0 takes the memory" put $SHM_DOM/shared_memory auto
ok "VM 1 takes the memory" at 1 take
works "at first"

ok "a VM that dies ends a connection" under kill 1
tap_line "# $(grep writes: /tmp/endless.log)"
ok "inside VM 0 all goes on" xpair 0 s00 0 s01 18515 \
	"ib_write_bw -F -s 65536 -n 100 -d @DEV@ -x @GID@"
ok "VM 0 sees nobody" until_ok 30 sees 0
ok "the VM begins anew" host start 1
ok "VM 1 answers" until_ok 120 at 1 true
ok "VM 1 takes the memory" at 1 take
works "after VM 1 has come again"

# Longer than it takes to be given up: the slot is another's, or nobody's.
ok "a VM that stands still ends a connection" under stop 1
sleep 8
ok "VM 0 sees nobody" until_ok 30 sees 0
ok "the VM goes on" host go 1
ok "VM 1 answers" until_ok 60 at 1 true
works "after VM 1 has stood still"

tap_line "# SHM_SEED=$SEED"
for what in records controls directory slots header all; do
	ok "scribbling: $what" host scribble $what "$SEED" 10
	ok "connections come and go meanwhile" churn 14
	tap_line "# $(cat /tmp/ok.log)"
	if [ $what != header ] && [ $what != all ]; then
		works "after the scribbling ($what)"
	fi
done

# Garbage in the header is for whoever joins.
ok "VM 0 lets go" put $SHM_DOM/shared_memory ""
ok "a memory that has something else in it is refused" \
	eval "! echo auto > $SHM_DOM/shared_memory"
ok "and the log says so" eval "dmesg | grep -q 'the memory of 0000:.* has something else in it'"
ok "VM 1 lets go" at 1 "echo > $SHM_DOM/shared_memory"
ok "the memory is cleared" host zero
ok "VM 0 takes it" put $SHM_DOM/shared_memory auto
ok "VM 1 takes it" at 1 take
works "after all"

# All slots belong to somebody who is alive; and then is not, and gives no notice.
ok "VM 0 lets go" put $SHM_DOM/shared_memory ""
ok "VM 1 lets go" at 1 "echo > $SHM_DOM/shared_memory"
ok "others take all slots" host scribble squat 0 20
sleep 1
echo auto | dd of=$SHM_DOM/shared_memory 2> /tmp/why
ok "there is no slot for VM 0" grep -q busy /tmp/why
ok "and the log says so" eval "dmesg | grep -q 'other VMs have all 8 slots'"
sleep 12
ok "VM 0 takes one of a VM that has died" put $SHM_DOM/shared_memory auto
ok "so does VM 1" at 1 take
works "in dead VMs' slots"

ok "VM 1 is told to end" at 1 "touch /tmp/end"
ok "VM 0 goes down and the module unloads" shm_down
tap_done
