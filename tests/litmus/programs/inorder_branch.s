# What branches cost the in-order core.
#
# leon2 has no predictor: fetch goes straight on. A taken branch executes in cycle x and resolves at
# its end; its target is fetched in x+1 and executed in x+3. Between them are two bubbles. The two
# instructions behind the branch, fetched in x-1 and x, are squashed. A jump costs the same, but
# decode knows its target: nothing is fetched behind it. One not taken costs nothing.
# inorder.taken_branch_cycles=5 adds three cycles before the fetch of the target.
#
# littlecore predicts. A branch rightly predicted taken costs inorder.taken_branch_cycles, 1: it is
# fetched in f and executed in f+2; its target is fetched in f+2 and executed in f+4. One predicted
# wrongly costs inorder.mispredict_cycles, 3. It is not taken here, and trained to be taken.
#
# A direct branch whose target the branch target buffer does not have is put right by decode: fetched
# in f, decoded in f+1, the target fetched in f+2: one bubble, which is not more than a taken branch
# costs in any case; with taken_branch_cycles=0 it shows.
#
#: warm text _start 1024
#: test a taken branch costs two bubbles
#: preset leon2
#: warm text _start 1024
#: entry taken
#: dispatch taken -> target = 1+2
#: count mispredictions = 1
#: count wrong_fetched = 2
#: count squashed = 2
#: test one that is not taken costs none
#: preset leon2
#: entry straight
#: dispatch straight -> straight+4 = 1
#: count mispredictions = 0
#: test a jump costs two bubbles
#: preset leon2
#: entry jump
#: dispatch jump -> target = 1+2
#: count mispredictions = 0
#: count misfetches = 1
#: count squashed = 0
#: test an indirect jump costs two bubbles
#: preset leon2
#: reg t0 target
#: entry indirect
#: dispatch indirect -> target = 1+2
#: count mispredictions = 1
#: test the cost is a parameter
#: preset leon2
#: set inorder.taken_branch_cycles=5
#: entry taken
#: dispatch taken -> target = 1+5
#: count wrong_fetched = 2
#: test ideal.branch takes it away
#: preset leon2
#: set ideal.branch=true
#: entry taken
#: dispatch taken -> target = 1
#: count mispredictions = 0
#: test a branch waits for its operand, and then costs as much
#: preset leon2
#: warm data cell 64
#: reg s0 cell
#: entry late
#: dispatch late -> late+4 = 2
#: dispatch late+4 -> target = 1+2
#: test a branch rightly predicted taken costs one bubble
#: preset littlecore
#: entry taken
#: warm taken taken target 20
#: dispatch taken -> target = 1+1
#: count mispredictions = 0
#: test one predicted wrongly costs three
#: preset littlecore
#: entry straight
#: warm taken straight target 20
#: dispatch straight -> straight+4 = 1+3
#: count mispredictions = 1
#: test ideal.branch takes both away
#: preset littlecore
#: set ideal.branch=true
#: entry taken
#: dispatch taken -> target = 1
#: test a target that only decode knows costs one bubble more than none
#: preset littlecore
#: set inorder.taken_branch_cycles=0
#: entry jump
#: dispatch jump -> target = 1+1
#: count misfetches = 1
#: test a known one costs none
#: preset littlecore
#: set inorder.taken_branch_cycles=0
#: entry jump
#: warm taken jump target 4
#: dispatch jump -> target = 1
#: count misfetches = 0
	.include "litmus.inc"
_start:
	finish
	.balign 64
taken:	beq x0, x0, target
	add a0, a0, a1
	add a0, a0, a1
	add a0, a0, a1
	.balign 64
target:	add a2, a1, a1
	add a3, a1, a1
	finish
	.balign 64
straight:
	bne x0, x0, target
	add a0, a1, a1
	finish
	.balign 64
jump:	j target
	.balign 64
indirect:
	jr t0
	.balign 64
late:	ld a0, 0(s0)
	beq a0, a0, target
	add a0, a0, a1
	finish
	.bss
	.balign 64
cell:	.skip 64
