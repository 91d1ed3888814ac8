# Hashing: each byte is added to the product of what has come so far.
	la a0, place
	li a3, 31
	li t0, 24000
1:	lbu a1, (a0)
	mul a2, a2, a3
	add a2, a2, a1
	addi a0, a0, 1
	addi t0, t0, -1
	bnez t0, 1b
