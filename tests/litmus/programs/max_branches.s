# Branches, all of them trained as not taken, and not taken. Without a limit they take as long as
# adds: four a cycle.
#
# core.max_branches=1: the second is not fetched until the first has committed. Fetched in 0, it
# commits in 7 (pipeline.s); in that cycle the second is fetched, and so on: 7 apart. With 2: two
# by two, 7 apart. Direct jumps do not count.
#
#: reg a0 1
#: warm text _start 64
#: warm not_taken _start+4*0 3
#: warm not_taken _start+4*1 3
#: warm not_taken _start+4*2 3
#: warm not_taken _start+4*3 3
#: warm not_taken _start+4*4 3
#: warm not_taken _start+4*5 3
#: test branches in any number go like other instructions
#: fetch _start+4*5 = 0
#: commit _start+4*5 = 8
#: test with core.max_branches=1 each waits for the commit of the last
#: set core.max_branches=1
#: fetch _start+4*1 = 7
#: fetch _start+4*5 = 5*7
#: commit _start+4*5 = 7+5*7
#: count fetch.branches = 5*6
#: test with core.max_branches=2 they go in pairs
#: set core.max_branches=2
#: fetch _start+4*1 = 0
#: fetch _start+4*2 = 7
#: fetch _start+4*5 = 2*7
#: commit _start+4*5 = 7+2*7
	.include "litmus.inc"
_start:
	.rept 6
	beqz a0, _start
	.endr
	finish
