# A mispredicted branch that waits for the oldest instruction while its wrong path fills the window:
# which cycles are charged to which? fetch.width=4, text and D-TLB warm. The branch is predicted not
# taken and is taken.
#
#   load or div, branch, add, add | adds ...      the wrong path goes on in the branch's own group
#   target: add, add, li, li | ecall
#
# load: from memory, issued in 6 and done in 267; the branch is dispatched in 5, issued in 267 and
# resolved in 268, when target is fetched: dispatched in 273, committed in 275; ecall 275 and 277:
# 278 cycles. The wrong path is dispatched from 5 (two) to 36, when the window is full: full in 37
# .. 266, 230. In 267 the load commits and one more is dispatched; the branch waits.
#
#   slots         slots. 5: two useful, two the branch's. 6 .. 16 are the branch's, 44. From 17 on
#                 the load waits for memory, and the branch does not resolve before that ends: it
#                 waits for the load, and 17 .. 266 are the load's, 1000. 267: one of wrong path,
#                 for which there is room since one has committed: the branch's; 3 for want of room
#                 behind the branch, which waits: base. 268 .. 272 refill: 20. Branch 67, l2d 1000,
#                 base 1112 - 1067 = 45. In cycles 16 and 3/4, 250, 11 and 1/4: the branch gets the
#                 odd one.
#   fmt, sfmt     branch: in the window and not full in 5 .. 36 and 267: 33; refill 5. 38; l2d 230.
#   published     the same: the branch commits when it resolves.
#   afmt          full in 37 .. 266, 230, as it is; branch 32 + 1 + 5.
#   power5        10 l1d, 250 l2d; the window is empty in 269 .. 273: 5 branch.
#   naive         9, 250, 5.
#
# unit: a window of 16 and a div, issued in 6 and done in 26. The wrong path is dispatched in 5 ..
# 8; full in 9 .. 25, 17. The div commits in 26, when one more is dispatched; the branch resolves in
# 27, target is dispatched in 32, committed in 34; ecall 34 and 36: 37 cycles.
#
#   slots         slots. 5: two useful, two the branch's. The right path, four a cycle, would have
#                 filled the window in the same cycle, 8: 6 .. 8 are the branch's, 12. 9 .. 25 the
#                 div's, 68. 26: one the branch's, 3 base. 27 .. 31 refill: 20. Branch 35, resource
#                 68, base 148 - 103 = 45. In cycles 8 and 3/4, 17, 11 and 1/4: the branch gets the
#                 odd one.
#   fmt, sfmt     branch: 5 .. 8, 26, and 5 of refill: 10; resource 17. afmt: there is no data miss.
#   power5        7 .. 25: 19 resource; the window is empty in 28 .. 32: 5 branch.
#   naive         5.
#
#: set fetch.width=4
#: reg a0 line
#: word line 1
#: warm dtlb line 8
#: warm text load 2048
#: test the wrong path of a branch on a load from memory fills the window
#: entry load
#: warm not_taken load+4 4
#: dispatch load+4 = 5
#: commit load+4 = 268
#: dispatch load_target = 273
#: cycles = 278
#: count mispredictions = 1
#: count dispatch.rob = 231
#= slots base=11 branch=17 l2d=250
#= fmt,fmt-published,fmt-rob,sfmt,sfmt-resolve,sfmt-counters base=10 branch=38 l2d=230
#= sfmt-resolve-counters base=10 branch=38 l2d=230
#= afmt base=10 branch=38 l2d=230
#= power5 base=13 branch=5 l1d=10 l2d=250
#= naive,naive-nonspec base=278-264 branch=5 l1d=9 l2d=250
#: test the wrong path of a branch on a div fills the window
#: set rob.size=16 issue_queue.size=16 lsq.size=16
#: entry unit
#: reg a3 1
#: reg a4 1
#: warm not_taken unit+4 4
#: dispatch unit+4 = 5
#: commit unit+4 = 27
#: dispatch unit_target = 32
#: cycles = 37
#: count mispredictions = 1
#: count dispatch.rob = 18
#= slots base=11 branch=9 resource=17
#= fmt,fmt-published,fmt-rob,sfmt,sfmt-resolve,sfmt-counters base=10 branch=10 resource=17
#= sfmt-resolve-counters,afmt base=10 branch=10 resource=17
#= power5 base=13 branch=5 resource=19
#= naive,naive-nonspec base=32 branch=5
	.include "litmus.inc"
_start:
load:	ld a2, 0(a0)
	bnez a2, load_target
	.rept 206
	add t0, a3, a4
	.endr
load_target:
	add t0, a3, a4
	add t0, a3, a4
	finish
	.balign 32
unit:	div a2, a3, a4
	bnez a2, unit_target
	.rept 206
	add t0, a3, a4
	.endr
unit_target:
	add t0, a3, a4
	add t0, a3, a4
	finish
	.bss
	.balign 4096
line:	.skip 4096
