#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two-real.env mem=1024 timeout=3000
# files: build/tests/vm/mpi_check
# programs: ucx_info ucx_perftest ucx/libuct_ib.so.0
# programs: mpiexec.hydra hydra_pmi_proxy
#
# UCX over reliable connections, and MPICH over UCX: between hosts and inside a
# domain. Whoever waits polls, so time is not stretched here.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

# rc_verbs, with ud_verbs to connect by and for nothing else
export UCX_TLS=rc_v,self

on h0 env UCX_NET_DEVICES=suo0:1 ucx_info -d > /tmp/info 2>&1
ok "ucx_info offers rc_verbs over suo0" grep -A 1 'Transport: rc_verbs' /tmp/info

# sum_atomics RANK RANK: which end of a test answers is UCX's business.
sum_atomics()
{
	echo $(($(counter "$1" rx_atomic_requests) + $(counter "$2" rx_atomic_requests)))
}

for where in "between hosts:0 2" "inside a domain:1 0"; do
	ends=${where#*:}
	where=${where%:*}
	for test in tag_lat tag_bw ucp_am_lat ucp_am_bw ucp_put_lat ucp_put_bw ucp_get \
		    ucp_add ucp_fadd ucp_swap ucp_cswap stream_lat; do
		size=8
		[ "${test%bw}" = "$test" ] || size=65536
		# shellcheck disable=SC2086
		PAIR_TIMEOUT=60 ok "ucx_perftest -t $test $where" pair $ends 13337 \
			env UCX_NET_DEVICES=@DEV@:1 \
			ucx_perftest -t $test -s $size -n 100 -w 10
	done
	# The transport without what UCX can put in its place
	# shellcheck disable=SC2086
	atomics=$(sum_atomics $ends)
	for test in am_lat "am_bw -D zcopy" put_lat "put_bw -D zcopy" "get -D bcopy" \
		    add_mr fadd cswap; do
		# shellcheck disable=SC2086
		PAIR_TIMEOUT=60 ok "ucx_perftest -t $test -x rc_verbs $where" \
			pair $ends 13337 ucx_perftest -t $test -x rc_verbs \
			-d @DEV@:1 -s 8 -n 100 -w 10
	done
	# shellcheck disable=SC2086
	ok "atomic operations $where were the device's" test \
		$(($(sum_atomics $ends) - atomics)) -ge 300
done

# MPICH's launcher starts all ranks on one host; each then goes to its own, and
# NOLOCAL tells the library that they share no memory.
cat > /tmp/rank << 'END'
#!/bin/sh
. /lab/lib.sh
. /lab/cluster.env
export UCX_NET_DEVICES="suo$((PMI_RANK + FIRST_RANK)):1"
on_exec "$(host_of $((PMI_RANK + FIRST_RANK)))" "$@"
END
chmod +x /tmp/rank
hostname localhost
ip link set lo up
export MPIR_CVAR_NOLOCAL=1
# Four ranks poll on one processor; where the kernel is slow, too, softirqs get their
# turn after most of a second, and UCX's second is over before an answer is looked at.
export UCX_RC_TIMEOUT=8s

# mpi WHAT RANKS FIRST-RANK: the program's TAP lines become ours.
mpi()
{
	FIRST_RANK=$3 timeout 600 mpiexec.hydra -n "$2" \
		/tmp/rank /lab/mpi_check > /tmp/mpi 2>&1
	_rc=$?
	while read -r _ok _no _dash _what; do
		case $_ok in
		ok)	tap_result 0 "MPI, $1: $_what" ;;
		not)	tap_result 1 "MPI, $1: ${_what#- }" ;;
		*)	tap_line "# $_ok $_no $_dash $_what" ;;
		esac
	done < /tmp/mpi
	is "MPI, $1: exit status" $_rc 0
}

sent=$(counter 0 sent_pkts) su=$(counter 0 su_tx_bytes)
mpi "4 ranks on 2 hosts" 4 0
ok "it was the wire" test $(($(counter 0 sent_pkts) - sent)) -gt 1000
ok "and the domain" test $(($(counter 0 su_tx_bytes) - su)) -gt 1000000
mpi "2 ranks of a domain" 2 0
mpi "a rank of each host" 2 1
lab_down
tap_done
