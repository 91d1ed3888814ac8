# What a wrong path brings in. A chain of three adds and a branch on the last, trained to be taken and
# not taken, as in mispredictions.s: fetched in 0, the branch resolves in 10. The wrong path is fetched in
# 1 and begins with a load, dispatched in 6, issued in 7, that misses in the L1D and the L2: its line comes
# in 7+2+9+250 = 268. The right path, fetched in 10, loads from that line: issued in 16, done in 268.
#
#   ends        the load and two lis commit in 268, the ecall is dispatched then and commits in 270: 271
#               cycles.
#   perfect     without misses and mispredictions the load is issued in 7 and done in 9, the branch in 10,
#               which commits with load and lis; the ecall in 12: 13 cycles.
#   l1d         with L1D misses the load is done in 18: 21 cycles.
#   branch      with mispredictions too the wrong path's load is issued in 7, as that of the right path
#               was, and the line comes in 18: 21 cycles. A perfect predictor gains nothing, since the
#               wrong path has fetched the line in its place.
#   slots       from 6, when the right path would have been dispatched, to 14: 9 cycles of misprediction.
#               It must be wrong. Then the ecall waits for the load, which is issued in 16: 17 is in the
#               phase of the L1D's miss, 18 .. 267 in that of the L2's.
#   retimed     13, 8, 0 and 250. vclk too.
#
#: set fetch.width=4
#: test a line that a wrong path has brought in
#: entry chain
#: reg a0 1
#: reg a1 word
#: warm text chain 1024
#: warm taken chain+12 away 4
#: warm dtlb word 8
#: fetch chain+16 = 10
#: commit chain+16 = 268
#: cycles = 271
#: count mispredictions = 1
#= retimed,vclk base=13 l1d=8 l2d=250
#= slots base=271-9-1-250 branch=9 l1d=1 l2d=250
	.include "litmus.inc"
_start:
	.balign 32
chain:	add t0, a0, a0
	add t0, t0, a0
	add t0, t0, a0
	beqz t0, away
	ld t1, 0(a1)
	finish
	.balign 32
away:	ld t1, 0(a1)
	.rept 64
	add t2, a0, a0
	.endr
	.data
	.balign 4096
word:	.dword 1
