# One instruction alone: the stages of the pipeline.
#
#   cycle 0    fetched, and fed to the front end at once
#   cycle 5    dispatched: frontend.depth later
#   cycle 6    issued: the cycle after dispatch at the earliest
#   cycle 7    its result is there; committed
#
# The front end's depth is a parameter: at 9 stages everything comes 4 cycles later.
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
	.include "litmus.inc"
_start:
	add a0, a0, a1
	finish
