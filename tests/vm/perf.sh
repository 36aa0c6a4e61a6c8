#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=1024
#
# Run suo-perf on the cluster and leave its figures: for tests/bandwidth.sh.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
ok "allreduce" /lab/demo.sh $ENV
lab_down
tap_done
