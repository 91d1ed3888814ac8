#!/bin/bash
# `explain`: words that are several things, patterns, words that are none, formats, widths; and what usually helps: every
# parameter it names is one, and every command in it is accepted.
. "$(dirname "$0")/../head.sh"
needs python3
needs_workloads

# kinds WORD...: what is found, as NAME:KIND. In CSV a quote keeps a spreadsheet from taking a name for a formula.
kinds() {
	"$cyclestack" explain --csv - -- "$@" | tail -n +2 | python3 -c 'import csv, sys
print(" ".join("%s:%s" % (row[0].lstrip(chr(39)), row[1].replace(" ", "-")) for row in csv.reader(sys.stdin)))'
}
# refused NAME SENTENCE WORD...: status 2, nothing on standard output.
refused() {
	local name=$1 sentence=$2 got
	shift 2
	got=$("$cyclestack" explain "$@" 2>&1 >out </dev/null)
	tap_is "$name" "$? $(cat out)$got" "2 cyclestack: $sentence (see: cyclestack explain --help)"
}
all="\`cyclestack explain\` lists what can be"

tap_is "a component and a cause of one name" "$(kinds l2d)" "l2d:component l2d:cause"
tap_is "a cause and an option of one name" "$(kinds replay)" "replay:cause --replay:option"
tap_is "two levels of top-down analysis" "$(kinds retiring)" "retiring:top-down-category retiring:top-down-category"
tap_is "a command and options that it shows" "$(kinds signals | tr ' ' '\n' | head -n 1)" "signals:command"
tap_is "words in their order, each thing once" "$(kinds rob.size l2d rob.size 'rob.siz?')" \
	"rob.size:parameter l2d:component l2d:cause"
tap_is "patterns are those of signals" "$(kinds 'head.l?d')" \
	"$("$cyclestack" signals --csv - 'head.l?d' | tail -n +2 | sed 's/,.*/:signal/' | tr '\n' ' ' | sed 's/ $//')"
tap_check "and there are some" test "$(kinds 'head.l?d' | wc -w)" -ge 3
tap_is "a preset and a workload, with its size or without" "$(kinds leon2 @chess:small) $(kinds chess)" \
	"leon2:preset @chess:workload @chess:workload"
