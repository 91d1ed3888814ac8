# Nothing but mispredictions. Every branch has been trained to be taken and is not. fetch.width=4,
# all text is warm; branches are the last of their group of four, so that what follows would have
# been dispatched one cycle later.
#
# chain: eight rounds of three adds in a chain and a branch on the last. A round whose group is
# fetched in T is dispatched in T+5; the adds are issued in T+6, T+7, T+8, the branch in T+9, and it
# resolves in T+10, when the next round is fetched: T+10 is the next round's T. Adds commit in T+7,
# T+8, T+9, the branch in T+10, so every round meets an empty window. The wrong path is dispatched
# in T+6 .. T+9, 16 adds.
#
#   ends        round 8 is li, li, ecall: T = 80, dispatched in 85, committed in 87; the ecall is
#               dispatched in 87 and committed in 89: 90 cycles.
#   slots       without the misprediction the next group would be dispatched in T+6 and is in T+15:
#               9 cycles, 4 of wrong path and 5 of refill. 8*9.
#   retimed     without mispredictions the chain remains: add k is issued in 6+k, the last (23) in 29,
#               the last branch commits in 31 with the lis, the ecall in 33: 34 cycles. So only 56
#               would go away, and slots must be wrong. vclk too.
#   fmt         from the branch's dispatch, T+5, to T+14: 10. It must be too much by one: the cycle
#               in which the branch is dispatched is a useful one, and more so the later in its
#               group it stands.
#   published   in the window in T+5 .. T+9, then T+10 (commit) .. T+14: the same.
#   sfmt, afmt  as fmt; there is nothing in the table to clear.
#   naive       the front end's 5. It must be too little: the resolution time is left out.
#   power5      the window is empty from T+11 to T+15, the cycle of dispatch: 5, too little as well.
#
# load: four rounds of a load that hits the L2, two adds and a branch on the load. In T+5
# dispatched; the load is issued in T+6, done and committed in T+17 with the adds; the branch issued
# in T+17, resolved and committed in T+18. Next round: T+18. The wrong path is dispatched in T+6 ..
# T+17, 48 adds: the window is never full.
#
#   ends        T = 72: lis dispatched in 77, committed in 79, ecall committed in 81: 82 cycles.
#   slots       T+6 .. T+22: 17 a round.
#   retimed     perfect: round k is fetched in k, its load done in k+8, its branch in k+9; the last commits
#               in 12 with the lis, the ecall in 14: 15 cycles. With the L1D's misses, which overlap,
#               9 more; the rest are mispredictions. vclk too.
#   fmt         T+5 .. T+22: 18 a round. The L1D miss is not seen: the window is not full.
#   power5      the load is the oldest, issued in T+6: T+7 .. T+16 are l1d, 10; the window is empty
#               in T+19 .. T+23, 5.
#   naive       4 misses of 9, 4 mispredictions of 5.
#   afmt        the load waits, as the oldest, up to T+16. 4 a cycle since the last commit, which
#               left the window empty in T (in the first round: since cycle 0), are at most 4*16 by
#               then, not 128: as sfmt.
#
#: set fetch.width=4
#: reg a0 1
#: test a branch at the end of a chain of three adds
#: entry chain
#: warm text chain 1024
#: warm taken chain+12 away 4
#: warm taken chain+28 away 4
#: warm taken chain+44 away 4
#: warm taken chain+60 away 4
#: warm taken chain+76 away 4
#: warm taken chain+92 away 4
#: warm taken chain+108 away 4
#: warm taken chain+124 away 4
#: dispatch chain+12 = 5
#: fetch chain+16 = 10
#: dispatch chain+16 = 15
#: dispatch chain+124 = 75
#: cycles = 90
#: count mispredictions = 8
#: count misfetches = 0
#: count l1i.misses = 0
#= slots base=90-8*9 branch=8*9
#= retimed,vclk base=34 branch=90-34
#= fmt,fmt-published,fmt-rob,sfmt,sfmt-resolve,sfmt-counters base=90-8*10 branch=8*10
#= sfmt-resolve-counters,afmt base=90-8*10 branch=8*10
#= naive,naive-nonspec,power5 base=90-8*5 branch=8*5
#: test a branch behind a load that hits the L2
#: entry load
#: warm text load 1024
#: reg a1 word
#: word word 1
#: word word+32 1
#: word word+64 1
#: word word+96 1
#: warm data word 128
#: warm data word+4096*1 128
#: warm data word+4096*2 128
#: warm data word+4096*3 128
#: warm data word+4096*4 128
#: warm taken load+12 away 4
#: warm taken load+28 away 4
#: warm taken load+44 away 4
#: warm taken load+60 away 4
#: fetch load+16 = 18
#: commit load = 17
#: commit load+12 = 18
#: dispatch load+60 = 59
#: cycles = 82
#: count mispredictions = 4
#: count l1d.misses = 4
#: count l2d.misses = 0
#= slots base=82-4*17 branch=4*17
#= retimed,vclk base=15 l1d=9 branch=82-24
#= fmt,fmt-published,fmt-rob,sfmt,sfmt-resolve,sfmt-counters base=82-4*18 branch=4*18
#= sfmt-resolve-counters,afmt base=82-4*18 branch=4*18
#= naive,naive-nonspec base=82-4*14 branch=4*5 l1d=4*9
#= power5 base=82-4*15 branch=4*5 l1d=4*10
	.include "litmus.inc"
_start:
	.balign 32
chain:	.rept 8
	addi a0, a0, 1
	addi a0, a0, 1
	addi a0, a0, 1
	beqz a0, away
	.endr
	finish
	.balign 32
load:	.set offset, 0
	.rept 4
	ld a0, offset(a1)
	add t0, a2, a3
	add t0, a2, a3
	beqz a0, away
	.set offset, offset + 32
	.endr
	finish
	.balign 32
away:	.rept 100
	add t0, a2, a3
	.endr
	finish
	.bss
	.balign 4096
word:	.skip 32768
