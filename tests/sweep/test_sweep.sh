#!/bin/bash
# time-limit: 1500
# `sweep`: each of its rows is what `run` says of that machine; figure 5 of Hough et al. 2006 from one command.
#
# CYCLESTACK  the tool  (build/cyclestack)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cyclestack=${CYCLESTACK:-$root/build/cyclestack}
[ -x "$cyclestack" ] || tap_skip_all "$cyclestack has not been built"
"$cyclestack" workloads --elf hanoi >/dev/null 2>&1 || tap_skip_all "the workloads are not built"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
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
tap_is "a row for the machine and each variation" "$(grep -c '^hanoi,leon2,' five.csv)" 9
"$cyclestack" sweep --config leon2 "${figure5[@]}" --jobs 1 --json again.json @hanoi:test >again.txt
tap_check "two sweeps differ by 0 cycles, however many run at once" cmp five.json again.json
tap_check "and print the same" cmp five.txt again.txt
while IFS=, read -r _ _ changes _ cycles _; do
	options=()
	for change in $changes; do
		options+=(--set "$change")
	done
	tap_is "leon2 $changes is as run has it" "$cycles" "$(cycles_of --config leon2 "${options[@]}" @hanoi:test)"
	tap_check "leon2 $changes is in the table" grep -q "^  ${changes:-leon2}  *$cycles " five.txt
done < <(tail -n +2 five.csv)
# shellcheck disable=SC2016
tap_check "components add up to the cycles" awk -F, 'NR > 1 { sum = 0; for (i = 6; i <= NF; i++) sum += $i; if (sum != $5) exit 1 }' five.csv
tap_check "with one way replacement changes nothing" test "$(grep -cE "^hanoi,leon2,(|l1i.replacement=lr[ru]),[0-9]+,$(sed -n '2s/.*leon2,,[0-9]*,\([0-9]*\),.*/\1/p' five.csv)," five.csv)" = 3

# A grid is every combination, of every machine.
"$cyclestack" sweep --config littlecore --set int_mul.latency_cycles=5 --vary l1d.write=through --grid inorder.issue_width=1,2 \
	--grid memory.latency_cycles=50,100,200 --csv grid.csv @hanoi:test @seqsearch:test >grid.txt
tap_is "a grid multiplies" "$(tail -n +2 grid.csv | sort -u | wc -l)" $((2 * 2 * 2 * 3))
tap_is "the changes of a machine are in order" "$(sed -n 2p grid.csv | cut -d, -f3)" \
	"int_mul.latency_cycles=5 inorder.issue_width=1 memory.latency_cycles=50"
tap_is "one of them is as run has it" "$(grep 'l1d.write=through inorder.issue_width=2 memory.latency_cycles=200' grid.csv |
	grep ^seqsearch | cut -d, -f5)" "$(cycles_of --config littlecore --set int_mul.latency_cycles=5 --set l1d.write=through \
	--set inorder.issue_width=2 --set memory.latency_cycles=200 @seqsearch:test)"

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
