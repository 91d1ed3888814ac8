/* Futexes: words of the guest's memory to wait for, and locks with an owner on them. */
#include <errno.h>
#include <linux/futex.h>

#include "linux/file_operations.h"
#include "linux/syscall.h"

#define ROBUST_LIST_LIMIT 2048

/* The thread that has waited longest for this kind of thing here; NULL if none does. */
static struct thread *longest_waiter(const struct process *process, uint64_t address,
				     enum futex_wait kind, uint32_t bitset)
{
	struct thread *found = NULL;

	for (size_t i = 0; i < process->thread_count; i++) {
		struct thread *thread = process->threads[i];

		if (thread->state == THREAD_FUTEX && thread->futex_address == address &&
		    thread->futex_kind == kind && thread->futex_bitset & bitset &&
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
	int woken = 0;

	while ((uint32_t)woken < count &&
	       (thread = longest_waiter(process, address, FUTEX_WAITS, bitset))) {
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

/* Wakes some and moves the others; with CMP_REQUEUE the sum of both is the answer. */
static int64_t requeue(struct process *process, const uint64_t argument[6], bool is_compared)
{
	uint32_t moved = 0, limit = (uint32_t)argument[3], word;
	struct thread *thread;

	if ((int32_t)argument[2] < 0 || (int32_t)argument[3] < 0 || argument[4] % 4)
		return -EINVAL;
	if (!memory_read(&process->memory, &word, argument[0], 4) ||
	    !memory_read(&process->memory, &word, argument[4], 4))
		return -EFAULT;
	memory_read(&process->memory, &word, argument[0], 4);
	if (is_compared && word != (uint32_t)argument[5])
		return -EAGAIN;
	int woken = futex_wake(process, argument[0], (uint32_t)argument[2], UINT32_MAX);
	if (argument[4] != argument[0])
		while (moved < limit &&
		       (thread = longest_waiter(process, argument[0], FUTEX_WAITS, UINT32_MAX))) {
			thread->futex_address = argument[4];
			moved++;
		}
	return woken + (int64_t)moved;
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
	if (holds)
		woken += futex_wake(process, argument[4], wake_count(argument[3]), UINT32_MAX);
	return woken;
}

/* Writes the owner of a PI futex; the word also says whether others wait. */
static bool set_owner(struct process *process, uint64_t address, const struct thread *owner,
		      uint32_t flags)
{
	uint32_t word = flags | (owner ? (uint32_t)owner->tid : 0);

	if (longest_waiter(process, address, FUTEX_WAITS_LOCK, UINT32_MAX))
		word |= FUTEX_WAITERS;
	return memory_write(&process->memory, address, &word, 4);
}

/* Gives the lock to the thread that has waited longest, or to none. */
static bool hand_over(struct process *process, uint64_t address, uint32_t flags)
{
	struct thread *next = longest_waiter(process, address, FUTEX_WAITS_LOCK, UINT32_MAX);

	if (next)
		wake(next);
	return set_owner(process, address, next, next ? flags : 0);
}

/* 1 if the thread owns the lock now, 0 if another does, or a negative errno. */
static int try_lock(struct process *process, uint64_t address, const struct thread *thread)
{
	uint32_t word;

	if (!memory_read(&process->memory, &word, address, 4))
		return -EFAULT;
	uint32_t owner = word & FUTEX_TID_MASK;
	if (owner == (uint32_t)thread->tid)
		return -EDEADLK;
	if (!owner) {
		bool is_waited_for =
			longest_waiter(process, address, FUTEX_WAITS_LOCK, UINT32_MAX) != NULL;

		if (is_waited_for)
			return 0;
		return set_owner(process, address, thread, word & FUTEX_OWNER_DIED) ? 1 : -EFAULT;
	}
	if (!thread_find(process, (int)owner))
		return -ESRCH;
	return 0;
}

/* A waiter takes over where the owner has gone, so only who owns now must be marked. */
static int64_t mark_waited_for(struct process *process, uint64_t address)
{
	uint32_t word;

	if (!memory_read(&process->memory, &word, address, 4))
		return -EFAULT;
	word |= FUTEX_WAITERS;
	return memory_write(&process->memory, address, &word, 4) ? 0 : -EFAULT;
}

static int64_t lock_pi(struct process *process, const uint64_t argument[6], uint64_t wake_at_ns,
		       bool may_wait)
{
	int got = try_lock(process, argument[0], process->current);

	if (got)
		return got < 0 ? got : 0;
	if (!may_wait)
		return -EAGAIN;
	int64_t failed = mark_waited_for(process, argument[0]);
	return failed ? failed
		      : wait_on(process, argument, FUTEX_WAITS_LOCK, wake_at_ns, UINT32_MAX);
}

static int64_t unlock_pi(struct process *process, const uint64_t argument[6])
{
	uint32_t word;

	if (!memory_read(&process->memory, &word, argument[0], 4))
		return -EFAULT;
	if ((word & FUTEX_TID_MASK) != (uint32_t)process->current->tid)
		return -EPERM;
	return hand_over(process, argument[0], 0) ? 0 : -EFAULT;
}

/* The first waiter gets the lock if it is free; the others wait for the lock from now on. */
static int64_t requeue_pi(struct process *process, const uint64_t argument[6])
{
	uint64_t lock = argument[4];
	uint32_t word, limit = (uint32_t)argument[3];
	struct thread *thread;
	int64_t done = 0;

	if ((int32_t)argument[2] != 1 || (int32_t)argument[3] < 0 || lock % 4 ||
	    lock == argument[0])
		return -EINVAL;
	if (!memory_read(&process->memory, &word, argument[0], 4))
		return -EFAULT;
	if (word != (uint32_t)argument[5])
		return -EAGAIN;
	while ((uint64_t)done < (uint64_t)limit + 1 &&
	       (thread = longest_waiter(process, argument[0], FUTEX_WAITS_REQUEUE, UINT32_MAX))) {
		if (thread->futex_lock != lock)
			return -EINVAL;
		int got = try_lock(process, lock, thread);
		if (got < 0)
			return done ? done : got;
		if (got) {
			wake(thread);
		} else {
			int64_t failed = mark_waited_for(process, lock);

			if (failed)
				return done ? done : failed;
			thread->futex_address = lock;
			thread->futex_kind = FUTEX_WAITS_LOCK;
		}
		done++;
	}
	return done;
}

/* A lock of the robust list whose owner has ended is marked as such, and a waiter is woken. */
static void mark_owner_died(struct process *process, uint64_t futex, int tid, bool is_pi)
{
	uint32_t word;

	if (futex % 4 || !memory_read(&process->memory, &word, futex, 4) ||
	    (word & FUTEX_TID_MASK) != (uint32_t)tid)
		return;
	bool has_waiters = word & FUTEX_WAITERS;
	if (is_pi && longest_waiter(process, futex, FUTEX_WAITS_LOCK, UINT32_MAX)) {
		hand_over(process, futex, FUTEX_OWNER_DIED);
		return;
	}
	word = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	if (memory_write(&process->memory, futex, &word, 4) && has_waiters && !is_pi)
		futex_wake(process, futex, 1, UINT32_MAX);
}

static void walk_robust_list(struct process *process, struct thread *thread)
{
	uint64_t head[3]; /* list, futex_offset, pending */
	uint64_t entry;

	if (!thread->robust_list ||
	    !memory_read(&process->memory, head, thread->robust_list, sizeof(head)))
		return;
	entry = head[0];
	for (int i = 0; i < ROBUST_LIST_LIMIT && entry != thread->robust_list; i++) {
		uint64_t next;

		if (!memory_read(&process->memory, &next, entry & ~UINT64_C(1), 8))
			return;
		if (entry != head[2])
			mark_owner_died(process, (entry & ~UINT64_C(1)) + head[1], thread->tid,
					entry & 1);
		entry = next;
	}
	if (head[2])
		mark_owner_died(process, (head[2] & ~UINT64_C(1)) + head[1], thread->tid,
				head[2] & 1);
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
	if (!memory_is_user_range(argument[0], 4))
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
