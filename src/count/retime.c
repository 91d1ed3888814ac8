#include "count/retime.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "core/frontend.h"
#include "isa/insn.h"

/* Recent stores by granule, lines and pages on their way. What is older has arrived. */
#define STORES	     512
#define GRANULE_BITS 3
#define LINES	     512
#define PAGES	     64
#define NONE	     UINT64_MAX
#define UNIT_CYCLES  256  /* cycles of the tables of units */
#define COUNT_BITS   5	  /* of an entry of such a table */
#define QUEUE_CYCLES 4096 /* cycles in which instructions leave the issue queue */
#define MSHRS_MAX    64	  /* more are as good as unlimited */

enum unit_kind { KIND_ALU, KIND_MULDIV, KIND_MEMORY, KIND_FP_ADD, KIND_FP_MULDIV, KIND_ALL, KINDS };
enum queue { QUEUE_INT, QUEUE_MEMORY, QUEUE_FP, QUEUES };

static const uint8_t unit_kinds[UNIT_COUNT] = {
	[UNIT_MUL] = KIND_MULDIV,	[UNIT_DIV] = KIND_MULDIV,	[UNIT_LOAD] = KIND_MEMORY,
	[UNIT_STORE] = KIND_MEMORY,	[UNIT_AMO] = KIND_MEMORY,	[UNIT_FP_ADD] = KIND_FP_ADD,
	[UNIT_FP_MUL] = KIND_FP_MULDIV, [UNIT_FP_DIV] = KIND_FP_MULDIV,
};

/* One machine and its time. */
struct machine {
	/* Parameters. */
	uint32_t fetch_width, fetch_buffer, decode_width, room, stages, dispatch_width,
		commit_width;
	uint32_t rob_size, lsq_size, store_buffer, max_branches;
	uint32_t queue_size[QUEUES]; /* UNLIMITED: never full */
	bool is_split, has_queue;
	uint32_t units[KINDS], latency[UNIT_COUNT], busy[UNIT_COUNT];
	uint32_t l1d_latency, mshrs;
	/* What a miss in the L1 takes, and beyond that a miss in the L2. */
	uint32_t near_latency, far_latency;
	bool has_branch, has_fetch[4], has_data[4], has_walk, has_queueing, has_pending;
	bool is_conservative, has_replay;

	/* Fetch. */
	uint64_t group_at, group_line; /* of the current group */
	uint32_t group_count;	       /* its instructions; 0: none, a group begins */
	uint64_t redirect_at;	       /* fetch does not go on before */
	/* Of the last mispredicted branch: the cycles from its fetch to its resolution. */
	uint64_t wrong_cycles;

	/* By instruction number modulo ring_mask + 1. */
	uint64_t *fed, *dispatched, *committed;
	uint64_t *memory_committed,
		*branch_committed; /* by number of memory operation, of branch */
	uint64_t serialised_until; /* nothing dispatches before */
	uint64_t stores_known;	   /* all stores have addresses from here on */
	uint64_t regs[REG_COUNT];
	/* How many units of a kind are taken in a cycle, which the upper bits tell: an entry of
	 * another cycle counts as 0. */
	uint32_t taken[KINDS][UNIT_CYCLES];
	/* The issue queues: instructions in them at cycle queue_at, and those that leave later. */
	uint64_t queue_at;
	uint32_t queued[QUEUES];
	uint16_t leaving[QUEUES][QUEUE_CYCLES];
	uint32_t unit_cycles;
	uint64_t stamp_most; /* no stamp is further than this from the last commit */
	uint64_t mshr_free[MSHRS_MAX];
	uint64_t store_done[STORES], store_issued[STORES], store_written_at[STORES], line_at[LINES],
		far_line_at[LINES], page_at[PAGES];
};

struct store {
	uint64_t granule, address, number;
	uint8_t bytes;
};

