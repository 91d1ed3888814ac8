#!/usr/bin/env python3
"""read_profiles.py KIND JSON FILE: holds a profile in the format of another tool to the JSON of the same run.

An independent reader of folded stacks, callgrind profiles with calls, profile.proto and processed profiles of the
Firefox Profiler, and of the tables of calls in text and CSV. Prints a line for each thing that is not as it should be,
and at the end how many were held.

  folded, callgrind, pprof, firefox, text, csv
"""
import csv
import json
import os
import re
import sys

held, wrong = 0, 0
CUT, MOST = "(deeper calls)", 128
PARTS = {"base": ("base", "dependence", "serialise"), "branch": ("btb", "taken", "branch"),
         "resource": ("latency", "unit.int_alu", "unit.int_muldiv", "unit.memory", "unit.fp_add",
                      "unit.fp_muldiv", "queues", "max_branches", "store", "forward", "wait", "replay")}
COMPONENT = {cause: name for name, causes in PARTS.items() for cause in causes}


def same(where, shown, value):
    global held, wrong
    held += 1
    if shown != value:
        wrong += 1
        print("%s: %r, where %r is right" % (where, shown, value))


def add(sums, key, count):
    if count:
        sums[key] = sums.get(key, 0) + count


def compare(where, shown, right):
    for key in sorted(set(shown) | set(right), key=str):
        same("%s, %s" % (where, key), shown.get(key), right.get(key))


def component_of(result, cause):
    if cause == "mshr":
        return next(name for name in ("l3d", "l2d", "l1d") if name in result["stacks"]["exact"]["components"])
    return COMPONENT.get(cause, cause)


def nodes_of(result):
    """Each node with its path of functions, the thread first; without calls each function is one."""
    if "calls" not in result:
        return [((result["program"]["name"], f["name"]), {"slots": f["slots"], "calls": 0})
                for f in result["exact"]["functions"]]
    paths, nodes = [], []
    for node in result["calls"]["nodes"]:
        above = () if node["parent"] is None else paths[node["parent"]]
        paths.append(above + (node["function"],))
        nodes.append((paths[-1], node))
    return nodes


def shown_path(path, has_roots):
    """As it is written: with one thread without its name; a long one is cut before its end."""
    if len(path) > MOST:
        path = path[:MOST - 1] + (CUT, path[-1])
    return path if has_roots else path[1:]


def has_roots(nodes):
    return len({path[0] for path, _ in nodes}) > 1


def stacks_of(result, group):
    nodes, sums = nodes_of(result), {}
    roots = has_roots(nodes)
    for path, node in nodes:
        for cause, count in node["slots"].items():
            add(sums, (shown_path(path, roots), group(cause)), count)
    return sums


def folded(result, path):
    shown = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            frames = stack.split(";")
            same("folded, program", frames[0], result["program"]["name"])
            add(shown, (tuple(frames[1:-1]), frames[-1]), int(weight))
    right = {}
    for (frames, cause), count in stacks_of(result, lambda cause: cause).items():
        add(right, (tuple(frame.replace(";", ",") for frame in frames), cause), count)
    compare("folded", shown, right)


def edges_of(result):
    """Calls and slots of one function called by another; of a recursion the outermost."""
    calls, slots, below = {}, {}, []
    nodes = result["calls"]["nodes"]
    for node in nodes:
        below.append(sum(node["slots"].values()))
    for i in range(len(nodes) - 1, -1, -1):
        if nodes[i]["parent"] is not None:
            below[nodes[i]["parent"]] += below[i]
    for i, node in enumerate(nodes):
        up = node["parent"]
        if up is None or nodes[up]["parent"] is None:
            continue
        edge = (nodes[up]["function"], node["function"])
        add(calls, edge, node["calls"])
        walk, seen = up, False
        while nodes[walk]["parent"] is not None and nodes[nodes[walk]["parent"]]["parent"] is not None and not seen:
            seen = (nodes[nodes[walk]["parent"]]["function"], nodes[walk]["function"]) == edge
            walk = nodes[walk]["parent"]
        if not seen:
            add(slots, edge, below[i])
    return calls, slots


