#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/err.h"
#include "core/frontend.h"
#include "count/exact.h"

#define PAGE_BITS	  12
#define PAGE_INSTRUCTIONS (1u << (PAGE_BITS - 1))
#define CACHED_PAGES	  64
/* A program that executes more pages or instructions than this is there to fill memory: about 0.5
 * and 0.8 GB. Further instructions share one row. */
#define PAGES_MAX (1u << 16)
#define ROWS_MAX  (1u << 22)

/* Indices of the rows of the instructions in one page of code, by address; 0: no row yet. */
struct page {
	uint64_t number;
	uint32_t rows[PAGE_INSTRUCTIONS];
};

/* The reason why less than the full width was fed into the pipeline in a cycle, and the pc it is
 * charged to. */
struct gap {
	uint64_t pc;
	uint8_t cause;
};

struct exact {
	struct config config;
	uint32_t width;

	struct page **pages; /* in ascending order of number */
	size_t page_count, page_capacity;
	struct page *cached[CACHED_PAGES]; /* by the low bits of the page number; may be NULL */
	struct exact_row *rows;		   /* row 0 belongs to no instruction */
	size_t row_count, row_capacity;
	uint32_t shared_row; /* the one of instructions beyond the limits; 0: none yet */

	struct gap *gaps; /* of the last `depth` cycles, at the cycle's number modulo depth */
	uint64_t depth;	  /* cycles between feed and dispatch */
	uint64_t last_pc; /* the last right-path instruction dispatched */
	/* The last right-path instructions dispatched, by number modulo ring_size, which is at
	 * least what the window holds: those that have not committed are among them. */
	uint64_t *ring;
	uint64_t ring_size, dispatched;

	/* The pc of the mispredicted branch, at most one of which on the right path is unresolved
	 * at a time; while refilling after a replay, that of the load. */
	uint64_t culprit;
	enum cause refills_after; /* CAUSE_BRANCH or CAUSE_REPLAY */
	uint64_t replayed;	  /* the pc of the load that was replayed last */
	bool is_wrong;		  /* the branch has dispatched and not resolved */
	/* Number of instructions that the window would hold if the right path had dispatched at
	 * full width since the branch. */
	uint64_t would_hold;
	/* The branch has resolved, or the load is replayed, and the front end is not full again. */
	bool is_refilling;

	/* Slots lost after the branch while the oldest instruction waits for a long data miss. If
	 * the branch resolves before the miss ends, they are charged to the branch. Otherwise
	 * they are charged to the miss, because the branch waited for it. */
	uint64_t undecided[CAUSE_COUNT];
	uint64_t undecided_pc;
	bool has_undecided;

	uint64_t slots[CAUSE_COUNT];
	struct exact_thread *threads;
	size_t thread_count, thread_capacity, thread;
	uint64_t thread_before[CAUSE_COUNT]; /* the sums when the thread began to run */

	uint64_t interval; /* length in instructions; 0: no intervals */
	struct exact_interval *intervals;
	size_t interval_count, interval_capacity;
	struct exact_interval before; /* the sums at the end of the last interval */
	uint64_t committed, cycles;
};

static uint32_t push_row(struct exact *exact, uint64_t pc)
{
	*ARRAY_PUSH(exact->rows, exact->row_count, exact->row_capacity) =
		(struct exact_row){.pc = pc};
	return (uint32_t)(exact->row_count - 1);
}

static void *create(const struct config *config, uint32_t slots)
{
	struct exact *exact = mem_alloc(sizeof(*exact));

	(void)slots;
	exact->config = *config;
	exact->width = shape_width(config);
	exact->depth = frontend_stages(config);
	exact->gaps = mem_alloc_array(exact->depth, sizeof(*exact->gaps));
	for (exact->ring_size = 1; exact->ring_size < config->rob_size + exact->width;)
		exact->ring_size *= 2;
	exact->ring = mem_alloc_array(exact->ring_size, sizeof(*exact->ring));
	push_row(exact, 0);
	return exact;
}

static void destroy(void *counter)
{
	struct exact *exact = counter;

	for (size_t i = 0; i < exact->page_count; i++)
		free(exact->pages[i]);
	free(exact->pages);
	free(exact->rows);
	free(exact->gaps);
	free(exact->ring);
	free(exact->threads);
	free(exact->intervals);
	free(exact);
}

