# Random updates of 4 MB, each at an address that a chain of multiplications yields.
	la a0, place
	li a3, 1103515245
	li a4, 12345
	li t0, 3000
1:	mul a4, a4, a3
	addi a4, a4, 1
	srli a5, a4, 10
	slli a5, a5, 45
	srli a5, a5, 42
	add a5, a5, a0
	ld a6, (a5)
	addi a6, a6, 1
	sd a6, (a5)
	addi t0, t0, -1
	bnez t0, 1b
