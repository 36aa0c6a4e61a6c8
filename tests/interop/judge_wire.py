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

from judge_pcap import ROCE_PORT, Tap, Verdict, tshark, tshark_complaints

ROCE = "udp.dstport == %d" % ROCE_PORT


def judge_line(name, line):
    """What is wrong with a capture, by one line of its judgment."""
    kind, _, rest = line.partition(" ")
    what, _, given = rest.partition(" if ")
    if kind == "distinct":
        want, field = what.split()
        found, why = tshark(name, given, field)
        values = sorted(set(found))
        if len(values) != int(want):
            why.append("%d values: %s" % (len(values), " ".join(values)))
        return why
    if kind == "all":
        given = "%s && (%s)" % (ROCE, given) if given else ROCE
        seen, why = tshark(name, given, "frame.number")
        bad, more = tshark(name, "%s && !(%s)" % (given, what), "frame.number",
                           "_ws.col.Info")
        if not seen:
            bad.append("there are no such packets")
        return why + more + bad
    found, why = tshark(name, rest, "frame.number", "_ws.col.Info")
    if kind == "none":
        return why + found
    if kind != "some":
        return ["what is '%s'?" % kind]
    return why if found else why + ["there is no such packet"]


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
        for line in path.read_text().splitlines():
            why = judge_line(name, line)
            tap.ok(not why, "%s: %s" % (path.stem, line), why)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
