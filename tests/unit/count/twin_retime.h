/*
 * twin_retime.h - the rule of count/retime.h written out: every time of every instruction is kept,
 * and what an instruction waits for is found by going through those before it. One machine at a
 * time.
 */
#ifndef TESTS_COUNT_TWIN_RETIME_H
#define TESTS_COUNT_TWIN_RETIME_H

#include <stdlib.h>

#include "core/frontend.h"
#include "isa/insn.h"
#include "signal/cycle.h"

#define TWIN_INSNS  4000
#define TWIN_CYCLES 400000

struct twin_insn {
	struct cycle_retired r;
	struct cycle_waits w;
	uint64_t fetched, fed, dispatched, issued, completed, committed;
	uint64_t line_at, far_line_at, page_at; /* when what it brings in is there; 0: nothing */
	uint64_t mshr_until;			/* when it leaves its MSHR; 0: it took none */
	bool begins;				/* a fetch group */
};

struct twin_retime {
	struct config c;
	struct twin_insn insns[TWIN_INSNS];
	size_t count;
	uint8_t taken[6][TWIN_CYCLES]; /* units by kind and cycle; [5]: all */
	uint64_t wrong_cycles;
};

static inline unsigned twin_kind(unsigned unit)
{
	switch (unit) {
	case UNIT_MUL:
	case UNIT_DIV: return 1;
	case UNIT_LOAD:
	case UNIT_STORE:
	case UNIT_AMO: return 2;
	case UNIT_FP_ADD: return 3;
	case UNIT_FP_MUL:
	case UNIT_FP_DIV: return 4;
	default: return 0;
	}
}

static inline uint64_t twin_latency(const struct config *c, unsigned unit)
{
	if (c->ideal_units)
		return 1;
	switch (unit) {
	case UNIT_MUL: return c->int_mul_latency;
	case UNIT_DIV: return c->int_div_latency;
	case UNIT_FP_ADD: return c->fp_add_latency;
	case UNIT_FP_MUL: return c->fp_mul_latency;
	case UNIT_FP_DIV: return c->fp_div_latency;
	default: return c->int_alu_latency;
	}
}

/* The queue of a kind: all instructions are in one unless there are three. */
static inline unsigned twin_queue(const struct config *c, unsigned unit)
{
	const unsigned kind = twin_kind(unit);

	if (c->issue_queue_kind == ISSUE_QUEUE_UNIFIED)
		return 0;
	return kind == 2 ? 1 : kind > 2 ? 2 : 0;
}

static inline bool twin_has_branch(const struct config *c)
{
	return !c->ideal_branch && c->predictor_kind != PREDICTOR_PERFECT;
}

/* Without an L2 there is no ideal one. */
static inline bool twin_has_l2i(const struct config *c)
{
	return !c->ideal_l1i && (!c->ideal_l2i || c->cache_levels == 1);
}

static inline bool twin_has_l2d(const struct config *c)
{
	return !c->ideal_l1d && (!c->ideal_l2d || c->cache_levels == 1);
}

static inline bool twin_replays(const struct config *c)
{
	return c->disambiguation == DISAMBIGUATION_PREDICT && !c->ideal_replay;
}

/* What a line takes from the next level, or also from beyond. */
static inline uint64_t twin_line_wait(const struct config *c, bool has_l2, bool is_far)
{
	if (c->cache_levels == 1)
		return c->memory_latency;
	return c->l2_latency + (has_l2 && is_far ? c->memory_latency : 0);
}

static inline void twin_not_before(uint64_t *at, uint64_t other)
{
	if (other > *at)
		*at = other;
}

/* The instruction `places` before number n, if there is one. */
static inline const struct twin_insn *twin_before(const struct twin_retime *t, size_t n,
						  size_t places)
{
	return places <= n ? &t->insns[n - places] : NULL;
}

/* The one that is the places-th before number n among those with one of the marks. */
static inline const struct twin_insn *twin_marked(const struct twin_retime *t, size_t n,
						  unsigned marks, size_t places)
{
	while (n-- > 0)
		if (t->insns[n].r.marks & marks && --places == 0)
			return &t->insns[n];
	return NULL;
}

static inline bool twin_is_not_brought(const struct twin_retime *t, uint32_t after)
{
	return !twin_has_branch(&t->c) || after >= t->wrong_cycles;
}

static inline const struct twin_insn *twin_store(const struct twin_retime *t, size_t n);

