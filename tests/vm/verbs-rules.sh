#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env
# files: build/tests/vm/verbs_data build/tests/vm/verbs_objects build/tests/vm/verbs_rules
#
# What the verbs promise, by programs of our own that open both devices: every
# operation with its data and its completion, errors, flushes, events, resets.
# On each path, and from a device to itself.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

for where in "inside a domain:suo0 suo1" "between hosts:suo0 suo2" \
	     "to itself:suo3 suo3"; do
	devs=${where#*:}
	where=${where%:*}
	# shellcheck disable=SC2086
	merge "$where" /lab/verbs_data $devs
	# shellcheck disable=SC2086
	merge "$where" /lab/verbs_rules $devs
	# shellcheck disable=SC2086
	merge "$where" /lab/verbs_objects $devs
done

lab_down
tap_done
