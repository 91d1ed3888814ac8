#!/bin/bash
# `model --explain` on a program whose misses can be counted on paper: three lines of one function, each of which misses
# once in every round, one after the other.
. "$(dirname "$0")/../head.sh"
needs "$cross"
# Lines 7, 9 and 11 load from three areas, each from the next page in every round.
cat >chain.s <<'END'
	.globl _start
	.type walk, @function
_start:	la a0, data
	li s0, 400
	jal walk
	j end
walk:	ld t0, 0(a0)
	add a1, t0, a0
	ld t1, 1024(a1)
	add a2, t1, a0
	ld t2, 2040(a2)
	add a0, t2, a0
	li t3, 4096
	add a0, a0, t3
	addi s0, s0, -1
	bnez s0, walk
	ret
	.size walk, . - walk
end:	li a0, 0
	li a7, 93
	ecall
	.bss
	.balign 4096
data:	.skip 1650000
END
"$cross" -g -nostdlib -static -o chain chain.s 2>log || {
	tap_not_ok "the program builds" "$(cat log)"
	tap_done
}
for memory in 200 1000; do
	"$cyclestack" model --config chen2008 --set memory.latency_cycles=$memory --explain --json m.json ./chain >out 2>&1
	tap_is "latency $memory: it is modelled" "$? $(grep -c '^cyclestack:' out)" "0 0"
	tap_is "latency $memory: each line has its own misses, and the function all" "$(perl -MJSON::PP -e 'local $/; open F, "<", "m.json";
		my $x = decode_json(<F>)->{explanation};
		print map { "$_->{file}:$_->{line} $_->{misses}\n" } sort { $a->{line} <=> $b->{line} } grep { $_->{function} eq "walk" } @{$x->{lines}};
		print map { "$_->{function} $_->{misses}\n" } grep { $_->{function} eq "walk" } @{$x->{functions}}')" \
		"chain.s:7 400
chain.s:9 400
chain.s:11 400
walk 1200"
done
tap_done
