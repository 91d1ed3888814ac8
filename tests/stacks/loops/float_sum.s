# A dot product: two loads and a fused multiplication and addition, the sum a chain.
	la a0, place
	li t0, 24000
1:	fld fa1, (a0)
	fld fa2, 8(a0)
	fmadd.d fa0, fa1, fa2, fa0
	addi a0, a0, 16
	addi t0, t0, -1
	bnez t0, 1b