/* What all machines share of an instruction being timed. */
struct step {
	struct cycle_retired insn;
	const struct cycle_waits *waits;	       /* NULL: none */
	uint64_t line;				       /* of its first byte */
	uint64_t number, memory_number, branch_number; /* its own, or the next one's */
	bool follows_taken;
	/* Indices in the tables; whether the entry found there is of this access. */
	unsigned stores[2]; /* those of its first and its last byte */
	unsigned store, data_line, far_line, page;
	bool has_store, covers, has_line, has_far_line, has_page;
	bool misses_tlb, misses_l1, misses_l2, is_brought;
	enum unit_kind kind;
	enum queue queue;
};

struct retime {
	struct machine **machines;
	unsigned count;
	uint64_t *commits; /* RETIME_BATCH of each machine */
	/* Instructions are timed in batches, machine by machine, whose state then stays in the
	 * host's first cache: 8 machines took chess from 0.09 s to 0.44 s one instruction at a
	 * time. */
	struct step steps[RETIME_BATCH];
	struct cycle_waits waits[RETIME_BATCH];
	unsigned step_count, wait_count;
	uint64_t *last; /* of each machine: when the last instruction commits */
	uint64_t ring_mask;
	struct retime_limits limits;
	uint64_t number, memory_number, branch_number; /* of the next */
	bool was_taken;				       /* the last instruction */
	uint32_t line_bits, data_line_bits, far_line_bits, page_bits;
	struct store stores[STORES];
	uint64_t lines[LINES], far_lines[LINES], pages[PAGES];
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint32_t log2_of(uint32_t power)
{
	return (uint32_t)__builtin_ctz(power);
}

static void set_latencies(struct machine *m, const struct config *c)
{
	for (unsigned unit = 0; unit < UNIT_COUNT; unit++)
		m->latency[unit] = c->int_alu_latency;
	m->latency[UNIT_MUL] = c->int_mul_latency;
	m->latency[UNIT_DIV] = c->int_div_latency;
	m->latency[UNIT_FP_ADD] = c->fp_add_latency;
	m->latency[UNIT_FP_MUL] = c->fp_mul_latency;
	m->latency[UNIT_FP_DIV] = c->fp_div_latency;
	for (unsigned unit = 0; unit < UNIT_COUNT; unit++) {
		if (c->ideal_units)
			m->latency[unit] = 1;
		m->busy[unit] = (unit == UNIT_DIV || unit == UNIT_FP_DIV) && !c->ideal_ports
					? m->latency[unit]
					: 1;
	}
	m->latency[UNIT_STORE] = 1;
	m->l1d_latency = c->l1d_latency;
	m->near_latency = c->cache_levels > 1 ? c->l2_latency : c->memory_latency;
	m->far_latency = c->cache_levels > 1 ? c->memory_latency : 0;
}

static void set_units(struct machine *m, const struct config *c)
{
	m->units[KIND_ALU] = c->int_alu_count;
	m->units[KIND_MULDIV] = c->int_muldiv_count;
	m->units[KIND_MEMORY] = c->memory_ports;
	m->units[KIND_FP_ADD] = c->fp_add_count;
	m->units[KIND_FP_MULDIV] = c->fp_muldiv_count;
	for (unsigned i = 0; c->ideal_ports && i < KIND_ALL; i++)
		m->units[i] = c->issue_width;
	m->units[KIND_ALL] = c->issue_width;
}

static void set_queues(struct machine *m, const struct config *c)
{
	m->is_split = c->issue_queue_kind == ISSUE_QUEUE_SPLIT;
	m->queue_size[QUEUE_INT] = m->is_split ? c->issue_queue_int : c->issue_queue_size;
	m->queue_size[QUEUE_MEMORY] = c->issue_queue_memory;
	m->queue_size[QUEUE_FP] = c->issue_queue_fp;
	m->has_queue = m->queue_size[QUEUE_INT] < c->rob_size ||
		       (m->is_split && (m->queue_size[QUEUE_MEMORY] < c->rob_size ||
					m->queue_size[QUEUE_FP] < c->rob_size));
}

static void set_causes(struct machine *m, const struct config *c)
{
	const bool has_l1i = !c->ideal_l1i, has_l1d = !c->ideal_l1d;

	m->has_branch = !c->ideal_branch && c->predictor_kind != PREDICTOR_PERFECT;
	m->has_fetch[0] = !c->ideal_itlb;
	m->has_fetch[1] = has_l1i;
	m->has_fetch[2] = m->has_fetch[3] = has_l1i && (!c->ideal_l2i || c->cache_levels < 2);
	m->has_data[0] = !c->ideal_dtlb;
	m->has_data[1] = has_l1d;
	m->has_data[2] = m->has_data[3] = has_l1d && (!c->ideal_l2d || c->cache_levels < 2);
	m->has_walk = !c->ideal_walk;
	m->has_queueing = !c->ideal_bandwidth;
	m->has_pending = !c->ideal_pending;
	m->is_conservative = c->disambiguation == DISAMBIGUATION_CONSERVATIVE;
	m->has_replay = c->disambiguation == DISAMBIGUATION_PREDICT && !c->ideal_replay;
	m->mshrs = c->l1d_mshrs <= MSHRS_MAX ? c->l1d_mshrs : 0;
}

static struct machine *machine_create(const struct config *c, uint64_t ring)
{
	struct machine *m = mem_alloc(sizeof(*m));

