# An L1I miss, a misprediction, an L1I miss: what the one set of I-side counters of sfmt loses, and
# what it keeps that it should not. fetch.width=4; lines are 8 instructions; the lines first, wrong
# and next are in the L2 but not in the L1I, unless said otherwise.
#
#   first:  div, add, add, branch   one group, the second half of its line
#   wrong:  adds                    where the branch is predicted to go on to
#   next:   8 adds                  where it goes; then li, li, ecall, warm
#
# all three miss: first is asked for in 0, delivered in 9 (stalls 0 .. 8). wrong is asked for in 10.
# The group is dispatched in 14, the branch issued in 15 and resolved in 16: wrong has been waited
# for in 10 .. 15, 6 cycles. next is asked for in 16 and delivered in 25 (stalls 16 .. 24, 9) and
# 26; the lis and ecall are fetched in 27. Dispatch: 30, 31, 32. The div is issued in 15 and done in
# 35; 35 commits the first group, 36 and 37 next, 38 the lis; the ecall is dispatched in 38 and
# committed in 40: 41 cycles. Right-path stalls are 18.
#
#   fmt           rows tell them apart: 18. Branch: 14, 15, then 25 .. 29 (16 .. 24 are l1i): 7.
#   published     18. The branch is in the window in 14 .. 34, 21; the right path was
#                 dispatched before its commit in 35, so nothing is counted after it. It must be
#                 wrong: the branch waits for the div; base 2.
#   sfmt          the div has the bit. When it commits, in 35, the counters hold 9 + 6 + 9 and are
#                 added: 24. The 6 of the wrong path are kept. Then the branch clears what is 0.
#                 Branch: 7.
#   counters      the same.
#   resolve       in 16 everything is cleared: 9 right and 6 wrong, and the div's bit. next's 9 are
#                 added when its first add commits. 9: the older 9 are lost.
#   resolve-c.    in 16 the counters are cleared but the div's bit is not: it adds next's 9. The
#                 same 9 are lost.
#   afmt          no data misses: as sfmt.
#   naive         three misses; nonspec, two; each 9. Branch 5.
#   power5        empty in 0 .. 14: 15 l1i. 15: the div waits. 16 .. 34: it is in its unit, 19. Then
#                 commits; in 39 the ecall waits.
#   slots         slots. 0 .. 4 base. 5 .. 13 l1i: 36. 14 is full. 15: the branch has been
#                 dispatched and not resolved, 4. 16 .. 24 l1i: 36. 25 .. 29 refill: 20 branch. 30,
#                 31 full; 32: two lis, and 2 slots that the ecall leaves empty while the div is the
#                 oldest: resource, as 8 of 33 and 34. From 35 on base. l1i 72, branch 24, resource
#                 10, base 164 - 106 = 58. In cycles 18, 6, 2 and a half, 14 and a half: the base
#                 comes first and is 15.
#
# first is warm: everything is 9 earlier: the group is fetched in 0, dispatched in 5; wrong is
# waited for in 1 .. 6; the branch resolves in 7; next is waited for in 7 .. 15, fetched in 16,
# dispatched in 21; the div is done and commits, with the branch, in 26. 32 cycles. Right-path
# stalls are 9.
#
#   fmt           9, branch 2 + 5. published: branch in 5 .. 25, 21, and 26 .. 28: 24, base -1.
#   sfmt          the div has no bit. In 26 the branch clears 6 wrong and 9 right ones, and next's
#                 bit: 0. The younger 9 are lost.
#   counters      next keeps its bit, but there is nothing left to add: 0, the same 9 are lost.
#   resolve       in 7 only wrong ones are cleared; next's 9 are added. Right. resolve-counters too.
#   power5        0 .. 5 base, 6: the div waits, 7 .. 25: 19 resource. No l1i: next comes before the
#                 window is empty.
#   slots         0 .. 4 base, 5 full, 6 branch: 4 slots; 7 .. 15 l1i: 36; 16 .. 20 branch: 20; then
#                 as above 10 slots resource; base 128 - 70 = 58.
#   naive         wrong and next; nonspec, next.
#
# next is warm: only first and wrong miss. As the first, but the branch is followed in 16 by next's
# adds: dispatched in 21 and 22, lis in 23; the div is done in 35 as before. 41 cycles. Right-path
# stalls are 9.
#
#   fmt           9; branch 14 .. 20: 7. published: branch 14 .. 34, 21, and 35 .. 37.
#   sfmt          in 35 the div adds 9 + 6: 15, 6 of them wrong.
#   resolve       in 16 all are cleared and never added: 0, the older 9 lost. resolve-counters: the
#                 div's bit is still there, but the counters are 0.
#   power5        15 l1i, 19 resource.
#   slots         l1i 36 slots; branch 15 .. 20: 24; 21, 22 full, 23: two lis, so 2 + 4*11 (24 ..
#                 34) resource: 46. Base 164 - 106 = 58. Cycles 9, 6, 11 and a half, 14 and a half:
#                 the base is 15.
#   naive         first and wrong; nonspec, first.
#
#: set fetch.width=4
#: reg a0 1
#: reg a2 7
#: reg a3 1
#: warm text first 160
#: warm not_taken branch 4
#: entry first
#: test first, wrong and next miss
#: warm text first+8192 4
#: warm text wrong+8192 4
#: warm text next+8192 4
#: dispatch branch = 14
#: fetch next = 25
#: dispatch next = 30
#: commit branch = 35
#: cycles = 41
#: count fetch.l1i = 24
#: count mispredictions = 1
#= slots base=15 l1i=18 branch=6 resource=2
#= fmt,fmt-rob base=41-25 l1i=18 branch=7
#= fmt-published base=2 l1i=18 branch=21
#= sfmt,sfmt-counters base=41-31 l1i=24 branch=7 lost.older=0 lost.younger=0 lost.wrong=6
#= sfmt-resolve base=41-16 l1i=9 branch=7 lost.older=9 lost.younger=0 lost.wrong=0
#= sfmt-resolve-counters base=41-16 l1i=9 branch=7 lost.older=9 lost.younger=0 lost.wrong=0
#= afmt base=41-31 l1i=24 branch=7
#= naive base=41-32 l1i=27 branch=5
#= naive-nonspec base=41-23 l1i=18 branch=5
#= power5 base=41-34 l1i=15 resource=19
#: test wrong and next miss
#: warm text wrong+8192 4
#: warm text next+8192 4
#: dispatch branch = 5
#: fetch next = 16
#: commit branch = 26
#: cycles = 32
#: count fetch.l1i = 15
#= slots base=15 l1i=9 branch=6 resource=2
#= fmt,fmt-rob base=32-16 l1i=9 branch=7
#= fmt-published base=2 l1i=9 branch=21
#= sfmt,sfmt-counters base=32-7 branch=7 lost.older=0 lost.younger=9 lost.wrong=0
#= sfmt-resolve base=32-16 l1i=9 branch=7 lost.older=0 lost.younger=0 lost.wrong=0
#= sfmt-resolve-counters base=32-16 l1i=9 branch=7 lost.older=0 lost.younger=0 lost.wrong=0
#= afmt base=32-7 branch=7
#= naive base=32-23 l1i=18 branch=5
#= naive-nonspec base=32-14 l1i=9 branch=5
#= power5 base=32-19 resource=19
#: test first and wrong miss
#: warm text first+8192 4
#: warm text wrong+8192 4
#: dispatch branch = 14
#: fetch next = 16
#: commit branch = 35
#: cycles = 41
#: count fetch.l1i = 15
#= slots base=15 l1i=9 branch=6 resource=11
#= fmt,fmt-rob base=41-16 l1i=9 branch=7
#= fmt-published base=41-30 l1i=9 branch=21
#= sfmt,sfmt-counters base=41-22 l1i=15 branch=7 lost.older=0 lost.younger=0 lost.wrong=6
#= sfmt-resolve,sfmt-resolve-counters base=41-7 branch=7 lost.older=9 lost.younger=0 lost.wrong=0
#= afmt base=41-22 l1i=15 branch=7
#= naive base=41-23 l1i=18 branch=5
#= naive-nonspec base=41-14 l1i=9 branch=5
#= power5 base=41-34 l1i=15 resource=19
	.include "litmus.inc"
_start:
	.balign 32
	.skip 16
first:	div t1, a2, a3
	add t0, a4, a5
	add t0, a4, a5
branch:	bnez a0, next
wrong:	.rept 8
	add t0, a4, a5
	.endr
	.rept 8
	add t0, a4, a5
	.endr
next:	.rept 8
	add t0, a4, a5
	.endr
	finish
