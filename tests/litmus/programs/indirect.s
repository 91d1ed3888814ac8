# Jumps through a register are resolved at execute, as branches are: issued in 6, resolved in 7 if
# the register is at hand; the target is then dispatched in 12: 2 (dispatch to resolution) + 5.
#
#   changed    the BTB says `one`, it goes to `two`: a wrong path, and 2+5
#   unknown    the BTB does not know it: fetch has nowhere to go, and 2+5 as well
#   known      the BTB is right: the next cycle
#
# Returns. calls: _start calls f with link register ra, f calls g with link register t0, g and
# f return. A return stack of one entry holds only g's return address; f's own is lost. g's
# return is right; f's finds the stack
# wrapped round to what it held, g's return address: wrong, 2+5. With 2 entries both are right.
#
#   cycle 0 calls, 1 f, 2 g, 3 back in f (back), 4 back in calls (done): all known, one fetch each.
#   With one entry `ret` is fetched in 3, dispatched in 8, resolved in 10: done is fetched in 10.
#
#: warm text _start 256
#: reg a0 two
#: test an indirect jump to another target than last time costs 2 + 5
#: entry jump
#: warm taken jump one 1
#: dispatch jump -> two = 2+5
#: count indirect_mispredictions = 1
#: count wrong_fetched > 0
#: test an indirect jump never seen costs 2 + 5, with nothing fetched meanwhile
#: entry jump
#: dispatch jump -> two = 2+5
#: count indirect_mispredictions = 1
#: count wrong_fetched = 0
#: count fetch.nowhere = 6
#: test an indirect jump to the same target as last time costs nothing
#: entry jump
#: warm taken jump two 1
#: dispatch jump -> two = 1
#: count mispredictions = 0
#: test ideal.branch takes exactly that away
#: set ideal.branch=true
#: entry jump
#: dispatch jump -> two = 1
#: count mispredictions = 0
#: test returns within the return stack's depth are predicted
#: entry calls
#: warm taken calls f 1
#: warm taken f g 1
#: set return_stack.entries=2
#: fetch back = 3
#: fetch done = 4
#: count return_mispredictions = 0
#: count misfetches = 0
#: test a return beyond it is mispredicted
#: entry calls
#: warm taken calls f 1
#: warm taken f g 1
#: set return_stack.entries=1
#: fetch back = 3
#: fetch done = 10
#: dispatch back -> done = 2+5
#: count return_mispredictions = 1
#: count wrong_fetched > 0
#: test ideal.branch predicts it
#: entry calls
#: set return_stack.entries=1 ideal.branch=true
#: fetch done = 4
#: count return_mispredictions = 0
	.include "litmus.inc"
_start:
jump:	jr a0
	.balign 32
one:	.rept 8
	add t1, a1, a2
	.endr
	finish
	.balign 32
two:	finish
	.balign 32
calls:	jal ra, f
done:	finish
	.balign 32
f:	jal t0, g
back:	ret
	.balign 32
g:	jr t0
