#!/usr/bin/env python3
"""read_reports KIND JSON...: holds every number of a report to the numbers of the JSON beside it.

An independent reader: it shares nothing with src/report, takes every table of the report apart by its own
rules and works each number out again, to the digits that are shown. Prints a line for each that is not as
it should be, and at the end how many numbers were held; a number that no rule here explains is one of them.

  run JSON TEXT CSV PAGE [CSV of the table of components]
  stat JSON TEXT CSV     diff A B JSON TEXT
  judge JSON TEXT CSV PAGE   reproduce JSON TEXT
  model, inspect, compose, sweep, advise, exec, signals JSON TEXT CSV PAGE
"""
import csv
import html.parser
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
    if names and names[0] in ("method", "stage", "category", "machine", "point", "program"):
        names = names[1:]
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
                      "unit.fp_muldiv", "queues", "max_branches", "store", "forward", "wait", "replay")}
COMPONENT = {cause: name for name, causes in PARTS.items() for cause in causes}


def component_of(result, cause):
    """Misses that find no MSHR are of the last data cache; what is not a part of another component is its own."""
    if cause == "mshr":
        return next(name for name in ("l3d", "l2d", "l1d") if name in result["stacks"]["exact"]["components"])
    return COMPONENT.get(cause, cause)


def cause_cycles(result, cause):
    return result["exact"]["causes"][cause] / result["exact"]["slots_per_cycle"]


def measured(result):
    """What a result says of how it was measured: nothing if it is of an early version or no window said anything."""
    gain = result.get("gain", {})
    return gain if gain.get("windows") else None


def read_run_stack(rows, result, where):
    """ROWS: is it a part, name, cycles, CPI, share in percent, error in percent (None: there is no such column)."""
    values, component, seen, gain = result["values"], None, [], measured(result)
    for is_part, name, cycles, cpi, share, error in rows:
        if not is_part:
            component = name
            right = result["stacks"]["exact"]["components"][name]
            seen.append(name)
        else:
            same("%s, %s" % (where, name), component_of(result, name), component)
            right = cause_cycles(result, name)
        hold("%s, %s, cycles" % (where, name), cycles, right)
        hold("%s, %s, CPI" % (where, name), cpi, right / values["instructions"])
        hold("%s, %s, share" % (where, name), share, 100 * right / values["cycles"])
        same("%s, %s, has an error" % (where, name), error is not None, gain is not None)
        if error is not None and gain:
            # Of causes that are measured together only the first has one.
            off = gain["cause_errors" if is_part else "errors"].get(name)
            hold("%s, %s, error" % (where, name), error, None if off is None else 100 * off / values["cycles"])
    # One without any cycles may be left out.
    same(where + ", all components", seen, [name for name, count in result["stacks"]["exact"]["components"].items()
                                            if count or name in seen])


def read_run_measured(result, text, where):
    """The sentence that says where the numbers come from; early versions measured nothing and say nothing."""
    text, gain = " ".join(text.split()), measured(result)
    said = re.search(r"measured: in (\d+) windows with ([\d.]+) % of the instructions, (\d+) machines were simulated", text)
    same(where + ", says what was measured", said is not None, gain is not None)
    same(where + ", says that nothing was measured", "Not measured: in no window" in text, "gain" in result and not gain)
    if said and gain:
        for shown, value in zip(said.groups(), (gain["windows"], 100 * gain["window_instructions"] /
                                                result["values"]["instructions"], gain["machines"])):
            hold(where + ", what was measured", shown, value)
        # Every component has an error, and no other.
        same(where + ", errors", set(gain["errors"]), set(result["stacks"]["exact"]["components"]))


def inlined(function):
    """What was inlined into a function: depth, path of names, and its numbers with those of all that is in it."""
    calls, rows = function.get("inlined", []), []
    for at, call in enumerate(calls):
        path = (rows and rows[-1][1] or [])[:call["depth"] - 1] + [call["function"]]
        within = [call]
        for other in calls[at + 1:]:
            if other["depth"] <= call["depth"]:
                break
            within.append(other)
        slots = {}
        for part in within:
            for cause, count in part["slots"].items():
                slots[cause] = slots.get(cause, 0) + count
        rows.append((call["depth"], path, {"slots": slots, "executed": sum(part["executed"] for part in within)}))
    return rows


def read_run_text(result, text):
    values, cycles = result["values"], result["values"]["cycles"]
    head = section(text, "Where the cycles went")
    totals = next(line for line in head if " cycles, " in line and "CPI" in line)
    for shown, value in zip(re.findall(r"[\d.]+", totals),
                            (cycles, values["instructions"], cycles / values["instructions"])):
        hold("head", shown, value)
    rows, titles = [], next(line.split() for line in head if line.split()[:2] == ["component", "cycles"])
    for line in head[3:]:
        match = re.match(r"(\S| {3}) (\S+) +(\d+) +(\d+\.\d+) +([\d.]+)%(?: +([\d.]+%|-))?( |$)", line)
        if match:
            rows.append((line.startswith("   "),) + match.groups()[1:5] + (match.group(6) if "error" in titles else None,))
    read_run_stack(rows, result, "stack")
    read_run_measured(result, text, "report")
    lost = next(line for line in head if "of the cycles are lost" in line)
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
        columns("stages", section(text, "Stages:")[1:], stages)
    if "topdown" in result:
        slots = result["topdown"]["slots_per_cycle"] * cycles
        topdown = {**result["topdown"]["level2"], **result["topdown"]["level1"]}
        for line in section(text, "Top-down")[2:]:
            name, share = line.split()[:2]
            hold("top-down, " + name, share, 100 * topdown[name] / slots)
    read_run_functions(result, section(text, "The hottest")[3:])
    read_run_counts(values, text)


