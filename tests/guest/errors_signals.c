/*
 * Signals: each wrong argument is refused, sizes are exact, and who takes one learns where it is
 * from.
 *
 * link: static
 * beside: host
 */
#include "edge.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <ucontext.h>

struct kernel_action {
	void *handler;
	unsigned long flags, mask[2];
};

static volatile int seen, value, code, depth;
static char stack[65536] __attribute__((aligned(16)));
static volatile stack_t at_handler, in_context;

static void note(int number, siginfo_t *info, void *context)
{
	const ucontext_t *where = context;
	stack_t now;

	seen = seen * 100 + number;
	value = info->si_value.sival_int;
	code = info->si_code;
	sigaltstack(NULL, &now);
	at_handler = now;
	in_context = where->uc_stack;
	depth = (char *)&now >= stack && (char *)&now < stack + sizeof(stack);
}

static unsigned long bits(int first, ...)
{
	unsigned long set = 0;
	__builtin_va_list list;

	__builtin_va_start(list, first);
	for (int i = first; i; i = __builtin_va_arg(list, int))
		set |= 1ul << (i - 1);
	__builtin_va_end(list);
	return set;
}

static unsigned long mask_now(void)
{
	unsigned long set = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &set, 8);
	return set;
}

static void masks(void)
{
	unsigned long set = bits(SIGUSR1, SIGKILL, SIGSTOP, SIGTERM, 0), old;

	puts("# masks");
	RAW(rt_sigprocmask, SIG_SETMASK, &set, &old, 8);
	SHOW(mask_now());
	set = bits(SIGUSR2, SIGKILL, 64, 0);
	RAW(rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
	SHOW(mask_now());
	set = bits(SIGUSR1, 64, 1, 0);
	RAW(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
	SHOW(mask_now());
	RAW(rt_sigprocmask, 3, &set, NULL, 8);
	RAW(rt_sigprocmask, -1, &set, NULL, 8);
	RAW(rt_sigprocmask, 3, NULL, NULL, 8);
	RAW(rt_sigprocmask, SIG_BLOCK, &set, NULL, 7);
	RAW(rt_sigprocmask, SIG_BLOCK, &set, NULL, 16);
	RAW(rt_sigprocmask, SIG_BLOCK, (void *)1, NULL, 8);
	RAW(rt_sigprocmask, SIG_BLOCK, NULL, (void *)1, 8);
	set = bits(SIGUSR1, 0);
	RAW(rt_sigprocmask, SIG_SETMASK, BEFORE(set), NULL, 8);
	SHOW(mask_now());
	RAW(rt_sigprocmask, SIG_SETMASK, PAST(set), NULL, 8);
	RAW(rt_sigprocmask, SIG_SETMASK, NULL, BEFORE(set), 8);
	RAW(rt_sigprocmask, SIG_SETMASK, NULL, PAST(set), 8);
	puts("# pending");
	RAW(kill, getpid() ? 0 : 0, 0);
	raise(SIGUSR1);
	old = -1;
	RAW(rt_sigpending, &old, 8);
	SHOW(old);
	old = -1;
	RAW(rt_sigpending, &old, 4);
	SHOW(old >> 32);
	RAW(rt_sigpending, &old, 9);
	RAW(rt_sigpending, (void *)1, 8);
	set = bits(SIGUSR1, 0);
	struct timespec none = {0}, wrong = {0, 1000000000}, wrong2 = {0, -1}, brief = {0, 1000};
	siginfo_t info;
	memset(&info, -1, sizeof(info));
	RAW(rt_sigtimedwait, &set, &info, &none, 7);
	RAW(rt_sigtimedwait, (void *)1, &info, &none, 8);
	RAW(rt_sigtimedwait, &set, &info, (void *)1, 8);
	RAW(rt_sigtimedwait, &set, &info, &wrong, 8);
	RAW(rt_sigtimedwait, &set, &info, &wrong2, 8);
	RAW(rt_sigtimedwait, &set, &info, &none, 8);
	SHOW(info.si_signo);
	SHOW(info.si_code);
	SHOW(info.si_errno);
	TRUTH(info.si_pid == getpid() && info.si_uid == getuid());
	RAW(rt_sigtimedwait, &set, &info, &none, 8);
	RAW(rt_sigtimedwait, &set, &info, &brief, 8);
	raise(SIGUSR1);
	RAW(rt_sigtimedwait, &set, BEFORE(info), &none, 8);
	raise(SIGUSR1);
	RAW(rt_sigtimedwait, &set, PAST(info), &none, 8);
	RAW(rt_sigtimedwait, &set, NULL, &none, 8);
	RAW(rt_sigsuspend, &set, 7);
	RAW(rt_sigsuspend, NULL, 8);
	RAW(rt_sigsuspend, (void *)1, 8);
}

static void actions(void)
{
	struct kernel_action action = {0}, old;

	puts("# actions");
	RAW(rt_sigaction, 0, NULL, &old, 8);
	RAW(rt_sigaction, 65, NULL, &old, 8);
	RAW(rt_sigaction, 64, NULL, NULL, 8);
	RAW(rt_sigaction, 1, NULL, NULL, 8);
	RAW(rt_sigaction, -1, NULL, NULL, 8);
	RAW(rt_sigaction, SIGUSR1, NULL, NULL, 4);
	RAW(rt_sigaction, SIGKILL, &action, NULL, 8);
	RAW(rt_sigaction, SIGSTOP, &action, NULL, 8);
	RAW(rt_sigaction, SIGKILL, NULL, &old, 8);
	RAW(rt_sigaction, SIGUSR1, (void *)1, NULL, 8);
	RAW(rt_sigaction, SIGUSR1, NULL, (void *)1, 8);
	action.handler = SIG_IGN;
	RAW(rt_sigaction, SIGUSR2, &action, NULL, 8);
	RAW(rt_sigaction, SIGUSR2, NULL, &old, 8);
	TRUTH(old.handler == SIG_IGN);
	/* What is pending and becomes ignored is gone, of the thread and of the process. */
	unsigned long set = bits(SIGUSR2, SIGCHLD, SIGWINCH, 0), pending = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 8);
	action.handler = SIG_DFL;
	RAW(rt_sigaction, SIGUSR2, &action, NULL, 8);
	raise(SIGUSR2);
	kill(getpid(), SIGUSR2);
	syscall(SYS_rt_sigpending, &pending, 8);
	SHOW(pending);
	action.handler = SIG_IGN;
	RAW(rt_sigaction, SIGUSR2, &action, NULL, 8);
	syscall(SYS_rt_sigpending, &pending, 8);
	SHOW(pending);
	raise(SIGCHLD);
	kill(getpid(), SIGWINCH);
	syscall(SYS_rt_sigpending, &pending, 8);
	SHOW(pending);
	action.handler = SIG_DFL;
	RAW(rt_sigaction, SIGCHLD, &action, NULL, 8);
	syscall(SYS_rt_sigpending, &pending, 8);
	SHOW(pending);
	set = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 8);
	for (int i = 1; i < 65; i++)
		if (i == SIGCHLD || i == SIGCONT || i == SIGURG || i == SIGWINCH)
			printf("signal %d is ignored: %d\n", i, raise(i));
}

