#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug cluster=tests/data/two-by-two.env mem=1024 timeout=900
# files: build/tests/vm/python.tar tests/vm/pyverbs_run.py tests/vm/pyverbs.inc
#
# rdma-core's own tests on the kernel that has KASAN, lockdep and kmemleak:
# whatever they say fails the run.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/pyverbs.inc
. /lab/pyverbs.inc

if ! ok "python and its tests are there" pv_prepare ||
   ! ok "suo is up" pv_suo_up; then
	tap_line "Bail out! nothing to test"
	exit 1
fi
sleep 2
for dev in suo0 suo1; do
	ok "the suite comes to its end on $dev" pv_run $dev 1
	passed=$(pv_count pass $PV_DIR/$dev.1)
	tap_line "# $passed pass"
	ok "more than 90 tests pass on $dev" [ "$passed" -gt 90 ]
	is "none fails on $dev" "$(pv_bad $PV_DIR/$dev.1)" ""
done
ok "the devices go" sh -c 'rdma link delete suo0 && rdma link delete suo1'
ok "the module goes" sh -c "rmdir $CONFIG/domains/d/members/suo1 \
	$CONFIG/domains/d && rmmod suo"
tap_done
