# Straight code, 48 adds. With fetch.width=4 fetch keeps just ahead of decode: all that is fetched
# is fed in the same cycle and the fetch buffer is always empty, so a stall of fetch is a loss of
# as many cycles. A line is then two cycles of fetch: line n is fetched in 2n and 2n+1.
#
#   here, in line 4, is pushed out of the L1I by warming what lies 8 KB behind it (direct-mapped,
#   8 KB), but is in the L2. Asked for in cycle 8, delivered in cycle 8+9.
#
# Lines that are in no cache: instruction_cold.s.
#
# The text page is in the I-TLB, or pushed out of it by four other pages of its set (16 sets, 64
# KB apart; they are warmed in the middle of the page, where the program has no lines): 30.
#
# With the default fetch.width=8 fetch runs ahead by 4 instructions a cycle until the buffer of
# 32 is full; line n is asked for in cycle n as long as it is not. In cycle 4 the buffer holds 16
# instructions, 4 cycles of decode: of the stall of 9, 4 are hidden. Line 1 is asked for in
# cycle 1, the buffer holds 4: 1 hidden.
#
#: set fetch.width=4
#: warm text _start 240
#: test nothing misses
#: as warm
#: fetch here = 8
#: count l1i.misses = 0
#: test an L1I miss with an empty fetch buffer costs 9
#: warm text here+8192 4
#: fetch here = 8+9
#: cycles - warm = 9
#: count fetch.l1i = 9
#: count l1i.misses = 1
#: count l2i.misses = 0
#: test ideal.l1i takes exactly the 9 away
#: set ideal.l1i=true
#: warm text here+8192 4
#: cycles - warm = 0
#: count l1i.misses = 1
#: test ideal.l2i does not
#: set ideal.l2i=true
#: warm text here+8192 4
#: cycles - warm = 9
#: test an I-TLB miss costs 30
#: warm text _start+65536*1+2048 4
#: warm text _start+65536*2+2048 4
#: warm text _start+65536*3+2048 4
#: warm text _start+65536*4+2048 4
#: fetch _start = 30
#: cycles - warm = 30
#: count fetch.itlb = 30
#: count itlb.misses = 1
#: test ideal.itlb takes exactly the 30 away
#: set ideal.itlb=true
#: warm text _start+65536*1+2048 4
#: warm text _start+65536*2+2048 4
#: warm text _start+65536*3+2048 4
#: warm text _start+65536*4+2048 4
#: cycles - warm = 0
#: count itlb.misses = 1
#: test latencies of I-TLB and L1I add up
#: warm text _start+8192 4
#: warm text _start+65536*1+2048 4
#: warm text _start+65536*2+2048 4
#: warm text _start+65536*3+2048 4
#: warm text _start+65536*4+2048 4
#: fetch _start = 30+9
#: count fetch.itlb = 30
#: count fetch.l1i = 9
#: test with fetch running ahead the default fetch buffer hides 4 of the 9
#: set fetch.width=8
#: warm text here+8192 4
#: fetch here = 4+9
#: commit here-4 -> here = 1+9-4
#: test and 1 of the 9 for the second line
#: set fetch.width=8
#: warm text second+8192 4
#: fetch second = 1+9
#: commit second-4 -> second = 1+9-1
	.include "litmus.inc"
_start:
	.rept 8
	add t0, a0, a1
	.endr
second:
	.rept 24
	add t0, a0, a1
	.endr
here:
	.rept 16
	add t0, a0, a1
	.endr
	finish
