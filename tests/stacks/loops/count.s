# Counting, unrolled: more branches than anything else, none of them taken but the last.
	li t0, 4000
	li a0, 1
1:	addi t0, t0, -1
	beqz a0, 2f
	beqz a0, 2f
	beqz a0, 2f
	bnez t0, 1b
2:
