# Nothing but loads from memory: alone in the window (c), and several at once (d). fetch.width=4,
# text and D-TLB warm. Three blocks of 160 instructions, then li, li, ecall.
#
# isolated: a block is a load and 159 adds. The first load is dispatched in 5, issued in 6 and done
# in 267 (2 + 9 + 250). Four are dispatched a cycle, so the window of 128 is full from 37 to 266:
# 230 cycles. In 267 commit begins, four a cycle, and dispatch with it: instruction i commits in 267
# + i/4, and i (from 128) is dispatched in 267 + (i-128)/4. The second load, 160, is dispatched in
# 275, issued in 276 and done in 537. Instruction 159 commits in 306; then the second load is the
# oldest, 160 .. 287 are in the window, and it is full in 307 .. 536: 230 again. The third:
# dispatched in 545, done in 807, full in 577 .. 806: 230. The lis, 480 and 481, commit in 807+40;
# the ecall is dispatched in 847, committed in 849: 850 cycles.
#
#   fmt         3*230; so do sfmt and slots. This is right: a block takes 40 cycles without misses.
#   power5      also counts while the window fills. First: issued in 6, its L1D phase is 7 .. 16: 10
#               l1d; 17 .. 266: 250 l2d. The others are past that when they become the oldest: 230
#               each.
#   naive       3 misses of 9 and of 250, whether or not the window could go on: too much.
#   afmt        fills the window in thought from the last commit on, or from an empty one: 4 after
#               cycle 5, 128 after 36, just as it fills. As sfmt.
#
# overlapping: a block is four loads of different lines and 156 adds. Two ports: loads 0 and 1 are
# issued in 6, 2 and 3 in 7; done in 267 and 268. Full in 37 .. 266 as before. In 267 two commit,
# then four a cycle: instruction i commits in 267 + (i+2)/4. As many are dispatched: 128 and 129 in
# 267, i from 130 in 268 + (i-130)/4. Loads 160 and 161 are dispatched in 275, issued in 276, done
# in 537; 162 and 163 one later. In 307 the last two adds of the first block commit (160 is not
# done) and two are dispatched: full from 308 to 536, 229. In 537 two commit and two are dispatched,
# and all goes on as from 267: full again from 578 to 806, 229. Instructions 480 and 481 commit in
# 807 + 40; 850 cycles.
#
#   fmt, sfmt   230 + 229 + 229.
#   slots       the same cycles, and half of those in which only two were dispatched: in 267 (behind
#               load 2), 307, 537, 577 and 807, 2 slots of 4 each. 688*4 + 10 slots = 690 and a half
#               cycles; the other half is the base's, which comes first: 690.
#   power5      10 l1d, 250 + 229 + 229 l2d. In 267 it commits.
#   naive       12 misses. It must be wrong, and so much that its base is negative.
#   afmt        as sfmt.
#
#: set fetch.width=4
#: reg a0 lines
#: warm dtlb lines 8
#: test isolated loads from memory
#: entry isolated
#: warm text isolated 160*3*4+32
#: commit isolated = 267
#: dispatch isolated+160*4 = 275
#: commit isolated+159*4 = 306
#: commit isolated+160*4 = 537
#: commit isolated+320*4 = 807
#: cycles = 850
#: count l2d.misses = 3
#: count dispatch.rob = 3*230
#= slots,fmt,fmt-published,fmt-rob,sfmt,sfmt-resolve,sfmt-counters base=850-690 l2d=690
#= sfmt-resolve-counters base=850-690 l2d=690
#= afmt base=850-690 l2d=690
#= power5 base=850-720 l1d=10 l2d=250+230+230
#= naive,naive-nonspec base=850-3*259 l1d=3*9 l2d=3*250
#: test four loads from memory at a time
#: entry overlapping
#: warm text overlapping 160*3*4+32
#: commit overlapping = 267
#: commit overlapping+4*2 = 268
#: dispatch overlapping+160*4 = 275
#: dispatch overlapping+162*4 = 276
#: commit overlapping+159*4 = 307
#: commit overlapping+160*4 = 537
#: commit overlapping+162*4 = 538
#: cycles = 850
#: count l2d.misses = 12
#= slots base=850-690 l2d=690
#= fmt,fmt-published,fmt-rob,sfmt,sfmt-resolve,sfmt-counters base=850-688 l2d=688
#= sfmt-resolve-counters base=850-688 l2d=688
#= afmt base=850-688 l2d=688
#= power5 base=850-718 l1d=10 l2d=250+229+229
#= naive,naive-nonspec base=850-12*259 l1d=12*9 l2d=12*250
	.include "litmus.inc"
_start:
	.balign 32
	.set offset, 0
isolated:
	.rept 3
	ld a2, offset(a0)
	.rept 159
	add t0, a3, a4
	.endr
	.set offset, offset + 256
	.endr
	finish
	.balign 32
	.set offset, 0
overlapping:
	.rept 3
	.rept 4
	ld a2, offset(a0)
	.set offset, offset + 128
	.endr
	.rept 156
	add t0, a3, a4
	.endr
	.endr
	finish
	.bss
	.balign 4096
lines:	.skip 4096
