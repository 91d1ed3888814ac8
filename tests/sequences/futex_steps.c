/*
 * futex_steps.c - sequences on futexes: waits, wake-ups, moves, locks with an owner, dying owners.
 *
 * Words f0..f2 are plain futexes, p0..p2 are locks with priority inheritance. Any may be in the
 * robust list of a thread that ends. A line shows every word: its owner as T0..T4 (T? if that
 * thread has ended), W where others wait, D where the owner died.
 *
 * Not done here: words that contradict what the kernel knows of a lock, such as an owner that did
 * not lock it while others wait.
 */
#define WORKERS 5
#include "sequence.h"

#define WORDS	 6
#define FIRST_PI 3

struct lock {
	struct robust_list node;
	uint32_t word;
};

static struct lock locks[WORDS];
static struct robust_list_head lists[WORKERS];
static struct timespec times[WORKERS];

static const char *lock_name(const uint32_t *word)
{
	static const char *const names[WORDS] = {"f0", "f1", "f2", "p0", "p1", "p2"};

	for (int i = 0; i < WORDS; i++)
		if (word == &locks[i].word)
			return names[i];
	return "?";
}

static uint32_t *any_plain(void)
{
	return &locks[below(FIRST_PI)].word;
}

static uint32_t *any_pi(void)
{
	return &locks[FIRST_PI + below(WORDS - FIRST_PI)].word;
}

static int owner_of(uint32_t word)
{
	for (int i = 0; i < WORKERS; i++)
		if ((uint32_t)workers[i].tid == (word & FUTEX_TID_MASK))
			return i;
	return -1;
}

/* A lock, most often one that a living thread holds. */
static uint32_t *any_held(void)
{
	uint32_t *word = any_pi();

	for (int i = 0; i < 4 && owner_of(*word) < 0; i++)
		word = any_pi();
	return word;
}

static void say_words(void)
{
	say(" |");
	for (int i = 0; i < WORDS; i++) {
		uint32_t word = __atomic_load_n(&locks[i].word, __ATOMIC_SEQ_CST);
		uint32_t low = word & FUTEX_TID_MASK;

		if (owner_of(word) >= 0)
			say(" T%d", owner_of(word));
		else if (low < 16)
			say(" %u", low);
		else
			say(" T?");
		say("%s%s", word & FUTEX_WAITERS ? "W" : "", word & FUTEX_OWNER_DIED ? "D" : "");
	}
}

/* The pointer to a time that a wait ends at: none, far away, or soon. */
static long deadline(const struct worker *worker, int clock, bool is_soon)
{
	struct timespec *time = &times[worker_index(worker)];

	if (!is_soon && !one_in(3))
		return 0;
	*time = (struct timespec){0, 0};
	if (clock >= 0)
		clock_gettime(clock, time);
	time->tv_nsec += is_soon ? 2000000 : 0;
	time->tv_sec += is_soon ? 0 : 100;
	if (time->tv_nsec >= 1000000000) {
		time->tv_nsec -= 1000000000;
		time->tv_sec++;
	}
	return (long)time;
}

static uint32_t value_for(const uint32_t *word)
{
	return one_in(6) ? *word + 1 : *word;
}

static uint32_t any_set(void)
{
	static const uint32_t sets[] = {1, 2, 3, 4, 0x80000000u, ~0u};

	return PICK(sets);
}

static void step_wait(void)
{
	struct worker *worker = worker_idle();
	uint32_t *word = any_plain();
	bool is_soon = one_in(8), has_set = one_in(2);
	uint32_t set = any_set(), value = value_for(word);

	if (!worker)
		return;
	say("w%d waits for %s%s%s", worker_index(worker), lock_name(word),
	    value == *word ? "" : " wrongly", is_soon ? " for a moment" : "");
	if (has_set)
		say(" set %x", set);
	long time = deadline(worker, has_set ? CLOCK_MONOTONIC : -1, is_soon);
	if (has_set)
		WORKER_CALL(worker, "wait", SYS_futex, (long)word, FUTEX_WAIT_BITSET, value, time,
			    0, set);
	else
		WORKER_CALL(worker, "wait", SYS_futex, (long)word, FUTEX_WAIT, value, time);
	if (is_soon)
		time_passes(4);
}

static void step_wake(void)
{
	uint32_t *word = one_in(8) ? any_pi() : any_plain();
	int count = (int)below(4);
	bool has_set = one_in(3);
	uint32_t set = any_set();

	say("wake %d of %s", count, lock_name(word));
	if (has_set)
		say(" set %x", set);
	say_result(" = ",
		   has_set ? syscall(SYS_futex, word, FUTEX_WAKE_BITSET, count, NULL, NULL, set)
			   : syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0));
}

