/*
 * twin.h - slow and obvious versions of the counter architectures that have a table, and of
 * POWER5's, with which the tests compare the real ones.
 *
 * A twin is given one cycle at a time. Rows are an array in program order, found by the slot of
 * their branch; each has counters that are incremented cycle by cycle, up to what their bits hold;
 * bits of instructions are separate and cleared one by one. Each stall cycle in the shared
 * counters of sfmt also has a note, so that the test can tell what happened to it; each full cycle
 * in which the oldest instruction waits for a miss is written down until that instruction commits,
 * because only then it is known whether it had missed in the D-TLB.
 */
#ifndef TESTS_COUNT_TWIN_H
#define TESTS_COUNT_TWIN_H

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "count/count.h"
#include "count/sfmt.h"

struct twin_row {
	uint32_t slot; /* slot of its branch; the last row has none yet */
	bool is_dispatched, is_resolved, refills;
	uint64_t resolved_at;
	uint64_t stalls[COMPONENT_COUNT];
	uint64_t penalty;
};

struct twin_note {
	uint64_t cycle;
	bool is_wrong;
};

struct twin {
	struct config config;
	bool is_power5, is_published, only_rob;
	bool is_shared, at_resolve, only_counters, is_aged;
	uint64_t charged[COMPONENT_COUNT];

	struct twin_row *rows; /* the last row is that of the next branch */
	size_t row_count, row_capacity;
	bool refills;  /* it refills, and the branch has committed */
	uint64_t held; /* aged: number of instructions that the window would hold */

	uint64_t shared[COMPONENT_COUNT];
	bool *bits; /* one for each slot */
	uint32_t slots;
	struct twin_note *notes;
	size_t note_count, note_capacity;
	struct sfmt_losses losses;

	/* What the present oldest instruction waited for in each full cycle, in order. */
	enum component *waits;
	size_t wait_count, wait_capacity;
	uint64_t waits_pc;

	bool is_flushed;
	/* An outstanding miss: the slot of the instruction it delays, and that instruction's
	 * waits so far. */
	bool is_awaited;
	uint32_t awaited;
	unsigned awaited_waits;
};

/* NULL if the kind has no twin. */
static inline struct twin *twin_create(const struct observer_kind *kind,
				       const struct config *config, uint32_t slots)
{
	struct twin *t = mem_alloc(sizeof(*t));

	t->config = *config;
	t->slots = slots;
	t->bits = mem_alloc_array(slots, sizeof(*t->bits));
	*ARRAY_PUSH(t->rows, t->row_count, t->row_capacity) = (struct twin_row){0};
	t->is_power5 = kind == &count_power5;
	t->is_published = kind == &count_fmt_published;
	t->only_rob = kind == &count_fmt_rob;
	t->is_aged = kind == &count_afmt;
	t->at_resolve = kind == &count_sfmt_resolve || kind == &count_sfmt_resolve_counters;
	t->only_counters =
		kind == &count_sfmt_counters || kind == &count_sfmt_resolve_counters || t->is_aged;
	t->is_shared = kind == &count_sfmt || t->at_resolve || t->only_counters || t->is_aged;
	if (t->is_power5 || t->is_published || t->only_rob || t->is_shared || kind == &count_fmt)
		return t;
	free(t->rows);
	free(t->bits);
	free(t);
	return NULL;
}

static inline void twin_destroy(struct twin *t)
{
	free(t->rows);
	free(t->bits);
	free(t->notes);
	free(t->waits);
	free(t);
}

static inline void twin_tick(uint64_t *local)
{
	if (*local < COUNT_LOCAL_MOST)
		++*local;
}

static inline enum component twin_stall(const struct cycle *c)
{
	if (c->fed > 0 || c->buffer_used > 0)
		return COMPONENT_BASE;
	if (c->fetch_stall == FETCH_ITLB)
		return COMPONENT_ITLB;
	if (c->fetch_stall == FETCH_L1I)
		return COMPONENT_L1I;
	if (c->fetch_stall == FETCH_L2I)
		return COMPONENT_L2I;
	return c->fetch_stall == FETCH_L3I ? COMPONENT_L3I : COMPONENT_BASE;
}

