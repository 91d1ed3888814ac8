# A mispredicted branch on a load from memory, whose wrong path fills the window: which cycles are the branch's
# and which the load's? fetch.width=4, text and D-TLB warm. The branch is predicted not taken and is taken.
#
#   load, branch, add, add | adds ...      the wrong path goes on in the branch's own group
#   target: add, add, li, li | ecall
#
# The load is issued in 6 and done in 267; the branch is dispatched in 5, issued in 267 and resolved in 268, when target
# is fetched: dispatched in 273, committed in 275; ecall 275 and 277: 278 cycles. The wrong path is dispatched from 5 (two)
# to 36, when the window is full: full in 37 .. 266, 230. In 267 the load commits and one more is dispatched;
# the branch waits.
#
#   exact         slots. 5: two useful, two the branch's. The right path would have been dispatched four a cycle,
#                 too, and have filled the window in the same cycle: 6 .. 36 are the branch's, 124. 37 .. 266 the
#                 load's, 920. 267: one of wrong path, for which there is room since one has committed: the branch's; 3
#                 for want of room behind the branch, which waits: base. 268 .. 272 refill: 20. Branch 147,
#                 l2d 920, base 1112 - 1067 = 45. In cycles 36 and 3/4, 230, 11 and 1/4: the branch gets the odd one.
#                 KNOWN: the tool gives 36 and 231. It takes the window of cycle 5, with the two of the wrong path
#                 in it, as what the right path would hold, and then adds the same two slots once more, so
#                 that in 36 two slots are the load's. (What commits in the branch's dispatch cycle is taken
#                 away twice likewise.)
#   fmt, sfmt     branch: in the window and not full in 5 .. 36 and 267: 33; refill 5. 38; l2d 230.
#   published     the same: the branch commits when it resolves.
#   afmt          full in 32 .. 266, 235; branch 27 + 1 + 5.
#   power5        10 l1d, 250 l2d; the window is empty in 269 .. 273: 5 branch.
#   naive         9, 250, 5.
#
#: set fetch.width=4
#: reg a0 line
#: word line 1
#: warm dtlb line 8
#: warm text _start 1024
#: warm not_taken branch 4
#: test the wrong path of a branch on a load from memory fills the window
#: dispatch branch = 5
#: commit branch = 268
#: dispatch target = 273
#: cycles = 278
#: count mispredictions = 1
#: count dispatch.rob = 231
#! exact base=11 branch=37 l2d=230
#= fmt,fmt-published,fmt-rob,sfmt,sfmt-resolve,sfmt-counters,sfmt-resolve-counters base=10 branch=38 l2d=230
#= afmt base=10 branch=33 l2d=235
#= power5 base=13 branch=5 l1d=10 l2d=250
#= naive,naive-nonspec base=278-264 branch=5 l1d=9 l2d=250
	.include "litmus.inc"
_start:	ld a2, 0(a0)
branch:	bnez a2, target
	.rept 206
	add t0, a3, a4
	.endr
target:	add t0, a3, a4
	add t0, a3, a4
	finish
	.bss
	.balign 4096
line:	.skip 4096