	m->fetch_width = c->fetch_width;
	m->fetch_buffer = c->fetch_buffer;
	m->decode_width = c->decode_width;
	m->stages = frontend_stages(c);
	m->room = frontend_room(c);
	m->dispatch_width = c->dispatch_width;
	m->commit_width = c->commit_width;
	m->rob_size = c->rob_size;
	/* A larger one is never full; and the rings need not hold as much. */
	m->lsq_size = c->lsq_size < c->rob_size ? c->lsq_size : c->rob_size;
	m->store_buffer = c->ideal_store ? UNLIMITED : c->store_buffer;
	m->max_branches = c->max_branches;
	set_latencies(m, c);
	set_units(m, c);
	set_queues(m, c);
	set_causes(m, c);
	m->fed = mem_alloc_array(ring, sizeof(*m->fed));
	m->dispatched = mem_alloc_array(ring, sizeof(*m->dispatched));
	m->committed = mem_alloc_array(ring, sizeof(*m->committed));
	m->memory_committed = mem_alloc_array(ring, sizeof(*m->memory_committed));
	m->branch_committed = mem_alloc_array(ring, sizeof(*m->branch_committed));
	return m;
}

static void machine_destroy(struct machine *m)
{
	free(m->fed);
	free(m->dispatched);
	free(m->committed);
	free(m->memory_committed);
	free(m->branch_committed);
	free(m);
}

struct retime *retime_create(const struct config *machines, unsigned count)
{
	static const struct retime_limits none = {
		.stores = STORES, .lines = LINES, .pages = PAGES, .unit_cycles = UNIT_CYCLES};

	return retime_create_limited(machines, count, &none);
}

struct retime *retime_create_limited(const struct config *machines, unsigned count,
				     const struct retime_limits *limits)
{
	struct retime *r = mem_alloc(sizeof(*r));
	uint64_t ring = 64;

	for (unsigned i = 0; i < count; i++)
		while (ring <= frontend_in_flight(&machines[i]) ||
		       (ring <= machines[i].store_buffer && machines[i].store_buffer != UNLIMITED))
			ring *= 2;
	r->ring_mask = ring - 1;
	r->count = count;
	r->commits = mem_alloc_array((size_t)count * RETIME_BATCH, sizeof(*r->commits));
	r->last = mem_alloc_array(count, sizeof(*r->last));
	r->machines = mem_alloc_array(count, sizeof(struct machine *));
	for (unsigned i = 0; i < count; i++)
		r->machines[i] = machine_create(&machines[i], ring);
	for (unsigned i = 0; i < count; i++) {
		r->machines[i]->unit_cycles = limits->unit_cycles;
		r->machines[i]->stamp_most =
			limits->stamp_bits ? (UINT64_C(1) << limits->stamp_bits) - 1 : NONE;
	}
	/* Instruction numbers begin so high that those before the first are in the rings too. */
	r->number = r->memory_number = r->branch_number = ring;
	r->line_bits = log2_of(machines->l1i_line);
	r->data_line_bits = log2_of(machines->l1d_line);
	r->far_line_bits =
		log2_of(machines->cache_levels > 1 ? machines->l2_line : machines->l1d_line);
	r->page_bits = log2_of(machines->page_bytes);
	r->was_taken = true;
	r->limits = *limits;
	BUG_ON(limits->stores > STORES || limits->lines > LINES || limits->pages > PAGES ||
	       limits->unit_cycles > UNIT_CYCLES);
	for (unsigned i = 0; i < STORES; i++)
		r->stores[i].granule = NONE;
	for (unsigned i = 0; i < LINES; i++)
		r->lines[i] = r->far_lines[i] = NONE;
	for (unsigned i = 0; i < PAGES; i++)
		r->pages[i] = NONE;
	return r;
}

void retime_destroy(struct retime *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->count; i++)
		machine_destroy(r->machines[i]);
	free(r->machines);
	free(r->commits);
	free(r->last);
	free(r);
}

