#!/usr/bin/env python3
"""A strict reader of Kanata 0004, written from the format's public description alone.

strict.py FILE              prints counts as NAME=VALUE lines; fails with a sentence at the first line
                            that breaks a rule
strict.py FILE RESULT.json  also compares with the result of the run whose window is the whole run
"""
import json
import re
import sys


class Broken(Exception):
    pass


def number(text):
    if not re.fullmatch(r"0|[1-9][0-9]*", text):
        raise Broken(f"{text!r} is no number")
    return int(text)


class Insn:
    def __init__(self, opened):
        self.opened = opened
        self.label = ""
        self.stages = []  # lane, name, begin, end
        self.open = {}
        self.end = None
        self.retired = None
        self.producers = []


def read(path):
    insns, now, last_retired = [], None, -1
    lines = open(path, encoding="ascii").read().split("\n")
    if lines.pop() != "":
        raise Broken("the last line has no end")
    if not lines or lines[0] != "Kanata\t0004":
        raise Broken("the first line is not Kanata 0004")
    for at, line in enumerate(lines[1:], 2):
        f = line.split("\t")
        try:
            def alive(word):
                insn = insns[number(word)]
                if insn.end is not None:
                    raise Broken("it has ended")
                return insn

            def expect(count):
                if len(f) != count:
                    raise Broken(f"{count} fields are expected")

            if f[0] == "C=":
                expect(2)
                if now is not None or at != 2:
                    raise Broken("C= must be the second line")
                now = number(f[1])
            elif now is None:
                raise Broken("C= is missing")
            elif f[0] == "C":
                expect(2)
                if number(f[1]) < 1:
                    raise Broken("time must advance")
                now += number(f[1])
            elif f[0] == "I":
                expect(4)
                if number(f[1]) != len(insns):
                    raise Broken("numbers must count up")
                number(f[2]), number(f[3])
                insns.append(Insn(now))
            elif f[0] == "L":
                expect(4)
                if f[2] not in ("0", "1"):
                    raise Broken("type of text")
                if f[2] == "0":
                    alive(f[1]).label += f[3]
            elif f[0] in ("S", "E"):
                expect(4)
                insn = alive(f[1])
                if f[2] not in ("0", "1") or not f[3]:
                    raise Broken("lane or stage")
                if f[0] == "S":
                    if f[2] in insn.open:
                        raise Broken("a stage begins before the one before has ended")
                    insn.open[f[2]] = (f[3], now)
                else:
                    name, begin = insn.open.pop(f[2])
                    if name != f[3] or begin >= now:
                        raise Broken("a stage that did not begin ends, or it took no time")
                    insn.stages.append((f[2], name, begin, now))
            elif f[0] == "R":
                expect(4)
                insn = alive(f[1])
                if insn.open:
                    raise Broken("it ends within a stage")
                if f[3] == "0":
                    if number(f[2]) != last_retired + 1:
                        raise Broken("retirement must count up")
                    last_retired += 1
                elif f[3] != "1":
                    raise Broken("type of ending")
                insn.end, insn.retired = now, f[3] == "0"
            elif f[0] == "W":
                expect(4)
                consumer = alive(f[1])
                if number(f[2]) >= number(f[1]) or f[3] != "0":
                    raise Broken("a producer comes before its consumer")
                consumer.producers.append(number(f[2]))
            else:
                raise Broken("unknown command")
        except (Broken, KeyError, IndexError) as why:
            raise Broken(f"line {at}: {line!r}: {why}")
    if now is None:
        raise Broken("C= is missing")
    for i, insn in enumerate(insns):
        if insn.end is None:
            raise Broken(f"instruction {i} never ends")
        lane0 = [s for s in insn.stages if s[0] == "0"]
        order = [s[1] for s in lane0]
        if order != [s for s in "FDWAXC" if s in order] or order[:1] != ["F"]:
            raise Broken(f"instruction {i} has stages {order}")
        for a, b in zip(lane0, lane0[1:]):
            if a[3] != b[2]:
                raise Broken(f"instruction {i} is in no stage at {a[3]}")
        if lane0[-1][3] != insn.end:
            raise Broken(f"instruction {i} ends in no stage")
    return insns


def stage(insn, name):
    return next((s for s in insn.stages if s[0] == "0" and s[1] == name), None)


def begin(insn, name):
    found = stage(insn, name)
    return found[2] if found else None


