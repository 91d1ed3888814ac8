/*
 * signal_steps.c - sequences of signals that meet calls which wait.
 *
 * Workers wait in all calls that do, with masks of their own, while the first thread sends signals
 * of all kinds and changes what they do: flags and masks of actions, who blocks what, alternate
 * stacks, timers. Handlers write down what they see: the signal, its origin and value, what is
 * blocked meanwhile, on which stack they run; some change their thread's stack. A line shows what
 * handlers saw, which calls returned, and what is pending.
 *
 * Signals to the process are blocked by all workers, so only who asks for them gets them: the
 * kernel promises not which thread takes one. Times are compared only as to whether something is
 * left.
 */
#define WORKERS 3
#define WORKER_PREPARES
#include "sequence.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>

#define STACK_BYTES (1 << 20) /* for many handlers, one in another */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif
#define SIGNALS 6
#define NEVER	50 /* seconds */

static int numbers[SIGNALS]; /* SIGUSR1, SIGUSR2, SIGALRM and three real-time ones */
static char stacks[WORKERS][STACK_BYTES], others[WORKERS][STACK_BYTES];
/* What the next handler of a worker does about its alternate stack, once. */
enum plan { LEAVES, ASKS, SETS, SETS_DISARMING, SETS_OFF, PLANS };
static enum plan plans[WORKERS];
static uint64_t masks[WORKERS];
static unsigned ignored; /* signals, as bits by their place in the list */
static struct timespec spans[WORKERS], rests[WORKERS];
static struct pollfd polled[WORKERS];
static fd_set selected[WORKERS];
static struct epoll_event events[WORKERS];
static siginfo_t infos[WORKERS];
static uint32_t futexes[WORKERS];
static char buffers[WORKERS][65536 * 2];
static struct {
	const void *mask;
	size_t bytes;
} select_masks[WORKERS];
static int pipes[WORKERS][2], full[WORKERS][2], pairs[WORKERS][2], event_polls[WORKERS];

struct seen {
	int number, code, value;
	uint64_t blocked;
	int on_stack;	/* 1 or 2; 0: neither */
	enum plan plan; /* and what came of it */
	int error;
	stack_t before;
};
static struct seen seen[WORKERS][64];
static unsigned seen_count[WORKERS];
static _Thread_local int self = -1;

static int name_of(int number)
{
	for (int i = 0; i < SIGNALS; i++)
		if (numbers[i] == number)
			return i;
	return -1;
}

/* A set of signals as bits by their place in the list. */
static uint64_t kernel_mask(unsigned bits)
{
	uint64_t mask = 0;

	for (int i = 0; i < SIGNALS; i++)
		mask |= (uint64_t)(bits >> i & 1) << (numbers[i] - 1);
	return mask;
}

static unsigned bits_of(uint64_t mask)
{
	unsigned bits = 0;

	for (int i = 0; i < SIGNALS; i++)
		bits |= (unsigned)(mask >> (numbers[i] - 1) & 1) << i;
	return bits;
}

/* 1 or 2: a worker's stacks; 0: neither. */
static int stack_at(int worker, const char *place)
{
	return place >= stacks[worker] && place < stacks[worker] + STACK_BYTES	 ? 1
	       : place >= others[worker] && place < others[worker] + STACK_BYTES ? 2
										 : 0;
}

/* As a handler sets another stack, or asks for the one there is. */
static void follow_plan(struct seen *one)
{
	stack_t wanted = {.ss_sp = others[self], .ss_size = STACK_BYTES};

	one->plan = __atomic_exchange_n(&plans[self], LEAVES, __ATOMIC_SEQ_CST);
	if (one->plan == LEAVES)
		return;
	wanted.ss_flags = one->plan == SETS_DISARMING ? (int)SS_AUTODISARM
			  : one->plan == SETS_OFF     ? SS_DISABLE
						      : 0;
	one->error = syscall(SYS_sigaltstack, one->plan == ASKS ? NULL : &wanted, &one->before)
			     ? errno
			     : 0;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	uint64_t blocked = 0;
	char here;

	(void)context;
	if (self < 0 || seen_count[self] >= COUNT(seen[0]))
		return;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &blocked, 8);
	struct seen *one = &seen[self][seen_count[self]++];
	*one = (struct seen){.number = number,
			     .code = info->si_code,
			     .value = info->si_code == SI_QUEUE || info->si_code == SI_TIMER
					      ? info->si_value.sival_int
					      : 0,
			     .blocked = blocked,
			     .on_stack = stack_at(self, &here)};
	follow_plan(one);
}

