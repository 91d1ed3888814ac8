#!/bin/bash
# `cyclestack diff`: what changed between two results, and whether it changed too much.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
see=" (see: cyclestack diff --help)"

# says TITLE STATUS TEXT OPERAND...: the exit status and everything printed are these.
says() {
	local title=$1 status=$2 wanted=$3 got
	shift 3
	got=$("$cyclestack" diff "$@" 2>&1 </dev/null)
	tap_is "$title" "$? $got" "$status $wanted"
}

# shows TITLE TEXT OPERAND...: the tables are these, whatever the width of their columns.
shows() {
	local title=$1 wanted=$2
	shift 2
	tap_is "$title" "$("$cyclestack" diff "$@" 2>&1 </dev/null | sed -n '/^In all/,$p' | sed 's/  */ /g; s/^ //')" "$wanted"
}

# result FILE CYCLES INSTRUCTIONS OTHER...: a result of run; OTHER are members of "values".
# PROGRAM, CONFIGURATION, SKIPPED, PARTIAL and STATUS change the rest of it.
result() {
	local file=$1 cycles=$2 instructions=$3 others
	shift 3
	others=$(printf ', %s' "$@")
	[ $# -gt 0 ] || others=
	cat >"$file" <<END
{"schema": "cyclestack-run-1",
 "program": {"name": "sort", "sha256": "${PROGRAM:-00112233445566778899}"},
 "configuration": {"name": "${NAME:-eyerman2006}", "sha256": "${CONFIGURATION:-aabbccddeeff00112233}"},
 "skipped_instructions": ${SKIPPED:-0}, "partial": ${PARTIAL:-false}, "status": ${STATUS:-0},
 "values": {"cycles": $cycles, "instructions": $instructions$others}}
END
}

result a.json 1000 2000 '"loads": 300' '"l1d.misses": 7' '"stores": 40' '"l3.data.misses": 0' '"gone": 5'
result b.json 1100 2000 '"loads": 300' '"l1d.misses": 14' '"stores": 30' '"l3.data.misses": 2' '"new": 6'
shows "cycles, instructions and CPI come first, then what differs, in the order of the file" "\
In all
A B difference percent
cycles 1000 1100 +100 +10.00%
instructions 2000 2000 0 0.00%
CPI 0.500 0.550 +0.050 +10.00%

Values that differ
A B difference percent
l1d.misses 7 14 +7 +100.00%
stores 40 30 -10 -25.00%
l3.data.misses 0 2 +2 -
gone 5 - - -
new - 6 - -" a.json b.json
same="\
In all
A B difference percent
cycles 1000 1000 0 0.00%
instructions 2000 2000 0 0.00%
CPI 0.500 0.500 0.000 0.00%
no value differs"
shows "a result does not differ from itself" "$same" a.json a.json
cp a.json copy.json
shows "nor from a copy" "$same" a.json copy.json
# Without its first lines: notes, an empty line, then the table.
notes() {
	"$cyclestack" diff "$@" 2>&1 | sed -n 's/^note: //p'
}
PROGRAM=ffeeddccbbaa99887766 result program.json 1000 2000
tap_is "another program is noted" "$(notes a.json program.json)" \
	"the programs differ: sort (001122334455) and sort (ffeeddccbbaa)"
NAME=chen2008 CONFIGURATION=99887766554433221100 result machine.json 1000 2000
tap_is "another configuration is noted" "$(notes a.json machine.json)" \
	"the configurations differ: eyerman2006 (aabbccddeeff) and chen2008 (998877665544)"
# The machine with its parameters, as a result has it since 0.2.0.
machine() {
	sed "3s/\"sha256\": \"[a-f0-9]*\"}/\"sha256\": \"$2\", \"parameters\": {$3}}/" a.json >"$1"
}
machine one.json 11 '"rob.size": 128, "l1d.ideal": false, "core.kind": "ooo", "rob.old": 3'
machine two.json 22 '"rob.size": 64, "l1d.ideal": true, "core.kind": "ooo", "rob.new": "a+b"'
tap_is "parameters that differ are named" "$(COLUMNS=200 notes one.json two.json)" "the configurations differ in 4 \
parameters: rob.size: 128 -> 64, l1d.ideal: false -> true, rob.old: 3 -> none, rob.new: none -> a+b"
"$cyclestack" diff --json parameters.json one.json two.json >text.out
tap_is "and are in the JSON, once" "$(tr -d ' \n' <parameters.json | grep -o '"parameters":[^]]*]')" \
	'"parameters":[{"key":"rob.size","a":128,"b":64},{"key":"l1d.ideal","a":false,"b":true},'\
'{"key":"rob.old","a":3,"b":null},{"key":"rob.new","a":null,"b":"a+b"}]'
tap_is "which text does not repeat" "$(grep -c '^Parameters' text.out)" 0
machine many.json 33 '"rob.size": 1, "l1d.ideal": true, "core.kind": "inorder", "rob.new": "a+b"'
tap_is "more than four are counted" "$(notes one.json many.json)" "the configurations differ in 5 parameters"
tap_is "and listed" "$("$cyclestack" diff one.json many.json | sed -n '/^Parameters/,/^$/p' | sed 's/  */ /g; s/ $//')" "\
Parameters of the machines that differ
parameter A B
rob.size 128 1
l1d.ideal false true
core.kind ooo inorder
rob.old 3 -
rob.new - a+b
no value differs"
tap_is "without those of one machine, the hashes are told" "$(notes one.json a.json)" \
	"the configurations differ: eyerman2006 (11) and eyerman2006 (aabbccddeeff)"
machine same.json 44 '"rob.size": 128, "l1d.ideal": false, "core.kind": "ooo", "rob.old": 3'
tap_is "and where no parameter explains that they differ" "$(notes one.json same.json)" \
	"the configurations differ: eyerman2006 (11) and eyerman2006 (44)"
machine hostile.json 55 '"rob.size": [1], "l1d.ideal": true'
says "a parameter that is no value" 125 "cyclestack: hostile.json: configuration.parameters.rob.size is not text, a whole number, true or false" hostile.json one.json
NAME=./my.cfg result named.json 1000 2000
tap_is "another name for the same configuration is not" "$(notes a.json named.json)" ""
result longer.json 1000 2001
tap_is "another number of instructions is noted" "$(notes a.json longer.json)" \
	"the same program ran a different number of instructions: its arguments or input differ"
SKIPPED=50 result later.json 1000 2000
tap_is "another beginning is noted" "$(notes a.json later.json)" "A begins after 0 instructions, B after 50"
STATUS=139 result killed.json 1000 2000
tap_is "another status is noted" "$(notes a.json killed.json)" "A ended with status 0, B with 139"

# above TITLE STATUS LIMIT A B
above() {
	"$cyclestack" diff --fail-above "$3" "$4" "$5" >above.out 2>above.err
	tap_is "$1" "$?" "$2"
}
above "growth of 10% is above 9.999999%" 1 9.999999% a.json b.json
tap_is "which is told" "$(cat above.err)" "cyclestack: cycles grew by 10.00%, above the 9.999999% allowed"
tap_check "after the comparison" grep -q '^cycles  *1000  *1100' above.out
above "growth of 10% is not above 10%" 0 10% a.json b.json
tap_is "of which nothing is said" "$(cat above.err)" ""
above "the sign may be left out" 0 10 a.json b.json
above "0% allows no growth" 1 0% a.json b.json
above "0% allows what is equal" 0 0% a.json a.json
above "going down is never above" 0 0% b.json a.json
result thousand.json 1000 2000
result third.json 1003 2000
above "growth of 0.3% is not above 0.3%" 0 0.3% thousand.json third.json
above "growth of 0.3% is above 0.299999%" 1 0.299999% thousand.json third.json
result zero.json 0 0
above "from no cycles, any are above" 1 1000% zero.json a.json
above "no cycles are not above no cycles" 0 0% zero.json zero.json
for limit in % -1 1x 1%% 1..5 .5 1. 1e3 0x1 nan inf 0.1234567 99999999999; do
	says "\"$limit\" is not a percentage" 2 "cyclestack: --fail-above: \"$limit\" is not a percentage such as 1% or \
0.5% (at most 6 decimals)$see" --fail-above "$limit" a.json b.json
done

"$cyclestack" diff --fail-above 5% --json diff.json a.json b.json >text.out 2>/dev/null
tap_is "the comparison is JSON too, with the verdict" "$? $(tr -d ' \n' <diff.json)" '1 {"schema":"cyclestack-diff-1",'\
'"compared":"cyclestack-run-1",'\
'"a":{"program":{"name":"sort","sha256":"00112233445566778899"},"configuration":{"name":"eyerman2006","sha256":"aabbccddeeff00112233"},"partial":false,"status":0},'\
'"b":{"program":{"name":"sort","sha256":"00112233445566778899"},"configuration":{"name":"eyerman2006","sha256":"aabbccddeeff00112233"},"partial":false,"status":0},'\
'"notes":[],"difference_count":6,"fail_above_percent":5.0,"is_above":true,"values":['\
'{"name":"cycles","a":1000,"b":1100,"difference":100,"percent":10.0},'\
'{"name":"instructions","a":2000,"b":2000,"difference":0,"percent":0.0},'\
'{"name":"CPI","a":0.5,"b":0.55000000000000004,"difference":0.050000000000000044,"percent":10.000000000000009},'\
'{"name":"l1d.misses","a":7,"b":14,"difference":7,"percent":100.0},'\
'{"name":"stores","a":40,"b":30,"difference":-10,"percent":-25.0},'\
'{"name":"l3.data.misses","a":0,"b":2,"difference":2,"percent":null},'\
'{"name":"gone","a":5,"b":null,"difference":null,"percent":null},'\
'{"name":"new","a":null,"b":6,"difference":null,"percent":null}]}'
tap_check "the text is printed as well" grep -q '^cycles  *1000  *1100' text.out
"$cyclestack" diff --json - a.json b.json >dash.out
tap_is "--json - prints the JSON alone" "$? $(head -n 1 dash.out) $(grep -c '^cycles' dash.out)" "0 { 0"
says "an unwritable file is told" 125 "$("$cyclestack" diff a.json b.json)
cyclestack: cannot write none/x.json: No such file or directory" --json none/x.json a.json b.json

# Where the cycles went, by component, function and line. The second machine divides a cycle into two
# slots, not four; its l2d misses take 80 cycles less, and one function of two is another.
sample=$root/tests/report/sort.json
sed 's/"cycles": 1000/"cycles": 920/; s/"slots_per_cycle": 4/"slots_per_cycle": 2/
	s/"l2d": 300/"l2d": 220/; s/"(below main)"/"start"/
	s/"base": 2000, "branch": 400, "btb": 100, "l1d": 300, "l2d": 1000, "mshr": 200/"base": 1000, "branch": 200, "btb": 50, "l1d": 150, "l2d": 340, "mshr": 100/
	s/"base": 1500, "branch": 400, "l1d": 300, "l2d": 1000/"base": 750, "branch": 200, "l1d": 150, "l2d": 340/
	s/"base": 100, "l1d": 300/"base": 50, "l1d": 150/; s/"base": 1000, "l2d": 1000/"base": 500, "l2d": 340/
	s/"base": 400, "branch": 400/"base": 200, "branch": 200/
	s/"base": 500, "btb": 100, "mshr": 150/"base": 250, "btb": 50, "mshr": 75/' "$sample" >faster.json
shows "what changed by component, function and line" "\
In all
A B difference percent
cycles 1000 920 -80 -8.00%
instructions 2000 2000 0 0.00%
CPI 0.500 0.460 -0.040 -8.00%

cycles by component
A B difference percent
D l2d 300 220 -80 -26.67%

cycles by function
A B difference percent
(below main) 188 - -188 -100.00%
start - 188 +188 -
sort_records (sort.c) 800 720 -80 -10.00%

cycles by line
A B difference percent
sort.c:3 500 420 -80 -16.00%" "$sample" faster.json
shows "nothing of it between a result and itself" "$same" "$sample" "$sample"
"$cyclestack" diff --json changed.json "$sample" faster.json >/dev/null
tap_is "the JSON has it as well" "$(tr -d ' \n' <changed.json | sed 's/.*"percent":-8[^]]*\],//')" \
	'"components":[{"name":"l2d","a":300.0,"b":220.0,"difference":-80.0,"percent":-26.666666666666668}],'\
'"functions":[{"name":"(belowmain)","file":"","a":187.5,"b":null,"difference":-187.5,"percent":-100.0},'\
'{"name":"start","file":"","a":null,"b":187.5,"difference":187.5,"percent":null},'\
'{"name":"sort_records","file":"sort.c","a":800.0,"b":720.0,"difference":-80.0,"percent":-10.0}],'\
'"lines":[{"file":"sort.c","line":3,"a":500.0,"b":420.0,"difference":-80.0,"percent":-16.0}]}'
above "the verdict is about cycles, as before" 1 5% faster.json "$sample"
sed 's/"cyclestack-run-2"/"cyclestack-run-1"/' "$sample" >older.json
tap_is "a result without stacks is compared in what it has" "$(notes older.json faster.json)" \
	"A is of schema cyclestack-run-1 and does not say where its cycles went"
tap_is "and no more" "$("$cyclestack" diff older.json faster.json | grep -c 'cycles by')" 0
awk 'BEGIN { for (i = 1; i <= 30; i++) printf "{\"file\": \"sort.c\", \"line\": %d, \"executed\": 1, \"slots\": {\"base\": %d}},\n", 100 + i, i }' >lines
sed -e '/"file": "list.h"/r lines' -e 's/"slots": {"base": 1500,/"slots": {"base": 1965,/' -e 's/"base": 2000, "br/"base": 2465, "br/' \
	-e 's/"executed": 1500/"executed": 1530/' "$sample" >many.json
tap_is "of many lines the ten with the largest change are shown" \
	"$("$cyclestack" diff "$sample" many.json | sed -n '/^cycles by line/,$p' | sed -n '3p;12p;13p' | awk '{ print $1, $2, $3 }')" \
	"sort.c:130 - 8
sort.c:121 - 5
and 20 more"
sed 's/"name": "sort_records"/"name": "a_function_with_a_name_of_many_words_that_has_no_end_\\u001b[31m_and_goes_on_and_on"/' "$sample" >long.json
tap_is "a name is cut to fit" "$(COLUMNS=80 "$cyclestack" diff long.json faster.json | awk 'length > 80' | wc -l) \
$(COLUMNS=80 "$cyclestack" diff long.json faster.json | grep -c '^a_function_.*\.\.\..* (sort.c) ')" "0 1"

# What cannot be compared: one sentence each.
what="diff compares what these write: run --json (cyclestack-run-1, cyclestack-run-2), stat --json (cyclestack-stat-1), exec --json (cyclestack-exec-1)"
says "one operand is too few" 2 "cyclestack: diff needs two results: A.json B.json$see" a.json
says "three are too many" 2 "cyclestack: diff needs two results: A.json B.json$see" a.json b.json a.json
says "an unknown option" 2 "cyclestack: diff has no option --fail-abov; did you mean --fail-above?$see" --fail-abov 1 \
	a.json b.json
says "a file that is not there" 125 "cyclestack: none.json: No such file or directory" a.json none.json
says "a directory" 125 "cyclestack: .: Is a directory" . a.json
printf '{"schema": "cyclestack-run-1",\n "values": {"cycles": }}' >broken.json
says "what is not JSON is told by line and column" 125 "cyclestack: broken.json:2:23: this is not JSON: unexpected \
token near '}'" broken.json a.json
: >empty.json
says "an empty file" 125 "cyclestack: empty.json:1:1: this is not JSON: '[' or '{' expected near end of file" empty.json a.json
head -c 100 a.json >cut.json
"$cyclestack" diff a.json cut.json >cut.out 2>&1
tap_is "a file that was cut short" "$? $(grep -c '^cyclestack: cut.json:[0-9]*:[0-9]*: this is not JSON: ' cut.out) $(wc -l <cut.out)" \
	"125 1 1"
printf '{"x": 1, "x": 2}' >twice.json
says "a name given twice" 125 "cyclestack: twice.json:1:12: this is not JSON: duplicate object key near '\"x\"'" twice.json a.json
echo '[1, 2]' >list.json
says "no schema" 125 "cyclestack: list.json: \"schema\" is missing; $what" \
	list.json a.json
"$cyclestack" signals --json signals.json
says "another schema" 125 "cyclestack: signals.json is of schema \"cyclestack-signals-1\"; $what" a.json signals.json
printf '{"schema": "a\\u001b[31mb"}' >escape.json
says "a name cannot write to the terminal as it likes" 125 "cyclestack: escape.json is of schema \"a?[31mb\"; $what" \
	escape.json a.json

# without TITLE SENTENCE SED-SCRIPT: a.json changed by the script.
without() {
	sed "$3" a.json >changed.json
	says "$1" 125 "cyclestack: changed.json: $2" a.json changed.json
}
without "no program" "program is missing" 's/"program"/"programme"/'
without "no hash of the program" "program.sha256 is missing" '2s/"sha256"/"sha255"/'
without "no hash of the configuration" "configuration.sha256 is missing" '3s/"sha256"/"sha255"/'
without "no word whether it is partial" "partial is not true or false" 's/"partial": false/"partial": 0/'
without "no status" "status is not a whole number" 's/"status": 0/"status": null/'
without "no values" "values is missing" 's/"values"/"value"/'
without "no cycles" "values.cycles is missing" 's/"cycles"/"cycle"/'
without "no instructions" "values.instructions is not a whole number" 's/"instructions": 2000/"instructions": 20.5/'
without "a value that is text" "values.loads is not a number" 's/"loads": 300/"loads": "300"/'
without "a negative value" "values.loads is negative" 's/"loads": 300/"loads": -300/'
without "a value beyond all measure" "values.loads is too large" 's/"loads": 300/"loads": 9223372036854775807/'

# stacks TITLE SENTENCE SED-SCRIPT: the sample with stacks changed by the script.
stacks() {
	sed "$3" "$sample" >changed.json
	says "$1" 125 "cyclestack: changed.json: $2" "$sample" changed.json
}
stacks "no stacks" "stacks is missing" 's/"stacks"/"stack"/'
stacks "no exact stack" "stacks.exact is missing" '0,/"exact"/s/"exact"/"exactly"/'
stacks "a component that is text" "stacks.exact.components.l2d is not a whole number" 's/"l2d": 300/"l2d": "300"/'
stacks "an unknown cause" "exact.causes.luck is no cause" 's/"mshr": 200/"luck": 200/'
stacks "a function without a name" "exact.functions[1].name is not text" 's/"name": "(below main)"/"name": 1/'
stacks "lines that have more than their function" \
	"exact.functions[0].lines[1]: with these slots there are more of cause l2d than the function has" \
	's/"base": 1000, "l2d": 1000/"base": 1000, "l2d": 1001/'

PARTIAL=true result part.json 500 900
PARTIAL=true result part2.json 600 900
PARTIAL=true result part3.json 600 901
place="partial results can be compared only if they stopped at the same place (--max-insns)"
says "partial and whole" 125 "cyclestack: part.json is partial: it stopped after 900 instructions, where a.json has \
2000; $place" a.json part.json
says "partial at different places" 125 "cyclestack: part.json is partial: it stopped after 900 instructions, where \
part3.json has 901; $place" part.json part3.json
tap_is "partial at the same place is compared, and noted" "$(notes part.json part2.json)" \
	"both are partial: stopped after 900 instructions"
above "and judged" 1 19% part.json part2.json

# Results of real runs.
if "$cyclestack" workloads --elf heapsort >/dev/null 2>&1; then
	"$cyclestack" run --json run.json @heapsort:test >/dev/null
	"$cyclestack" run --set memory.latency_cycles=500 --json slow.json @heapsort:test >/dev/null
	"$cyclestack" exec --json exec.json @heapsort:test >/dev/null
	"$cyclestack" exec --json exec2.json @hanoi:test >/dev/null
	tap_is "a run does not differ from itself" "$("$cyclestack" diff run.json run.json | tail -n 1)" "no value differs"
	above "slower memory costs more than 1%" 1 1% run.json slow.json
	above "and faster memory does not" 0 1% slow.json run.json
	tap_is "it is told in what the machines differ" "$(notes run.json slow.json)" \
		"the configurations differ in 1 parameter: memory.latency_cycles: 200 -> 500"
	# The machine can be built again from a result.
	"$cyclestack" config dump --set memory.latency_cycles=500 --json dump.json
	"$cyclestack" sweep --grid memory.latency_cycles=200,500 --json sweep.json @hanoi:test >/dev/null 2>&1
	tap_is "a result has every parameter of its machine, a sweep those of its base once" "$(python3 - <<'PYTHON'
import json
slow, dump, sweep = (json.load(open(name)) for name in ("slow.json", "dump.json", "sweep.json"))
print(slow["configuration"]["parameters"] == dump["parameters"], len(dump["parameters"]) > 50,
      sweep["configuration"]["parameters"] == {**dump["parameters"], "memory.latency_cycles": 200},
      ["parameters" in run["configuration"] for run in sweep["runs"]])
PYTHON
)" "True True True [False, False]"
	tap_is "results of exec are compared too" "$("$cyclestack" diff exec.json exec.json | tail -n 1)" "no value differs"
	tap_check "down to their system calls" grep -q '^syscalls\.[a-z0-9_]*  *[-0-9]* ' \
		<("$cyclestack" diff exec.json exec2.json)
	says "run and exec cannot be compared" 125 "cyclestack: run.json is a result of run and exec.json one of exec: \
they cannot be compared" run.json exec.json
	says "exec has no cycles to judge" 125 "cyclestack: --fail-above is about cycles, and results of exec have none" \
		--fail-above 1% exec.json exec.json
else
	tap_skip "results of real runs" "the workloads are not built"
fi
tap_done
