#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two-real.env mem=3072 timeout=3000
# files: build/tests/vm/fabric_many
#
# Hundreds of peers that connect to one endpoint of the provider in one moment.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

COUNT=300
# Small endpoints, for there are many; and patience.
export FI_SUO_RX_BUFFERS=16 FI_SUO_EAGER_SIZE=256 FI_SUO_CONNECT_MS=200
export FI_SUO_CONNECT_TRIES=12

for where in "between hosts:0 $SUO_ACCELS" "inside a domain:1 0"; do
	# shellcheck disable=SC2086
	set -- ${where#*:}
	where=${where%:*}
	rm -f /tmp/many.meet
	on "$(host_of "$2")" /lab/fabric_many 1 suo"$2" unix:/tmp/many.meet $COUNT \
		> /tmp/many.1 2>&1 &
	pid=$!
	on "$(host_of "$1")" /lab/fabric_many 0 suo"$1" unix:/tmp/many.meet $COUNT \
		> /tmp/many.0 2>&1
	rc=$?
	wait $pid || rc=$?
	is "$COUNT peers connect at once, $where" $rc 0
	sed 's/^[^#]/# &/' /tmp/many.0 | tee -a "$RESULTS/tap"
	[ $rc = 0 ] || sed 's/^/# /' /tmp/many.1 | tee -a "$RESULTS/tap"
done

lab_down
tap_done
