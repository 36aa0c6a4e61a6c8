# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=dash
#
# Common to the guest side of the lab. To be sourced by a POSIX shell.

# shellcheck disable=SC2034 # used by those that source this
CONFIG=/sys/kernel/config/suo
# suo-switch, if the lab has it
SWITCH_SOCKET=/run/suo-switch.sock
SWITCH_PID=/run/suo-switch.pid
SWITCH_LOG=/tmp/suo-switch.log

lab_say()
{
	echo "lab: $*" >&2
}

lab_die()
{
	lab_say "Error: $*"
	exit 1
}

# put FILE VALUE: set a kernel attribute, or say which one would not have it.
put()
{
	echo "$2" > "$1" || lab_die "cannot write $2 to $1"
}

# on HOST COMMAND...: run in the namespace of a host of the cluster. "ip netns
# exec" mounts a sysfs of that namespace, which hides configfs: mount it again.
# on_exec does not come back: with "&" after it, $! is the command itself.
on_exec()
{
	_host=$1
	shift
	exec ip netns exec "$_host" /bin/sh -c \
		'mount -t configfs configfs /sys/kernel/config 2> /dev/null
		 exec "$@"' sh "$@"
}

on()
{
	(on_exec "$@")
}

# host_of RANK, addr_of RANK: where a rank lives (see contracts.rst).
host_of()
{
	echo "h$(($1 / SUO_ACCELS))"
}

addr_of()
{
	echo "10.0.$(($1 / SUO_ACCELS)).$(($1 % SUO_ACCELS + 1))"
}

# suo-switch ends, and is gone.
switch_stop()
{
	kill "$(cat $SWITCH_PID)" || return
	while kill -0 "$(cat $SWITCH_PID)" 2> /dev/null; do
		sleep 0.1
	done
}

# Hosts that this VM carries: all of them, or the one in SUO_LAB_HOST.
lab_hosts()
{
	if [ -n "${SUO_LAB_HOST:-}" ]; then
		echo "$SUO_LAB_HOST"
	else
		seq 0 $((SUO_HOSTS - 1))
	fi
}
