#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/unpaced.env mem=1024 timeout=600
# files: tests/vm/rounds.inc
#
# As rounds.sh, but few rounds, on the kernel that most have.

# shellcheck disable=SC2034 # used by what is sourced
ROUNDS=5 ROUNDS_SEED=1
# shellcheck source=tests/vm/rounds.inc
. /lab/rounds.inc
