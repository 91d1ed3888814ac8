#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "isa/extension.h"
#include "linux/fd_signal.h"
#include "linux/file_operations.h"
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
#define PROCESS_ID	 1000

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

static bool is_ignored(const struct process *process, int number)
{
	uint64_t handler = process->actions[number].handler;

	return handler == (uint64_t)(uintptr_t)SIG_IGN ||
	       (handler == (uint64_t)(uintptr_t)SIG_DFL && is_ignored_by_default(number));
}

static size_t count_queued(const struct process *process)
{
	size_t count = process->signals.count;

	for (size_t i = 0; i < process->thread_count; i++)
		count += process->threads[i]->signals.count;
	return count;
}

/* The first thread, unless it has ended. */
static struct thread *main_thread(const struct process *process)
{
	struct thread *first = process->threads[0];

	return first->tid == PROCESS_ID && first->state != THREAD_DEAD ? first : NULL;
}

static void wake_signal_files(struct process *process)
{
	for (struct signal_file *one = process->signal_files; one; one = one->next)
		file_notify(one->file, POLLIN);
}

bool signal_raise(struct process *process, struct thread *thread, int number, const siginfo_t *info)
{
	struct guest_sigaction *action = &process->actions[number];
	struct signal_queue *queue = thread ? &thread->signals : &process->signals;
	const struct thread *receiver = thread ? thread : main_thread(process);
	uint64_t mask = receiver ? receiver->signal_mask : process->current->signal_mask;

	if (is_fault(number, info)) {
		/* A fault whose signal is ignored or blocked must not be retried forever. */
		if (action->handler == (uint64_t)(uintptr_t)SIG_IGN || mask & BIT(number)) {
			*action = (struct guest_sigaction){0};
			thread->signal_mask &= ~BIT(number);
		}
	} else if (is_ignored(process, number) && !(mask & BIT(number))) {
		return true;
	}
	/* A timer has a place in the queue of its own. */
	if (info->si_code != SI_TIMER) {
		if (number < FIRST_REALTIME && queue->pending & BIT(number))
			return true;
		if (number >= FIRST_REALTIME &&
		    count_queued(process) >= process->limits[RLIMIT_SIGPENDING].rlim_cur) {
			/* What kill sends arrives all the same, once and without its siginfo. */
			if (info->si_code != SI_USER)
				return false;
			queue->pending |= BIT(number);
			wake_signal_files(process);
			return true;
		}
	}
	queue->pending |= BIT(number);
	*ARRAY_PUSH(queue->items, queue->count, queue->capacity) = *info;
	queue->items[queue->count - 1].si_signo = number;
	wake_signal_files(process);
	return true;
}

/* The signal of a timer tells how often the timer ran out before it was taken. */
static void take_from_timer(struct process *process, siginfo_t *info)
{
	struct posix_timer *timer = (size_t)info->si_timerid < process->posix_timer_count
					    ? process->posix_timers[info->si_timerid]
					    : NULL;

	if (!timer || !timer->is_queued)
		return;
	timer->is_queued = false;
	timer->last_overrun = timer->overrun > INT32_MAX ? INT32_MAX : (int)timer->overrun;
	timer->overrun = 0;
	info->si_overrun = timer->last_overrun;
}

static siginfo_t take(struct process *process, struct signal_queue *queue, int number)
{
	siginfo_t info = {.si_signo = number};
	bool is_found = false, has_more = false;
	size_t kept = 0;

	for (size_t i = 0; i < queue->count; i++) {
		const siginfo_t *one = &queue->items[i];

		if (one->si_signo == number && !is_found) {
			info = *one;
			is_found = true;
			continue;
		}
		has_more |= one->si_signo == number;
		queue->items[kept++] = *one;
	}
	queue->count = kept;
	if (!has_more)
		queue->pending &= ~BIT(number);
	if (info.si_code == SI_TIMER)
		take_from_timer(process, &info);
	return info;
}

siginfo_t signal_take(struct process *process, struct thread *thread, int number)
{
	return take(process,
		    thread->signals.pending & BIT(number) ? &thread->signals : &process->signals,
		    number);
}