static void step_requeue(void)
{
	uint32_t *from = any_plain(), *to = any_plain();
	int wakes = (int)below(3), moves = (int)below(4);
	bool is_compared = !one_in(3);
	uint32_t value = value_for(from);

	say("%srequeue %d,%d from %s to %s", is_compared ? "cmp_" : "", wakes, moves,
	    lock_name(from), lock_name(to));
	say_result(" = ", syscall(SYS_futex, from, is_compared ? FUTEX_CMP_REQUEUE : FUTEX_REQUEUE,
				  wakes, (long)moves, to, value));
}

static void step_wake_op(void)
{
	uint32_t *first = any_plain(), *second = any_plain();
	int wakes = 1 + (int)below(2), others = 1 + (int)below(2);
	uint32_t how = (uint32_t)FUTEX_OP(below(5), below(8), below(6), below(8));

	/* Owners of plain words are kept: nothing that is held is changed by arithmetic. */
	if (*second >= 16)
		return;
	how |= one_in(4) ? UINT32_C(1) << 31 : 0;
	say("wake_op %x %d of %s, %d of %s", how, wakes, lock_name(first), others,
	    lock_name(second));
	say_result(" = ",
		   syscall(SYS_futex, first, FUTEX_WAKE_OP, wakes, (long)others, second, how));
	*second &= 15;
}

static void step_store(void)
{
	uint32_t *word = any_plain();
	const struct worker *owner = &workers[below(WORKERS)];

	if (one_in(2))
		return;
	uint32_t value = one_in(2) ? below(3) : (uint32_t)owner->tid;
	if (value >= 16 && one_in(2))
		value |= FUTEX_WAITERS;
	*word = value;
	say("store %s", lock_name(word));
}

static void step_lock(void)
{
	struct worker *worker = worker_idle();
	uint32_t *word = any_pi();
	bool is_soon = one_in(8), is_second = one_in(2), tries = one_in(4);

	if (!worker)
		return;
	say("w%d %s %s%s", worker_index(worker), tries ? "tries" : "locks", lock_name(word),
	    is_soon ? " for a moment" : "");
	long time = deadline(worker, is_second ? CLOCK_MONOTONIC : CLOCK_REALTIME, is_soon);
	if (tries)
		WORKER_CALL(worker, "try", SYS_futex, (long)word, FUTEX_TRYLOCK_PI);
	else
		WORKER_CALL(worker, "lock", SYS_futex, (long)word,
			    is_second ? FUTEX_LOCK_PI2 : FUTEX_LOCK_PI, 0, time);
	if (is_soon)
		time_passes(4);
}

static bool is_wanted(const uint32_t *word)
{
	for (int i = 0; i < WORKERS; i++)
		if (worker_is_busy(&workers[i]) &&
		    (workers[i].argument[0] == (long)word || workers[i].argument[4] == (long)word))
			return true;
	return false;
}

/* What a C library does without the kernel, on behalf of a worker. */
static void step_fast_path(void)
{
	uint32_t *word = any_pi();
	const struct worker *worker = worker_idle();

	if (!worker)
		return;
	if (*word == 0 && !is_wanted(word)) {
		*word = (uint32_t)worker->tid;
		say("w%d takes %s", worker_index(worker), lock_name(word));
	} else if (owner_of(*word) < 0 && !is_wanted(word)) {
		*word = one_in(2) ? FUTEX_OWNER_DIED : 0;
		say("repair %s", lock_name(word));
	} else if (*word == (uint32_t)worker->tid) {
		*word = 0;
		say("w%d leaves %s", worker_index(worker), lock_name(word));
	}
}

static void step_unlock(void)
{
	uint32_t *word = any_held();
	int owner = owner_of(*word);
	struct worker *worker = owner >= 0 && !one_in(6) ? &workers[owner] : worker_idle();

	if (!worker || worker_is_busy(worker))
		return;
	say("w%d unlocks %s", worker_index(worker), lock_name(word));
	WORKER_CALL(worker, "unlock", SYS_futex, (long)word, FUTEX_UNLOCK_PI);
}