static uint64_t fetch_wait(const struct machine *m, const struct cycle_waits *w)
{
	uint64_t wait = 0;

	for (unsigned i = 0; i < 4; i++)
		wait += m->has_fetch[i] ? w->fetch[i] : 0;
	if (!m->has_walk && m->has_fetch[0])
		wait -= w->fetch_walk;
	if (!m->has_queueing && m->has_fetch[2])
		wait -= w->fetch_queue < wait ? w->fetch_queue : wait;
	return wait;
}

/* Whether no wrong path brings in a line on this machine, which one brought in so many cycles after
 * its branch was fetched: it has none, or the branch resolves earlier. */
static bool is_not_brought(const struct machine *m, uint64_t after)
{
	return !m->has_branch || after >= m->wrong_cycles;
}

/* What a line takes that only a wrong path has brought in, on a machine without wrong paths. */
static uint64_t brought_wait(const struct machine *m, const bool has[4], bool is_far)
{
	return (has[1] ? m->near_latency : 0) + (has[2] && is_far ? m->far_latency : 0);
}

/* The cycle in which the instruction is fetched. */
static uint64_t fetch(const struct retime *r, struct machine *m, const struct step *s)
{
	const uint64_t mask = r->ring_mask, n = s->number;
	/* The buffer has room once the instruction so many places before has been fed. */
	uint64_t from = m->fed[(n - m->fetch_buffer) & mask] + 1;
	bool begins = !m->group_count || s->follows_taken || s->line != m->group_line ||
		      m->group_count == m->fetch_width;

	from = later(from, m->redirect_at);
	if (s->insn.marks & RETIRED_DRAINED)
		from = later(from, m->committed[(n - 1) & mask]);
	if (UNLIKELY(s->insn.marks & RETIRED_BRANCH) && m->max_branches <= mask)
		from = later(from,
			     m->branch_committed[(s->branch_number - m->max_branches) & mask]);
	uint64_t wait = s->waits ? fetch_wait(m, s->waits) : 0;
	if (UNLIKELY(s->insn.marks & RETIRED_FETCH_BROUGHT) &&
	    is_not_brought(m, s->waits->fetch_brought))
		wait += brought_wait(m, m->has_fetch, s->insn.marks & RETIRED_FETCH_BROUGHT_FAR);
	if (begins || from > m->group_at || wait) {
		m->group_at = later(from, m->group_at + (m->group_count > 0)) + wait;
		m->group_line = s->line;
		m->group_count = 0;
	}
	m->group_count++;
	return m->group_at;
}

static uint64_t feed(const struct retime *r, const struct machine *m, const struct step *s,
		     uint64_t fetched)
{
	const uint64_t mask = r->ring_mask, n = s->number;
	uint64_t at = later(fetched, m->fed[(n - 1) & mask]);

	at = later(at, m->fed[(n - m->decode_width) & mask] + 1);
	return later(at, m->dispatched[(n - m->room) & mask]);
}