/* A signal that becomes ignored is no longer pending. */
static void forget_ignored(struct process *process, int number)
{
	if (!is_ignored(process, number))
		return;
	while (process->signals.pending & BIT(number))
		take(process, &process->signals, number);
	for (size_t i = 0; i < process->thread_count; i++)
		while (process->threads[i]->signals.pending & BIT(number))
			take(process, &process->threads[i]->signals, number);
}

/* A signal to the process goes to the first thread if that accepts it, else to any that does; one
 * that ends the process does so at once. */
uint64_t signal_pending(const struct process *process, const struct thread *thread, uint64_t mask)
{
	const struct thread *first = main_thread(process);
	uint64_t shared = process->signals.pending & ~mask, left = shared;

	for (; left && first && first != thread; left &= left - 1) {
		int number = __builtin_ctzll(left) + 1;

		if (!(first->signal_mask & BIT(number)) && process->actions[number].handler)
			shared &= ~BIT(number);
	}
	return (thread->signals.pending & ~mask) | shared;
}

bool signal_is_pending(const struct process *process, const struct thread *thread)
{
	/* This is asked after every system call. */
	if (!(thread->signals.pending | process->signals.pending))
		return false;
	return signal_pending(process, thread, thread->signal_mask) != 0;
}

int64_t signal_begin_mask(struct process *process, uint64_t address, uint64_t bytes)
{
	struct thread *thread = process->current;
	uint64_t set;

	if (!address)
		return 0;
	if (bytes != 8)
		return -EINVAL;
	if (!memory_read(&process->memory, &set, address, 8))
		return -EFAULT;
	if (!thread->has_saved_mask)
		thread->saved_mask = thread->signal_mask;
	thread->has_saved_mask = true;
	thread->signal_mask = set & ~UNBLOCKABLE;
	return 0;
}

void signal_end_mask(struct process *process)
{
	struct thread *thread = process->current;

	if (thread->has_saved_mask)
		thread->signal_mask = thread->saved_mask;
	thread->has_saved_mask = false;
}

/* A stack that is disarmed while a handler runs is never in use. */
static bool is_on_altstack(const struct thread *thread, uint64_t sp)
{
	return thread->altstack_bytes && !(thread->altstack_flags & GUEST_SS_AUTODISARM) &&
	       sp > thread->altstack && sp - thread->altstack <= thread->altstack_bytes;
}

/* Not while the thread runs on the one that it has. */
static int64_t set_altstack(struct thread *thread, uint64_t thread_sp, uint64_t sp, uint32_t flags,
			    uint64_t bytes)
{
	const uint32_t mode = flags & ~GUEST_SS_AUTODISARM;

	if (is_on_altstack(thread, thread_sp))
		return -EPERM;
	if (mode && mode != GUEST_SS_ONSTACK && mode != GUEST_SS_DISABLE)
		return -EINVAL;
	if (mode == GUEST_SS_DISABLE)
		sp = bytes = 0;
	else if (bytes < MIN_ALTSTACK_BYTES)
		return -ENOMEM;
	thread->altstack = sp;
	thread->altstack_bytes = bytes;
	thread->altstack_flags = flags;
	return 0;
}

/* The thread was waiting in a call that will be made again, unless the handler, the kind of call or
 * what it has done already wants it to end. */
static void end_call(struct process *process, const struct guest_sigaction *action)
{
	struct thread *thread = process->current;
	struct hart *hart = &process->cpu.hart;
	uint64_t now = process_now_ns(process), deadline = thread->restart_deadline_ns;

	if (!thread->is_restarting)
		return;
	thread->is_restarting = false;
	thread->restart_deadline_ns = 0;
	wait_unpin(thread);
	if (thread->remain_address && deadline != NEVER_NS)
		time_write(process, thread->remain_address, deadline > now ? deadline - now : 0);
	thread->remain_address = 0;
	if (thread->progress_bytes) {
		hart->r[REG_A0] = thread->progress_bytes;
		hart->pc += 4;
	} else if (thread->never_restarts || !(action->flags & GUEST_SA_RESTART)) {
		hart->r[REG_A0] = (uint64_t)-EINTR;
		hart->pc += 4;
	}
	thread->progress_bytes = 0;
}

