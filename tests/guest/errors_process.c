/*
 * Calls about the process and its threads refuse wrong numbers, and write as many bytes as they
 * say.
 *
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>

static void limits(void)
{
	struct rlimit limit;

	puts("# limits");
	RAW(getrlimit, 16, &limit);
	RAW(getrlimit, 15, &limit);
	RAW(getrlimit, -1, &limit);
	RAW(getrlimit, RLIMIT_CORE, NULL);
	RAW(getrlimit, 16, NULL);
	RAW(getrlimit, RLIMIT_CORE, BEFORE(limit));
	RAW(getrlimit, RLIMIT_CORE, PAST(limit));
	RAW(prlimit64, 0, RLIMIT_CORE, NULL, NULL);
	RAW(prlimit64, 0, 16, NULL, &limit);
	RAW(prlimit64, 0x7ffffffe, RLIMIT_CORE, NULL, &limit);
	RAW(prlimit64, 0, RLIMIT_CORE, (void *)1, NULL);
	RAW(prlimit64, 0, RLIMIT_CORE, NULL, (void *)1);
	limit = (struct rlimit){5, 4};
	RAW(setrlimit, RLIMIT_LOCKS, &limit);
	RAW(setrlimit, 16, &limit);
	RAW(setrlimit, RLIMIT_LOCKS, (void *)1);
	limit = (struct rlimit){1 << 30, 1 << 30};
	RAW(setrlimit, RLIMIT_LOCKS, PAST(limit));
	RAW(setrlimit, RLIMIT_LOCKS, BEFORE(limit));
	RAW(getrlimit, RLIMIT_LOCKS, &limit);
	printf("%ld %ld\n", (long)limit.rlim_cur, (long)limit.rlim_max);
	limit = (struct rlimit){100, 200};
	struct rlimit old = {0, 0};
	RAW(prlimit64, 0, RLIMIT_LOCKS, &limit, &old);
	printf("%ld %ld\n", (long)old.rlim_cur, (long)old.rlim_max);
	RAW(getrlimit, RLIMIT_LOCKS, &old);
	printf("%ld %ld\n", (long)old.rlim_cur, (long)old.rlim_max);
}

static void scheduling(void)
{
	struct sched_param parameter = {7};

	puts("# scheduling");
	for (int policy = -1; policy <= 9; policy++)
		if (policy != 7)
			printf("%d: %ld %ld\n", policy, syscall(SYS_sched_get_priority_max, policy),
			       syscall(SYS_sched_get_priority_min, policy));
	RAW(sched_getscheduler, 0);
	RAW(sched_getscheduler, -1);
	RAW(sched_getscheduler, 0x7ffffffe);
	RAW(sched_getparam, 0, &parameter);
	SHOW(parameter.sched_priority);
	RAW(sched_getparam, 0, NULL);
	RAW(sched_getparam, -1, &parameter);
	RAW(sched_getparam, 0x7ffffffe, &parameter);
	RAW(sched_getparam, 0, BEFORE(parameter));
	RAW(sched_getparam, 0, PAST(parameter));
	for (int which = -1; which <= 3; which++) {
		/* The highest of all of a user's is not ours to know. */
		if (which == PRIO_USER)
			continue;
		errno = 0;
		long got = syscall(SYS_getpriority, which, 0);
		printf("%d: %ld %s\n", which, got, check_error(errno));
	}
	RAW(getpriority, PRIO_PROCESS, 0x7ffffffe);
	RAW(getpriority, PRIO_PGRP, 0x7ffffffe);
	RAW(getpriority, PRIO_USER, 0x7ffffffe);
	TRUTH(syscall(SYS_getpriority, PRIO_PROCESS, getpid()) == 20);
	RAW(setpriority, PRIO_PROCESS, 0, 0);
	RAW(setpriority, PRIO_PROCESS, 0x7ffffffe, 0);
	RAW(setpriority, 3, 0, 0);
	RAW(sched_yield, 0);
	RAW(getcpu, (void *)1, NULL);
	RAW(getcpu, NULL, (void *)1);
	RAW(getcpu, NULL, NULL);
	unsigned cpu;
	RAW(getcpu, BEFORE(cpu), NULL);
	RAW(getcpu, PAST(cpu), NULL);
	RAW(getcpu, NULL, BEFORE(cpu));
	RAW(getcpu, NULL, PAST(cpu));
	RAW(membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	RAW(membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	RAW(membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	RAW(membarrier, 1 << 30, 0, 0);
	TRUTH((syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) & 25) == 25);
	RAW(sched_getaffinity, 0, 7, &cpu);
	RAW(sched_getaffinity, 0x7ffffffe, 128, &cpu);
	RAW(sched_setaffinity, 0, 8, (void *)1);
}

static void identity(void)
{
	struct utsname name;
	unsigned a, b, c;
	char title[16];

	puts("# identity");
	RAW(uname, BEFORE(name));
	RAW(uname, PAST(name));
	RAW(getresuid, &a, &b, (void *)1);
	RAW(getresuid, (void *)1, &b, &c);
	RAW(getresuid, &a, BEFORE(b), &c);
	RAW(getresuid, &a, PAST(b), &c);
	RAW(getresgid, &a, &b, BEFORE(c));
	RAW(getresgid, &a, &b, PAST(c));
	RAW(prctl, PR_SET_NAME, "a name that is too long for it");
	RAW(prctl, PR_GET_NAME, title);
	printf("%s\n", title);
	RAW(prctl, PR_SET_NAME, (void *)1);
	RAW(prctl, PR_GET_NAME, (void *)1);
	RAW(prctl, PR_GET_NAME, BEFORE(title));
	RAW(prctl, PR_GET_NAME, PAST(title));
	RAW(prctl, PR_SET_NAME, "short");
	RAW(prctl, PR_GET_NAME, title);
	printf("%s %d\n", title, title[15]);
	RAW(prctl, 9999, 0, 0, 0, 0);
	a = 9;
	RAW(prctl, PR_GET_PDEATHSIG, &a);
	SHOW(a);
	RAW(prctl, PR_GET_PDEATHSIG, BEFORE(a));
	RAW(prctl, PR_GET_PDEATHSIG, PAST(a));
	SHOW(syscall(SYS_personality, -1u));
	RAW(getgroups, -1, NULL);
	RAW(wait4, -1, NULL, 0, NULL);
	if (getuid() == 0) {
		unsigned groups[3] = {0, 0, 0}, out[4] = {7, 7, 7, 7};
		RAW(setgroups, 3, groups);
		RAW(getgroups, 0, NULL);
		RAW(getgroups, 2, out);
		RAW(getgroups, 3, out);
		printf("%u %u %u %u\n", out[0], out[1], out[2], out[3]);
		RAW(getgroups, 4, out);
		RAW(getgroups, 3, (void *)1);
		RAW(getgroups, 3, BEFORE(groups));
		RAW(getgroups, 3, PAST(groups));
		RAW(setgroups, 3, BEFORE(groups));
		RAW(setgroups, 3, PAST(groups));
		RAW(setgroups, 65537, groups);
		RAW(setgroups, 0, NULL);
		RAW(getgroups, 4, out);
	}
}

static void usage(void)
{
	struct rusage used;
	struct tms ticks;
	unsigned char bytes[64] = {0};
	char *edge = edge_new();
	int zeros = 0;

	puts("# usage and random bytes");
	RAW(getrusage, RUSAGE_SELF, BEFORE(used));
	RAW(getrusage, RUSAGE_SELF, PAST(used));
	RAW(getrusage, RUSAGE_CHILDREN, &used);
	RAW(getrusage, 1, &used);
	RAW(getrusage, 2, &used);
	RAW(getrusage, -2, &used);
	TRUTH(syscall(SYS_times, BEFORE(ticks)) >= 0);
	RAW(times, PAST(ticks));
	TRUTH(syscall(SYS_times, NULL) >= 0);
	RAW(getrandom, bytes, 64, 0);
	for (int i = 0; i < 64; i++)
		zeros += !bytes[i];
	TRUTH(zeros < 8);
	RAW(getrandom, bytes, 64, 7);
	RAW(getrandom, bytes, 64, 6);
	RAW(getrandom, bytes, 64, 4);
	RAW(getrandom, bytes, 64, 8);
	RAW(getrandom, bytes, 0, 0);
	RAW(getrandom, (void *)1, 5, 0);
	RAW(getrandom, edge - 5, 5, 0);
	RAW(getrandom, edge - 5, 6, 0);
	RAW(getrandom, (void *)-1, 5, 0);
}

static volatile int child_tid, parent_tid;

static void *thread_main(void *unused)
{
	(void)unused;
	char name[16];

	prctl(PR_GET_NAME, name);
	printf("%s\n", name);
	prctl(PR_SET_NAME, "other");
	TRUTH(gettid() != getpid());
	return (void *)(long)gettid();
}

static void threads(void)
{
	pthread_t thread;
	void *tid;
	char name[16];

	puts("# threads");
	prctl(PR_SET_NAME, "inherited");
	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_join(thread, &tid);
	prctl(PR_GET_NAME, name);
	printf("%s\n", name);
	TRUTH(syscall(SYS_tgkill, getpid(), (int)(long)tid, 0) == -1 && errno == ESRCH);
	TRUTH(syscall(SYS_set_tid_address, &child_tid) == gettid());
}

int main(void)
{
	limits();
	scheduling();
	identity();
	usage();
	threads();
	return 0;
}
