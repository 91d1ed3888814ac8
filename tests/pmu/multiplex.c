/*
 * More events than counters take turns: run with pmu.counters = 2. Prints "NO" behind everything
 * that does not hold.
 */
#include "../guest/check.h"
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct reading {
	uint64_t count, enabled, running;
};

static int open_event(uint64_t config, int group, unsigned pinned, unsigned exclusive)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.pinned = pinned,
		.exclusive = exclusive,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

static struct reading get(int fd)
{
	struct reading r = {0, 0, 0};

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		r.count = UINT64_MAX;
	return r;
}

static volatile int sink;

/* A steady number of branches for each instruction. */
static void work(void)
{
	for (int i = 0; i < 1000000; i++)
		sink = i;
}

#define EVENTS 4

int main(void)
{
	struct reading r[EVENTS], truth;
	double scaled;
	int fd[EVENTS];

	/* Two fit: they always run. */
	for (int i = 0; i < 2; i++)
		fd[i] = open_event(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, -1, 0, 0);
	work();
	for (int i = 0; i < 2; i++)
		r[i] = get(fd[i]);
	TRUTH(r[0].running == r[0].enabled && r[1].running == r[1].enabled);
	truth = r[0];
	TRUTH(truth.count > 1000000 && truth.count < 1010000);
	close(fd[0]);
	close(fd[1]);

	/* Of four, two at a time. */
	for (int i = 0; i < EVENTS; i++)
		fd[i] = open_event(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, -1, 0, 0);
	work();
	uint64_t running = 0;
	for (int i = 0; i < EVENTS; i++) {
		r[i] = get(fd[i]);
		running += r[i].running;
		scaled = (double)r[i].count * (double)r[i].enabled / (double)r[i].running;
		TRUTH(r[i].running && r[i].running < r[i].enabled);
		TRUTH(scaled > 0.98 * (double)truth.count && scaled < 1.02 * (double)truth.count);
	}
	TRUTH(running > 19 * r[0].enabled / 10 && running < 21 * r[0].enabled / 10);

	/* Cycles and instructions have counters of their own. */
	int cycles = open_event(PERF_COUNT_HW_CPU_CYCLES, -1, 0, 0);
	int instructions = open_event(PERF_COUNT_HW_INSTRUCTIONS, cycles, 0, 0);
	ioctl(cycles, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	/* One that is pinned keeps its counter. */
	int pinned = open_event(PERF_COUNT_HW_BRANCH_MISSES, -1, 1, 0);
	work();
	truth = get(pinned);
	TRUTH(truth.running == truth.enabled);
	TRUTH(get(instructions).count > 0 && get(instructions).running == get(cycles).running);
	/* With two pinned there is no counter for a third: reading it is the end of the file. */
	int second = open_event(PERF_COUNT_HW_BRANCH_MISSES, -1, 1, 0);
	int third = open_event(PERF_COUNT_HW_BRANCH_MISSES, -1, 1, 0);
	TRUTH(get(second).count != UINT64_MAX);
	TRY(read(third, &truth, sizeof(truth)));
	close(second);
	TRY(ioctl(third, PERF_EVENT_IOC_ENABLE, 0));
	SHOW(read(third, &truth, sizeof(truth)));
	close(third);
	close(pinned);

	/* A group that does not fit is never counted; one that does is counted together. */
	int leader = open_event(PERF_COUNT_HW_BRANCH_MISSES, -1, 0, 0);
	int inside = open_event(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, leader, 0, 0);
	work();
	TRUTH(get(leader).running == get(inside).running && get(leader).running);
	uint64_t before = get(leader).running;
	open_event(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, leader, 0, 0);
	work();
	TRUTH(get(leader).running - before < 1000);
	return 0;
}
