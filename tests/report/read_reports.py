#!/usr/bin/env python3
"""read_reports KIND JSON...: holds every number of a report to the numbers of the JSON beside it.

An independent reader: it shares nothing with src/report, takes every table of the report apart by its own
rules and works each number out again, to the digits that are shown. Prints a line for each that is not as
it should be, and at the end how many numbers were held; a number that no rule here explains is one of them.

  run JSON TEXT CSV PAGE     stat JSON TEXT CSV     diff A B JSON TEXT
  judge JSON TEXT            model JSON TEXT
"""
import csv
import html
import json
import re
import sys

held, wrong = 0, 0


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def hold(where, shown, value):
    """The text shown is VALUE, rounded to as many decimals as are shown; None is shown as `-` or empty."""
    global held, wrong
    held += 1
    bare = shown.strip().rstrip("%").strip().replace(",", "")
    if bare.endswith("k") and value is not None:
        bare, value = bare[:-1], value / 1000
    if value is None:
        good = bare in ("-", "")
    elif not re.fullmatch(r"[+-]?\d+(\.\d+)?", bare):
        good = False
    else:
        decimals = len(bare.partition(".")[2])
        # Halves may go either way: the sum was rounded in another order.
        good = abs(float(bare) - value) <= 0.5 * 10.0**-decimals + 1e-9 * abs(value)
    if not good:
        wrong += 1
        print("%s: %s is shown, %s is right" % (where, shown.strip(), value))


def same(where, shown, value):
    global held, wrong
    held += 1
    if shown != value:
        wrong += 1
        print("%s: %r, where %r is right" % (where, shown, value))


