#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/nvl72.env mem=1536 timeout=1500
# files: build/tests/vm/verbs_traffic
#
# A domain of 72 members: how long it takes to make, and all of them to all others.
# Leaves many.txt, which has to be the same each time.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

now()
{
	awk '{ print int($1 * 100 + 0.5) }' /proc/uptime
}

begin=$(now)
lab_up
took=$(($(now) - begin))
tap_line "# $SUO_ACCELS members in $took hundredths of a second"
ok "made within 10 s" test $took -lt 1000
is "members" "$(find $CONFIG/domains/dom0/members/* -type d | wc -l)" 72
all_to_all()
{
	on h0 /lab/verbs_traffic -d 72 all 64 4096 > "$RESULTS/many.txt"
}
ok "all to all, 5112 flows" all_to_all
while read -r line; do
	tap_line "# $line"
done < "$RESULTS/many.txt"
lab_down
tap_done
