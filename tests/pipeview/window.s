# Less than 10000 cycles: a chain of multiplications, then a loop whose branch goes by bits of a
# product, so that it is often mispredicted.
	.globl	_start
_start:
	li	a0, 3
	li	a1, 5
	.rept	8
	mul	a0, a0, a1
	.endr
	li	s0, 60
	li	s1, 0x2545f4914f6cdd1d
loop:
	mul	a0, a0, s1
	srli	a2, a0, 33
	xor	a0, a0, a2
	andi	a2, a0, 1
	beqz	a2, even
	addi	a3, a3, 1
	add	a4, a4, a0
even:
	addi	s0, s0, -1
	bnez	s0, loop
	li	a0, 0
	li	a7, 93
	ecall
