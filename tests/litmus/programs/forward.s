# A load behind a store to the same address. All lines are warm.
#
# plain: a store and a load are dispatched in 5 and the store issued in 6; its address and data are
# there in 7. The load gets them from it in 7, which takes what a hit does, 2: 9. The L1D is
# accessed once, by the store when it is written.
#
# late: the store's data come from a div (issued 6, there in 26), its address is known in 7. The
# load takes the data in 26 and is done in 28.
#
# held: a div at the head keeps the store from committing until 26. The load forwards meanwhile and
# commits with the div in 26.
#
# partial: the same with a store of one byte of the eight. What is not in the store would have to
# be put together: the load waits until the store is written. It commits in 26 and is written from
# 27 on, which takes 2: in 29 the load is issued, and done in 31.
#
# inside: a byte of the eight stored is all that is loaded: it forwards.
#
# youngest: of two stores to the address the younger one forwards. Its data come from a div: 28.
#
#: reg a0 word
#: reg a1 1
#: warm data word 64
#: warm text _start 512
#: test a load takes its data from an older store, without a cache access
#: entry plain
#: commit plain = 7
#: commit plain_load = 9
#: count forwarded = 1
#: count l1d.accesses = 1
#: test it waits for the store's data
#: entry late
#: commit late_load = 28
#: count forwarded = 1
#: test it does not wait for the store's commit
#: entry held
#: commit held_load = 26
#: count forwarded = 1
#: count l1d.accesses = 1
#: test a load that the store covers in part waits until it is written
#: entry partial
#: commit partial_store = 26
#: commit partial_load = 31
#: count forwarded = 0
#: count l1d.accesses = 2
#: test a load of a part of what is stored is forwarded
#: entry inside
#: commit inside_load = 26
#: count forwarded = 1
#: test the youngest older store forwards
#: entry youngest
#: commit youngest_load = 28
#: count forwarded = 1
	.include "litmus.inc"
_start:
	.balign 32
plain:	sd a1, 0(a0)
plain_load:
	ld a2, 0(a0)
	finish
	.balign 32
late:	div a3, a3, a1
	sd a3, 0(a0)
late_load:
	ld a2, 0(a0)
	finish
	.balign 32
held:	div a3, a3, a1
	sd a1, 0(a0)
held_load:
	ld a2, 0(a0)
	finish
	.balign 32
partial:
	div a3, a3, a1
partial_store:
	sb a1, 3(a0)
partial_load:
	ld a2, 0(a0)
	finish
	.balign 32
inside:	div a3, a3, a1
	sd a1, 0(a0)
inside_load:
	lbu a2, 3(a0)
	finish
	.balign 32
youngest:
	div a3, a3, a1
	sd a1, 0(a0)
	sd a3, 0(a0)
youngest_load:
	ld a2, 0(a0)
	finish
	.bss
	.balign 4096
word:	.skip 4096
