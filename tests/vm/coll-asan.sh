#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two-real.env mem=3072 timeout=3000
# files: build/asan/lib/libsuo-fi.so build/asan/tests/vm/coll_fi
#
# The provider's collectives and their test program under AddressSanitizer and
# UBSan, leaks included, on 4 ranks of two domains.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

export FI_PROVIDER_PATH=/lab
# What others leave behind is theirs.
printf 'leak:libpsm\nleak:libefa\nleak:libnl\nleak:libinfinipath\n' > /tmp/leaks
export LSAN_OPTIONS=suppressions=/tmp/leaks:print_suppressions=0
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=print_stacktrace=1

for what in short types die; do
	rm -f /tmp/fi.*
	pids=
	for r in 3 2 1 0; do
		nsenter --net="/run/netns/$(host_of $r)" timeout 900 /lab/coll_fi $r 4 suo$r \
			unix:/tmp/fi.meet $what > /tmp/fi.$r 2>&1 &
		pids="$pids $!"
	done
	rc=
	for pid in $pids; do
		wait "$pid"
		rc="$rc $?"
	done
	if [ $what = die ]; then
		is "$what: the others end by themselves" "$rc" " 137 0 0 0"
	else
		is "$what: exit status of all" "$rc" " 0 0 0 0"
	fi
	is "$what: nothing was reported" \
		"$(cat /tmp/fi.? | grep -cE 'Sanitizer|runtime error')" 0
	[ "$(cat /tmp/fi.? | grep -cE 'Sanitizer|runtime error')" = 0 ] ||
		cat /tmp/fi.? | head -n 100 | sed 's/^/# /' | tee -a "$RESULTS/tap"
done

lab_down
tap_done
