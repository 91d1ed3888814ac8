#include "count/retime_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "core/frontend.h"
#include "isa/insn.h"

#define COUNT_BITS 5  /* of an entry of a table of units */
#define QUEUE_BITS 20 /* of the number of instructions that leave one queue */
/* Starts move on by multiples of this many cycles. Entries of the tables by cycle keep their cycle
 * modulo this number, so that they stay right. */
#define START_UNIT (1 << 27)

_Static_assert(LANES_NOWHERE == REG_COUNT, "the row after the registers");

#define INLINE static inline __attribute__((always_inline))
#ifdef __x86_64__
#define HAS_WIDE()  __builtin_cpu_supports("avx2")
#define WIDE_TARGET __attribute__((target("avx2")))
#else
#define HAS_WIDE() false
#define WIDE_TARGET
#endif

/* A time, or a mask of all ones or 0, of each lane. */
typedef int32_t row __attribute__((vector_size(4 * LANES)));

/* Rows by number modulo mask + 1. */
struct ring {
	row *rows;
	uint32_t mask;
};

struct lanes {
	struct retime_rule rule;
	bool is_wide;
	unsigned count;
	struct retime_causes causes[LANES];
	uint64_t start[LANES]; /* added to all times */

	row none;      /* zeros */
	row last_wait; /* no time is later: wait_most after the last commit */
	row has_branch, has_dtlb, waits_pending; /* masks */
	/* Fetch: the time of the current group and its instructions; 0: none, a group begins. */
	row group_at, group_count;
	row redirect_at; /* fetch does not go on before */
	/* Of the last mispredicted branch: the cycles from its fetch to its resolution. */
	row wrong_cycles;
	row serialised_until; /* nothing dispatches before */
	row stores_known;     /* all stores have addresses from here on */
	row regs[REG_COUNT + 1];
	/* By instruction number; by number of memory operation, of branch. */
	struct ring fed, dispatched, committed, memory_committed, branch_committed;
	row store_done[STORES], store_issued[STORES], store_written_at[STORES];
	row line_at[LINES], far_line_at[LINES], page_at[PAGES];
	int32_t mshr_free[LANES][RETIME_MSHRS_MAX];

	/* How many units of a kind are taken in a cycle. The upper bits of an entry tell the cycle;
	 * an entry of another cycle counts as 0. */
	uint32_t taken[KINDS][UNIT_CYCLES][LANES];
	/* The issue queues: instructions in them at cycle queue_at, and those that leave later, of
	 * each queue in QUEUE_BITS. */
	int32_t queue_at[LANES];
	uint64_t queued[LANES], leaving[LANES][RETIME_QUEUE_CYCLES];
};

