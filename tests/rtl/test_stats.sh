#!/bin/bash
# `stat --rtl`: the circuits of the statistics module hand out the words of the module in C, at every dispatch
# and at the end of the program, at the edges of the timer too; a circuit with a wrong bit does not.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs_workloads
command -v iverilog >/dev/null || tap_skip_all "there is no Icarus Verilog (tools/packages/test.txt)"

# simulate DIR SIMULATOR: what the test benches say.
simulate() {
	make -C "$1" -s simulate SIMULATOR="$2" 2>&1 | grep -E '^(stats|after|FATAL|.*rror)'
}

# agrees NAME CIRCUITS OPTION...: so many circuits are written, and each is as its model.
agrees() {
	local name=$1 circuits=$2 said
	shift 2
	rm -rf "$work/rtl"
	if ! said=$("$cyclestack" stat --rtl "$work/rtl" -q "$@" 2>&1); then
		tap_not_ok "$name" "$said"
		return
	fi
	said=$(simulate "$work/rtl" iverilog)
	tap_is "$name" "$(grep -c 'words in [1-9][0-9]* checks, all as expected' <<<"$said") $(grep -vc 'as expected' <<<"$said")" \
		"$circuits 0"
	[ "$(grep -vc 'as expected' <<<"$said")" = 0 ] || sed 's/^/#   /' <<<"$said"
}

# Some of the program's code, so that events lie in and beside it.
elf=$("$cyclestack" workloads --elf hanoi)
main=$(riscv64-linux-gnu-nm "$elf" 2>/dev/null | awk '$3 == "main" { print $1 }')
code=0x${main:-10000}-0x1ffff
run=(--config leon2 --max-insns 1000 @hanoi:test)
cycles=$("$cyclestack" run -q --json - "${run[@]}" 2>/dev/null | grep -m 1 -o '"cycles": *[0-9]*' | grep -o '[0-9]*$')

agrees "an in-order core, functions and all code" 2 --every 500 -e cycles@main -e committed@main -e "committed@$code" \
	-e l1d.misses -e "l1d.loads@$code" -e fetch.l1i@_start -e cycles "${run[@]}"
agrees "a period of 1 cycle" 2 --every 1 -e cycles -e "committed@$code" -e l1i.misses --config leon2 --max-insns 300 @hanoi:test
agrees "counters that saturate" 2 --every 100 --width 3 -e cycles -e "committed@$code" -e rob.used "${run[@]}"
agrees "counters that saturate in the cycle of the dispatch" 2 --every 1 --width 1 -e rob.used -e committed@0x0-0xffffffffffffffff \
	--config midcore --max-insns 300 @hanoi:test
tap_check "the run has cycles" test "${cycles:-0}" -gt 1000
agrees "an end in the cycle in which the timer is 0" 2 --every "$cycles" -e cycles -e "committed@$code" "${run[@]}"
agrees "an end one cycle before" 2 --every "$((cycles + 1))" -e cycles -e "committed@$code" "${run[@]}"
agrees "an end one cycle after" 2 --every "$((cycles - 1))" -e cycles -e "committed@$code" "${run[@]}"
agrees "an end long before the first dispatch" 2 --every 20000 -e cycles -e "committed@$code" "${run[@]}"
agrees "more events in a cycle than ports, and long amounts" 2 --every 77 -e "squashed@$code" \
	-e memory.queue@0x0-0xffffffffffffffff -e "rob.used@$code" -e "miss.l1d.committed@$code" \
	--config midcore --set dispatch.width=1 --set commit.width=1 --max-insns 400 @hanoi:test
agrees "threads" 1 --every 100 -e cycles@%1000 -e committed@_start%1000 -e cycles@%7 -e cycles "${run[@]}"
cat >"$work/log" <<END
cyclestack-stat-log-1
0 100 cycles committed@$code
150 7 cycles l1d.loads@$code
160 7 cycles
160 9 rob.used committed
178 9 committed
1000 50 cycles@_start rob.used
100000000 1 cycles
END
agrees "settings that change: in an interval, twice in a cycle, when the timer is 0, never" 1 --replay "$work/log" \
	--config leon2 --max-insns 2000 @hanoi:test
agrees "spare counters and ranges" 2 --counter-count 5 --range-count 3 --every 300 -e "committed@$code" -e cycles "${run[@]}"

