#!/bin/bash
# `cyclestack trace`: what is recorded is what is executed; damaged files get one clear sentence; the ChampSim
# export is read by a strict reader of that format and comes back unchanged, with the same mispredictions. (The simulator
# itself is not run.)
. "$(dirname "$0")/../head.sh"
needs_workloads

number() { grep -o "\"$1\": [0-9]*" "$2" | tr -dc 0-9; }

"$cyclestack" trace record --output a.trace @heapsort:test >recorded.txt 2>recorded.err
tap_is "recording ends as the program does" "$?" "0"
"$cyclestack" exec --json exec.json @heapsort:test >exec.txt 2>/dev/null
tap_check "the program prints what it prints" cmp recorded.txt exec.txt
"$cyclestack" trace verify --json info.json a.trace >/dev/null 2>err
tap_is "the trace is sound" "$? $(cat err)" "0 "
tap_is "it has every instruction" "$(number instructions info.json)" "$(number instructions exec.json)"
"$cyclestack" trace record --output b.trace @heapsort:test >/dev/null 2>&1
tap_check "the same bytes each time" cmp a.trace b.trace
"$cyclestack" trace record --max-insns 1000 --output part.trace @heapsort:test >/dev/null 2>err
tap_is "a limit gives the beginning" "$? $("$cyclestack" trace info part.trace | grep -c '^instructions *1000$')" "124 1"
"$cyclestack" trace head --count 1000000 part.trace >part.txt
"$cyclestack" trace head --count 1000 a.trace >head.txt
tap_check "which is that of the whole" cmp part.txt head.txt
"$cyclestack" trace head --from 990 --count 10 a.trace >tail.txt
tap_is "any part can be read" "$(cat tail.txt)" "$(tail -n 10 head.txt)"

# says STATUS PATTERN: the last command's status and its one sentence.
says() {
	tap_is "$1: one sentence" "$(wc -l <err)" "1"
	tap_check "$1: $(cat err)" grep -qE "$2" err
}
: >empty
"$cyclestack" trace verify empty >out 2>err
tap_is "an empty file" "$? $(cat out)" "125 "
says "an empty file" 'empty is empty'
"$cyclestack" trace verify "$("$cyclestack" workloads --elf heapsort)" >out 2>err
says "a foreign file" 'is not a trace: .*byte 0'
head -c $(($(stat -c %s a.trace) / 2)) a.trace >cut
"$cyclestack" trace verify cut >out 2>err
says "a truncated file" 'byte [0-9]+'
"$cyclestack" trace head --count 1000000 cut >out 2>err
says "a truncated file, read from the beginning" 'byte [0-9]+'
"$cyclestack" trace info nosuchfile >out 2>err
says "a file that is not there" 'nosuchfile'
missed=
size=$(stat -c %s part.trace)
for at in 0 9 12 $((size / 5)) $((size / 4)) $((size / 3)) $((size / 2)) $((size - 60)) $((size - 19)) $((size - 1)); do
	cp part.trace flipped
	byte=$(od -An -tu1 -j "$at" -N 1 part.trace)
	# shellcheck disable=SC2059 # the format is the byte
	printf "\\x$(printf %02x $((byte ^ 0x55)))" | dd of=flipped bs=1 seek="$at" conv=notrunc 2>/dev/null
	"$cyclestack" trace verify flipped >out 2>err
	[ $? -eq 125 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && grep -q 'byte [0-9]' err || missed+=" $at"
done
tap_is "bytes changed without being noticed" "$missed" ""
"$cyclestack" trace record @heapsort:test >out 2>err
tap_is "without --output" "$?" "2"
"$cyclestack" trace record --output no/such/place @heapsort:test >out 2>err
tap_is "where nothing can be written" "$? $(wc -c <out)" "125 0"

"$cyclestack" trace export --output a.champsim a.trace 2>err
tap_is "export" "$?" "0"
tap_is "64 bytes an instruction" "$(stat -c %s a.champsim)" "$((64 * $(number instructions exec.json)))"
if command -v python3 >/dev/null; then
	"$cyclestack" trace head --count 20000 a.trace >head.txt
	tap_is "a strict reader of the format" "$(python3 "$root/tests/model/champsim.py" a.champsim head.txt 2>&1)" \
		"$(number instructions exec.json)"
else
	tap_skip "a strict reader of the format" "no python3"
fi
"$cyclestack" trace import --output c.trace a.champsim 2>err
tap_is "import" "$?" "0"
"$cyclestack" trace export --output c.champsim c.trace 2>err
tap_check "export, import, export: the same bytes" cmp a.champsim c.champsim
if command -v python3 >/dev/null; then
	python3 "$root/tests/model/champsim_import.py" x86.champsim x86.head x86.exported
	"$cyclestack" trace import --output x86.trace x86.champsim 2>err
	"$cyclestack" trace head --count 5000 x86.trace | tr -s ' ' | sed 's/^ //; s/ $//' | head -n "$(wc -l <x86.head)" >head.got
	tap_check "records with several accesses become one instruction each" cmp x86.head head.got
	"$cyclestack" trace export --output back.champsim x86.trace 2>err
	perl -e 'local $/ = \64; while (<STDIN>) { my ($ip, $b, $t, undef, @a) = unpack("Q<CCa6Q<6", $_);
		printf "%x %d %d %s\n", $ip, $b, $t, join(" ", map { sprintf "%x", $_ } @a) }' <back.champsim >back.got
	tap_check "and go back with their accesses and branches" cmp x86.exported back.got
else
	tap_skip "records with several accesses" "no python3"
fi
# Of every program the imported trace has the mispredictions of its own: above all those of returns, for which the lengths
# of calls must be right.
some=(hanoi interp)
tap_wants_all && some+=(chess compiler parser lzpack)
for program in heapsort "${some[@]}"; do
	"$cyclestack" trace record --max-insns 1M --output own.trace @$program:test >/dev/null 2>&1
	"$cyclestack" trace export --output own.champsim own.trace 2>err
	"$cyclestack" trace import --output other.trace own.champsim 2>err
	"$cyclestack" model --json own.json own.trace >/dev/null 2>&1
	"$cyclestack" model --json other.json other.trace >/dev/null 2>&1
	own=$(number mispredictions own.json) other=$(number mispredictions other.json)
	tap_check "$program: $own mispredictions, imported $other" test "$own" -gt 1000 -a $((100 * other)) -le $((102 * own)) \
		-a $((100 * other)) -ge $((98 * own))
done
if command -v python3 >/dev/null; then
	python3 "$root/tests/model/champsim_calls.py" calls.champsim
	"$cyclestack" trace import --output calls.trace calls.champsim 2>err
	"$cyclestack" model --json calls.json calls.trace >/dev/null 2>&1
	tap_check "calls of 5, 2, 3 and 7 bytes: no return is mispredicted after the first few" test \
		"$(number mispredictions calls.json)" -lt 50
else
	tap_skip "calls of other lengths" "no python3"
fi
head -c 100 a.champsim >cut.champsim
"$cyclestack" trace import --output d.trace cut.champsim 2>err
says "records that are cut off" 'begins at byte 64 .*at byte 100'
"$cyclestack" trace import --output d.trace a.trace 2>err
says "another file imported" 'at byte [0-9]+|cut off'
tap_check "nothing is left of what failed" [ ! -e d.trace ]
tap_done
