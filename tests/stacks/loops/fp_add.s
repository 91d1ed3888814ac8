# A chain of floating-point additions.
	li t0, 24000
1:	fadd.d fa0, fa0, fa1
	addi t0, t0, -1
	bnez t0, 1b