static void sending(void)
{
	siginfo_t info = {.si_code = SI_QUEUE};
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

	puts("# sending");
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGRTMIN, &action, NULL);
	sigaction(64, &action, NULL);
	RAW(kill, getpid(), 65);
	RAW(kill, getpid(), -1);
	RAW(kill, getpid(), 0);
	RAW(kill, 0x7ffffffe, 0);
	RAW(kill, 0x7ffffffe, 65);
	RAW(tkill, 0, 0);
	RAW(tkill, -1, 0);
	RAW(tkill, gettid(), 65);
	RAW(tkill, gettid(), 0);
	RAW(tkill, 0x7ffffffe, 0);
	RAW(tkill, 0x7ffffffe, 65);
	RAW(tgkill, getpid(), 0, 0);
	RAW(tgkill, 0, gettid(), 0);
	RAW(tgkill, getpid(), 0x7ffffffe, 0);
	RAW(tgkill, 0x7ffffffe, gettid(), 0);
	RAW(tgkill, getpid(), gettid(), 65);
	RAW(tgkill, getpid(), gettid(), SIGUSR1);
	SHOW(seen);
	SHOW(code);
	seen = 0;
	RAW(tkill, gettid(), 64);
	SHOW(seen);
	SHOW(code);
	seen = 0;
	RAW(kill, getpid(), SIGUSR1);
	SHOW(seen);
	SHOW(code);
	seen = 0;
	info.si_value.sival_int = 77;
	RAW(rt_sigqueueinfo, getpid(), SIGRTMIN, &info);
	SHOW(seen);
	SHOW(value);
	SHOW(code);
	info.si_value.sival_int = 78;
	RAW(rt_tgsigqueueinfo, getpid(), gettid(), SIGRTMIN, &info);
	SHOW(value);
	RAW(rt_sigqueueinfo, getpid(), SIGRTMIN, (void *)1);
	RAW(rt_sigqueueinfo, getpid(), 65, &info);
	RAW(rt_sigqueueinfo, getpid(), 0, &info);
	RAW(rt_sigqueueinfo, getpid(), SIGRTMIN, BEFORE(info));
	RAW(rt_tgsigqueueinfo, getpid(), 0x7ffffffe, SIGRTMIN, &info);
	RAW(rt_tgsigqueueinfo, getpid(), gettid(), 65, &info);
	RAW(rt_tgsigqueueinfo, getpid(), gettid(), SIGRTMIN, (void *)1);
	/* Several real-time signals keep their order and are counted; a standard one comes once. */
	unsigned long set = bits(SIGUSR1, 40, 41, 0), pending;
	struct timespec none = {0};
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 8);
	for (int i = 1; i <= 3; i++) {
		info.si_value.sival_int = i;
		syscall(SYS_rt_sigqueueinfo, getpid(), 41, &info);
		syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info);
		info.si_value.sival_int = 10 + i;
		syscall(SYS_rt_sigqueueinfo, getpid(), 40, &info);
	}
	for (int got; (got = syscall(SYS_rt_sigtimedwait, &set, &info, &none, 8)) > 0;) {
		syscall(SYS_rt_sigpending, &pending, 8);
		printf("took %d with %d, left %lx\n", got, info.si_value.sival_int, pending);
	}
	set = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 8);
}

