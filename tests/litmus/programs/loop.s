# Fetch does not go past a taken branch, nor past a line: an iteration of a loop takes at least
# one cycle for each line it touches, and at least its instructions / 4. The counter's chain
# (1 a cycle) is never the limit, predictions are right from the start (trained).
#
#   loop    instructions  lines    cycles an iteration
#   two          2          1      1   where four of them fit in a cycle of decode
#   four         4          1      1
#   five         5          1      5 in 4 cycles of decode: 5/4
#   eight        8          1      2
#   split        4          2      2   two before the line's end, two behind it
#
# 200 iterations are counted, when whatever the buffers held at first has gone. The loop of
# five settles into a pattern of 5 cycles for 4 iterations.
#
#: reg a0 500
#: test a loop of two instructions takes a cycle an iteration
#: entry two
#: warm text two 8
#: warm taken two_branch two 8
#: commit two_branch@100 -> two_branch@300 = 200
#: count misfetches = 0
#: test a loop of four instructions takes a cycle an iteration
#: entry four
#: warm text four 16
#: warm taken four_branch four 8
#: commit four_branch@100 -> four_branch@300 = 200
#: test a loop of five instructions takes 5/4 cycles an iteration
#: entry five
#: warm text five 20
#: warm taken five_branch five 8
#: commit five_branch@100 -> five_branch@300 = 250
#: test a loop of eight instructions takes two cycles an iteration
#: entry eight
#: warm text eight 32
#: warm taken eight_branch eight 8
#: commit eight_branch@100 -> eight_branch@300 = 400
#: test a loop of four instructions over two lines takes two cycles an iteration
#: entry split
#: warm text split 32
#: warm taken split_branch split 8
#: commit split_branch@100 -> split_branch@300 = 400
	.include "litmus.inc"

.macro loop name:req, padding:req
	.globl \name
\name:	addi a0, a0, -1
	.rept \padding
	add t0, a1, a2
	.endr
\name\()_branch:
	bnez a0, \name
	finish
.endm

_start:
	.balign 32
	loop two, 0
	.balign 32
	loop four, 2
	.balign 32
	loop five, 3
	.balign 32
	loop eight, 6
	.balign 32
	.skip 24
	loop split, 2
