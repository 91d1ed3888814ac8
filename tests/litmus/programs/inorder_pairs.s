# Which two instructions the dual-issue core issues together. Each group begins a line, so that its
# first two instructions are fetched together and may be a pair.
#
#   two independent adds (two ALUs)            together
#   an add and one that needs it               one after the other
#   an add and one that writes the same        one after the other
#   a load and an add                          together
#   two loads (one port)                       one after the other; with two ports together
#   an add and a branch                        together
#   a branch, not taken, and an add            one after the other: a branch is last
#   a mul and an add, a fadd and a mul         together
#   two muls (one unit)                        one after the other
#   a fence and an add                         a fence is alone: executes in x, written back in x+2,
#                                              and the add executes in that cycle
#
# 40 independent adds take 20 cycles, a chain of 40 takes 40. With inorder.pairing=pipes a fadd and a
# mul are for the same pipe and do not go together; a load and a mul do.
#
#: preset littlecore
#: warm text _start 4096
#: warm data 0x40000 64
#: reg s0 0x40000
#: reg a1 3
#: test independent adds go two a cycle
#: entry free
#: dispatch free -> free+4 = 0
#: dispatch free -> free+160 = 20
#: count dispatched > 40
#: test dependent adds go one a cycle
#: entry chain
#: dispatch chain -> chain+160 = 40
#: test with one ALU independent adds go one a cycle
#: set int_alu.count=1
#: entry free
#: dispatch free -> free+160 = 40
#: test single issue is one a cycle
#: set inorder.issue_width=1
#: entry free
#: dispatch free -> free+160 = 40
#: test two that write the same register go one after the other
#: entry same
#: dispatch same -> same+4 = 1
#: test a load and an add go together
#: entry load_add
#: dispatch load_add -> load_add+4 = 0
#: test two loads do not
#: entry load_load
#: dispatch load_load -> load_load+4 = 1
#: test with two ports they do
#: set memory.ports=2
#: entry load_load
#: dispatch load_load -> load_load+4 = 0
#: test an add and a branch go together
#: entry add_branch
#: warm not_taken add_branch+4 20
#: dispatch add_branch -> add_branch+4 = 0
#: dispatch add_branch -> add_branch+8 = 1
#: test a branch is last
#: entry branch_add
#: warm not_taken branch_add 20
#: dispatch branch_add -> branch_add+4 = 1
#: test a mul and an add go together
#: entry mul_add
#: dispatch mul_add -> mul_add+4 = 0
#: test two muls do not
#: entry mul_mul
#: dispatch mul_mul -> mul_mul+4 = 1
#: test a fadd and a mul go together
#: entry fadd_mul
#: dispatch fadd_mul -> fadd_mul+4 = 0
#: test but not in the same pipe
#: set inorder.pairing=pipes
#: entry fadd_mul
#: dispatch fadd_mul -> fadd_mul+4 = 1
#: test a load and a mul are for different pipes
#: set inorder.pairing=pipes
#: entry load_mul
#: dispatch load_mul -> load_mul+4 = 0
#: test a fence is alone
#: entry fence_add
#: dispatch fence_add -> fence_add+4 = 2
	.include "litmus.inc"
_start:	finish
	.balign 64
free:	.rept 11
	add a2, a1, a1
	add a3, a1, a1
	add a4, a1, a1
	add a5, a1, a1
	.endr
	finish
	.balign 64
chain:	.rept 44
	add a2, a2, a1
	.endr
	finish
	.balign 64
same:	add a2, a1, a1
	add a2, a1, a1
	finish
	.balign 64
load_add:
	ld a2, 0(s0)
	add a3, a1, a1
	finish
	.balign 64
load_load:
	ld a2, 0(s0)
	ld a3, 8(s0)
	finish
	.balign 64
add_branch:
	add a2, a1, a1
	bne x0, x0, _start
	add a3, a1, a1
	finish
	.balign 64
branch_add:
	bne x0, x0, _start
	add a3, a1, a1
	finish
	.balign 64
mul_add:
	mul a2, a1, a1
	add a3, a1, a1
	finish
	.balign 64
mul_mul:
	mul a2, a1, a1
	mul a3, a1, a1
	finish
	.balign 64
fadd_mul:
	fadd.d fa2, fa1, fa1
	mul a3, a1, a1
	finish
	.balign 64
load_mul:
	ld a2, 0(s0)
	mul a3, a1, a1
	finish
	.balign 64
fence_add:
	fence
	add a3, a1, a1
	finish
	.bss
	.balign 4096
	.skip 131072
