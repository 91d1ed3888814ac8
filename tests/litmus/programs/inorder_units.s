# Operations of several cycles in the in-order core.
#
# On leon2 they hold the pipeline: whatever follows a mul of 5 cycles executes 5 later, whatever
# follows a div of 35, 35 later. Pipelined, only what needs the result or the unit waits:
#
#   mul, independent add                1        mul, dependent add      5
#   mul, mul, mul                       1 each: the multiplier is pipelined
#   div, div                            35: the divider is not
#   div x, then an add that writes x    an add is done a cycle after it executes and must not be done
#                                       before the div: 34
#
#: preset leon2
#: warm text _start 1024
#: reg a1 3
#: test a multiplication holds the pipeline
#: entry mul
#: dispatch mul -> mul+4 = 5
#: dispatch mul+4 -> mul+8 = 1
#: count head.unit = 5-1
#: test a division does
#: entry div
#: dispatch div -> div+4 = 35
#: test ideal.units makes them take one cycle
#: set ideal.units=true
#: entry div
#: dispatch div -> div+4 = 1
#: test pipelined, what does not need the result goes on
#: set inorder.long_operations=pipelined
#: entry mul
#: dispatch mul -> mul+4 = 1
#: dispatch mul -> mul+8 = 5
#: test multiplications follow each other
#: set inorder.long_operations=pipelined
#: entry muls
#: dispatch muls -> muls+8 = 2
#: test divisions wait for the divider
#: set inorder.long_operations=pipelined
#: entry divs
#: dispatch divs -> divs+4 = 35
#: dispatch divs -> divs+8 = 70
#: test two dividers take two
#: set inorder.long_operations=pipelined int_muldiv.count=2
#: entry divs
#: dispatch divs -> divs+4 = 1
#: dispatch divs -> divs+8 = 35
#: test results of one register come in order
#: set inorder.long_operations=pipelined
#: entry again
#: dispatch again -> again+4 = 35-1
	.include "litmus.inc"
_start:	finish
	.balign 64
mul:	mul a2, a1, a1
	add a3, a1, a1
	add a4, a2, a1
	finish
	.balign 64
div:	div a2, a1, a1
	add a3, a1, a1
	finish
	.balign 64
muls:	mul a2, a1, a1
	mul a3, a1, a1
	mul a4, a1, a1
	finish
	.balign 64
divs:	div a2, a1, a1
	div a3, a1, a1
	div a4, a1, a1
	finish
	.balign 64
again:	div a2, a1, a1
	add a2, a1, a1
	finish
