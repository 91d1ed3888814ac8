# A mispredicted branch sends fetch to away, which is in no cache, in cycle 1: its line comes from memory
# and would be delivered in 1+9+250 = 260. The branch resolves in 7 (mispredict.s): that miss is abandoned and the correct path
# fetched in 7. The fill still lands:
#
#   soon     the correct path jumps to away at once. Fetched in 7, asked for in 8, delivered when the fill lands: in
#            260.
#   late     it goes there after 300 cycles (15 divs and a mispredicted branch, whose time does not matter):
#            the line is there, and is a hit.
#
#: reg a0 1
#: reg a1 1
#: warm text _start 96
#: warm taken branch away 4
#: test a redirect abandons a fetch miss of the wrong path
#: warm taken soon away 1
#: fetch soon = 7
#: count mispredictions = 1
#: test but its fill still lands
#: warm taken soon away 1
#: fetch away = 1+9+250
#: count l1i.misses = 1
#: count l1i.pending = 1
	.include "litmus.inc"
_start:
branch:	beqz a0, away
soon:	j away
	.balign 64
	.skip 64
away:	finish
