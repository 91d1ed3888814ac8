/* Futexes: words of the guest's memory to wait for, and locks with an owner on them. */
#include <errno.h>
#include <linux/futex.h>

#include "linux/file_operations.h"
#include "linux/syscall.h"

#define ROBUST_LIST_LIMIT 2048

/* The thread that waits here, for whatever, and began next after `order`; NULL if none did. */
static struct thread *next_waiter(const struct process *process, uint64_t address, uint64_t order)
{
	struct thread *found = NULL;

	for (size_t i = 0; i < process->thread_count; i++) {
		struct thread *thread = process->threads[i];

		if (thread->state == THREAD_FUTEX && thread->futex_address == address &&
		    thread->futex_order > order &&
		    (!found || thread->futex_order < found->futex_order))
			found = thread;
	}
	return found;
}

static void wake(struct thread *thread)
{
	thread->state = THREAD_RUNNABLE;
	thread->wake_at_ns = NEVER_NS;
}

int futex_wake(struct process *process, uint64_t address, uint32_t count, uint32_t bitset)
{
	struct thread *thread;
	uint64_t order = 0;
	int woken = 0;

	while ((uint32_t)woken < count && (thread = next_waiter(process, address, order))) {
		/* Who waits for a lock is not to be woken in this way. Those before it are. */
		if (thread->futex_kind != FUTEX_WAITS)
			return -EINVAL;
		order = thread->futex_order;
		if (!(thread->futex_bitset & bitset))
			continue;
		wake(thread);
		woken++;
	}
	return woken;
}

static int64_t wait_on(struct process *process, const uint64_t argument[6], enum futex_wait kind,
		       uint64_t wake_at_ns, uint32_t bitset)
{
	struct thread *thread = process->current;

	thread->state = THREAD_FUTEX;
	thread->call_argument = argument[0];
	thread->futex_address = argument[0];
	thread->futex_bitset = bitset;
	thread->futex_order = ++process->futex_waits;
	thread->futex_kind = kind;
	thread->futex_lock = argument[4];
	thread->wake_at_ns = wait_same_deadline(thread, wake_at_ns);
	return 0;
}

static int64_t wait_while_equal(struct process *process, const uint64_t argument[6],
				enum futex_wait kind, uint64_t wake_at_ns, uint32_t bitset)
{
	uint32_t word;

	if (!bitset)
		return -EINVAL;
	if (!memory_read(&process->memory, &word, argument[0], 4))
		return -EFAULT;
	if (word != (uint32_t)argument[2])
		return -EAGAIN;
	return wait_on(process, argument, kind, wake_at_ns, bitset);
}

/* The thread waits at another futex from now on, behind those that do already. */
static void move_to(struct process *process, struct thread *thread, uint64_t address)
{
	if (thread->futex_address != address)
		thread->futex_order = ++process->futex_waits;
	thread->futex_address = address;
}

/* Wakes some and moves the others: the sum of both is the answer. */
static int64_t requeue(struct process *process, const uint64_t argument[6], bool is_compared)
{
	const int32_t wakes = (int32_t)argument[2], moves = (int32_t)argument[3];
	struct thread *thread;
	int64_t done = 0;
	uint64_t order = 0;
	uint32_t word;

	if (wakes < 0 || moves < 0 || argument[4] % 4)
		return -EINVAL;
	if (!memory_read(&process->memory, &word, argument[4], 4) ||
	    !memory_read(&process->memory, &word, argument[0], 4))
		return -EFAULT;
	if (is_compared && word != (uint32_t)argument[5])
		return -EAGAIN;
	while (done - wakes < moves && (thread = next_waiter(process, argument[0], order))) {
		if (thread->futex_kind != FUTEX_WAITS)
			return -EINVAL;
		order = thread->futex_order;
		if (done++ < wakes)
			wake(thread);
		else
			move_to(process, thread, argument[4]);
	}
	return done;
}

/* The kernel wakes at least one. */
static uint32_t wake_count(uint64_t argument)
{
	return (int32_t)argument > 0 ? (uint32_t)argument : 1;
}