/* Lets time pass in the issue queues. */
static void leave_queues(struct machine *m, uint64_t now)
{
	for (; m->queue_at < now; m->queue_at++)
		for (unsigned q = 0; q < QUEUES; q++) {
			uint16_t *leaving = &m->leaving[q][(m->queue_at + 1) % QUEUE_CYCLES];

			m->queued[q] -= *leaving;
			*leaving = 0;
		}
}

static uint64_t dispatch(const struct retime *r, struct machine *m, const struct step *s,
			 uint64_t fed)
{
	const uint64_t mask = r->ring_mask, n = s->number;
	const unsigned marks = s->insn.marks;
	uint64_t at = later(fed + m->stages, m->dispatched[(n - 1) & mask]);

	at = later(at, m->dispatched[(n - m->dispatch_width) & mask] + 1);
	at = later(at, m->committed[(n - m->rob_size) & mask]);
	at = later(at, m->serialised_until);
	if (marks & (RETIRED_LOADS | RETIRED_STORES))
		at = later(at, m->memory_committed[(s->memory_number - m->lsq_size) & mask]);
	if (UNLIKELY(marks & RETIRED_SERIALISES))
		at = later(at, m->committed[(n - 1) & mask]);
	if (m->has_queue) {
		const enum queue q = m->is_split ? s->queue : QUEUE_INT;

		leave_queues(m, at);
		while (m->queued[q] >= m->queue_size[q])
			leave_queues(m, ++at);
		m->queued[q]++;
	}
	return at;
}

static inline uint32_t taken_in(const struct machine *m, unsigned kind, uint64_t cycle)
{
	const uint32_t taken = m->taken[kind][cycle & (m->unit_cycles - 1)];

	return taken >> COUNT_BITS == (uint32_t)cycle << COUNT_BITS >> COUNT_BITS
		       ? taken % (1u << COUNT_BITS)
		       : 0;
}

static inline void take(struct machine *m, unsigned kind, uint64_t cycle)
{
	m->taken[kind][cycle & (m->unit_cycles - 1)] =
		(uint32_t)cycle << COUNT_BITS | (taken_in(m, kind, cycle) + 1);
}

/* The first cycle from `at` on in which a unit is free. An operation that holds its unit takes as
 * many cycles as are free from there on, which need not be one after the other: an older operation
 * that begins later has been timed already, and would wait. */
static uint64_t find_unit(struct machine *m, const struct step *s, uint64_t at)
{
	const uint32_t count = m->units[s->kind];
	uint32_t busy = m->busy[s->insn.unit];

	while (taken_in(m, s->kind, at) >= count || taken_in(m, KIND_ALL, at) >= m->units[KIND_ALL])
		at++;
	take(m, KIND_ALL, at);
	take(m, s->kind, at);
	for (uint64_t cycle = at + 1; busy > 1 && cycle - at < m->unit_cycles; cycle++) {
		if (taken_in(m, s->kind, cycle) >= count)
			continue;
		take(m, s->kind, cycle);
		busy--;
	}
	return at;
}

/* The end of a load's TLB phase. */
static uint64_t translate(struct machine *m, const struct step *s, uint64_t at)
{
	if (!m->has_data[0])
		return at;
	if (s->waits && s->misses_tlb) {
		at += s->waits->data[0] - (m->has_walk ? 0 : s->waits->data_walk);
		m->page_at[s->page] = at;
	} else if (s->has_page) {
		at = later(at, m->page_at[s->page]);
	}
	return at;
}

/* An MSHR for a miss that begins in cycle `at`, or the first in which one is free. */
static uint64_t *find_mshr(struct machine *m)
{
	unsigned best = 0;

	for (unsigned i = 1; i < m->mshrs; i++)
		if (m->mshr_free[i] < m->mshr_free[best])
			best = i;
	return &m->mshr_free[best];
}

static uint64_t far_wait(const struct machine *m, const struct cycle_waits *w)
{
	uint64_t wait = (uint64_t)w->data[2] + w->data[3];

	return m->has_queueing ? wait : wait - (w->data_queue < wait ? w->data_queue : wait);
}