def callgrind(result, path):
    names, own, calls, slots, function, callee = {}, {}, {}, {}, None, None
    calling = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            match = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
            if match:
                if match.group(3) is not None:
                    same("callgrind, a name is written once", match.group(2) in names, False)
                    names[match.group(2)] = match.group(3)
                if match.group(1) == "fn":
                    function = names[match.group(2)]
                else:
                    callee = names[match.group(2)]
            elif line.startswith("calls="):
                add(calls, (function, callee), int(line[6:].split()[0]))
                calling = True
            elif re.match(r"\d+ \d", line):
                cost = [int(word) for word in line.split()[1:]]
                same("callgrind, the total is the sum", cost[0], sum(cost[1:]))
                if calling:
                    add(slots, (function, callee), cost[0])
                else:
                    add(own, function, cost[0])
                calling = False
            elif line.startswith("totals:"):
                same("callgrind, totals", int(line.split()[1]), sum(result["exact"]["causes"].values()))
    right = {}
    for f in result["exact"]["functions"]:
        add(right, f["name"], sum(f["slots"].values()))
    compare("callgrind, own", own, right)
    right_calls, right_slots = edges_of(result) if "calls" in result else ({}, {})
    compare("callgrind, calls", calls, right_calls)
    compare("callgrind, cost of calls", slots,
            {edge: count for edge, count in right_slots.items() if edge in right_calls and edge[0] != edge[1]})


