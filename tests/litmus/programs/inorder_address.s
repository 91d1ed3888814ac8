# The in-order core: an address may use a result some cycles later than other operands may. The
# multiplication takes 4 cycles, and addresses 3 more; the division before it is the oldest in the
# window all the time. The record names the multiplication: for 4 cycles it is in its unit, and then
# its result is on the way. With and without skipping, it says so in the same cycles.
#
#: preset littlecore
#: set int_mul.latency_cycles=4 inorder.address_bubble_cycles=3 fp_div.latency_cycles=40
#: warm text _start 96
#: warm data data 8
#: reg a1 data
#: reg a2 1
#: test an address uses a result after its bubbles
#: dispatch product -> load = 4+3
#: test another operand uses it at once
#: entry other
#: dispatch other+4 -> sum = 4
	.include "litmus.inc"
_start:	fdiv.d fa0, fa1, fa2
product: mul a0, a1, a2
load:	ld a3, 0(a0)
	finish
	.balign 4
other:	fdiv.d fa0, fa1, fa2
	mul a0, a1, a2
sum:	add a3, a0, a1
	finish
	.data
	.balign 64
data:	.dword 0
