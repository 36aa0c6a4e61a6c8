#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run the demo twice: the CSV files must be the same to the byte, hold what
# README promises, and agree with the model.
#
# Usage: demo.sh OUT-DIR

# Conditions on columns are for awk.
# shellcheck disable=SC2016

. "$(dirname "$0")/../qemu/lib.sh"
. "$SUO_TOP/tests/tap.sh"
[ $# = 1 ] || { echo "Usage: demo.sh OUT-DIR" >&2; exit 2; }
out=$1

# ok DESCRIPTION COMMAND...
ok()
{
	local what=$1 said status=0

	shift
	said=$("$@" 2>&1) || status=1
	result_said $status "$what" "$said"
}

# Every line must satisfy an awk condition on its columns.
every()
{
	awk -F, -v min="${3:-0}" "NR > 1 && \$1 >= min && !($2) { print; bad = 1 }
		END { exit bad || NR < 2 }" "$1"
}

for n in 1 2; do
	ok "make demo, run $n" make -s -C "$SUO_TOP" --no-print-directory \
		demo-run DEMO_DIR="$(realpath -m "$out/$n")"
done
csv=$out/1/allreduce.csv
header=size_bytes,ranks,algorithm,time_us,algbw_GBps,busbw_GBps,wrong,predicted_us,deviation_pct
ok "allreduce.csv has the header" test "$(head -n 1 "$csv")" = "$header"
ok "it has 13 sizes, 1 KiB to 4 MiB" test "$(tail -n +2 "$csv" | cut -d , -f 1 |
	tr '\n' ' ')" = "1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 "
ok "eight ranks" every "$csv" '$2 == 8'
ok "no element is wrong" every "$csv" '$7 == 0'
# busbw is algbw * 2 (n - 1) / n, algbw is size / time (nccl-tests); both and the
# time are rounded to three decimals.
ok "algbw is size / time" every "$csv" \
	'($5 - $1 / $4 / 1000) ^ 2 < (0.001 + $5 * 0.001 / $4) ^ 2'
ok "busbw is algbw * 14 / 8" every "$csv" \
	'($6 - $1 / $4 / 1000 * 1.75) ^ 2 < (0.001 + $6 * 0.001 / $4) ^ 2'
ok "from 1 MiB on, measured and predicted are within 10 %" \
	every "$csv" '$9 <= 10 && $9 >= -10' 1048576
ok "the two runs' allreduce.csv are the same" cmp "$csv" "$out/2/allreduce.csv"
ok "and the raw figures too" \
	cmp "$out/1/allreduce.raw.csv" "$out/2/allreduce.raw.csv"
ok "there is a plot" grep -q '<svg' "$out/1/report.svg"
tap_done
