#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env mem=1024 timeout=900
# files: build/tests/vm/python.tar tests/vm/pyverbs_run.py tests/vm/pyverbs.inc
#
# rdma-core's own tests: what passes on rdma_rxe passes on suo, on the wire and
# inside a domain, and nothing fails. They draw their parameters at random; each
# seed draws the same for all devices.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/pyverbs.inc
. /lab/pyverbs.inc

SEEDS="1 2"

rxe_up()
{
	modprobe crc32_generic
	modprobe rdma_rxe &&
	pv_netdev v0 10.9.0.1 &&
	rdma link add rxe0 type rxe netdev v0
}

if ! ok "python and its tests are there" pv_prepare ||
   ! ok "rdma_rxe and suo are there" rxe_up || ! ok "suo is up" pv_suo_up; then
	tap_line "Bail out! nothing to compare"
	exit 1
fi
# Both ends of a veth pair are up; the GIDs follow from a work queue.
sleep 2

for dev in rxe0 suo0 suo1; do
	for seed in $SEEDS; do
		ok "the suite comes to its end on $dev, seed $seed" \
			pv_run $dev "$seed"
		tap_line "# $(for s in pass fail error skip; do
			printf '%s: %s ' $s "$(pv_count $s $PV_DIR/$dev."$seed")"
		done)"
	done
done
# So that what follows cannot be true of nothing.
# shellcheck disable=SC2016
ok "rdma_rxe passes more than 90, 9 of rdma_cm among them" sh -c \
	'[ $(grep -c "^pass" '$PV_DIR'/rxe0.1) -gt 90 ] &&
	 [ $(grep -c "^pass	tests.test_rdmacm" '$PV_DIR'/rxe0.1) -ge 9 ]'

# verdicts DEVICE: for each test that passes on rxe, whether it does here with the
# same parameters: "ok|not ok TAB TEST TAB WHY".
verdicts()
{
	for seed in $SEEDS; do
		sed "s/^/rxe	$seed	/" "$PV_DIR/rxe0.$seed"
		sed "s/^/suo	$seed	/" "$PV_DIR/$1.$seed"
	done | awk -F '\t' '
		$1 == "rxe" && $3 == "pass" { want[$2, $4] = 1; name[$4] = 1 }
		$1 == "suo" { got[$2, $4] = $3; said[$2, $4] = $5 }
		END {
			for (k in want) {
				split(k, part, SUBSEP)
				if (got[k] != "pass")
					why[part[2]] = "seed " part[1] ": " \
						(k in got ? got[k] : "absent") \
						", " said[k]
			}
			for (n in name)
				print (n in why ? "not ok" : "ok") "\t" n \
					"\t" why[n]
		}' | sort -k 2
}

for dev in suo0 suo1; do
	[ $dev = suo0 ] && where="the wire" || where="a domain"
	verdicts $dev > /tmp/verdicts
	while IFS='	' read -r verdict test why; do
		[ "$verdict" = ok ]
		tap_result $? "on $where as on rxe: ${test#tests.}"
		[ -z "$why" ] || tap_line "# $why"
	done < /tmp/verdicts
	is "on $where no test fails" "$(pv_bad $PV_DIR/$dev.*)" ""
done

tap_line "# What rdma_rxe fails:"
pv_bad $PV_DIR/rxe0.* | while IFS= read -r line; do
	tap_line "#	$line"
done
tap_line "# What is skipped, on rdma_rxe and on suo; - where it is not:"
# A test can be skipped with one seed and not with another.
for dev in rxe0 suo0; do
	sed 's/^/'$dev'	/' $PV_DIR/$dev.*
done | awk -F '\t' '
	$2 == "skip" { names[$3] = 1; said[$1, $3] = $4 }
	END {
		for (n in names)
			printf "%s | %s | %s\n", substr(n, 7),
			       ("rxe0", n) in said ? said["rxe0", n] : "-",
			       ("suo0", n) in said ? said["suo0", n] : "-"
	}' | sort | while IFS= read -r line; do
	tap_line "#	$line"
done

ok "the devices go" sh -c \
	'rdma link delete suo0 && rdma link delete suo1 && rdma link delete rxe0'
ok "the module goes" sh -c "rmdir $CONFIG/domains/d/members/suo1 \
	$CONFIG/domains/d && rmmod suo"
tap_done
