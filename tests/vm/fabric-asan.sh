#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two-real.env mem=2048 timeout=3000
# files: build/asan/lib/libsuo-fi.so build/asan/tests/vm/fabric_data
# files: build/asan/tests/vm/fabric_atomic build/asan/tests/vm/fabric_ops
#
# The libfabric provider and its test programs under AddressSanitizer and UBSan,
# leaks included, on both paths.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

export FI_PROVIDER_PATH=/lab FI_SUO_CONNECT_MS=500 FI_SUO_CONNECT_TRIES=4
# What others leave behind is theirs.
printf 'leak:libpsm\nleak:libefa\nleak:libnl\nleak:libinfinipath\n' > /tmp/leaks
export LSAN_OPTIONS=suppressions=/tmp/leaks:print_suppressions=0
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=print_stacktrace=1

for where in "between hosts:0 2" "inside a domain:1 0"; do
	# shellcheck disable=SC2086
	set -- ${where#*:}
	where=${where%:*}
	for program in fabric_data fabric_atomic fabric_ops; do
		rm -f /tmp/ends.meet
		on "$(host_of "$2")" timeout 900 /lab/$program 1 suo"$2" \
			unix:/tmp/ends.meet > /tmp/ends.1 2>&1 &
		pid=$!
		on "$(host_of "$1")" timeout 900 /lab/$program 0 suo"$1" \
			unix:/tmp/ends.meet > /tmp/ends.0 2>&1
		rc=$?
		wait $pid
		rc2=$?
		is "$program $where: exit status of both" "$rc $rc2" "0 0"
		is "$program $where: nothing was reported" \
			"$(cat /tmp/ends.? | grep -cE 'Sanitizer|runtime error')" 0
		[ "$rc $rc2" = "0 0" ] ||
			cat /tmp/ends.0 /tmp/ends.1 | head -n 60 | sed 's/^/# /' |
			tee -a "$RESULTS/tap"
	done
done

lab_down
tap_done
