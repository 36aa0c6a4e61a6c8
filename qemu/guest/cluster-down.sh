#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Take down what cluster-up.sh has brought up, in reverse.
#
# Usage: cluster-down.sh ENV-FILE

# shellcheck source=qemu/guest/lib.sh
. /lab/lib.sh
[ -r "$1" ] || lab_die "usage: cluster-down.sh ENV-FILE"
# shellcheck source=tests/data/two-by-two.env
. "$1"

type=${SUO_LAB_DEV_TYPE:-suo}
status=0

failed()
{
	lab_say "Error: $*"
	status=1
}

for h in $(lab_hosts); do
	a=0
	while [ $a -lt "$SUO_ACCELS" ]; do
		dev=suo$((h * SUO_ACCELS + a))
		rdma link delete $dev || failed "cannot delete device $dev"
		if [ "$type" = suo ]; then
			rmdir "$CONFIG/domains/dom$h/members/$dev" \
				"$CONFIG/nics/$dev" || failed "cannot forget $dev"
		fi
		a=$((a + 1))
	done
	[ "$type" != suo ] || rmdir "$CONFIG/domains/dom$h" ||
		failed "cannot remove domain dom$h"
done
if [ "$type" = suo ]; then
	rmmod suo || failed "cannot unload suo"
fi
if [ "${SUO_LAB_FABRIC:-bridge}" = switch ]; then
	switch_stop || failed "suo-switch has ended before"
	rm -f $SWITCH_PID
fi
for h in $(lab_hosts); do
	ip netns delete "h$h" || failed "cannot delete host $h"
done
ip netns delete fabric || failed "cannot delete the fabric"
exit $status
