# A load over the end of a line is two accesses, and takes as long as the longer of the two.
# Both lines warm: 2. The second from the L2: 2+9. Over the end of a page, the second page not in
# the D-TLB, its line warm: 2+30. Line and page: the first line is the last of its page.
#
# The second page is pushed out of the D-TLB by four others of its set (32 sets: 128 KB apart),
# warmed through other lines of the L1D than the program's.
#
#: reg a0 line+4092
#: warm text _start 32
#: warm data line+4064 64
#: test a load over the end of a line makes two accesses
#: commit _start = 6+2
#: count l1d.accesses = 2
#: test it waits for the second line
#: warm data line+4096*2 8
#: warm data line+4096*3 8
#: warm data line+4096*4 8
#: warm data line+4096*5 8
#: commit _start = 6+2+9
#: count l1d.misses = 1
#: test it waits for the second page
#: warm data line+4096+131072*1+1024 8
#: warm data line+4096+131072*2+1024 8
#: warm data line+4096+131072*3+1024 8
#: warm data line+4096+131072*4+1024 8
#: commit _start = 6+2+30
#: count dtlb.misses = 1
#: count l1d.misses = 0
	.include "litmus.inc"
_start:	ld a1, 0(a0)
	finish
	.bss
	.balign 4096
line:	.skip 8192
