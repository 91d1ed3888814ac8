# Independent loads of 16 distinct lines of the L2, all misses to memory (261 each), the page in
# the D-TLB. Dispatch brings four a cycle, the ports start two: load k would be issued in 6 + k/2.
#
#   unlimited   all of them overlap: load 15 is issued in 13 and commits in 13+261
#   1           one after the other: load k is issued in 6 + 261k, when the last's register is free
#   2           in pairs: both of a pair are issued in the same cycle, 6 + 261*(k/2)
#   4           in fours: 0 and 1 in 6, 2 and 3 in 7, 4 and 5 in 6+261, 6 and 7 in 7+261 ...
#
# The register is held until the data is there, in L1D and L2 alike (the L1D has it in the same
# cycle), so that l2.mshrs does the same for loads that go to memory. For loads that hit the L2 (11
# each), l1d.mshrs counts and l2.mshrs does not.
#
# ideal.l1d: no register is held, and all take 2. ideal.l2d: the L2's are not held; those of the
# L1D are, for 2+9.
#
#: reg a0 lines
#: warm text _start 128
#: test without a limit all misses overlap
#: warm dtlb lines 8
#: commit _start = 6+261
#: commit _start+4*15 = 6+7+261
#: count l2d.misses = 16
#: test with l1d.mshrs=1 misses come one after the other
#: set l1d.mshrs=1
#: warm dtlb lines 8
#: commit _start = 6+261
#: commit _start+4 = 6+2*261
#: commit _start+4*15 = 6+16*261
#: test with l1d.mshrs=2 two misses overlap and no more
#: set l1d.mshrs=2
#: warm dtlb lines 8
#: commit _start+4 = 6+261
#: commit _start+8 = 6+2*261
#: commit _start+4*15 = 6+8*261
#: test with l1d.mshrs=4 four misses overlap and no more
#: set l1d.mshrs=4
#: warm dtlb lines 8
#: commit _start+4*3 = 7+261
#: commit _start+4*4 = 6+2*261
#: commit _start+4*12 = 6+4*261
#: commit _start+4*15 = 7+4*261
#: test with l2.mshrs=1 misses to memory come one after the other
#: set l2.mshrs=1
#: warm dtlb lines 8
#: commit _start = 6+261
#: commit _start+4*15 = 6+16*261
#: test with l2.mshrs=2 two overlap and no more
#: set l2.mshrs=2
#: warm dtlb lines 8
#: commit _start+4*15 = 6+8*261
#: test with l2.mshrs=4 four overlap and no more
#: set l2.mshrs=4
#: warm dtlb lines 8
#: commit _start+4*15 = 7+4*261
#: test the smaller of the two limits rules
#: set l1d.mshrs=4 l2.mshrs=2
#: warm dtlb lines 8
#: commit _start+4*15 = 6+8*261
#: test with l1d.mshrs=1 hits in the L2 come one after the other
#: set l1d.mshrs=1
#: warm data lines 1024
#: warm data lines+4096*1 1024
#: warm data lines+4096*2 1024
#: warm data lines+4096*3 1024
#: warm data lines+4096*4 1024
#: commit _start = 6+11
#: commit _start+4*15 = 6+16*11
#: count l1d.misses = 16
#: count l2d.misses = 0
#: test with l2.mshrs=1 hits in the L2 overlap
#: set l2.mshrs=1
#: warm data lines 1024
#: warm data lines+4096*1 1024
#: warm data lines+4096*2 1024
#: warm data lines+4096*3 1024
#: warm data lines+4096*4 1024
#: commit _start+4*15 = 6+7+11
#: test ideal.l1d holds no MSHR
#: set l1d.mshrs=1 l2.mshrs=1 ideal.l1d=true
#: warm dtlb lines 8
#: commit _start+4*15 = 6+7+2
#: count l2d.misses = 16
#: test ideal.l2d holds no MSHR of the L2
#: set l2.mshrs=1 ideal.l2d=true
#: warm dtlb lines 8
#: commit _start+4*15 = 6+7+11
#: test ideal.l2d holds MSHRs of the L1D for 2+9
#: set l1d.mshrs=1 ideal.l2d=true
#: warm dtlb lines 8
#: commit _start+4*15 = 6+16*11
	.include "litmus.inc"
_start:
	.set offset, 0
	.rept 16
	ld a1, offset(a0)
	.set offset, offset + 64
	.endr
	finish
	.bss
	.balign 4096
lines:	.skip 5*4096