def read_run_functions(result, lines):
    """The functions in the order of the result, and below each what of one percent and more was inlined into it."""
    functions, width = result["exact"]["functions"], result["exact"]["slots_per_cycle"]
    everything = sum(result["exact"]["causes"].values())
    count = sum(line[0] != " " for line in lines) - (not lines[-1].split()[1].endswith("%"))
    shown = [(2 * depth, names[-1], call) for f in functions[:count] for depth, names, call in [(0, [f["name"]], f)] + inlined(f)
             if not depth or sum(call["slots"].values()) >= everything / 100]
    for (indent, name, row), line in zip(shown, lines):
        slots, cells = sum(row["slots"].values()), line[indent + len(name):].split()
        same("functions, name", line[:indent + len(name)], " " * indent + name)
        hold("functions, %s, share" % name, cells[0], 100 * slots / everything)
        hold("functions, %s, CPI" % name, cells[1], slots / width / row["executed"])
    rest = sum(sum(f["slots"].values()) for f in functions[count:])
    same("functions, rows", len(lines), len(shown) + (count < len(functions)))
    if count < len(functions):
        same("functions, how many more", lines[-1].split()[0], str(len(functions) - count))
        hold("functions, the rest", lines[-1].split()[-4], 100 * rest / everything)


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
    for line in section(text, "What happened")[2:]:
        name, rest = line.strip().split(None, 1)
        shown = re.findall(r"[\d.]+", rest)
        same("counts, " + name, len(shown), len(right[name]))
        for cell, value in zip(shown, right[name]):
            hold("counts, " + name, cell, value)
    names = {"L1I": "l1i", "L1D": "l1d", "L2, instructions": "l2.instructions", "L2, data": "l2.data",
             "L3, instructions": "l3.instructions", "L3, data": "l3.data", "I-TLB": "itlb", "D-TLB": "dtlb"}
    for line in section(text, next(l for l in text.split("\n") if l.split()[:2] == ["accesses", "misses"]))[1:]:
        shown = next(n for n in names if line.startswith(n + " "))
        cells, name = line[len(shown):].split(), names[shown]
        accesses, misses = values[name + ".accesses"], values[name + ".misses"]
        for cell, value in zip(cells, (accesses, misses, values[name + ".pending"], 1000 * misses / instructions,
                                       100 * misses / accesses)):
            hold("caches, " + shown, cell, value)
        same("caches, " + shown, len(cells), 5)


def annotations(result):
    """Functions whose instructions a result has."""
    return ([result["annotation"]] if "annotation" in result else []) + result.get("more_annotations", []) + \
        result.get("hot_functions", [])


def read_run_csv(result, path):
    """Every row of the CSV has its number in the JSON, and every number of the JSON its row."""
    exact, wanted = result["exact"], {}
    width = exact["slots_per_cycle"]

    def add(kind, function, name, file, line, slots, executed):
        for cause, count in slots.items():
            if count:
                wanted[kind, function, name, file, line, cause, component_of(result, cause)] = (executed, count, count / width)

    instructions = result["values"]["instructions"]
    add("program", "", result["program"]["name"], "", "", exact["causes"], instructions)
    for thread in exact["threads"]:
        add("thread", "", str(thread["id"]), "", "", thread["slots"], None)
    for f in exact["functions"]:
        add("function", f["name"], f["name"], f["file"], str(f["line"] or ""), f["slots"], f["executed"])
        for line in f["lines"]:
            place = "%s:%d" % (line["file"], line["line"])
            add("line", f["name"], place, line["file"], str(line["line"]), line["slots"], line["executed"])
        for _, names, call in inlined(f):
            add("inlined", f["name"], " > ".join(names), "", "", call["slots"], call["executed"])
    for a in annotations(result):
        for i in a["instructions"]:
            add("instruction", a["function"], "%s %s" % (i["pc"], i["text"]), i["file"], str(i["line"] or ""), i["slots"], i["executed"])
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


