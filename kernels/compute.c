/* Kernels of one kind of operation, four to an iteration, so that events which grow by one an
 * iteration for any reason are not taken for them. */
#include "kernel.h"

#define END(i) \
	(i)++; \
	BLIND(i)

static volatile uint64_t word;

KERNEL void kernel_load(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations;

	do {
		FOUR((void)word);
		END(i);
	} while (i < size);
	LOOP_END;
}

KERNEL void kernel_store(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations;

	/* The word is in the cache, even if stores do not bring it in. */
	(void)word;
	do {
		FOUR(word = i);
		END(i);
	} while (i < size);
	LOOP_END;
}

KERNEL void kernel_multiply(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, x = KERNEL_SEED, y = size | 1;

	BLIND(y);
	do {
		FOUR(x *= y; BLIND(x));
		END(i);
	} while (i < size);
	LOOP_END;
}

KERNEL void kernel_divide(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, x = KERNEL_SEED, y = 3;

	BLIND(y);
	do {
		uint64_t z = x;

		BLIND(z);
		FOUR(z /= y; BLIND(z));
		END(i);
	} while (i < size);
	LOOP_END;
}

#if defined(__riscv)
#define BLIND_FP(variable) __asm__ volatile("" : "+f"(variable))
#else
#define BLIND_FP(variable) __asm__ volatile("" : "+x"(variable))
#endif

#define FP_KERNEL(name, operator)                                         \
	KERNEL void kernel_##name(const struct kernel_run *run)           \
	{                                                                 \
		uint64_t i = 0, size = run->iterations;                   \
		double x = 1, y = 1.25, z = 1.5;                          \
                                                                          \
		BLIND_FP(x);                                              \
		BLIND_FP(y);                                              \
		BLIND_FP(z);                                              \
		do {                                                      \
			FOUR(x = z operator y; BLIND_FP(x); BLIND_FP(y)); \
			END(i);                                           \
		} while (i < size);                                       \
		LOOP_END;                                                 \
	}

FP_KERNEL(fp_add, +)
FP_KERNEL(fp_multiply, *)
FP_KERNEL(fp_divide, /)