tap_is "capital or small" "$(kinds MPKI Ipc) $(kinds mpki)" "MPKI:unit IPC:unit MPKI:unit"
tap_is "an option as it is written" "$("$cyclestack" explain --within)" "$("$cyclestack" explain within)"
tap_is "which commands have it" "$("$cyclestack" explain --within | sed -n 's/^commands: //p')" "run, judge"
for command in $("$cyclestack" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	"$cyclestack" "$command" --help | grep -q -- '^  --within ' && echo "$command"
done >have
tap_is "as their help says" "$(tr '\n' ' ' <have)" "run judge "
tap_is "an option that explain has" "$("$cyclestack" explain -- --json | sed -n 2p)" "--json (option)"
tap_is "a letter" "$("$cyclestack" explain -e | sed -n 2p)" "--events (option)"
tap_is "a parameter's value is that of the machine" "$("$cyclestack" explain rob.size | sed -n 's/^in midcore: //p')" \
	"$("$cyclestack" config dump | sed -n '/^rob = /,/}/s/.*size = \([0-9]*\);.*/\1/p')"

refused "a word that is near" "nothing is called \"unit.int_muldv\"; did you mean unit.int_muldiv? $all" unit.int_muldv
refused "a word that is not near" "nothing is called \"qqqqqqqqqqqq\"; $all" l2d qqqqqqqqqqqq
refused "an option that is near" "nothing is called \"--withn\"; did you mean --within? $all" --withn
refused "a pattern without a name" "nothing is called \"zzzz*\"; $all" 'zzzz*'
refused "no word at all" "nothing is called \"\"; $all" ""
tap_is "a file that cannot be written" "$("$cyclestack" explain --json none/x l2d 2>&1; echo $?)" "cyclestack: cannot write none/x: No such file or directory
125"

# Formats.
"$cyclestack" explain --json l2d.json --html l2d.html --csv l2d.csv l2d rob.size >out
tap_is "another format instead of text" "$? $(cat out)" "0 "
tap_is "as JSON" "$(python3 -c 'import json
r = json.load(open("l2d.json"))
print(r["schema"], "kinds" in r, *[t["kind"] for t in r["explained"]])')" "cyclestack-explain-1 False component cause parameter"
tap_is "as CSV" "$(sed -n '1p; 4p' l2d.csv)" "name,kind,meaning,facts,helps
rob.size,parameter,reorder buffer entries,\"takes: a whole number from 4 to 1024; in midcore: 192; machines: core.kind = ooo; set by: \
run --set, run --what-if\","
tap_check "as a page" grep -q 'rob.size (parameter)' l2d.html
tap_is "show prints it again" "$("$cyclestack" show l2d.json)" "$("$cyclestack" explain l2d rob.size)"
for width in 40 80; do
	COLUMNS=$width "$cyclestack" explain '*' >wide
	tap_is "no line is wider than $width columns" "$(awk -v most=$width 'length > most && $0 !~ /^[^ ]*$/' wide | head -n 3)" ""
done
tap_check "of many lines" test "$(wc -l <wide)" -gt 4000

# Without a word: every kind with how many there are, all components and causes.
"$cyclestack" explain --json all.json
"$cyclestack" explain >list
tap_is "components and causes of the tables" "$(awk '$2 == "component" || $2 == "cause" { print $1 }' list)" \
	"$(sed -n 's/^\(COMPONENT\|CAUSE\)([A-Z0-9_]*, "\([^"]*\)".*/\2/p' "$root/src/value/components.def" "$root/src/value/causes.def")"
"$cyclestack" explain --csv - '*' | python3 -c 'import csv, sys
from collections import Counter
for kind, count in sorted(Counter(row[1] for row in list(csv.reader(sys.stdin))[1:]).items()):
	print(kind, count)' >counted
tap_is "as many of each kind as there are" "$(python3 -c 'import json
print("\n".join(sorted("%s %d" % (k["name"], k["count"]) for k in json.load(open("all.json"))["kinds"])))')" "$(LC_ALL=C sort counted)"
tap_is "as many signals as signals lists" "$(sed -n 's/^signal //p' counted)" "$("$cyclestack" signals --csv - | tail -n +2 | wc -l)"
tap_is "as many parameters as config lists" "$(sed -n 's/^parameter //p' counted)" "$("$cyclestack" config keys --names | wc -l)"

# What usually helps. On one of these machines each command must be accepted: out of order with two levels of cache and
# with three, in order.
machines=(midcore haswell-like u74)
for machine in "${machines[@]}"; do
	"$cyclestack" config dump --config "$machine" --json - |
		python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)["parameters"]))'
done | sort -u >parameters
python3 - <<'END'
import json, re
things = json.load(open("all.json"))["explained"]
known = set(open("parameters").read().split())
wrong, commands = open("wrong", "w"), open("commands", "w")
for thing in things:
    text = thing.get("helps", "")
    if len(text) < 10 or not text.endswith("."):
        print(thing["name"], "has no helps", file=wrong)
    for key in re.findall(r"\b[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*\b", text):
        if key not in known:
            print(thing["name"], "names", key, file=wrong)
    for command in re.findall(r"`([^`]*)`", text):
        print(command, file=commands)
    if "--" in re.sub(r"`[^`]*`", "", text):
        print(thing["name"], "has a command without quotes", file=wrong)
END
tap_is "every component and cause has helps, of parameters that there are" "$(cat wrong)" ""
sort -u -o commands commands
tap_check "there are commands in them" test "$(wc -l <commands)" -ge 25
tap_is "which run" "$(grep -cv '^run --\(set\|what-if\) ' commands)" 0
while read -r -a words; do
	for machine in "${machines[@]}"; do
		"$cyclestack" "${words[@]}" --config "$machine" --max-insns 2000 @hanoi:test >run.txt 2>err </dev/null
		[ $? = 124 ] && break
	done
	if [ "${words[1]}" = --what-if ]; then
		tap_check "${words[*]} is answered" grep -q "^${words[2]%%=*}" <(sed -n '/^What if/,$p' run.txt)
	else
		tap_is "${words[*]} is accepted" "$(cat err)" "cyclestack: stopped by --max-insns after 2000 instructions: the result is partial"
	fi
done <commands
tap_done