static bool push_frame(struct process *process, int number, const siginfo_t *info)
{
	struct thread *thread = process->current;
	struct hart *hart = &process->cpu.hart;
	const struct guest_sigaction *action = &process->actions[number];
	struct guest_sigframe frame = {0};
	uint64_t sp = hart->r[REG_SP];

	end_call(process, action);
	frame.stack_sp = thread->altstack;
	frame.stack_bytes = thread->altstack_bytes;
	frame.stack_flags = thread->altstack_bytes ? thread->altstack_flags : GUEST_SS_DISABLE;
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
		thread->altstack = thread->altstack_bytes = thread->altstack_flags = 0;
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
		char why[EXTENSION_WHY_BYTES];
		uint32_t raw = 0;

		if (!memory_read(&process->memory, &raw, process->cpu.hart.pc, 4))
			memory_read(&process->memory, &raw, process->cpu.hart.pc, 2);
		process_warn(process, "the program was killed by SIGILL at %s: %s", where,
			     extension_explain(raw, process->options.profile, why));
	} else
		process_warn(process, "the program was killed by SIG%s at %s", sigabbrev_np(number),
			     where);
}

void signal_deliver(struct process *process)
{
	struct thread *thread = process->current;

	/* A call that can go on is made before a signal that came later. */
	if (thread->is_restarting && thread->was_notified)
		return;
	while (process->state == PROCESS_RUNNING && signal_is_pending(process, thread)) {
		int number =
			__builtin_ctzll(signal_pending(process, thread, thread->signal_mask)) + 1;
		const struct guest_sigaction *action = &process->actions[number];
		siginfo_t info = signal_take(process, thread, number);

		if (is_ignored(process, number))
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
	/* As it was, unless the thread goes on upon the stack: that is no failure. */
	set_altstack(thread, hart->r[REG_SP], frame.stack_sp, frame.stack_flags, frame.stack_bytes);
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
	if (argument[1]) {
		process->actions[number] = action;
		forget_ignored(process, (int)number);
	}
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
	uint64_t set = (thread->signals.pending | process->signals.pending) & thread->signal_mask;

	if (argument[1] > 8)
		return -EINVAL;
	return memory_write(&process->memory, argument[0], &set, argument[1]) ? 0 : -EFAULT;
}

int64_t sys_rt_sigsuspend(struct process *process, const uint64_t argument[6])
{
	struct thread *thread = process->current;

	if (argument[1] != 8)
		return -EINVAL;
	if (!argument[0])
		return -EFAULT;
	int64_t failed = signal_begin_mask(process, argument[0], argument[1]);
	if (failed)
		return failed;
	thread->state = THREAD_SIGNAL;
	thread->wake_at_ns = NEVER_NS;
	thread->never_restarts = true;
	process->restart = true;
	return 0;
}

int64_t sys_rt_sigtimedwait(struct process *process, const uint64_t argument[6])
{
	struct thread *thread = process->current;
	uint64_t set, timeout_ns;

	if (argument[3] != 8)
		return -EINVAL;
	if (!memory_read(&process->memory, &set, argument[0], 8))
		return -EFAULT;
	int failed = time_read_timeout(process, argument[2], &timeout_ns);
	if (failed)
		return failed;
	uint64_t ready = (thread->signals.pending | process->signals.pending) & set & ~UNBLOCKABLE;
	if (ready) {
		siginfo_t info = signal_take(process, thread, __builtin_ctzll(ready) + 1);

		if (argument[1] && !memory_write(&process->memory, argument[1], &info, 128))
			return -EFAULT;
		return info.si_signo;
	}
	if (wait_deadline(process, timeout_ns) <= process_now_ns(process))
		return -EAGAIN;
	thread->state = THREAD_SIGWAIT;
	thread->wait_set = set & ~UNBLOCKABLE;
	thread->wake_at_ns = thread->restart_deadline_ns;
	thread->never_restarts = true;
	process->restart = true;
	return 0;
}

int64_t sys_sigaltstack(struct process *process, const uint64_t argument[6])
{
	struct thread *thread = process->current;
	const uint64_t sp = process->cpu.hart.r[REG_SP];
	struct {
		uint64_t sp;
		uint32_t flags, pad;
		uint64_t bytes;
	} given, old = {thread->altstack,
			(!thread->altstack_bytes      ? GUEST_SS_DISABLE
			 : is_on_altstack(thread, sp) ? GUEST_SS_ONSTACK
						      : 0) |
				(thread->altstack_flags & GUEST_SS_AUTODISARM),
			0, thread->altstack_bytes};

	if (argument[0] && !memory_read(&process->memory, &given, argument[0], sizeof(given)))
		return -EFAULT;
	int64_t failed =
		argument[0] ? set_altstack(thread, sp, given.sp, given.flags, given.bytes) : 0;
	if (failed)
		return failed;
	return argument[1] && !memory_write(&process->memory, argument[1], &old, sizeof(old))
		       ? -EFAULT
		       : 0;
}

/* To a thread, or to the process if that is NULL. */
static int64_t send(struct process *process, struct thread *thread, uint64_t number, siginfo_t info)
{
	if (number > 64)
		return -EINVAL;
	info.si_signo = (int)number;
	return !number || signal_raise(process, thread, (int)number, &info) ? 0 : -EAGAIN;
}

static int64_t send_to(struct process *process, uint64_t tid, uint64_t number, siginfo_t info)
{
	struct thread *thread = thread_find(process, (int)tid);

	return thread ? send(process, thread, number, info) : -ESRCH;
}

static siginfo_t from_self(int code)
{
	siginfo_t info = {.si_code = code};

	info.si_pid = PROCESS_ID;
	info.si_uid = 0;
	return info;
}

int64_t sys_kill(struct process *process, const uint64_t argument[6])
{
	int32_t pid = (int32_t)argument[0];

	/* The process can signal only itself. */
	if (pid != PROCESS_ID && pid != 0 && pid != -PROCESS_ID)
		return -ESRCH;
	return send(process, NULL, argument[1], from_self(SI_USER));
}

int64_t sys_tkill(struct process *process, const uint64_t argument[6])
{
	if ((int32_t)argument[0] <= 0)
		return -EINVAL;
	return send_to(process, argument[0], argument[1], from_self(SI_TKILL));
}

int64_t sys_tgkill(struct process *process, const uint64_t argument[6])
{
	if ((int32_t)argument[0] <= 0 || (int32_t)argument[1] <= 0)
		return -EINVAL;
	if (argument[0] != PROCESS_ID)
		return -ESRCH;
	return send_to(process, argument[1], argument[2], from_self(SI_TKILL));
}

/* What a thread may only say to itself: that the kernel, or tkill, sent it. */
static bool is_reserved(const struct process *process, const siginfo_t *info, uint64_t to)
{
	return (info->si_code >= 0 || info->si_code == SI_TKILL) &&
	       (int32_t)to != process->current->tid;
}

/* The codes of timers would be taken for those of the process's own timers. */
static int64_t read_info(struct process *process, uint64_t address, siginfo_t *info)
{
	*info = (siginfo_t){0};
	if (!memory_read(&process->memory, info, address, 128))
		return -EFAULT;
	return info->si_code == SI_TIMER ? -EPERM : 0;
}

int64_t sys_rt_sigqueueinfo(struct process *process, const uint64_t argument[6])
{
	siginfo_t info;
	int64_t failed = read_info(process, argument[2], &info);

	if (failed)
		return failed;
	if (is_reserved(process, &info, argument[0]))
		return -EPERM;
	return (int32_t)argument[0] == PROCESS_ID ? send(process, NULL, argument[1], info) : -ESRCH;
}

int64_t sys_rt_tgsigqueueinfo(struct process *process, const uint64_t argument[6])
{
	siginfo_t info;
	int64_t failed = read_info(process, argument[3], &info);

	if (failed)
		return failed;
	if ((int32_t)argument[0] <= 0 || (int32_t)argument[1] <= 0)
		return -EINVAL;
	if (is_reserved(process, &info, argument[1]))
		return -EPERM;
	return (int32_t)argument[0] == PROCESS_ID ? send_to(process, argument[1], argument[2], info)
						  : -ESRCH;
}
