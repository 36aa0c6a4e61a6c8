#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run a VM test once more: the clock counts instructions, so a file that it leaves is
# to be what it was the first time, to the byte. Prints TAP.
#
# Usage: twice.sh TEST.sh OUT-DIR FILE	OUT-DIR: of the first run

. "$(dirname "$0")/../qemu/lib.sh"
. "$SUO_TOP/tests/tap.sh"
[ $# = 3 ] || { echo "Usage: twice.sh TEST.sh OUT-DIR FILE" >&2; exit 2; }

status=0
said=$("$SUO_TOP/tests/run-vm.sh" "$1" "$2-again" 2>&1) || status=$?
result_said $status "it passes again" "$said"
status=0
said=$(cmp "$2/$3" "$2-again/$3" 2>&1) || status=$?
result_said $status "$3 is the same as the first time" "$said"
tap_done