static void on_plain_signal(int number)
{
	siginfo_t info = {.si_code = 1000};

	on_signal(number, &info, NULL);
}

/* A worker begins with everything blocked. */
static void worker_prepare(struct worker *worker)
{
	uint64_t mask = ~0ull;

	self = worker_index(worker);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
}

static void step_action(void)
{
	static const int flags[] = {0,
				    SA_RESTART,
				    SA_NODEFER,
				    SA_RESTART | SA_ONSTACK,
				    SA_ONSTACK,
				    SA_RESETHAND,
				    SA_RESTART | SA_NODEFER};
	struct sigaction action = {.sa_flags = PICK(flags)};
	int which = (int)below(SIGNALS);
	unsigned mask = below(1u << SIGNALS) & below(1u << SIGNALS);

	for (int i = 0; i < SIGNALS; i++)
		if (mask >> i & 1)
			sigaddset(&action.sa_mask, numbers[i]);
	/* A handler that goes away with its first signal leaves one that ends the process. */
	if (action.sa_flags & SA_RESETHAND)
		action.sa_flags = 0, action.sa_handler = SIG_IGN;
	else if (one_in(3))
		action.sa_handler = on_plain_signal;
	else
		action.sa_flags |= SA_SIGINFO, action.sa_sigaction = on_signal;
	say("action of %d: %x mask %x%s", which, (unsigned)action.sa_flags & ~0x04000000u, mask,
	    action.sa_handler == SIG_IGN ? " ignore" : "");
	say_result(" = ", sigaction(numbers[which], &action, NULL));
	ignored = (ignored & ~(1u << which)) | (unsigned)(action.sa_handler == SIG_IGN) << which;
}

static void step_mask(void)
{
	struct worker *worker = worker_idle();
	unsigned bits = below(1u << SIGNALS);

	if (!worker)
		return;
	int at = worker_index(worker), how = (int)below(3);
	masks[at] = kernel_mask(bits) | (how == SIG_SETMASK ? 1ull << (SIGTERM - 1) : 0);
	say("w%d mask %d %x", at, how, bits);
	WORKER_CALL(worker, "mask", SYS_rt_sigprocmask, how, (long)&masks[at], 0, 8);
}

static void say_stack(int worker, const stack_t *stack)
{
	say(" [%d %x %zu]", stack_at(worker, stack->ss_sp), (unsigned)stack->ss_flags,
	    stack->ss_size);
}

static void step_stack(void)
{
	struct worker *worker = worker_idle();
	static stack_t wanted[WORKERS], before[WORKERS];

	if (!worker)
		return;
	int at = worker_index(worker);
	bool is_off = one_in(4), asks = one_in(3);
	wanted[at] = (stack_t){.ss_sp = stacks[at],
			       .ss_size = one_in(8) ? 100 : STACK_BYTES,
			       .ss_flags = is_off      ? SS_DISABLE
					   : one_in(2) ? (int)SS_AUTODISARM
						       : 0};
	memset(&before[at], 0, sizeof(before[at]));
	say("w%d stack %x %zu%s", at, (unsigned)wanted[at].ss_flags, wanted[at].ss_size,
	    asks ? " asks" : "");
	WORKER_CALL(worker, "stack", SYS_sigaltstack, asks ? 0 : (long)&wanted[at],
		    (long)&before[at]);
	say_stack(at, &before[at]);
}

static void step_plan(void)
{
	int at = (int)below(WORKERS);

	plans[at] = 1 + below(PLANS - 1);
	say("h%d plans %d", at, plans[at]);
}