static void step_wait_requeue(void)
{
	struct worker *worker = worker_idle();
	uint32_t *word = any_plain(), *lock = any_pi();
	bool is_soon = one_in(8);
	uint32_t value = value_for(word);

	if (!worker)
		return;
	say("w%d waits for %s to get %s%s", worker_index(worker), lock_name(word), lock_name(lock),
	    is_soon ? " for a moment" : "");
	WORKER_CALL(worker, "wait_requeue", SYS_futex, (long)word, FUTEX_WAIT_REQUEUE_PI, value,
		    deadline(worker, CLOCK_MONOTONIC, is_soon), (long)lock);
	if (is_soon)
		time_passes(4);
}

static void step_requeue_pi(void)
{
	uint32_t *word = any_plain(), *lock = any_pi();
	int moves = (int)below(3);
	const struct worker *waiter = &workers[below(WORKERS)];

	/* Most often as somebody waits for it. */
	if (worker_is_busy(&workers[worker_index(waiter)]) &&
	    waiter->argument[1] == FUTEX_WAIT_REQUEUE_PI) {
		word = (uint32_t *)waiter->argument[0];
		lock = (uint32_t *)waiter->argument[4];
	} else if (!one_in(3)) {
		return;
	}
	uint32_t value = value_for(word);

	say("requeue_pi 1,%d from %s to %s", moves, lock_name(word), lock_name(lock));
	say_result(" = ",
		   syscall(SYS_futex, word, FUTEX_CMP_REQUEUE_PI, 1, (long)moves, lock, value));
}

static void step_signal(void)
{
	struct worker *worker = &workers[below(WORKERS)];
	bool restarts = one_in(2);

	if (!worker_is_busy(worker))
		return;
	say("signal w%d%s", worker_index(worker), restarts ? ", which restarts" : "");
	syscall(SYS_tgkill, getpid(), worker->tid, restarts ? SIGUSR2 : SIGUSR1);
	worker_settle();
}

/* A thread ends with a list of some locks, its own and others', and with one it was about to
 * take. */
static void step_die(void)
{
	struct worker *worker = worker_idle();
	unsigned first = below(WORDS), members = below(1u << WORDS);
	int pending = (int)below(WORDS + 2);

	if (!worker)
		return;
	/* Often it was about to wake who waits for a lock that it has released. */
	for (int i = 0; i < FIRST_PI && one_in(2); i++)
		if (is_wanted(&locks[i].word) && !(locks[i].word & FUTEX_TID_MASK))
			pending = i;
	struct robust_list_head *head = &lists[worker_index(worker)];
	struct robust_list **last = &head->list.next;

	say("w%d dies, has", worker_index(worker));
	for (unsigned i = 0; i < WORDS; i++) {
		unsigned at = (first + i) % WORDS;

		if (!(members >> at & 1))
			continue;
		*last = (struct robust_list *)((uintptr_t)&locks[at].node | (at >= FIRST_PI));
		last = &locks[at].node.next;
		say(" %s", lock_name(&locks[at].word));
	}
	*last = &head->list;
	head->futex_offset = offsetof(struct lock, word) - offsetof(struct lock, node);
	head->list_op_pending = NULL;
	if (pending < WORDS) {
		head->list_op_pending = (struct robust_list *)((uintptr_t)&locks[pending].node |
							       (pending >= FIRST_PI));
		say(" and is at %s", lock_name(&locks[pending].word));
	}
	WORKER_CALL(worker, "list", SYS_set_robust_list, (long)head, sizeof(*head));
	worker_replace(worker);
	worker_settle();
	/* The words of the dead are shown before another thread has a number. */
	worker->tid = -1;
	say_words();
	worker_start(worker);
}

static void do_nothing(int number)
{
	(void)number;
}

static void step(void)
{
	static void (*const kinds[])(void) = {
		step_wait,	step_wait,	 step_wait,    step_wake,	  step_wake,
		step_requeue,	step_requeue,	 step_wake_op, step_store,	  step_signal,
		step_lock,	step_lock,	 step_lock,    step_lock,	  step_fast_path,
		step_unlock,	step_unlock,	 step_unlock,  step_unlock,	  step_wait_requeue,
		step_fast_path, step_requeue_pi, step_die,     step_wait_requeue, step_requeue_pi,
	};

	PICK(kinds)();
}

int main(int argc, char **argv)
{
	unsigned steps = sequence_begin(argc, argv);
	struct sigaction action = {.sa_handler = do_nothing};

	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &action, NULL);
	workers_start();
	for (unsigned i = 1; i <= steps; i++) {
		while (!line_used)
			step();
		worker_settle();
		say_returned();
		say_words();
		line_end(i);
	}
	_exit(0);
}
