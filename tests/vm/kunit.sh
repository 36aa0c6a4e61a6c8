#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug
# files: suo_test.ko
#
# The unit tests of the kernel module, in a kernel that watches itself. KUnit
# reports in the kernel log; each of its cases becomes a line of ours.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

ok "suo.ko loads" insmod "/lib/modules/$(uname -r)/suo.ko"
ok "suo_test.ko loads" insmod /lab/suo_test.ko
# Time stamps off; suites start in column 0, their cases are indented by four.
dmesg | sed 's/^\[[^]]*\] //' | grep -E '^ {4}(not )?ok [0-9]+' > /tmp/cases
while read -r word rest; do
	status=0
	if [ "$word" = not ]; then
		status=1
		rest=${rest#ok }
	fi
	rest=${rest#* }
	tap_result $status "KUnit: ${rest#- }"
done < /tmp/cases
ok "there are KUnit cases" test -s /tmp/cases
ok "suo_test.ko unloads" rmmod suo_test
ok "suo.ko unloads" rmmod suo
tap_done
