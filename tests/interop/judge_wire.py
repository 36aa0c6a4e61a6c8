#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Judge the captures that a test in a VM has left, by what it wrote beside them.

For each NAME.judge in a directory, NAME.pcap must be in order as judge_pcap.py has
it, and as each line of NAME.judge says, in tshark's display filters:

    some FILTER			there is such a packet
    none FILTER			there is none
    all FILTER			so is every RoCEv2 packet, and there are some
    all FILTER if FILTER	the same for those of a kind only
    distinct N FIELD if FILTER	a field has N values in these packets

Usage: judge_wire.py DIRECTORY
Prints TAP. Exit status 0: all right, 1: not, 2: usage.
"""
import pathlib
import sys

from judge_pcap import (ROCE_PORT, Tap, Verdict, tshark, tshark_complaints,
                        tshark_stat)

ROCE = "udp.dstport == %d" % ROCE_PORT


# tshark counts what so many filters show in one pass.
AT_ONCE = 24


def parse(line):
    """A line's kind, what it says, and of which packets."""
    kind, _, rest = line.partition(" ")
    what, _, given = rest.partition(" if ")
    if kind == "all":
        given = "%s && (%s)" % (ROCE, given) if given else ROCE
    return kind, what, given


def filters(line):
    """What has to be counted for a line: packets that must be, and must not."""
    kind, what, given = parse(line)
    if kind == "all":
        return given, "(%s) && !(%s)" % (given, what)
    if kind == "some":
        return what, None
    if kind == "none":
        return None, what
    return None, None


def count(name, wanted):
    """How many packets each filter shows."""
    counts = {}
    for at in range(0, len(wanted), AT_ONCE):
        part = wanted[at:at + AT_ONCE]
        rows = [row for row in tshark_stat(name, part) if "<>" in row]
        cells = [int(cell) for cell in rows[-1].split("|")[2:]
                 if cell.strip()] if rows else []
        # Frames and bytes, in turn
        counts.update(zip(part, cells[::2]))
    return counts


def judge_line(name, line, counts):
    """What is wrong with a capture, by one line of its judgment."""
    kind, what, given = parse(line)
    if kind == "distinct":
        want, field = what.split()
        found, why = tshark(name, given, field)
        values = sorted(set(found))
        if len(values) != int(want):
            why.append("%d values: %s" % (len(values), " ".join(values)))
        return why
    good, bad = filters(line)
    if not good and not bad:
        return ["what is '%s'?" % kind]
    why = []
    if good and not counts.get(good):
        why.append("there is no such packet")
    if bad and counts.get(bad) != 0:
        found, more = tshark(name, bad, "frame.number", "_ws.col.Info")
        why += found + more + ["packets of the wrong kind: %s" % counts.get(bad)]
    return why


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    tap = Tap()
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.judge")):
        name = str(path.with_suffix(".pcap"))
        complaints = tshark_complaints(name)
        tap.ok(not complaints, "%s: tshark has nothing against it" % path.stem,
               complaints)
        verdict = Verdict()
        try:
            verdict.read(name)
        except Exception as err:  # a file that cannot be read is a failure
            verdict.bad.append("%s: %s" % (name, err))
        tap.ok(not verdict.bad, "%s: every ICRC of %d packets is right" %
               (path.stem, sum(verdict.opcodes.values())), verdict.bad)
        lines = path.read_text().splitlines()
        counts = count(name, [expr for line in lines for expr in filters(line)
                              if expr])
        for line in lines:
            why = judge_line(name, line, counts)
            tap.ok(not why, "%s: %s" % (path.stem, line), why)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
