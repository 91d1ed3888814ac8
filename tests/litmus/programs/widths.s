# 400 independent adds in a row. With everything warm, instruction i is fed to the front end in
# cycle i/4 (decode.width), dispatched in 5 + i/4, issued in 6 + i/4 (4 ALUs) and committed in
# 7 + i/4: 0.25 cycles each. The narrowest place sets the pace:
#
#   dispatch, decode and commit 8 wide     4 ALUs: still 1/4
#   the same with 8 ALUs                   issue.width 8, fetch.width 8: 1/8
#   2 ALUs                                 1/2; oldest first, so i issues in 6 + i/2
#   commit.width 1                         1
#   issue.width 1                          1
#   fetch.width 2                          1/2
#   decode.width 1                         1
#
#: warm text _start 1700
#: test independent adds take 1/4 cycle each
#: commit _start = 7
#: commit adds+4*7 = 7+1
#: commit adds -> adds+4*396 = 99
#: dispatch adds -> adds+4*396 = 99
#: test an eight-wide core is held to 1/4 cycle each by its 4 ALUs
#: set decode.width=8 dispatch.width=8 commit.width=8
#: commit adds -> adds+4*396 = 99
#: test with 8 ALUs too they take 1/8 cycle each
#: set decode.width=8 dispatch.width=8 commit.width=8 int_alu.count=8
#: commit adds -> adds+4*392 = 49
#: test with 2 ALUs independent adds take 1/2 cycle each
#: set int_alu.count=2
#: commit adds -> adds+4*396 = 198
#: test with 1 ALU independent adds take a cycle each
#: set int_alu.count=1
#: commit adds -> adds+4*396 = 396
#: test commit.width=1 makes it a cycle each
#: set commit.width=1
#: commit adds -> adds+4*396 = 396
#: test issue.width=1 makes it a cycle each
#: set issue.width=1
#: commit adds -> adds+4*396 = 396
#: test fetch.width=2 makes it 1/2 cycle each
#: set fetch.width=2
#: commit adds -> adds+4*396 = 198
#: test decode.width=1 makes it a cycle each
#: set decode.width=1
#: commit adds -> adds+4*396 = 396
	.include "litmus.inc"
_start:
adds:
	.rept 100
	add t0, a0, a1
	add t1, a0, a1
	add t2, a0, a1
	add t3, a0, a1
	.endr
	finish
