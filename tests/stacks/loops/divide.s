# A chain of integer divisions.
	li a0, -1
	li a1, 1
	li t0, 24000
1:	divu a0, a0, a1
	addi t0, t0, -1
	bnez t0, 1b
