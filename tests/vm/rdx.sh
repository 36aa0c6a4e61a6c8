#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/unpaced.env mem=1024 timeout=10000
# files: tests/vm/rdx.inc
#
# Load the module, add devices, run traffic, unload it in the midst of that, and
# again. What the traffic is, how far it has come, and how it ends are drawn from a
# seed. Each time the module has to go within five seconds, and the programs after
# it: those that wait for events by themselves, those that poll when they are told.

# shellcheck disable=SC2034 # used by what is sourced
ROUNDS=160 ROUNDS_SEED=1
# shellcheck source=tests/vm/rdx.inc
. /lab/rdx.inc
