# `wide` is a 4-byte instruction, the first half of which is the last of line 0: it needs line 1
# too. Line 1 is in the L2 only.
#
#   cycle 0    the 15 compressed instructions before it would fit, fetch takes 8
#   cycle 1    the other 7; then wide asks for line 1 and waits
#   cycle 10   9 later it is fetched; what follows it lies in another line than its pc
#   cycle 11   next
#
# With both lines warm it is fetched in cycle 1 with the 7, and next in cycle 2.
#
#: warm text _start 64
#: test an instruction over the end of a line is fetched with two accesses
#: fetch wide = 1
#: fetch next = 2
#: test it waits for its second line
#: warm text next+8192 4
#: fetch wide = 1+9
#: fetch next = 1+9+1
#: count l1i.misses = 1
	.include "litmus.inc"
	.option rvc
_start:
	.rept 15
	c.addi a1, 1
	.endr
wide:
	.option norvc
	add t0, a0, a1
next:	add t0, a0, a1
	finish