static void stacks(void)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t given = {.ss_sp = stack, .ss_size = sizeof(stack)}, old = {.ss_flags = 77},
		wrong = given;

	puts("# stacks");
	sigaction(SIGUSR1, &action, NULL);
	RAW(sigaltstack, NULL, &old);
	SHOW(old.ss_flags);
	SHOW(old.ss_size);
	wrong.ss_flags = 4;
	RAW(sigaltstack, &wrong, NULL);
	wrong.ss_flags = SS_ONSTACK;
	RAW(sigaltstack, &wrong, NULL);
	wrong.ss_flags = 0;
	wrong.ss_size = 2047;
	RAW(sigaltstack, &wrong, NULL);
	RAW(sigaltstack, (void *)1, NULL);
	RAW(sigaltstack, NULL, (void *)1);
	RAW(sigaltstack, BEFORE(given), NULL);
	RAW(sigaltstack, PAST(given), NULL);
	RAW(sigaltstack, NULL, BEFORE(given));
	RAW(sigaltstack, NULL, PAST(given));
	RAW(sigaltstack, &given, &old);
	TRUTH(old.ss_sp == stack);
	SHOW(old.ss_flags);
	SHOW(old.ss_size);
	raise(SIGUSR1);
	SHOW(depth);
	SHOW(at_handler.ss_flags);
	SHOW(in_context.ss_flags);
	SHOW(in_context.ss_size);
	given.ss_flags = 1u << 31;
	RAW(sigaltstack, &given, NULL);
	raise(SIGUSR1);
	SHOW(depth);
	SHOW(at_handler.ss_flags);
	SHOW(at_handler.ss_size);
	SHOW(in_context.ss_flags);
	SHOW(in_context.ss_size);
	RAW(sigaltstack, NULL, &old);
	SHOW(old.ss_flags);
	SHOW(old.ss_size);
	TRUTH(old.ss_sp == stack);
	given.ss_flags = SS_DISABLE;
	RAW(sigaltstack, &given, NULL);
	RAW(sigaltstack, NULL, &old);
	SHOW(old.ss_flags);
	SHOW(old.ss_size);
	raise(SIGUSR1);
	SHOW(depth);
}

