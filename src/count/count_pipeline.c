#include "count/pipeline.h"

#include <stdlib.h>

#include "base/array.h"
#include "count/count.h"
#include "count/shadow.h"

/* A run of cycles in which nothing committed, with the same cause. */
struct pipeline_lost {
	uint64_t cycle, cycles;
	const char *cause; /* static */
};

struct pipeline {
	uint64_t from, to;
	uint64_t cycles; /* of the run */
	struct pipeline_row *rows;
	size_t row_count, row_capacity;
	struct pipeline_lost *lost;
	size_t lost_count, lost_capacity;
	uint32_t *row_of_slot; /* its number plus one; 0: not recorded */
	size_t in_flight;      /* recorded rows that have not ended */
	struct count_shadow shadow;
};

static void *create(const struct config *config, uint32_t slots)
{
	struct pipeline *p = mem_alloc(sizeof(*p));

	(void)config;
	p->row_of_slot = mem_alloc_array(slots, sizeof(*p->row_of_slot));
	pipeline_set_window(p, 0, PIPELINE_CYCLES_MAX - 1);
	return p;
}

static void destroy(void *observer)
{
	struct pipeline *p = observer;

	free(p->rows);
	free(p->lost);
	free(p->row_of_slot);
	free(p);
}

void pipeline_set_window(struct pipeline *p, uint64_t from, uint64_t to)
{
	BUG_ON(from > to || to - from >= PIPELINE_CYCLES_MAX);
	p->from = from;
	p->to = to;
}

const struct pipeline_row *pipeline_rows(const struct pipeline *p, size_t *count)
{
	*count = p->row_count;
	return p->rows;
}

/* Why the oldest instruction does not commit. */
static const char *head_cause(const struct cycle *c)
{
	static const char *const names[] = {
		[HEAD_DONE] = "end",	     [HEAD_STORE] = "store_buffer",
		[HEAD_WAITS] = "dependence", [HEAD_EXECUTES] = "execute",
		[HEAD_UNIT] = "latency",     [HEAD_DTLB] = "dtlb",
		[HEAD_L1D] = "l1d",	     [HEAD_L2D] = "l2d",
		[HEAD_L3D] = "l3d",	     [HEAD_MSHR] = "mshr",
	};
	const char *name = c->head_state < ARRAY_COUNT(names) ? names[c->head_state] : NULL;

	if (c->excess & (EXCESS_HEAD_WALK | EXCESS_HEAD_BANDWIDTH))
		return c->excess & EXCESS_HEAD_WALK ? "walk" : "bandwidth";
	return name ? name : "other";
}

/* Why fetch delivers nothing. */
static const char *fetch_cause(const struct cycle *c)
{
	static const char *const names[] = {
		[FETCH_ITLB] = "itlb",	       [FETCH_L1I] = "l1i",
		[FETCH_L2I] = "l2i",	       [FETCH_L3I] = "l3i",
		[FETCH_MISFETCH] = "misfetch", [FETCH_BRANCHES] = "max_branches",
		[FETCH_NOWHERE] = "branch",    [FETCH_SERIALISE] = "serialise",
		[FETCH_DONE] = "end",	       [FETCH_TAKEN] = "taken",
	};
	const char *name = c->fetch_stall < ARRAY_COUNT(names) ? names[c->fetch_stall] : NULL;

	if (c->excess & (EXCESS_FETCH_WALK | EXCESS_FETCH_BANDWIDTH))
		return c->excess & EXCESS_FETCH_WALK ? "walk" : "bandwidth";
	return name ? name : "frontend";
}

/* Why the window is empty: a wrong path, what the next instruction waited for when it was fetched,
 * or what fetch waits for now. */
static const char *front_cause(const struct pipeline *p, const struct cycle *c)
{
	if (p->shadow.is_wrong || p->shadow.is_refilling)
		return "branch";
	if (c->is_fronted)
		return c->front_waits & FETCH_WAIT_L3	 ? "l3i"
		       : c->front_waits & FETCH_WAIT_L2	 ? "l2i"
		       : c->front_waits & FETCH_WAIT_L1	 ? "l1i"
		       : c->front_waits & FETCH_WAIT_TLB ? "itlb"
							 : "frontend";
	return fetch_cause(c);
}

static void note_lost(struct pipeline *p, const struct cycle *c)
{
	uint64_t first = c->number > p->from ? c->number : p->from;
	struct pipeline_lost *last = p->lost_count ? &p->lost[p->lost_count - 1] : NULL;
	bool is_next = last && last->cycle + last->cycles == first;
	const char *cause = c->head_state == HEAD_EMPTY ? front_cause(p, c) : head_cause(c);
	uint64_t cycles = c->number + c->repeat - first;

	/* In the cycle in which fetch delivers again, the window is still empty for what fetch
	 * waited for. */
	if (is_next && c->head_state == HEAD_EMPTY && !c->is_fronted &&
	    c->fetch_stall == FETCH_NONE)
		cause = last->cause;
	if (is_next && last->cause == cause)
		last->cycles += cycles;
	else
		*ARRAY_PUSH(p->lost, p->lost_count, p->lost_capacity) =
			(struct pipeline_lost){first, cycles, cause};
}