class Page(html.parser.HTMLParser):
    """Every table of a page: its section, the titles of its columns, its rows as (level, cells)."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tables, self.tiles, self.sections, self.words = {}, {}, [], ""
        self.rows = self.cell = self.title = self.inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag in ("tr", "tbody", "tfoot", "td", "th", "table", "section", "dt", "dd"):
            self.close_cell()
        if tag == "section":
            self.sections.append(named.get("id"))
        elif tag == "table":
            self.rows = []
            self.tables.setdefault(self.sections[-1] if self.sections else "", []).append(self.rows)
        elif tag == "tr" and self.rows is not None:
            self.rows.append((int(named.get("data-l", 0)), []))
        elif tag in ("td", "th") and self.rows:
            self.cell, self.value = "", named.get("data-v")
        elif tag in ("dt", "dd"):
            self.inside, self.cell = tag, ""
        elif tag == "svg" and self.cell is not None:
            self.cell += "\0"

    def close_cell(self):
        if self.cell is None:
            return
        text = re.sub("\0[^\1]*\1|\0", "", self.cell).strip()
        if self.inside == "dt":
            self.title = text
        elif self.inside == "dd":
            self.tiles[self.title] = text
        else:
            self.rows[-1][1].append((text, self.value))
        self.cell = self.inside = None

    def handle_endtag(self, tag):
        if tag in ("table", "thead", "tbody", "dl"):
            self.close_cell()
        if tag == "svg" and self.cell is not None:
            self.cell += "\1"

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def table(self, section, titles):
        """Rows of the first table of the section that has these columns: level and {title: (text, value)}."""
        for rows in self.tables.get(section, []):
            heads = [text for text, _ in rows[0][1]]
            if all(title in heads for title in titles):
                return [(level, dict(zip(heads, cells))) for level, cells in rows[1:]]
        same("page", "no table in %s" % section, titles)
        return []


def read_run_components(result, path):
    """The table of the stack as CSV, in which shares and errors are parts of one."""
    rows = []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cause = row["component, level 2"]
            percents = [row.get(n) and "%.10f" % (100 * float(row[n])) for n in ("share", "error")]
            rows.append((cause != "", cause or row["component"], row["cycles"], "%.12f" % float(row["CPI"]), *percents))
    same("stack CSV, last row", rows.pop()[1], "total")
    read_run_stack(rows, result, "stack CSV")


def read_run_page(result, text):
    page, values = Page(text), result["values"]
    hold("page, cycles", page.tiles["cycles"], values["cycles"])
    hold("page, instructions", page.tiles["instructions"], values["instructions"])
    hold("page, CPI", page.tiles["cycles per instruction"], values["cycles"] / values["instructions"])
    hold("page, IPC", page.tiles["instructions per cycle"], values["instructions"] / values["cycles"])
    rows = [(level > 0, row["component"][0], row["cycles"][0], row["CPI"][0], row["share"][0], row.get("error", (None,))[0])
            for level, row in page.table("stack", ["component", "cycles", "CPI", "share"])
            if row["component"][0] != "total"]
    read_run_stack(rows, result, "page")
    read_run_measured(result, re.sub("<[^>]*>", " ", text), "page")
    functions, width = result["exact"]["functions"], result["exact"]["slots_per_cycle"]
    everything = sum(result["exact"]["causes"].values())
    # The eight largest components have columns; of equal ones, the first.
    exact = result["stacks"]["exact"]["components"]
    columns = sorted(exact, key=lambda name: -exact[name])[:8]
    at = iter(page.table("functions", ["function", "share", "cycles", "CPI", "executed"] + columns))
    for f in functions:
        calls = [(call, depth, names[-1]) for depth, names, call in inlined(f)]
        for place, level, name in [(f, 0, f["name"])] + calls + [(line, 1, "") for line in f["lines"]]:
            shown_level, row = next(at)
            same("page, name", row["function"][0].startswith(name), True)
            slots = sum(place["slots"].values())
            same("page, level", shown_level, level)
            hold("page, share", row["share"][0], 100 * slots / everything)
            hold("page, cycles", row["cycles"][0], slots / width)
            hold("page, CPI", row["CPI"][0], slots / width / place["executed"] if place["executed"] else None)
            hold("page, executed", row["executed"][0], place["executed"])
            stack = {}
            for cause, count in place["slots"].items():
                name = component_of(result, cause)
                stack[name] = stack.get(name, 0) + count / width
            for name in columns:
                cell = row[name][1]
                # Six digits are written.
                same("page, %s" % name, abs(float(cell or 0) - stack.get(name, 0)) <= 1e-5 * stack.get(name, 0), True)
    for _, row in page.table("architectures", ["method"]):
        method = result["stacks"][row["method"][0]]
        for name, cycles in method["components"].items():
            same("page, %s %s" % (row["method"][0], name), float(row[name][1] or 0), float(cycles))
    for _, row in page.table("values", ["value", "count", "per 1000"]):
        hold("page, values", row["count"][0], values[row["value"][0]])
        hold("page, values", row["per 1000"][0], 1000 * values[row["value"][0]] / values["instructions"])


def read_stat(result, text, path):
    shown = {}
    for line in text.split("\n"):
        match = re.match(r"(\S+) +([\d.]+|-)( |$)", line)
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
    same("stat, other numbers", [name for name in shown if not name.isdigit() and name not in ("cycles,", "Counters,")], [])
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

    tables = {"": sides(values), "component": sides(lambda run: run["stacks"]["exact"]["components"]),
              "function": sides(functions), "line": sides(lines)}
    name, seen = "", 0
    for line in text.split("\n"):
        head = re.match(r"cycles by (\w+)", line)
        name = head.group(1) if head else name if line.strip() else ""
        row = re.match(r"(?:\S (?=[a-z0-9]))?(\S.*?) +(-|[\d.]+) +(-|[\d.]+) +(-|[+-]?[\d.]+) +(-|[+-]?[\d.]+%)$", line)
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


def blocks_after(text, begins, first):
    """The blocks of a table below the line that begins so: each starts with a line that begins with FIRST."""
    lines = text.split("\n")
    at = next((i for i, line in enumerate(lines) if line.startswith(begins)), None)
    found = []
    while at is not None:
        at = next((i for i in range(at, len(lines)) if lines[i].startswith(first) and lines[i].strip()), None)
        end = next(i for i in range(at, len(lines) + 1) if i == len(lines) or not lines[i].strip()) if at is not None else 0
        found += [lines[at:end]] if at is not None else []
        at = end + 1 if at is not None and end + 1 < len(lines) and lines[end + 1].startswith(first) else None
    if not found:
        same("report", "no table", begins)
    return found


def titled(where, blocks, names, titles, rows):
    """Blocks with these TITLES, which may have several words; ROWS gives a list of the numbers of each row."""
    left, seen = list(titles), {}
    for block in blocks:
        rest = " ".join(block[0].split())[len(names):].strip()
        here = []
        while left and rest.startswith(left[0]):
            rest = rest[len(left[0]):].strip()
            here.append(len(titles) - len(left))
            left.pop(0)
        same(where + ", titles", rest, "")
        for line in block[1:]:
            name = next((n for n in sorted(rows, key=len, reverse=True) if line.startswith(n + " ")), None)
            if name is None:
                same(where, line, "a row of " + ", ".join(rows))
                continue
            cells = line[len(name):].split()
            same("%s, %s" % (where, name), len(cells), len(here))
            for column, cell in zip(here, cells):
                hold("%s, %s, %s" % (where, name, titles[column]), cell, rows[name][column])
            seen[name] = seen.get(name, 0) + 1
    same(where + ", columns", left, [])
    same(where + ", rows", sorted(seen), sorted(rows))


def judged_stacks(program):
    """The name of each stack of the program and its cycles by component, as every format shows them."""
    truth = program["truth"]
    orders = {"simulated, order A": truth["a"], "simulated, order B": truth["b"]}
    for name in ("lowest", "mean", "highest") if "all_orders" in truth else ():
        orders["all orders, " + name] = truth["all_orders"][name]
    return {**orders, **{name: method["components"] for name, method in program["methods"].items()}}


def judged_parts(result):
    """The parts of the truth that any program has, in the order of causes, and each program's in percent."""
    causes = [cause for cause in result["programs"][0]["truth"]["parts"]
              if any(p["truth"]["parts"][cause] for p in result["programs"])]
    return causes, {p["name"]: percents(p["truth"]["parts"][cause] / p["cycles"] for cause in causes)
                    for p in result["programs"]}


def percents(fractions):
    return [None if one is None else 100 * one for one in fractions]


def judged_errors(result, within=lambda one: one):
    """The table of errors: its columns, and its rows in percent."""
    summary = within(result["summary"])
    methods = list(summary["mean_error"])
    rows = {p["name"]: percents(within(p["methods"][m])["max_error"] for m in methods) for p in result["programs"]}
    rows["mean"] = percents(summary["mean_error"][m] for m in methods)
    rows["largest"] = percents(summary["largest_error"][m] for m in methods)
    return methods, rows


def folded(one):
    """Errors of a method, or over all programs, if resource is a part of base: in results of early versions, all."""
    return one.get("folded", one)


def judged_costs(result, event):
    methods = list(result["programs"][0]["per_event"][event])
    return ["events"] + methods, {p["name"]: [p["events"][event]] + [p["per_event"][event][m] for m in methods]
                                  for p in result["programs"]}


def judged_storage(result):
    summary, methods = result["summary"], result["programs"][0]["methods"]
    return {m: [methods[m]["bits"]] + percents((summary["mean_error"][m], summary["largest_error"][m])) for m in methods}


JUDGED_EVENTS = {"l1i": "Cycles per L1I miss of", "branch": "Cycles per committed misprediction",
                 "l2d": "Cycles per long data miss of"}


