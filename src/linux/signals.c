#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/array.h"
#include "linux/syscall.h"

/* The frame the kernel pushes for a handler on 64-bit RISC-V. */
struct guest_sigframe {
	uint8_t info[128];
	uint64_t uc_flags, uc_link;
	uint64_t stack_sp;
	uint32_t stack_flags, stack_pad;
	uint64_t stack_bytes;
	uint64_t mask;
	uint8_t mask_unused[120];
	uint64_t pad;
	uint64_t regs[32]; /* pc, x1 .. x31 */
	uint64_t f[32];
	uint32_t fcsr;
	uint8_t fp_unused[528 - 32 * 8 - 4];
};
_Static_assert(offsetof(struct guest_sigframe, regs) == 128 + 176, "the kernel's layout");
_Static_assert(sizeof(struct guest_sigframe) == 128 + 176 + 256 + 528, "the kernel's layout");

#define GUEST_SA_SIGINFO    UINT64_C(0x4)
#define GUEST_SA_ONSTACK    UINT64_C(0x08000000)
#define GUEST_SA_NODEFER    UINT64_C(0x40000000)
#define GUEST_SA_RESETHAND  UINT64_C(0x80000000)
#define GUEST_SS_ONSTACK    1
#define GUEST_SS_DISABLE    2
#define GUEST_SS_AUTODISARM (UINT32_C(1) << 31)
#define MIN_ALTSTACK_BYTES  2048

#define GUEST_SA_RESTART UINT64_C(0x10000000)
#define FIRST_REALTIME	 32

#define BIT(number) (UINT64_C(1) << ((number)-1))
#define UNBLOCKABLE (BIT(SIGKILL) | BIT(SIGSTOP))

