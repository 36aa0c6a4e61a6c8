#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/unpaced.env mem=1024 timeout=600
# files: build/tests/vm/mutants build/tests/vm/mutants-short.bin tests/vm/mutants.inc
#
# As mutants.sh, with fewer of them, on the kernel that most have.

# shellcheck disable=SC2034 # used by what is sourced
MUTANTS=/lab/mutants-short.bin
# shellcheck source=tests/vm/mutants.inc
. /lab/mutants.inc
