#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/faults.yaml mem=2048 timeout=3400
# files: build/bin/suo tests/vm/coll.inc tests/vm/switch.inc
#
# An AllReduce of eight ranks over suo-switch, with one thing wrong: the result is right,
# or all ranks say that there is none, and suo diagnose names what it was. And with
# nothing wrong, of which it says nothing. Leaves faults.txt.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/switch.inc
. /lab/switch.inc
# shellcheck source=tests/vm/coll.inc
. /lab/coll.inc
lab_up
RUN=/tmp/run
PERF_TIMEOUT=100000
# 1 ms, and seven times that until a queue pair gives up
export FI_SUO_QP_TIMEOUT=8
NAMED=0
CASES=0
SEED=1

# again INTERVAL SED-SCRIPT FAULT...: suo-switch, which has ended, once more, with the
# cluster file changed so, and these faults
cp /lab/cluster.yaml /tmp/first.yaml
again()
{
	_interval=$1
	sed "$2" /tmp/first.yaml > /lab/cluster.yaml
	shift 2
	printf '%s\n' "$@" > /tmp/faults
	rm -rf $RUN
	mkdir $RUN
	rdma -j statistic show > $RUN/devices-first.json
	switch_up --seed $SEED --series "$RUN/series.csv:$_interval" --fault-script /tmp/faults
}

# allreduce: right, or an error of all
allreduce()
{
	RESULT=right
	ranks 0 8 1 allreduce -b 1M -e 1M -n 6 -w 1 --algorithm "$ALGORITHM" > /tmp/ranks 2>&1 &&
		grep -q '^# Out of bounds values : 0 OK' /tmp/perf.0 && return
	RESULT="an error"
	[ "$(grep -l 'suo-perf: Error' /tmp/perf.[0-7] | wc -l)" = 8 ] && return
	cat /tmp/ranks
	return 1
}

# diagnose: suo-switch ends; sets FAULT and WHERE, what is named first
diagnose()
{
	rdma -j statistic show > $RUN/devices.json
	switch_down || return
	/lab/suo diagnose $RUN > /tmp/diagnosis 2>&1 || return
	sed 's/^/#   /' /tmp/diagnosis | tee -a "$RESULTS/faults.txt"
	# shellcheck disable=SC2046 # words are what they are
	set -- $(sed -n 's/^1\. \([a-z-]*\) ([0-9.]*) \([^ ]*\): .*/\1 \2/p' /tmp/diagnosis)
	FAULT=${1:-nothing} WHERE=${2:-nowhere}
}

# run NAME INTERVAL SED-SCRIPT FAULT...
ALGORITHM=ring
run()
{
	_name=$1
	shift
	tap_line "# $_name"
	echo "# $_name" >> "$RESULTS/faults.txt"
	ok "$_name: the switches" again "$@"
	ok "$_name: an AllReduce" allreduce
	FAULT='' WHERE=''
	diagnose || tap_line "# $(cat /tmp/diagnosis)"
	tap_line "# $RESULT; $FAULT at $WHERE"
}

# wrong NAME WANT-FAULT WANT-WHERE INTERVAL SED-SCRIPT FAULT...
wrong()
{
	_want=$2 _at=$3 _case=$1
	shift 3
	run "$_case" "$@"
	CASES=$((CASES + 1))
	case "$FAULT $WHERE" in
	"$_want "*"$_at"*) NAMED=$((NAMED + 1)) ;;
	*) tap_line "# wanted $_want at $_at" ;;
	esac
}

ok "suo-switch ends" switch_down

# What the ring's one flow from leaf to leaf goes by
for seed in 2 3 4 5 1; do
	SEED=$seed
	run "nothing, seed $seed" 20us ''
	is "nothing, seed $seed: nothing is named" "$FAULT" nothing
done
UP=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i }
	$2 == "leaf0" && $col["port"] ~ /Ethernet[4-7]/ && $col["tx_bytes"] > most {
		most = $col["tx_bytes"]
		port = $col["port"]
	}
	END { print port }' $RUN/series.csv)
tap_line "# from leaf 0 up by $UP"

# All of a link of the ring goes by a NIC; by a link between switches what hashes say
wrong "random loss" link-loss h4:nic0 20us '' "link=h4:nic0 loss=1%"
wrong "periodic loss" link-loss-periodic h4:nic0 20us '' "link=h4:nic0 loss_every=90"
wrong "loss in bursts" link-loss-bursts h4:nic0 20us '' "link=h4:nic0 loss=1% burst=6"
wrong "corruption" link-corrupts h4:nic0 20us '' "link=h4:nic0 corrupt=1%"
wrong "reordering" reordering '' 20us '' "link=h4:nic0 reorder=2% by=3us"
wrong "duplicates" link-duplicates leaf0:$UP 20us '' "link=leaf0:$UP duplicate=2%"
wrong "a late link" link-delay leaf0:$UP 1us '' "link=leaf0:$UP delay=8us"
wrong "a link that flaps" link-flaps h3:nic0 20us '' "link=h3:nic0 flap=1ms down=100us"
wrong "a slow port" slow-port leaf0:$UP 20us '' "link=leaf0:$UP slow=25"
wrong "a slow receiver" slow-receiver h5:nic0 20us '' \
	"link=h5:nic0 pause=40% period=20us prio=3"
wrong "a pause storm" pause-storm h5:nic0 20us '' "link=h5:nic0 storm prio=3 to=3ms"
wrong "a dead port" link-down h6:nic0 1ms '' "link=h6:nic0 dead from=100us"
ok "what is named first is what is wrong: $NAMED of $CASES" test $((NAMED * 10)) -ge $((CASES * 9))
ok "suo-switch is started again" switch_up
lab_down
tap_done
