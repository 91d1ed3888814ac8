#!/bin/bash
# time-limit: 1500
# `sweep`: each of its rows is what `run` says of that machine; figure 5 of Hough et al. 2006 from one command.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs_workloads
see=" (see: cyclestack sweep --help)"

# cycles_of OPTION...: by `run`.
cycles_of() {
	"$cyclestack" run --counters none --json - "$@" 2>/dev/null </dev/null | sed -n 's/^    "cycles": \([0-9]*\),$/\1/p' | head -1
}

# The variations of figure 5: ways, sizes of a way, lines, replacement.
# shellcheck disable=SC2054
figure5=(--vary l1i.ways=2,l1i.size_bytes=8k --vary l1i.ways=3,l1i.size_bytes=12k
	--vary l1i.ways=4,l1i.size_bytes=16k --vary l1i.size_bytes=1k --vary l1i.size_bytes=2k
	--vary l1i.line_bytes=16 --vary l1i.replacement=lrr --vary l1i.replacement=lru)
"$cyclestack" sweep --config leon2 "${figure5[@]}" --json five.json --csv five.csv @hanoi:test >five.txt
tap_is "figure 5 from one command: status" "$?" 0
# column NAME FILE: which column of the CSV has that title.
column() { head -1 "$2" | tr , '\n' | grep -nx "$1" | cut -d: -f1; }
tap_is "a row for the machine and each variation" "$(grep -c '^hanoi,test,leon2,' five.csv)" 9
tap_is "a column for each parameter" "$(head -1 five.csv | cut -d, -f6-9)" "l1i.ways,l1i.size_bytes,l1i.line_bytes,l1i.replacement"
tap_is "with the values of each machine" "$(sed -n 3p five.csv | cut -d, -f6-9) $(sed -n 8p five.csv | cut -d, -f6-9)" \
	"2,8192,32,random 1,4096,16,random"
tap_is "the base is marked, and is one" "$(cut -d, -f5 five.csv | tr '\n' ' ')" "base machine yes no no no no no no no no "
"$cyclestack" sweep --config leon2 "${figure5[@]}" --jobs 1 --json again.json @hanoi:test >again.txt
tap_check "two sweeps differ by 0 cycles, however many run at once" cmp five.json again.json
tap_check "and print the same" cmp five.txt again.txt
while IFS=, read -r _ _ _ changes _ _ _ _ _ _ cycles _; do
	options=()
	for change in $changes; do
		options+=(--set "$change")
	done
	tap_is "leon2 $changes is as run has it" "$cycles" "$(cycles_of --config leon2 "${options[@]}" @hanoi:test)"
	tap_check "leon2 $changes is in the table" grep -qE "^(base|[0-9]) .* $cycles " five.txt
done < <(tail -n +2 five.csv)
# shellcheck disable=SC2016
tap_check "components add up to the cycles" awk -F, 'NR > 1 { sum = 0; for (i = first; i <= NF; i++) sum += $i; if (sum != $11) exit 1 }' first="$(($(column 'DTLB MPKI' five.csv) + 1))" five.csv
tap_check "with one way replacement changes nothing" test "$(cut -d, -f4,11 five.csv | grep -cxE "(|l1i.replacement=lr[ru]),$(sed -n 2p five.csv | cut -d, -f11)")" = 3

# A grid is every combination, of every machine.
"$cyclestack" sweep --config littlecore --set int_mul.latency_cycles=5 --vary l1d.write=through --grid inorder.issue_width=1,2 \
	--grid memory.latency_cycles=50,100,200 --csv grid.csv @hanoi:test @seqsearch:test >grid.txt
tap_is "a grid multiplies, and the base is one more" "$(tail -n +2 grid.csv | sort -u | wc -l)" $((2 * (1 + 2 * 2 * 3)))
tap_is "the base is the first of each program" "$(grep -n ',yes,' grid.csv | cut -d: -f1 | tr '\n' ' ')" "2 15 "
tap_is "the changes of a machine are in order" "$(sed -n 3p grid.csv | cut -d, -f4)" \
	"int_mul.latency_cycles=5 inorder.issue_width=1 memory.latency_cycles=50"
tap_is "one of them is as run has it" "$(grep 'l1d.write=through inorder.issue_width=2 memory.latency_cycles=200' grid.csv |
	grep ^seqsearch | cut -d, -f10)" "$(cycles_of --config littlecore --set int_mul.latency_cycles=5 --set l1d.write=through \
	--set inorder.issue_width=2 --set memory.latency_cycles=200 @seqsearch:test)"

# Two rows of one program are told apart by its arguments; a machine of the grid that is the base is run once.
"$cyclestack" sweep --config leon2 --grid l1i.size_bytes=2k,4k --json twice.json --csv twice.csv "@hanoi:test" "@hanoi:test 9" >twice.txt
tap_is "arguments tell programs apart" "$(cut -d, -f1,2,5,6 twice.csv | tr '\n' ' ')" \
	"program,arguments,base machine,l1i.size_bytes hanoi,test,no,2048 hanoi,test,yes,4096 hanoi,test 9,no,2048 hanoi,test 9,yes,4096 "
tap_check "in the table too" grep -q '^hanoi test 9: ' twice.txt
# Rates, from what run counts.
"$cyclestack" run --config leon2 --counters none --json run.json @hanoi:test >/dev/null 2>&1
tap_is "IPC and misses for a thousand instructions are as run counts them" \
	"$(python3 -c 'import csv
row = [r for r in csv.DictReader(open("twice.csv")) if r["base machine"] == "yes"][0]
print(*["%.6f" % float(row[n]) for n in ("IPC", "branch MPKI", "L1I MPKI", "L1D MPKI", "DTLB MPKI")])')" \
	"$(python3 -c 'import json
v = json.load(open("run.json"))["values"]
print(*["%.6f" % n for n in [v["instructions"] / v["cycles"]] + [1000 * v[n] / v["instructions"] for n in
    ("branches.mispredicted", "l1i.misses", "l1d.misses", "dtlb.misses")]])')"

# refused NAME SENTENCE OPTION...
refused() {
	local name=$1 sentence=$2
	shift 2
	tap_is "$name" "$("$cyclestack" sweep "$@" 2>&1 </dev/null; echo $?)" "cyclestack: $sentence$see
2"
}
refused "a value out of range" "rob.size=x: rob.size must be a whole number from 4 to 1024, not \"x\"" \
	--grid rob.size=64,x @hanoi:test
refused "a grid without values" "--grid: \"rob.size\" is not KEY=VALUE,VALUE,..." --grid rob.size @hanoi:test
refused "an impossible machine" "l1d.ways=3: l1d.size_bytes (32768) cannot be divided into 3 equal ways (l1d.ways)" \
	--vary l1d.ways=3 @hanoi:test
numbers=$(seq -s, 100 300)
refused "too many machines" "--vary and --grid make more than 4096 machines" --grid "rob.size=$numbers" \
	--grid "lsq.size=$numbers" @hanoi:test
refused "no program" "which programs? Give RISC-V ELF files or workloads such as @chess" --config leon2
tap_done
