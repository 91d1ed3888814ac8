# The write buffer of the in-order core.
#
# leon2 writes through: a store enters the buffer in its cycle x; its write begins in x+1 and takes
# inorder.write_cycles, 4; its entry is free in x+5. With one entry, stores in a row execute 5 apart.
# With two, the second enters in x+1, the third in x+5 when the first is written, the fourth in x+9,
# when the second, begun in x+5, is. Other instructions do not wait for the buffer.
#
# A load that a buffered store covers gets its data from it, without waiting. One that overlaps it
# otherwise waits until it is written: executes in x+5. A fence waits for an empty buffer too.
#
# A write-back cache that hits writes in one cycle: with one entry, stores execute two apart (enter
# in x, written in x+1, free in x+2), with two entries one a cycle.
#
#: preset leon2
#: warm text _start 1024
#: warm data 0x40000 64
#: reg s0 0x40000
#: test stores in a row wait for the buffer
#: entry stores
#: dispatch stores -> stores+4 = 1+4
#: dispatch stores -> stores+12 = 3*(1+4)
#: test a store does not stop other instructions
#: entry mixed
#: dispatch mixed -> mixed+16 = 4
#: dispatch mixed -> mixed+20 = 5
#: test two entries hold two stores
#: set inorder.write_buffer_entries=2
#: entry stores
#: dispatch stores -> stores+4 = 1
#: dispatch stores -> stores+8 = 1+4
#: dispatch stores -> stores+12 = 1+4+4
#: test the time of a write is a parameter
#: set inorder.write_cycles=1
#: entry stores
#: dispatch stores -> stores+12 = 3*2
#: test a buffered store supplies a load
#: entry forward
#: dispatch forward -> forward+4 = 1
#: dispatch forward -> forward+8 = 3
#: count forwarded = 1
#: test one that overlaps it otherwise must be written first
#: entry overlap
#: dispatch overlap -> overlap+4 = 1+4
#: count forwarded = 0
#: test a fence waits for the buffer
#: entry fenced
#: dispatch fenced -> fenced+4 = 1+4
#: test written back, hits take a cycle each
#: set l1d.write=back
#: entry stores
#: dispatch stores -> stores+12 = 3*2
#: test and with two entries stop nothing
#: set l1d.write=back inorder.write_buffer_entries=2
#: entry stores
#: dispatch stores -> stores+12 = 3
	.include "litmus.inc"
_start:	finish
	.balign 64
stores:	sd a1, 0(s0)
	sd a1, 8(s0)
	sd a1, 16(s0)
	sd a1, 24(s0)
	finish
	.balign 64
mixed:	sd a1, 0(s0)
	.rept 4
	add a0, a0, a1
	.endr
	sd a1, 8(s0)
	finish
	.balign 64
forward:
	sd a1, 0(s0)
	ld a2, 0(s0)
	add a3, a2, a1
	finish
	.balign 64
overlap:
	sw a1, 0(s0)
	ld a2, 0(s0)
	finish
	.balign 64
fenced:	sd a1, 0(s0)
	fence
	finish
	.bss
	.balign 4096
	.skip 131072