static void *wait_for_signal(void *set)
{
	int fd = *(int *)set;
	struct signalfd_siginfo out;

	SHOW(read(fd, &out, sizeof(out)) == sizeof(out));
	SHOW(out.ssi_signo);
	return NULL;
}

/* Several signal files, closed in another order than they were made; one that gets another set. */
static void descriptors(void)
{
	unsigned long set = bits(SIGUSR1, SIGUSR2, SIGHUP, 0), one = bits(SIGUSR1, SIGKILL, 0);
	unsigned long two = bits(SIGUSR2, 0), three = bits(SIGHUP, 0);
	struct signalfd_siginfo out[3];
	pthread_t thread;
	int a, b, c;

	puts("# signal files");
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 8);
	RAW(signalfd4, -1, &one, 7, 0);
	RAW(signalfd4, -1, (void *)1, 8, 0);
	RAW(signalfd4, -1, &one, 8, 1);
	RAW(signalfd4, 999, &one, 8, 0);
	RAW(signalfd4, 1, &one, 8, 0);
	a = syscall(SYS_signalfd4, -1, BEFORE(one), 8, SFD_NONBLOCK | SFD_CLOEXEC);
	b = syscall(SYS_signalfd4, -1, &two, 8, SFD_NONBLOCK);
	c = syscall(SYS_signalfd4, -1, &three, 8, SFD_NONBLOCK);
	RAW(signalfd4, -1, PAST(one), 8, 0);
	raise(SIGUSR2);
	raise(SIGHUP);
	TRY(read(a, out, sizeof(out)));
	TRY(close(b));
	raise(SIGUSR1);
	TRY(read(a, out, sizeof(out[0]) - 1));
	TRY(read(a, out, sizeof(out[0])));
	SHOW(out[0].ssi_signo);
	SHOW(out[0].ssi_code);
	SHOW(out[0].ssi_errno);
	TRUTH(out[0].ssi_pid == (unsigned)getpid() && out[0].ssi_uid == getuid());
	TRY(close(a));
	TRY(read(c, out, sizeof(out)));
	SHOW(out[0].ssi_signo);
	TRY(syscall(SYS_signalfd4, c, &two, 8, 0) == c);
	TRY(read(c, out, sizeof(out)));
	SHOW(out[0].ssi_signo);
	TRY(read(c, out, sizeof(out)));
	close(c);
	/* One that waits learns that its file has another set, and that a signal comes. */
	c = syscall(SYS_signalfd4, -1, &one, 8, 0);
	raise(SIGUSR2);
	kill(getpid(), SIGUSR2);
	pthread_create(&thread, NULL, wait_for_signal, &c);
	for (int i = 0; i < 20; i++)
		sched_yield();
	syscall(SYS_signalfd4, c, &two, 8, 0);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, wait_for_signal, &c);
	for (int i = 0; i < 20; i++)
		sched_yield();
	kill(getpid(), SIGUSR2);
	pthread_join(thread, NULL);
}

int main(void)
{
	masks();
	actions();
	stacks();
	descriptors();
	sending();
	return 0;
}
