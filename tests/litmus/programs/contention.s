# All units of a kind taken: 48 independent operations, then li, li, ecall. Four are dispatched in a
# cycle from 5 on, so operation k is ready in 6 + k/4.
#
# fma, one unit: operation k issues in 6+k and commits in 10+k. When k commits, k+1 is the oldest, and
# incomplete for that cycle. It issued one cycle or more after it was ready, so it is late: 47
# cycles. The first was not: in 7 .. 9 it is just long.
#
# fma, two units: k issues in 6 + k/2, and two commit in each cycle from 10 on. The pair j = k/2 was
# ready in 6 + j/2 and issued in 6 + j, late from the second one on: 23 cycles. The loop that these
# stand for takes 24 cycles instead of 48.
#
# fma, four units or ideal.ports: all issue when they are ready.
#
# add, one ALU: k issues in 6+k and commits in 7+k; commit then finds k+1 not issued, though it was
# ready in the cycle before and the ALU was taken: 47 cycles, and two more for the lis.
#
# load, one port: k issues in 6+k and commits in 8+k, in which k+1 is incomplete: 47 cycles.
#
# div, one unit: k issues in 6+20k and commits in 26+20k. Each but the first is the oldest for 20
# cycles, and ready long before: 47*20.
#
# A chain of fmas is long and not late, although there is one unit: each is ready when the unit is free.
#
#: reg a0 lines
#: warm data lines 64
#: test independent fused multiply-adds wait for the only unit
#: entry fma
#: warm text fma 256
#: commit fma -> fma+47*4 = 47
#: count late.fp_muldiv = 47
#: count head.unit = 3+47
#: test for two units they wait half as long
#: set fp_muldiv.count=2
#: entry fma
#: warm text fma 256
#: commit fma -> fma+47*4 = 23
#: count late.fp_muldiv = 23
#: test for four they do not wait
#: set fp_muldiv.count=4
#: entry fma
#: warm text fma 256
#: commit fma -> fma+47*4 = 11
#: count late.fp_muldiv = 0
#: test nor with ideal.ports
#: set ideal.ports=true
#: entry fma
#: warm text fma 256
#: commit fma -> fma+47*4 = 11
#: count late.fp_muldiv = 0
#: test independent adds wait for the only ALU
#: set int_alu.count=1
#: entry addition
#: warm text addition 256
#: commit addition -> addition+47*4 = 47
#: count late.int_alu = 47+2
#: test independent loads wait for the only port
#: set memory.ports=1
#: entry loads
#: warm text loads 256
#: commit loads -> loads+47*4 = 47
#: count late.memory = 47
#: test independent divisions wait for the only unit
#: entry division
#: warm text division 256
#: commit division -> division+47*4 = 47*20
#: count late.int_muldiv = 47*20
#: test with ideal.ports divisions are pipelined
#: set ideal.ports=true
#: entry division
#: warm text division 256
#: commit division -> division+47*4 = 11
#: count late.int_muldiv = 0
#: test a chain is not late
#: entry chain
#: warm text chain 256
#: commit chain -> chain+47*4 = 47*4
#: count late.fp_muldiv = 0
	.include "litmus.inc"
_start:
	.balign 32
fma:	.rept 48
	fmadd.d fa0, fa1, fa2, fa3
	.endr
	finish
	.balign 32
addition:
	.rept 48
	add a1, a2, a3
	.endr
	finish
	.balign 32
loads:	.rept 48
	ld a1, 0(a0)
	.endr
	finish
	.balign 32
division:
	.rept 48
	div a1, a2, a3
	.endr
	finish
	.balign 32
chain:	.rept 48
	fmadd.d fa0, fa0, fa2, fa3
	.endr
	finish
	.bss
	.balign 4096
lines:	.skip 4096
