# Misses of the in-order core, whose caches are blocking.
#
# leon2: memory.latency_cycles 8 to the first word of a line, and inorder.fill_word_cycles 1 for each
# of the 7 others: a miss takes 15 cycles longer than a hit. Fetch stops for them, and so does
# everything behind a load that misses, whether it needs the load or not.
#
#   the last instruction of a line, then a cold line         1+15
#   ld that misses, then an independent add                  1+15
#   ld that misses, then an add that needs it                1+15+1, the load-use bubble
#   two loads that miss, then an add                         2*(1+15): one miss at a time
#
# The misses of a load and of fetch overlap: while the load holds the pipeline, fetch asks for the
# next line. The ld is the last instruction of its line: fetched in 0, executed in 2, holds the
# pipeline from 3 to 17. The cold line is asked for in cycle 1 and delivered in 16: executed in 18,
# as if only the load had missed.
#
# littlecore: an L2 hit costs 9, memory 9+120; each D-TLB miss 20.
#
#: reg s0 0x40000
#: reg s1 0x40400
#: test an instruction miss costs memory and the rest of the line
#: preset leon2
#: warm text _start 32
#: dispatch _start+28 -> _start+32 = 1+8+7
#: count wrong_fetched = 0
#: test with lines of four words it is four cycles less
#: preset leon2
#: set l1i.line_bytes=16
#: warm text _start 32
#: dispatch _start+28 -> _start+32 = 1+8+3
#: test ideal.l1i takes it away
#: preset leon2
#: set ideal.l1i=true
#: warm text _start 32
#: dispatch _start+28 -> _start+32 = 1
#: test a load that misses stops what does not need it
#: preset leon2
#: warm text loads 64
#: entry loads
#: dispatch loads -> loads+4 = 1+8+7
#: dispatch loads+4 -> loads+8 = 1
#: test and what needs it comes one bubble later
#: preset leon2
#: warm text use 64
#: entry use
#: dispatch use -> use+4 = 1+8+7+1
#: test two misses take twice as long
#: preset leon2
#: warm text twice 64
#: entry twice
#: dispatch twice -> twice+4 = 1+8+7
#: dispatch twice -> twice+8 = 2*(1+8+7)
#: test ideal.l1d takes it away
#: preset leon2
#: set ideal.l1d=true
#: warm text twice 64
#: entry twice
#: dispatch twice -> twice+8 = 2
#: test a load and fetch miss at the same time
#: preset leon2
#: warm text both 4
#: entry both
#: dispatch both = 2
#: dispatch both -> both+4 = 1+8+7
#: test a line in the second-level cache costs its latency
#: preset littlecore
#: set cache.levels=2 l1d.size_bytes=1024 l1d.ways=1
#: warm text loads 64
#: warm data 0x40000 8
#: warm data 0x40400 8
#: entry loads
#: dispatch loads -> loads+8 = 1+9
#: test one in memory, that too, and a new page the walk
#: preset littlecore
#: warm text loads 64
#: entry loads
#: dispatch loads -> loads+8 = 1+20+9+120
	.include "litmus.inc"
	.balign 64
_start:	.rept 10
	add a0, a0, a1
	.endr
	finish
	.balign 64
loads:	ld a2, 0(s0)
	add a3, a1, a1
	add a4, a1, a1
	finish
	.balign 64
use:	ld a2, 0(s0)
	add a3, a2, a1
	finish
	.balign 64
twice:	ld a2, 0(s0)
	ld a3, 0(s1)
	add a4, a1, a1
	finish
	.balign 64
	.skip 28
both:	ld a2, 0(s0)
	add a3, a1, a1
	finish
	.bss
	.balign 4096
	.skip 131072
