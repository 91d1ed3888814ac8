"""Small mistakes that can be made in C source: found by patterns, drawn by a number; for tools/mutate."""
import importlib.machinery
import importlib.util
import os
import random
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

WORD = r"[A-Za-z_][A-Za-z0-9_]*"
# Kind, what is looked for in code (comments and strings blanked), and what it may become.
REPLACEMENTS = [
    ("comparison", r"(?<=[^<>=!+\-*/&|^%])<=(?!=)", ["<", "=="]),
    ("comparison", r"(?<=[^<>=!\-])>=(?!=)", [">", "=="]),
    ("comparison", r"(?<= )<(?= )", ["<=", ">"]),
    ("comparison", r"(?<= )>(?= )", [">=", "<"]),
    ("comparison", r"==", ["!="]),
    ("comparison", r"!=", ["=="]),
    ("condition", r"(?<= )&&(?= )", ["||"]),
    ("condition", r"(?<= )\|\|(?= )", ["&&"]),
    ("off by one", r" \+ 1\b(?![.x])", ["", " + 2"]),
    ("off by one", r" - 1\b(?![.x])", ["", " - 2"]),
    ("assignment", r"(?<= )\+=(?= )", ["-=", "="]),
    ("assignment", r"(?<= )-=(?= )", ["+="]),
    ("assignment", r"(?<= )\|=(?= )", ["&=", "="]),
    # Not the step of a loop, which would only never end.
    ("assignment", r"\+\+(?!\))", ["--"]),
    ("operator", r"(?<=[\w)\]] )\+(?= [\w(&])", ["-"]),
    ("operator", r"(?<=[\w)\]] )-(?= [\w(&])", ["+"]),
    ("operator", r"(?<=[\w)\]] )<<(?= )", [">>"]),
    ("operator", r"(?<=[\w)\]] )>>(?= )", ["<<"]),
]


class Mutant:
    """One replacement in one file: [start, end) of its text becomes new."""

    def __init__(self, path, start, end, new, kind):
        self.path, self.start, self.end, self.new, self.kind = path, start, end, new, kind

    def apply(self, text):
        return text[: self.start] + self.new + text[self.end :]


def blanked(text):
    """The same length, with comments, strings, characters and preprocessor lines replaced by blanks."""
    pattern = re.compile(
        r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M
    )
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def matching(code, opening):
    """The place of the parenthesis that closes the one at OPENING, or None."""
    depth = 0
    for place in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return None


def neighbours_of_fields(texts):
    """For each member name, the members declared beside it with the same type."""
    beside = {}
    for text in texts:
        for body in re.findall(r"\bstruct(?: \w+)? \{([^{}]*)\}", blanked(text)):
            members = []
            for declaration in body.split(";"):
                parts = re.fullmatch(r"\s*((?:%s\s+)+\**)(.+)" % WORD, declaration, re.S)
                if not parts:
                    continue
                for name in parts.group(2).split(","):
                    bare = re.fullmatch(r"\s*(\**)(%s)\s*((?:\[[^\]]*\])*)\s*" % WORD, name)
                    if bare:
                        kind = (" ".join(parts.group(1).split()) + bare.group(1), bare.group(3))
                        members.append((bare.group(2), kind))
            for (first, kind), (second, other) in zip(members, members[1:]):
                if kind == other and first != second:
                    beside.setdefault(first, set()).add(second)
                    beside.setdefault(second, set()).add(first)
    return {name: sorted(others) for name, others in beside.items()}


def mutants_of_table(path, text):
    """A value of a row of a .def file becomes the value at the same place of the row after it."""
    code, found = blanked(text), []
    rows = []
    for row in re.finditer(r"^(%s)\(" % WORD, code, re.M):
        close = matching(code, row.end() - 1)
        if close is None:
            continue
        values, start, depth = [], row.end(), 0
        for place in range(row.end(), close + 1):
            if code[place] in "([{":
                depth += 1
            elif code[place] in ")]}" and place != close:
                depth -= 1
            elif (code[place] == "," and depth == 0) or place == close:
                values.append((start, place))
                start = place + 1
        rows.append((row.group(1), values))
    for (name, values), (other, following) in zip(rows, rows[1:]):
        if name != other or len(values) != len(following):
            continue
        # The first value is the row's own name: two rows with one name do not compile.
        for here, there in list(zip(values, following))[1:]:
            mine, its = text[slice(*here)], text[slice(*there)]
            if mine.strip() != its.strip() and '"' not in mine + its:
                found.append(Mutant(path, *here, its, "row of a table"))
    return found