def section(text, begins):
    """The lines of the paragraph whose first line begins so."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line.startswith(begins):
            end = at
            while end < len(lines) and lines[end].strip():
                end += 1
            return lines[at:end]
    same("report", "no section", begins)
    return [""]


def columns(where, lines, rows):
    """A table with names on top and rows that begin with their name: ROWS gives the number of each cell."""
    names = lines[0].split()
    for line in lines[1:]:
        name = next((n for n in sorted(rows, key=len, reverse=True) if line.startswith(n + " ")), None)
        if name is None:
            same(where, line, "a row of " + ", ".join(rows))
            continue
        cells = line[len(name):].split()
        for column, cell in zip(names, cells):
            hold("%s, %s, %s" % (where, name, column), cell, rows[name](column))
        same(where + ", " + name, len(names) - len(cells) in (0, 1), True)


# Which component a cause is part of, by the documentation of results.
PARTS = {"base": ("base", "dependence", "serialise"), "branch": ("btb", "taken", "branch"),
         "resource": ("latency", "unit.int_alu", "unit.int_muldiv", "unit.memory", "unit.fp_add",
                      "unit.fp_muldiv", "store", "wait", "replay", "mshr")}
COMPONENT = {cause: name for name, causes in PARTS.items() for cause in causes}


def cause_cycles(result, cause):
    return result["exact"]["causes"][cause] / result["exact"]["slots_per_cycle"]


def read_run_stack(rows, result, where):
    """ROWS: is it a part, name, cycles, CPI, share in percent."""
    values, component, seen = result["values"], None, []
    for is_part, name, cycles, cpi, share in rows:
        if not is_part:
            component = name
            right = result["stacks"]["exact"]["components"][name]
            seen.append(name)
        else:
            same("%s, %s" % (where, name), COMPONENT.get(name), component)
            right = cause_cycles(result, name)
        hold("%s, %s, cycles" % (where, name), cycles, right)
        hold("%s, %s, CPI" % (where, name), cpi, right / values["instructions"])
        hold("%s, %s, share" % (where, name), share, 100 * right / values["cycles"])
    # One without any cycles may be left out.
    same(where + ", all components", seen, [name for name, count in result["stacks"]["exact"]["components"].items()
                                            if count or name in seen])


def read_run_text(result, text):
    values, cycles = result["values"], result["values"]["cycles"]
    head = section(text, "Where the cycles went")
    for shown, value in zip(re.findall(r"[\d.]+", head[0]),
                            (cycles, values["instructions"], cycles / values["instructions"])):
        hold("head", shown, value)
    rows = []
    for line in head[2:]:
        match = re.match(r"(\S| )(?: {2}|) ?(\S+) +(\d+) +(\d+\.\d+) +([\d.]+)%", line)
        if match:
            rows.append((line.startswith("   "),) + match.groups()[1:])
    read_run_stack(rows, result, "stack")
    lost = section(text, next(line for line in text.split("\n") if "of the cycles are lost" in line))[0]
    components = result["stacks"]["exact"]["components"]
    largest = max((n for n in components if n != "base"), key=components.get)
    numbers = re.findall(r"([\d.]+) %", lost)
    hold("verdict, lost", numbers[0], 100 - 100 * components["base"] / cycles)
    hold("verdict, largest", numbers[1], 100 * components[largest] / cycles)
    same("verdict, its name", re.search(r", to (\S+):", lost).group(1), largest)
    methods = {name: (lambda column, m=method: m["bits"] if column == "bits" else
                      100 * m["components"][column] / cycles) for name, method in result["stacks"].items()}
    columns("methods", section(text, "What each way of counting says")[1:], methods)
    # Stages and top-down are of out-of-order cores.
    if "stages" in result:
        stages = {name: (lambda column, s=stage: 100 * s[column] / cycles) for name, stage in result["stages"].items()}
        columns("stages", section(text, "The same, seen at each stage")[1:], stages)
    if "topdown" in result:
        slots = result["topdown"]["slots_per_cycle"] * cycles
        topdown = {**result["topdown"]["level2"], **result["topdown"]["level1"]}
        for line in section(text, "Top-down")[1:]:
            name, share = line.split()[:2]
            hold("top-down, " + name, share, 100 * topdown[name] / slots)
    functions = {f["name"]: f for f in result["exact"]["functions"]}
    everything = sum(result["exact"]["causes"].values())
    table, shares = section(text, "The hottest"), 0
    for line in table[3:]:
        name, *cells = line.split()
        if name not in functions:
            hold("functions, the rest", cells[-4], None if len(cells) < 4 else 100 * (everything - shares) / everything)
            same("functions, how many more", int(name), len(functions) - (len(table) - 4))
            continue
        slots = sum(functions[name]["slots"].values())
        shares += slots
        hold("functions, %s, share" % name, cells[0], 100 * slots / everything)
        hold("functions, %s, CPI" % name, cells[1],
             slots / result["exact"]["slots_per_cycle"] / functions[name]["executed"])
    read_run_counts(values, text)


def read_run_counts(values, text):
    instructions = values["instructions"]
    right = {
        "cycles": [values["cycles"]],
        "instructions": [instructions, instructions / values["cycles"], values["cycles"] / instructions],
        "fetched": [values["fetched"], 100 * values["fetched.wrong_path"] / values["fetched"]],
        "issued": [values["issued"]],
        "squashed": [values["squashed"]],
        "mispredictions": [values["branches.mispredicted"], 1000 * values["branches.mispredicted"] / instructions,
                           1000, 100 * values["branches.mispredicted"] / values["branches"]],
    }
    for line in section(text, "  cycles   "):
        name, rest = line.strip().split(None, 1)
        shown = re.findall(r"[\d.]+", rest)
        same("counts, " + name, len(shown), len(right[name]))
        for cell, value in zip(shown, right[name]):
            hold("counts, " + name, cell, value)
    names = {"L1I": "l1i", "L1D": "l1d", "L2, instructions": "l2.instructions", "L2, data": "l2.data",
             "L3, instructions": "l3.instructions", "L3, data": "l3.data", "I-TLB": "itlb", "D-TLB": "dtlb"}
    for line in section(text, "                         accesses")[1:]:
        shown, *cells = re.split(r" {2,}", line.strip())
        name = names[shown]
        accesses, misses = values[name + ".accesses"], values[name + ".misses"]
        for cell, value in zip(cells, (accesses, misses, values[name + ".pending"], 1000 * misses / instructions,
                                       100 * misses / accesses)):
            hold("caches, " + shown, cell, value)
        same("caches, " + shown, len(cells), 5)


def read_run_csv(result, path):
    """Every row of the CSV has its number in the JSON, and every number of the JSON its row."""
    exact, wanted = result["exact"], {}
    width = exact["slots_per_cycle"]

    def add(kind, function, name, file, line, slots, executed):
        for cause, count in slots.items():
            if count:
                wanted[kind, function, name, file, line, cause, COMPONENT.get(cause, cause)] = (executed, count, count / width)

    instructions = result["values"]["instructions"]
    add("program", "", result["program"]["name"], "", "", exact["causes"], instructions)
    for thread in exact["threads"]:
        add("thread", "", str(thread["id"]), "", "", thread["slots"], None)
    for f in exact["functions"]:
        add("function", f["name"], f["name"], f["file"], str(f["line"] or ""), f["slots"], f["executed"])
        for line in f["lines"]:
            place = "%s:%d" % (line["file"], line["line"])
            add("line", f["name"], place, line["file"], str(line["line"]), line["slots"], line["executed"])
    for kind, table in (("method", {n: m["components"] for n, m in result["stacks"].items()}),
                        ("stage", result.get("stages", {}))):
        for name, stack in table.items():
            for component, cycles in stack.items():
                wanted[kind, "", name, "", "", "", component] = (instructions, None, cycles)
    for level in ("level1", "level2") if "topdown" in result else ():
        for name, slots in result["topdown"][level].items():
            wanted["topdown", "", level, "", "", "", name] = (instructions, slots, slots / result["topdown"]["slots_per_cycle"])
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = tuple(row[n] for n in ("kind", "function", "name", "file", "line", "cause", "component"))
            if key[0] == "line" and not key[4]:
                key = key[:2] + next((k[2:5] for k in wanted if k[:2] == key[:2] and k[4] == "0" and k[5] == key[5]),
                                     key[2:5]) + key[5:]
            right = wanted.pop(key, None)
            if right is None:
                same("CSV", key, "a number of the JSON")
                continue
            for name, value in zip(("executed", "slots", "cycles"), right):
                hold("CSV, %s, %s" % (", ".join(filter(None, key)), name), row[name], value)
    same("CSV, numbers without a row", sorted(wanted), [])


def cells_of(row):
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
    return [html.unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", "", cell, flags=re.S)).strip() for cell in cells]


def read_run_page(result, page):
    inside = re.search(r'<script type="application/json" id="result">(.*?)</script>', page, re.S).group(1)
    same("page, the result in it", json.loads(inside) == result, True)
    values = result["values"]
    tiles = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    hold("page, cycles", tiles["cycles"], values["cycles"])
    hold("page, instructions", tiles["instructions"], values["instructions"])
    hold("page, CPI", tiles["cycles per instruction"], values["cycles"] / values["instructions"])
    hold("page, IPC", tiles["instructions per cycle"], values["instructions"] / values["cycles"])
    table = re.search(r'<table class="stack">.*?<tbody>(.*?)</tbody>', page, re.S).group(1)
    rows = []
    for row in re.findall(r"<tr.*?</tr>", table, re.S):
        name, _, _, share, cycles, cpi = cells_of(row)
        rows.append((row.startswith('<tr class="part"'), name, cycles, cpi, share))
    read_run_stack(rows, result, "page")


def read_stat(result, text, path):
    shown = {}
    for line in text.split("\n"):
        match = re.match(r"  (\S+) +([\d.]+|-)( |$)", line)
        if match:
            shown[match.group(1)] = match.group(2)
    for kind, number in (("counters", "total"), ("derived", "value")):
        for row in result[kind]:
            name = row.get("signal", row.get("name")) + ("@" + row["where"] if row["where"] else "")
            hold("stat, " + name, shown.pop(name, "nothing"), row[number])
    shown.pop("every", None)
    total = re.search(r"(\d+) cycles, (\d+) instructions, (\d+) intervals", text)
    for cell, value in zip(total.groups(), (result["values"]["cycles"], result["values"]["instructions"],
                                            len(result["intervals"]))):
        hold("stat, totals", cell, value)
    same("stat, other numbers", [name for name in shown if not name.isdigit()], [])
    wanted = {}
    for counter in result["counters"]:
        same("stat, sum of %s" % counter["signal"], sum(counter["intervals"]), counter["total"])
        for interval, count in zip(result["intervals"], counter["intervals"]):
            wanted[counter["signal"], counter["where"], str(interval["start"])] = (interval["cycles"], count)
        wanted[counter["signal"], counter["where"], "total"] = (None, counter["total"])
    for derived in result["derived"]:
        wanted[derived["name"], derived["where"], "total"] = (None, derived["value"])
    same("stat, cycles of the intervals", sum(i["cycles"] for i in result["intervals"]), result["values"]["cycles"])
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            right = wanted.pop((row["signal"], row["where"], row["start"]), (None, None))
            hold("stat CSV, cycles", row["cycles"], right[0])
            hold("stat CSV, " + row["signal"], row["count"], right[1])
    same("stat CSV, numbers without a row", sorted(wanted), [])


def read_diff(a, b, result, text):
    def sides(pick):
        return pick(a), pick(b)

    def functions(run):
        out = {}
        for f in run["exact"]["functions"]:
            key = f["name"] + (" (%s)" % f["file"].split("/")[-1] if f["file"] else "")
            out[key] = out.get(key, 0) + sum(f["slots"].values()) / run["exact"]["slots_per_cycle"]
        return out

    def lines(run):
        out = {}
        for f in run["exact"]["functions"]:
            for line in f["lines"]:
                key = "%s:%d" % (line["file"], line["line"]) if line["line"] else "?, line unknown"
                out[key] = out.get(key, 0) + sum(line["slots"].values()) / run["exact"]["slots_per_cycle"]
        return out

    def values(run):
        return {**run["values"], "CPI": run["values"]["cycles"] / run["values"]["instructions"]}

    tables = {"": sides(values), "component": sides(lambda run: {n: c for n, c in
              run["stacks"]["exact"]["components"].items() if c}), "function": sides(functions), "line": sides(lines)}
    name, seen = "", 0
    for line in text.split("\n"):
        head = re.match(r"cycles by (\w+)", line)
        name = head.group(1) if head else name if line.strip() else ""
        row = re.match(r"(\S.*?) {2,}(-|[\d.]+) +(-|[\d.]+) +(-|[+-]?[\d.]+) +(-|[+-]?[\d.]+%)$", line)
        if not row:
            continue
        seen += 1
        left, right = (side.get(row.group(1)) for side in tables[name])
        where = "diff, %s %s" % (name, row.group(1))
        hold(where + ", A", row.group(2), left)
        hold(where + ", B", row.group(3), right)
        is_count = not name
        change = None if is_count and None in (left, right) else (right or 0) - (left or 0)
        hold(where + ", difference", row.group(4), change)
        hold(where + ", percent", row.group(5), 100 * change / left if left and change is not None else None)
    same("diff, rows", seen > 20, True)
    differ = {n for n in tables[""][0] if tables[""][0][n] != tables[""][1].get(n)} | {"cycles", "instructions", "CPI"}
    same("diff, values in the JSON", {row["name"] for row in result["values"]}, differ)
    for row in result["values"]:
        same("diff JSON, " + row["name"], [row["a"], row["b"]], [side.get(row["name"]) for side in tables[""]])


def read_judge(result, text):
    for program in result["programs"]:
        cycles = program["cycles"]
        rows = {"simulated, order " + o.upper(): (lambda column, o=o: 100 * program["truth"][o][column] / cycles) for o in "ab"}
        for name, method in program["methods"].items():
            def cell(column, m=method):
                if column == "error":
                    return 100 * m["max_error"]
                extra = m["components"]["resource"] if column == "base" else 0
                return 100 * (m["components"][column] + extra) / cycles
            rows[name] = cell
        table = section(text, program["name"] + ":")
        for shown, value in zip(re.findall(r": (\d+) instructions, (\d+) cycles, CPI ([\d.]+)", table[0])[0],
                                (program["instructions"], cycles, cycles / program["instructions"])):
            hold("judge, head", shown, value)
        columns("judge", table[1:], rows)
        titles = {"l1i": "Cycles per L1I miss", "branch": "Cycles per committed misprediction",
                  "l2d": "Cycles per long data miss"}
        for event, title in titles.items():
            part = text[text.index(title):].split("\n\n")[:2]
            lines = [part[0].split("\n")[1:], part[1].split("\n")]
            for names, *cells in lines:
                columns("judge, " + title, [names] + cells, {program["name"]: lambda column, e=event:
                        program["events"][e] if column == "events" else program["per_event"][e][column]})
        for part in text[text.index("Storage\n"):].split("\n\n")[:2]:
            columns("judge, bits", [line for line in part.split("\n") if line != "Storage"],
                    {"bits": lambda column: program["methods"][column]["bits"]})
        for part in text[text.index("Largest error of"):].split("\n\n")[:2]:
            lines = [line for line in part.split("\n") if line and not line.startswith("Largest")]
            right = lambda column: 100 * program["methods"][column]["max_error"]  # noqa: E731
            columns("judge, errors", lines, {program["name"]: right, "mean": right})
        # What is called the truth: the error of a component is its distance from the farther order.
        for name, method in program["methods"].items():
            for component, error in method["errors"].items():
                mine = method["components"][component] + (method["components"]["resource"] if component == "base" else 0)
                far = max(abs(mine - program["truth"][o][component]) for o in "ab") / cycles
                same("judge, %s, %s, error" % (name, component), abs(far - error) < 1e-12, True)
            same("judge, %s, largest" % name, method["max_error"], max(method["errors"].values()))


def read_model(result, text):
    point, thousands = result["points"][0], result["instructions"] / 1000
    detail = point["detail"]
    head = re.search(r"(\d+) instructions; per 1000: ([\d.]+) long load misses, ([\d.]+) long store misses, "
                     r"([\d.]+) mispredictions, ([\d.]+) L1I misses", text)
    for shown, value in zip(head.groups(), (result["instructions"], detail["load_misses"] / thousands,
                                            detail["store_misses"] / thousands, detail["mispredictions"] / thousands,
                                            detail["fetch_misses"] / thousands)):
        hold("model, head", shown, value)
    columns("model", [line for line in text.split("\n") if re.search(r"^ +CPI|^\(as configured\)", line)],
            {"(as configured)": lambda column: point["cpi"] if column == "CPI" else point["components"][column]})
    same("model, sum", abs(sum(point["components"].values()) - point["cpi"]) < 1e-9, True)


def main():
    kind, *paths = sys.argv[1:]
    if kind == "run":
        result = load(paths[0])
        read_run_text(result, text_of(paths[1]))
        read_run_csv(result, paths[2])
        read_run_page(result, text_of(paths[3]))
    elif kind == "stat":
        read_stat(load(paths[0]), text_of(paths[1]), paths[2])
    elif kind == "diff":
        read_diff(load(paths[0]), load(paths[1]), load(paths[2]), text_of(paths[3]))
    elif kind == "judge":
        read_judge(load(paths[0]), text_of(paths[1]))
    else:
        read_model(load(paths[0]), text_of(paths[1]))
    print("%d numbers, %d wrong" % (held, wrong))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
