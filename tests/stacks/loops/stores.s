# Stores, each to a line of its own.
	la a0, place
	li a1, 64
	li t0, 12000
1:	sd t0, (a0)
	add a0, a0, a1
	addi t0, t0, -1
	bnez t0, 1b
