# A scan for the end of a string: two branches for each byte.
	la a0, place
	li t0, 24000
	li a2, 1
1:	lbu a1, (a0)
	addi a0, a0, 1
	beq a1, a2, 2f
	addi t0, t0, -1
	bnez t0, 1b
2:
