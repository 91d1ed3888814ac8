# A mispredicted branch sends fetch to `away`, which is in no cache, in cycle 1: its line comes from
# memory and would be delivered in 1+9+250 = 260. The branch resolves in 7 (mispredict.s): that miss
# is abandoned and the correct path fetched in 7. The fill still lands:
#
#   soon    the correct path jumps to away at once. The jump is fetched in 7, away asked for in 8
#           and delivered when the fill lands: in 260.
#   late    it goes there after 15 dependent divs and a call to the system, which stops fetch. The
#           divs are issued from 13 on and all done in 313. The call is dispatched in 313 and
#           commits in 315; the jump is fetched in 315; away, a hit, in 316.
#
#: reg a0 1
#: reg a1 1
#: reg a7 172
#: warm text soon 32
#: warm text late 128
#: warm taken soon soon_away 4
#: warm taken soon_jump soon_away 1
#: warm taken late late_away 4
#: warm taken late_jump late_away 1
#: test a redirect abandons a fetch miss of the wrong path
#: entry soon
#: fetch soon_jump = 7
#: count mispredictions = 1
#: count fetch.l1i > 5
#: test its fill lands when it would have
#: entry soon
#: fetch soon_away = 1+9+250
#: count l1i.misses = 1
#: count l1i.pending = 1
#: test and stays in the L1I
#: entry late
#: fetch late_jump = 315
#: fetch late_away = 316
#: count l1i.misses = 1
#: count l1i.pending = 0
	.include "litmus.inc"
_start:
soon:	beqz a0, soon_away
soon_jump:
	j soon_away
	.balign 64
	.skip 64
soon_away:
	finish
	.balign 64
late:	beqz a0, late_away
	.rept 15
	div a3, a3, a1
	.endr
	ecall
late_jump:
	j late_away
	.balign 64
	.skip 64
late_away:
	finish