def fields(data):
    """The fields of a message of protocol buffers: number and value, which is bytes or a number."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, "a wire type that the format does not use"
            size = varint()
            assert at + size <= len(data), "a field goes beyond its message"
            yield key >> 3, data[at:at + size]
            at += size


def packed(data):
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


def pprof(result, path):
    with open(path, "rb") as file:
        whole = list(fields(file.read()))
    strings = [value.decode("utf-8") for number, value in whole if number == 6]
    same("pprof, the first string", strings[0], "")
    functions, locations, types, shown = {}, {}, [], {}
    for number, value in whole:
        if number == 5:
            about = dict(fields(value))
            functions[about[1]] = strings[about[2]]
        elif number == 1:
            about = dict(fields(value))
            same("pprof, unit", strings[about[2]], "slots")
            types.append(strings[about[1]])
    for number, value in whole:
        if number == 4:
            about = dict(fields(value))
            locations[about[1]] = functions[dict(fields(about[4]))[1]]
    same("pprof, types", types, ["all"] + list(result["stacks"]["exact"]["components"]))
    same("pprof, default type", [strings[value] for number, value in whole if number == 14], ["all"])
    same("pprof, comment", [strings[value] for number, value in whole if number == 13],
         ["cyclestack: %d slots to a cycle" % result["exact"]["slots_per_cycle"]])
    for number, value in whole:
        if number != 2:
            continue
        sample = dict(fields(value))
        stack = tuple(locations[place] for place in reversed(packed(sample[1])))
        values = packed(sample[2])
        same("pprof, values", len(values), len(types))
        same("pprof, all", values[0], sum(values[1:]))
        for name, count in zip(types[1:], values[1:]):
            add(shown, (stack, name), count)
    compare("pprof", shown, stacks_of(result, lambda cause: component_of(result, cause)))


def firefox_counters(result, counters):
    """A counter for each component, if the run has intervals: its slots at the end of each."""
    intervals = result["exact"].get("intervals", [])
    same("firefox, counters", [c["name"] for c in counters], list(result["stacks"]["exact"]["components"]) if intervals else [])
    for counter in counters:
        samples, end = counter["samples"], 0
        same("firefox, samples of a counter", len(samples["count"]), len(intervals) + 1)
        same("firefox, a counter begins", (samples["time"][0], samples["count"][0]), (0, 0))
        for i, interval in enumerate(intervals):
            end += interval["cycles"]
            slots = sum(n for cause, n in interval["slots"].items() if component_of(result, cause) == counter["name"])
            same("firefox, counter %s" % counter["name"], (samples["time"][i + 1], samples["count"][i + 1]), (end / 1000, slots))


def firefox_functions(result, shared):
    """The file and the line of each function, and of each file its text if it is there."""
    strings, functions, sources = shared["stringArray"], shared["funcTable"], shared["sources"]
    known = {}
    for f in result["exact"]["functions"]:
        known.setdefault(f["name"], (f["file"], f["line"]))
    for name, source, line in zip(*(functions.get(n, []) for n in ("name", "source", "lineNumber"))):
        file, at = known.get(strings[name], ("", 0))
        same("firefox, file of %s" % strings[name], "" if source is None else strings[sources["filename"][source]], file)
        same("firefox, line of %s" % strings[name], line or 0, at if file else 0)
    for name, content in zip(sources["filename"], sources["content"]):
        path = os.path.basename(strings[name])
        text = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = file.read()
        same("firefox, text of %s" % path, content, text)


def firefox(result, path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    names = [category["name"] for category in profile["meta"]["categories"]]
    same("firefox, categories", names, list(result["stacks"]["exact"]["components"]))
    shown, cycles, roots = {}, 0, len(profile["threads"]) > 1
    shared = profile["shared"]
    strings, frames, stacks = shared["stringArray"], shared["frameTable"], shared["stackTable"]
    for table, columns in shared.items():
        for column, cells in columns.items() if isinstance(columns, dict) else ():
            if isinstance(cells, list):
                same("firefox, %s, %s" % (table, column), len(cells), columns["length"])
    paths = []
    for frame, prefix in zip(stacks["frame"], stacks["prefix"]) if stacks["length"] else ():
        same("firefox, a stack comes after the one it is called from", prefix is None or prefix < len(paths), True)
        paths.append((() if prefix is None else paths[prefix]) +
                     (strings[shared["funcTable"]["name"][frames["func"][frame]]],))
    for thread in profile["threads"]:
        before = -1
        for stack, weight, time in zip(*(thread["samples"].get(n, []) for n in ("stack", "weight", "time"))):
            same("firefox, in order", time >= before, True)
            before = time
            frame = stacks["frame"][stack]
            add(shown, ((((thread["name"],) if roots else ()) + paths[stack]), names[frames["category"][frame]]), weight)
            cycles += weight
    same("firefox, all", cycles, sum(result["exact"]["causes"].values()))
    firefox_counters(result, profile["counters"])
    firefox_functions(result, shared)
    right, nodes = {}, nodes_of(result)
    for path, node in nodes:
        for cause, count in node["slots"].items():
            add(right, (path if roots else path[1:], component_of(result, cause)), count)
    compare("firefox", shown, right)


def near(where, shown, value, decimals):
    same(where, abs(float(shown) - value) <= 0.5 * 10.0**-decimals + 1e-9, True)


def inclusive(result):
    """Slots of each path of functions, with those below it."""
    nodes = result["calls"]["nodes"]
    below = [sum(node["slots"].values()) for node in nodes]
    for i in range(len(nodes) - 1, -1, -1):
        if nodes[i]["parent"] is not None:
            below[nodes[i]["parent"]] += below[i]
    return below


def tree(result):
    """(path, with calls, own, calls) of every node."""
    everything = sum(result["exact"]["causes"].values())
    rows, roots = {}, has_roots(nodes_of(result))
    for (path, node), below in zip(nodes_of(result), inclusive(result)):
        rows.setdefault(shown_path(path, roots) if len(path) < MOST else path, []).append((100 * below / everything, 100 * sum(node["slots"].values()) / everything,
                                              node["calls"]))
    return rows


def text(result, path):
    """The tree: every row of the text is a node, and no node of 1 % is missing."""
    rows, open_rows, lines = tree(result), [], []
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\nWho called whom\n", 1)[1].split("\n\n", 1)[0].split("\n")[1:]
    found = set()
    for line in lines:
        match = re.match(r"( *)(.*?) +([\d.]+)% +([\d.]+)% +(\d+)( |$)", line)
        same("text, a row", bool(match), True)
        depth = len(match.group(1)) // 2
        open_rows[depth:] = [match.group(2)]
        key = tuple(open_rows)
        found.add(key)
        right = [row for row in rows.get(key, []) if row[2] == int(match.group(5)) and
                 abs(row[0] - float(match.group(3))) < 0.0500001 and abs(row[1] - float(match.group(4))) < 0.0500001]
        same("text, %s" % "; ".join(key), len(right) > 0, True)
    same("text, rows of one percent", sorted(key for key, all_rows in rows.items()
                                            if key and max(row[0] for row in all_rows) >= 1 and key not in found), [])


def table(result, path):
    """The table of callers: each function and each call of one by another."""
    calls, slots = edges_of(result)
    everything = sum(result["exact"]["causes"].values())
    own, times = {}, {}
    for node in result["calls"]["nodes"]:
        add(own, node["function"], sum(node["slots"].values()))
        add(times, node["function"], node["calls"])
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            function, other = row["function"], row["function, level 2"]
            if other:
                way, name = other.split(" ", 1)
                edge = (name, function) if way == "from" else (function, name)
                same("csv, calls, %s" % (edge,), int(row["calls"]), calls.get(edge, 0))
                near("csv, with calls, %s" % (edge,), row["with calls"], slots.get(edge, 0) / everything, 9)
            else:
                same("csv, calls, " + function, int(row["calls"]), times.get(function, 0))
                near("csv, own, " + function, row["own"], own.get(function, 0) / everything, 9)


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        result = json.load(file)
    {"folded": folded, "callgrind": callgrind, "pprof": pprof, "firefox": firefox, "text": text,
     "csv": table}[sys.argv[1]](result, sys.argv[3])
    print("%d held, %d wrong" % (held, wrong))


main()
