#!/bin/bash
# Programs whose cause is known are charged to it: operations that wait for a unit, stores whose
# misses fill the store buffer, loads that are held back or replayed. And on machines with any mix of
# these, everything adds up.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross"

# assemble NAME: the program on standard input, which ends where it stops.
assemble() {
	{
		printf '\t.globl _start\n_start:\n'
		cat
		printf '\tli a7, 93\n\tli a0, 0\n\tecall\n'
		printf '\t.bss\n\t.balign 4096\nplace:\t.skip 64 << 20\n'
	} >"$work/$1.S"
	"$cross" -nostdlib -static -march=rv64gc -o "$work/$1" "$work/$1.S" || {
		tap_not_ok "$1 builds"
		tap_done
	}
}

# simulate NAME OPTION...: its result as a line of words KEY=VALUE: cycles, causes and components as
# fractions of them.
simulate() {
	local name=$1
	shift
	"$CYCLESTACK" run --config eyerman2006 "$@" --json "$work/result" "$work/$name" >/dev/null 2>"$work/log"
	perl -MJSON::PP -e '
		local $/;
		my $r = decode_json(<STDIN>);
		my $n = $r->{values}{cycles};
		my $causes = $r->{exact}{causes};
		my $width = $r->{exact}{slots_per_cycle};
		print "cycles=$n";
		printf " %s=%.4f", $_, $causes->{$_} / $width / $n for sort keys %$causes;
		printf " component.%s=%.4f", $_, $r->{stacks}{exact}{components}{$_} / $n
			for sort keys %{$r->{stacks}{exact}{components}};
		print "\n";
	' <"$work/result"
}

# value KEY LINE
value() {
	local word
	for word in $2; do
		[ "${word%%=*}" = "$1" ] && { echo "${word#*=}"; return; }
	done
	echo 0
}

# holds NAME EXPRESSION: arithmetic with a comparison.
holds() {
	tap_check "$1 ($2)" perl -e "exit !($2)"
}

assemble fma <<-'END'
		li t0, 100000
	1:	fmadd.d fa0, fa5, fa6, fa7
		fmadd.d fa1, fa5, fa6, fa7
		fmadd.d fa2, fa5, fa6, fa7
		fmadd.d fa3, fa5, fa6, fa7
		fmadd.d fa4, fa5, fa6, fa7
		addi t0, t0, -1
		bnez t0, 1b
END
one=$(simulate fma --set fp_muldiv.count=1)
two=$(simulate fma --set fp_muldiv.count=2)
many=$(simulate fma --set ideal.ports=true)
n1=$(value cycles "$one") n2=$(value cycles "$two")
u1=$(value unit.fp_muldiv "$one") u2=$(value unit.fp_muldiv "$two")
# With units enough an iteration takes two cycles, because fetch ends with the branch: of five cycles three go away,
# of two and a half one half.
holds "five fused multiply-adds on one unit lose 3 of 5 cycles to it" "abs($u1 - 0.6) < 0.01"
holds "on two units 1 of 5" "abs($u2 - 0.2) < 0.01"
holds "two units take half the time" "abs($n2 / $n1 - 0.5) < 0.01"
holds "what the unit loses is what the second one saves" "abs($u1 * $n1 - $u2 * $n2 - ($n1 - $n2)) < 0.01 * $n1"
holds "with ideal.ports nothing is lost to it" "$(value unit.fp_muldiv "$many") == 0"

assemble chain <<-'END'
		li t0, 20000
	1:	fmadd.d fa0, fa0, fa6, fa7
		fmadd.d fa0, fa0, fa6, fa7
		addi t0, t0, -1
		bnez t0, 1b
END
chain=$(simulate chain)
# Of each operation's four cycles one would remain if it took one.
holds "a chain of them is lost to their latency" "abs($(value latency "$chain") - 6 / 8) < 0.01"
holds "and to the chain" "abs($(value dependence "$chain") - 1 / 8) < 0.01"
holds "and not to the unit" "$(value unit.fp_muldiv "$chain") < 0.001"

assemble scatter <<-'END'
		la a0, place
		li a1, 6364136223846793005
		li a2, 1442695040888963407
		li a3, (64 << 20) - 1
		li t0, 20000
	1:	mul a4, a4, a1
		add a4, a4, a2
		srli a5, a4, 33
		and a5, a5, a3
		add a5, a5, a0
		sb t0, 0(a5)
		addi t0, t0, -1
		bnez t0, 1b