static int64_t futex_wake_op(struct process *process, const uint64_t argument[6])
{
	uint32_t how = (uint32_t)argument[5], old, value;
	int32_t operand = (int32_t)(how << 8) >> 20, compared = (int32_t)(how << 20) >> 20;
	bool holds;

	if (argument[4] % 4)
		return -EINVAL;
	if (!memory_read(&process->memory, &old, argument[4], 4))
		return -EFAULT;
	if (how >> 28 & FUTEX_OP_OPARG_SHIFT)
		operand = (int32_t)(UINT32_C(1) << (operand & 31));
	switch (how >> 28 & 7) {
	case FUTEX_OP_SET: value = (uint32_t)operand; break;
	case FUTEX_OP_ADD: value = old + (uint32_t)operand; break;
	case FUTEX_OP_OR: value = old | (uint32_t)operand; break;
	case FUTEX_OP_ANDN: value = old & ~(uint32_t)operand; break;
	case FUTEX_OP_XOR: value = old ^ (uint32_t)operand; break;
	default: return -ENOSYS;
	}
	if (!memory_write(&process->memory, argument[4], &value, 4))
		return -EFAULT;
	/* The word has changed even where the comparison is not known. */
	switch (how >> 24 & 15) {
	case FUTEX_OP_CMP_EQ: holds = (int32_t)old == compared; break;
	case FUTEX_OP_CMP_NE: holds = (int32_t)old != compared; break;
	case FUTEX_OP_CMP_LT: holds = (int32_t)old < compared; break;
	case FUTEX_OP_CMP_LE: holds = (int32_t)old <= compared; break;
	case FUTEX_OP_CMP_GT: holds = (int32_t)old > compared; break;
	case FUTEX_OP_CMP_GE: holds = (int32_t)old >= compared; break;
	default: return -ENOSYS;
	}
	int woken = futex_wake(process, argument[0], wake_count(argument[2]), UINT32_MAX);
	if (!holds || woken < 0)
		return woken;
	int others = futex_wake(process, argument[4], wake_count(argument[3]), UINT32_MAX);
	return others < 0 ? others : woken + others;
}

/* The thread that a PI futex is given to next; NULL if none waits for it. */
static struct thread *next_owner(const struct process *process, uint64_t address)
{
	struct thread *thread = next_waiter(process, address, 0);

	return thread && thread->futex_kind == FUTEX_WAITS_LOCK ? thread : NULL;
}

/* Gives the lock to the thread that has waited longest, or to none. The new owner is told of
 * waiters even if none is left, so that it unlocks by a call. */
static bool hand_over(struct process *process, uint64_t address, uint32_t flags)
{
	struct thread *next = next_owner(process, address);
	uint32_t word = next ? flags | FUTEX_WAITERS | (uint32_t)next->tid : 0;

	if (next)
		wake(next);
	return memory_write(&process->memory, address, &word, 4);
}

/* 1 if the thread owns the lock now, 0 if another does, which is marked as waited for, or a
 * negative errno. `flags` are added to the word of who owns it now. */
static int try_lock(struct process *process, uint64_t address, const struct thread *thread,
		    uint32_t flags)
{
	const struct thread *first = next_waiter(process, address, 0);
	uint32_t word;

	if (!memory_read(&process->memory, &word, address, 4))
		return -EFAULT;
	uint32_t owner = word & FUTEX_TID_MASK;
	if (owner == (uint32_t)thread->tid)
		return -EDEADLK;
	if (first)
		return first->futex_kind == FUTEX_WAITS_LOCK ? 0 : -EINVAL;
	word = owner ? word | FUTEX_WAITERS
		     : (word & FUTEX_OWNER_DIED) | flags | (uint32_t)thread->tid;
	if (!memory_write(&process->memory, address, &word, 4))
		return -EFAULT;
	if (!owner)
		return 1;
	return thread_find(process, (int)owner) ? 0 : -ESRCH;
}

/* Whether the owner of the lock waits for a lock of `thread`, directly or by way of others. */
static bool would_deadlock(struct process *process, uint64_t address, const struct thread *thread)
{
	uint32_t word;

	for (size_t i = 0; i < process->thread_count; i++) {
		if (!memory_read(&process->memory, &word, address, 4))
			return false;
		const struct thread *owner = thread_find(process, (int)(word & FUTEX_TID_MASK));
		if (owner == thread)
			return true;
		if (!owner || owner->state != THREAD_FUTEX || owner->futex_kind != FUTEX_WAITS_LOCK)
			return false;
		address = owner->futex_address;
	}
	return false;
}

