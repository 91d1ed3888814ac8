/*
 * A timer's signal comes between any two instructions, also after a branch that went the other way.
 * only: cyclestack
 * link: static
 *
 * The branches here go by random numbers and the signals come every 1097 and 1301 ns of virtual
 * time, which is by instructions: where each came is the same under every way of running.
 */
#include "check.h"
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

static uint64_t digest = DIGEST_START, work_digest;
static volatile long calls;
static uint64_t lowest = UINT64_MAX, highest;

static void note(int number, siginfo_t *info, void *context)
{
	uint64_t pc = ((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];

	(void)info;
	calls++;
	digest = check_digest(digest, &number, sizeof(number));
	digest = check_digest(digest, &pc, sizeof(pc));
	lowest = pc < lowest ? pc : lowest;
	highest = pc > highest ? pc : highest;
}

/* About every third instruction is a branch that no predictor knows. */
static __attribute__((noinline)) uint64_t work(uint64_t random, long rounds)
{
	uint64_t sum = 0;

	for (long i = 0; i < rounds; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		for (uint64_t bits = random; bits; bits >>= 4) {
			if (bits & 1)
				sum += bits;
			asm volatile("" : "+r"(sum));
			if (bits & 2)
				sum ^= random;
			asm volatile("" : "+r"(sum));
			if (bits & 4)
				sum = sum << 1 | sum >> 63;
			asm volatile("" : "+r"(sum));
			if (bits & 8)
				sum -= 3;
			asm volatile("" : "+r"(sum));
		}
	}
	return sum;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	struct itimerspec times = {{0, 1097}, {0, 1097}};
	uint64_t plain = work(88172645463325252u, 200);
	timer_t timers[2];

	for (int i = 0; i < 2; i++) {
		struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
					 .sigev_signo = i ? SIGUSR1 : SIGALRM};

		sigaction(event.sigev_signo, &action, NULL);
		timer_create(CLOCK_MONOTONIC, &event, &timers[i]);
		timer_settime(timers[i], 0, &times, NULL);
		times.it_interval.tv_nsec = times.it_value.tv_nsec = 1301;
	}
	work_digest = work(88172645463325252u, 200);
	for (int i = 0; i < 2; i++)
		timer_delete(timers[i]);
	TRUTH(work_digest == plain);
	TRUTH(calls > 20);
	printf("%ld calls, %llx\n", calls, (unsigned long long)digest);
	return 0;
}
