# Straight code, as in instruction_miss.s, on a machine whose latencies are all different: L2 11, L3
# 37, memory 211, I-TLB 41, D-TLB 43. Line n is fetched in 2n and 2n+1; `here` is in line 4.
#
# What lies 8 KB behind `here` pushes it out of the L1I (direct-mapped, 8 KB), out of an L2 that is
# direct-mapped with 8 KB, and out of such an L3.
#
#: set fetch.width=4 cache.levels=3 l2.latency_cycles=11 l3.latency_cycles=37
#: set memory.latency_cycles=211 itlb.miss_cycles=41 dtlb.miss_cycles=43
#: warm text _start 240
#: test a line in the L2 is there after its latency
#: warm text here+8192 4
#: fetch here = 8+11
#: count fetch.l1i = 11
#: count fetch.l2i = 0
#: test a line in the L3 is there after both
#: set l2.size_bytes=8192 l2.ways=1
#: warm text here+8192 4
#: fetch here = 8+11+37
#: count fetch.l1i = 11
#: count fetch.l2i = 37
#: test a line in memory is there after all three
#: set l2.size_bytes=8192 l2.ways=1 l3.size_bytes=8192 l3.ways=1
#: warm text here+8192 4
#: fetch here = 8+11+37+211
#: count fetch.l1i = 11
#: count fetch.l2i = 37
#: count fetch.l3i = 211
#: test ideal.l2i leaves what the L2 takes
#: set l2.size_bytes=8192 l2.ways=1 l3.size_bytes=8192 l3.ways=1 ideal.l2i=true
#: warm text here+8192 4
#: fetch here = 8+11
#: test an I-TLB miss takes its own time
#: warm text _start+65536*1+2048 4
#: warm text _start+65536*2+2048 4
#: warm text _start+65536*3+2048 4
#: warm text _start+65536*4+2048 4
#: fetch _start = 41
#: count fetch.itlb = 41
	.include "litmus.inc"
_start:
	.rept 32
	add a0, a0, a1
	.endr
	.balign 4
here:
	.rept 16
	add a0, a0, a1
	.endr
	finish
