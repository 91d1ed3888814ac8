#!/bin/bash
# What a page says of branches, loads and stores is what an independent reader counts in an exported trace of the same
# program, on cores of both kinds; and a page is what asks for it.
. "$(dirname "$0")/../head.sh"
needs python3 riscv64-linux-gnu-readelf
reader=$root/tests/report/read_sites.py
elf=$work/jumps
"$cross" -O1 -static -o "$elf" "$root/tests/callers/jumps.c" || tap_not_ok "the program builds"
"$cyclestack" trace record --output t "$elf" >/dev/null 2>&1 </dev/null
"$cyclestack" trace export --output t.records t >/dev/null 2>&1

# holds TITLE LEAST
holds() {
	local answer
	answer=$(python3 "$reader" r.json "$elf" t.records 2>&1)
	if [[ $answer =~ ^([0-9]+)\ held,\ 0\ wrong$ ]] && [ "${BASH_REMATCH[1]}" -ge "$2" ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$answer"
	fi
}

for machine in midcore haswell-like u74; do
	"$cyclestack" run -q --config $machine --gain-budget none --html r.html --json r.json "$elf" >/dev/null 2>err
	tap_is "$machine: runs" "$? $(cat err)" "0 "
	holds "$machine: branches, loads and stores are those of the trace" 1000
done
python3 -c 'import json
r = json.load(open("r.json"))
next(i for f in r["hot_functions"] for i in f["instructions"] if "branches" in i)["branches"]["taken"] += 1
json.dump(r, open("r.json", "w"))'
tap_check "the reader notices a branch that was taken more often" \
	sh -c "! python3 '$reader' r.json '$elf' t.records | grep -q ' 0 wrong'"

# members OPTION...: which of these members the result has, and whether it says what happened at instructions
members() {
	"$cyclestack" run -q --gain-budget none --json m.json "$@" "$elf" >/dev/null 2>&1
	python3 -c 'import json
r = json.load(open("m.json"))
names = [n for n in ("annotation", "hot_functions") if n in r]
functions = [f for n in names for f in (r[n] if isinstance(r[n], list) else [r[n]])]
print(*names, *["sites"] * any("accesses" in insn for f in functions for insn in f["instructions"]))'
}
tap_is "a run by itself has no instructions" "$(members)" ""
tap_is "one with a page has those of hot functions" "$(members --html m.html)" "hot_functions sites"
tap_is "one with --annotate has those of that function" "$(members --html m.html --annotate main)" "annotation sites"
tap_is "--annotate none leaves them out of a page" "$(members --html m.html --annotate none)" ""
tap_done
