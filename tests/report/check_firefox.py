#!/usr/bin/env python3
"""check_firefox.py FILE: whether a file is a processed profile of the Firefox Profiler, by firefox.schema.json and by
what a schema cannot say: every column is as long as its table, and what names a row names one that is there.

Prints "TOTAL in N threads", the sum of all weights, or a line for each fault."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import validate  # noqa: E402

# Column: the table, or list, whose rows it names.
NAMES = {
    ("samples", "stack"): "stackTable", ("stackTable", "frame"): "frameTable", ("stackTable", "prefix"): "stackTable",
    ("frameTable", "category"): "categories",
    ("frameTable", "func"): "funcTable", ("frameTable", "nativeSymbol"): "nativeSymbols",
    ("frameTable", "originalLocation"): "sourceLocationTable", ("funcTable", "originalLocation"): "sourceLocationTable",
    ("funcTable", "name"): "stringArray", ("funcTable", "source"): "sources", ("sources", "filename"): "stringArray",
    ("funcTable", "resource"): "resourceTable", ("resourceTable", "name"): "stringArray",
    ("nativeSymbols", "name"): "stringArray", ("markers", "name"): "stringArray",
}


def tables_of(owner, where, rows):
    for name, table in owner.items():
        for column, cells in table.items() if isinstance(table, dict) else ():
            if not isinstance(cells, list):
                continue
            place = "%s.%s.%s" % (where, name, column)
            if len(cells) != table["length"]:
                yield "%s: has %d rows, its table %d" % (place, len(cells), table["length"])
            most = rows.get(NAMES.get((name, column)))
            for i, cell in enumerate(cells):
                if most is not None and cell is not None and cell != -1 and cell >= most:
                    yield "%s[%d]: there is no row %d" % (place, i, cell)
                if (name, column) == ("stackTable", "prefix") and cell is not None and cell >= i:
                    yield "%s[%d]: is called from a later one" % (place, i)


def times_of(owner, where):
    times = owner["samples"]["time"]
    if any(a > b for a, b in zip(times, times[1:])):
        yield "%s.samples.time: goes back" % where


def faults_of(profile):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "firefox.schema.json"), encoding="utf-8") as text:
        schema = json.load(text)
    found = list(validate.faults(profile, schema, schema, "profile"))
    if found:
        yield from found
        return
    categories, shared = profile["meta"]["categories"], profile["shared"]
    if "grey" not in [category["color"] for category in categories]:
        yield "no category is grey, the default"
    rows = {"stringArray": len(shared["stringArray"]), "categories": len(categories)}
    rows.update((name, table["length"]) for name, table in shared.items() if isinstance(table, dict))
    yield from tables_of(shared, "shared", rows)
    for i, category in enumerate(shared["frameTable"]["category"]):
        if category is not None and shared["frameTable"]["subcategory"][i] >= len(categories[category]["subcategories"]):
            yield "shared.frameTable.subcategory[%d]: there is none" % i
    for number, thread in enumerate(profile["threads"]):
        yield from tables_of(thread, "threads[%d]" % number, rows)
        yield from times_of(thread, "threads[%d]" % number)
    for number, counter in enumerate(profile.get("counters", [])):
        yield from tables_of({"samples": counter["samples"]}, "counters[%d]" % number, rows)
        yield from times_of(counter, "counters[%d]" % number)
        if counter["mainThreadIndex"] >= len(profile["threads"]):
            yield "counters[%d].mainThreadIndex: there is no such thread" % number


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        profile = json.load(text)
    found = list(faults_of(profile))
    for fault in found[:20]:
        print(fault)
    if found:
        return 1
    print("%d in %d threads" % (sum(sum(thread["samples"]["weight"]) for thread in profile["threads"]), len(profile["threads"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