def read_judge_text(result, text):
    for program in result["programs"]:
        cycles, stacks = program["cycles"], judged_stacks(program)
        components = list(stacks["simulated, order A"])
        head = next(line for line in text.split("\n") if line.startswith(program["name"] + ":"))
        for shown, value in zip(re.findall(r": (\d+) instructions, (\d+) cycles, CPI ([\d.]+)", head)[0],
                                (program["instructions"], cycles, cycles / program["instructions"])):
            hold("judge, head", shown, value)
        last = ["error"] + (["range", "mean"] if "all_orders" in program["truth"] else [])
        members = ["max_error", "distance_to_range", "distance_to_mean"][:len(last)]
        rows = {name: percents([stack[c] / cycles for c in components] +
                               [program["methods"].get(name, {}).get(member) for member in members])
                for name, stack in stacks.items()}
        titled("judge", blocks_after(text, head, " "), "", components + last, rows)
        # What is called the truth: the error of a component is its distance from the farther order.
        def far(method, *parts):
            return max(abs(sum(method["components"][c] - program["truth"][o][c] for c in parts)) for o in "ab") / cycles

        for name, method in program["methods"].items():
            same("judge, %s, components" % name, sorted(method["errors"]), sorted(program["truth"]["a"]))
            for component, error in method["errors"].items():
                same("judge, %s, %s, error" % (name, component), abs(far(method, component) - error) < 1e-12, True)
            same("judge, %s, largest" % name, method["max_error"], max(method["errors"].values()))
            base = far(method, "base", "resource")
            largest = max([base] + [e for c, e in method["errors"].items() if c not in ("base", "resource")])
            same("judge, %s, base with resource" % name, abs(method["folded"]["base"] - base) < 1e-12, True)
            same("judge, %s, largest with resource in base" % name, abs(method["folded"]["max_error"] - largest) < 1e-12, True)
    for event, title in JUDGED_EVENTS.items():
        titled("judge, " + title, blocks_after(text, title, "program"), "program", *judged_costs(result, event))
    titled("judge, storage", blocks_after(text, "Storage and error", "method"), "method",
           ["bits", "mean error", "largest error"], judged_storage(result))
    titled("judge, parts", blocks_after(text, "Parts of the truth", "program"), "program", *judged_parts(result))
    titled("judge, errors", blocks_after(text, "Largest error of a component", "program"), "program", *judged_errors(result))
    titled("judge, errors with resource in base", blocks_after(text, "Largest error with resource in base", "program"),
           "program", *judged_errors(result, folded))


def read_judge_csv(result, path):
    wanted = {(p["name"], name): (p, stack) for p in result["programs"] for name, stack in judged_stacks(p).items()}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            program, stack = wanted.pop((row["program"].lstrip("'"), row["stack"]))
            method = program["methods"].get(row["stack"], {})
            same("judge CSV, cycles", float(row["cycles"]), program["cycles"])
            for component, cycles in stack.items():
                same("judge CSV, %s %s" % (row["stack"], component), abs(float(row[component]) - cycles) < 1e-6, True)
            # Fifteen digits are written.
            same("judge CSV, error", abs(float(row["error"] or -1) - method.get("max_error", -1)) < 1e-12, True)
            same("judge CSV, worst", row["worst"], method.get("worst", ""))
            same("judge CSV, bits", row["bits"] and float(row["bits"]), method.get("bits") or "")
    same("judge CSV, stacks without a row", sorted(wanted), [])


def titled_page_rows(page, table):
    """The titles and rows of the table of that id in a page: a name and cells each."""
    body = re.search(r'<table id="%s".*?</table>' % table, page, re.S)
    if not body:
        same("judge page", "no table", table)
        return [], {}
    plain = [[html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in re.split(r"<t[hd][ >][^>]*>?", row)[1:]]
             for row in re.sub("<(t[hd])>", r"<\1 >", body.group()).split("<tr")[1:]]
    return plain[0], {row[0]: row[1:] for row in plain[1:]}


def page_table(where, page, table, titles, rows):
    shown, cells = titled_page_rows(page, table)
    same(where + ", titles", shown[1:], titles)
    same(where + ", rows", sorted(cells), sorted(rows))
    for name, row in rows.items():
        for title, cell, value in zip(titles, cells.get(name, []), row):
            hold("%s, %s, %s" % (where, name, title), cell, value)


def read_judge_page(result, page):
    page_table("judge page, errors", page, "errors-by-method", *judged_errors(result))
    for event in JUDGED_EVENTS:
        page_table("judge page, " + event, page, "cycles-per-" + event, *judged_costs(result, event))
    _, cells = titled_page_rows(page, "storage-and-error")
    for method, row in judged_storage(result).items():
        for cell, value in zip(cells[method][1:], row):
            hold("judge page, storage of " + method, cell, value)
    # The parts of every bar of every card.
    cards = page[page.index('<section id="stacks"'):].split('<div class="card"')[1:]
    same("judge page, cards", len(cards), len(result["programs"]))
    names = {"truth a": "simulated, order A", "truth b": "simulated, order B"}
    for program, card in zip(result["programs"], cards):
        stacks = {n: s for n, s in judged_stacks(program).items() if not n.startswith("all orders")}
        for tip in re.findall(r'data-tip="([^"]*)"', card.split("</section>")[0]):
            title, *lines = html.unescape(tip).split("\n")
            stack = stacks.pop(names.get(title, title))
            parts = {name: shown for _, name, shown in (line.split("\t") for line in lines)}
            same("judge page, parts of " + title, sorted(parts), sorted(c for c in stack if stack[c]))
            for name, shown in parts.items():
                hold("judge page, %s, %s" % (title, name), shown, 100 * stack[name] / program["cycles"])
        same("judge page, stacks without a bar", sorted(stacks), [])


def read_claims(result, text):
    """Every claim in its order, with its verdict, test, finding and reason."""
    words = {True: "HOLDS", False: "DOES NOT HOLD", None: "NOT MEASURED"}
    wanted = ""
    for c in result["claims"]:
        counted = "; on %d of %d programs" % (c["on"], c["of"]) if "of" in c else ""
        wanted += "%s: %s (section %s) test: %s%s ours: %s " % (words[c["holds"]], c["claim"], c["section"], c["test"],
                                                              counted, c["ours"])
        wanted += "reason: %s " % c["reason"] if "reason" in c else ""
    shown = " ".join(text[text.index("The paper's claims\n"):].split("\n", 1)[1].split())
    for got, right in zip(shown.split(" test: "), wanted.strip().split(" test: ")):
        same("claims", got, right)
    same("claims, all", shown, " ".join(wanted.split()))


