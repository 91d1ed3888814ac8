/*
 * A handler changes no register of the code it interrupts, floating point and fcsr included.
 */
#include "check.h"
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t handled, stop;
static pthread_t worker;

static void *pester(void *unused)
{
	(void)unused;
	while (!stop) {
		pthread_kill(worker, SIGUSR1);
		usleep(300);
	}
	return NULL;
}

static void disturb(int number)
{
	volatile double x = 1.0;

	(void)number;
	for (int i = 1; i < 50; i++)
		x = x * 1.0001 + sin((double)i) / 3.0;
	fesetround(FE_UPWARD);
	feraiseexcept(FE_ALL_EXCEPT);
	handled++;
}

static void skip(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)number;
	(void)info;
	uc->uc_mcontext.__gregs[REG_PC] += 4;
	uc->uc_mcontext.__gregs[REG_A0] = 1234;
}

static uint64_t work(int rounds)
{
	double a = 1.0, b = 0.5, c = 0.25, d = 0.125, e = 1e-3;
	uint64_t i = 1, j = 2, k = 3;

	for (int r = 0; r < rounds; r++) {
		a = a * 0.999 + b;
		b = b * 1.001 - c * d;
		c = c / 1.0003 + e;
		d = d + a * 1e-9;
		e = e * 0.9999999;
		i = i * 6364136223846793005u + j;
		j ^= i >> 17;
		k += j * i;
	}
	double results[] = {a, b, c, d, e};

	return check_digest(check_digest(k, results, sizeof(results)), &i, sizeof(i));
}

int main(void)
{
	struct sigaction action = {.sa_handler = disturb};
	uint64_t alone = work(300000), disturbed;
	register long a0 asm("a0") = 0;
	pthread_t thread;

	worker = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, pester, NULL);
	disturbed = work(300000);
	while (handled < 3)
		;
	stop = 1;
	pthread_join(thread, NULL);
	TRUTH(alone == disturbed);
	printf("%016llx\n", (unsigned long long)alone);
	feclearexcept(FE_ALL_EXCEPT);
	fesetround(FE_DOWNWARD);
	raise(SIGUSR1);
	TRUTH(fegetround() == FE_DOWNWARD);
	SHOW(fetestexcept(FE_ALL_EXCEPT));

	action.sa_sigaction = skip;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGSEGV, &action, NULL);
	asm volatile(".option push\n.option norvc\nlw a0, 0(zero)\n.option pop" : "=r"(a0));
	SHOW(a0);
	return 0;
}
