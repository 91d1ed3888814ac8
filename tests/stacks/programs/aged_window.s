# A load from memory that comes into an empty window after a long wait for instructions: when is
# afmt's window full? fetch.width=4, text in the caches, its page not in the I-TLB; D-TLB warm.
#
# A load, 159 adds, li, li, ecall. The page is waited for in 0 .. 29; the load is fetched in 30,
# dispatched in 35, issued in 36 and done in 297. The window is full in 67 .. 296: 230. Instruction
# i commits in 297 + i/4, the lis in 337; 340 cycles.
#
#   fmt, sfmt     30 itlb, 230 l2d. slots too (5 .. 34 feel the I-TLB).
#   power5        0 .. 35 itlb; 36 waits; 37 .. 46 l1d, 10; 47 .. 296 l2d, 250.
#   naive         30, 9, 250.
#   afmt          an empty window does not age: it holds 4 after 35, in thought 4 more after each
#                 cycle, 128 after 66. Full in 67 .. 296, as it is.
#
#: set fetch.width=4
#: reg a0 line
#: warm dtlb line 8
#: warm text load 160*4+32
#: warm text load+65536*1+2048 4
#: warm text load+65536*2+2048 4
#: warm text load+65536*3+2048 4
#: warm text load+65536*4+2048 4
#: test an I-TLB miss and then a load from memory
#: fetch load = 30
#: commit load = 297
#: cycles = 340
#: count fetch.itlb = 30
#: count dispatch.rob = 230
#= slots,fmt,fmt-published,fmt-rob,sfmt,sfmt-resolve,sfmt-counters base=80 itlb=30 l2d=230
#= sfmt-resolve-counters base=80 itlb=30 l2d=230
#= naive,naive-nonspec base=340-289 itlb=30 l1d=9 l2d=250
#= afmt base=80 itlb=30 l2d=230
#= power5 base=340-296 itlb=36 l1d=10 l2d=250
	.include "litmus.inc"
_start:
	.balign 4096
load:	ld a2, 0(a0)
	.rept 159
	add t0, a3, a4
	.endr
	finish
	.bss
	.balign 4096
line:	.skip 4096
