/*
 * Faulting accesses raise SIGSEGV with the address and code, and siglongjmp recovers.
 */
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile uintptr_t fault_address;
static volatile int fault_code;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	fault_address = (uintptr_t)info->si_addr;
	fault_code = info->si_code;
	siglongjmp(back, 1);
}

#define FAULT(name, address, action)                                                      \
	do {                                                                              \
		fault_address = 1;                                                        \
		if (sigsetjmp(back, 1) == 0) {                                            \
			action;                                                           \
			printf("%s: no fault\n", name);                                   \
		} else {                                                                  \
			printf("%s: fault, %s address, code %d\n", name,                  \
			       fault_address == (uintptr_t)(address) ? "right" : "wrong", \
			       fault_code);                                               \
		}                                                                         \
	} while (0)

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	volatile char *page, *gone, sink = 0;

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	gone = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap((void *)(gone + 4096), 4096);

	FAULT("load from nothing", 0, sink = *(volatile char *)0);
	FAULT("store to nothing", 8, *(volatile long *)8 = 1);
	FAULT("load from a readable page", page, sink = *page);
	FAULT("store to a read-only page", page + 5, page[5] = 1);
	FAULT("load past the end", gone + 4096, sink = gone[4096]);
	FAULT("load before the end", gone + 4095, sink = gone[4095]);
	FAULT("store past the end", gone + 4096, *(volatile long *)(gone + 4096) = 1);
	for (int i = 0; i < 1000; i++) {
		if (sigsetjmp(back, 1) == 0)
			*(volatile int *)(uintptr_t)(i * 4) = i;
		else if (fault_address != (uintptr_t)i * 4)
			printf("wrong address in round %d\n", i);
	}
	puts("recovered from a thousand faults");
	return sink * 0;
}