static inline void twin_fetch(struct twin_retime *t, size_t n)
{
	struct twin_insn *i = &t->insns[n];
	const struct twin_insn *last = n ? i - 1 : NULL, *other;
	uint64_t wait = 0, from = 0, count = 0;

	/* Numbers before the first count as fed in cycle 0. */
	from = (other = twin_before(t, n, t->c.fetch_buffer)) ? other->fed + 1 : 1;
	for (size_t k = 0; k < n; k++) {
		const struct twin_insn *b = &t->insns[k];

		if (!twin_has_branch(&t->c))
			break;
		if (b->r.marks & RETIRED_MISPREDICTED)
			twin_not_before(&from, b->completed);
		else if (b->r.marks & RETIRED_MISFETCHED)
			twin_not_before(&from, b->fed + FRONTEND_DECODE_REDIRECT_CYCLES);
	}
	if (i->r.marks & RETIRED_DRAINED && last)
		twin_not_before(&from, last->committed);
	if (i->r.marks & RETIRED_BRANCH &&
	    (other = twin_marked(t, n, RETIRED_BRANCH, t->c.max_branches)))
		twin_not_before(&from, other->committed);
	if (!t->c.ideal_itlb)
		wait += i->w.fetch[0] - (t->c.ideal_walk ? i->w.fetch_walk : 0);
	if (!t->c.ideal_l1i)
		wait += i->w.fetch[1];
	if (twin_has_l2i(&t->c))
		wait += i->w.fetch[2] + i->w.fetch[3] -
			(t->c.ideal_bandwidth ? i->w.fetch_queue : 0);
	if (i->r.marks & RETIRED_FETCH_BROUGHT && twin_is_not_brought(t, i->w.fetch_brought) &&
	    !t->c.ideal_l1i)
		wait += twin_line_wait(&t->c, twin_has_l2i(&t->c),
				       i->r.marks & RETIRED_FETCH_BROUGHT_FAR);
	for (size_t k = n; k-- > 0 && !t->insns[k].begins;)
		count++;
	count += n > 0;
	bool redirected = last && twin_has_branch(&t->c) && last->r.marks & RETIRED_MISPREDICTED;
	/* A load that read too early is fetched again when the store has its address. */
	if (i->r.marks & RETIRED_REPLAYED && twin_replays(&t->c) && twin_store(t, n)) {
		redirected = true;
		twin_not_before(&from, twin_store(t, n)->issued + 1);
	}
	i->begins = !last || redirected || last->r.marks & RETIRED_TAKEN ||
		    last->r.pc / t->c.l1i_line != i->r.pc / t->c.l1i_line ||
		    count == t->c.fetch_width || from > last->fetched || wait;
	i->fetched = last ? last->fetched : 0;
	if (i->begins) {
		i->fetched += last && !redirected;
		twin_not_before(&i->fetched, from);
		i->fetched += wait;
	}
}

static inline void twin_dispatch(struct twin_retime *t, size_t n)
{
	struct twin_insn *i = &t->insns[n];
	const struct twin_insn *other;
	const bool accesses = i->r.marks & (RETIRED_LOADS | RETIRED_STORES);

	i->fed = i->fetched;
	if ((other = twin_before(t, n, 1)))
		twin_not_before(&i->fed, other->fed);
	twin_not_before(&i->fed,
			(other = twin_before(t, n, t->c.decode_width)) ? other->fed + 1 : 1);
	if ((other = twin_before(t, n, frontend_room(&t->c))))
		twin_not_before(&i->fed, other->dispatched);
	i->dispatched = i->fed + frontend_stages(&t->c);
	if ((other = twin_before(t, n, 1))) {
		twin_not_before(&i->dispatched, other->dispatched);
		if (i->r.marks & RETIRED_SERIALISES)
			twin_not_before(&i->dispatched, other->committed);
	}
	if ((other = twin_before(t, n, t->c.dispatch_width)))
		twin_not_before(&i->dispatched, other->dispatched + 1);
	if ((other = twin_before(t, n, t->c.rob_size)))
		twin_not_before(&i->dispatched, other->committed);
	if (accesses && (other = twin_marked(t, n, RETIRED_LOADS | RETIRED_STORES, t->c.lsq_size)))
		twin_not_before(&i->dispatched, other->committed);
	for (size_t k = 0; k < n; k++)
		if (t->insns[k].r.marks & RETIRED_SERIALISES)
			twin_not_before(&i->dispatched, t->insns[k].committed);
	for (;; i->dispatched++) {
		const uint32_t sizes[] = {t->c.issue_queue_kind == ISSUE_QUEUE_SPLIT
						  ? t->c.issue_queue_int
						  : t->c.issue_queue_size,
					  t->c.issue_queue_memory, t->c.issue_queue_fp};
		const unsigned queue = twin_queue(&t->c, i->r.unit);
		size_t queued = 0;

		for (size_t k = 0; k < n; k++)
			queued += t->insns[k].issued > i->dispatched &&
				  twin_queue(&t->c, t->insns[k].r.unit) == queue;
		if (queued < sizes[queue])
			return;
	}
}