static inline enum component twin_data(const struct cycle *c)
{
	if (c->head_state == HEAD_DTLB)
		return COMPONENT_DTLB;
	if (c->head_state == HEAD_L1D)
		return COMPONENT_L1D;
	if (c->head_state == HEAD_L2D)
		return COMPONENT_L2D;
	return c->head_state == HEAD_L3D ? COMPONENT_L3D : COMPONENT_BASE;
}

/* The rule: nothing leaves, the oldest instruction is not complete, and there is no room: in the
 * reorder buffer at all, so that nothing enters; or in a queue for the instruction that is next; or
 * among the branches in flight, while those that came before may enter. */
static inline bool twin_is_full(struct twin *t, const struct cycle *c)
{
	bool is_incomplete = c->head_state == HEAD_WAITS || c->head_state == HEAD_EXECUTES ||
			     c->head_state == HEAD_UNIT || c->head_state == HEAD_MSHR ||
			     twin_data(c) != COMPONENT_BASE;
	bool is_stuck = false, is_limited = false;
	bool is_old =
		!c->committed && twin_data(c) != COMPONENT_BASE && t->held >= t->config.rob_size;

	if (c->rob_used == t->config.rob_size || c->dispatch_stall == DISPATCH_ROB)
		is_stuck = !c->dispatched;
	if (c->dispatch_stall == DISPATCH_IQ || c->dispatch_stall == DISPATCH_LSQ ||
	    c->dispatch_stall == DISPATCH_BRANCHES)
		is_limited = !t->only_rob;
	if (c->fetch_stall == FETCH_BRANCHES && c->dispatch_stall == DISPATCH_NONE)
		is_limited = !t->only_rob;
	t->held = c->committed || c->head_state == HEAD_EMPTY ? c->rob_used
							      : t->held + t->config.dispatch_width;
	if (t->is_aged && is_old)
		return true;
	return (is_stuck || is_limited) && is_incomplete && !c->committed;
}

/* The oldest instruction is not the oldest any more: charges the cycles it was waited for. If it
 * missed in the D-TLB, so many cycles as a miss takes go there, counted from the first. */
static inline void twin_end_waits(struct twin *t, const struct cycle *c)
{
	size_t to_tlb = 0;

	if (!t->wait_count || (c->committed == 0 && c->head_state != HEAD_EMPTY))
		return;
	for (uint32_t i = 0; i < c->event_count; i++) {
		if (c->events[i].kind != EVENT_COMMIT)
			continue;
		if (c->events[i].pc == t->waits_pc && c->events[i].detail & DATA_MISS_TLB &&
		    t->config.tlb_miss == TLB_MISS_FIXED)
			to_tlb = t->config.dtlb_miss;
		break;
	}
	for (size_t i = 0; i < t->wait_count; i++)
		t->charged[i < to_tlb ? COMPONENT_DTLB : t->waits[i]]++;
	t->wait_count = 0;
}

static inline void twin_forget(struct twin *t)
{
	memset(t->shared, 0, sizeof(t->shared));
	t->note_count = 0;
}

static inline void twin_clear_bits(struct twin *t)
{
	for (uint32_t i = 0; i < t->slots; i++)
		t->bits[i] = false;
}

/* Clears the table for a mispredicted branch that resolved in the given cycle. */
static inline void twin_clear(struct twin *t, uint64_t resolved_at)
{
	for (size_t i = 0; i < t->note_count; i++) {
		if (t->notes[i].is_wrong)
			continue;
		if (t->notes[i].cycle < resolved_at)
			t->losses.older++;
		else
			t->losses.younger++;
	}
	twin_forget(t);
	if (t->only_counters)
		return;
	twin_clear_bits(t);
	for (size_t i = 0; !t->at_resolve && i < t->row_count; i++)
		t->rows[i].penalty = 0;
}