/* One of the calls that wait. */
static void begin_wait(struct worker *worker, unsigned kind, long mask)
{
	int at = worker_index(worker);
	long span = (long)&spans[at];

	spans[at] = (struct timespec){NEVER, 0};
	rests[at] = (struct timespec){-1, 0};
	switch (kind) {
	case 0: WORKER_CALL(worker, "read", SYS_read, pipes[at][0], (long)buffers[at], 8); break;
	case 1:
		WORKER_CALL(worker, "write", SYS_write, full[at][1], (long)buffers[at], 70000);
		break;
	case 2: WORKER_CALL(worker, "suspend", SYS_rt_sigsuspend, mask, 8); break;
	case 3:
		polled[at] = (struct pollfd){pipes[at][0], POLLIN, 0};
		WORKER_CALL(worker, "poll", SYS_ppoll, (long)&polled[at], 1, span,
			    one_in(2) ? mask : 0, 8);
		break;
	case 4:
		FD_ZERO(&selected[at]);
		FD_SET(pipes[at][0], &selected[at]);
		select_masks[at].mask = one_in(2) ? (void *)mask : NULL;
		select_masks[at].bytes = 8;
		WORKER_CALL(worker, "select", SYS_pselect6, pipes[at][0] + 1, (long)&selected[at],
			    0, 0, one_in(2) ? span : 0, (long)&select_masks[at]);
		break;
	case 5:
		/* In the kernel a signal that is ignored, and was pending because it was blocked,
		 * ends epoll_pwait, as no other call; here it ends nothing. */
		WORKER_CALL(worker, "epoll", SYS_epoll_pwait, event_polls[at], (long)&events[at], 1,
			    -1, one_in(2) && !ignored ? mask : 0, 8);
		break;
	case 6:
		WORKER_CALL(worker, "sigwait", SYS_rt_sigtimedwait, mask, (long)&infos[at],
			    one_in(2) ? span : 0, 8);
		break;
	case 7: WORKER_CALL(worker, "sleep", SYS_nanosleep, span, (long)&rests[at]); break;
	case 8:
		WORKER_CALL(worker, "clock", SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, span,
			    (long)&rests[at]);
		break;
	case 9:
		WORKER_CALL(worker, "futex", SYS_futex, (long)&futexes[at], FUTEX_WAIT, 0,
			    one_in(2) ? span : 0);
		break;
	case 10:
		WORKER_CALL(worker, "receive", SYS_recvfrom, pairs[at][0], (long)buffers[at], 8, 0,
			    0, 0);
		break;
	default:
		clock_gettime(CLOCK_MONOTONIC, &spans[at]);
		spans[at].tv_sec += NEVER;
		WORKER_CALL(worker, "until", SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME,
			    span, 0);
		break;
	}
}

static void step_wait(void)
{
	static const char *const names[] = {"read",   "write", "suspend", "poll",
					    "select", "epoll", "sigwait", "sleep",
					    "clock",  "futex", "receive", "until"};
	struct worker *worker = worker_idle();
	unsigned kind = below(COUNT(names)), bits = below(1u << SIGNALS);

	if (!worker)
		return;
	int at = worker_index(worker);
	masks[at] = kernel_mask(bits) | (kind == 6 ? 0 : 1ull << (SIGTERM - 1));
	say("w%d waits: %s mask %x", at, names[kind], bits);
	begin_wait(worker, kind, (long)&masks[at]);
}

/* What some wait for comes. */
static void step_give(void)
{
	int at = (int)below(WORKERS);
	static char bytes[65536];

	switch (below(4)) {
	case 0: say("give w%d", at), say_result(" = ", write(pipes[at][1], bytes, 3)); break;
	case 1:
		say("make room for w%d", at);
		say_result(" = ", read(full[at][0], bytes, one_in(2) ? 8192 : sizeof(bytes)));
		break;
	case 2: say("send w%d", at), say_result(" = ", write(pairs[at][1], bytes, 3)); break;
	default:
		say("wake w%d", at);
		say_result(" = ", syscall(SYS_futex, &futexes[at], FUTEX_WAKE, 1, 0, 0, 0));
		break;
	}
}

static void step_drain(void)
{
	int at = (int)below(WORKERS);
	static char bytes[65536];

	if (worker_is_busy(&workers[at]))
		return;
	say("drain w%d", at);
	say_result(" = ", recv(pairs[at][0], bytes, sizeof(bytes), MSG_DONTWAIT));
	struct pollfd list = {pipes[at][0], POLLIN, 0};
	if (poll(&list, 1, 0) == 1)
		say_result(" ", read(pipes[at][0], bytes, sizeof(bytes)));
}

static void step_send(void)
{
	int at = (int)below(WORKERS), which = (int)below(SIGNALS), times = 1 + (int)below(3);

	say("send %d to w%d", which, at);
	for (int i = 0; i < times; i++) {
		siginfo_t info = {.si_code = SI_QUEUE};
		int value = (int)below(100);

		info.si_value.sival_int = value;
		/* Only signals that cannot interrupt a handler of each other come in one go. */
		if (one_in(2)) {
			say(" queued %d", value);
			say_result(" = ", syscall(SYS_rt_tgsigqueueinfo, getpid(), workers[at].tid,
						  numbers[which], &info));
		} else {
			say_result(" = ",
				   syscall(SYS_tgkill, getpid(), workers[at].tid, numbers[which]));
		}
		worker_settle();
	}
}

