/* riscv_hwprobe: what the program may ask about the processor, by key. */
#include <errno.h>
#include <string.h>

#include "linux/syscall.h"

/* Keys and values of include/uapi/asm/hwprobe.h of Linux 6.9; those of later kernels are
 * unknown keys here, as they are to that kernel. */
#define KEY_MVENDORID	  0
#define KEY_MARCHID	  1
#define KEY_MIMPID	  2
#define KEY_BASE_BEHAVIOR 3
#define KEY_IMA_EXT_0	  4
#define KEY_CPUPERF_0	  5
#define BEHAVIOR_IMA	  (UINT64_C(1) << 0)
#define EXT_FD		  (UINT64_C(1) << 0)
#define EXT_C		  (UINT64_C(1) << 1)
#define EXT_ZBA		  (UINT64_C(1) << 3)
#define EXT_ZBB		  (UINT64_C(1) << 4)
#define EXT_ZBS		  (UINT64_C(1) << 5)
#define EXT_ZBC		  (UINT64_C(1) << 7)
#define MISALIGNED_FAST	  UINT64_C(3)
#define PAIRS_MAX	  1024

struct pair {
	int64_t key;
	uint64_t value;
};

static void answer(struct pair *pair)
{
	pair->value = 0;
	switch (pair->key) {
	case KEY_MVENDORID:
	case KEY_MARCHID:
	case KEY_MIMPID: break;
	case KEY_BASE_BEHAVIOR: pair->value = BEHAVIOR_IMA; break;
	case KEY_IMA_EXT_0:
		pair->value = EXT_FD | EXT_C | EXT_ZBA | EXT_ZBB | EXT_ZBC | EXT_ZBS;
		break;
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
		answer(&pair);
		if (!memory_write(&process->memory, at, &pair, sizeof(pair)))
			return -EFAULT;
	}
	return 0;
}