/* The store that the load reads: of the last stores into the granules of its first and of its last
 * byte, the younger that overlaps it. */
static inline const struct twin_insn *twin_store(const struct twin_retime *t, size_t n)
{
	const struct twin_insn *i = &t->insns[n], *found = NULL;
	const uint64_t granules[] = {i->r.address / 8, (i->r.address + i->r.accessed - 1) / 8};

	for (unsigned g = 0; g < 2; g++)
		for (size_t k = n; k-- > 0;) {
			const struct twin_insn *s = &t->insns[k];

			if (!(s->r.marks & RETIRED_STORES) || s->r.address / 8 > granules[g] ||
			    (s->r.address + s->r.accessed - 1) / 8 < granules[g])
				continue;
			if (s->r.address < i->r.address + i->r.accessed &&
			    i->r.address < s->r.address + s->r.accessed && (!found || s > found))
				found = s;
			break;
		}
	return found;
}

static inline uint64_t twin_source(const struct twin_retime *t, size_t n, unsigned reg)
{
	while (reg && n-- > 0)
		if (t->insns[n].r.rd == reg)
			return t->insns[n].completed;
	return 0;
}

static inline void twin_take_unit(struct twin_retime *t, struct twin_insn *i)
{
	uint32_t counts[] = {t->c.int_alu_count, t->c.int_muldiv_count, t->c.memory_ports,
			     t->c.fp_add_count, t->c.fp_muldiv_count};
	const unsigned kind = twin_kind(i->r.unit);
	uint64_t busy = (i->r.unit == UNIT_DIV || i->r.unit == UNIT_FP_DIV) && !t->c.ideal_ports
				? twin_latency(&t->c, i->r.unit)
				: 1;

	if (t->c.ideal_ports)
		counts[kind] = t->c.issue_width;

	while (t->taken[kind][i->issued] == counts[kind] ||
	       t->taken[5][i->issued] == t->c.issue_width)
		i->issued++;
	t->taken[5][i->issued]++;
	for (uint64_t cycle = i->issued; busy; cycle++)
		if (t->taken[kind][cycle] < counts[kind]) {
			t->taken[kind][cycle]++;
			busy--;
		}
}

/* When the last of what was brought in for the same place is there; 0: nothing was. */
static inline const struct twin_insn *twin_last(const struct twin_retime *t, size_t n,
						uint64_t bytes, unsigned tag, unsigned mark)
{
	const uint64_t address = t->insns[n].r.address;

	while (n-- > 0)
		if ((t->insns[n].r.tags & tag || t->insns[n].r.marks & mark) &&
		    t->insns[n].r.marks & RETIRED_LOADS &&
		    t->insns[n].r.address / bytes == address / bytes)
			return &t->insns[n];
	return NULL;
}

/* A miss waits while as many others are outstanding as there are MSHRs: until all but one less
 * than these, of those before it, are over. */
static inline void twin_wait_for_mshr(struct twin_retime *t, size_t n)
{
	struct twin_insn *i = &t->insns[n];

	for (;; i->issued++) {
		size_t outstanding = 0;

		for (size_t k = 0; k < n; k++)
			outstanding += t->insns[k].mshr_until > i->issued;
		if (outstanding < t->c.l1d_mshrs)
			return;
	}
}

static inline void twin_load(struct twin_retime *t, size_t n)
{
	struct twin_insn *i = &t->insns[n];
	const struct config *c = &t->c;
	const struct twin_insn *line =
		twin_last(t, n, c->l1d_line, DATA_MISS_L1, RETIRED_DATA_BROUGHT);
	const struct twin_insn *far =
		twin_last(t, n, c->cache_levels == 1 ? c->l1d_line : c->l2_line, DATA_MISS_L2, 0);
	const struct twin_insn *page = twin_last(t, n, c->page_bytes, DATA_MISS_TLB, 0);
	const bool has_far = twin_has_l2d(c);
	const bool is_brought = i->r.marks & RETIRED_DATA_BROUGHT && !line;
	const uint64_t far_wait =
		i->w.data[2] + i->w.data[3] - (c->ideal_bandwidth ? i->w.data_queue : 0);

	/* What is in the tables of lines and pages stays as it was unless this load replaces it. */
	i->line_at = line ? line->line_at : 0;
	i->far_line_at = far ? far->far_line_at : 0;
	i->page_at = page ? page->page_at : 0;
	if (!c->ideal_l1d && i->r.tags & DATA_MISS_L1)
		twin_wait_for_mshr(t, n);
	i->completed = i->issued;
	if (twin_store(t, n) && !(i->r.tags & (DATA_MISS_TLB | DATA_MISS_L1))) {
		i->completed += c->l1d_latency;
		if (is_brought)
			i->line_at = 0;
		return;
	}
	if (!c->ideal_dtlb && i->r.tags & DATA_MISS_TLB)
		i->page_at = i->completed += i->w.data[0] - (c->ideal_walk ? i->w.data_walk : 0);
	else if (!c->ideal_dtlb && page)
		twin_not_before(&i->completed, page->page_at);
	i->completed += c->l1d_latency;
	if (c->ideal_l1d)
		return;
	if (i->r.tags & DATA_MISS_L1) {
		i->completed += i->w.data[1];
		if (has_far && i->r.tags & DATA_MISS_L2)
			i->far_line_at = i->completed += far_wait;
		else if (has_far && far)
			twin_not_before(&i->completed, far->far_line_at);
		else if (has_far)
			i->completed += far_wait;
		i->line_at = i->mshr_until = i->completed;
	} else if (is_brought && twin_is_not_brought(t, i->w.data_brought)) {
		i->line_at = i->completed +=
			twin_line_wait(c, has_far, i->r.marks & RETIRED_DATA_BROUGHT_FAR);
	} else {
		if (is_brought)
			i->line_at = 0;
		/* A line on its way: this machine's, or what the run waited for it. */
		if (!c->ideal_pending && line)
			twin_not_before(&i->completed, line->line_at);
		else if (!c->ideal_pending)
			i->completed += i->w.data[1] + (has_far ? far_wait : 0);
	}
}