/* The index of the page, or the index at which it would be inserted. */
static size_t page_place(const struct exact *exact, uint64_t number)
{
	size_t low = 0, high = exact->page_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (exact->pages[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* NULL if there are too many. */
static struct page *find_page(struct exact *exact, uint64_t number)
{
	size_t place = page_place(exact, number);

	if (place == exact->page_count || exact->pages[place]->number != number) {
		if (exact->page_count >= PAGES_MAX)
			return NULL;
		struct page *page = mem_alloc(sizeof(*page));

		page->number = number;
		ARRAY_PUSH(exact->pages, exact->page_count, exact->page_capacity);
		for (size_t i = exact->page_count - 1; i > place; i--)
			exact->pages[i] = exact->pages[i - 1];
		exact->pages[place] = page;
	}
	exact->cached[number % CACHED_PAGES] = exact->pages[place];
	return exact->pages[place];
}

static uint32_t shared_row(struct exact *exact)
{
	if (!exact->shared_row)
		exact->shared_row = push_row(exact, 0);
	return exact->shared_row;
}

static inline struct exact_row *row_of(struct exact *exact, uint64_t pc)
{
	uint64_t number = pc >> PAGE_BITS;
	struct page *page = exact->cached[number % CACHED_PAGES];

	if (UNLIKELY(!page || page->number != number))
		page = find_page(exact, number);
	if (UNLIKELY(!page))
		return &exact->rows[shared_row(exact)];
	uint32_t *row = &page->rows[pc / 2 % PAGE_INSTRUCTIONS];
	if (UNLIKELY(!*row))
		*row = exact->row_count < ROWS_MAX ? push_row(exact, pc) : shared_row(exact);
	return &exact->rows[*row];
}

static void charge(struct exact *exact, enum cause cause, uint64_t pc, uint64_t slots)
{
	row_of(exact, pc)->slots[cause] += slots;
	exact->slots[cause] += slots;
}

static enum cause fetch_cause(const struct cycle *c)
{
	if (UNLIKELY(c->excess & (EXCESS_FETCH_WALK | EXCESS_FETCH_BANDWIDTH)))
		return c->excess & EXCESS_FETCH_WALK ? CAUSE_WALK : CAUSE_BANDWIDTH;
	switch ((enum fetch_stall)c->fetch_stall) {
	case FETCH_ITLB: return CAUSE_ITLB;
	case FETCH_L1I: return CAUSE_L1I;
	case FETCH_L2I: return CAUSE_L2I;
	case FETCH_L3I: return CAUSE_L3I;
	case FETCH_MISFETCH: return CAUSE_BTB;
	case FETCH_TAKEN: return CAUSE_TAKEN;
	case FETCH_SERIALISE: return CAUSE_SERIALISE;
	default: return CAUSE_BASE;
	}
}

/* What the oldest instruction waits for. */
static enum cause head_cause(const struct cycle *c)
{
	static const uint8_t late_causes[] = {
		[LATE_INT_ALU] = CAUSE_UNIT_INT_ALU,
		[LATE_INT_MULDIV] = CAUSE_UNIT_INT_MULDIV,
		[LATE_MEMORY] = CAUSE_UNIT_MEMORY,
		[LATE_FP_ADD] = CAUSE_UNIT_FP_ADD,
		[LATE_WAIT] = CAUSE_WAIT,
		[LATE_FP_MULDIV] = CAUSE_UNIT_FP_MULDIV,
		[LATE_STORE_DTLB] = CAUSE_DTLB,
		[LATE_STORE_L1D] = CAUSE_L1D,
		[LATE_STORE_L2D] = CAUSE_L2D,
		[LATE_STORE_L3D] = CAUSE_L3D,
		[LATE_STORE_MSHR] = CAUSE_MSHR,
	};

	if (UNLIKELY(c->excess & (EXCESS_HEAD_WALK | EXCESS_HEAD_BANDWIDTH)))
		return c->excess & EXCESS_HEAD_WALK ? CAUSE_WALK : CAUSE_BANDWIDTH;
	if (c->head_late != LATE_NONE)
		return (enum cause)late_causes[c->head_late];
	switch ((enum head_state)c->head_state) {
	case HEAD_STORE: return CAUSE_STORE;
	case HEAD_UNIT: return CAUSE_LATENCY;
	case HEAD_DTLB: return CAUSE_DTLB;
	case HEAD_L1D: return CAUSE_L1D;
	case HEAD_L2D: return CAUSE_L2D;
	case HEAD_L3D: return CAUSE_L3D;
	case HEAD_MSHR: return CAUSE_MSHR;
	default: return CAUSE_DEPENDENCE;
	}
}

/* The reason why feed could not fill the pipeline; its effect on dispatch comes `depth` cycles
 * later. */
static struct gap gap_of(const struct exact *exact, const struct cycle *c)
{
	struct gap gap = {exact->last_pc, CAUSE_BASE};

	if (!c->fed && !c->buffer_used) {
		gap.cause = (uint8_t)fetch_cause(c);
		gap.pc = c->fetch_pc;
	}
	return gap;
}

/* Charges slots that the front end left empty, in each of the record's cycles: an empty slot at
 * dispatch is caused by what feed could not do `depth` cycles earlier. */
static void charge_gaps(struct exact *exact, const struct cycle *c, uint64_t slots)
{
	uint64_t looked_at = c->repeat < exact->depth ? c->repeat : exact->depth;

	for (uint64_t i = 0; i < looked_at; i++) {
		struct gap gap = exact->gaps[(c->number + i) % exact->depth];

		charge(exact, (enum cause)gap.cause, gap.cause ? gap.pc : exact->last_pc, slots);
	}
	if (c->repeat > looked_at) { /* the cause of the later cycles is in this record itself */
		struct gap gap = gap_of(exact, c);

		charge(exact, (enum cause)gap.cause, gap.cause ? gap.pc : exact->last_pc,
		       slots * (c->repeat - looked_at));
	}
}

/* Charges the undecided slots: to the branch if it has resolved, else to the miss. */
static void decide(struct exact *exact, bool is_branch)
{
	exact->has_undecided = false;
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++) {
		if (exact->undecided[i])
			charge(exact, is_branch ? CAUSE_BRANCH : i,
			       is_branch ? exact->culprit : exact->undecided_pc,
			       exact->undecided[i]);
		exact->undecided[i] = 0;
	}
}

static bool is_long_miss(const struct exact *exact, const struct cycle *c)
{
	unsigned last = HEAD_L1D + exact->config.cache_levels - 1;

	return !c->committed && (c->head_state == last || c->head_state == HEAD_DTLB);
}

/* While a misprediction is unresolved, the right path would have dispatched: at full width until
 * the window was full, and then only as instructions commit. That many of the lost slots are
 * charged to the branch; the others would have been lost to the oldest instruction in any case.
 * `slots` are lost in each cycle. */
static void charge_branch(struct exact *exact, const struct cycle *c, uint64_t slots)
{
	uint64_t room = shape_window(&exact->config) - exact->would_hold + c->committed;
	uint64_t could = slots * c->repeat < room ? slots * c->repeat : room;

	if (!exact->is_wrong)
		could = slots * c->repeat;
	if (exact->is_wrong && is_long_miss(exact, c)) {
		exact->undecided[head_cause(c)] += could;
		exact->undecided_pc = c->head_pc;
		exact->has_undecided = true;
	} else {
		charge(exact, CAUSE_BRANCH, exact->culprit, could);
	}
	if (could < slots * c->repeat)
		charge(exact, head_cause(c), c->head_pc, slots * c->repeat - could);
	exact->would_hold += could;
}

static void charge_empty(struct exact *exact, const struct cycle *c, uint64_t slots)
{
	struct gap now = gap_of(exact, c);

	if (exact->is_wrong)
		charge_branch(exact, c, slots);
	else if (!exact->is_refilling)
		charge_gaps(exact, c, slots);
	else if (now.cause == CAUSE_BASE || now.cause == CAUSE_SERIALISE)
		charge(exact, exact->refills_after, exact->culprit, slots * c->repeat);
	else
		charge(exact, (enum cause)now.cause, now.pc, slots * c->repeat);
}

static void charge_serialise(struct exact *exact, const struct cycle *c, uint64_t slots)
{
	enum cause cause = head_cause(c);

	if (exact->is_wrong)
		charge_branch(exact, c, slots);
	else
		charge(exact, cause == CAUSE_DEPENDENCE ? CAUSE_SERIALISE : cause,
		       c->head_pc ? c->head_pc : exact->last_pc, slots * c->repeat);
}

/* In order, the record names what stops issue. Behind a mispredicted branch, it is the branch. */
static void charge_order(struct exact *exact, const struct cycle *c, uint64_t slots)
{
	if (exact->is_wrong)
		charge_branch(exact, c, slots);
	else
		charge(exact, head_cause(c), c->head_pc, slots * c->repeat);
}

static void charge_lost(struct exact *exact, const struct cycle *c)
{
	uint64_t slots = exact->width - c->dispatched;

	uint64_t wrong = (uint64_t)(c->dispatched - c->useful_dispatched - c->again_dispatched);

	if (c->again_dispatched)
		charge(exact, CAUSE_REPLAY, exact->replayed, c->again_dispatched * c->repeat);
	if (wrong)
		charge_branch(exact, c, wrong);
	if (!slots)
		return;
	switch ((enum dispatch_stall)c->dispatch_stall) {
	case DISPATCH_ROB:
	case DISPATCH_IQ:
	case DISPATCH_LSQ: charge(exact, head_cause(c), c->head_pc, slots * c->repeat); break;
	case DISPATCH_ORDER: charge_order(exact, c, slots); break;
	case DISPATCH_SERIALISE: charge_serialise(exact, c, slots); break;
	default: charge_empty(exact, c, slots); break;
	}
}

static void take_events(struct exact *exact, const struct cycle *c)
{
	if (!(c->event_kinds & (EVENT_BIT(EVENT_MISPREDICT) | EVENT_BIT(EVENT_REPLAY) |
				EVENT_BIT(EVENT_BRANCH_DISPATCH))))
		return;
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		if (e->wrong_path)
			continue;
		if (e->kind == EVENT_MISPREDICT) {
			decide(exact, true);
			exact->is_wrong = false;
			exact->is_refilling = true;
			exact->refills_after = CAUSE_BRANCH;
		} else if (e->kind == EVENT_REPLAY) {
			decide(exact, false);
			exact->is_wrong = false;
			exact->is_refilling = true;
			exact->refills_after = CAUSE_REPLAY;
			exact->culprit = exact->replayed = e->pc;
		} else if (e->kind == EVENT_BRANCH_DISPATCH && e->mispredicted) {
			exact->is_wrong = true;
			exact->culprit = e->pc;
			/* The wrong path is not included; committed instructions are subtracted
			 * in cycle(). */
			exact->would_hold = (uint64_t)c->rob_used + c->committed +
					    c->useful_dispatched + c->again_dispatched -
					    c->dispatched;
		}
	}
}

static void find_thread(struct exact *exact, uint32_t id)
{
	for (exact->thread = 0; exact->thread < exact->thread_count; exact->thread++)
		if (exact->threads[exact->thread].id == id)
			return;
	*ARRAY_PUSH(exact->threads, exact->thread_count, exact->thread_capacity) =
		(struct exact_thread){.id = id};
}

static void close_thread(struct exact *exact)
{
	for (unsigned i = 0; exact->thread_count && i < CAUSE_COUNT; i++) {
		exact->threads[exact->thread].slots[i] += exact->slots[i] - exact->thread_before[i];
		exact->thread_before[i] = exact->slots[i];
	}
}

static void end_interval(struct exact *exact)
{
	decide(exact, false); /* every interval must add up */
	struct exact_interval *last = &exact->before;
	struct exact_interval *interval =
		ARRAY_PUSH(exact->intervals, exact->interval_count, exact->interval_capacity);

	interval->instructions = exact->committed - last->instructions;
	interval->cycles = exact->cycles - last->cycles;
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		interval->slots[i] = exact->slots[i] - last->slots[i];
		last->slots[i] = exact->slots[i];
	}
	last->instructions = exact->committed;
	last->cycles = exact->cycles;
}