# Recorded cycles say the same as the program.
counted=(--every 300 -e "committed@$code" -e cycles -e rob.used)
"$cyclestack" run -q --counters none --record-cycles "$work/cycles" "${run[@]}" >"$work/said" 2>&1
"$cyclestack" stat --rtl "$work/live" -q "${counted[@]}" "${run[@]}" >"$work/said" 2>&1
"$cyclestack" stat --rtl "$work/read" -q "${counted[@]}" --config leon2 "$work/cycles" >"$work/said" 2>&1
tap_is "recorded cycles make the same circuits and stimulus as the program" "$? $(cat "$work/said") $(diff -r "$work/live" "$work/read")" "0  "
tap_check "and there is stimulus" test -s "$work/read/stats.stimulus"
"$cyclestack" stat --rtl "$work/read" -e cycles@main --config leon2 "$work/cycles" >"$work/said" 2>&1
tap_is "they have no functions" "$? $(grep -c 'main' "$work/said")" "2 1"
"$cyclestack" stat --rtl "$work/read" -e cycles "$work/cycles" >"$work/said" 2>&1
tap_is "they are of one machine" "$? $(grep -c 'recorded on another machine' "$work/said")" "125 1"
head -c 3000 "$work/cycles" >"$work/cut"
rm -rf "$work/read"
"$cyclestack" stat --rtl "$work/read" -e cycles --config leon2 "$work/cut" >"$work/said" 2>&1
tap_is "cycles that end too early leave no stimulus" "$? $(grep -Ec 'cut: at byte [0-9]+ ' "$work/said") $(ls "$work/read" | grep -c stimulus)" \
	"125 1 0"

# One wrong bit each, in a run that shows it.
"$cyclestack" stat --rtl "$work/good" -q --every 50 --width 5 -e committed@_start -e cycles -e "cycles@$code" "${run[@]}"
sabotage() {
	local name=$1
	cp -r "$work/good" "$work/bad"
	sed -i "$2" "$work/bad/stats.v"
	cmp -s "$work/good/stats.v" "$work/bad/stats.v" && tap_not_ok "$name: there is something to spoil"
	make -C "$work/bad" -s simulate-stats SIMULATOR=iverilog >"$work/said" 2>&1 && echo "it passed" >>"$work/said"
	tap_is "$name is found" "$(grep -c 'stats: check [0-9]*: .* expected' "$work/said") $(grep -c 'it passed' "$work/said")" "1 0"
	rm -rf "$work/bad"
}
sabotage "a period that is a cycle longer" "s/timer <= period - 1'b1/timer <= period/"
sabotage "a counter that restarts at 0 in the cycle of the dispatch" "s/counts ? sum : /counts \&\& !restarts ? sum : /"
sabotage "a counter that wraps" "s/word <= total\[WIDTH - 1:0\] |.*/word <= total[WIDTH - 1:0];/"
sabotage "a range without its lowest address" "s/{1'b0, not_low, 1'b1}/{1'b0, not_low, 1'b0}/"
sabotage "a module that does not stop" "s/if (is_due \&\& ended)/if (1'b0)/"
sabotage "a counter that counts after the end" "s/valid \&\& !ended \&\&/valid \&\&/"

# Flip-flops are the bits that the module says it has, and one for "is running".
if command -v yosys >/dev/null; then
	found=$(tools/synthesise statistics_module RANGES=3 SIGNALS=5 COUNTERS=2 WIDTH=6 PC_BITS=8 -- \
		src/rtl/templates/statistics_*.v)
	tap_is "flip-flops after synthesis" "$(grep -o ' ffs=[0-9]*' <<<"$found")" " ffs=$((2 * 32 + 3 * 2 * 8 + 2 * (6 + 3 + 2) + 1))"
else
	tap_skip "flip-flops after synthesis" "there is no yosys"
fi
if command -v verilator >/dev/null; then
	tap_is "the same in verilator" "$(simulate "$work/good" verilator | grep -c 'all as expected')" 2
else
	tap_skip "the same in verilator" "there is no verilator"
fi
tap_is "without a program there is no stimulus" "$("$cyclestack" stat --rtl "$work/none" -e cycles -e committed@0x0-0xff && ls "$work/none")" \
	"Makefile
stats.v
stats_naive.v
stats_naive_tb.v
stats_tb.v"
"$cyclestack" stat --rtl "$work/none" -e cycles@main >"$work/said" 2>&1
tap_is "a function without a program is refused" "$? $(grep -c 'main' "$work/said")" "2 1"
"$cyclestack" stat --rtl "$work/none" --json x -e cycles >"$work/said" 2>&1
tap_is "--rtl counts nothing" "$? $(grep -c 'leave --json out' "$work/said")" "2 1"
tap_done