static inline void twin_execute(struct twin_retime *t, size_t n)
{
	struct twin_insn *i = &t->insns[n];
	const struct twin_insn *store = i->r.marks & RETIRED_LOADS ? twin_store(t, n) : NULL;

	i->issued = i->dispatched + 1;
	twin_not_before(&i->issued, twin_source(t, n, i->r.rs[0]));
	for (unsigned k = 1; k < 3 && !(i->r.marks & RETIRED_STORES); k++)
		twin_not_before(&i->issued, twin_source(t, n, i->r.rs[k]));
	if (twin_has_branch(&t->c) && !(i->r.marks & RETIRED_STORES))
		i->issued += i->w.unit;
	if (store)
		twin_not_before(&i->issued,
				store->r.address <= i->r.address &&
						i->r.address + i->r.accessed <=
							store->r.address + store->r.accessed
					? store->completed
					: store->committed + 1 + t->c.l1d_latency);
	const bool waits_for_stores = t->c.disambiguation == DISAMBIGUATION_CONSERVATIVE ||
				      (twin_replays(&t->c) && i->r.marks & RETIRED_HELD);
	for (size_t k = 0; k < n && waits_for_stores && i->r.marks & RETIRED_LOADS; k++)
		if (t->insns[k].r.marks & RETIRED_STORES)
			twin_not_before(&i->issued, t->insns[k].issued + 1);
	twin_take_unit(t, i);
	if (i->r.marks & RETIRED_LOADS) {
		twin_load(t, n);
	} else if (i->r.marks & RETIRED_STORES) {
		i->completed = i->issued + 1;
		twin_not_before(&i->completed, twin_source(t, n, i->r.rs[1]));
	} else {
		i->completed = i->issued + twin_latency(&t->c, i->r.unit);
	}
}

/* How long a store that is complete waits for a place in the store buffer: what the run waited,
 * without the phases that this machine's stores do not have. */
static inline uint64_t twin_store_wait(const struct config *c, const struct cycle_waits *w)
{
	uint64_t wait = w->store[4];

	if (c->ideal_store || c->store_buffer == UNLIMITED)
		return 0;
	if (!c->ideal_dtlb)
		wait += c->ideal_walk ? w->store[0] - w->store_walk : w->store[0];
	if (!c->ideal_l1d)
		wait += w->store[1];
	if (twin_has_l2d(c))
		wait += w->store[2] + w->store[3] - (c->ideal_bandwidth ? w->store_queue : 0);
	return wait;
}

/* Times the next instruction. */
static inline void twin_retime(struct twin_retime *t, const struct cycle_retired *r,
			       const struct cycle_waits *waits)
{
	const size_t n = t->count++;
	struct twin_insn *i = &t->insns[n];
	const struct twin_insn *other;

	*i = (struct twin_insn){.r = *r};
	if (waits)
		i->w = *waits;
	twin_fetch(t, n);
	twin_dispatch(t, n);
	twin_execute(t, n);
	i->committed = i->completed;
	if ((other = twin_before(t, n, 1)))
		twin_not_before(&i->committed, other->committed);
	twin_not_before(&i->committed,
			(other = twin_before(t, n, t->c.commit_width)) ? other->committed + 1 : 1);
	i->committed += twin_store_wait(&t->c, &i->w);
	if (i->r.marks & RETIRED_MISPREDICTED)
		t->wrong_cycles = i->completed - i->fetched;
}

#endif
