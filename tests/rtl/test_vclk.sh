#!/bin/bash
# time-limit: 900
# The circuit of vclk: on random machines and instructions, and on what a program commits, it shows the words of the C
# model at every check, and a circuit with one wrong bit is caught. The papers' machines on ten workloads are a step
# of `make evaluate`.
#
# CYCLESTACK  the tool  (build/cyclestack)
# SEEDS       of further random machines  (none)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs_workloads
needs iverilog
. tests/harness.sh
build_driver tests/rtl/random_clocks.c
cd "$work" || exit 1

as_expected='^vclk: [1-9][0-9]* words in [1-9][0-9]* checks, all as expected'

# simulate DIR SIMULATOR: what the test bench says is in $said.
simulate() {
	make -C "$1" simulate SIMULATOR="$2" >log 2>&1
	said=$(grep "^vclk: " log)
}

# The seeds have, between them: one issue queue, three, and none that matters; limited and any number of branches;
# all kinds of disambiguation; one level of cache and more; page walks and fixed TLB misses; six to eight machines.
for seed in 2 5 11 12 ${SEEDS:-}; do
	mkdir "random$seed"
	tap_check "a circuit for random machine $seed" ./driver $seed "random$seed"
	simulate "random$seed" iverilog
	tap_check "random machine $seed: $said" grep -q "$as_expected" <<<"$said"
done

"$cyclestack" judge --rtl chess --counters vclk --config eyerman2006 --max-insns 1500 @chess:test 2>err
tap_is "circuit and stimulus of a program" "$? $(cat err)" "0 "
simulate chess iverilog
tap_check "eyerman2006, chess: $said" grep -q "$as_expected" <<<"$said"
"$cyclestack" judge --rtl shallow --counters vclk --config eyerman2006 --set frontend.depth=1 --set l1d.latency_cycles=300 --set memory.latency_cycles=300 2>err
tap_is "a machine whose latencies no stamp can tell is refused" "$? $(cat err)" \
	"2 cyclestack: the circuit vclk: the front end takes 1 cycles and an L1D hit 300: the stamps of this circuit allow for 256 (see: cyclestack judge --help)"

# sabotage WHAT SED-SCRIPT: the circuit is changed in one place and must be caught.
sabotage() {
	rm -rf changed
	cp -r random2 changed
	rm -f changed/vclk.iverilog
	sed "$2" random2/vclk.v >changed/vclk.v
	if cmp -s changed/vclk.v random2/vclk.v; then
		tap_not_ok "$1" "nothing was changed"
		return
	fi
	simulate changed iverilog
	tap_check "$1: $said" grep -Eq '^vclk: check [0-9]+: [a-z0-9_]+ is [0-9]+, expected [0-9]+$' <<<"$said"
}

sabotage "the lowest bit of a stamp is stuck" 's/committed_stamp = last + committed\[T-1:0\]/committed_stamp = (last + committed[T-1:0]) \& ~1/'
sabotage "stamps are never swept" 's/wire crosses = .*;/wire crosses = 1'"'b0"';/'
sabotage "an instruction dispatches a cycle early" "s/fed + STAGES_D/fed + STAGES_D - 1/"
sabotage "the younger store is not preferred" 's/|| is_younger\[{second_store, first_store}\]/|| 1'"'b0"'/'
sabotage "a wait of fetch is not counted" 's/+ itlb_fetch;/+ (itlb_fetch \& ~32'"'d1"');/'
tap_done
