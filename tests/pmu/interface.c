/*
 * The interface of performance events, as Linux documents it (perf_event_open(2), and
 * include/uapi/linux/perf_event.h for the mapped page). Prints what calls answer, and "NO" behind
 * everything that does not hold. What is counted needs no core with time, so exec prints the same.
 */
#include "../guest/check.h"
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALL_TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static struct perf_event_attr plain(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type, .size = sizeof(struct perf_event_attr), .config = config};
}

static int open_attr(struct perf_event_attr attr, int pid, int cpu, int group, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, group, flags);
}

static int instructions(int group, uint64_t format)
{
	struct perf_event_attr attr = plain(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.read_format = format;
	attr.disabled = group < 0;
	return open_attr(attr, 0, -1, group, 0);
}

/* Changes one attribute of an event that is fine otherwise. */
#define ATTR(change)                                                                              \
	do {                                                                                      \
		struct perf_event_attr a = plain(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS); \
		change;                                                                           \
		close(OPEN(open_attr(a, 0, -1, -1, 0)));                                          \
	} while (printf("    with " #change "\n") < 0)

static void refusals(void)
{
	struct perf_event_attr fine = plain(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct {
		struct perf_event_attr attr;
		uint64_t more[2];
	} longer = {.attr = fine};
	int leader = instructions(-1, 0), sibling = instructions(leader, 0);
	void *page;

	ATTR(a.size = 0);
	ATTR(a.size = PERF_ATTR_SIZE_VER0);
	ATTR(a.size = 63);
	ATTR(a.size = 4097);
	ATTR(a.read_format = 32);
	ATTR(a.sample_type = 1ull << 40);
	ATTR(a.__reserved_1 = 1);
	ATTR(a.__reserved_2 = 1);
	ATTR(a.type = 77);
	ATTR(a.config = PERF_COUNT_HW_MAX);
	ATTR(a.config = PERF_COUNT_HW_BUS_CYCLES);
	ATTR((a.type = PERF_TYPE_HW_CACHE, a.config = 77));
	ATTR((a.type = PERF_TYPE_HW_CACHE, a.config = PERF_COUNT_HW_CACHE_NODE | 1 << 16));
	ATTR((a.type = PERF_TYPE_SOFTWARE, a.config = PERF_COUNT_SW_MAX));
	ATTR((a.type = PERF_TYPE_SOFTWARE, a.config = PERF_COUNT_SW_DUMMY));
	ATTR((a.type = PERF_TYPE_RAW, a.config = 65535));
	ATTR((a.type = PERF_TYPE_RAW, a.config = 1ull << 40));
	ATTR(a.sample_period = 1000);
	ATTR(a.sample_period = 1ull << 63);
	ATTR((a.freq = 1, a.sample_freq = 1000));
	ATTR((a.freq = 1, a.sample_freq = 1000000));
	ATTR(a.inherit = 1);
	ATTR(a.inherit_thread = 1);
	ATTR(a.sigtrap = 1);
	ATTR((a.enable_on_exec = 1, a.remove_on_exec = 1));
	ATTR((a.use_clockid = 1, a.clockid = 77));
	ATTR(a.exclude_kernel = 1);
	close(OPEN(open_attr(fine, -1, -1, -1, 0)));
	close(OPEN(open_attr(fine, -1, 0, -1, 0)));
	close(OPEN(open_attr(fine, 0, 0, -1, 0)));
	close(OPEN(open_attr(fine, 0, 1, -1, 0)));
	close(OPEN(open_attr(fine, 999999, -1, -1, 0)));
	close(OPEN(open_attr(fine, 0, -1, 77, 0)));
	close(OPEN(open_attr(fine, 0, -1, 1, 0)));
	close(OPEN(open_attr(fine, 0, -1, sibling, 0)));
	close(OPEN(open_attr(fine, -1, 0, leader, 0)));
	close(OPEN(open_attr(fine, 0, -1, leader, PERF_FLAG_FD_NO_GROUP)));
	close(OPEN(open_attr(fine, 0, -1, -1, 16)));
	close(OPEN(open_attr(fine, 0, -1, -1, PERF_FLAG_PID_CGROUP)));
	fine.pinned = 1;
	OPEN(open_attr(fine, 0, -1, leader, 0));
	TRY(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
	TRY(syscall(SYS_perf_event_open, (void *)-8, 0, -1, -1, 0));
	longer.attr.size = sizeof(longer);
	close(OPEN((int)syscall(SYS_perf_event_open, &longer, 0, -1, -1, 0)));
	longer.more[1] = 1;
	close(OPEN((int)syscall(SYS_perf_event_open, &longer, 0, -1, -1, 0)));
	SHOW(longer.attr.size);
	TRY(ioctl(leader, PERF_EVENT_IOC_REFRESH, 1));
	TRY(ioctl(leader, PERF_EVENT_IOC_ID, 8));
	TRY(ioctl(leader, PERF_EVENT_IOC_PERIOD, 8));
	TRY(ioctl(leader, PERF_EVENT_IOC_SET_BPF, 77));
	TRY(ioctl(leader, PERF_EVENT_IOC_SET_OUTPUT, -1));
	TRY(ioctl(leader, PERF_EVENT_IOC_SET_OUTPUT, 77));
	TRY(ioctl(leader, PERF_EVENT_IOC_SET_OUTPUT, 1));
	TRY(ioctl(leader, PERF_EVENT_IOC_SET_OUTPUT, leader));
	TRY(ioctl(leader, PERF_EVENT_IOC_SET_OUTPUT, sibling));
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, leader, 0);
	TRY(ioctl(leader, PERF_EVENT_IOC_SET_OUTPUT, sibling));
	TRY(ioctl(sibling, PERF_EVENT_IOC_SET_OUTPUT, leader));
	munmap(page, 4096);
	TRY(ioctl(leader, PERF_EVENT_IOC_SET_OUTPUT, sibling));
	TRY(ioctl(leader, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	TRY(ioctl(leader, 0x24ff, 1));
	TRY(write(leader, "x", 1));
	TRY(lseek(leader, 0, SEEK_SET));
	TRY(syscall(SYS_read, leader, 8, 8));
	TRY(read(leader, &longer, 7));
	SHOW((long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, leader, 0));
	SHOW((long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, leader, 4096));
	SHOW((long)mmap(NULL, 4 * 4096, PROT_READ, MAP_SHARED, leader, 0));
	close(sibling);
	close(leader);
}

static void formats(void)
{
	uint64_t value[16] = {0}, id[3];
	int leader =
		instructions(-1, PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | ALL_TIMES);
	int second = instructions(leader, 0);
	int third = instructions(leader, PERF_FORMAT_ID | PERF_FORMAT_LOST | ALL_TIMES);

	ioctl(leader, PERF_EVENT_IOC_ID, &id[0]);
	ioctl(second, PERF_EVENT_IOC_ID, &id[1]);
	ioctl(third, PERF_EVENT_IOC_ID, &id[2]);
	TRUTH(id[0] != id[1] && id[1] != id[2] && id[0] && id[0] != id[2]);
	SHOW(read(leader, value, sizeof(value)));
	SHOW(value[0]);
	TRUTH(!value[1] && !value[2] && !value[3] && !value[6] && !value[9]);
	TRUTH(value[4] == id[0] && value[7] == id[1] && value[10] == id[2]);
	TRY(read(leader, value, 8 * 11));
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	SHOW(read(leader, value, sizeof(value)));
	/* From one ioctl to the next: the same for all in the group. */
	TRUTH(value[3] > 5 && value[3] < 200 && value[6] == value[3] && value[9] == value[3]);
	TRUTH(value[1] == value[2] && value[1] == value[3]);
	SHOW(read(second, value + 12, 32));
	TRUTH(value[12] == value[3]);
	SHOW(read(third, value + 8, 40));
	TRUTH(value[8] == value[3] && value[9] == value[1] && value[10] == value[2]);
	TRUTH(value[11] == id[2] && !value[12]);
	ioctl(second, PERF_EVENT_IOC_RESET, 0);
	SHOW(read(leader, value, sizeof(value)));
	TRUTH(value[3] && !value[6] && value[9]);
	ioctl(second, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	SHOW(read(leader, value, sizeof(value)));
	TRUTH(!value[3] && !value[6] && !value[9] && value[1]);
	/* The group goes on without a member, and members without their leader. */
	close(second);
	SHOW(read(leader, value, sizeof(value)));
	close(leader);
	SHOW(read(third, value, sizeof(value)));
	TRUTH(value[0] > 0);
	close(third);
}

/* Reads counter `index` - 1 by its CSR. */
static uint64_t read_csr(uint32_t index)
{
	uint64_t value = 0;

	switch (index - 1) {
	case 2: __asm__ volatile("csrr %0, instret" : "=r"(value)); break;
	case 3: __asm__ volatile("csrr %0, hpmcounter3" : "=r"(value)); break;
	case 4: __asm__ volatile("csrr %0, hpmcounter4" : "=r"(value)); break;
	default: printf("counter %u? NO\n", index);
	}
	return value;
}

static uint64_t read_page(const volatile struct perf_event_mmap_page *page)
{
	uint32_t lock, index;
	uint64_t count;

	do {
		lock = page->lock;
		__sync_synchronize();
		index = page->index;
		count = (uint64_t)page->offset;
		if (index)
			count += read_csr(index);
		__sync_synchronize();
	} while (page->lock != lock);
	return count;
}

static void page_of(int fd, int is_on_counter)
{
	struct perf_event_mmap_page *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t by_page, by_read, again;

	TRUTH(page != MAP_FAILED);
	TRUTH(page->cap_user_rdpmc && !page->cap_bit0 && page->cap_bit0_is_deprecated);
	TRUTH(page->pmc_width == 64 && page->cap_user_time);
	TRUTH(!!page->index == is_on_counter);
	by_page = read_page(page);
	read(fd, &by_read, 8);
	again = read_page(page);
	TRUTH(is_on_counter ? by_page < by_read && by_read < again && again - by_page < 200
			    : by_page == by_read && by_read == again);
	TRY(mprotect(page, 4096, PROT_READ | PROT_WRITE));
	munmap(page, 4096);
}

static void pages(void)
{
	int fixed = instructions(-1, 0), other = instructions(-1, 0);
	struct perf_event_mmap_page *page;
	uint64_t value, before;

	page_of(fixed, 0);
	ioctl(fixed, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
	page_of(fixed, 1);
	page_of(other, 1);
	ioctl(fixed, PERF_EVENT_IOC_DISABLE, 0);
	page_of(fixed, 0);
	/* The event stays open while it is mapped. */
	struct pollfd hung = {fixed, POLLIN, 0};
	SHOW(poll(&hung, 1, 0) && hung.revents & POLLHUP);
	page = mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
	SHOW(page->data_size / 4096);
	SHOW((long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, 0));
	struct pollfd silent = {other, POLLIN, 0};
	SHOW(poll(&silent, 1, 0));
	before = read_page(page);
	close(other);
	value = read_page(page);
	TRUTH(page->index && value > before);
	munmap(page, 5 * 4096);
	close(fixed);
}

/* Eleven instructions from one reading of a counter to the next. */
static void counted_by_hand(void)
{
	int fixed = instructions(-1, 0), other = instructions(-1, 0);
	uint64_t a, b;

	ioctl(fixed, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
	__asm__ volatile(".option push\n.option norvc\n"
			 "csrr %0, instret\n.rept 10\nnop\n.endr\ncsrr %1, instret\n.option pop"
			 : "=&r"(a), "=r"(b));
	SHOW(b - a);
	__asm__ volatile("csrr %0, hpmcounter3\n.rept 10\nnop\n.endr\ncsrr %1, hpmcounter3"
			 : "=&r"(a), "=r"(b));
	SHOW(b - a);
	close(fixed);
	close(other);
}

static void software(void)
{
	struct perf_event_attr attr = plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	struct perf_event_mmap_page *page;
	uint64_t value[3];

	attr.read_format = ALL_TIMES;
	int fd = open_attr(attr, 0, -1, -1, 0);
	read(fd, value, sizeof(value));
	TRUTH(value[0] == value[2] && value[1] == value[2] && value[0] > 0);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	SHOW(page->index);
	SHOW(page->cap_user_rdpmc);
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	fd = open_attr(attr, 0, -1, -1, 0);
	usleep(1000);
	usleep(1000);
	read(fd, value, sizeof(value));
	SHOW(value[0]);
	/* The time of a thread that sleeps does not go on. */
	TRUTH(value[1] < 100000 && value[1] == value[2]);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	fd = open_attr(attr, -1, 0, -1, 0);
	usleep(1000);
	read(fd, value, sizeof(value));
	TRUTH(value[0] > 1000000);
	attr = plain(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	attr.exclude_user = 1;
	fd = open_attr(attr, 0, -1, -1, 0);
	read(fd, value, 8);
	SHOW(value[0]);
}

static void *spin(void *rounds)
{
	for (volatile long i = (long)rounds; i; i--)
		;
	return NULL;
}

/* An event counts for its thread alone, one of the processor for all. */
static void threads(void)
{
	struct perf_event_attr attr = plain(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int mine = open_attr(attr, 0, -1, -1, 0), all = open_attr(attr, -1, 0, -1, 0);
	uint64_t own, whole;
	pthread_t thread;

	pthread_create(&thread, NULL, spin, (void *)300000);
	pthread_join(thread, NULL);
	read(mine, &own, 8);
	read(all, &whole, 8);
	TRUTH(own < 100000 && whole > 900000 && whole < 3000000);
	TRY(prctl(PR_TASK_PERF_EVENTS_DISABLE));
	read(mine, &own, 8);
	read(mine, &whole, 8);
	TRUTH(own == whole);
	TRY(prctl(PR_TASK_PERF_EVENTS_ENABLE));
	read(mine, &whole, 8);
	TRUTH(own < whole);
}

int main(void)
{
	refusals();
	formats();
	pages();
	counted_by_hand();
	software();
	threads();
	return 0;
}
