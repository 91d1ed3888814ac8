# What slots get wrong and clocks do not: causes in the shadow of time that passes in any case. The
# truth is a difference of machines, so each answer is two or more times worked out on paper. In all
# of them fetch.width=4, groups of four are dispatched 5 cycles after fetch, issued the cycle after
# and committed two after dispatch.
#
# icache: L1I misses behind a chain. Straight code twice as large as the L1I, 64 lines of 8 adds, each
# of which needs the one before. A line costs 11 cycles of fetch (9 of the miss, 2 of delivery) and 8
# of the chain.
#   real        line n is fetched in 11n+9 and 11n+10, issued one add a cycle in 11n+15 .. 11n+22, so
#               the chain waits for fetch. lis and ecall as in instruction_misses: 723 cycles.
#   perfect     add k is issued in 6+k, the last (511) is done and committed in 518, the two lis with
#               it; the ecall, alone, is dispatched in 518 and committed in 520: 521 cycles.
#   slots       9 cycles a line: all of the misses. It must be wrong: 8 of 11 cycles a line pass with
#               the chain.
#   retimed     723-521 = 202. vclk too.
#
# walk: one load that misses in the D-TLB, the L1D and the L2, and 199 independent adds.
#   perfect     the load is issued in 6, done and committed in 8 with the three adds of its group; each
#               further group one cycle later, the 50th in 57; lis in 58, ecall dispatched in 58 and
#               committed in 60: 61 cycles.
#   real        the load takes 30 + 2 + 9 + 250, is done in 297 and the rest is 289 later: 350 cycles.
#               Without the walk 320, without memory 70.
#   slots       the window is full in 37 .. 296, when the walk is over (6 .. 35): 10 cycles in the phase
#               of the L2, 250 in memory's, and nothing of the walk. It must be wrong.
#   retimed     30 to the walk, 250 to memory, 9 to the L2. vclk too.
#
# wide: the chain under mispredictions of mispredictions.s on a machine twice as wide: the base is
# the chain's, not the width's: 24 adds issued in 6 .. 29, the last branch committed in 31, the ecall in
# 33: 34 cycles. Really each round takes 10, and the end 10: 90.
#
#: set fetch.width=4
#: test L1I misses behind a chain
#: set l1i.size_bytes=1024
#: entry icache
#: warm text icache 2048+32
#: fetch icache+32 = 20
#: cycles = 723
#: count l1i.misses = 65
#= retimed,vclk base=521 l1i=723-521
#= slots base=723-65*9 l1i=65*9
#: test a D-TLB walk while the window fills
#: entry walk
#: warm text walk 1024
#: reg a1 word
#: commit walk = 297
#: cycles = 350
#= retimed,vclk base=61 l1d=9 l2d=250 dtlb=30
#= slots base=350-260 l1d=10 l2d=250
#: test a chain under mispredictions on a wide machine
#: set decode.width=8
#: set dispatch.width=8
#: set commit.width=8
#: entry chain
#: warm text chain 1024
#: reg a0 1
#: warm taken chain+12 away 4
#: warm taken chain+28 away 4
#: warm taken chain+44 away 4
#: warm taken chain+60 away 4
#: warm taken chain+76 away 4
#: warm taken chain+92 away 4
#: warm taken chain+108 away 4
#: warm taken chain+124 away 4
#: cycles = 90
#: count mispredictions = 8
#= retimed,vclk base=34 branch=90-34
	.include "litmus.inc"
_start:
	.balign 32
icache:	.rept 512
	addi t0, t0, 1
	.endr
	finish
	.balign 32
walk:	ld t1, 0(a1)
	.rept 199
	add t0, a0, a2
	.endr
	finish
	.balign 32
chain:	.rept 8
	addi a0, a0, 1
	addi a0, a0, 1
	addi a0, a0, 1
	beqz a0, away
	.endr
	finish
	.balign 32
away:	.rept 64
	add t0, a1, a1
	.endr
	finish
	.data
	.balign 4096
word:	.dword 1