static void end_row(struct pipeline *p, const struct cycle_event *e, uint64_t now, bool is_squashed)
{
	struct pipeline_row *row = &p->rows[p->row_of_slot[e->slot] - 1];

	row->ended = now;
	row->is_squashed = is_squashed;
	/* What completes later than it is squashed never completed. */
	if (row->completed > now)
		row->completed = PIPELINE_NEVER;
	p->row_of_slot[e->slot] = 0;
	p->in_flight--;
}

static void fetch_row(struct pipeline *p, const struct cycle *c, const struct cycle_event *e)
{
	bool is_inside = c->number >= p->from && c->number <= p->to;

	p->row_of_slot[e->slot] = 0;
	if (!is_inside)
		return;
	*ARRAY_PUSH(p->rows, p->row_count, p->row_capacity) = (struct pipeline_row){
		.pc = e->pc,
		.fetched = c->number,
		.dispatched = PIPELINE_NEVER,
		.issued = PIPELINE_NEVER,
		.completed = PIPELINE_NEVER,
		.ended = PIPELINE_NEVER,
		.thread = c->thread,
		.is_wrong = e->wrong_path,
	};
	p->row_of_slot[e->slot] = (uint32_t)p->row_count;
	p->in_flight++;
}

static void follow(struct pipeline *p, const struct cycle *c, const struct cycle_event *e)
{
	struct pipeline_row *row;

	if (e->kind == EVENT_FETCH) {
		fetch_row(p, c, e);
		return;
	}
	if (!p->row_of_slot[e->slot])
		return;
	row = &p->rows[p->row_of_slot[e->slot] - 1];
	switch (e->kind) {
	case EVENT_DISPATCH: row->dispatched = c->number; break;
	case EVENT_ISSUE:
		row->issued = c->number;
		row->completed = e->amount ? c->number + e->amount : PIPELINE_NEVER;
		break;
	case EVENT_COMMIT:
	case EVENT_COMMIT_PLAIN: end_row(p, e, c->number, false); break;
	case EVENT_SQUASH: end_row(p, e, c->number, true); break;
	default: break;
	}
}

#define FOLLOWED                                                                       \
	(EVENT_BIT(EVENT_FETCH) | EVENT_BIT(EVENT_DISPATCH) | EVENT_BIT(EVENT_ISSUE) | \
	 EVENT_BIT(EVENT_COMMIT) | EVENT_BIT(EVENT_COMMIT_PLAIN) | EVENT_BIT(EVENT_SQUASH))

static void cycle(void *observer, const struct cycle *c)
{
	struct pipeline *p = observer;
	bool is_before = c->number + c->repeat <= p->from;
	bool is_after = c->number > p->to && !p->in_flight;

	p->cycles = c->number + c->repeat;
	count_shadow_follow(&p->shadow, c);
	if (is_before || is_after)
		return;
	if (!c->committed)
		note_lost(p, c);
	for (uint32_t i = 0; i < c->event_count; i++)
		if (FOLLOWED & EVENT_BIT(c->events[i].kind))
			follow(p, c, &c->events[i]);
}

static bool check(const void *observer, uint64_t cycles, struct err *err)
{
	const struct pipeline *p = observer;
	uint64_t unended = 0;

	(void)cycles;
	for (size_t i = 0; i < p->row_count; i++) {
		const struct pipeline_row *row = &p->rows[i];

		unended += row->ended == PIPELINE_NEVER;
		if (!row->is_squashed && row->ended != PIPELINE_NEVER && row->is_wrong)
			return err_tool(err, "internal error: an instruction of a wrong path "
					     "committed; please report this");
	}
	return observer_adds_up("the pipeline's instructions in flight", unended, p->in_flight,
				err);
}

static void describe(const struct observer_kind *kind, void *observer, json_t *result)
{
	const struct pipeline *p = observer;
	json_t *object = observer_member(result, kind->name), *lost = json_array();

	for (size_t i = 0; i < p->lost_count; i++)
		json_array_append_new(lost, json_pack("{s:I, s:I, s:s}", "cycle",
						      (json_int_t)p->lost[i].cycle, "cycles",
						      (json_int_t)p->lost[i].cycles, "cause",
						      p->lost[i].cause));
	json_object_set_new(object, "from", json_integer((json_int_t)p->from));
	json_object_set_new(object, "to", json_integer((json_int_t)p->to));
	json_object_set_new(object, "cycles", json_integer((json_int_t)p->cycles));
	json_object_set_new(object, "lost", lost);
}

const struct observer_kind count_pipeline = {
	.name = "pipeline",
	.summary = "the stages of every instruction fetched in a window of cycles",
	.events = FOLLOWED | EVENT_BIT(EVENT_MISPREDICT) | EVENT_BIT(EVENT_BRANCH_DISPATCH),
	.create = create,
	.cycle = cycle,
	.check = check,
	.describe = describe,
	.destroy = destroy,
};
