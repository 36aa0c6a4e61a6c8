#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Judge captures of RoCEv2 traffic by implementations that are not ours.

tshark must find nothing malformed and raise no expert error; every ICRC must be
what scapy computes (IPv4) and what the rule of the InfiniBand specification's
annex A17 gives (IPv4 and IPv6).

Usage: judge_pcap.py [--opcode NAME]... [--none] FILE.pcap...

--opcode: a packet of this kind must be in one of the files (a name in scapy's
manner, "RC_SEND_ONLY"). --none: the files must hold no RoCEv2 packet at all.
Prints TAP, a line a check. Exit status 0: all right, 1: not, 2: usage.
"""
import argparse
import collections
import struct
import subprocess
import sys
import zlib

from scapy.contrib import roce
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapReader

ROCE_PORT = 4791
# The ICRC starts with eight bytes of ones in place of a local route header.
LRH = b"\xff" * 8
EXPERT_ERROR = 8388608
# Dissectors that guess at the payload. Ours is test data, which by chance looks
# like a broken packet of any of them.
GUESSES = ("eth_over_ib", "mellanox_eoib", "iser_infiniband", "lnet_ib",
           "fc_infiniband", "rpcrdma_infiniband", "smb_direct_infiniband",
           "smcr_infiniband", "nvme_rdma")


def icrc_a17(packet):
    """The ICRC of an IP packet (bytes), its last four bytes left out.

    Fields that a switch or router may change count as ones.
    """
    head = bytearray(packet[:-4])
    if head[0] >> 4 == 4:
        l4 = (head[0] & 15) * 4
        head[1] = 0xFF				# DSCP, ECN
        head[8] = 0xFF				# time to live
        head[10:12] = b"\xff\xff"		# header checksum
    else:
        l4 = 40
        head[0] |= 0x0F				# traffic class, flow label
        head[1:4] = b"\xff\xff\xff"
        head[7] = 0xFF				# hop limit
    head[l4 + 6:l4 + 8] = b"\xff\xff"		# UDP checksum
    head[l4 + 8 + 4] = 0xFF			# BTH: FECN, BECN, reserved
    return struct.pack("<I", zlib.crc32(LRH + bytes(head)))


class Verdict:
    """What is wrong with the packets of some files, and what they were."""

    def __init__(self):
        self.opcodes = collections.Counter()
        self.bad = []

    def judge(self, name, number, frame):
        packet = Ether(frame)
        if UDP not in packet or packet[UDP].dport != ROCE_PORT:
            return
        where = "%s: packet %d" % (name, number)
        if roce.BTH not in packet:
            self.bad.append("%s: no BTH" % where)
            return
        bth = packet[roce.BTH]
        self.opcodes[roce._bth_opcodes.get(bth.opcode, hex(bth.opcode))] += 1
        wire = struct.pack("!I", bth.icrc)
        # Behind the addresses, the type, and VLAN tags if there are any
        l3 = len(packet) - len(packet[IP if IP in packet else IPv6])
        if IP in packet:
            ip = packet[IP]
            data = frame[l3:l3 + ip.len]
            scapy_icrc = bth.compute_icrc(b"")
            if wire != scapy_icrc:
                self.bad.append("%s: ICRC %s, scapy says %s" %
                                (where, wire.hex(), scapy_icrc.hex()))
        else:
            ip = packet[IPv6]
            data = frame[l3:l3 + 40 + ip.plen]
        if data[-4:] != icrc_a17(data):
            self.bad.append("%s: ICRC %s, annex A17 says %s" %
                            (where, data[-4:].hex(), icrc_a17(data).hex()))
        udp_len = packet[UDP].len
        if udp_len % 4:
            self.bad.append("%s: length %d is not padded to 4" % (where, udp_len))

    def read(self, name):
        number = 0
        for frame, _ in RawPcapReader(name):
            number += 1
            self.judge(name, number, frame)


def tshark_run(name, *args):
    """Run tshark over a file."""
    return subprocess.run(
        # Annex A17: no UDP checksum, over IPv6 either
        ["tshark", "-n", "-r", name, "-o", "udp.ignore_ipv6_zero_checksum:TRUE",
         *(arg for guess in GUESSES for arg in ("--disable-heuristic", guess)),
         *args],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, check=False)


def tshark_stat(name, display_filters):
    """The table of how many frames each filter shows, by lines."""
    run = tshark_run(name, "-q", "-z", "io,stat,0," + ",".join(display_filters))
    return run.stdout.splitlines()


def tshark(name, display_filter, *fields):
    """The fields of the frames that a filter shows, and how tshark ended."""
    run = tshark_run(name, "-Y", display_filter, "-T", "fields",
                     *(arg for field in fields for arg in ("-e", field)))
    why = []
    if run.returncode:
        why.append("tshark: exit status %d: %s" %
                   (run.returncode, run.stderr.strip()))
    return run.stdout.splitlines(), why


def tshark_complaints(name):
    """Frames that tshark calls malformed or flags with an expert error."""
    found, why = tshark(
        name,
        "_ws.malformed || _ws.short || _ws.expert.severity >= %d" % EXPERT_ERROR,
        "frame.number", "_ws.expert.message")
    return found + why


class Tap:
    """Test Anything Protocol, the part of it that we need."""

    def __init__(self):
        self.run = 0
        self.failed = 0

    def ok(self, good, what, why=()):
        self.run += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.run, what))
        if not good:
            for line in list(why)[:20]:
                print("# %s" % (line,))

    def done(self):
        print("1..%d" % self.run)
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--opcode", action="append", default=[])
    parser.add_argument("--none", action="store_true")
    parser.add_argument("file", nargs="+")
    args = parser.parse_args()

    tap = Tap()
    verdict = Verdict()
    for name in args.file:
        complaints = tshark_complaints(name)
        tap.ok(not complaints, "tshark has nothing against %s" % name, complaints)
        try:
            verdict.read(name)
        except Exception as err:  # a file that cannot be read is a failure
            verdict.bad.append("%s: %s" % (name, err))
    total = sum(verdict.opcodes.values())
    tap.ok(not verdict.bad, "every ICRC of %d packets is right" % total, verdict.bad)
    if args.none:
        tap.ok(not total, "no RoCEv2 packet", sorted(verdict.opcodes.items()))
    else:
        tap.ok(total > 0, "there are RoCEv2 packets")
    for opcode in args.opcode:
        tap.ok(verdict.opcodes[opcode] > 0, "the capture has %s" % opcode,
               ["%s: %d" % item for item in sorted(verdict.opcodes.items())])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
