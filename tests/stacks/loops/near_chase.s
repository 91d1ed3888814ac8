# A pointer chase through 256 kB, line by line, which the L1D does not hold and the L2 may.
	la a0, place
	mv a1, a0
	li a2, 64
	li t0, 4096
1:	add a3, a1, a2
	sd a3, (a1)
	mv a1, a3
	addi t0, t0, -1
	bnez t0, 1b
	sd a0, (a1)
	li t0, 20000
2:	ld a0, (a0)
	addi t0, t0, -1
	bnez t0, 2b
