#!/usr/bin/env python3
"""read_sites.py RESULT PROGRAM RECORDS: what a result of `run --html` says of the branches, loads and stores of its hot
functions, held to RECORDS (`trace export`: 64 bytes each, the address first, then from byte 16 on two addresses that are
written and from 32 on four that are read) and to what the run counts of itself.

Prints "N held, 0 wrong", and before that what is wrong."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "callers"))
import calls  # noqa: E402

held, wrong = 0, 0


def same(where, shown, right):
    global held, wrong
    held += 1
    if shown != right:
        wrong += 1
        if wrong < 20:
            print("%s: %r, where %r is right" % (where, shown, right))


def at_most(where, shown, most):
    same("%s, at most %r" % (where, most), shown <= most, True)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
    program = calls.Program(sys.argv[2])
    executed, taken, reads, writes = {}, {}, {}, {}
    with open(sys.argv[3], "rb") as file:
        records = list(struct.iter_unpack("<Q8x2Q4Q", file.read()))
    for i, record in enumerate(records):
        here = record[0]
        executed[here] = executed.get(here, 0) + 1
        writes[here] = writes.get(here, 0) + any(record[1:3])
        reads[here] = reads.get(here, 0) + any(record[3:7])
        if i + 1 < len(records) and calls.kind_of(program.word(here))[0] == "branch":
            size = calls.kind_of(program.word(here))[1]
            taken[here] = taken.get(here, 0) + (records[i + 1][0] != here + size)
    mispredicted, misses, branches = 0, {}, 0
    for function in result["hot_functions"]:
        for insn in function["instructions"]:
            pc = int(insn["pc"], 16)
            where = "%s, %s" % (function["function"], insn["pc"])
            same(where + ", executed", insn["executed"], executed.get(pc, 0))
            branch, access = insn.get("branches"), insn.get("accesses")
            if calls.kind_of(program.word(pc))[0] == "branch":
                branches += executed.get(pc, 0)
                same(where + ", branches", branch and branch["executed"], executed.get(pc, 0) or None)
                same(where + ", taken", branch and branch["taken"], taken.get(pc, 0) if branch else None)
            if branch:
                at_most(where + ", mispredicted", branch["mispredicted"], branch["executed"])
                mispredicted += branch["mispredicted"]
            same(where + ", loads", access["loads"] if access else 0, reads.get(pc, 0))
            # An atomic operation is a load.
            if program.word(pc) & 0x7f != 0x2f:
                same(where + ", stores", access["stores"] if access else 0, writes.get(pc, 0))
            if access:
                same(where + ", sources", sum(access["sources"].values()), access["loads"])
                for name, count in access["misses"].items():
                    misses[name] = misses.get(name, 0) + count
                    at_most("%s, %s" % (where, name), count, access["loads"])
    at_most("mispredicted", mispredicted, result["values"]["branches.mispredicted"])
    for name, total in (("l1d", "l1d.misses"), ("l2d", "l2.data.misses"), ("dtlb", "dtlb.misses")):
        if total in result["values"]:
            at_most(total, misses.get(name, 0), result["values"][total])
    same("there are branches, of which some are mispredicted", branches > 1000 and mispredicted > 10, True)
    print("%d held, %d wrong" % (held, wrong))


if __name__ == "__main__":
    main()