def check(held, sentence):
    if not held:
        raise Broken(sentence)


def compare(insns, result):
    """The whole run is in the window."""
    values = result["values"]
    retired = [i for i in insns if i.retired]
    flushed = [i for i in insns if not i.retired]
    check(len(retired) == values["instructions"], f"{len(retired)} retired, not {values['instructions']}")
    check(len(flushed) == values["squashed"], f"{len(flushed)} flushed, not {values['squashed']}")
    commits = {i.end for i in retired}
    lost = {c for i in insns for s in i.stages if s[0] == "1" for c in range(s[2], s[3])}
    check(not commits & lost, "a lost cycle has a commit")
    # The cycles after the last commit belong to no instruction.
    every = {c for c in range(max(commits) + 1)}
    check(commits | lost == every, f"cycles without commit or cause: {sorted(every - commits - lost)[:9]}")
    check(max(commits) < values["cycles"], "a commit after the end")


def widths(insns, fetch=8, dispatch=4, issue=8, commit=4):
    for name, most in (("F", fetch), ("W", dispatch), ("X", issue)):
        count = {}
        for i in insns:
            at = begin(i, name)
            if at is not None:
                count[at] = count.get(at, 0) + 1
        check(max(count.values(), default=0) <= most, f"more than {most} enter {name} in a cycle")
    count, last = {}, -1
    for i in insns:
        if i.retired:
            count[i.end] = count.get(i.end, 0) + 1
            check(i.end >= last, "commits out of order")
            last = i.end
    check(max(count.values(), default=0) <= commit, f"more than {commit} retire in a cycle")


def arrows(insns):
    """The viewer draws a dependence from the last cycle of the producer's X to the first of the consumer's. What issues
    when its producers are complete has them before; a store whose data come after its address has them in that cycle."""
    for i in insns:
        x = begin(i, "X")
        for p in i.producers:
            done = stage(insns[p], "X")
            check(x is not None and done, f"an arrow from {insns[p].label} to {i.label}, one of which never executes")
            is_late = re.search(r": (c\.)?f?s[bhwd](sp)? ", i.label) and stage(i, "X")[3] == x + 1
            check(done[3] <= x + bool(is_late), f"{i.label} executes before {insns[p].label} is complete")


def litmus(insns):
    """By hand: each of eight dependent multiplications of 3 cycles begins when the one before is
    complete; the front end has 5 stages and is fed in the cycle of fetch, so what finds an empty
    core dispatches 5 cycles after it was fetched, and issues in the next cycle. Before, fetch waits
    30 cycles for the I-TLB, 9 for the L2 and 250 for memory."""
    chain = [i for i in insns if i.label.endswith("mul a0,a0,a1")]
    check(len(chain) == 8, "the chain has eight")
    for a, b in zip(chain, chain[1:]):
        check(begin(b, "X") - begin(a, "X") == 3, f"{begin(b, 'X') - begin(a, 'X')} cycles, not 3")
        check(stage(b, "X")[3] - begin(b, "X") == 3, "a multiplication takes 3 cycles")
        check(insns.index(a) in b.producers, "it depends on the one before")
    first = insns[0]
    check(begin(first, "F") == 30 + 9 + 250, f"fetched in cycle {begin(first, 'F')}")
    waits = [s[1:] for s in first.stages if s[0] == "1"][:3]
    check(waits == [("itlb", 0, 30), ("l1i", 30, 39), ("l2i", 39, 295)], f"lost to {waits}")
    check(begin(first, "W") - begin(first, "F") == 5, f"front end {begin(first, 'W') - begin(first, 'F')}")
    check(begin(first, "X") - begin(first, "W") == 1, "issued in the next cycle")
    check(first.end == begin(first, "X") + 1, "committed when complete")


def main():
    try:
        insns = read(sys.argv[1])
        widths(insns)
        arrows(insns)
        if len(sys.argv) > 2:
            compare(insns, json.load(open(sys.argv[2])))
            litmus(insns)
    except Broken as why:
        sys.exit(f"{sys.argv[1]}: {why}")
    print(f"instructions={len(insns)}")
    print(f"retired={sum(i.retired for i in insns)}")
    print(f"flushed={sum(not i.retired for i in insns)}")
    print(f"dependences={sum(len(i.producers) for i in insns)}")
    if insns:
        print(f"first={min(begin(i, 'F') for i in insns)}")
        print(f"last={max(begin(i, 'F') for i in insns)}")


main()
