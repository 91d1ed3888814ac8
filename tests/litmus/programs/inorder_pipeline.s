# The in-order core: five stages, one instruction a cycle, and the load-use bubble.
#
#   cycle 0   fetched
#   cycle 1   decoded
#   cycle 2   executed (the record's dispatch and issue)
#   cycle 3   memory
#   cycle 4   written back (the record's commit)
#
# Everything is bypassed, so an add that needs the add before it is still one cycle behind it. A
# load's data comes out of the memory stage, one behind execute:
#
#   ld      execute x, data at the end of x+1
#   add     that needs it: execute x+2                     one bubble
#   ld, add, add that needs the load: x, x+1, x+2          none
#   sd      that stores it: execute x+1, data needed in its memory stage x+2: none
#   ld      whose address it is: execute x+2               one bubble
#
# A load that takes l cycles with b bubbles is used in x+l+b. Addresses may be needed earlier than
# other operands: inorder.load_address_bubble_cycles=2 makes it x+2+2, and
# inorder.address_bubble_cycles=1 makes a load whose address an add computes in x execute in x+1+1.
#
#: preset leon2
#: warm text _start 512
#: warm data cell 64
#: reg s0 cell
#: test an instruction is fetched in cycle 0, executed in 2 and written back in 4
#: fetch _start = 0
#: dispatch _start = 2
#: commit _start = 4
#: test dependent adds go through one a cycle
#: dispatch _start -> _start+40 = 10
#: commit _start -> _start+40 = 10
#: count squashed = 0
#: test an L1I of 3 cycles is two stages more
#: set l1i.latency_cycles=3 inorder.taken_branch_cycles=4
#: dispatch _start = 4
#: dispatch _start -> _start+40 = 10
#: test an instruction that uses a load comes one bubble behind it
#: entry use
#: dispatch use = 2
#: dispatch use -> use+4 = 2
#: dispatch use -> use+8 = 3
#: test one instruction between them hides the bubble
#: entry between
#: dispatch between -> between+4 = 1
#: dispatch between -> between+8 = 2
#: test bubbles are a parameter
#: set inorder.load_use_bubble_cycles=3
#: entry use
#: dispatch use -> use+4 = 1+3
#: test and come on top of the latency
#: set l1d.latency_cycles=3
#: entry use
#: dispatch use -> use+4 = 3+1
#: test the data of a store is needed one stage later
#: entry save
#: dispatch save -> save+4 = 1
#: test a load that finds its address in a load comes one bubble behind it
#: word cell cell
#: entry chase
#: dispatch chase -> chase+4 = 2
#: dispatch chase -> chase+8 = 4
#: test its address may be needed earlier
#: set inorder.load_address_bubble_cycles=2
#: word cell cell
#: entry chase
#: dispatch chase -> chase+4 = 2+2
#: test and so may that of an add
#: set inorder.address_bubble_cycles=1
#: entry address
#: dispatch address -> address+4 = 1+1
#: test which other operands do not feel
#: set inorder.address_bubble_cycles=1
#: dispatch _start -> _start+40 = 10
	.include "litmus.inc"
_start:
	.rept 12
	add a0, a0, a1
	.endr
	finish
use:	ld a2, 0(s0)
	add a3, a2, a1
	add a3, a3, a1
	finish
between:
	ld a2, 0(s0)
	add a3, a1, a1
	add a3, a2, a1
	finish
save:	ld a2, 0(s0)
	sd a2, 8(s0)
	finish
chase:	ld a2, 0(s0)
	ld a2, 0(a2)
	ld a2, 0(a2)
	finish
address:
	add a2, s0, x0
	ld a3, 0(a2)
	finish
	.bss
	.balign 64
cell:	.skip 64
