# Independent loads of 16 distinct lines of the L2, all misses to memory (2+9+250), the page in the
# D-TLB, as in mshr.s: load k is issued in 6 + k/2 and its request is at memory 11 cycles later.
#
# With memory.line_cycles=20 a line occupies the channel for 20 cycles. Requests come faster, so load k
# begins in 6+11 + 20k: n misses in parallel take latency + (n-1)*20.
#
#   busy    16 lines of 20 cycles
#   queue   load k waits 20k - k/2 cycles: 20*120 - 2*(0+1+...+7)
#   head    when load k-1 has committed, load k is 20 cycles away, all of them due to the channel
#
# With line_cycles=1 two lines come in the same cycle and one of them waits for the other: load k begins
# in 6+11+k.
#
# With one MSHR nothing is parallel, so nothing waits for the channel, unless a line occupies it for
# longer than a miss takes: with 300 the next one begins 300 after the last.
#
#: reg a0 lines
#: warm text _start 128
#: test n parallel misses take latency + (n-1) lines
#: set memory.line_cycles=20
#: warm dtlb lines 8
#: commit _start = 6+261
#: commit _start+4 = 6+261+20
#: commit _start+4*15 = 6+261+15*20
#: count memory.busy = 16*20
#: count memory.queue = 20*120-2*28
#: count head.bandwidth = 15*20
#: count head.l2d > 15*20
#: test with line_cycles=1 of two lines in a cycle one waits
#: set memory.line_cycles=1
#: warm dtlb lines 8
#: commit _start = 6+261
#: commit _start+4 = 6+261+1
#: commit _start+4*15 = 6+261+15
#: test ideal.bandwidth takes all of it away
#: set memory.line_cycles=20 ideal.bandwidth=true
#: warm dtlb lines 8
#: commit _start+4*15 = 6+7+261
#: count memory.busy = 0
#: count head.bandwidth = 0
#: test what an ideal switch hides does not occupy the channel
#: set memory.line_cycles=20 ideal.l2d=true
#: warm dtlb lines 8
#: commit _start+4*15 = 6+7+11
#: count memory.busy = 0
#: test misses one after the other do not wait for the channel
#: set memory.line_cycles=20 l1d.mshrs=1
#: warm dtlb lines 8
#: commit _start+4*15 = 6+16*261
#: count memory.queue = 0
#: test unless it is occupied for longer than a miss takes
#: set memory.line_cycles=300 l1d.mshrs=1
#: warm dtlb lines 8
#: commit _start+4 = 6+261+300
#: commit _start+4*15 = 6+261+15*300
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
lines:	.skip 4096
