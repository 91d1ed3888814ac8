/* riscv_hwprobe: what the program may ask about the processor, by key. */
#include <errno.h>
#include <string.h>

#include "isa/profile.h"
#include "linux/syscall.h"

/* Keys and values of include/uapi/asm/hwprobe.h of Linux 6.9; those of later kernels are
 * unknown keys here, as they are to that kernel. But the extensions that a machine has are told
 * with the bits and keys that later kernels have for them. */
#define KEY_MVENDORID	  0
#define KEY_MARCHID	  1
#define KEY_MIMPID	  2
#define KEY_BASE_BEHAVIOR 3
#define KEY_IMA_EXT_0	  4
#define KEY_CPUPERF_0	  5
#define KEY_ZICBOZ_BLOCK  6
#define KEY_ZICBOM_BLOCK  12
#define BEHAVIOR_IMA	  (UINT64_C(1) << 0)
#define EXT_FD		  (UINT64_C(1) << 0)
#define EXT_C		  (UINT64_C(1) << 1)
#define MISALIGNED_FAST	  UINT64_C(3)
#define PAIRS_MAX	  1024

struct pair {
	int64_t key;
	uint64_t value;
};

static uint64_t told_extensions(uint64_t features)
{
	uint64_t told = EXT_FD | EXT_C;

	for (unsigned i = 0; i < FEATURE_COUNT; i++)
		if (features >> i & 1 && feature_rows[i].hwprobe_bit >= 0)
			told |= UINT64_C(1) << feature_rows[i].hwprobe_bit;
	return told;
}

/* The size of a cache block, by a key that is known where there are instructions on blocks. */
static void tell_block(struct pair *pair, bool is_known)
{
	if (is_known)
		pair->value = CACHE_BLOCK_BYTES;
	else
		pair->key = -1;
}

static void answer(struct pair *pair, uint64_t features)
{
	pair->value = 0;
	switch (pair->key) {
	case KEY_MVENDORID:
	case KEY_MARCHID:
	case KEY_MIMPID: break;
	case KEY_BASE_BEHAVIOR: pair->value = BEHAVIOR_IMA; break;
	case KEY_IMA_EXT_0: pair->value = told_extensions(features); break;
	case KEY_ZICBOZ_BLOCK: tell_block(pair, features & FEATURE_BIT(ZICBOZ)); break;
	case KEY_ZICBOM_BLOCK: tell_block(pair, features & FEATURE_BIT(ZICBOM)); break;
	case KEY_CPUPERF_0: pair->value = MISALIGNED_FAST; break;
	default: pair->key = -1; break;
	}
}

int64_t sys_riscv_hwprobe(struct process *process, const uint64_t argument[6])
{
	uint64_t pairs = argument[0], count = argument[1], set_bytes = argument[2];
	uint64_t flags = argument[4];

	/* Flag 1, the processors that have the pairs, came with Linux 6.9 and is rarely used. */
	if (flags || count > PAIRS_MAX)
		return -EINVAL;
	if (set_bytes) {
		uint8_t first;

		/* A set that lacks the only processor is one the kernel refuses as well. */
		if (!memory_read(&process->memory, &first, argument[3], 1))
			return -EFAULT;
		if (!(first & 1))
			return -EINVAL;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = pairs + i * sizeof(struct pair);
		struct pair pair;

		if (!memory_read(&process->memory, &pair, at, sizeof(pair)))
			return -EFAULT;
		answer(&pair, process->cpu.code->features);
		if (!memory_write(&process->memory, at, &pair, sizeof(pair)))
			return -EFAULT;
	}
	return 0;
}
