# A pointer chase, as in chase.s, on a machine whose latencies are all different, so that one taken
# for another is noticed: L1D 3, L2 11, L3 37, memory 211, D-TLB 43, I-TLB 41, second-level TLB 19.
#
# l2: 1024 nodes 32 bytes apart are twice the L1D and all in the L2: 3+11.
#
# l3: 9 nodes 128 KB apart are in one set of the L2 (8 ways), and in 4 sets of the L3 (16 ways, 8192
# sets of 64 bytes): 3+11+37. With an L3 of 2 ways of 128 KB they are in one set there too:
# 3+11+37+211.
#
# A D-TLB of 16 ways holds the 9 pages; one of 4 ways misses each time, and a second-level TLB that
# holds them takes 19 in place of the 43. Where that misses too (2 ways, 32 sets), it is 19+43.
#
#: set cache.levels=3 l1d.latency_cycles=3 l2.latency_cycles=11 l3.latency_cycles=37
#: set memory.latency_cycles=211 dtlb.miss_cycles=43 itlb.miss_cycles=41 dtlb.ways=16
#: warm text _start 32
#: warm taken branch _start 8
#: reg a1 4000
#: reg a0 nodes
#: test a hit takes the latency of the L1D
#: chain nodes 64 1
#: commit _start@1000 -> _start@2000 = 1000*3
#: test a hit in the L2 adds its latency
#: chain nodes 32 1024
#: commit _start@1024 -> _start@2048 = 1024*(3+11)
#: test a hit in the L3 adds its latency
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(3+11+37)
#: count l2d.misses = 4000
#: test a miss in the L3 adds that of memory
#: set l3.size_bytes=262144 l3.ways=2
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(3+11+37+211)
#: test ideal.l2d leaves what the L2 takes
#: set l3.size_bytes=262144 l3.ways=2 ideal.l2d=true
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(3+11)
#: test a miss in the D-TLB adds its own time
#: set dtlb.ways=4
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(3+11+37+43)
#: count dtlb.misses = 4000
#: test a hit in the second-level TLB adds its latency alone
#: set dtlb.ways=4 tlb2.entries=512 tlb2.ways=16 tlb2.latency_cycles=19
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(3+11+37+19)
#: test a miss in both adds both
#: set dtlb.ways=4 tlb2.entries=64 tlb2.ways=2 tlb2.latency_cycles=19
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(3+11+37+19+43)
#: count tlb2.misses = 4000
	.include "litmus.inc"
_start:	ld a0, 0(a0)
	addi a1, a1, -1
branch:	bnez a1, _start
	finish
	.bss
	.balign 4096
nodes:	.skip 9*128*1024
