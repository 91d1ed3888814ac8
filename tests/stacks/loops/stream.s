# A sum over 256 kB, doubleword by doubleword.
	la a0, place
	li t0, 16000
1:	ld a1, (a0)
	addi a0, a0, 8
	add a2, a2, a1
	addi t0, t0, -1
	bnez t0, 1b
