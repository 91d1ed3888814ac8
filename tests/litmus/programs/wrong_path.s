# What a wrong path does. `outer` depends on a load from memory: issued in cycle 6, its data is
# there in 6+261 = 267, the branch resolves in 268. It is trained to be taken, and is not. Fetch is
# down the wrong path from cycle 1 on.
#
# nested: in the wrong path stands another branch, trained to be taken, its operand at hand. It is
# fetched in 1, dispatched in 6, issued in 7, resolves in 8 and is not taken either. The load behind
# it is fetched in 8, dispatched in 13, issued in 14: its line is in the L1D from 14+261 = 275 on.
# The correct path is fetched from 268; its load of the same line is dispatched in 273 and issued
# in 274: a hit's 2 cycles, as the line comes by then: it commits in 276. Had the nested branch not
# redirected fetch, that would be 261 later than 274.
#
# That wrong path also changes a3 and what the load reads; the program ends with status 0 only
# if both are taken back. With ideal.branch there is no wrong path: both loads are issued in 6; the
# branch completes in 268, the second load commits with it.
#
# calls, leaves, wild: a wrong path that meets a call to the system, leaves the text or, with
# wrong_path.unmapped=stop, touches unmapped memory fetches nothing more until the branch resolves. One instruction comes before:
# fetched in 1, in the same cycle as what stops fetch; nothing from 2 to 267. (To leave the text
# takes two, the second a jump.) What is not text is not asked of I-TLB and caches. 
# Otherwise a wild path reads 0 and goes on: what it then does is not seen here, but fetch is
# somewhere until 267.
#
# wilder: on a wild path what is read is 0, so that the branch is not taken (it is predicted so, too).
# Eight instructions come before the system call, which ends it.
#
# returns: the return stack is put back. With one entry, a call on the wrong path pushes out the
# address of the only call under way. The load stands behind a call, so everything is a cycle
# later: the branch resolves in 269, the return is fetched then, and its right target in 270.
#
#: reg a1 word
#: reg a2 word+64
#: reg a4 1
#: word word 1
#: word word+64 0
#: warm dtlb word 8
#: warm text _start 512
#: test a branch on a wrong path resolves, and a wrong-path load fills the cache
#: entry nested
#: warm taken nested_outer nested_away 4
#: warm taken inner farther 4
#: fetch nested_next = 268
#: dispatch nested_next = 273
#: commit nested_next = 276
#: count mispredictions = 1
#: count wrong_fetched > 8
#: count l1d.misses = 2
#: test without a wrong path both loads go to memory at once
#: set ideal.branch=true
#: entry nested
#: commit nested = 267
#: commit nested_next = 268
#: count l1d.misses = 2
#: count wrong_fetched = 0
#: test a wrong path that meets an ecall stops there
#: entry calls
#: warm taken calls_outer calls_away 4
#: count wrong_fetched = 1
#: count fetch.nowhere = 267-2+1
#: fetch calls_next = 268
#: test a wrong path that leaves the text stops there
#: entry leaves
#: warm taken leaves_outer leaves_away 4
#: reg a6 0x7000000
#: warm taken jump 0x7000000 1
#: count wrong_fetched = 2
#: count l1i.misses = 0
#: count itlb.misses = 0
#: count fetch.nowhere = 267-2+1
#: fetch leaves_next = 268
#: test a wrong path that touches unmapped memory stops there, if so configured
#: set wrong_path.unmapped=stop
#: entry wild
#: warm taken wild_outer wild_away 4
#: count wrong_fetched = 1
#: count fetch.nowhere = 267-2+1
#: fetch wild_next = 268
#: test or goes on
#: entry wild
#: warm taken wild_outer wild_away 4
#: count wrong_fetched > 8
#: fetch wild_next = 268
#: test loads, stores and atomics of unmapped memory do not end it, a system call does
#: entry wilder
#: warm taken wilder_outer wilder_away 4
#: warm not_taken wilder_branch 4
#: count wrong_fetched = 8
#: fetch wilder_next = 268
#: test with wrong_path.unmapped=stop the first of them does
#: set wrong_path.unmapped=stop
#: entry wilder
#: warm taken wilder_outer wilder_away 4
#: count wrong_fetched = 1
#: fetch wilder_next = 268
#: test a call on a wrong path leaves the return stack as it was
#: set return_stack.entries=1
#: entry returns
#: warm taken returns called 1
#: warm taken called_outer called_away 4
#: warm taken wrong_call farther 1
#: fetch called_next = 269
#: fetch returned = 270
#: count return_mispredictions = 0
#: count mispredictions = 1
#: count wrong_fetched > 8
	.include "litmus.inc"

.macro case name:req
	.balign 32
\name:	ld a0, 0(a1)
\name\()_outer:
	beqz a0, \name\()_away
\name\()_next:
	ld a3, 0(a2)
	li a7, 93
	mv a0, a3
	ecall
	.balign 32
\name\()_away:
.endm

_start:
	case nested
inner:	beqz a4, farther
	ld a3, 0(a2)
	sd a4, 0(a2)
	.rept 8
	add a3, a3, a4
	.endr
	finish
	.balign 32
farther:
	.rept 8
	add t0, t1, t2
	.endr
	finish
	case calls
	nop
	ecall
	case leaves
	nop
jump:	jr a6
	case wild
	nop
	ld a0, 0(zero)
	case wilder
	nop
	ld a0, 0(zero)
	sd a1, 0(zero)
	amoadd.d t0, a1, (zero)
	lr.d t0, (zero)
	sc.d t0, a1, (zero)
wilder_branch:
	bnez a0, wilder
	nop
	ecall
	.balign 32
returns:
	jal ra, called
returned:
	finish
	.balign 32
called:	ld a0, 0(a1)
called_outer:
	beqz a0, called_away
called_next:
	ret
	.balign 32
called_away:
wrong_call:
	jal ra, farther
	.bss
	.balign 4096
word:	.skip 4096
