# A load behind a store to another address.
#
# far: the store's address comes from a div (there in 26) and an add (27); the store is issued in
# 27, its address is known in 28. A conservative load waits for that: issued in 28, done in 30. A
# perfect one knows that they differ: issued in 6, done in 8; it commits with the store, which
# has its address and data in 28. If the addresses are the same, the perfect load waits as
# well: it takes the data in 28 and is done in 30.
#
# near: store and load are both ready in 6. The store's address is computed in 6 and known in 7 at
# the earliest, as in `far`: a conservative load is issued in 7, done in 9; a perfect one is
# issued in 6, done in 8.
#
#: reg a0 word
#: reg a1 1
#: reg a2 0
#: reg a4 word+32
#: warm data word 64
#: warm text _start 128
#: test a conservative load waits for the address of an older store
#: entry far
#: commit far_store = 28
#: commit far_load = 30
#: count forwarded = 0
#: test a perfect load does not
#: set lsq.disambiguation=perfect
#: entry far
#: commit far_store = 28
#: commit far_load = 28
#: test but waits for a store to its own address
#: set lsq.disambiguation=perfect
#: entry far
#: reg a4 word
#: commit far_load = 30
#: count forwarded = 1
#: test a perfect load starts in the same cycle as a store to another address
#: set lsq.disambiguation=perfect
#: entry near
#: commit near_load = 8
#: test a conservative load starts when the address is known, not while it is computed
#: entry near
#: commit near_load = 9
	.include "litmus.inc"
_start:
	.balign 32
far:	div a3, a2, a1
	add a3, a3, a0
far_store:
	sd a1, 0(a3)
far_load:
	ld a5, 0(a4)
	finish
	.balign 32
near:	sd a1, 0(a0)
near_load:
	ld a5, 0(a4)
	finish
	.bss
	.balign 4096
word:	.skip 4096
