# Loads of a line that is on its way.
#
# same: two loads of one line, both issued in 6: the first misses (6+261 = 267), the second finds
# the line on its way and waits for it: 267 too. One miss, one pending hit. Behind the second stand
# 100 dependent muls (3 each): from 267 on, so the last commits in 267 + 300.
#
# With ideal.pending_hits the second load takes a hit's 2: its data is there in 8 and the muls go on
# from 8: the last is done in 308, when commit has long passed the first load (all 102 fit in the
# ROB). 259 less.
#
# neighbour: the second load is of the other half of the L2's line. It misses the L1D and finds
# the line on its way in the L2: 267 as well. With ideal.pending_hits it takes an L2 hit's 2+9:
# the muls end in 6+11+300.
#
# walk: two loads of different lines of one page, lines in the L1D, page not in the D-TLB. The first
# walks from 6 to 36, the second waits for the same walk: both are done in 38.
#
# With l1d.mshrs=1 a pending hit asks for no register: 267 as before.
#
#: reg a0 line
#: reg a1 3
#: warm text same 1024
#: warm dtlb line 8
#: test a load of a line on its way waits for it
#: as same
#: entry same
#: commit same = 267
#: commit same_chain+4*99 = 267+300
#: count l1d.misses = 1
#: count l1d.pending = 1
#: count l2d.misses = 1
#: test a pending hit takes no MSHR
#: set l1d.mshrs=1
#: entry same
#: commit same_chain+4*99 = 267+300
#: test ideal.pending_hits makes it a hit
#: set ideal.pending_hits=true
#: entry same
#: commit same = 267
#: commit same_chain+4*99 = 8+300
#: cycles - same = 0-259
#: test a load of the other half of an L2 line on its way waits for it
#: entry neighbour
#: commit neighbour_chain+4*99 = 267+300
#: count l1d.misses = 2
#: count l2d.misses = 1
#: count l2d.pending = 1
#: test ideal.pending_hits makes it a hit in the L2
#: set ideal.pending_hits=true
#: entry neighbour
#: commit neighbour_chain+4*99 = 6+2+9+300
#: test a load of a page that is being walked for waits for that walk
#: entry walk
#: warm data line 64
#: warm data line+131072*1+1024 8
#: warm data line+131072*2+1024 8
#: warm data line+131072*3+1024 8
#: warm data line+131072*4+1024 8
#: commit walk = 6+30+2
#: commit walk+4 = 6+30+2
#: count dtlb.misses = 1
#: count dtlb.pending = 1
	.include "litmus.inc"
_start:
same:	ld a2, 0(a0)
	ld a3, 8(a0)
same_chain:
	.rept 100
	mul a3, a3, a1
	.endr
	finish
	.balign 32
neighbour:
	ld a2, 0(a0)
	ld a3, 32(a0)
neighbour_chain:
	.rept 100
	mul a3, a3, a1
	.endr
	finish
	.balign 32
walk:	ld a2, 0(a0)
	ld a3, 32(a0)
	finish
	.bss
	.balign 4096
line:	.skip 4096