static bool is_ignored_by_default(int number)
{
	return number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH ||
	       number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static bool is_fault(int number, const siginfo_t *info)
{
	return (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGTRAP ||
		number == SIGFPE) &&
	       info->si_code > 0;
}

static size_t count_queued(const struct process *process)
{
	size_t count = 0;

	for (size_t i = 0; i < process->thread_count; i++)
		count += process->threads[i]->queue_count;
	return count;
}

bool signal_raise(struct process *process, struct thread *thread, int number, const siginfo_t *info)
{
	struct guest_sigaction *action = &process->actions[number];

	if (is_fault(number, info)) {
		/* A fault whose signal is ignored or blocked must not be retried forever. */
		if (action->handler == (uint64_t)(uintptr_t)SIG_IGN ||
		    thread->signal_mask & BIT(number)) {
			*action = (struct guest_sigaction){0};
			thread->signal_mask &= ~BIT(number);
		}
	} else if (action->handler == (uint64_t)(uintptr_t)SIG_IGN ||
		   (action->handler == (uint64_t)(uintptr_t)SIG_DFL &&
		    is_ignored_by_default(number))) {
		return true;
	}
	if (number < FIRST_REALTIME && thread->pending & BIT(number))
		return true;
	if (number >= FIRST_REALTIME &&
	    count_queued(process) >= process->limits[RLIMIT_SIGPENDING].rlim_cur) {
		/* What kill sends arrives all the same, once and without its siginfo. */
		if (info->si_code != SI_USER)
			return false;
		thread->pending |= BIT(number);
		return true;
	}
	thread->pending |= BIT(number);
	*ARRAY_PUSH(thread->queue, thread->queue_count, thread->queue_capacity) = *info;
	thread->queue[thread->queue_count - 1].si_signo = number;
	return true;
}

/* Removes the oldest signal of that number from the queue. */
static siginfo_t take(struct thread *thread, int number)
{
	siginfo_t info = {.si_signo = number};
	bool is_found = false, has_more = false;
	size_t kept = 0;

	for (size_t i = 0; i < thread->queue_count; i++) {
		const siginfo_t *one = &thread->queue[i];

		if (one->si_signo == number && !is_found) {
			info = *one;
			is_found = true;
			continue;
		}
		has_more |= one->si_signo == number;
		thread->queue[kept++] = *one;
	}
	thread->queue_count = kept;
	if (!has_more)
		thread->pending &= ~BIT(number);
	return info;
}

/* The thread for a signal to the process: the current one if it accepts the signal, else any
 * that accepts it or waits for it. */
static struct thread *choose_thread(struct process *process, uint64_t number)
{
	struct thread *chosen = process->current;

	for (size_t i = 0; number && number <= 64 && i < process->thread_count; i++) {
		struct thread *thread = process->threads[i];
		bool waits = thread->state == THREAD_SIGWAIT && thread->wait_set & BIT(number);

		if (!(chosen->signal_mask & BIT(number)))
			break;
		if (waits || (thread->state != THREAD_DEAD && !(thread->signal_mask & BIT(number))))
			chosen = thread;
		if (waits)
			break;
	}
	return chosen;
}

static uint64_t timer_clock(const struct process *process, int which)
{
	return which == 0 ? process_now_ns(process) : process->cpu.instructions;
}

uint64_t signal_run_timers(struct process *process)
{
	static const int numbers[3] = {SIGALRM, SIGVTALRM, SIGPROF};
	uint64_t earliest = NEVER_NS, now = process_now_ns(process);

	for (int i = 0; i < 3; i++) {
		struct guest_timer *timer = &process->timers[i];
		uint64_t clock = timer_clock(process, i);

		if (!timer->at_ns)
			continue;
		if (timer->at_ns <= clock) {
			siginfo_t info = {.si_signo = numbers[i], .si_code = SI_KERNEL};

			signal_raise(process, choose_thread(process, (uint64_t)numbers[i]),
				     numbers[i], &info);
			timer->at_ns = timer->interval_ns ? clock + timer->interval_ns : 0;
		}
		/* CPU-time clocks do not advance while all threads sleep. */
		if (timer->at_ns && timer->at_ns - clock < earliest - now)
			earliest = now + (timer->at_ns - clock);
	}
	return earliest;
}

void signal_skip_alarms(struct process *process, uint64_t until_ns)
{
	struct guest_timer *timer = &process->timers[ITIMER_REAL];

	if (timer->at_ns && timer->at_ns < until_ns && timer->interval_ns) {
		uint64_t late = (until_ns - timer->at_ns) % timer->interval_ns;

		timer->at_ns = late ? until_ns - late + timer->interval_ns : until_ns;
	}
}

bool signal_is_pending(const struct thread *thread)
{
	return thread->pending & ~thread->signal_mask;
}

static bool is_on_altstack(const struct thread *thread, uint64_t sp)
{
	return thread->altstack_bytes && sp > thread->altstack &&
	       sp - thread->altstack <= thread->altstack_bytes;
}

static bool push_frame(struct process *process, int number, const siginfo_t *info)
{
	struct thread *thread = process->current;
	struct hart *hart = &process->cpu.hart;
	const struct guest_sigaction *action = &process->actions[number];
	struct guest_sigframe frame = {0};
	uint64_t sp = hart->r[REG_SP];

	/* The thread was waiting in a call that will be made again, unless the
	 * handler wants it to end. */
	if (thread->is_restarting && !(action->flags & GUEST_SA_RESTART)) {
		hart->r[REG_A0] = (uint64_t)-EINTR;
		hart->pc += 4;
		thread->restart_deadline_ns = 0;
	}
	thread->is_restarting = false;
	frame.stack_sp = thread->altstack;
	frame.stack_bytes = thread->altstack_bytes;
	frame.stack_flags = !thread->altstack_bytes	 ? GUEST_SS_DISABLE
			    : is_on_altstack(thread, sp) ? GUEST_SS_ONSTACK
							 : thread->altstack_flags;
	if (action->flags & GUEST_SA_ONSTACK && thread->altstack_bytes &&
	    !is_on_altstack(thread, sp))
		sp = thread->altstack + thread->altstack_bytes;
	sp = (sp - sizeof(frame)) & ~UINT64_C(15);

	memcpy(frame.info, info, sizeof(frame.info));
	frame.mask = thread->has_saved_mask ? thread->saved_mask : thread->signal_mask;
	thread->has_saved_mask = false;
	frame.regs[0] = hart->pc;
	memcpy(&frame.regs[1], &hart->r[1], 31 * 8);
	memcpy(frame.f, &hart->r[REG_FP], 32 * 8);
	frame.fcsr = hart->frm << 5 | hart->fflags;
	if (!memory_write(&process->memory, sp, &frame, sizeof(frame)))
		return false;

	if (thread->altstack_flags & GUEST_SS_AUTODISARM)
		thread->altstack_bytes = 0;
	hart->r[REG_RA] = process->sigreturn_address;
	hart->r[REG_SP] = sp;
	hart->r[REG_A0] = (uint64_t)number;
	hart->r[REG_A0 + 1] = sp;
	hart->r[REG_A0 + 2] = sp + offsetof(struct guest_sigframe, uc_flags);
	hart->pc = action->handler & ~UINT64_C(1);
	thread->signal_mask |= action->mask & ~UNBLOCKABLE;
	if (!(action->flags & GUEST_SA_NODEFER))
		thread->signal_mask |= BIT(number);
	if (action->flags & GUEST_SA_RESETHAND)
		process->actions[number] = (struct guest_sigaction){0};
	return true;
}

static void kill_process(struct process *process, int number, const siginfo_t *info)
{
	char where[256];

	process->state = PROCESS_KILLED;
	process->status = number;
	process_describe_pc(process, process->cpu.hart.pc, where, sizeof(where));
	if (!is_fault(number, info))
		process_warn(process, "the program was killed by SIG%s at %s",
			     sigabbrev_np(number) ? sigabbrev_np(number) : "RT", where);
	else if (number == SIGSEGV || number == SIGBUS)
		process_warn(process, "the program was killed by SIG%s at %s: %s at address 0x%llx",
			     sigabbrev_np(number), where,
			     number == SIGBUS		    ? "misaligned atomic access"
			     : info->si_code == SEGV_ACCERR ? "access its mapping does not permit"
							    : "nothing is mapped",
			     (unsigned long long)(uintptr_t)info->si_addr);
	else if (number == SIGILL) {
		uint32_t raw = 0;

		if (!memory_read(&process->memory, &raw, process->cpu.hart.pc, 4))
			memory_read(&process->memory, &raw, process->cpu.hart.pc, 2);
		process_warn(
			process,
			"the program was killed by SIGILL at %s: 0x%0*x is no RV64GC instruction",
			where, insn_is_compressed(raw) ? 4 : 8,
			insn_is_compressed(raw) ? raw & 0xffff : raw);
	} else
		process_warn(process, "the program was killed by SIG%s at %s", sigabbrev_np(number),
			     where);
}

void signal_deliver(struct process *process)
{
	struct thread *thread = process->current;

	while (process->state == PROCESS_RUNNING && signal_is_pending(thread)) {
		int number = __builtin_ctzll(thread->pending & ~thread->signal_mask) + 1;
		const struct guest_sigaction *action = &process->actions[number];
		siginfo_t info = take(thread, number);

		if (action->handler == (uint64_t)(uintptr_t)SIG_IGN ||
		    (action->handler == (uint64_t)(uintptr_t)SIG_DFL &&
		     is_ignored_by_default(number)))
			continue;
		if (action->handler == (uint64_t)(uintptr_t)SIG_DFL) {
			kill_process(process, number, &info);
			return;
		}
		if (!push_frame(process, number, &info)) {
			/* Without a stack for the handler the kernel ends the process with
			 * SIGSEGV. */
			siginfo_t no_stack = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};

			process->actions[SIGSEGV] = (struct guest_sigaction){0};
			kill_process(process, SIGSEGV, &no_stack);
			return;
		}
	}
}