/* A load that missed in the L1: when its data is there. `at` is when the L1 has answered. */
static uint64_t miss(struct machine *m, const struct step *s, uint64_t at)
{
	const struct cycle_waits *w = s->waits;
	uint64_t done = at + (w ? w->data[1] : 0);

	if (m->has_data[2] && w) {
		if (s->misses_l2)
			m->far_line_at[s->far_line] = done += far_wait(m, w);
		else if (s->has_far_line)
			done = later(done, m->far_line_at[s->far_line]);
		else
			done += far_wait(m, w);
	}
	m->line_at[s->data_line] = done;
	return done;
}

/* When the data of a load that issues in cycle *at is there. The load may have to wait for an MSHR
 * before it issues. */
static uint64_t load(struct machine *m, const struct step *s, uint64_t *at)
{
	uint64_t done;

	/* A load that missed has not read from the store, which was written already. */
	if ((s->has_store && !s->misses_l1 && !s->misses_tlb) || !s->insn.accessed)
		return *at + m->l1d_latency;
	if (UNLIKELY(s->is_brought) && m->has_data[1] &&
	    is_not_brought(m, s->waits->data_brought)) {
		done = translate(m, s, *at) + m->l1d_latency +
		       brought_wait(m, m->has_data, s->insn.marks & RETIRED_DATA_BROUGHT_FAR);
		return m->line_at[s->data_line] = done;
	}
	if (s->is_brought)
		m->line_at[s->data_line] = 0;
	if (!s->misses_l1 || !m->has_data[1]) {
		done = translate(m, s, *at) + m->l1d_latency;
		if (!m->has_data[1] || !m->has_pending)
			return done;
		if (s->has_line)
			return later(done, m->line_at[s->data_line]);
		if (s->waits && !s->misses_l1)
			done += s->waits->data[1] + (m->has_data[2] ? far_wait(m, s->waits) : 0);
		return done;
	}
	uint64_t *mshr = m->mshrs ? find_mshr(m) : NULL;
	if (mshr)
		*at = later(*at, *mshr);
	done = miss(m, s, translate(m, s, *at) + m->l1d_latency);
	if (mshr)
		*mshr = done;
	return done;
}

/* The first cycle in which the instruction may issue as far as its sources go. */
static uint64_t ready(const struct machine *m, const struct step *s, uint64_t dispatched)
{
	const struct cycle_retired *insn = &s->insn;
	uint64_t at = later(dispatched + 1, m->regs[insn->rs[0]]);

	if (insn->marks & RETIRED_STORES)
		return at; /* its data comes when it comes */
	at = later(at, m->regs[insn->rs[1]]);
	at = later(at, m->regs[insn->rs[2]]);
	if (UNLIKELY(s->waits) && m->has_branch)
		at += s->waits->unit;
	if (!(insn->marks & RETIRED_LOADS))
		return at;
	if (m->is_conservative || (m->has_replay && insn->marks & RETIRED_HELD))
		at = later(at, m->stores_known);
	if (s->has_store)
		at = later(at, s->covers ? m->store_done[s->store] : m->store_written_at[s->store]);
	return at;
}

static uint64_t complete(struct machine *m, const struct step *s, uint64_t issued)
{
	const struct cycle_retired *insn = &s->insn;

	if (insn->marks & RETIRED_STORES) {
		m->stores_known = later(m->stores_known, issued + 1);
		return later(issued + 1, m->regs[insn->rs[1]]);
	}
	return issued + m->latency[insn->unit];
}

static uint64_t commit(const struct retime *r, const struct machine *m, const struct step *s,
		       uint64_t completed)
{
	const uint64_t mask = r->ring_mask, n = s->number;
	uint64_t at = later(completed, m->committed[(n - 1) & mask]);

	at = later(at, m->committed[(n - m->commit_width) & mask] + 1);
	if (s->waits && m->store_buffer != UNLIMITED) {
		for (unsigned i = 0; i < 4; i++)
			at += m->has_data[i] ? s->waits->store[i] : 0;
		at += s->waits->store[4];
	}
	return at;
}