static void cycle(void *counter, const struct cycle *c)
{
	struct exact *exact = counter;

	if (UNLIKELY(!exact->thread_count || exact->threads[exact->thread].id != c->thread)) {
		close_thread(exact);
		find_thread(exact, c->thread);
	}
	if (UNLIKELY(exact->has_undecided) && c->committed)
		decide(exact, false);
	/* Dispatch follows resolution in a cycle. A mispredicted branch is the last useful
	 * instruction that dispatches, so the remaining slots of its cycle are lost to it. */
	take_events(exact, c);
	for (unsigned i = 0; i < c->useful_dispatched; i++) {
		row_of(exact, c->useful_pcs[i])->dispatched += c->repeat;
		exact->ring[exact->dispatched++ & (exact->ring_size - 1)] = c->useful_pcs[i];
	}
	exact->slots[CAUSE_BASE] += c->useful_dispatched * c->repeat;
	if (c->useful_dispatched || c->again_dispatched) {
		/* The fetch buffer hides groups that taken branches cut short, but only once it
		 * contains instructions. */
		if (c->dispatch_stall != DISPATCH_EMPTY)
			exact->is_refilling = false;
	}
	if (c->useful_dispatched)
		exact->last_pc = c->useful_pcs[c->useful_dispatched - 1];
	if (c->useful_dispatched < exact->width)
		charge_lost(exact, c);
	if (exact->is_wrong)
		exact->would_hold -= c->committed;
	struct gap gap = gap_of(exact, c);
	for (uint64_t i = 0; i < c->repeat && i < exact->depth; i++)
		exact->gaps[(c->number + c->repeat - 1 - i) % exact->depth] = gap;
	exact->committed += c->committed;
	exact->cycles += c->repeat;
	if (exact->interval && exact->committed - exact->before.instructions >= exact->interval)
		end_interval(exact);
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	const struct exact *exact = counter;
	uint64_t shares[COMPONENT_COUNT] = {0};

	(void)cycles;
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		shares[cause_component(exact->config.cache_levels, i)] +=
			exact->slots[i] + exact->undecided[i];
	apportion(shares, COMPONENT_COUNT, exact->width, stack->cycles);
}