int64_t sys_rt_sigreturn(struct process *process, const uint64_t argument[6])
{
	struct hart *hart = &process->cpu.hart;
	struct thread *thread = process->current;
	struct guest_sigframe frame;

	(void)argument;
	if (!memory_read(&process->memory, &frame, hart->r[REG_SP], sizeof(frame))) {
		siginfo_t info = {.si_signo = SIGSEGV, .si_code = SEGV_MAPERR};

		process->actions[SIGSEGV] = (struct guest_sigaction){0};
		signal_raise(process, thread, SIGSEGV, &info);
		return SYSCALL_NO_RESULT;
	}
	hart->pc = frame.regs[0] & ~UINT64_C(1);
	memcpy(&hart->r[1], &frame.regs[1], 31 * 8);
	memcpy(&hart->r[REG_FP], frame.f, 32 * 8);
	hart->fflags = frame.fcsr & 31;
	hart->frm = frame.fcsr >> 5 & 7;
	hart->reservation = NO_RESERVATION;
	thread->signal_mask = frame.mask & ~UNBLOCKABLE;
	if (thread->altstack_flags & GUEST_SS_AUTODISARM) {
		thread->altstack = frame.stack_sp;
		thread->altstack_bytes = frame.stack_bytes;
	}
	return SYSCALL_NO_RESULT;
}