def read_reproduce(result, text):
    pairs = {p["name"]: "%s: %s" % (p["paper"], p["ours"]) for p in result["programs"]}
    stated = {p["name"]: p for p in result["programs"]}
    for figure in result["figures"]:
        lines = " ".join(section(text, "%s. %s" % (figure["label"], figure["title"])))
        for statement in figure["paper"]:
            same(figure["id"], " ".join(statement["text"].split()) in " ".join(lines.split()), True)

    def table(begins, names, titles, rows):
        titled(begins, blocks_after(text, begins, names), names, titles, rows)

    paper = result["paper"]["name"]
    if paper == "eyerman2006":
        programs, summary = result["judge"]["programs"], result["judge"]["summary"]
        shown = ["naive", "naive-nonspec", "power5", "fmt", "sfmt", "afmt", "exact", "simulated"]
        for label, event in (("Figure 4.", "l1i"), ("Figure 6.", "branch"), ("Figure 9.", "l2d")):
            table(label, "program", ["events"] + shown,
                  {pairs[p["name"]]: [p["events"][event]] + [p["per_event"][event][m] for m in shown] for p in programs})
        table("Table 1.", "program", ["paper", "ours", "ours, with a full window"],
              {pairs[p["name"]]: percents((stated[p["name"]]["overlap"], p["overlap"], p["overlap_full"])) for p in programs})
        methods = programs[0]["methods"]
        table("Figure 10.", "method", ["bits", "mean error", "largest error"],
              {m: [methods[m]["bits"]] + percents((folded(summary)["mean_error"][m], folded(summary)["largest_error"][m]))
               for m in methods})
        methods = [m for m in ("naive", "naive-nonspec", "power5", "fmt", "fmt-published", "fmt-rob", "sfmt", "sfmt-resolve",
                               "sfmt-counters", "sfmt-resolve-counters", "afmt", "exact")]
        table("Figure 12.", "program", methods,
              {**{pairs[p["name"]]: percents(folded(p["methods"][m])["max_error"] for m in methods) for p in programs},
               "mean": percents(folded(summary)["mean_error"][m] for m in methods)})
    elif paper == "hough2006":
        table("Figure 3. Size of the module", "N ", ["N ranges", "N signals", "N counters", "naive", "compared, 1 pc", "4 pcs"],
              {r["n"]: [r[m] for m in ("ranges", "signals", "counters", "naive", "compared", "compared_four")]
               for r in result["variations"]["storage"]})
    elif paper == "chen2008":
        programs = result["misses"]["programs"]
        table("Figure 5.", "program", ["with pending hits", "without"],
              {pairs[p["name"]]: [p["dmiss"]["unlimited"], p["dmiss_without_pending_hits"]] for p in programs})
    read_claims(result, text)


def squeezed(line):
    return re.sub(r" +", " ", line).strip()


def paragraph(text, title):
    """The lines after this one, up to an empty one."""
    lines = text.split("\n")
    if title not in lines:
        same("report", "no heading", title)
        return []
    rest = lines[lines.index(title) + 1:]
    return rest[:rest.index("")] if "" in rest else rest


def csv_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def page_rows(page, table):
    """The words of each cell of a table of a page, row by row."""
    found = re.search(r'<table id="%s".*?<tbody>(.*?)</table>' % re.escape(table), page, re.S)
    if not found:
        same("page", "no table", table)
        return []
    rows = []
    for row in re.split(r"<tr\b[^>]*>", found.group(1))[1:]:
        cells = re.split(r"<t[hd]\b[^>]*>", row)[1:]
        rows.append([html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in cells])
    return rows


def hold_all(where, shown, values):
    same(where + ", how many", len(shown), len(values))
    for cell, value in zip(shown, values):
        hold(where, cell, value)


TERMS = ("base", "branch", "icache", "dmiss")


def point_name(point):
    return " ".join("%s=%s" % pair for pair in point["set"].items()) or "(as configured)"


def point_numbers(point, is_text):
    """CPI and terms; if it was simulated the same of that, and by how much the model is off."""
    numbers = [sum(point["components"].values())] + [point["components"][n] for n in TERMS]
    if "simulated" in point:
        right = point["simulated"]
        numbers += [right["cpi"]] + [right["components"][n] for n in TERMS if n == "dmiss" or not is_text]
        numbers += [100 * (point["cpi"] / right["cpi"] - 1),
                    100 * (point["components"]["dmiss"] / right["components"]["dmiss"] - 1)]
    return numbers


def read_model_points(result, text, path, page):
    points = result["points"]
    table = paragraph(text, "All design points")
    has_techniques = len({p["technique"] for p in points}) > 1
    if not has_techniques:
        same("model, technique", table.pop(0), "Long data misses by: " + points[0]["technique"])
    # Several techniques are below the machine they are of.
    rows, last = [], None
    for point in points:
        if has_techniques and point_name(point) != last:
            rows.append((point_name(point), None))
        last = point_name(point)
        rows.append(("  " + point["technique"] if has_techniques else last, point))
    same("model, rows", len(table) - 1, len(rows))
    for (name, point), line in zip(rows, table[1:]):
        same("model, name", line.startswith(name + " ") if point else line, True if point else name)
        hold_all("model, " + name, line[len(name):].split(), point_numbers(point, True) if point else [])
    shown, lines = page_rows(page, "points"), csv_rows(path)
    same("model page and CSV, rows", [len(shown), len(lines)], [len(points)] * 2)
    for point, row, cells in zip(points, lines, shown):
        name, words = point_name(point), [*point["set"].values(), point["technique"]]
        same("model page, name", cells[:len(words)], words)
        hold_all("model page, " + name, cells[len(words) + 1:], point_numbers(point, False))
        same("model CSV, name", [row.pop(k) for k in (*point["set"], "technique")], words)
        numbers = point_numbers(point, False)
        if "simulated" in point:
            numbers[-2:] = [number / 100 for number in numbers[-2:]]
        hold_all("model CSV, " + name, list(row.values()), numbers)


def place(row):
    return ", %s:%d" % (row["file"].split("/")[-1], row["line"]) if row["file"] else ""


def window_lines(explained):
    """What is to be read of the windows, the numbers apart."""
    for window in explained["windows"]:
        for i, miss in enumerate(window["chain"]):
            words = "%d x %s%s (%s)" % (miss["misses"], miss["function"], place(miss), miss["pc"])
            if i:
                yield "through " + miss["depends_on"], [], words
            else:
                yield ("%d to %d" % (window["from"], window["to"] - 1),
                       [100 * window["cycles"] / explained["cycles"], window["windows"], window["misses"],
                        window["serialized_misses"]], window["ended_by"] + " " + words)


