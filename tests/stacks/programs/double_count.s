# Two mispredictions under one load from memory, each resolved at once, both waiting for the load to
# commit. fetch.width=4; text and D-TLB warm; branches have been trained to be taken and are not.
#
#   load, add, add, branch one | add, add, add, branch two | adds | li, li, ecall
#
# The first group is fetched in 0, dispatched in 5; branch one is issued in 6 and resolves in 7,
# when the second group is fetched: dispatched in 12; branch two resolves in 14; the adds are
# dispatched from 19 on. Wrong paths are dispatched in 6 and in 13, four adds each. The load is
# issued in 6 and done in 267: both branches commit then or later.
#
# full: 152 adds. Four a cycle: with 120 of them the window is full after 48: full in 49 .. 266, 218
# cycles. Instruction i commits in 267 + i/4; branch one (3) in 267, two (7) in 268; lis (160, 161)
# in 307; 310 cycles.
#
#   fmt           each branch: 2 in the window and 5 of refill. 14; l2d 218.
#   published     one is in the window in 5 .. 48 without it being full, 44. Two in 12 .. 48 and in
#                 267: 38. At the commits something is dispatched in the same cycle. It must be
#                 wrong: 12 .. 48 are counted twice, and most are useful: 82.
#   sfmt          when branch one commits it clears the table, and with it the 7 that branch two has
#                 counted. It must be wrong: 7. The variants do not (resolve: bits and counters
#                 only): 14.
#   afmt          clears nothing of other branches: 14. The window is full in thought from 37 to 266 (see
#                 long_misses): 230.
#   slots         one cycle of wrong path and 5 of refill each: 12. l2d 218.
#   power5        the window is not empty: no branch. 10 l1d, 250 l2d.
#   naive         5 each, 9 and 250.
#
# short: 4 adds. They are dispatched in 19, the lis in 20; the ecall waits for an empty window. In
# 267, 268, 269 four commit, in 270 the lis; the ecall commits in 272: 273 cycles.
#
#   fmt           14. The window is never full (what stops dispatch is the ecall): no l2d. It must
#                 be wrong: the wait for the load is called base.
#   published     one in 5 .. 266, two in 12 .. 267; the right path was dispatched in 19, long before
#                 the commits, so nothing is counted after them. 262 + 256 = 518 of 273 cycles: base
#                 -245.
#   sfmt          7, the variants 14, no l2d.
#   afmt          14, and l2d 37 .. 266, 230: the age of the miss says what the full window does not.
#   slots         branch 12. From 20 on the ecall does not dispatch: the oldest is the load, so 2
#                 slots of 20 and 4 of 21 .. 266 are l2d: 246 and a half cycles, the half being the
#                 base's: 246.
#   power5        10 l1d, 250 l2d.
#
#: set fetch.width=4
#: reg a0 1
#: reg a1 line
#: warm dtlb line 8
#: test two mispredictions, and then the window fills
#: entry full
#: warm text full 1024
#: warm taken full+12 away 4
#: warm taken full+28 away 4
#: dispatch full+12 = 5
#: dispatch full+28 = 12
#: dispatch full+32 = 19
#: commit full+12 = 267
#: commit full+28 = 268
#: cycles = 310
#: count mispredictions = 2
#: count dispatch.rob = 218
#= slots base=80 branch=12 l2d=218
#= fmt,fmt-rob,sfmt-resolve,sfmt-counters,sfmt-resolve-counters base=78 branch=14 l2d=218
#= fmt-published base=310-300 branch=82 l2d=218
#= sfmt base=310-225 branch=7 l2d=218
#= afmt base=310-244 branch=14 l2d=230
#= power5 base=50 l1d=10 l2d=250
#= naive,naive-nonspec base=310-269 branch=10 l1d=9 l2d=250
#: test two mispredictions under a load, and nothing to fill the window with
#: entry short
#: warm text short 256
#: warm text away 512
#: warm taken short+12 away 4
#: warm taken short+28 away 4
#: dispatch short+28 = 12
#: dispatch short+32 = 19
#: commit short+28 = 268
#: cycles = 273
#: count mispredictions = 2
#= slots base=273-258 branch=12 l2d=246
#= fmt,fmt-rob,sfmt-resolve,sfmt-counters,sfmt-resolve-counters base=273-14 branch=14
#= fmt-published base=-245 branch=518
#= sfmt base=273-7 branch=7
#= afmt base=273-244 branch=14 l2d=230
#= power5 base=273-260 l1d=10 l2d=250
#= naive,naive-nonspec base=273-269 branch=10 l1d=9 l2d=250
	.include "litmus.inc"

.macro two_branches adds:req
	ld a2, 0(a1)
	add t0, a3, a4
	add t0, a3, a4
	beqz a0, away
	add t0, a3, a4
	add t0, a3, a4
	add t0, a3, a4
	beqz a0, away
	.rept \adds
	add t0, a3, a4
	.endr
	finish
.endm

_start:
	.balign 32
full:	two_branches 152
	.balign 32
away:	.rept 100
	add t0, a3, a4
	.endr
	finish
	.balign 32
short:	two_branches 4
	.bss
	.balign 4096
line:	.skip 4096
