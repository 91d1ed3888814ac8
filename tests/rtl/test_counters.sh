#!/bin/bash
# time-limit: 900
# The circuits of the counter architectures: co-simulated on recorded cycles they show the words of the C models at
# every check, and a circuit with one wrong bit is caught. The machines are small, so that their circuits compile in
# seconds; the papers' machines on ten workloads are a step of `make evaluate`.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs_workloads
needs verilator

# Few branches in flight, so that the table wraps round and fetch waits for a row; loads that read too early are
# fetched again.
small=(--config midcore --set rob.size=16 --set core.max_branches=5 --set fetch.buffer=8 --set l1i.size_bytes=1024
	--set l1d.size_bytes=1024 --set lsq.disambiguation=predict)
"$cyclestack" judge --rtl small "${small[@]}" --max-insns 8k @compiler:test 2>err
tap_is "circuits and stimulus of a program" "$? $(cat err)" "0 "
tap_is "what is there" "$(cd small && echo *)" "$(for name in fmt power5 sfmt vclk; do
	echo $name.expected $name.stimulus $name.v ${name}_tb.v
done | xargs echo Makefile)"

# Recorded cycles say the same as the program.
"$cyclestack" run --quiet --counters none "${small[@]}" --max-insns 8k --record-cycles small.cycles @compiler:test 2>err
tap_is "cycles are recorded" "$?" 124
"$cyclestack" judge --rtl again "${small[@]}" small.cycles 2>err
tap_is "circuits and stimulus of recorded cycles" "$? $(cat err)" "0 "
tap_is "and it is the same" "$(diff -r small again)" ""
tap_check "trace verify reads all of them" "$cyclestack" trace verify small.cycles
tap_is "trace info knows as many cycles" "$("$cyclestack" trace info small.cycles | awk '$1 == "cycles" { print $2 }')" \
	"$("$cyclestack" run --counters none "${small[@]}" --max-insns 8k --json - @compiler:test 2>/dev/null |
		perl -ne 'print $1 if /^\s*"cycles": (\d+)/')"
tap_is "trace head shows records" "$("$cyclestack" trace head --count 5 small.cycles | wc -l)" 5
"$cyclestack" judge --rtl again --config chen2008 small.cycles 2>err
tap_check "cycles of another machine" grep -q "small.cycles: the cycles were recorded on another machine" err
head -c 100000 small.cycles >cut.cycles
"$cyclestack" trace verify cut.cycles 2>err
tap_check "cycles that end too early" grep -Eq "cut.cycles: at byte [0-9]+ " err
mkdir empty
"$cyclestack" judge --rtl empty "${small[@]}" cut.cycles 2>err
tap_is "and no stimulus of them" "$? $(cd empty && echo *.stimulus* *.expected*)" "125 *.stimulus* *.expected*"

# simulate NAME SIMULATOR: what the test bench says is in $said.
simulate() {
	make -C small simulate-"$1" SIMULATOR="$2" >log 2>&1
	status=$?
	said=$(grep "^$1: " log)
}

# Icarus Verilog compiles in no time, verilator in seconds for each.
other=verilator
command -v iverilog >/dev/null && other=iverilog
for name in power5 fmt sfmt; do
	simulate $name $other
	tap_check "$name: $said" grep -Eq "^$name: [1-9][0-9]* words in [1-9][0-9]+ checks, all as expected" <<<"$said"
done
before=$said
simulate sfmt verilator
tap_is "verilator says the same of sfmt" "$said" "$before"

