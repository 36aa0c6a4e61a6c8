#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=400
#
# Connections by rdma_cm, between hosts and inside a domain, and multicast, with
# librdmacm's own programs. Each of them checks what it gets.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
modprobe rdma_ucm 2> /dev/null

for ends in "0 2" "3 1" "0 1"; do
	# shellcheck disable=SC2086
	set -- $ends
	to=$(addr_of $1) from=$(addr_of $2)
	ok "rping $2 to $1, data checked" two $1 $2 \
		rping -s -a $to -C 10 -V -- rping -c -a $to -C 10 -V
	ok "ucmatose $2 to $1, 20 connections" two $1 $2 \
		ucmatose -b $to -c 20 -C 5 -S 1000 -- \
		ucmatose -s $to -b $from -c 20 -C 5 -S 1000
	ok "udaddy $2 to $1" two $1 $2 \
		udaddy -b $to -c 5 -C 5 -S 1000 -- \
		udaddy -s $to -b $from -c 5 -C 5 -S 1000
done

ok "mckey: a group across hosts" two 0 2 \
	mckey -m 239.1.2.1 -b "$(addr_of 0)" -C 10 -- \
	mckey -m 239.1.2.1 -b "$(addr_of 2)" -s -C 10
ok "mckey: a group on one host" two 0 1 \
	mckey -m 239.1.2.1 -b "$(addr_of 0)" -C 10 -- \
	mckey -m 239.1.2.1 -b "$(addr_of 1)" -s -C 10
# rdma_cm itself has no RoCE v2 groups of IPv6 (ENOTSUPP in 6.1).

# Nobody listens: the answer is a refusal, not a timeout.
refused()
{
	on h1 timeout 10 rping -c -a "$(addr_of 0)" -C 1
	[ $? != 124 ]
}
ok "no listener: the client hears so" refused

lab_down
tap_done