static int64_t lock_pi(struct process *process, const uint64_t argument[6], uint64_t wake_at_ns,
		       bool may_wait)
{
	int got = try_lock(process, argument[0], process->current, 0);

	if (got)
		return got < 0 ? got : 0;
	if (!may_wait)
		return -EAGAIN;
	if (would_deadlock(process, argument[0], process->current))
		return -EDEADLK;
	return wait_on(process, argument, FUTEX_WAITS_LOCK, wake_at_ns, UINT32_MAX);
}

static int64_t unlock_pi(struct process *process, const uint64_t argument[6])
{
	uint32_t word;

	if (!memory_read(&process->memory, &word, argument[0], 4))
		return -EFAULT;
	if ((word & FUTEX_TID_MASK) != (uint32_t)process->current->tid)
		return -EPERM;
	if (next_waiter(process, argument[0], 0) && !next_owner(process, argument[0]))
		return -EINVAL;
	return hand_over(process, argument[0], 0) ? 0 : -EFAULT;
}

/* The first waiter gets the lock if it is free; the others wait for the lock from now on. */
static int64_t requeue_pi(struct process *process, const uint64_t argument[6])
{
	const uint64_t lock = argument[4];
	const int32_t moves = (int32_t)argument[3];
	struct thread *thread;
	int64_t done = 0;
	uint32_t word;
	int got = 0;

	if ((int32_t)argument[2] != 1 || moves < 0 || lock % 4 || lock == argument[0])
		return -EINVAL;
	if (!memory_read(&process->memory, &word, argument[0], 4))
		return -EFAULT;
	if (word != (uint32_t)argument[5])
		return -EAGAIN;
	for (; done - 1 < moves && (thread = next_waiter(process, argument[0], 0)); done++) {
		if (thread->futex_kind != FUTEX_WAITS_REQUEUE || thread->futex_lock != lock)
			return -EINVAL;
		if (!done)
			got = try_lock(process, lock, thread, moves ? FUTEX_WAITERS : 0);
		if (got < 0)
			return got;
		if (!done && got) {
			wake(thread);
			continue;
		}
		if (would_deadlock(process, lock, thread))
			return -EDEADLK;
		move_to(process, thread, lock);
		thread->futex_kind = FUTEX_WAITS_LOCK;
	}
	return done;
}

/* A lock of the robust list whose owner has ended is marked as such, and a waiter is woken or, of
 * a PI futex, becomes the owner. False where there is no such word. */
static bool mark_owner_died(struct process *process, uint64_t entry, uint64_t offset, int tid,
			    bool is_pending)
{
	const uint64_t futex = (entry & ~UINT64_C(1)) + offset;
	const bool is_pi = entry & 1;
	uint32_t word;

	if (futex % 4 || !memory_read(&process->memory, &word, futex, 4))
		return false;
	uint32_t owner = word & FUTEX_TID_MASK;
	/* The thread may have unlocked it and not come to wake the next. */
	if (is_pending && !is_pi && !owner)
		futex_wake(process, futex, 1, UINT32_MAX);
	if (owner != (uint32_t)tid)
		return true;
	if (next_owner(process, futex))
		return hand_over(process, futex, FUTEX_OWNER_DIED);
	bool has_waiters = word & FUTEX_WAITERS;
	word = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	if (!memory_write(&process->memory, futex, &word, 4))
		return false;
	if (has_waiters && !is_pi)
		futex_wake(process, futex, 1, UINT32_MAX);
	return true;
}

static void walk_robust_list(struct process *process, struct thread *thread)
{
	uint64_t head[3]; /* list, futex_offset, pending */

	if (!thread->robust_list ||
	    !memory_read(&process->memory, head, thread->robust_list, sizeof(head)))
		return;
	uint64_t entry = head[0], pending = head[2] & ~UINT64_C(1);
	for (int i = 0; i < ROBUST_LIST_LIMIT; i++) {
		uint64_t next, node = entry & ~UINT64_C(1);

		if (node == thread->robust_list)
			break;
		bool has_next = memory_read(&process->memory, &next, node, 8);
		if (node != pending &&
		    !mark_owner_died(process, entry, head[1], thread->tid, false))
			return;
		if (!has_next)
			return;
		entry = next;
	}
	if (pending)
		mark_owner_died(process, head[2], head[1], thread->tid, true);
}