static inline void twin_resolve(struct twin *t, uint32_t slot, uint64_t now)
{
	size_t i = t->row_count;

	while (i-- && !(t->rows[i].is_dispatched && t->rows[i].slot == slot))
		t->rows[i].refills = false;
	BUG_ON(i >= t->row_count);
	t->rows[i].is_resolved = t->rows[i].refills = true;
	t->rows[i].resolved_at = now;
	t->row_count = i + 1;
	for (size_t older = 0; older < i; older++)
		t->rows[older].refills = false;
	*ARRAY_PUSH(t->rows, t->row_count, t->row_capacity) = (struct twin_row){0};
	if (t->is_shared && t->at_resolve)
		twin_clear(t, now);
}

static inline void twin_commit_branch(struct twin *t, const struct cycle_event *e)
{
	const struct twin_row row = t->rows[0];

	BUG_ON(!row.is_dispatched || row.slot != e->slot);
	t->row_count--;
	memmove(t->rows, t->rows + 1, t->row_count * sizeof(*t->rows));
	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		t->charged[i] += row.stalls[i];
	if (!(e->detail & COMMIT_MISPREDICTED))
		return;
	/* One that had resolved before it was fetched again has lost its row, and what was in it.
	 */
	if (row.is_resolved || t->is_published)
		t->charged[COMPONENT_BRANCH] += row.penalty;
	t->refills |= row.refills;
	if (t->is_shared && !t->at_resolve)
		twin_clear(t, row.resolved_at);
}

static inline void twin_commit(struct twin *t, const struct cycle_event *e)
{
	/* Without the wait, the bit belongs to an earlier instruction in this slot. */
	if (t->is_shared && t->bits[e->slot] && e->detail & FETCH_WAITS) {
		for (unsigned i = 0; i < COMPONENT_COUNT; i++)
			t->charged[i] += t->shared[i];
		for (size_t i = 0; i < t->note_count; i++)
			t->losses.wrong += t->notes[i].is_wrong;
		twin_forget(t);
		twin_clear_bits(t);
	}
	if (e->detail & COMMIT_BRANCH)
		twin_commit_branch(t, e);
}

/* The rows of the youngest branches, which will be fetched again, and the one of the next branch
 * are gone; nothing refills. */
static inline void twin_replay(struct twin *t, size_t branches)
{
	t->row_count -= branches + 1;
	*ARRAY_PUSH(t->rows, t->row_count, t->row_capacity) = (struct twin_row){0};
	for (size_t i = 0; i < t->row_count; i++)
		t->rows[i].refills = false;
	t->refills = false;
	t->is_awaited = false;
}

static inline void twin_event(struct twin *t, const struct cycle_event *e, uint64_t now)
{
	size_t i = 0;

	switch ((enum cycle_event_kind)e->kind) {
	case EVENT_BRANCH_FETCH:
		t->rows[t->row_count - 1].slot = e->slot;
		*ARRAY_PUSH(t->rows, t->row_count, t->row_capacity) = (struct twin_row){0};
		break;
	case EVENT_BRANCH_DISPATCH:
		while (t->rows[i].is_dispatched)
			i++;
		BUG_ON(i == t->row_count - 1 || t->rows[i].slot != e->slot);
		t->rows[i].is_dispatched = true;
		break;
	case EVENT_MISPREDICT:
		t->is_flushed = true;
		t->is_awaited = false;
		twin_resolve(t, e->slot, now);
		break;
	case EVENT_REPLAY: twin_replay(t, e->amount); break;
	case EVENT_COMMIT: twin_commit(t, e); break;
	case EVENT_FETCH_MISS:
		t->awaited_waits = (t->is_awaited && t->awaited == e->slot ? t->awaited_waits : 0) |
				   (e->detail & FETCH_WAITS);
		t->is_awaited = true;
		t->awaited = e->slot;
		break;
	default: break;
	}
}

