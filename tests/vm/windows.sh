#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-eight.env mem=768 timeout=600
# files: build/tests/vm/windows_data build/tests/vm/windows_rules build/tests/vm/windows_time
#
# Windows of a domain of eight members.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
merge "rules" /lab/windows_rules "$CONFIG/domains/dom0"
merge "data" /lab/windows_data
ok "a reduction takes 80 ns" sh -c "echo 80000 > $CONFIG/domains/dom0/reduce_ps"
merge "time" /lab/windows_time "$SUO_TIME_SCALE" "$SUO_UP_RATE_MBPS" \
	"$SUO_UP_LATENCY_PS" 80000
lab_down
tap_done