# Replays by the hundred, on right and wrong paths, between mispredicted branches, returns and full buffers: the random
# programs of tests/core, each on its own machine, as far as circuits have its parameters.
cross=${CROSS_CC:-riscv64-linux-gnu-gcc}
seeds="2"
tap_wants_all && seeds="2 8 10 14 21 104"
mkdir meet
if command -v "$cross" >/dev/null && ${CC:-cc} -std=gnu11 -I"$root/src" -o program "$root/tests/core/meetings_program.c"; then
	for seed in $seeds; do
		./program "$seed" ooo >meet.S
		"$cross" -nostdlib -static -o meet.elf meet.S
		settings=()
		read -ra words <<<"$(sed -n '1s/^#//p' meet.S)"
		for word in "${words[@]}"; do
			case $word in rob.size=* | core.max_branches=* | lsq.disambiguation=*) continue ;; esac
			[[ $word == store_sets.* ]] || settings+=(--set "$word")
		done
		rm -rf meet
		"$cyclestack" judge --rtl meet --counters power5,fmt,sfmt --config midcore --set rob.size=16 \
			--set core.max_branches=5 --set fetch.buffer=8 --set lsq.disambiguation=predict --set store_sets.clear_cycles=100 \
			"${settings[@]}" --max-insns 8k meet.elf 2>err
		tap_is "program $seed: circuits and stimulus" "$? $(cat err)" "0 "
		for name in power5 fmt sfmt; do
			make -C meet simulate-$name SIMULATOR=$other >log 2>&1
			said=$(grep "^$name: " log)
			tap_check "program $seed: $said" \
				grep -Eq "^$name: [1-9][0-9]* words in [1-9][0-9]+ checks, all as expected" <<<"$said"
		done
	done
else
	tap_skip "circuits where rare things meet" "no $cross"
fi

# sabotage NAME WHAT SED-SCRIPT: the circuit is changed in one place and must be caught.
sabotage() {
	sed "$3" small/"$1".v >changed.v
	if cmp -s changed.v small/"$1".v; then
		tap_not_ok "$1: $2" "nothing was changed"
		return
	fi
	cp small/"$1".v kept.v
	cp changed.v small/"$1".v
	simulate "$1" $other
	tap_check "$1: $2: $said" grep -Eq "^$1: check [0-9]+: [a-z0-9_]+ is [0-9]+, expected [0-9]+$" <<<"$said"
	tap_check "$1: and make fails" [ "$status" -ne 0 ]
	cp kept.v small/"$1".v
}
sabotage power5 "one bit of a wait" 's/front\[2\]/front[0]/'
sabotage fmt "a row that is not emptied" 's/(is_restarted && fetch_before == i)/(mispredict \&\& fetch_before == i)/'
sabotage sfmt "a bit that is not set" "s/marks\[awaited\] <= 1'b1/marks[awaited] <= 1'b0/"

# The stimulus is part of the answer: without its end the bench says so.
head -n -3 small/power5.stimulus >cut && cp cut small/power5.stimulus
make -C small simulate-power5 SIMULATOR=$other >log 2>&1
tap_check "stimulus that ends too early" [ $? -ne 0 ]
tap_check "and a sentence that says so" grep -q "power5.stimulus ends too early" log

if command -v yosys >/dev/null; then
	make -C small power5.synthesis sfmt.synthesis >log 2>&1
	tap_is "yosys makes gates of them" "$?" 0
	tap_check "and no latch" [ "$(grep -ci 'latch' small/*.synthesis | grep -cv ':0$')" = 0 ]
else
	tap_skip "yosys makes gates of them" "there is no yosys"
fi

"$cyclestack" judge --rtl none --counters fmt --config leon2 2>err
tap_check "no circuit for an in-order core" grep -q "out-of-order" err
"$cyclestack" judge --rtl none --counters fnt 2>err
tap_check "an unknown circuit" grep -q 'there is no circuit "fnt"; there are power5, fmt, sfmt' err
"$cyclestack" judge --rtl none @chess:test @heapsort:test 2>err
tap_check "two programs" grep -q "one program" err
"$cyclestack" judge --counters fmt @chess:test 2>err
tap_check "--counters without --rtl" grep -q -- "--rtl" err
tap_check "sources alone" "$cyclestack" judge --rtl alone --counters power5
tap_is "of one circuit" "$(cd alone && echo *)" "Makefile power5.v power5_tb.v"
tap_done
