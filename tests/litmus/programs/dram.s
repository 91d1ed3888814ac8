# The pointer chase to memory of chase.s: 9 nodes 128 KB apart, which miss in L1D and L2 each time,
# 2+9+250 a load with a D-TLB that holds all pages; plus what the row takes: 40 hit, 80 closed, 120
# conflict.
#
# 16 banks with rows of 8 KB: 128 KB further is the next row of the same bank. Each load is a conflict.
# One of them begins when the last is done, so no bank is busy.
#
# 2 banks with rows of 1 MB: 9*128 KB are two or three rows side by side. With two, each bank keeps its
# own open and every load but the first of each is a hit; they are aligned so that there are two.
#
#: warm text _start 32
#: warm taken branch _start 8
#: reg a1 4000
#: reg a0 nodes
#: set dtlb.ways=16 memory.kind=dram
#: test a row conflict takes 120 more
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+9+250+120)
#: count memory.row_conflicts > 3990
#: count memory.queue = 0
#: test a row hit takes 40 more
#: set dram.banks=2 dram.row_bytes=1048576
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+9+250+40)
#: count memory.row_hits > 3990
#: test a row that is closed after use takes 80 more
#: set dram.rows=closed
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+9+250+80)
#: count memory.row_conflicts = 0
#: count memory.row_hits = 0
#: test ideal.l2d hides the row, too, and leaves it a conflict
#: set ideal.l2d=true
#: chain nodes 128*1024 9
#: commit _start@1000 -> _start@2000 = 1000*(2+9)
#: count memory.row_conflicts > 3990
	.include "litmus.inc"
_start:
	ld a0, 0(a0)
	addi a1, a1, -1
branch:	bnez a1, _start
	finish
	.bss
	.balign 1048576
nodes:	.skip 2*1048576