def read_model_explanation(explained, text, page):
    for kind, title in (("functions", "By function"), ("lines", "By line")):
        rows, shown = paragraph(text, title)[1:], page_rows(page, kind)
        same("model, " + title, [len(rows), len(shown)], [len(explained[kind])] * 2)
        for row, line, cells in zip(explained[kind], rows, shown):
            words = row["function"] + (" " + place(row)[2:] if row.get("file") else "")
            depends = ", ".join("%s %d" % pair for pair in row["depends_on"].items() if pair[1])
            numbers = [100 * row["cycles"] / explained["cycles"], sum(row["depends_on"].values()), row["misses"]]
            where = "model, %s, %s" % (title, words)
            line = squeezed(line)
            same(where, [line[:len(words)], line[-len(depends):]], [words, depends])
            hold_all(where, line[len(words):len(line) - len(depends)].split(), numbers)
            same(where + ", page", [cells[0], cells[-1]], [row["function"], depends])
            hold_all(where + ", page", cells[-4:-1], numbers)
    for row, line in zip(explained["ends"], paragraph(text, "What ended the windows")[1:]):
        same("model, ends", line.startswith(row["ended_by"] + " "), True)
        hold_all("model, ends", line[len(row["ended_by"]):].split(),
                 [100 * row["cycles"] / explained["cycles"], row["windows"], row["serialized_misses"]])
    title = "The windows that cost most, those with the same chain of misses as one"
    rows, shown, right = paragraph(text, title)[1:], page_rows(page, "windows"), list(window_lines(explained))
    same("model, windows", [len(rows), len(shown)], [len(right)] * 2)
    for (name, numbers, words), line, cells in zip(right, rows, shown):
        line = squeezed(line)
        same("model, windows", [line[:len(name)], line[-len(words):]], [name, words])
        hold_all("model, windows, " + name, line[len(name):len(line) - len(words)].split(), numbers)
        same("model page, windows", [cells[0], squeezed(" ".join(cells[-2:]))], [name, words])
        hold_all("model page, windows, " + name, [cell for cell in cells[1:-2] if cell], numbers)


def read_model(result, text, path, page):
    point, thousands = result["points"][0], result["instructions"] / 1000
    detail = point["detail"]
    head = re.search(r"(\d+) instructions; per 1000: ([\d.]+) long load misses, ([\d.]+) long store misses, "
                     r"([\d.]+) mispredictions, ([\d.]+) L1I misses", re.sub(r"\s+", " ", text))
    for shown, value in zip(head.groups(), (result["instructions"], detail["load_misses"] / thousands,
                                            detail["store_misses"] / thousands, detail["mispredictions"] / thousands,
                                            detail["fetch_misses"] / thousands)):
        hold("model, head", shown, value)
    read_model_points(result, text, path, page)
    if "explanation" in result:
        read_model_explanation(result["explanation"], text, page)
    for point in result["points"]:
        same("model, sum", abs(sum(point["components"].values()) - point["cpi"]) < 1e-9, True)


SILENT = {"none of these": "none of these", "nothing": "nothing here", "cannot be counted": "cannot be counted here"}


def read_inspect(result, text, path, page):
    events, machine = result["events"], result["machine"]
    names = [e["name"] or "%d:%d" % (e["type"], e["code"]) for e in events]
    words = {True: "yes", False: "NO", None: ""}
    has_claims = any("holds" in e for e in events)
    found = {"lines": [machine["line_bytes"]], "pages": [machine["page_bytes"]], "caches of data": machine["data_bytes"],
             "caches of instructions": machine["instruction_bytes"], "TLBs of data": machine["data_pages"],
             "TLBs of instructions": machine["instruction_pages"]}
    shown = dict(line.split(": ", 1) for line in paragraph(text, "Found on the way") if ": " in line)
    on_page = {k: html.unescape(v).strip() for k, v in re.findall(r"<dt>(.*?)<dd>(.*)", page)}
    for label, sizes in found.items():
        right = ", ".join(map(str, sizes)) + (" pages" if "TLB" in label else " bytes") if any(sizes) else None
        same("inspect, " + label, [shown.get(label), on_page.get(label)], [right, right])
    right = []
    for name, e in zip(names, events):
        if e["verdict"] in SILENT and "holds" not in e:
            continue
        claim = words[e.get("holds")] + " " if has_claims and "holds" in e else ""
        right.append("%s %s%.2f %s" % (name, claim, e["confidence"], e["verdict"]))
        right += ["or " + other for other in e["also"]]
        right += ["its name says: " + e["claim"]] if e.get("holds") is False else []
    verdicts = [squeezed(line) for line in paragraph(text, "Verdicts")[1:]]
    same("inspect, rows", len(verdicts), len(right))
    for line, wanted in zip(verdicts, right):
        same("inspect, verdict", line, wanted)
    for verdict, title in SILENT.items():
        silent = [name for name, e in zip(names, events) if e["verdict"] == verdict]
        heads = [line for line in text.split("\n") if re.match(r"\d+ events? .*%s$" % title, line)]
        same("inspect, lists of " + verdict, len(heads), 1 if silent else 0)
        if silent and heads:
            hold("inspect, how many " + verdict, heads[0].split()[0], len(silent))
            same("inspect, " + verdict, " ".join(paragraph(text, heads[0])).split(), silent)
    # Events of which something is told come first.
    events.sort(key=lambda e: e["verdict"] in SILENT and "holds" not in e)
    for e, row, cells in zip(events, csv_rows(path), page_rows(page, "verdicts")):
        name = e["name"] or "%d:%d" % (e["type"], e["code"])
        also = ", or ".join(e["also"])
        claims = [e.get("claim", ""), words[e.get("holds")]] if has_claims else []
        hold("inspect CSV, " + name, row["sure"], e["confidence"])
        hold("inspect page, " + name, cells[2], e["confidence"])
        same("inspect CSV, " + name, [v for k, v in row.items() if k != "sure"], [name, e["verdict"], also, *claims])
        same("inspect page, " + name, cells[:2] + cells[3:], [name, e["verdict"], also, *claims])
    same("inspect, all rows", [len(csv_rows(path)), len(page_rows(page, "verdicts"))], [len(events)] * 2)


def sum_of_events(metric):
    """a + 2 * b - c"""
    words = ""
    for term in metric["terms"]:
        name = term["name"] or "%d:%d" % (term["type"], term["code"])
        sign = (" - " if words else "-") if term["factor"] < 0 else " + " if words else ""
        words += sign + ("" if abs(term["factor"]) == 1 else "%g * " % abs(term["factor"])) + name
    return words


