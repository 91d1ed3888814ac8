# A pointer chase: each load gives the address of the next. Latencies add up; nothing overlaps.
# The loop around it (3 instructions, a cycle of fetch) is never the limit: ROB 128 holds 42
# iterations, so the next load is always there when the last is done.
#
# near: one node. L1D hit: 2.
#
# l2: 1024 nodes 32 bytes apart, 32 KB. A cyclic walk over twice the L1D with LRU misses there
# each time. After the first lap everything is in the L2 and 8 pages in the D-TLB: 2+9.
#
# far: 9 nodes 128 KB apart. All fall into one set of the L2 (8 ways; 2048 sets of 64 bytes =
# 128 KB) and one of the L1D (4 ways): both miss each time. 128 KB are 32 pages, so all are in
# one set of the D-TLB too (32 sets, 4 ways): it misses each time. 2+9+250+30. With a D-TLB of
# 16 ways it does not: 2+9+250.
#
# pages: 256 nodes a page and a line apart. Node i is in set i % 128 of the L1D, two to a set: L1D
# hits. Each of the 32 sets of the D-TLB sees 8 pages in turn and has 4 ways: it misses each
# time. 2+30.
#
# Perfect changes latency only: ideal.l1d leaves 2 (+30), ideal.l2d 2+9 (+30), ideal.dtlb takes
# the 30 away; the misses are counted as before.
#
#: warm text _start 32
#: warm taken branch _start 8
#: reg a1 4000
#: reg a0 nodes
#: test a chase that hits the L1D takes 2 a load
#: chain nodes 64 1
#: commit _start@1000 -> _start@2000 = 1000*2
#: test a chase that hits the L2 takes 2+9 a load
#: chain nodes 32 1024
#: commit _start@1024 -> _start@2048 = 1024*(2+9)
#: count l1d.misses = 4000
#: count l2d.misses = 512
#: test ideal.l1d takes the 9 away
#: set ideal.l1d=true
#: chain nodes 32 1024
#: commit _start@1024 -> _start@2048 = 1024*2
#: count l1d.misses = 4000
#: test a chase to memory takes 2+9+250 a load
#: set dtlb.ways=16
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+9+250)
#: count l2d.misses = 4000
#: count dtlb.misses = 9
#: test a chase to memory that misses the D-TLB takes 2+9+250+30 a load
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+9+250+30)
#: count l2d.misses = 4000
#: count dtlb.misses = 4000
#: test ideal.dtlb takes exactly the 30 away
#: set ideal.dtlb=true
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+9+250)
#: count dtlb.misses = 4000
#: test ideal.l2d takes exactly the 250 away
#: set ideal.l2d=true
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+9+30)
#: count l2d.misses = 4000
#: test ideal.l1d takes the 250 and the 9 away
#: set ideal.l1d=true
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+30)
#: test a chase that misses only the D-TLB takes 2+30 a load
#: chain nodes 4096+32 256
#: commit _start@1000 -> _start@2000 = 1000*(2+30)
#: count dtlb.misses = 4000
#: count l1d.misses = 256
#: test ideal.dtlb makes that 2
#: set ideal.dtlb=true
#: chain nodes 4096+32 256
#: commit _start@1000 -> _start@2000 = 1000*2
	.include "litmus.inc"
_start:	ld a0, 0(a0)
	addi a1, a1, -1
branch:	bnez a1, _start
	finish
	.bss
	.balign 4096
nodes:	.skip 9*128*1024
