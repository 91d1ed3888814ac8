# A load forwards from an older store without a cache access; so too from one that has committed
# and waits in the store buffer for its line.
#
#   store    issued 6, commits 7, is written from 8 on; its line comes from memory: 8+261 = 269
#   adds     40 in a chain give the load's address: the last is issued in 6+39, the load in 46
#   load     2 for the forwarding: 48
#
# The load's line is asked for once, by the store.
#
#: reg a0 word
#: reg a1 1
#: reg a2 word
#: warm text _start 256
#: warm dtlb word 8
#: test a load forwards from a store that has committed but is not yet written
#: commit _start = 7
#: commit load = 48
#: count l1d.accesses = 1
	.include "litmus.inc"
_start:	sd a1, 0(a0)
	.rept 40
	add a2, a2, zero
	.endr
load:	ld a3, 0(a2)
	finish
	.bss
	.balign 4096
word:	.skip 4096
