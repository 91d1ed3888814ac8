/*
 * hostile SEED: thousands of random calls on performance events, with attributes, descriptors,
 * addresses and sizes that may be anything. Prints a digest of what they answered.
 */
#include "../guest/check.h"
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t state;

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t bound)
{
	return (any() >> 20) % bound;
}

/* Numbers at which something may go wrong. */
static uint64_t odd(void)
{
	static const uint64_t values[] = {0,	 1,	    2,		7,	    8,
					  63,	 64,	    128,	4095,	    4096,
					  8192,	 1u << 31,  UINT32_MAX, 1ull << 38, 1ull << 47,
					  ~0ull, ~0ull - 7, 1ull << 63};

	return values[below(sizeof(values) / sizeof(values[0]))];
}

static unsigned char space[4 * 4096] __attribute__((aligned(4096)));

static void *address(void)
{
	switch (below(8)) {
	case 0: return (void *)odd();
	case 1: return space + sizeof(space) - below(200);
	default: return space + below(4096);
	}
}

/* Never one of the three standard ones. */
static long descriptor(void)
{
	return below(10) ? (long)(3 + below(40)) : (long)(odd() | 1 << 20);
}

static long open_any(void)
{
	struct perf_event_attr attr = {0};
	unsigned char *bytes = (unsigned char *)&attr;

	attr.type = below(20) ? (uint32_t)below(6) : (uint32_t)odd();
	attr.size = below(20) ? sizeof(attr) : (uint32_t)odd();
	attr.config = below(3) ? below(400) : odd();
	attr.read_format = below(20) ? below(32) : odd();
	attr.disabled = below(2);
	attr.pinned = !below(8);
	attr.exclusive = !below(8);
	attr.exclude_user = !below(8);
	if (!below(8))
		bytes[below(sizeof(attr))] = (unsigned char)any();
	return syscall(SYS_perf_event_open, below(20) ? (void *)&attr : address(),
		       below(10) ? 0 : (int)odd(), below(10) ? -1 : (int)below(3),
		       below(2) ? -1 : descriptor(), below(10) ? 0 : odd());
}

static long ioctl_any(void)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE,	    PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_ID,	    PERF_EVENT_IOC_REFRESH, PERF_EVENT_IOC_PERIOD,
		PERF_EVENT_IOC_SET_OUTPUT,  PERF_EVENT_IOC_SET_BPF, PERF_EVENT_IOC_SET_FILTER,
		PERF_EVENT_IOC_PAUSE_OUTPUT};

	return syscall(SYS_ioctl, descriptor(), below(20) ? requests[below(10)] : any(),
		       below(2) ? below(2) : (uint64_t)address());
}

static long map_any(void)
{
	void *page = (void *)syscall(SYS_mmap, below(20) ? 0 : odd(), 4096 * below(6), below(8),
				     below(5) ? MAP_SHARED : MAP_PRIVATE, descriptor(),
				     below(10) ? 0 : odd());

	if (page == MAP_FAILED)
		return -1;
	switch (below(4)) {
	case 0: mremap(page, 4096, 4096 * below(4), MREMAP_MAYMOVE); break;
	case 1: mprotect(page, 4096, (int)below(8)); break;
	case 2: break;
	default: munmap(page, 4096 * (1 + below(4)));
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t digest = DIGEST_START;

	state = argc > 1 ? strtoull(argv[1], NULL, 0) * 2654435761u + 1 : 1;
	for (int i = 0; i < 6000; i++) {
		long answer;

		errno = 0;
		switch (below(8)) {
		case 0:
		case 1: answer = open_any(); break;
		case 2: answer = ioctl_any(); break;
		case 3:
			answer = syscall(SYS_read, descriptor(), address(), below(2) ? 200 : odd());
			break;
		case 4: answer = close((int)descriptor()); break;
		case 5: answer = map_any(); break;
		case 6: answer = dup2((int)descriptor(), (int)(3 + below(40))); break;
		default:
			answer = prctl(below(2) ? PR_TASK_PERF_EVENTS_DISABLE
						: PR_TASK_PERF_EVENTS_ENABLE);
		}
		answer = answer < 0 ? -errno : answer;
		digest = check_digest(digest, &answer, sizeof(answer));
	}
	printf("%016llx\n", (unsigned long long)digest);
	return 0;
}
