/*
 * Groups of events take turns on too few counters while threads take turns on the core: run with
 * pmu.counters = 2. Each thread counts its own work, of a known number of branches, in two groups
 * of two equal events, of which one group fits at a time. Prints "NO" behind everything that does
 * not hold.
 */
#include "../guest/check.h"
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS	60
#define LOOPS	4000

struct reading {
	uint64_t count, enabled, running;
};

static struct result {
	struct reading groups[2][2], instructions, half;
	int is_open;
} results[THREADS];
static pthread_barrier_t all;

static int open_event(uint64_t config, int group, unsigned disabled, unsigned pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = disabled,
		.pinned = pinned,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

static void get(int fd, struct reading *r)
{
	if (read(fd, r, sizeof(*r)) != sizeof(*r))
		r->count = UINT64_MAX;
}

static __attribute__((noinline)) void work(int thread)
{
	static volatile int sink[THREADS];

	for (int i = 0; i < LOOPS; i++)
		sink[thread] = i;
}

static void *count(void *context)
{
	struct result *r = context;
	int thread = (int)(r - results), fd[2][2];

	for (int g = 0; g < 2; g++) {
		fd[g][0] = open_event(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, -1, 1, 0);
		fd[g][1] = open_event(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, fd[g][0], 0, 0);
	}
	int instructions = open_event(PERF_COUNT_HW_INSTRUCTIONS, -1, 0, 1);
	r->is_open = fd[0][1] >= 0 && fd[1][1] >= 0 && instructions >= 0;
	pthread_barrier_wait(&all);
	for (int g = 0; g < 2; g++)
		ioctl(fd[g][0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	for (int i = 0; i < ROUNDS; i++) {
		work(thread);
		/* Each thread gives way after another number of rounds. */
		if (i % (thread + 1) == 0)
			sched_yield();
		/* One of them stops a group and starts it again, now while it is counted and now
		 * while it waits for its turn. */
		if (thread == 1 && i % 7 == 3) {
			ioctl(fd[0][0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
			sched_yield();
			ioctl(fd[0][0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		}
		if (i == ROUNDS / 2)
			get(instructions, &r->half);
	}
	for (int g = 0; g < 2; g++)
		ioctl(fd[g][0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	for (int g = 0; g < 2; g++)
		for (int k = 0; k < 2; k++)
			get(fd[g][k], &r->groups[g][k]);
	get(instructions, &r->instructions);
	return NULL;
}

static int is_near(double a, double b, double part)
{
	return a > (1 - part) * b && a < (1 + part) * b;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(void)
{
	pthread_t threads[THREADS];
	uint64_t began = now_ns(), enabled = 0;

	pthread_barrier_init(&all, NULL, THREADS);
	for (int t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, count, &results[t]);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	for (int t = 0; t < THREADS; t++)
		enabled += results[t].instructions.enabled;
	/* Events of a thread that does not run are not enabled. */
	TRUTH(is_near((double)enabled, (double)(now_ns() - began), 0.05));
	for (int t = 0; t < THREADS; t++) {
		const struct result *r = &results[t];
		uint64_t running = 0;

		TRUTH(r->is_open);
		for (int g = 0; g < 2; g++) {
			const struct reading *a = &r->groups[g][0], *b = &r->groups[g][1];
			double scaled = (double)a->count * (double)a->enabled /
					(double)(a->running + !a->running);

			/* Counted together, so alike to the last branch. */
			TRUTH(a->count == b->count && a->running == b->running);
			TRUTH(a->running > 0 && a->running < a->enabled);
			TRUTH(is_near(scaled, ROUNDS * LOOPS, 0.08));
			running += a->running;
		}
		TRUTH(is_near((double)running, (double)r->groups[1][0].enabled, 0.05));
		/* Nothing of the other threads, which execute twice as much together. */
		TRUTH(r->instructions.running == r->instructions.enabled);
		TRUTH(is_near((double)r->instructions.count, (double)results[0].instructions.count,
			      0.03));
		TRUTH(is_near((double)r->half.count, (double)r->instructions.count / 2, 0.08));
		TRUTH(is_near((double)r->groups[1][0].enabled, (double)r->instructions.enabled,
			      0.02));
	}
	return 0;
}
