# The window is full. At its head is a load from memory: issued in 6, done and committed in 267.
#
# rob: 160 adds behind it. With rob.size=16 the load and 15 adds are dispatched; add 15 (from 0) is
# not until the load has left, in 267, when four commit and four are dispatched; then four a
# cycle. Commit takes 4 a cycle from 267 on: add 15, the 17th, goes in 271. With 128 entries add 127
# is the first that waits; add 126 is dispatched in 5 + 127/4 = 36.
#
# overlap: a second load from memory, 16th behind the first with a ROB of 16, or at distance 15.
# At distance 16 it is dispatched in 267, issued in 268, done in 529: the misses do not overlap.
# At 15 it is dispatched in 8, issued in 9, done in 270.
#
# queue: five adds in a chain on the load wait in an issue queue of 4 entries: an instruction holds
# its entry until issued. The load is issued in 6, so that its own is free again; adds 0 to 3
# wait. Add 4 is dispatched in 267, when add 0 is issued.
#
# lsq: with lsq.size=4 the first load and three others (hits) hold all entries until they commit.
# The fifth load is dispatched in 267, and so is the add behind it. With 8 entries they are
# dispatched in 6.
#
#: reg a0 line
#: reg a1 line+2048
#: warm text _start 1024
#: warm data line+2048 8
#: warm dtlb line 8
#: test with rob.size=16 the 17th instruction waits for the first
#: set rob.size=16 issue_queue.size=16 lsq.size=16
#: entry rob
#: commit rob = 267
#: dispatch rob_adds+4*14 = 8
#: dispatch rob_adds+4*15 = 267
#: dispatch rob_adds+4*18 = 267
#: dispatch rob_adds+4*19 = 268
#: commit rob_adds+4*15 = 271
#: count rob.most = 16
#: test with rob.size=128 the 129th does
#: entry rob
#: dispatch rob_adds+4*126 = 5+31
#: dispatch rob_adds+4*127 = 267
#: count rob.most = 128
#: test two misses within the window overlap
#: set rob.size=16 issue_queue.size=16 lsq.size=16
#: entry within
#: dispatch within_load = 8
#: commit within_load = 270
#: test two misses further apart do not
#: set rob.size=16 issue_queue.size=16 lsq.size=16
#: entry beyond
#: dispatch beyond_load = 267
#: commit beyond_load = 268+261
#: test an issue queue of 4 entries holds four that wait
#: set issue_queue.size=4
#: entry queue
#: dispatch queue_adds+4*3 = 6
#: dispatch queue_adds+4*4 = 267
#: commit queue_adds+4*4 = 267+5
#: count dispatch.iq > 250
#: count iq.most = 4
#: test an LSQ of 4 entries holds four loads until they commit
#: set lsq.size=4
#: entry lsq
#: dispatch lsq+4*3 = 5
#: dispatch lsq+4*4 = 267
#: dispatch lsq+4*5 = 267
#: count dispatch.lsq > 250
#: count lsq.most = 4
#: test an LSQ of 8 entries has room for them
#: set lsq.size=8
#: entry lsq
#: dispatch lsq+4*4 = 6
	.include "litmus.inc"
_start:
	.balign 32
rob:	ld a2, 0(a0)
rob_adds:
	.rept 160
	add t0, a3, a4
	.endr
	finish
	.balign 32
within:	ld a2, 0(a0)
	.rept 14
	add t0, a3, a4
	.endr
within_load:
	ld a5, 256(a0)
	finish
	.balign 32
beyond:	ld a2, 0(a0)
	.rept 15
	add t0, a3, a4
	.endr
beyond_load:
	ld a5, 256(a0)
	finish
	.balign 32
queue:	ld a2, 0(a0)
queue_adds:
	.rept 5
	add a2, a2, a3
	.endr
	finish
	.balign 32
lsq:	ld a2, 0(a0)
	.rept 4
	ld a3, 0(a1)
	.endr
	add t0, a4, a5
	finish
	.bss
	.balign 4096
line:	.skip 4096