static void redirect(struct machine *m, const struct step *s, uint64_t fed, uint64_t completed,
		     uint64_t committed)
{
	const unsigned marks = s->insn.marks;

	if (m->has_branch && marks & RETIRED_MISPREDICTED) {
		m->redirect_at = completed;
		m->wrong_cycles = completed - m->group_at;
		m->group_count = 0;
	} else if (m->has_branch && marks & RETIRED_MISFETCHED) {
		m->redirect_at = fed + FRONTEND_DECODE_REDIRECT_CYCLES;
	}
	if (marks & RETIRED_SERIALISES)
		m->serialised_until = committed;
}

static inline uint64_t time_on(const struct retime *r, struct machine *m, const struct step *s)
{
	const uint64_t at = s->number & r->ring_mask;
	const unsigned marks = s->insn.marks;

	/* A load that read too early was fetched again once the store had its address. */
	if (UNLIKELY(marks & RETIRED_REPLAYED) && m->has_replay && s->has_store) {
		m->redirect_at = later(m->redirect_at, m->store_issued[s->store] + 1);
		m->group_count = 0;
	}
	const uint64_t fed = feed(r, m, s, fetch(r, m, s));
	const uint64_t dispatched = dispatch(r, m, s, fed);
	uint64_t issued = find_unit(m, s, ready(m, s, dispatched));
	uint64_t completed;

	if (marks & RETIRED_LOADS)
		completed = load(m, s, &issued);
	else
		completed = complete(m, s, issued);
	const uint64_t last = m->committed[(s->number - 1) & r->ring_mask];
	if (UNLIKELY(completed > last && completed - last > m->stamp_most))
		completed = last + m->stamp_most;
	if (!(marks & RETIRED_STORES))
		m->regs[s->insn.rd] = completed;
	const uint64_t committed = commit(r, m, s, completed);
	if (m->has_queue) {
		uint64_t stays = issued > m->queue_at ? issued : m->queue_at + 1;

		if (stays - m->queue_at >= QUEUE_CYCLES)
			stays = m->queue_at + QUEUE_CYCLES - 1;
		m->leaving[m->is_split ? s->queue : QUEUE_INT][stays % QUEUE_CYCLES]++;
	}
	m->regs[0] = 0;
	m->fed[at] = fed;
	m->dispatched[at] = dispatched;
	m->committed[at] = committed;
	if (marks & (RETIRED_LOADS | RETIRED_STORES))
		m->memory_committed[s->memory_number & r->ring_mask] = committed;
	if (marks & RETIRED_BRANCH)
		m->branch_committed[s->branch_number & r->ring_mask] = committed;
	if (marks & RETIRED_STORES) {
		for (unsigned i = 0; i < 2; i++) {
			m->store_done[s->stores[i]] = completed;
			m->store_issued[s->stores[i]] = issued;
			m->store_written_at[s->stores[i]] = committed + 1 + m->l1d_latency;
		}
	}
	redirect(m, s, fed, completed, committed);
	return committed;
}

static void find_access(const struct retime *r, struct step *s)
{
	const struct cycle_retired *insn = &s->insn;
	const uint64_t granules[] = {insn->address >> GRANULE_BITS,
				     (insn->address + (insn->accessed ? insn->accessed - 1 : 0)) >>
					     GRANULE_BITS};
	uint64_t youngest = 0;
	const uint64_t line = insn->address >> r->data_line_bits;
	const uint64_t far_line = insn->address >> r->far_line_bits;
	const uint64_t page = insn->address >> r->page_bits;

	for (unsigned i = 0; i < 2; i++) {
		const struct store *store =
			&r->stores[s->stores[i] = granules[i] & (r->limits.stores - 1)];

		if (insn->marks & RETIRED_STORES || store->granule != granules[i] ||
		    store->number < youngest || store->address >= insn->address + insn->accessed ||
		    insn->address >= store->address + store->bytes)
			continue;
		youngest = store->number;
		s->has_store = true;
		s->store = s->stores[i];
		s->covers = store->address <= insn->address &&
			    insn->address + insn->accessed <= store->address + store->bytes;
	}
	if (insn->marks & RETIRED_STORES)
		return;
	s->data_line = line & (r->limits.lines - 1);
	s->far_line = far_line & (r->limits.lines - 1);
	s->page = page & (r->limits.pages - 1);
	s->has_line = r->lines[s->data_line] == line;
	s->has_far_line = r->far_lines[s->far_line] == far_line;
	s->has_page = r->pages[s->page] == page;
	s->misses_tlb = insn->tags & DATA_MISS_TLB;
	s->misses_l1 = insn->tags & DATA_MISS_L1;
	s->misses_l2 = insn->tags & DATA_MISS_L2;
	s->is_brought = insn->marks & RETIRED_DATA_BROUGHT && !s->has_line;
}

