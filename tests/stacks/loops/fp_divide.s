# A chain of floating-point divisions.
	li t0, 24000
1:	fdiv.d fa0, fa0, fa1
	addi t0, t0, -1
	bnez t0, 1b
