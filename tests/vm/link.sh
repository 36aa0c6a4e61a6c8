#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=580
# files: build/tests/vm/verbs_data
#
# The links of a domain: their parameters in configfs, and what credits and bit
# errors leave of the rate, against figures worked out by hand. Data is right
# whatever repairs the errors.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
dom=$CONFIG/domains/dom0

refused()
{
	! { echo "$2" > "$dom/$1"; } 2> /dev/null
}

# Each takes 0 and its most, and shows it; but neither one more nor a word.
while read -r file most; do
	was=$(cat "$dom/$file")
	put "$dom/$file" "$most"
	is "$file takes $most" "$(cat "$dom/$file")" "$most"
	put "$dom/$file" 0
	is "$file takes 0" "$(cat "$dom/$file")" 0
	ok "$file refuses more" refused "$file" "${most}0"
	ok "$file refuses -1" refused "$file" -1
	ok "$file refuses a word" refused "$file" much
	put "$dom/$file" "$was"
done << END
rate_mbps 100000000
endpoint_ps 1000000000000
stages 16
switch_ps 1000000000000
fec_ps 1000000000000
propagation_ps 1000000000000
max_payload_bytes 1073741824
header_bytes 65536
flit_bytes 65536
min_packet_bytes 65536
frame_bytes 4096
frame_payload_bytes 4096
buffer_bytes 67108864
credit_bytes 1073741824
credit_rtt_ps 1000000000
errors_per_pbit 100000000000
retry_ps 1000000000
seed 18446744073709551615
END
for word in llr gbn none; do
	put "$dom/retry" $word
	is "retry takes $word" "$(cat "$dom/retry")" $word
done
ok "retry refuses another word" refused retry harder
ok "retry refuses a number" refused retry 1

# 200 + 2 * 100 + 3 * (30 + 5) ns
put "$dom/endpoint_ps" 200000
put "$dom/stages" 2
put "$dom/switch_ps" 100000
put "$dom/fec_ps" 30000
put "$dom/propagation_ps" 5000
is "latency_ps is the sum of its parts" "$(cat "$dom/latency_ps")" 505000
put "$dom/latency_ps" 500000
is "latency_ps replaces its parts" "$(cd "$dom" && cat endpoint_ps stages \
	switch_ps fec_ps propagation_ps | tr '\n' ' ')" "500000 0 0 0 0 "

# rate: MiB/s of guest time that 1 MiB writes from suo0 to suo1 come to.
rate()
{
	PAIR_TIMEOUT=600 pair 1 0 18515 ib_write_bw -F -d @DEV@ -x @GID@ \
		-s 1048576 -n 200 > /tmp/rate || { cat /tmp/rate >&2; return 1; }
	awk '$1 == 1048576 { print $4 }' /tmp/rate
}

# near DESCRIPTION GOT WANT PERCENT
near()
{
	awk -v g="$2" -v w="$3" -v p="$4" \
		'BEGIN { exit !(g > w * (1 - p / 100) && g < w * (1 + p / 100)) }'
	tap_result $? "$1"
	tap_line "# got $2, want $3 within $4 %"
}

# 3600 Gb/s, 256 bytes in 272: 423.529 GB/s, a 1000th of it 403.91 MiB/s.
clean=$(rate)
near "a link without errors carries its rate" "$clean" 403.91 1

# A window of 64 KiB, 400 ns: 163.84 GB/s on the wire, 154.202 of it payload.
put "$dom/credit_bytes" 65536
put "$dom/credit_rtt_ps" 400000
near "credits hold a flow to its window" "$(rate)" 147.06 1
# In 145 ns the link sends 65250 bytes: the window is no limit.
put "$dom/credit_rtt_ps" 145000
near "credits that are back in time do not" "$(rate)" 403.91 1
put "$dom/credit_bytes" 0

# A packet of 2176 bits, 604.4 ps. At 1e-6 p = 0.00217363: llr leaves 1 - p; going
# back for 200 ns (1 - p) / (1 + 330.88 p) = 0.58040.
put "$dom/retry_ps" 200000
put "$dom/errors_per_pbit" 1000000000
put "$dom/retry" llr
near "llr at 1e-6" "$(rate)" 403.03 1
put "$dom/retry" gbn
near "gbn at 1e-6" "$(rate)" 234.43 5
# A tenth of it: (1 - p) / (1 + 330.88 p) with p = 0.000217576
put "$dom/errors_per_pbit" 100000000
near "gbn at 1e-7" "$(rate)" 376.72 2

# A hundredth of that, one packet in 460 000: llr leaves all but 2.2 millionths, gbn
# (1 - p) / (1 + 330.88 p) = 0.99928.
put "$dom/errors_per_pbit" 1000000
near "gbn at 1e-9" "$(rate)" 403.62 1
put "$dom/retry" llr
near "llr at 1e-9" "$(rate)" 403.91 1
for word in llr gbn; do
	put "$dom/retry" $word
	MERGE_TIMEOUT=20000 merge "$word at 1e-9" /lab/verbs_data -r suo0 suo1
done

# Nobody repeats but the transport, whole segments: 139264 bits, 38.684 ns. At 1e-8
# p = 0.00139167; going back costs a segment and a round trip, 1038.7 ns: (1 - p) /
# (1 + 26.851 p) = 0.96262.
put "$dom/retry" none
put "$dom/errors_per_pbit" 10000000
drops=$(counter 1 rx_drops)
seq=$(counter 1 out_of_sequence)
near "none at 1e-8: the transport repeats" "$(rate)" 388.81 3
ok "none: segments were lost" [ "$(counter 1 rx_drops)" -gt "$drops" ]
ok "none: and missed" [ "$(counter 1 out_of_sequence)" -gt "$seq" ]

# The data is right. At 1e-6 a segment in eight is lost where nobody repeats.
PAIR_TIMEOUT=20000 MERGE_TIMEOUT=20000
put "$dom/errors_per_pbit" 1000000000
for word in llr gbn none; do
	put "$dom/retry" $word
	drops=$(counter 1 rx_drops)
	merge "$word at 1e-6" /lab/verbs_data -r suo0 suo1
	new=$(($(counter 1 rx_drops) - drops))
	if [ $word = none ]; then
		ok "$word: segments were lost" [ $new -gt 0 ]
	else
		is "$word: nothing was lost" $new 0
	fi
done

# The same seed, the same errors; another seed, others. Ports begin anew when it
# changes.
put "$dom/retry" gbn
put "$dom/errors_per_pbit" 100000000
for seed in 5 6 5; do
	put "$dom/seed" $seed
	rate
done > /tmp/seeds
is "the same seed gives the same rate" "$(sed -n 3p /tmp/seeds)" \
	"$(sed -n 1p /tmp/seeds)"
ok "another seed gives another" [ "$(sed -n 2p /tmp/seeds)" != \
	"$(sed -n 1p /tmp/seeds)" ]
put "$dom/errors_per_pbit" 0
near "without errors all is as before" "$(rate)" "$clean" 0.1
lab_down
tap_done
