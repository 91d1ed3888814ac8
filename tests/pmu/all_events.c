/*
 * Opens every event of type RAW in one group, reads the group before and after some work of all
 * kinds, and prints "CODE COUNT" for each. The instructions that read have the symbols first_read
 * and second_read.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CODES 1024

static uint64_t values[2][CODES + 1];
static int codes[CODES];
static uint32_t table[65536];
static volatile double sink;

static int open_event(uint64_t config, int group)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_RAW,
				       .size = sizeof(attr),
				       .config = config,
				       .disabled = group < 0,
				       .read_format = PERF_FORMAT_GROUP};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

#define READ(label, descriptor, buffer)                               \
	({                                                            \
		register long a0 __asm__("a0") = descriptor;          \
		register void *a1 __asm__("a1") = buffer;             \
		register long a2 __asm__("a2") = sizeof(buffer);      \
		register long a7 __asm__("a7") = SYS_read;            \
		__asm__ volatile(".globl " label "\n" label ": ecall" \
				 : "+r"(a0)                           \
				 : "r"(a1), "r"(a2), "r"(a7)          \
				 : "memory");                         \
		a0;                                                   \
	})

static uint32_t twice(uint32_t x)
{
	return 2 * x;
}

static uint32_t thrice(uint32_t x)
{
	return 3 * x + 1;
}

static uint32_t (*volatile functions[2])(uint32_t) = {twice, thrice};

static void work(void)
{
	uint32_t x = 12345, sum = 0;
	double d = 1;

	for (int i = 0; i < 4000; i++) {
		x = x * 1664525 + 1013904223;
		sum += table[x >> 16];
		if (x >> 31)
			table[x >> 18] = sum;
		sum ^= functions[x >> 30 & 1](sum);
		if (i % 16 == 0)
			d = d * 1.5 / (1 + sum % 7) + 0.25;
		__atomic_fetch_add(&table[i], 1, __ATOMIC_SEQ_CST);
	}
	sink = d + sum;
}

int main(void)
{
	int leader = -1, count = 0;

	for (int code = 0; code < CODES; code++) {
		int fd = open_event((uint64_t)code, leader);

		if (fd < 0)
			continue;
		if (leader < 0)
			leader = fd;
		codes[count++] = code;
	}
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	long first = READ("first_read", leader, values[0]);
	work();
	long second = READ("second_read", leader, values[1]);
	if (count < 100 || first != 8 * (count + 1) || second != first ||
	    values[0][0] != (uint64_t)count)
		printf("%d events: read %ld and %ld bytes of %llu\n", count, first, second,
		       (unsigned long long)values[0][0]);
	for (int i = 0; i < count; i++)
		printf("%d %llu\n", codes[i],
		       (unsigned long long)(values[1][i + 1] - values[0][i + 1]));
	return 0;
}
