# One ALU and more ready adds than it can take: the oldest ready one goes.
#
#          dispatch  ready  issue  complete
#   load      5        6      6       8       (memory port)
#   use       5        8      8       9       ready as late as 8, yet before the third add
#   adds 0    5        6      6       7
#   adds 1    5        6      7       8
#   adds 2    6        7      9      10       waits for `use` although ready since 7
#   adds 3    6        7     10      11
#
# In-order commit: load 8, use 9, adds 0 and 1 with it in 9, adds 2 in 10, adds 3 in 11.
#
#: set int_alu.count=1
#: warm text _start 96
#: warm data word 8
#: reg a0 word
#: test of several ready instructions the oldest is issued
#: commit _start = 8
#: commit use = 9
#: commit adds+4 = 9
#: commit adds+8 = 10
#: commit adds+12 = 11
	.include "litmus.inc"
_start:	ld a1, 0(a0)
use:	add a2, a1, a1
adds:
	.rept 8
	add t0, t1, t2
	.endr
	finish
	.bss
	.balign 64
word:	.skip 64