void exact_set_interval(struct exact *exact, uint64_t instructions)
{
	exact->interval = instructions;
}

uint64_t exact_slots_per_cycle(const struct exact *exact)
{
	return exact->width;
}

const uint64_t *exact_slots(struct exact *exact)
{
	decide(exact, false);
	return exact->slots;
}

/* How many of the instructions dispatched last have not committed: they commit in order. */
static uint64_t in_flight(const struct exact *exact)
{
	uint64_t count =
		exact->dispatched > exact->committed ? exact->dispatched - exact->committed : 0;

	return count < exact->ring_size ? count : exact->ring_size;
}

const struct exact_row *exact_rows(struct exact *exact, size_t *count)
{
	decide(exact, false);
	/* Base slots are added here, so that a dispatched instruction costs one write to its
	 * row. */
	for (size_t i = 0; i < exact->row_count; i++) {
		struct exact_row *row = &exact->rows[i];

		row->slots[CAUSE_BASE] += row->dispatched - row->settled;
		row->settled = row->executed = row->dispatched;
	}
	for (uint64_t i = in_flight(exact); i; i--)
		row_of(exact, exact->ring[(exact->dispatched - i) & (exact->ring_size - 1)])
			->executed--;
	*count = exact->row_count - 1;
	return exact->rows + 1;
}

const struct exact_thread *exact_threads(struct exact *exact, size_t *count)
{
	decide(exact, false);
	close_thread(exact);
	*count = exact->thread_count;
	return exact->threads;
}

const struct exact_interval *exact_intervals(struct exact *exact, size_t *count)
{
	if (exact->interval && exact->cycles > exact->before.cycles)
		end_interval(exact);
	*count = exact->interval_count;
	return exact->intervals;
}

const struct observer_kind count_exact = {
	.name = "exact",
	.summary = "every lost dispatch slot charged to a cause; uses what hardware cannot see",
	.charges_base = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = create,
	.cycle = cycle,
	.read = read,
	.destroy = destroy,
};