def mutants_of(path, text, beside):
    if path.endswith(".def"):
        return mutants_of_table(path, text)
    code, found = blanked(text), []
    for kind, pattern, becomes in REPLACEMENTS:
        for match in re.finditer(pattern, code):
            for new in becomes:
                found.append(Mutant(path, *match.span(), new, kind))
    for match in re.finditer(r"(?<![\w.])(\d+)(?:u|ul|ull|U)?(?![\w.])", code):
        if re.fullmatch(r"0[0-9]+", match.group(1)):
            continue  # Octal: modes of files, which one more makes nonsense of.
        value = int(match.group(1))
        end = match.start() + len(match.group(1))
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        if re.search(r"\benum\b|_Static_assert|^\t*[A-Z_0-9]+ = $", line):
            continue
        found.append(Mutant(path, match.start(), end, str(value + 1), "constant"))
        if value > 1:
            found.append(Mutant(path, match.start(), end, str(value - 1), "constant"))
    for match in re.finditer(r"\b(if|while) \(", code):
        close = matching(code, match.end() - 1)
        if close is None:
            continue
        condition = text[match.end() : close]
        found.append(Mutant(path, match.end(), close, "!(" + condition + ")", "condition negated"))
        if match.group(1) == "if":
            for new in ("(%s) && 0", "(%s) || 1"):
                found.append(Mutant(path, match.end(), close, new % condition, "condition dropped"))
    for match in re.finditer(r"(?<=[;{}]\n)(\t+)(%s[^=;{}()]*) (=|\+=|-=|\|=|&=) ([^;{}]*);" % WORD, code):
        left = match.group(2)
        # A declaration with a value is a use of a name that would then be missing.
        if " " not in left.strip():
            found.append(Mutant(path, match.start(2), match.end(), ";", "assignment dropped"))
    for match in re.finditer(r"(?<=[;{}]\n)(\t+)(%s)\(([^;{}]*)\);" % WORD, code):
        if match.group(2) not in ("return", "assert", "free", "sizeof", "switch", "if", "while", "for"):
            found.append(Mutant(path, match.start(2), match.end(), ";", "call dropped"))
    for match in re.finditer(r"(?:->|\.)(%s)\b(?!\()" % WORD, code):
        for other in beside.get(match.group(1), []):
            found.append(Mutant(path, *match.span(1), other, "neighbouring field"))
    return found


class Drawing:
    """The mutants in the order in which SEED draws them, without repetition."""

    def __init__(self, seed, within):
        paths = subprocess.run(["git", "ls-files", within], cwd=ROOT, capture_output=True, text=True,
                               check=True).stdout.split()
        self.texts = {}
        for path in paths:
            if path.startswith("src/") and path.endswith((".c", ".h", ".def")):
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    self.texts[path] = file.read()
        if not self.texts:
            sys.exit("mutate: no C source under %s; expected a folder or file of src/" % within)
        everything = []
        for path in subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True,
                                   check=True).stdout.split():
            if path.endswith((".c", ".h")):
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    everything.append(file.read())
        beside = neighbours_of_fields(everything)
        self.by_file = {}
        for path, text in self.texts.items():
            kinds = {}
            for mutant in mutants_of(path, text, beside):
                kinds.setdefault(mutant.kind, []).append(mutant)
            if kinds:
                self.by_file[path] = kinds
        self.paths = sorted(self.by_file)
        self.weights = [self.texts[path].count("\n") for path in self.paths]
        self.random = random.Random(seed)

    def next(self):
        while self.paths:
            at = self.random.choices(range(len(self.paths)), self.weights)[0]
            kinds = self.by_file[self.paths[at]]
            if not kinds:
                del self.paths[at], self.weights[at]
                continue
            kind = self.random.choice(sorted(kinds))
            place = self.random.randrange(len(kinds[kind]))
            mutant = kinds[kind].pop(place)
            if not kinds[kind]:
                del kinds[kind]
            return mutant
        return None


def difference(mutant, text):
    """A diff of the line, as `diff -u` shows it."""
    line = text.count("\n", 0, mutant.start) + 1
    start = text.rfind("\n", 0, mutant.start) + 1
    end = text.find("\n", mutant.end)
    old = text[start:end]
    new = text[start : mutant.start] + mutant.new + text[mutant.end : end]
    return "%s:%d (%s)\n%s\n%s" % (mutant.path, line, mutant.kind, "\n".join("-" + l for l in old.split("\n")),
                                   "\n".join("+" + l for l in new.split("\n")))


def load_tool(name):
    """Another script of this folder, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(ROOT, "tools", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
