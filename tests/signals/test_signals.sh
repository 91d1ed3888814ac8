#!/bin/bash
# Every counted value of a result is the sum of its signal, added up record by record; every signal that
# has both events and a running total says the same by both; what belongs to code ranges adds up. On
# every preset and some odd machines.
#
# CYCLESTACK  the tool  (build/cyclestack)
# CI          set: more instructions
# FULL        1: every workload on every preset
# time-limit: 900
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs_workloads
. tests/harness.sh

if ! build_harness "$work/sum_signals" tests/signals/sum_signals.c >"$work/log" 2>&1; then
	tap_not_ok "the harness builds" "$(cat "$work/log")"
	tap_done
fi

insns=40000
tap_wants_all && insns=100000

# compare NAME WORKLOAD OPTIONS...: the sums are the result's values.
compare() {
	local name=$1 workload=$2 status=0 option sets=()
	shift 2
	for option in "$@"; do
		case $option in
		--config=*) sets+=(-c "configs/${option#--config=}.cfg") ;;
		--set=*) sets+=(-s "${option#--set=}") ;;
		esac
	done
	"$work/sum_signals" "${sets[@]}" -n $insns "$BUILD/workloads/$workload" test >"$work/sums" || status=$?
	"$cyclestack" run --counters none --max-insns $insns --json "$work/run.json" "$@" "@$workload:test" \
		>/dev/null 2>&1 </dev/null
	perl -MJSON::PP -e 'local $/; open F, "<", $ARGV[0]; my $v = decode_json(<F>)->{values};
		open S, "<", $ARGV[1]; print "$_ $v->{$_}\n" for map { (split)[0] } grep { !/^#/ } split /\n/, <S>;
		die "values without a signal\n" if keys %$v != grep { !/^#/ } split /\n/, do { open T, "<", $ARGV[1]; <T> }' \
		"$work/run.json" "$work/sums" >"$work/values" 2>&1
	tap_is "$name: every signal adds up" "$status $(grep '^#' "$work/sums" | head -n 5)" "0 "
	tap_is "$name: the result's values are the sums" "$(cat "$work/values")" "$(grep -v '^#' "$work/sums")"
}

# Two of the workloads on each preset, so that each workload meets every kind of core; all with FULL=1.
workloads=(chess netflow objdb stencil)
number=0
for preset in eyerman2006 chen2008 bigcore leon2 littlecore u74 midcore boom xiangshan haswell-like; do
	for i in "${!workloads[@]}"; do
		if [ "${FULL:-0}" = 1 ] || [ $(((i + number) % 2)) = 0 ]; then
			compare "${workloads[i]} on $preset" "${workloads[i]}" --config="$preset"
		fi
	done
	number=$((number + 1))
done
compare "a write-through L1D" router --config=eyerman2006 --set=l1d.write=through
compare "one level of cache" interp --config=eyerman2006 --set=cache.levels=1
compare "few MSHRs and a short store buffer" sparsemv --config=eyerman2006 --set=l1d.mshrs=2 --set=l2.mshrs=2 --set=store.buffer=2
compare "a stream prefetcher beside SRRIP" lattice --config=eyerman2006 --set=l1d.prefetch=stream --set=l2.replacement=srrip
compare "ideal caches" annealer --config=eyerman2006 --set=ideal.l1d=true --set=ideal.l1i=true
compare "a memory that can be busy" netflow --config=eyerman2006 --set=memory.line_cycles=30 --set=memory.kind=dram --set=l1d.prefetch=stride+stream
compare "page walks and a second-level TLB" fieldgraph --config=eyerman2006 --set=tlb.miss=walk --set=tlb2.entries=16 --set=dtlb.entries=4 \
	--set=itlb.entries=4 --set=l1d.mshrs=2
compare "ideal branches" compiler --config=eyerman2006 --set=ideal.branch=true
tap_done
