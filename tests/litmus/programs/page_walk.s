# Page walks: four loads through the L1D, each after the one before it: 4*2 if all hit, 4*(2+9+250) if
# all go to memory. A level's entries are 8 bytes each, one after the other for pages side by side, so
# pages less than 128 MB apart share the line of every level but the last, and a line of 64 bytes of the
# L2 has the last-level entries of 8 pages.
#
# cold: nothing is in any cache. The fetch of the first instruction walks: 4*(2+9+250), of which 4*(9+250)
# are due to misses. Then the line itself: 9+250 beyond the hit.
#
# near: the text has been fetched, so the upper levels are in the L1D. A load of a page 16 pages on, issued
# in cycle 6: 3*2, and for the last level 2+9+250; then its own 2+9+250. With a walk cache the upper
# levels need no load.
#
# ideal.dtlb hides the walk's time, and its loads are done: walk.loads stays. ideal.walk makes each a hit.
#
#: test a walk with all levels in memory takes four times its latency
#: entry cold
#: set tlb.miss=walk walk.cache_entries=0
#: fetch cold = 4*(2+9+250)+9+250
#: count fetch.itlb = 4*(2+9+250)
#: count fetch.walk = 4*(9+250)
#: count walk.loads = 4
#: count walk.misses = 4
#: count memory.walks = 4
#: test ideal.walk makes the loads of a walk hits
#: entry cold
#: set tlb.miss=walk walk.cache_entries=0 ideal.walk=true
#: fetch cold = 4*2+9+250
#: count fetch.walk = 0
#: count walk.misses = 4
#: test ideal.itlb hides the walk of a fetch
#: entry cold
#: set tlb.miss=walk walk.cache_entries=0 ideal.itlb=true
#: fetch cold = 9+250
#: count walk.misses = 4
#: test a walk whose last level misses takes one latency
#: set tlb.miss=walk walk.cache_entries=0
#: warm text _start 32
#: reg a0 pages+16*4096
#: commit _start = 6+3*2+(2+9+250)+(2+9+250)
#: count head.dtlb = 3*2+(2+9+250)-1
#: count head.walk = 9+250
#: count walk.misses = 1
#: test a walk cache leaves the last level
#: set tlb.miss=walk walk.cache_entries=3
#: warm text _start 32
#: reg a0 pages+16*4096
#: commit _start = 6+(2+9+250)+(2+9+250)
#: count walk.loads = 1
#: test ideal.dtlb hides the time of the walk and leaves its loads
#: set tlb.miss=walk walk.cache_entries=0 ideal.dtlb=true
#: warm text _start 32
#: reg a0 pages+16*4096
#: commit _start = 6+(2+9+250)
#: count walk.loads = 4
#: count head.walk = 0
#: test a hit in the second-level TLB takes its latency
#: set tlb2.entries=512 dtlb.entries=1 dtlb.ways=1
#: warm text _start 32
#: warm data pages+16*4096 32
#: warm data pages+17*4096 32
#: reg a0 pages+16*4096
#: commit _start = 6+7+2
#: count tlb2.hits = 1
#: test a miss in both TLBs takes both latencies
#: set tlb2.entries=512
#: warm text _start 32
#: reg a0 pages+16*4096
#: commit _start = 6+7+30+(2+9+250)
#: count tlb2.misses = 1
	.include "litmus.inc"
_start:
	ld a1, 0(a0)
cold:	finish
	.bss
	.balign 4096
pages:	.skip 20*4096
