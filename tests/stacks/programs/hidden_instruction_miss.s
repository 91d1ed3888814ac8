# An L1I miss that costs nothing: it happens while a load from memory keeps the window full, and is
# over long before. fetch.width=4, text and D-TLB warm but for one line, which is in the L2.
#
# A load, 159 adds, li, li, ecall. The load is issued in 6 and done in 267; instruction i is fetched
# in i/4 and dispatched in 5 + i/4 up to 127. Line 17 (instruction 136) is asked for in cycle 34 and
# delivered in 43: stalls in 34 .. 42. The window is full from 37 to 266. From 267 on four commit
# and four are dispatched a cycle, and 136 has long been ready. The lis, 160 and 161, commit in
# 267+40; 310 cycles, with or without the miss.
#
#   slots, power5   no loss: no cycle is l1i. slots: l2d 230. power5: 10 l1d, 250 l2d.
#   fmt, sfmt       count 34, 35 and 36, before the window is full: must be wrong by 3.
#   published       does not rest in full cycles: 9, of which 37 .. 42 are also l2d. Wrong by 9.
#   naive           9 for the miss, 9 and 250 for the load.
#   afmt            fills the window in thought from 5 on, as it fills: as sfmt.
#
# late: the same, but line 17 begins a page that is not in the I-TLB, and is in no cache (with lines
# of 32 bytes in the L2, so that its neighbour does not bring it in). Asked for in 34, it waits for
# the I-TLB up to 63, for the L2 up to 72, for memory up to 322, and is delivered in 323. The window
# is full from 37 to 266 all the same; 128 .. 135 are dispatched in 267 and 268. Instruction i from
# 136 on is fetched in 323 + (i-136)/4, dispatched 5 and committed 7 later; the lis, 160 and 161,
# are fetched in 329 and committed in 336: 339 cycles, 29 more than without the miss.
#
#   slots           l2d 230. The lost slots of 269 .. 327 are charged to why nothing was fed 5
#                   cycles before, 264 .. 322, all of them l2i: 59.
#   power5          the window: 127 instructions behind the load and 8 more: committed from 267 on
#                   four a cycle, 136 in all, the last in 300. Empty in 301 .. 328: l2i, 28. 10 l1d,
#                   250 l2d. It comes nearest to the 29.
#   fmt, sfmt       I-TLB in 34 .. 36: 3 (37 .. 63 are full), l2i in 267 .. 322: 56. L1I is all in
#                   full cycles.
#   published       30 itlb, 9 l1i, 250 l2i and 230 l2d. Of 339 cycles that leaves a base of -180.
#   naive           as published, with 9 l1d and 250 l2d.
#   afmt            full in 37 .. 266, as it is: as sfmt.
#
#: set fetch.width=4
#: reg a0 line
#: warm dtlb line 8
#: test an L1I miss under a full window
#: entry short
#: warm text short 160*4+32
#: warm text short+136*4+8192 4
#: fetch short+136*4 = 43
#: dispatch short+127*4 = 36
#: dispatch short+128*4 = 267
#: dispatch short+136*4 = 269
#: cycles = 310
#: count fetch.l1i = 9
#: count dispatch.rob = 230
#= slots base=80 l2d=230
#= fmt,fmt-rob,sfmt,sfmt-resolve,sfmt-counters,sfmt-resolve-counters base=77 l1i=3 l2d=230
#= fmt-published base=71 l1i=9 l2d=230
#= power5 base=50 l1d=10 l2d=250
#= naive,naive-nonspec base=310-268 l1i=9 l1d=9 l2d=250
#= afmt base=77 l1i=3 l2d=230
#: test a miss of I-TLB, L1I and L2 that outlasts the full window
#: set l2.line_bytes=32
#: entry late
#: warm text late 136*4
#: warm text late+144*4 19*4
#: warm text late+136*4+65536*1+2048 4
#: warm text late+136*4+65536*2+2048 4
#: warm text late+136*4+65536*3+2048 4
#: warm text late+136*4+65536*4+2048 4
#: fetch late+136*4 = 323
#: dispatch late+128*4 = 267
#: dispatch late+136*4 = 328
#: cycles = 339
#: count fetch.itlb = 30
#: count fetch.l1i = 9
#: count fetch.l2i = 250
#= slots base=339-289 l2i=59 l2d=230
#= fmt,fmt-rob,sfmt,sfmt-resolve,sfmt-counters,sfmt-resolve-counters base=50 itlb=3 l2i=56 l2d=230
#= fmt-published base=-180 itlb=30 l1i=9 l2i=250 l2d=230
#= naive,naive-nonspec base=339-548 itlb=30 l1i=9 l2i=250 l1d=9 l2d=250
#= afmt base=339-289 itlb=3 l2i=56 l2d=230
#= power5 base=339-288 l2i=28 l1d=10 l2d=250
	.include "litmus.inc"
_start:
	.balign 4096
short:	ld a2, 0(a0)
	.rept 159
	add t0, a3, a4
	.endr
	finish
	.balign 4096
	.skip 4096-136*4
late:	ld a2, 0(a0)
	.rept 159
	add t0, a3, a4
	.endr
	finish
	.bss
	.balign 4096
line:	.skip 4096