END
found=0
for preset in configs/*.cfg; do
	preset=$(basename "$preset" .cfg)
	"$CYCLESTACK" config dump --config "$preset" >"$work/dump"
	grep -q 'kind = "ooo"' "$work/dump" || continue
	grep -A1 '^store = {' "$work/dump" | grep -q unlimited && continue
	found=$((found + 1))
	line=$(simulate scatter --config "$preset")
	misses=0
	for component in l1d l2d l3d dtlb walk bandwidth; do
		misses="$misses + $(value component.$component "$line")"
	done
	holds "$preset: scattered stores are charged to their misses" "$misses > 0.8"
	holds "$preset: little is left to the store buffer" "$(value store "$line") < 0.02"
done
tap_check "there is a preset with a finite store buffer" test "$found" -gt 0
line=$(simulate scatter --set store.buffer=4)
holds "eyerman2006 with four entries, too" "$(value component.l2d "$line") > 0.8"
# Nearly every store misses in the D-TLB, for 30 cycles, and waits 250 for memory.
holds "in proportion to what a store takes in each phase" \
	"abs($(value component.dtlb "$line") / $(value component.l2d "$line") - 30 / 250) < 0.01"
line=$(simulate scatter --set store.buffer=4 --set ideal.store=true)
holds "with ideal.store none of it" "$(value component.l2d "$line") + $(value store "$line") < 0.05"

if "$cross" -O2 -static -o "$work/violations" tests/core/violations.c 2>"$work/log"; then
	RANDOM=7
	settings=(rob.size=32 int_alu.count=1 memory.ports=1 fp_muldiv.count=2 store.buffer=1 store.buffer=4
		l1d.mshrs=1 issue.width=2 lsq.disambiguation=perfect lsq.disambiguation=predict
		issue_queue.kind=split ideal.branch=true ideal.l1d=true ideal.ports=true
		ideal.store=true ideal.units=true wrong_path.unmapped=zero wrong_path.unmapped=stop
		cache.levels=1 cache.levels=3 l1d.size_bytes=1024)
	for _ in 1 2 3 4 5 6 7 8; do
		options=(--set lsq.disambiguation=predict --set store_sets.clear_cycles=$((RANDOM % 400 + 20)))
		for _ in 1 2 3 4; do
			options+=(--set "${settings[RANDOM % ${#settings[@]}]}")
		done
		# A setting for store sets alone is refused on other machines.
		[[ ${options[*]} == *perfect* ]] && options=("${options[@]:4}")
		line=$(simulate violations --max-insns 60000 "${options[@]}")
		sum=0
		for word in $line; do
			case $word in cycles=* | component.*) ;; *) sum="$sum + ${word#*=}" ;; esac
		done
		holds "all slots have a cause: ${options[*]}" "abs($sum - 1) < 0.01"
	done
	line=$(simulate violations --set lsq.disambiguation=predict --set store_sets.clear_cycles=100)
	# Without misses, which become real later, a replay costs little.
	holds "loads that read too early lose cycles to replays" "$(value replay "$line") > 0.002"
	holds "sets that are kept hold loads back" "$(value replay "$line") > 2 * $(
		value replay "$(simulate violations --set lsq.disambiguation=predict)"
	)"
	line=$(simulate violations --set lsq.disambiguation=predict --set ideal.replay=true)
	holds "with ideal.replay none are lost" "$(value replay "$line") + $(value wait "$line") == 0"
else
	tap_not_ok "violations builds" "$(cat "$work/log")"
fi
# What stores that wait for the store buffer lose belongs to the function that stores: memset clears megabytes
# before stencil begins, and the load that missed last before it is far away.
"$CYCLESTACK" run --json "$work/result" @stencil:test >/dev/null 2>"$work/log"
lost=$(perl -MJSON::PP -e '
	local $/;
	my $r = decode_json(<STDIN>);
	my ($memset, $all) = (0, $r->{exact}{causes}{l2d});
	$memset += $_->{slots}{l2d} // 0 for grep { $_->{name} eq "memset" } @{$r->{exact}{functions}};
	printf "%.4f", $memset / $all' <"$work/result")
holds "memset has the misses of its stores" "$lost > 0.8"

tap_done
