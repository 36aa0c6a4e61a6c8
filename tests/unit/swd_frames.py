#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Frames for swd_frame_test, made by scapy. A line each: what it is, then NAME=VALUE, then
the frame as it comes and as it goes, in hex; "-" where nothing goes.
"""
from scapy.all import (ARP, Dot1Q, Ether, IP, IPv6, LLC, Raw, TCP, UDP)

A, B = "02:53:55:00:00:01", "02:53:55:00:01:01"
ETH = Ether(src=A, dst=B)


def line(what, before, after=None, **fields):
    """Print one."""
    values = " ".join(f"{k}={v}" for k, v in fields.items())
    go = bytes(after).hex() if after is not None else "-"
    print(f"{what} {values} {bytes(before).hex()} {go}".replace("  ", " "))


def roce(ip, payload=b"x" * 100):
    """A RoCEv2 packet, as far as a switch looks."""
    chksum = {"chksum": 0} if isinstance(ip, IP) else {"chksum": 0x1234}
    return ip / UDP(sport=0xc123, dport=4791, **chksum) / Raw(payload)


def marks():
    """CE is set, and nothing else changes but the checksum."""
    for tos in (0x02, 0x01, 0x6a, 0x69, 0xbe):
        for ident in (0, 1, 0xffff, 0x4321):
            line("mark", ETH / roce(IP(tos=tos, id=ident)),
                 ETH / roce(IP(tos=tos | 3, id=ident)),
                 prio=tos >> 5, dscp=tos >> 2, ect=1, ce=0, udp=1)
        line("mark", ETH / roce(IPv6(tc=tos, fl=0xabcde)),
             ETH / roce(IPv6(tc=tos | 3, fl=0xabcde)),
             prio=tos >> 5, dscp=tos >> 2, ect=1, ce=0, udp=1)
        tag = Dot1Q(prio=5, vlan=77)
        line("mark", ETH / tag / roce(IP(tos=tos, options=b"\x01" * 4)),
             ETH / tag / roce(IP(tos=tos | 3, options=b"\x01" * 4)),
             prio=5, dscp=tos >> 2, ect=1, ce=0, udp=1)


def trims():
    """Cut to 128 bytes with FCS; DSCP becomes 48, priority 6."""
    def cut(frame, ip):
        left = 128 - 4 - len(frame / ip) - 8
        ip = ip.copy()
        if isinstance(ip, IP):
            ip.tos = 48 << 2 | (ip.tos & 3)
        else:
            ip.tc = 48 << 2 | (ip.tc & 3)
        return frame / ip / UDP(sport=0xc123, dport=4791, chksum=0) / Raw(b"x" * left)

    for ip in (IP(tos=0x6a, id=7), IPv6(tc=0x6a, fl=0x54321)):
        line("trim", ETH / roce(ip, b"x" * 1024), cut(ETH, ip), prio=3, dscp=26, ect=1,
             ce=0, udp=1)
        tag3, tag6 = Dot1Q(prio=3, vlan=9), Dot1Q(prio=6, vlan=9)
        line("trim", ETH / tag3 / roce(ip, b"x" * 1024), cut(ETH / tag6, ip), prio=3,
             dscp=26, ect=1, ce=0, udp=1)


def others():
    """What a switch takes, and what it does not."""
    line("ok", ETH / ARP(), prio=0, dscp=0, ect=0, ce=0, udp=0)
    line("ok", ETH / IP(tos=0x03) / TCP(), prio=0, dscp=0, ect=1, ce=1, udp=0)
    line("ok", ETH / IP(tos=0x68) / UDP(), prio=3, dscp=26, ect=0, ce=0, udp=1)
    line("ok", ETH / IP(tos=0x68, frag=100) / UDP(), prio=3, dscp=26, ect=0, ce=0, udp=0)
    line("ok", ETH / IP(tos=0x68, flags="MF") / UDP(), prio=3, dscp=26, ect=0, ce=0, udp=0)
    line("ok", ETH / Dot1Q(prio=2) / ARP(), prio=2, dscp=0, ect=0, ce=0, udp=0)
    line("ok", Ether(src=A, dst=B, type=0x88a8) / Dot1Q(prio=4) / Dot1Q(prio=1) /
         IP(tos=0x68) / UDP(), prio=4, dscp=26, ect=0, ce=0, udp=1)
    line("ok", Ether(src=A, dst=B, type=46) / Raw(b"y" * 46), prio=0, dscp=0, ect=0, ce=0,
         udp=0)
    line("ok", ETH / IP() / Raw(b"z" * 9080), prio=0, dscp=0, ect=0, ce=0, udp=0)
    line("oversize", ETH / IP() / Raw(b"z" * 9081))
    line("malformed", bytes(ETH / IP() / UDP())[:13])
    line("malformed", bytes(ETH / IP() / UDP())[:14 + 19])
    line("malformed", bytes(ETH / IP() / UDP())[:14 + 27])
    line("malformed", ETH / IP(version=5) / UDP())
    line("malformed", ETH / IP(ihl=4) / UDP())
    line("malformed", ETH / IP(len=19) / UDP())
    line("malformed", bytes(ETH / IPv6() / UDP())[:14 + 39])
    line("malformed", bytes(ETH / IPv6() / UDP())[:14 + 47])
    line("malformed", bytes(ETH / Dot1Q() / ARP())[:16])
    line("malformed", Ether(src="03:00:00:00:00:01", dst=B) / ARP())
    line("malformed", Ether(src=A, dst=B, type=100) / Raw(b"y" * 46))
    line("malformed", Ether(src=A, dst=B, type=0x8100) / Dot1Q(type=0x8100) /
         Dot1Q(type=0x8100) / Dot1Q() / ARP())
    line("filtered", Ether(src=A, dst="01:80:c2:00:00:0e", type=0x88cc) / Raw(b"lldp" * 12))
    line("filtered", Ether(src=A, dst="01:80:c2:00:00:00", type=38) / LLC() / Raw(b"s" * 43))
    line("filtered", Ether(src=A, dst="01:80:c2:00:00:01", type=0x8808) /
         Raw(b"\0\x01\xff\xff" + b"\0" * 42))


def pauses():
    """802.1Qbb: opcode 0101, enable vector, eight times."""
    frame = Ether(src=A, dst="01:80:c2:00:00:01", type=0x8808)
    for mask, quanta in ((0x08, 0xffff), (0x08, 0), (0x81, 0x1234), (0xff, 1)):
        times = b"".join((quanta if mask >> q & 1 else 0).to_bytes(2, "big")
                         for q in range(8))
        body = b"\x01\x01" + mask.to_bytes(2, "big") + times
        line("pause", frame / Raw(body + b"\0" * (46 - len(body))), mask=mask, quanta=quanta)
    line("malformed", frame / Raw(b"\x01\x01\0\x08" + b"\xff" * 15))


marks()
trims()
others()
pauses()
