#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env mem=1024 timeout=1200
# files: build/tests/vm/libfabric-trixie.tar
#
# The provider, which was built on libfabric 1.17, in libfabric 2.x of a later Debian;
# between two of these, and between the two versions.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

ok "the later libfabric" tar -x -f /lab/libfabric-trixie.tar -C /
rm -f /lab/libfabric-trixie.tar
# Its programs do not run without its loader.
for name in fi_info fi_pingpong; do
	cat > "/tmp/$name.2" << END
#!/bin/sh
exec /suite/lib/ld-linux-x86-64.so.2 --library-path /suite/lib /suite/bin/$name "\$@"
END
	chmod +x "/tmp/$name.2"
done
FI_PROVIDER_PATH=$(echo /usr/lib/*-linux-gnu/libfabric)
export FI_PROVIDER_PATH FI_SUO_CONNECT_TRIES=4

/tmp/fi_info.2 --version > /tmp/version 2>&1
tap_line "# $(tr '\n' ' ' < /tmp/version)"
ok "it is 2.x" grep -q '^libfabric: 2\.' /tmp/version
on h0 /tmp/fi_info.2 -p suo -d suo0 > /tmp/info 2>&1
ok "fi_info offers suo0" grep -q 'domain: suo0$' /tmp/info
ok "it has reliable datagram endpoints" grep -q FI_EP_RDM /tmp/info

for where in "between hosts:0 $SUO_ACCELS" "inside a domain:1 0"; do
	# shellcheck disable=SC2086
	set -- ${where#*:}
	where=${where%:*}
	for mode in msg tagged; do
		PAIR_TIMEOUT=120 ok "fi_pingpong $where, $mode, data checked" \
			pair "$1" "$2" 47592 /tmp/fi_pingpong.2 -p suo -d @DEV@ -e rdm \
			-m $mode -c -I 2 -S all
	done
done

# Both versions speak the same to each other: the server, who is told no address,
# is the later one.
cat > /tmp/either << 'END'
#!/bin/sh
for last; do :; done
case $last in
10.0.*)	exec fi_pingpong "$@" ;;
*)	exec /tmp/fi_pingpong.2 "$@" ;;
esac
END
chmod +x /tmp/either
PAIR_TIMEOUT=120 ok "fi_pingpong of 1.17 with that of 2.x, data checked" \
	pair 0 "$SUO_ACCELS" 47592 /tmp/either -p suo -d @DEV@ -e rdm -c -I 2 -S all

lab_down
tap_done
