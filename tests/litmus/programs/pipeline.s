# One instruction alone: the stages of the pipeline.
#
#   cycle 0    fetched, and fed to the front end at once
#   cycle 5    dispatched: frontend.depth later
#   cycle 6    issued: the cycle after dispatch at the earliest
#   cycle 7    its result is there; committed
#
# The front end's depth is a parameter: at 9 stages everything comes 4 cycles later.
# An L1I of 3 cycles is a front end longer by 2; it is pipelined, so adds still come four a cycle.
#
#: warm text _start 64
#: test an add is fetched in cycle 0, dispatched in 5 and committed in 7
#: fetch _start = 0
#: dispatch _start = 5
#: commit _start = 7
#: test with a front end of 9 stages it is dispatched in cycle 9
#: set frontend.depth=9
#: dispatch _start = 9
#: commit _start = 11
#: test with an L1I of 3 cycles it is dispatched in cycle 7
#: set l1i.latency_cycles=3
#: fetch _start = 0
#: dispatch _start = 7
#: dispatch more = 8
	.include "litmus.inc"
_start:
	add a0, a0, a1
	add a0, a0, a1
	add a0, a0, a1
	add a0, a0, a1
more:	add a0, a0, a1
	finish
