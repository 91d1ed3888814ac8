# Chains: each instruction needs the one before, so the next is issued a latency later; the
# commits of 40 in a row lie 40 latencies apart. Independent ones: as often as a unit is free.
#
#   operation   latency   chain of 40   40 independent ones
#   add            1          40        10   4 ALUs, dispatch 4
#   mul            3         120        40   one pipelined unit
#   div           20         800       800   one unit, busy all the time
#   fadd           2          80        10   4 pipelined adders
#   fmul           4         160        40   one pipelined unit
#   fdiv          12         480       480   one unit, busy all the time
#   mul and div in turn      460       420   the unit is shared: 1 + 20 cycles a pair, 20 pairs;
#                                            dependent: 3 + 20
#
# While such a chain runs, the oldest instruction is in its unit; commit finds each of the 48 muls
# not issued in the first of its cycles and executing in the other two.
#
# With two multiply/divide units independent divs go in pairs: 40 in 400 cycles. The first pair
# starts in the same cycle, so the distance between evenly numbered ones is exact.
#
# ideal.units makes every latency 1, and so no unit is busy for longer than a cycle: chains of
# anything take 1 each, independent divs 1 each (one unit).
#
#: reg a1 3
#: test dependent adds take 1 cycle each
#: entry add_chain
#: warm text add_chain 400
#: commit add_chain -> add_chain+160 = 40
#: test dependent muls take 3 cycles each
#: entry mul_chain
#: warm text mul_chain 400
#: commit mul_chain -> mul_chain+160 = 120
#: count head.unit = 48*2
#: test ideal.units makes dependent muls take 1
#: set ideal.units=true
#: entry mul_chain
#: warm text mul_chain 400
#: commit mul_chain -> mul_chain+160 = 40
#: test dependent divs take 20 cycles each
#: entry div_chain
#: warm text div_chain 400
#: commit div_chain -> div_chain+160 = 800
#: test ideal.units makes dependent divs take 1
#: set ideal.units=true
#: entry div_chain
#: warm text div_chain 400
#: commit div_chain -> div_chain+160 = 40
#: test dependent floating-point adds take 2 cycles each
#: entry fadd_chain
#: warm text fadd_chain 400
#: commit fadd_chain -> fadd_chain+160 = 80
#: test dependent floating-point multiplications take 4 cycles each
#: entry fmul_chain
#: warm text fmul_chain 400
#: commit fmul_chain -> fmul_chain+160 = 160
#: test dependent floating-point divisions take 12 cycles each
#: entry fdiv_chain
#: warm text fdiv_chain 400
#: commit fdiv_chain -> fdiv_chain+160 = 480
#: test ideal.units makes dependent floating-point divisions take 1
#: set ideal.units=true
#: entry fdiv_chain
#: warm text fdiv_chain 400
#: commit fdiv_chain -> fdiv_chain+160 = 40
#: test independent muls go through one pipelined unit
#: entry mul_free
#: warm text mul_free 400
#: commit mul_free -> mul_free+160 = 40
#: test independent divs wait for the one unit
#: entry div_free
#: warm text div_free 400
#: commit div_free -> div_free+160 = 800
#: test two units do two independent divs at a time
#: set int_muldiv.count=2
#: entry div_free
#: warm text div_free 400
#: commit div_free -> div_free+160 = 400
#: test ideal.units lets a div start every cycle
#: set ideal.units=true
#: entry div_free
#: warm text div_free 400
#: commit div_free -> div_free+160 = 40
#: test independent floating-point adds have four adders
#: entry fadd_free
#: warm text fadd_free 400
#: commit fadd_free -> fadd_free+160 = 10
#: test with one adder they take a cycle each
#: set fp_add.count=1
#: entry fadd_free
#: warm text fadd_free 400
#: commit fadd_free -> fadd_free+160 = 40
#: test independent floating-point multiplications go through one pipelined unit
#: entry fmul_free
#: warm text fmul_free 400
#: commit fmul_free -> fmul_free+160 = 40
#: test independent floating-point divisions wait for the one unit
#: entry fdiv_free
#: warm text fdiv_free 400
#: commit fdiv_free -> fdiv_free+160 = 480
#: test a div keeps muls from the unit they share
#: entry muldiv_free
#: warm text muldiv_free 400
#: commit muldiv_free -> muldiv_free+160 = 20*(1+20)
#: test muls and divs in turn in a chain take 3 and 20
#: entry muldiv_chain
#: warm text muldiv_chain 400
#: commit muldiv_chain -> muldiv_chain+160 = 20*(3+20)
	.include "litmus.inc"

# Eight more than are counted, so that no end shows.
.macro kernel name:req, first:req, second
	.balign 32
	.globl \name
\name:
	.rept 24
	\first
	.ifb \second
	\first
	.else
	\second
	.endif
	.endr
	finish
.endm

_start:
	kernel add_chain, "add a0, a0, a1"
	kernel mul_chain, "mul a0, a0, a1"
	kernel div_chain, "div a0, a0, a1"
	kernel fadd_chain, "fadd.d fa0, fa0, fa1"
	kernel fmul_chain, "fmul.d fa0, fa0, fa1"
	kernel fdiv_chain, "fdiv.d fa0, fa0, fa1"
	kernel mul_free, "mul a2, a0, a1"
	kernel div_free, "div a2, a0, a1"
	kernel fadd_free, "fadd.d fa2, fa0, fa1"
	kernel fmul_free, "fmul.d fa2, fa0, fa1"
	kernel fdiv_free, "fdiv.d fa2, fa0, fa1"
	kernel muldiv_free, "mul a2, a0, a1", "div a3, a0, a1"
	kernel muldiv_chain, "mul a0, a0, a1", "div a0, a0, a1"