int64_t sys_rt_sigaction(struct process *process, const uint64_t argument[6])
{
	uint64_t number = argument[0];
	struct guest_sigaction action;

	if (argument[3] != 8 || number < 1 || number > 64)
		return -EINVAL;
	if (argument[1]) {
		if (number == SIGKILL || number == SIGSTOP)
			return -EINVAL;
		if (!memory_read(&process->memory, &action, argument[1], sizeof(action)))
			return -EFAULT;
	}
	if (argument[2] && !memory_write(&process->memory, argument[2], &process->actions[number],
					 sizeof(struct guest_sigaction)))
		return -EFAULT;
	if (argument[1])
		process->actions[number] = action;
	return 0;
}

int64_t sys_rt_sigprocmask(struct process *process, const uint64_t argument[6])
{
	struct thread *thread = process->current;
	uint64_t old = thread->signal_mask, set;

	if (argument[3] != 8)
		return -EINVAL;
	if (argument[1]) {
		if (!memory_read(&process->memory, &set, argument[1], 8))
			return -EFAULT;
		set &= ~UNBLOCKABLE;
		switch ((int)argument[0]) {
		case SIG_BLOCK: thread->signal_mask |= set; break;
		case SIG_UNBLOCK: thread->signal_mask &= ~set; break;
		case SIG_SETMASK: thread->signal_mask = set; break;
		default: return -EINVAL;
		}
	}
	if (argument[2] && !memory_write(&process->memory, argument[2], &old, 8)) {
		thread->signal_mask = old;
		return -EFAULT;
	}
	return 0;
}

int64_t sys_rt_sigpending(struct process *process, const uint64_t argument[6])
{
	const struct thread *thread = process->current;
	uint64_t set = thread->pending & thread->signal_mask;

	if (argument[1] > 8)
		return -EINVAL;
	return memory_write(&process->memory, argument[0], &set, argument[1]) ? 0 : -EFAULT;
}

int64_t sys_rt_sigsuspend(struct process *process, const uint64_t argument[6])
{
	struct thread *thread = process->current;
	uint64_t set;

	if (argument[1] != 8)
		return -EINVAL;
	if (!memory_read(&process->memory, &set, argument[0], 8))
		return -EFAULT;
	thread->saved_mask = thread->signal_mask;
	thread->has_saved_mask = true;
	thread->signal_mask = set & ~UNBLOCKABLE;
	if (!signal_is_pending(thread)) {
		thread->state = THREAD_SIGNAL;
		thread->wake_at_ns = NEVER_NS;
	}
	return -EINTR;
}