static void step_timer(void)
{
	int at = (int)below(WORKERS), which = (int)below(SIGNALS);
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = numbers[which]};
	struct itimerspec time = {{0, 0}, {0, 1000000}};
	timer_t timer;
	static int made;

	/* Timers stay: kernels differ in what becomes of the signal of one that is gone. */
	if (made++ > 100)
		return;
	event.sigev_value.sival_int = (int)below(100);
	event._sigev_un._tid = workers[at].tid;
	say("timer %d for w%d", which, at);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return;
	say_result(" = ", timer_settime(timer, 0, &time, NULL));
	time_passes(3);
}

static void say_pending(void)
{
	static uint64_t pending[WORKERS];

	for (int i = 0; i < WORKERS; i++) {
		if (worker_is_busy(&workers[i]))
			continue;
		pending[i] = 0;
		WORKER_CALL(&workers[i], "", SYS_rt_sigpending, (long)&pending[i], 8);
		workers[i].is_shown = true;
		say(" %x", bits_of(pending[i]));
		WORKER_CALL(&workers[i], "", SYS_rt_sigprocmask, 0, 0, (long)&pending[i], 8);
		workers[i].is_shown = true;
		say("/%x", bits_of(pending[i]));
	}
}

static void say_returned_with(unsigned returned)
{
	for (int i = 0; i < WORKERS; i++) {
		const struct worker *worker = &workers[i];

		if (!(returned >> i & 1))
			continue;
		if (worker->number == SYS_rt_sigtimedwait && worker->result > 0)
			say(" took %d:%d:%d", name_of((int)worker->result), infos[i].si_code,
			    infos[i].si_code == SI_QUEUE ? infos[i].si_value.sival_int : 0);
		if (rests[i].tv_sec >= 0)
			say(" rest %d", rests[i].tv_sec <= NEVER && rests[i].tv_sec > NEVER - 20);
		if (worker->number == SYS_ppoll)
			say(" rest %d", spans[i].tv_sec <= NEVER && spans[i].tv_sec > NEVER - 20);
	}
}

static void say_seen(void)
{
	for (int i = 0; i < WORKERS; i++) {
		for (unsigned k = 0; k < seen_count[i]; k++) {
			const struct seen *one = &seen[i][k];

			say(" h%d(%d:%d:%d %x on %d)", i, name_of(one->number), one->code,
			    one->value, bits_of(one->blocked), one->on_stack);
			if (one->plan == LEAVES)
				continue;
			say(" %s", one->error ? error_name(one->error) : "done");
			if (!one->error)
				say_stack(i, &one->before);
		}
		seen_count[i] = 0;
	}
}

static void step(void)
{
	static void (*const kinds[])(void) = {
		step_action, step_mask, step_mask,  step_stack, step_wait, step_wait, step_wait,
		step_wait,   step_wait, step_give,  step_drain, step_send, step_send, step_send,
		step_send,   step_send, step_timer, step_plan,	step_plan, step_stack};

	PICK(kinds)();
}

static void make_objects(void)
{
	static const char bytes[65536];

	for (int i = 0; i < WORKERS; i++) {
		struct epoll_event event = {.events = EPOLLIN};

		if (pipe(pipes[i]) || pipe(full[i]) ||
		    socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]))
			_exit(95);
		event_polls[i] = epoll_create1(0);
		epoll_ctl(event_polls[i], EPOLL_CTL_ADD, pipes[i][0], &event);
		fcntl(pipes[i][1], F_SETFL, O_NONBLOCK);
		fcntl(full[i][0], F_SETFL, O_NONBLOCK);
		fcntl(pairs[i][1], F_SETFL, O_NONBLOCK);
		if (write(full[i][1], bytes, sizeof(bytes)) != sizeof(bytes))
			_exit(95);
	}
}

int main(int argc, char **argv)
{
	unsigned steps = sequence_begin(argc, argv);
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	sigset_t all;

	numbers[0] = SIGUSR1, numbers[1] = SIGUSR2, numbers[2] = SIGALRM;
	for (int i = 3; i < SIGNALS; i++)
		numbers[i] = SIGRTMIN + i;
	for (int i = 0; i < SIGNALS; i++)
		sigaction(numbers[i], &action, NULL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	make_objects();
	workers_start();
	for (unsigned i = 1; i <= steps; i++) {
		while (!line_used)
			step();
		worker_settle();
		say_returned_with(say_returned());
		say_pending();
		say_seen();
		line_end(i);
	}
	_exit(0);
}