def read_compose(result, text, path, page):
    metrics, rows = result["metrics"], csv_rows(path)
    lines = [squeezed(line) for line in text.split("\n")]
    same("compose, rows", len(rows), len(metrics))
    for metric, row in zip(metrics, rows):
        answer = sum_of_events(metric) if metric["composed"] else "cannot be composed: " + metric["reason"]
        error = "%.1f%% " % (100 * metric["error"]) if metric["composed"] else "- "
        same("compose CSV", [row["metric"], row["answer"], row["perf"], row["papi"], row["meaning"]],
             [metric["name"], answer, metric.get("perf") or "", metric.get("papi") or "", metric["meaning"]])
        hold("compose CSV, error", row["error"], metric.get("error"))
        if len(metrics) > 1:
            same("compose, line of " + metric["name"], metric["name"] + " " + error + answer in lines, True)
            continue
        for kernel in metric.get("worst", []):
            same("compose, kernel", "%s %.2f %.2f" % (kernel["kernel"], kernel["expected"], kernel["found"]) in lines, True)
        if metric["composed"]:
            same("compose, sum", "sum of events: " + answer in lines, True)
            same("compose, events", "events needed: %d" % len(metric["terms"]) in lines, True)
            same("compose, error", "error: %.2f %% over %d kernels" % (100 * metric["error"], metric["kernels"]) in lines, True)
        else:
            same("compose, reason", answer in lines, True)
    for metric in metrics:
        same("compose page", html.escape(metric["meaning"], quote=False) in page, True)


# Counted values whose sum, for a thousand instructions, is a column; it is there if any run could have such a miss: the value behind it.
SWEEP_RATES = {"branch MPKI": (["branches.mispredicted"], "branches"),
               "L1I MPKI": (["l1i.misses"], "l1i.accesses"), "L1D MPKI": (["l1d.misses"], "l1d.accesses"),
               "L2 MPKI": (["l2.instructions.misses", "l2.data.misses"], "l2.data.accesses"),
               "L3 MPKI": (["l3.instructions.misses", "l3.data.misses"], "l3.data.accesses"),
               "DTLB MPKI": (["dtlb.misses"], "dtlb.accesses")}


def table_in_blocks(lines):
    """A table that is written in blocks below each other: {name of the row: {column: cell}}. Columns are told apart by
    where their titles end, since all cells but the first are aligned right."""
    rows = {}
    for line in lines:
        if not line:
            continue
        if line.startswith("machine "):
            ends = [(m.group(), m.end()) for m in re.finditer(r"(?:branch|L1I|L1D|L2|L3|DTLB) MPKI|\S+", line)]
            continue
        start = ends[0][1]
        row = rows.setdefault(line[:start].strip(), {})
        for title, end in ends[1:]:
            row[title] = line[start:end].strip()
            start = end
    return rows


def advise_shown(result, row):
    return row["gain"] is None or row["gain"] - row["error"] >= 0.005 * result["cycles"]


def advise_place(row):
    if row["scope"] == "program":
        return "the program"
    if row["scope"] == "function":
        return row["function"]
    return "%s:%d" % (row["file"].split("/")[-1], row["line"]) if row["line"] else row["instructions"][0]["pc"]


def advise_option(row):
    if row["measured"] == "windows":
        return "--what-if " + ",".join(row["changes"])
    return " ".join("--set " + change for change in row["changes"])


def advise_run(result, row):
    machine, program = result["configuration"], result["program"]
    words = ["cyclestack run --config", machine["name"], *["--set " + change for change in machine["changes"]],
             advise_option(row), program["name"], *program["arguments"]]
    return "" if row["gain"] is None else " ".join(words)


def hold_gain(where, cells, result, row, has_windows):
    """The cells of gain, error and cycles that a line goes on with; the rest of the line is given back."""
    gain = row["gain"]
    hold(where + ", gain", cells.pop(0), None if gain is None else 100 * gain / result["cycles"])
    if has_windows:
        hold(where + ", +-", cells.pop(0), 100 * row["error"] / result["cycles"] if row["error"] else None)
    hold(where + ", cycles", cells.pop(0), None if gain is None else float(round(gain)))
    return cells


def read_advise(result, text, path, page):
    software, machine, total = result["software"], result["machine"], result["cycles"]
    has_windows = any(row["measured"] == "windows" for row in software + machine)
    slots = total * result["slots_per_cycle"]
    same("advise, slots", sum(result["causes"].values()), slots)
    places = [row for row in software if advise_shown(result, row)]
    lines = section(text, "place ")[1:] if places else []
    same("advise, places", len(lines), len(places))
    for line, row in zip(lines, places):
        name = advise_place(row)
        same("advise, place", line[:len(name)], name)
        match = re.match(r"(.*) %s +(\S+%%.*)" % row["kind"], line[len(name):])
        same("advise, function", match.group(1).strip(), row["function"])
        cells = match.group(2).split()
        hold("advise, lost", cells.pop(0), 100 * sum(row["slots"].values()) / slots)
        rest = hold_gain("advise, place", cells, result, row, has_windows)
        pattern = row.get("pattern", {}).get("name", "none")
        same("advise, pattern", " ".join(rest).strip("-").strip(), "" if pattern == "none" else pattern)
    for begins, bound in (("step ", False), ("part ", True)):
        steps = [row for row in machine if row["bound"] == bound and advise_shown(result, row)]
        lines = section(text, begins)[1:] if steps else []
        same("advise, steps", len(lines), len(steps))
        for line, row in zip(lines, steps):
            start = row["what"] + " "
            same("advise, step", line[:len(start)], start)
            cells = line[len(start):].split()
            same("advise, against", cells[:len(row["causes"])], row["causes"])
            rest = hold_gain("advise, step", cells[len(row["causes"]):], result, row, has_windows)
            if not bound:
                hold("advise, kbit", rest[0], row["bits"] / 1024)
                hold("advise, cycles/kbit", rest[1], 1024 * row["gain"] / row["bits"] if row["bits"] > 0 else None)
    shown = page_rows(page, "runs-table")
    runs = [row for row in software + machine if row["gain"] is not None and advise_shown(result, row)]
    same("advise page, runs", [cells[1] for cells in shown], [advise_option(row) for row in runs])
    for row in runs:
        same("advise, run in the text", re.sub(r"\s+", " ", text).count(advise_option(row)) > 0, True)
    lines = csv_rows(path)
    same("advise CSV, rows", len(lines), len(software))
    for cells, row in zip(lines, software):
        same("advise CSV", [cells[n] for n in ("place", "kind", "scope", "function", "measured", "run")],
             [advise_place(row), row["kind"], row["scope"], row["function"], row["measured"], advise_run(result, row)])
        hold("advise CSV, lost", cells["lost"], sum(row["slots"].values()) / result["slots_per_cycle"])
        hold("advise CSV, gain", cells["gain"], row["gain"])
        hold("advise CSV, error", cells["error"], row["error"])


