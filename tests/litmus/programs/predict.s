# Store sets: a load goes ahead of a store whose address is not known, reads too early once, and
# waits for the store from then on.
#
# The store's address comes from a div and an add: issued in 27 (see disambiguation.s), known and
# complete in 28. The load behind it is issued in 6, before that, and has its data in 8.
#
# other: the store writes elsewhere. The load commits with it in 28, as a perfect one does.
#
# same: in 28 the store turns out to overlap the load. The load and the rest of what was fetched are
# squashed, and fetched again in 28: dispatched in 33, issued in 34. The store has committed in 28,
# was written to the cache in 29 and done in 31, so the load reads the cache: done in 36, that is 8
# cycles after the store instead of 2. Of the program 11 instructions follow the load, all of which
# were fetched by then: 12 are squashed.
#
# again: in the second iteration the load waits for the store, which is the last one of its set.
# Store and load are then as with a conservative load: the store's value is forwarded in the cycle
# in which its address is known and in which it commits, K; the load is done in K+2.
#
# for_nothing: in the second iteration the store writes elsewhere. The load is held back until K and
# reads the cache: done in K+2. A perfect load would have been complete: in K+1, in which it is the
# oldest instruction, it is late because it was held back. In K itself it has not issued when the
# oldest instruction is looked at.
#
# forgotten: the sets are cleared after so few cycles that the load reads too early again.
#
#: set lsq.disambiguation=predict
#: reg s0 word
#: reg s1 word+64
#: reg a1 1
#: reg a2 0
#: reg a0 word
#: reg a4 word
#: reg t0 1
#: warm data word 128
#: warm text _start 128
#: test a load does not wait for a store to another address
#: as other
#: reg a0 word+64
#: commit store = 28
#: commit load = 28
#: count replays = 0
#: count held_loads = 0
#: test a load that read too early is fetched again when the store has its address
#: warm not_taken back 4
#: commit store = 28
#: commit load = 36
#: count replays = 1
#: count squashed = 12
#: count forwarded = 0
#: count l1d.accesses = 3
#: test the next time it waits for the store
#: reg t0 2
#: warm taken back loop 4
#: commit store@0 -> load@0 = 8
#: commit store@1 -> load@1 = 2
#: count replays = 1
#: count held_loads = 1
#: count forwarded = 1
#: count late.wait = 0
#: test even if it does not depend on it
#: reg t0 2
#: reg s0 word+64
#: warm taken back loop 4
#: commit store@1 -> load@1 = 2
#: count replays = 1
#: count held_loads = 1
#: count forwarded = 0
#: count late.wait = 1
#: test sets are forgotten
#: set store_sets.clear_cycles=30
#: reg t0 2
#: warm taken back loop 4
#: commit store@1 -> load@1 = 8
#: count replays = 2
#: count held_loads = 0
#: test without replays the load waits for what it depends on
#: set ideal.replay=true
#: reg t0 2
#: warm taken back loop 4
#: commit store@0 -> load@0 = 2
#: commit store@1 -> load@1 = 2
#: count replays = 0
#: count held_loads = 0
	.include "litmus.inc"
_start:
	.balign 32
loop:	div a3, a2, a1
	add a3, a3, a0
store:
	sd a1, 0(a3)
load:
	ld a5, 0(a4)
	addi t0, t0, -1
	mv a0, s0
	mv a1, a1
back:	bnez t0, loop
	nop
	nop
	nop
	nop
	finish
	.bss
	.balign 4096
word:	.skip 4096
