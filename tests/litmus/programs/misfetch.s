# A direct jump the BTB does not know: decode puts the target right. Decode sees it in the cycle
# after it was fed and fetch goes to the target in the next: with the jump fetched and fed in
# cycle t, its target is fetched in t+2. Known, or with ideal.branch, in t+1.
#
#   first    the jump is the first of its line: fed in cycle 0, target in 2
#   fifth    fetched in 0 behind four others, fed in 1 with what is left: target in 3
#
# loop: two lines that jump to each other, one by `j`, the other by a conditional branch. Once the
# BTB knows both, an iteration is two fetches: 2 cycles.
#
#: warm text _start 256
#: reg a0 100
#: test a jump seen for the first time costs one bubble
#: entry first
#: fetch first = 0
#: fetch target = 2
#: count misfetches = 1
#: count fetch.misfetch = 1
#: count wrong_fetched = 0
#: count mispredictions = 0
#: test a jump the BTB knows costs none
#: entry first
#: warm taken first target 1
#: fetch target = 1
#: count misfetches = 0
#: test ideal.branch takes exactly the bubble away
#: set ideal.branch=true
#: entry first
#: fetch target = 1
#: count misfetches = 0
#: test a jump that waits in the fetch buffer costs as much more
#: entry fifth
#: fetch fifth_jump = 0
#: fetch target = 3
#: count misfetches = 1
#: test a loop over two jumps that the BTB knows takes two cycles
#: entry loop
#: fetch back@20 -> back@60 = 40*2
#: commit back@20 -> back@60 = 40*2
#: count mispredictions = 1
#: test a jump whose target was pushed out of a BTB of one entry misfetches
#: set btb.sets=1 btb.ways=1
#: entry first
#: warm taken first target 1
#: warm taken fifth_jump target 1
#: fetch target = 2
#: count misfetches = 1
#: test a BTB of two entries keeps it
#: set btb.sets=1 btb.ways=2
#: entry first
#: warm taken first target 1
#: warm taken fifth_jump target 1
#: fetch target = 1
#: count misfetches = 0
	.include "litmus.inc"
_start:
first:	j target
	.balign 32
fifth:	.rept 4
	add t0, a0, a1
	.endr
fifth_jump:
	j target
	.balign 32
target:	finish
	.balign 32
loop:	j back
	.balign 32
back:	addi a0, a0, -1
	bnez a0, loop
	finish
