# Nothing is warm. The first fetch waits for the I-TLB (30), the L2 (9) and memory (250).
# Then the fetch buffer is empty. With fetch.width=4 it stays so, and each line of the 32 bytes
# costs:
#
#   line 0    30+9+250     page, L1I and L2 miss
#   line 1    9            came into the L2 with line 0
#   line 2    9+250
#   line 3    9
#
# Line n's first instruction is fetched in 2n plus the sum of the stalls up to it: 289, 300, 561,
# 572. ideal.l2i takes 250 from lines 0 and 2, ideal.l1i all of 9+250+9+9+250+9, ideal.itlb 30.
#
#: set fetch.width=4
#: test a cold fetch costs 30+9+250
#: as cold
#: fetch _start = 30+9+250
#: fetch one = 2+289+9
#: fetch two = 4+289+9+259
#: fetch three = 6+289+9+259+9
#: count fetch.itlb = 30
#: count fetch.l1i = 4*9
#: count fetch.l2i = 2*250
#: count l2i.misses = 2
#: test ideal.l2i takes 250 a line of the L2 away
#: set ideal.l2i=true
#: fetch three = 6+39+9+9+9
#: count l2i.misses = 2
#: test ideal.l1i leaves the I-TLB
#: set ideal.l1i=true
#: fetch three = 6+30
#: count l1i.misses = 4
#: count l2i.misses = 2
#: test ideal.itlb leaves the caches
#: set ideal.itlb=true
#: fetch three = 6+259+9+259+9
#: test ideal.l1i and ideal.itlb leave nothing
#: set ideal.l1i=true ideal.itlb=true
#: fetch three = 6
	.include "litmus.inc"
	.balign 64
_start:
	.rept 8
	add t0, a0, a1
	.endr
one:	.rept 8
	add t0, a0, a1
	.endr
two:	.rept 8
	add t0, a0, a1
	.endr
three:	add t0, a0, a1
	finish
