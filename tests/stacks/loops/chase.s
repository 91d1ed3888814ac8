# A pointer chase through 48 MB, a page and a line further each time, which no cache holds. The
# words are zero, and each is added to the address of the next.
	la a0, place
	li a2, 4096 + 64
	li t0, 12000
1:	ld a1, (a0)
	add a0, a0, a1
	add a0, a0, a2
	addi t0, t0, -1
	bnez t0, 1b