INLINE int32_t later(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

INLINE row choose(row mask, row a, row b)
{
	return (a & mask) | (b & ~mask);
}

INLINE row latest(row a, row b)
{
	return choose(a > b, a, b);
}

INLINE row earliest(row a, row b)
{
	return choose(a > b, b, a);
}

/* A ring that can look back `before` rows. */
static struct ring ring_create(uint32_t before)
{
	uint32_t rows = 16;

	while (rows <= before)
		rows *= 2;
	return (struct ring){mem_alloc_aligned(rows, sizeof(row)), rows - 1};
}

INLINE row *ring_at(const struct ring *ring, uint32_t number)
{
	return &ring->rows[number & ring->mask];
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

struct lanes *lanes_create(const struct config *machines, unsigned count,
			   const struct retime_limits *limits)
{
	struct lanes *b = mem_alloc_aligned(sizeof(*b) / sizeof(row), sizeof(row));

	b->rule = retime_rule_of(machines, limits);
	b->is_wide = HAS_WIDE() && !limits->is_portable;
	b->count = count;
	b->fed = ring_create(larger(b->rule.fetch_buffer, b->rule.decode_width));
	b->dispatched = ring_create(larger(b->rule.room, b->rule.dispatch_width));
	b->committed = ring_create(larger(b->rule.rob_size, b->rule.commit_width));
	b->memory_committed = ring_create(b->rule.lsq_size);
	b->branch_committed =
		ring_create(b->rule.max_branches == UNLIMITED ? 0 : b->rule.max_branches);
	for (unsigned l = 0; l < LANES; l++) {
		struct retime_causes *has = &b->causes[l];

		*has = retime_causes_of(&machines[l < count ? l : 0]);
		b->has_branch[l] = has->branch ? -1 : 0;
		b->has_dtlb[l] = has->data[0] ? -1 : 0;
		b->waits_pending[l] = has->data[1] && has->pending ? -1 : 0;
	}
	return b;
}

void lanes_destroy(struct lanes *b)
{
	free(b->fed.rows);
	free(b->dispatched.rows);
	free(b->committed.rows);
	free(b->memory_committed.rows);
	free(b->branch_committed.rows);
	free(b);
}

static uint64_t fetch_wait(const struct retime_causes *has, const struct cycle_waits *w)
{
	uint64_t wait = 0;

	for (unsigned i = 0; i < 4; i++)
		wait += has->fetch[i] ? w->fetch[i] : 0;
	if (!has->walk && has->fetch[0])
		wait -= w->fetch_walk;
	if (!has->queueing && has->fetch[2])
		wait -= w->fetch_queue < wait ? w->fetch_queue : wait;
	return wait;
}

static int32_t at_most(const struct lanes *b, uint64_t wait)
{
	return wait < (uint32_t)b->rule.wait_most ? (int32_t)wait : b->rule.wait_most;
}

/* A time that is kept. */
static int32_t not_later(const struct lanes *b, unsigned l, int32_t at)
{
	return at < b->last_wait[l] ? at : b->last_wait[l];
}

/* Whether machine l lacks a line that a wrong path brought in on the machine that runs, `after`
 * cycles after the branch was fetched. It does if it has no wrong paths, or if the branch resolves
 * earlier. */
static bool is_not_brought(const struct lanes *b, unsigned l, uint32_t after)
{
	return !b->causes[l].branch || after >= (uint32_t)b->wrong_cycles[l];
}

/* How long a line takes on a machine without wrong paths, if only a wrong path has brought it
 * in. */
static uint32_t brought_wait(const struct lanes *b, const bool has[4], bool is_far)
{
	return (has[1] ? b->rule.near_latency : 0) + (has[2] && is_far ? b->rule.far_latency : 0);
}

static void fetch_waits(const struct lanes *b, const struct step *s, row *waits)
{
	for (unsigned l = 0; l < LANES; l++) {
		const struct retime_causes *has = &b->causes[l];
		uint64_t wait = fetch_wait(has, s->waits);

		if (s->marks & RETIRED_FETCH_BROUGHT &&
		    is_not_brought(b, l, s->waits->fetch_brought))
			wait += brought_wait(b, has->fetch, s->marks & RETIRED_FETCH_BROUGHT_FAR);
		(*waits)[l] = at_most(b, wait);
	}
}

/* Advances the issue queues to cycle `now`: instructions leave them. */
INLINE void leave_queues(struct lanes *b, unsigned l, int32_t now)
{
	while (b->queue_at[l] < now) {
		if (!b->queued[l]) {
			b->queue_at[l] = now;
			return;
		}
		uint64_t *leaving = &b->leaving[l][(uint32_t)++b->queue_at[l] & b->rule.queue_mask];

		b->queued[l] -= *leaving;
		*leaving = 0;
	}
}

/* Takes a place in the issue queue. Moves `at` on to the first cycle that has one. */
static void enter_queue(struct lanes *b, const struct step *s, int32_t at[LANES])
{
	const unsigned q = b->rule.is_split ? s->queue : QUEUE_INT;
	const unsigned shift = q * QUEUE_BITS;

	for (unsigned l = 0; l < LANES; l++) {
		leave_queues(b, l, at[l]);
		while ((b->queued[l] >> shift & ((1u << QUEUE_BITS) - 1)) >= b->rule.queue_size[q])
			leave_queues(b, l, ++at[l]);
		b->queued[l] += UINT64_C(1) << shift;
	}
}

static void exit_queue(struct lanes *b, const struct step *s, const int32_t issued[LANES])
{
	const unsigned shift = (b->rule.is_split ? s->queue : QUEUE_INT) * QUEUE_BITS;

	for (unsigned l = 0; l < LANES; l++) {
		int32_t stays = later(issued[l], b->queue_at[l] + 1);

		if (stays - b->queue_at[l] > (int32_t)b->rule.queue_mask)
			stays = b->queue_at[l] + (int32_t)b->rule.queue_mask;
		b->leaving[l][(uint32_t)stays & b->rule.queue_mask] += UINT64_C(1) << shift;
	}
}

/* The number of units that are taken in a cycle, according to an entry of a table. */
INLINE uint32_t taken_in(uint32_t entry, uint32_t cycle)
{
	const uint32_t taken = entry ^ cycle << COUNT_BITS;

	return taken < 1u << COUNT_BITS ? taken : 0;
}

INLINE uint32_t one_more(uint32_t entry, uint32_t cycle)
{
	return cycle << COUNT_BITS | (taken_in(entry, cycle) + 1);
}

/* An operation that holds its unit takes the next free cycles, as many as it needs. They need not
 * follow each other: an older operation that begins later would wait for this one, but has been
 * timed already. */
static void hold_unit(uint32_t (*taken)[LANES], uint32_t mask, uint32_t count, uint32_t at,
		      uint32_t busy)
{
	for (uint32_t cycle = at + 1; busy > 1 && cycle - at <= mask; cycle++) {
		uint32_t *entry = taken[cycle & mask];

		if (taken_in(*entry, cycle) >= count)
			continue;
		*entry = one_more(*entry, cycle);
		busy--;
	}
}

/* Takes a unit of lane l in the first cycle from `at` on that has one free, and returns the
 * cycle. */
INLINE int32_t find_unit(struct lanes *b, const struct step *s, unsigned l, int32_t at)
{
	const uint32_t count = b->rule.units[s->kind], all = b->rule.units[KIND_ALL],
		       mask = b->rule.unit_mask;
	uint32_t cycle = (uint32_t)at, *entry, *entry_all;

	for (;; cycle++) {
		entry = &b->taken[s->kind][cycle & mask][l];
		entry_all = &b->taken[KIND_ALL][cycle & mask][l];
		if (LIKELY(taken_in(*entry, cycle) < count && taken_in(*entry_all, cycle) < all))
			break;
	}
	*entry = one_more(*entry, cycle);
	*entry_all = one_more(*entry_all, cycle);
	if (UNLIKELY(b->rule.busy[s->unit] > 1))
		hold_unit((uint32_t(*)[LANES]) & b->taken[s->kind][0][l], mask, count, cycle,
			  b->rule.busy[s->unit]);
	return (int32_t)cycle;
}

INLINE row find_units(struct lanes *b, const struct step *s, row at)
{
	_Static_assert(LANES == 8, "the lanes are written out");
	return (row){find_unit(b, s, 0, at[0]), find_unit(b, s, 1, at[1]),
		     find_unit(b, s, 2, at[2]), find_unit(b, s, 3, at[3]),
		     find_unit(b, s, 4, at[4]), find_unit(b, s, 5, at[5]),
		     find_unit(b, s, 6, at[6]), find_unit(b, s, 7, at[7])};
}

/* The end of a load's TLB phase. */
static int32_t translate(struct lanes *b, unsigned l, const struct step *s, int32_t at)
{
	const struct retime_causes *has = &b->causes[l];

	if (!has->data[0])
		return at;
	if (s->waits && s->misses_tlb) {
		at += at_most(b, s->waits->data[0] - (has->walk ? 0 : s->waits->data_walk));
		b->page_at[s->page][l] = at = not_later(b, l, at);
	} else if (s->has_page) {
		at = later(at, b->page_at[s->page][l]);
	}
	return at;
}

/* The MSHR that is free first. */
static int32_t *find_mshr(struct lanes *b, unsigned l)
{
	unsigned best = 0;

	for (unsigned i = 1; i < b->rule.mshrs; i++)
		if (b->mshr_free[l][i] < b->mshr_free[l][best])
			best = i;
	return &b->mshr_free[l][best];
}

static int32_t far_wait(const struct lanes *b, unsigned l, const struct cycle_waits *w)
{
	uint64_t wait = (uint64_t)w->data[2] + w->data[3];

	if (!b->causes[l].queueing)
		wait -= w->data_queue < wait ? w->data_queue : wait;
	return at_most(b, wait);
}

/* A load that missed in the L1: when its data is there. `at` is when the L1 has answered. */
static int32_t miss(struct lanes *b, unsigned l, const struct step *s, int32_t at)
{
	const struct retime_causes *has = &b->causes[l];
	const struct cycle_waits *w = s->waits;
	int32_t done = at + (w ? at_most(b, w->data[1]) : 0);

	if (has->data[2] && w) {
		if (s->misses_l2)
			b->far_line_at[s->far_line][l] = done =
				not_later(b, l, done + far_wait(b, l, w));
		else if (s->has_far_line)
			done = later(done, b->far_line_at[s->far_line][l]);
		else
			done += far_wait(b, l, w);
	}
	return b->line_at[s->data_line][l] = not_later(b, l, done);
}

/* When the data of a load that issues in cycle *at is there. The load may have to wait for an MSHR
 * before it issues. */
static int32_t load(struct lanes *b, unsigned l, const struct step *s, int32_t *at)
{
	const struct retime_causes *has = &b->causes[l];
	const int32_t hit = (int32_t)b->rule.l1d_latency;
	int32_t done;

	if (UNLIKELY(s->is_brought) && has->data[1] &&
	    is_not_brought(b, l, s->waits->data_brought)) {
		done = translate(b, l, s, *at) + hit +
		       (int32_t)brought_wait(b, has->data, s->marks & RETIRED_DATA_BROUGHT_FAR);
		return b->line_at[s->data_line][l] = not_later(b, l, done);
	}
	if (s->is_brought)
		b->line_at[s->data_line][l] = 0;
	if (!s->misses_l1 || !has->data[1]) {
		done = translate(b, l, s, *at) + hit;
		if (!has->data[1] || !has->pending)
			return done;
		if (s->has_line)
			return later(done, b->line_at[s->data_line][l]);
		if (s->waits && !s->misses_l1)
			done += at_most(b, s->waits->data[1]) +
				(has->data[2] ? far_wait(b, l, s->waits) : 0);
		return done;
	}
	int32_t *mshr = b->rule.mshrs ? find_mshr(b, l) : NULL;
	if (mshr)
		*at = later(*at, *mshr);
	done = miss(b, l, s, translate(b, l, s, *at) + hit);
	if (mshr)
		*mshr = done;
	return done;
}

static void load_slowly(struct lanes *b, const struct step *s, int32_t issued[LANES],
			int32_t completed[LANES])
{
	for (unsigned l = 0; l < LANES; l++)
		completed[l] = load(b, l, s, &issued[l]);
}

/* What a store waits for the store buffer. */
static void store_waits(const struct lanes *b, const struct step *s, row *waits)
{
	for (unsigned l = 0; l < LANES; l++) {
		const struct retime_causes *has = &b->causes[l];
		const struct cycle_waits *w = s->waits;
		uint64_t wait = w->store[4];

		for (unsigned i = 0; i < 4; i++)
			wait += has->data[i] ? w->store[i] : 0;
		if (!has->walk && has->data[0])
			wait -= w->store_walk;
		if (!has->queueing && has->data[2])
			wait -= w->store_queue < wait ? w->store_queue : wait;
		(*waits)[l] = at_most(b, wait);
	}
}

/* The cycles in which the instruction is fetched (group_at), fed and dispatched. */
INLINE row dispatch(struct lanes *b, const struct step *s, row *fed)
{
	const uint32_t n = s->number;
	const unsigned marks = s->marks;
	const row *last = ring_at(&b->committed, n - 1);
	const row count = b->group_count;
	/* The buffer has room once the instruction `fetch_buffer` places before has been fed. */
	row from = latest(*ring_at(&b->fed, n - b->rule.fetch_buffer) + 1, b->redirect_at);
	row begins =
		(count == 0) | (count == (int32_t)b->rule.fetch_width) | (s->begins_group ? -1 : 0);
	row waits = b->none;

	if (UNLIKELY(marks & RETIRED_DRAINED))
		from = latest(from, *last);
	if (marks & RETIRED_BRANCH && b->rule.max_branches != UNLIMITED)
		from = latest(from, *ring_at(&b->branch_committed,
					     s->branch_number - b->rule.max_branches));
	if (UNLIKELY(s->waits_fetch)) {
		fetch_waits(b, s, &waits);
		begins |= waits != 0;
	}
	b->group_at = latest(b->group_at, *last - b->rule.wait_most);
	begins |= from > b->group_at;
	b->group_at = choose(begins, latest(from, b->group_at - (count > 0)) + waits, b->group_at);
	b->group_at = earliest(b->group_at, b->last_wait);
	b->group_count = (count & ~begins) + 1;

	row at = latest(b->group_at, *ring_at(&b->fed, n - 1));
	at = latest(at, *ring_at(&b->fed, n - b->rule.decode_width) + 1);
	*fed = at = latest(at, *ring_at(&b->dispatched, n - b->rule.room));
	at = latest(at + (int32_t)b->rule.stages, *ring_at(&b->dispatched, n - 1));
	at = latest(at, *ring_at(&b->dispatched, n - b->rule.dispatch_width) + 1);
	at = latest(at, *ring_at(&b->committed, n - b->rule.rob_size));
	at = latest(at, b->serialised_until);
	if (marks & (RETIRED_LOADS | RETIRED_STORES))
		at = latest(at,
			    *ring_at(&b->memory_committed, s->memory_number - b->rule.lsq_size));
	if (UNLIKELY(marks & RETIRED_SERIALISES))
		at = latest(at, *last);
	if (b->rule.has_queue) {
		int32_t entered[LANES];

		memcpy(entered, &at, sizeof(at));
		enter_queue(b, s, entered);
		memcpy(&at, entered, sizeof(at));
	}
	return at;
}

/* The first cycle in which the sources of the instruction let it issue. */
INLINE row ready(const struct lanes *b, const struct step *s, row dispatched)
{
	row at = latest(dispatched + 1, b->regs[s->sources[0]]);

	at = latest(at, latest(b->regs[s->sources[1]], b->regs[s->sources[2]]));
	if (UNLIKELY(s->waits) && !(s->marks & RETIRED_STORES))
		at += b->has_branch & at_most(b, s->waits->unit);
	if (!(s->marks & RETIRED_LOADS))
		return at;
	if (b->rule.is_conservative || (b->rule.has_replay && s->marks & RETIRED_HELD))
		at = latest(at, b->stores_known);
	if (s->has_store)
		at = latest(at,
			    s->covers ? b->store_done[s->store] : b->store_written_at[s->store]);
	return at;
}

/* *issued changes if a load has to wait for an MSHR. */
INLINE row complete(struct lanes *b, const struct step *s, row *issued)
{
	if (s->marks & RETIRED_STORES) {
		b->stores_known = latest(b->stores_known, *issued + 1);
		return latest(*issued + 1, b->regs[s->data]);
	}
	if (!(s->marks & RETIRED_LOADS))
		return *issued + (int32_t)b->rule.latency[s->unit];
	if (s->reads_store)
		return *issued + (int32_t)b->rule.l1d_latency;
	row at = *issued;
	if (UNLIKELY(!s->hits)) {
		int32_t issues[LANES], completes[LANES];

		memcpy(issues, issued, sizeof(issues));
		load_slowly(b, s, issues, completes);
		memcpy(issued, issues, sizeof(issues));
		memcpy(&at, completes, sizeof(at));
		return at;
	}
	if (s->has_page)
		at = latest(at, b->page_at[s->page] & b->has_dtlb);
	at += (int32_t)b->rule.l1d_latency;
	if (s->has_line)
		at = latest(at, b->line_at[s->data_line] & b->waits_pending);
	return at;
}

INLINE row commit(struct lanes *b, const struct step *s, row completed)
{
	const row last = *ring_at(&b->committed, s->number - 1);
	row at = latest(completed, last);

	at = latest(at, *ring_at(&b->committed, s->number - b->rule.commit_width) + 1);
	if (UNLIKELY(s->waits) && b->rule.has_store_buffer) {
		row waits;

		store_waits(b, s, &waits);
		at += waits;
	}
	return at;
}

INLINE void redirect(struct lanes *b, const struct step *s, row fed, row completed)
{
	if (UNLIKELY(s->marks & RETIRED_MISPREDICTED)) {
		b->redirect_at = choose(b->has_branch, completed, b->redirect_at);
		b->wrong_cycles = choose(b->has_branch, completed - b->group_at, b->wrong_cycles);
		b->group_count &= ~b->has_branch;
	} else if (UNLIKELY(s->marks & RETIRED_MISFETCHED)) {
		b->redirect_at = choose(b->has_branch, fed + FRONTEND_DECODE_REDIRECT_CYCLES,
					b->redirect_at);
	}
}

INLINE void time_step(struct lanes *b, const struct step *s, row *commits)
{
	const unsigned marks = s->marks;
	row fed;

	/* A load that read too early was fetched again once the store had its address. */
	if (UNLIKELY(marks & RETIRED_REPLAYED) && b->rule.has_replay && s->has_store) {
		b->redirect_at = latest(b->redirect_at, b->store_issued[s->store] + 1);
		b->group_count = b->none;
	}
	b->last_wait = *ring_at(&b->committed, s->number - 1) + b->rule.wait_most;
	const row dispatched = dispatch(b, s, &fed);
	row issued = find_units(b, s, earliest(ready(b, s, dispatched), b->last_wait));
	const row completed = earliest(complete(b, s, &issued), b->last_wait);
	const row committed = commit(b, s, completed);
	if (b->rule.has_queue) {
		int32_t exits[LANES];

		memcpy(exits, &issued, sizeof(exits));
		exit_queue(b, s, exits);
	}
	*commits = committed;
	b->regs[s->result] = completed;
	*ring_at(&b->fed, s->number) = fed;
	*ring_at(&b->dispatched, s->number) = dispatched;
	*ring_at(&b->committed, s->number) = committed;
	if (marks & (RETIRED_LOADS | RETIRED_STORES))
		*ring_at(&b->memory_committed, s->memory_number) = committed;
	if (marks & RETIRED_BRANCH)
		*ring_at(&b->branch_committed, s->branch_number) = committed;
	for (unsigned i = 0; marks & RETIRED_STORES && i < 2; i++) {
		b->store_done[s->stores[i]] = completed;
		b->store_issued[s->stores[i]] = issued;
		b->store_written_at[s->stores[i]] = committed + (1 + (int32_t)b->rule.l1d_latency);
	}
	redirect(b, s, fed, completed);
	if (UNLIKELY(marks & RETIRED_SERIALISES))
		b->serialised_until = committed;
}

INLINE void time_steps(struct lanes *b, const struct step *steps, unsigned count, row *committed)
{
	for (unsigned i = 0; i < count; i++)
		time_step(b, &steps[i], &committed[i]);
}

static void time_portably(struct lanes *b, const struct step *steps, unsigned count, row *committed)
{
	time_steps(b, steps, count, committed);
}

WIDE_TARGET static void time_widely(struct lanes *b, const struct step *steps, unsigned count,
				    row *committed)
{
	time_steps(b, steps, count, committed);
}

static void move_rows(row *rows, size_t count, unsigned l, int32_t cycles)
{
	for (size_t i = 0; i < count; i++)
		rows[i][l] = rows[i][l] > cycles ? rows[i][l] - cycles : 0;
}

/* Moves a lane's start on. What is further back than the current fetch group is not waited for, and
 * may become 0. */
static void move_start(struct lanes *b, unsigned l, int32_t cycles)
{
	const struct ring rings[] = {b->fed, b->dispatched, b->committed, b->memory_committed,
				     b->branch_committed};

	b->start[l] += (uint64_t)cycles;
	for (size_t i = 0; i < ARRAY_COUNT(rings); i++)
		move_rows(rings[i].rows, rings[i].mask + 1, l, cycles);
	move_rows(&b->group_at, 1, l, cycles);
	move_rows(&b->redirect_at, 1, l, cycles);
	move_rows(&b->serialised_until, 1, l, cycles);
	move_rows(&b->stores_known, 1, l, cycles);
	move_rows(b->regs, REG_COUNT, l, cycles);
	move_rows(b->store_done, STORES, l, cycles);
	move_rows(b->store_issued, STORES, l, cycles);
	move_rows(b->store_written_at, STORES, l, cycles);
	move_rows(b->line_at, LINES, l, cycles);
	move_rows(b->far_line_at, LINES, l, cycles);
	move_rows(b->page_at, PAGES, l, cycles);
	for (unsigned i = 0; i < RETIME_MSHRS_MAX; i++)
		b->mshr_free[l][i] = later(b->mshr_free[l][i] - cycles, 0);
	b->queue_at[l] = later(b->queue_at[l] - cycles, 0);
}

void lanes_time(struct lanes *b, const struct step *steps, unsigned count,
		uint64_t (*commits)[RETIME_BATCH], unsigned first)
{
	row committed[RETIME_BATCH];

	for (unsigned l = 0; l < LANES; l++)
		if (UNLIKELY(b->group_at[l] >= 2 * START_UNIT))
			move_start(b, l, (b->group_at[l] / START_UNIT - 1) * START_UNIT);
	if (b->is_wide)
		time_widely(b, steps, count, committed);
	else
		time_portably(b, steps, count, committed);
	for (unsigned l = 0; l < b->count; l++)
		for (unsigned i = 0; i < count; i++)
			commits[l][first + i] = b->start[l] + (uint64_t)committed[i][l];
}
