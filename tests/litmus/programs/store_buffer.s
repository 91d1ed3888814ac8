# Stores commit into the store buffer and are written from the next cycle on, in order; an entry is
# free again in the cycle in which the write is done. 16 stores to distinct lines of the L2.
#
# Store k is issued in 6 + k/2 (two ports), complete in 7 + k/2, and commits then unless the
# buffer is full.
#
# misses, 261 each:
#   unlimited   never full: store 15 commits in 14
#   1           store 0 commits in 7, is written from 8 to 269, when its entry is free: store 1
#               commits in 269. 262 apart: k commits in 7 + 262k
#   2           stores 0 and 1 commit in 7 and are written from 8 to 269: pairs, 262 apart
#   4           0 and 1 in 7, 2 and 3 in 8, 4 and 5 in 269, 6 and 7 in 270
#
# hits, 2 each: with one entry 3 apart. ideal.l1d makes of the misses just that.
#
# What the full buffer waits for, with one entry: in the cycle in which a store commits it is not
# written yet; then it is in its L1D phase for 2+9 cycles and in its L2 phase for 250. That is 262
# for each of the 15 stores that wait for the one before. If the first store misses in the
# D-TLB, the second waits 30 more for that.
#
# Write-through with one entry: each store is written to the L2, 2+9, hit in the L1D or not: 12
# apart.
#
# With l1d.mshrs=1 the buffer has room, but the writes come one after the other; commit does not
# care.
#
#: reg a0 lines
#: warm text _start 128
#: test an unlimited store buffer never blocks commit
#: warm dtlb lines 8
#: commit _start+4*15 = 14
#: count head.store = 0
#: count l2d.misses > 0
#: test a store buffer of one entry blocks commit until the store is written
#: set store.buffer=1
#: warm dtlb lines 8
#: commit _start = 7
#: commit _start+4 = 7+262
#: commit _start+4*15 = 7+15*262
#: count store_buffer.most = 1
#: count head.store = 15*262
#: count late.store_l1d = 15*11
#: count late.store_l2d = 15*250
#: test ideal.store removes all of it
#: set store.buffer=1 ideal.store=true
#: warm dtlb lines 8
#: commit _start+4*15 = 14
#: count head.store = 0
#: test of two entries, until one of two is written
#: set store.buffer=2
#: warm dtlb lines 8
#: commit _start+4 = 7
#: commit _start+8 = 7+262
#: commit _start+4*15 = 7+7*262
#: test of four entries, until one of four is written
#: set store.buffer=4
#: warm dtlb lines 8
#: commit _start+4*3 = 8
#: commit _start+4*4 = 7+262
#: commit _start+4*15 = 8+3*262
#: test stores that hit hold the one entry for 2 cycles
#: set store.buffer=1
#: warm data lines 1024
#: commit _start+4*15 = 7+15*3
#: test ideal.l1d makes missing stores as quick as hitting ones
#: set store.buffer=1 ideal.l1d=true
#: warm dtlb lines 8
#: commit _start+4*15 = 7+15*3
#: test ideal.l2d makes them hits in the L2
#: set store.buffer=1 ideal.l2d=true
#: warm dtlb lines 8
#: commit _start+4*15 = 7+15*12
#: test a store that misses the D-TLB holds its entry for 30 more
#: set store.buffer=1
#: commit _start+4 = 7+262+30
#: commit _start+8 = 7+2*262+30
#: count late.store_dtlb = 30
#: test written-through stores go to the L2 each
#: set store.buffer=1 l1d.write=through
#: warm data lines 1024
#: commit _start+4*15 = 7+15*12
#: test a lack of MSHRs does not block commit as long as the buffer has room
#: set l1d.mshrs=1
#: warm dtlb lines 8
#: commit _start+4*15 = 14
	.include "litmus.inc"
_start:
	.set offset, 0
	.rept 16
	sd a1, offset(a0)
	.set offset, offset + 64
	.endr
	finish
	.bss
	.balign 4096
lines:	.skip 4096
