#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug cluster=tests/data/unpaced.env mem=1024 timeout=10000
# files: build/tests/vm/mutants build/tests/vm/mutants.bin tests/vm/mutants.inc
#
# Packets that somebody has changed (tests/mutants.py), to live queue pairs: each is
# counted as what it is, nothing breaks, and the device works afterwards. The peer
# is not there: what is said to it nobody answers.

# shellcheck disable=SC2034 # used by what is sourced
MUTANTS=/lab/mutants.bin
# shellcheck source=tests/vm/mutants.inc
. /lab/mutants.inc