void futex_thread_ends(struct process *process, struct thread *thread)
{
	uint32_t word;

	walk_robust_list(process, thread);
	/* A PI futex that others wait for passes on even if no robust list names it. */
	for (size_t i = 0; i < process->thread_count; i++) {
		const struct thread *waiter = process->threads[i];

		if (waiter->state == THREAD_FUTEX && waiter->futex_kind == FUTEX_WAITS_LOCK &&
		    memory_read(&process->memory, &word, waiter->futex_address, 4) &&
		    (word & FUTEX_TID_MASK) == (uint32_t)thread->tid)
			hand_over(process, waiter->futex_address, FUTEX_OWNER_DIED);
	}
}

static bool has_timeout(int command)
{
	return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
	       command == FUTEX_LOCK_PI2 || command == FUTEX_WAIT_REQUEUE_PI;
}

/* When a wait ends: a relative time from now, or an absolute one of the clock that was named. */
static int read_deadline(struct process *process, const uint64_t argument[6], int command,
			 uint64_t *deadline_ns)
{
	bool is_wall = command == FUTEX_LOCK_PI || argument[1] & FUTEX_CLOCK_REALTIME;
	int failed = 0;

	*deadline_ns = NEVER_NS;
	if (!has_timeout(command) || !argument[3])
		return 0;
	failed = time_read(process, argument[3], deadline_ns);
	if (failed)
		return failed;
	if (command == FUTEX_WAIT)
		*deadline_ns = time_add(process_now_ns(process), *deadline_ns);
	else if (is_wall)
		*deadline_ns = time_from_clock(0, *deadline_ns);
	return 0;
}

int64_t sys_futex(struct process *process, const uint64_t argument[6])
{
	int command = (int)argument[1] & FUTEX_CMD_MASK;
	uint64_t deadline_ns;
	int failed = read_deadline(process, argument, command, &deadline_ns);

	if (failed)
		return failed;
	/* The other operations know only one clock. */
	if (argument[1] & FUTEX_CLOCK_REALTIME && command != FUTEX_WAIT_BITSET &&
	    command != FUTEX_WAIT_REQUEUE_PI && command != FUTEX_LOCK_PI2)
		return -ENOSYS;
	if (command > FUTEX_LOCK_PI2 || command == FUTEX_FD)
		return -ENOSYS;
	if ((command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET) &&
	    !(uint32_t)argument[5])
		return -EINVAL;
	/* Who does not own a lock learns that first. */
	if (argument[0] % 4 && command != FUTEX_UNLOCK_PI)
		return -EINVAL;
	if (!memory_is_user_range(memory_unmasked(&process->memory, argument[0]), 4))
		return -EFAULT;
	switch (command) {
	case FUTEX_WAIT:
		return wait_while_equal(process, argument, FUTEX_WAITS, deadline_ns, UINT32_MAX);
	case FUTEX_WAIT_BITSET:
		return wait_while_equal(process, argument, FUTEX_WAITS, deadline_ns,
					(uint32_t)argument[5]);
	case FUTEX_WAKE:
		return futex_wake(process, argument[0], wake_count(argument[2]), UINT32_MAX);
	case FUTEX_WAKE_BITSET:
		return futex_wake(process, argument[0], wake_count(argument[2]),
				  (uint32_t)argument[5]);
	case FUTEX_REQUEUE: return requeue(process, argument, false);
	case FUTEX_CMP_REQUEUE: return requeue(process, argument, true);
	case FUTEX_WAKE_OP: return futex_wake_op(process, argument);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2: return lock_pi(process, argument, deadline_ns, true);
	case FUTEX_TRYLOCK_PI: return lock_pi(process, argument, deadline_ns, false);
	case FUTEX_UNLOCK_PI: return unlock_pi(process, argument);
	case FUTEX_WAIT_REQUEUE_PI:
		if (argument[0] == argument[4] || argument[4] % 4)
			return -EINVAL;
		return wait_while_equal(process, argument, FUTEX_WAITS_REQUEUE, deadline_ns,
					UINT32_MAX);
	case FUTEX_CMP_REQUEUE_PI: return requeue_pi(process, argument);
	default: return -ENOSYS;
	}
}
