#!/bin/bash
# A second thread for the observers changes nothing: results are the same bytes with one thread and with two, on every
# preset, with every observer, however the run ends; and one that is interrupted adds up.
#
# CYCLESTACK  the tool  (build/cyclestack)
# time-limit: 600
. "$(dirname "$0")/../head.sh"
check=$root/tests/counters/check_stacks.pl
needs_workloads

# outcome THREADS ARGUMENT...: status, output, report, and files that the run with so many threads leaves.
outcome() {
	local threads=$1 status
	shift
	rm -rf "$threads" && mkdir "$threads"
	(
		cd "$threads" || exit 1
		"$cyclestack" run --threads "$threads" --json result.json --html page.html "$@" >out 2>err </dev/null
		echo $? >status
	)
}

# same TITLE STATUS ARGUMENT...
same() {
	local title=$1 status=$2
	shift 2
	outcome 1 "$@"
	outcome 2 "$@"
	tap_is "$title: status" "$(cat 1/status)" "$status"
	tap_is "$title" "$(diff -rq 1 2 2>&1)" ""
}

# has_thread BEFORE OPTION...: 1 if the observers have a thread, else 0.
has_thread() {
	local before=$1
	shift
	$before "$cyclestack" run --verbose --max-insns 10k "$@" @hanoi:test 2>&1 |
		grep -c 'in the thread of the observers$'
}
tap_is "--threads 2 observes in a second thread" "$(has_thread "" --threads 2)" 1
tap_is "--threads 1 does not" "$(has_thread "" --threads 1)" 0
tap_is "nor is there one if nothing observes" "$(has_thread "" --threads 2 --counters none)" 0
if command -v taskset >/dev/null; then
	core=$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')
	tap_is "nor on one core, unless it is asked for" \
		"$(has_thread "taskset -c $core") $(has_thread "taskset -c $core" --threads 2)" "0 1"
	[ "$(nproc)" -lt 2 ] || tap_is "with a second core there is one" "$(has_thread "")" 1
fi
for wrong in 0 3 two; do
	"$cyclestack" run --threads $wrong @hanoi:test >/dev/null 2>err
	tap_is "--threads $wrong is refused" "$? $(grep -c '^cyclestack: --threads' err)" "2 1"
done

# The names of all observers but those that are no names.
every=$("$cyclestack" run --counters ? @hanoi:test 2>&1 | sed -n 's/.*all, none, \(.*\) (see.*/\1/p' | tr -d ' ')
tap_check "there are observers to ask for" [ -n "$every" ]
some="chess" whole=hanoi
tap_wants_all && some="chess stencil objdb" && whole=quadtree
for preset in $("$cyclestack" config list --names); do
	case $("$cyclestack" config dump --config "$preset" | sed -n 's/^\tkind = "\(ooo\|inorder\)".*/\1/p') in
	inorder) which=all ;;
	*) which=$every ;;
	esac
	for name in $some; do
		same "$preset, $name, stopped in the middle" 124 --config "$preset" --counters "$which" \
			--intervals 10k --max-insns 123457 "@$name:test"
	done
	same "$preset, all of $whole" 0 --config "$preset" --counters "$which" "@$whole:test"
done
same "a window of cycles" 124 --pipeview p.kanata --window 5000:6000 --max-insns 20k @interp:test
same "a part of the program" 124 --skip 200k --max-insns 100k --intervals 7k @objdb:test
same "one call of a function" 0 --roi main @hanoi:test
same "lines and instructions" 124 --annotate main --max-insns 50k @heapsort:test
same "one instruction" 124 --max-insns 1 @heapsort:test
same "time by cycles" 124 --time cycles --max-insns 50k @heapsort:test
same "a function that is not there" 2 --roi nowhere @hanoi:test

# Interrupted at any moment.
for wait in 0.3 0.7 1.1; do
	rm -f int.json
	"$cyclestack" run --threads 2 --intervals 10k --json int.json @netflow:ref >int.out 2>&1 </dev/null &
	tool=$!
	sleep $wait
	kill -INT $tool
	wait $tool
	tap_is "interrupted after $wait s: status" $? 130
	tap_check "interrupted after $wait s: what is known adds up" perl "$check" int.json
done
"$cyclestack" run --threads 2 --timeout 0.5 --json int.json @netflow:ref >int.out 2>&1 </dev/null
tap_is "--timeout: status" $? 124
tap_check "--timeout: what is known adds up" perl "$check" int.json
tap_done