static void keep_access(struct retime *r, const struct step *s)
{
	const struct cycle_retired *insn = &s->insn;

	if (insn->marks & RETIRED_STORES) {
		for (unsigned i = 0; i < 2; i++)
			r->stores[s->stores[i]] =
				(struct store){(insn->address >> GRANULE_BITS) +
						       (i && s->stores[1] != s->stores[0]),
					       insn->address, r->number, insn->accessed};
		return;
	}
	if (s->misses_l1 || s->is_brought)
		r->lines[s->data_line] = insn->address >> r->data_line_bits;
	if (s->misses_l2)
		r->far_lines[s->far_line] = insn->address >> r->far_line_bits;
	if (s->misses_tlb)
		r->pages[s->page] = insn->address >> r->page_bits;
}

static void time_batch(struct retime *r)
{
	for (unsigned i = 0; i < r->count && r->step_count; i++) {
		struct machine *m = r->machines[i];
		uint64_t *commits = &r->commits[i * RETIME_BATCH];

		for (unsigned n = 0; n < r->step_count; n++)
			commits[n] = time_on(r, m, &r->steps[n]);
		r->last[i] = commits[r->step_count - 1];
	}
	r->step_count = r->wait_count = 0;
}

bool retime_add(struct retime *r, const struct cycle_retired *insn, const struct cycle_waits *waits)
{
	const bool accesses = insn->marks & (RETIRED_LOADS | RETIRED_STORES);
	struct step *s = &r->steps[r->step_count];

	*s = (struct step){.insn = *insn,
			   .line = insn->pc >> r->line_bits,
			   .number = r->number,
			   .memory_number = r->memory_number,
			   .branch_number = r->branch_number,
			   .follows_taken = r->was_taken,
			   .kind = unit_kinds[insn->unit]};
	s->queue = s->kind == KIND_MEMORY				 ? QUEUE_MEMORY
		   : s->kind == KIND_FP_ADD || s->kind == KIND_FP_MULDIV ? QUEUE_FP
									 : QUEUE_INT;
	if (waits) {
		r->waits[r->wait_count] = *waits;
		s->waits = &r->waits[r->wait_count++];
	}
	if (accesses) {
		find_access(r, s);
		keep_access(r, s);
	}
	r->number++;
	r->memory_number += accesses;
	r->branch_number += !!(insn->marks & RETIRED_BRANCH);
	r->was_taken = insn->marks & RETIRED_TAKEN;
	return ++r->step_count == RETIME_BATCH;
}

const uint64_t *retime_run(struct retime *r)
{
	time_batch(r);
	return r->commits;
}

void retime_step(struct retime *r, const struct cycle_retired *insn,
		 const struct cycle_waits *waits)
{
	if (retime_add(r, insn, waits))
		time_batch(r);
}

void retime_cycle(struct retime *r, const struct cycle *cycle)
{
	const struct cycle_waits *waits = cycle->waits;

	for (unsigned i = 0; i < cycle->committed; i++) {
		const struct cycle_retired *insn = &cycle->retired[i];

		retime_step(r, insn, insn->has_waits ? waits++ : NULL);
	}
}

const uint64_t *retime_commits(struct retime *r)
{
	time_batch(r);
	return r->last;
}
