# A serialising instruction is alone in the window: it is dispatched when all before it have
# committed, and nothing behind it is until it has.
#
# Three adds are dispatched in 5, commit in 7. The fence, fourth of the line, is dispatched in 7,
# issued in 8, done in 9, commits in 9. What follows is dispatched in 9 and commits in 11. Were it
# an add, it would be dispatched in 5 and its successor in 6: the fence costs the successor 3.
#
# With a div before it, which commits in 26: dispatched in 26, committed in 28, successors
# dispatched in 28.
#
# An atomic takes a load's 2 from its issue in 8: commits in 10, successors are dispatched in 10.
# A call to the system also stops fetch: fetched in 0, dispatched in 5, committed in 7. What follows
# is fetched in that cycle and dispatched in 12.
#
#: reg a0 word
#: reg a1 1
#: warm text _start 512
#: warm data word 8
#: test a fence drains the window
#: entry fences
#: as fence
#: dispatch fence = 7
#: commit fence = 9
#: dispatch fence+4 = 9
#: commit fence+4 = 11
#: count dispatch.serialise > 0
#: count serialised = 2
#: test an add in its place does not
#: entry adds
#: dispatch add = 5
#: dispatch add+4 = 6
#: commit add+4 = 8
#: cycles - fence = 0-3
#: test a write of fcsr drains it too
#: entry csrs
#: dispatch csr = 7
#: commit csr = 9
#: dispatch csr+4 = 9
#: cycles - fence = 0
#: test a fence behind a div waits for it
#: entry divs
#: commit divs = 26
#: dispatch div_fence = 26
#: commit div_fence = 28
#: dispatch div_fence+4 = 28
#: test an atomic serialises and takes a load's time
#: entry atomics
#: dispatch atomic = 7
#: commit atomic = 10
#: dispatch atomic+4 = 10
#: test a call to the system drains the whole pipeline
#: reg a7 172
#: entry call
#: commit call = 7
#: fetch call+4 = 7
#: dispatch call+4 = 12
#: count fetch.serialise > 5
	.include "litmus.inc"

.macro three
	.rept 3
	add t0, a2, a3
	.endr
.endm

.macro four
	.rept 4
	add t0, a2, a3
	.endr
	finish
	.balign 32
.endm

_start:
	.balign 32
fences:	three
fence:	fence
	four
adds:	three
add:	add t0, a2, a3
	four
csrs:	three
csr:	csrw fcsr, zero
	four
divs:	div a2, a2, a1
div_fence:
	fence
	four
atomics:
	three
atomic:	amoadd.d a4, a1, (a0)
	four
call:	ecall
	four
	.bss
	.balign 64
word:	.skip 64