int64_t sys_rt_sigtimedwait(struct process *process, const uint64_t argument[6])
{
	struct thread *thread = process->current;
	uint64_t set, now = process_now_ns(process);
	int64_t time[2];

	if (argument[3] != 8)
		return -EINVAL;
	if (!memory_read(&process->memory, &set, argument[0], 8))
		return -EFAULT;
	if (argument[2] && !memory_read(&process->memory, time, argument[2], sizeof(time)))
		return -EFAULT;
	if (argument[2] && (time[0] < 0 || time[1] < 0 || time[1] >= 1000000000))
		return -EINVAL;
	uint64_t ready = thread->pending & set;
	if (ready) {
		siginfo_t info = take(thread, __builtin_ctzll(ready) + 1);

		if (argument[1] && !memory_write(&process->memory, argument[1], &info, 128))
			return -EFAULT;
		return info.si_signo;
	}
	if (!thread->restart_deadline_ns)
		thread->restart_deadline_ns =
			!argument[2] || time[0] > 1000000000
				? NEVER_NS
				: now + (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
	if (thread->restart_deadline_ns <= now)
		return -EAGAIN;
	thread->state = THREAD_SIGWAIT;
	thread->wait_set = set;
	thread->wake_at_ns = thread->restart_deadline_ns;
	process->restart = true;
	return 0;
}

int64_t sys_sigaltstack(struct process *process, const uint64_t argument[6])
{
	struct thread *thread = process->current;
	bool is_on = is_on_altstack(thread, process->cpu.hart.r[REG_SP]);
	struct {
		uint64_t sp;
		uint32_t flags, pad;
		uint64_t bytes;
	} given, old = {thread->altstack,
			!thread->altstack_bytes ? GUEST_SS_DISABLE
			: is_on			? GUEST_SS_ONSTACK
						: thread->altstack_flags,
			0, thread->altstack_bytes};

	if (argument[0] && !memory_read(&process->memory, &given, argument[0], sizeof(given)))
		return -EFAULT;
	if (argument[0]) {
		if (is_on)
			return -EPERM;
		if (given.flags & ~(GUEST_SS_ONSTACK | GUEST_SS_DISABLE | GUEST_SS_AUTODISARM))
			return -EINVAL;
		if (given.flags & GUEST_SS_DISABLE)
			given.sp = given.bytes = 0;
		else if (given.bytes < MIN_ALTSTACK_BYTES)
			return -ENOMEM;
	}
	if (argument[1] && !memory_write(&process->memory, argument[1], &old, sizeof(old)))
		return -EFAULT;
	if (argument[0]) {
		thread->altstack = given.sp;
		thread->altstack_bytes = given.bytes;
		thread->altstack_flags = given.flags & GUEST_SS_AUTODISARM;
	}
	return 0;
}

static struct thread *find_thread(struct process *process, int tid)
{
	for (size_t i = 0; i < process->thread_count; i++)
		if (process->threads[i]->tid == tid && process->threads[i]->state != THREAD_DEAD)
			return process->threads[i];
	return NULL;
}

static int64_t send(struct process *process, struct thread *thread, uint64_t number, siginfo_t info)
{
	if (number > 64)
		return -EINVAL;
	if (!thread)
		return -ESRCH;
	info.si_signo = (int)number;
	return !number || signal_raise(process, thread, (int)number, &info) ? 0 : -EAGAIN;
}

#define PROCESS_ID 1000

static siginfo_t from_self(int code)
{
	siginfo_t info = {.si_code = code};

	info.si_pid = PROCESS_ID;
	info.si_uid = 1000;
	return info;
}

int64_t sys_kill(struct process *process, const uint64_t argument[6])
{
	int32_t pid = (int32_t)argument[0];

	/* The process can signal only itself. */
	if (pid != PROCESS_ID && pid != 0 && pid != -1 && pid != -PROCESS_ID)
		return argument[1] > 64 ? -EINVAL : -ESRCH;
	if (pid == -1)
		return -ESRCH;
	return send(process, choose_thread(process, argument[1]), argument[1], from_self(SI_USER));
}

int64_t sys_tkill(struct process *process, const uint64_t argument[6])
{
	if ((int32_t)argument[0] <= 0)
		return -EINVAL;
	return send(process, find_thread(process, (int)argument[0]), argument[1],
		    from_self(SI_TKILL));
}

int64_t sys_tgkill(struct process *process, const uint64_t argument[6])
{
	if ((int32_t)argument[0] <= 0 || (int32_t)argument[1] <= 0)
		return -EINVAL;
	if (argument[0] != PROCESS_ID)
		return -ESRCH;
	return send(process, find_thread(process, (int)argument[1]), argument[2],
		    from_self(SI_TKILL));
}

static int64_t queue(struct process *process, struct thread *thread, uint64_t number,
		     uint64_t address)
{
	siginfo_t info = {0};

	if (!memory_read(&process->memory, &info, address, 128))
		return -EFAULT;
	/* Codes of 0 and above are reserved for the kernel. */
	if (info.si_code >= 0 || info.si_code == SI_TKILL)
		return -EPERM;
	return send(process, thread, number, info);
}

int64_t sys_rt_sigqueueinfo(struct process *process, const uint64_t argument[6])
{
	if ((int32_t)argument[0] != PROCESS_ID)
		return -ESRCH;
	return queue(process, choose_thread(process, argument[1]), argument[1], argument[2]);
}

int64_t sys_rt_tgsigqueueinfo(struct process *process, const uint64_t argument[6])
{
	if ((int32_t)argument[0] != PROCESS_ID)
		return -ESRCH;
	return queue(process, find_thread(process, (int)argument[1]), argument[2], argument[3]);
}
