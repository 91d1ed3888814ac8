/*
 * Loads and stores of every size work at every alignment, across pages too.
 */
#include "check.h"
#include <sys/mman.h>

#define ROUND(type, load, store, reg)                                                        \
	for (size_t at = 4080; at < 4112; at++) {                                            \
		type v;                                                                      \
		asm volatile(load " %0, 0(%1)" : "=" reg(v) : "r"(page + at) : "memory");    \
		digest = check_digest(digest, &v, sizeof(v));                                \
		asm volatile(store " %0, 0(%1)" ::reg(v), "r"(page + 8192 - at) : "memory"); \
		digest = check_digest(digest, page + 4000, 200);                             \
	}                                                                                    \
	printf("%s %s %016llx\n", load, store, (unsigned long long)digest)

int main(void)
{
	unsigned char *page =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t digest = DIGEST_START;

	for (size_t i = 0; i < 3 * 4096; i++)
		page[i] = i * 37 + (i >> 5);
	ROUND(long, "lb", "sb", "r");
	ROUND(long, "lbu", "sb", "r");
	ROUND(long, "lh", "sh", "r");
	ROUND(long, "lhu", "sh", "r");
	ROUND(long, "lw", "sw", "r");
	ROUND(long, "lwu", "sw", "r");
	ROUND(long, "ld", "sd", "r");
	ROUND(float, "flw", "fsw", "f");
	ROUND(double, "fld", "fsd", "f");
	return 0;
}