def read_sweep(result, text, path, page):
    programs = {}
    for run in result["runs"]:
        programs.setdefault((run["program"], *run["arguments"]), []).append(run)
    rates = {name: row for name, row in SWEEP_RATES.items() if any(r["values"][row[1]] for r in result["runs"])}

    def numbers(run, base):
        per = run["instructions"]
        shown = dict(run["settings"])
        shown.update({"cycles": run["cycles"], "IPC": per / run["cycles"], "change": run["cycles"] / base["cycles"] - 1})
        shown.update({name: 1000 * sum(run["values"][n] for n in names) / per if run["values"][of] else None
                      for name, (names, of) in rates.items()})
        return shown

    lines = csv_rows(path)
    same("sweep CSV, rows", len(lines), len(result["runs"]))
    for row, run in zip(lines, result["runs"]):
        machine = run["configuration"]
        base = next(r for r in programs[(run["program"], *run["arguments"])] if r["is_base"])
        same("sweep CSV", [row.pop("program"), row.pop("arguments"), row.pop("machine"), row.pop("changes"), row.pop("base machine")],
             [run["program"], " ".join(run["arguments"]), machine["name"], " ".join(machine["changes"]),
              "yes" if machine["sha256"] == result["configuration"]["sha256"] else "no"])
        for name, value in numbers(run, base).items():
            hold("sweep CSV, " + name, row.pop(name), value)
        hold("sweep CSV, instructions", row.pop("instructions"), run["instructions"])
        for name, cell in row.items():
            hold("sweep CSV, " + name, cell, run["components"].get(name))
    for number, (program, runs) in enumerate(programs.items(), 1):
        heading = "%s: %d instructions" % (" ".join(program), runs[0]["instructions"])
        rest = text.split("\n" + heading + "\n")[1].split(" instructions\n")[0].split("\n")
        table = table_in_blocks(rest[:-1] if "instructions\n" in text.split("\n" + heading + "\n")[1] else rest)
        shown = page_rows(page, "machines-%d" % number)
        same("sweep, rows", [len(table), len(shown)], [len(runs)] * 2)
        base = next(r for r in runs if r["is_base"])
        for place, (run, cells) in enumerate(zip(runs, shown), 1):
            name = "base" if run["is_base"] else str(place)
            per = run["instructions"]
            wanted = numbers(run, base)
            change = wanted.pop("change")
            wanted.update({"CPI": run["cycles"] / per, "change": 100 * change})
            # In the order of the page: what was set, then cycles, and the parts at the end.
            order = result["swept"] + ["cycles", "IPC", "CPI", "change"] + list(rates)
            parts = {n: run["components"][n] / per if n in run["components"] else None for n in runs[0]["components"]}
            for title in order + list(parts):
                hold("sweep, %s, %s, %s" % (program, name, title), table[name][title],
                     wanted[title] if title in wanted else parts[title])
            # On a page a part that is zero is a point, and the bar between the numbers has no words.
            same("sweep page, name", cells[0], name)
            hold_all("sweep page, %s, %s" % (program, name),
                     ["0" if c == "\u00b7" else c for c in cells[1:1 + len(order)] + cells[2 + len(order):]],
                     [wanted[t] for t in order] + list(parts.values()))
            same("sweep, sum", sum(run["components"].values()), run["cycles"])


def read_exec(result, text, path, page):
    figures = {"instructions": result["instructions"], "bytes of memory": result["memory_bytes"]}
    tiles = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    for label, value in figures.items():
        hold("exec, " + label, re.search(label + r" (\d+)", text).group(1), value)
        hold("exec page, " + label, tiles[label], value)
    same("exec, status", "exit status: %d" % result["status"] in text.split("\n"), True)
    same("exec, hash", "program, SHA-256: " + result["program"]["sha256"] in text.split("\n"), True)
    calls = result["syscalls"]
    shown = {"text": [line.split() for line in paragraph(text, "System calls")[1:]],
             "page": page_rows(page, "calls-table"), "CSV": [list(row.values()) for row in csv_rows(path)]}
    for where, rows in shown.items():
        same("exec, calls in " + where, [name for name, _ in rows if name], list(calls))
        for name, times in rows:
            hold("exec, %s in %s" % (name, where), times, calls[name])


def read_signals(result, text, path, page):
    signals = result["signals"]
    head, *rows = [line for line in text.split("\n") if line]
    same("signals, head", head.split(), ["signal", "source", "unit", "owner", "meaning"])
    shown, lines = page_rows(page, "signals"), csv_rows(path)
    same("signals, rows", [len(rows), len(shown), len(lines)], [len(signals)] * 3)
    for signal, line, cells, row in zip(signals, rows, shown, lines):
        words = [signal[n] for n in ("name", "source", "unit", "owner", "meaning")]
        same("signals, " + signal["name"], squeezed(line), squeezed(" ".join(words)))
        same("signals page, " + signal["name"], cells, words[:4] + [signal["category"], signal["meaning"]])
        same("signals CSV, " + signal["name"], list(row.values()), words[:4] + [signal["category"], signal["meaning"]])


def main():
    kind, *paths = sys.argv[1:]
    if kind == "run":
        result = load(paths[0])
        read_run_text(result, text_of(paths[1]))
        read_run_csv(result, paths[2])
        read_run_page(result, text_of(paths[3]))
        for path in paths[4:]:
            read_run_components(result, path)
    elif kind == "stat":
        read_stat(load(paths[0]), text_of(paths[1]), paths[2])
    elif kind == "diff":
        read_diff(load(paths[0]), load(paths[1]), load(paths[2]), text_of(paths[3]))
    elif kind == "judge":
        result = load(paths[0])
        read_judge_text(result, text_of(paths[1]))
        read_judge_csv(result, paths[2])
        read_judge_page(result, text_of(paths[3]))
    elif kind == "reproduce":
        read_reproduce(load(paths[0]), text_of(paths[1]))
    else:
        readers = {"model": read_model, "inspect": read_inspect, "sweep": read_sweep, "advise": read_advise, "exec": read_exec,
                   "signals": read_signals, "compose": read_compose}
        readers[kind](load(paths[0]), text_of(paths[1]), paths[2], text_of(paths[3]))
    print("%d numbers, %d wrong" % (held, wrong))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