static inline void twin_count_rows(struct twin *t, const struct cycle *c)
{
	bool is_full = twin_is_full(t, c);
	enum component stall = twin_stall(c), head = twin_data(c);

	twin_end_waits(t, c);
	if (is_full && head == COMPONENT_BASE) {
		t->charged[COMPONENT_RESOURCE]++;
	} else if (is_full) {
		*ARRAY_PUSH(t->waits, t->wait_count, t->wait_capacity) = head;
		t->waits_pc = c->head_pc;
	}
	if (stall != COMPONENT_BASE && (!is_full || t->is_published)) {
		twin_tick(t->is_shared ? &t->shared[stall]
				       : &t->rows[t->row_count - 1].stalls[stall]);
		*ARRAY_PUSH(t->notes, t->note_count, t->note_capacity) =
			(struct twin_note){c->number, c->wrong_path};
	}
	for (size_t i = 0; i < t->row_count; i++) {
		struct twin_row *row = &t->rows[i];

		if (c->dispatched)
			row->refills = false;
		if (!row->is_dispatched || is_full)
			continue;
		if (t->is_published || !row->is_resolved || (row->refills && !stall))
			twin_tick(&row->penalty);
	}
	if (c->dispatched)
		t->refills = false;
	/* As published, a stall after the commit of the branch is the branch's, too. */
	if (t->refills && (t->is_published || (!is_full && !stall)))
		t->charged[COMPONENT_BRANCH]++;
	if (!t->is_shared)
		t->note_count = 0;
}

static inline enum component twin_longest(unsigned waits)
{
	if (waits & FETCH_WAIT_L3)
		return COMPONENT_L3I;
	if (waits & FETCH_WAIT_L2)
		return COMPONENT_L2I;
	return waits & FETCH_WAIT_L1 ? COMPONENT_L1I : COMPONENT_ITLB;
}

/* Why a cycle commits nothing; `delivered` are the waits of the instruction that a miss has
 * delayed up to this cycle. */
static inline enum component twin_completion(const struct twin *t, const struct cycle *c,
					     unsigned delivered)
{
	if (c->committed)
		return COMPONENT_BASE;
	if (c->head_state != HEAD_EMPTY)
		return c->head_state == HEAD_UNIT ? COMPONENT_RESOURCE : twin_data(c);
	if (c->is_fronted && c->front_waits)
		return twin_longest(c->front_waits);
	if (!c->is_fronted && delivered)
		return twin_longest(delivered);
	if (!c->is_fronted && twin_stall(c) != COMPONENT_BASE)
		return twin_stall(c);
	return t->is_flushed ? COMPONENT_BRANCH : COMPONENT_BASE;
}

static inline void twin_cycle(void *twin, const struct cycle *c)
{
	struct twin *t = twin;
	bool was_awaited = t->is_awaited;
	uint32_t awaited = t->awaited;
	unsigned waits = t->awaited_waits, delivered = 0;

	BUG_ON(c->repeat != 1);
	for (uint32_t i = 0; i < c->event_count; i++) {
		twin_event(t, &c->events[i], c->number);
		was_awaited &=
			c->events[i].kind != EVENT_MISPREDICT && c->events[i].kind != EVENT_REPLAY;
	}
	if (c->fetched && was_awaited) {
		t->bits[awaited] = true;
		delivered = waits;
		t->is_awaited &= t->awaited != awaited;
	}
	if (!t->is_power5) {
		twin_count_rows(t, c);
		return;
	}
	t->charged[twin_completion(t, c, delivered)]++;
	if (c->dispatched)
		t->is_flushed = false;
}

static inline void twin_read(const struct twin *t, uint64_t cycles, struct stack *stack)
{
	for (unsigned i = 0; i < COMPONENT_COUNT; i++) {
		stack->cycles[i] = (int64_t)(t->charged[i] + t->shared[i]);
		for (size_t n = 0; n < t->row_count; n++)
			stack->cycles[i] += (int64_t)t->rows[n].stalls[i];
	}
	for (size_t i = 0; i < t->wait_count; i++)
		stack->cycles[t->waits[i]]++;
	if (t->is_power5)
		return;
	stack->cycles[COMPONENT_BASE] = 0;
	stack->cycles[COMPONENT_BASE] = (int64_t)cycles - stack_sum(stack);
}

#endif
