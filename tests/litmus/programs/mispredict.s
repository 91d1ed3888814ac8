# An isolated mispredicted branch. It is trained to be taken, and is not. n adds, a div or a load
# make its operand late.
#
# Everything is dispatched from cycle 5 on, four a cycle. An add k of the chain (from 0) is issued
# in 6+k, so the branch is issued in 6+n and resolves in 7+n: the correct path is fetched in that
# cycle, and dispatched 5 later. Between the dispatches of the branch and of what follows it lie
# the resolution time (dispatch to resolution) and the front end's 5.
#
#   operand from     dispatch of branch   issue   resolution cycle   time    next dispatched
#   0 adds                5                 6           7             2          7+5
#   1 add                 5                 7           8             3          8+5
#   6 adds                6                12          13             7         13+5
#   20 adds              10                26          27            17         27+5
#   div                   5                26          27            22         27+5
#   load, L1D hit         5                 8           9             4          9+5
#   load, L2 hit          5            6+2+9=17        18            13         18+5
#   load, memory          5      6+2+9+250=267        268           263        268+5
#
# In whole cycles of the program. Rightly predicted, the m-th instruction behind the branch is
# dispatched in 5 + m/4 (0 adds). Mispredicted, it is in 12 + (m-1)/4. The one before the ecall is
# m = 10: 7 and 14 cycles; the difference is 2+5.
#
# The wrong path, 0 adds: fetched from cycle 1, 8 a cycle, up to cycle 6: 48 instructions. Decode
# takes 4 a cycle: 24 are left in the fetch buffer of 32 at the end, which is never full.
#
#: reg a0 1
#: warm text n0 256
#: warm text n20 512
#: test a branch with its operands at hand costs 2 + 5
#: as n0
#: entry n0
#: warm taken n0_branch away 4
#: dispatch n0_branch = 5
#: fetch n0_next = 7
#: dispatch n0_branch -> n0_next = 2+5
#: count mispredictions = 1
#: count wrong_fetched = 48
#: count squashed = 48
#: test ideal.branch takes exactly that away
#: as n0_ideal
#: set ideal.branch=true
#: entry n0
#: warm taken n0_branch away 4
#: dispatch n0_branch -> n0_next = 0
#: count wrong_fetched = 0
#: count mispredictions = 0
#: test the whole run is shorter by as much
#: entry n0
#: warm taken n0_branch away 4
#: cycles - n0_ideal = 2+5
#: test and with a branch predicted rightly
#: entry n0
#: warm not_taken n0_branch 4
#: cycles - n0_ideal = 0
#: count wrong_fetched = 0
#: test the front end's part is its depth
#: set frontend.depth=12
#: entry n0
#: warm taken n0_branch away 4
#: dispatch n0_branch -> n0_next = 2+12
#: test a branch behind 1 add costs 3 + 5
#: entry n1
#: warm taken n1_branch away 4
#: dispatch n1_branch -> n1_next = 3+5
#: count wrong_fetched > 0
#: test a branch behind 6 dependent adds costs 7 + 5
#: entry n6
#: warm taken n6_branch away 4
#: dispatch n6_branch = 6
#: dispatch n6_branch -> n6_next = 7+5
#: count wrong_fetched > 0
#: test a branch behind 20 dependent adds costs 17 + 5
#: entry n20
#: warm taken n20_branch away 4
#: dispatch n20_branch = 10
#: dispatch n20_branch -> n20_next = 17+5
#: count wrong_fetched > 0
#: test a branch behind a div costs 22 + 5
#: reg a1 1
#: entry div
#: warm taken div_branch away 4
#: dispatch div_branch -> div_next = 22+5
#: count wrong_fetched > 0
#: test a branch behind a load that hits the L1D costs 4 + 5
#: reg a1 word
#: word word 1
#: warm data word 8
#: entry load
#: warm taken load_branch away 4
#: dispatch load_branch -> load_next = 4+5
#: test a branch behind a load that hits the L2 costs 4+9 + 5
#: reg a1 word
#: word word 1
#: warm data word 8
#: warm data word+4096*1 8
#: warm data word+4096*2 8
#: warm data word+4096*3 8
#: warm data word+4096*4 8
#: entry load
#: warm taken load_branch away 4
#: dispatch load_branch -> load_next = 4+9+5
#: count l1d.misses = 1
#: count l2d.misses = 0
#: test a branch behind a load from memory costs 4+9+250 + 5
#: reg a1 word
#: word word 1
#: warm dtlb word 8
#: entry load
#: warm taken load_branch away 4
#: dispatch load_branch -> load_next = 4+9+250+5
#: count wrong_fetched > 0
#: test and 30 more if it misses the D-TLB
#: reg a1 word
#: word word 1
#: entry load
#: warm taken load_branch away 4
#: dispatch load_branch -> load_next = 4+9+250+30+5
#: test a branch wrongly predicted not taken costs the same
#: entry forward
#: warm not_taken forward_branch 4
#: dispatch forward_branch -> forward_target = 2+5
#: count mispredictions = 1
#: count wrong_fetched > 0
#: test with ideal.branch its target is fetched in the next cycle
#: set ideal.branch=true
#: entry forward
#: warm not_taken forward_branch 4
#: dispatch forward_branch -> forward_target = 1
#: count wrong_fetched = 0
#: test with predictor.kind=perfect too
#: set predictor.kind=perfect
#: entry forward
#: dispatch forward_branch -> forward_target = 1
#: count wrong_fetched = 0
	.include "litmus.inc"

# The branch on a0, which is not 0, and what follows it.
.macro branch name:req
	.globl \name\()_branch
\name\()_branch:
	beqz a0, away
\name\()_next:
	.rept 8
	add t0, a2, a3
	.endr
	finish
.endm

_start:
	.balign 32
n0:	branch n0
	.balign 32
n1:	addi a0, a0, 1
	branch n1
	.balign 32
n6:	.rept 6
	addi a0, a0, 1
	.endr
	branch n6
	.balign 32
n20:	.rept 20
	addi a0, a0, 1
	.endr
	branch n20
	.balign 32
div:	div a0, a0, a1
	branch div
	.balign 32
load:	ld a0, 0(a1)
	branch load
	.balign 32
forward:
forward_branch:
	bnez a0, forward_target
	.rept 7
	add t0, a2, a3
	.endr
	.balign 32
forward_target:
	add t0, a2, a3
	finish
	.balign 32
away:
	.rept 80
	add t0, a2, a3
	.endr
	finish
	.bss
	.balign 4096
word:	.skip 32768
