# Independent loads and stores that hit, 40 of them, with 2 memory ports: two a cycle, so 20
# cycles; with one port 40, with 4 ports the four dispatched each cycle, 10. Loads and stores
# share the ports. Stores are written from the store buffer, which needs no port.
#
#: reg a0 words
#: warm data words 64
#: test two ports let two loads start a cycle
#: entry loads
#: warm text loads 300
#: commit loads -> loads+160 = 20
#: test one port lets one load start a cycle
#: set memory.ports=1
#: entry loads
#: warm text loads 300
#: commit loads -> loads+160 = 40
#: test with four ports four loads start a cycle
#: set memory.ports=4
#: entry loads
#: warm text loads 300
#: commit loads -> loads+160 = 10
#: test two ports let two stores start a cycle
#: entry stores
#: warm text stores 300
#: commit stores -> stores+160 = 20
#: test loads and stores share the ports
#: entry both
#: warm text both 300
#: commit both -> both+160 = 20
	.include "litmus.inc"
_start:
	.balign 32
loads:
	.rept 48
	ld a1, 0(a0)
	.endr
	finish
	.balign 32
stores:
	.rept 48
	sd a1, 0(a0)
	.endr
	finish
	.balign 32
both:
	.rept 24
	ld a1, 0(a0)
	sd a2, 32(a0)
	.endr
	finish
	.bss
	.balign 64
words:	.skip 64
