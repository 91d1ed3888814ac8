#include "measure/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "machine/parts.h"
#include "measure/facts_state.h"

#define TABLE_SLOTS (4 * FACTS_PLACES_MOST)
#define NO_PLACE    UINT32_MAX
#define LINKS_MOST  8

_Static_assert((TABLE_SLOTS & (TABLE_SLOTS - 1)) == 0, "slots are picked by a mask");

/* ---- places ---- */

static uint32_t *slot_of(const struct facts *f, uint64_t pc)
{
	uint32_t at = (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 40);

	for (;; at++) {
		uint32_t *slot = &f->table[at & (TABLE_SLOTS - 1)];

		if (!*slot || f->places[*slot - 1]->fact.pc == pc)
			return slot;
	}
}

/* 0 if there is no room for it. */
static uint32_t number_of(struct facts *f, uint64_t pc)
{
	uint32_t *slot = slot_of(f, pc);

	if (*slot || f->place_count == FACTS_PLACES_MOST)
		return *slot;
	struct fact_place *place = mem_alloc(sizeof(*place));
	place->fact.pc = pc;
	f->places[f->place_count] = place;
	*slot = (uint32_t)++f->place_count;
	return *slot;
}

/* What the place needs of its instruction, when that is executed first. */
static void meet_op(struct fact_place *place, const struct trace_op *op)
{
	struct fact *fact = &place->fact;

	if (!fact->op.bytes) {
		fact->op = *op;
		place->raw = op->raw;
	}
	fact->changed |= place->raw != op->raw;
	if (op->access_bytes && !fact->memory)
		fact->memory = mem_alloc(sizeof(*fact->memory));
	if (op->control == CONTROL_CONDITIONAL && !fact->branch) {
		fact->branch = mem_alloc(sizeof(*fact->branch));
		place->branch = mem_alloc(sizeof(*place->branch));
	}
	if (op->unit == UNIT_JUMP_INDIRECT && !fact->jump)
		fact->jump = mem_alloc(sizeof(*fact->jump));
}

/* The number of the place of an op; 0: it has none. */
static uint32_t place_of_op(struct facts *f, const struct trace_op *op)
{
	if (op->number >= f->by_op_room) {
		size_t room = 2 * (size_t)op->number + 256;

		f->by_op = mem_realloc(f->by_op, room, sizeof(*f->by_op));
		memset(f->by_op + f->by_op_room, 0, (room - f->by_op_room) * sizeof(*f->by_op));
		f->by_op_room = room;
	}
	uint32_t *known = &f->by_op[op->number];
	if (!*known) {
		uint32_t number = number_of(f, op->pc);

		*known = number ? number : NO_PLACE;
		if (number)
			meet_op(f->places[number - 1], op);
	}
	return *known == NO_PLACE ? 0 : *known;
}

/* ---- life ---- */

static bool has_predictor(const struct config *c)
{
	return c->predictor_kind != PREDICTOR_NONE && c->predictor_kind != PREDICTOR_PERFECT;
}

static void init_sets(struct facts *f)
{
	uint64_t line = f->config.l1d_line, code_line = f->config.l1i_line;

	bitset_init(&f->lines_seen, GUEST_SPACE_BYTES / line);
	bitset_init(&f->code_seen, GUEST_SPACE_BYTES / 2);
	bitset_init(&f->code_lines, GUEST_SPACE_BYTES / code_line);
	bitset_init(&f->window_lines, GUEST_SPACE_BYTES / code_line);
	bitset_init(&f->code_pages, GUEST_SPACE_BYTES / f->config.page_bytes);
	bitset_init(&f->window_pages, GUEST_SPACE_BYTES / f->config.page_bytes);
	/* An instruction enters two lines at most. */
	f->window_line_list = mem_alloc_array(2 * FACTS_WINDOW_INSNS, sizeof(*f->window_line_list));
	f->window_page_list = mem_alloc_array(2 * FACTS_WINDOW_INSNS, sizeof(*f->window_page_list));
}

static void init_shadows(struct facts *f)
{
	const struct config *c = &f->config;

	shadow_init(&f->shadow_l1i, c->l1i_size / c->l1i_line);
	shadow_init(&f->shadow[LEVEL_L1], c->l1d_size / c->l1d_line);
	if (c->cache_levels >= 2)
		shadow_init(&f->shadow[LEVEL_L2], c->l2_size / c->l2_line);
	if (c->cache_levels >= 3)
		shadow_init(&f->shadow[LEVEL_L3], c->l3_size / c->l3_line);
}

struct facts *facts_create(const struct config *config, const uint64_t *pcs, size_t count,
			   struct err *err)
{
	struct hierarchy *hierarchy = parts_hierarchy(config, err);
	struct predictor *predictor = NULL;

	if (!hierarchy)
		return NULL;
	if (has_predictor(config)) {
		predictor = parts_predictor(config, 1, err);
		if (!predictor) {
			hierarchy_destroy(hierarchy);
			return NULL;
		}
	}
	struct facts *f = mem_alloc(sizeof(*f));
	f->config = *config;
	f->hierarchy = hierarchy;
	f->predictor = predictor;
	f->fetch_line = UINT64_MAX;
	f->window_ends = FACTS_WINDOW_INSNS;
	f->places = mem_alloc_array(FACTS_PLACES_MOST, sizeof(struct fact_place *));
	f->table = mem_alloc_array(TABLE_SLOTS, sizeof(*f->table));
	memset(f->near_units, UNIT_COUNT, sizeof(f->near_units));
	init_sets(f);
	init_shadows(f);
	flow_init(&f->flow, config);
	for (size_t i = 0; i < count; i++) {
		uint32_t number = number_of(f, pcs[i]);

		if (number)
			f->places[number - 1]->fact.is_asked = true;
	}
	return f;
}

static void destroy_place(struct fact_place *place)
{
	facts_release_memory(place->fact.memory);
	if (place->fact.jump)
		distinct_release(&place->fact.jump->targets);
	free(place->fact.jump);
	free(place->fact.branch);
	free(place->branch);
	free(place);
}

void facts_destroy(struct facts *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->place_count; i++)
		destroy_place(f->places[i]);
	free(f->places);
	free(f->table);
	free(f->by_op);
	free(f->window_line_list);
	free(f->window_page_list);
	bitset_release(&f->lines_seen);
	bitset_release(&f->code_seen);
	bitset_release(&f->code_lines);
	bitset_release(&f->code_pages);
	bitset_release(&f->window_lines);
	bitset_release(&f->window_pages);
	shadow_release(&f->shadow_l1i);
	for (unsigned i = 0; i < LEVEL_MEMORY; i++)
		shadow_release(&f->shadow[i]);
	flow_release(&f->flow);
	predictor_destroy(f->predictor);
	hierarchy_destroy(f->hierarchy);
	free(f);
}

/* ---- steps ---- */

/* How many of the last instructions are for units that this one competes with. */
static uint32_t near_of(const struct facts *f, enum unit unit)
{
	const uint32_t *n = f->near_counts;

	switch (unit) {
	case UNIT_ALU:
	case UNIT_BRANCH:
	case UNIT_JUMP:
	case UNIT_JUMP_INDIRECT:
		return n[UNIT_ALU] + n[UNIT_BRANCH] + n[UNIT_JUMP] + n[UNIT_JUMP_INDIRECT];
	case UNIT_MUL:
	case UNIT_DIV: return n[UNIT_MUL] + n[UNIT_DIV];
	case UNIT_FP_MUL:
	case UNIT_FP_DIV: return n[UNIT_FP_MUL] + n[UNIT_FP_DIV];
	case UNIT_LOAD: return n[UNIT_LOAD] + n[UNIT_STORE] + n[UNIT_AMO];
	default: return n[unit];
	}
}

static void note_unit(struct facts *f, struct fact_place *place, enum unit unit)
{
	uint8_t *slot = &f->near_units[f->step % FACTS_NEAR];

	if (*slot != UNIT_COUNT)
		f->near_counts[*slot]--;
	*slot = (uint8_t)unit;
	f->near_counts[unit]++;
	if (!place)
		return;
	uint32_t near = near_of(f, unit);
	place->fact.near_sum += near;
	if (near > place->fact.near_most)
		place->fact.near_most = near;
}

/* Who feeds the instruction, and by how much the chain through it has grown. */
static void note_flow(struct facts *f, struct fact_place *place, const struct flow_step *flow)
{
	const struct flow_value *in = &flow->in;
	struct fact *fact = &place->fact;

	if (in->load && in->load_at >= place->last_at && place->last_at) {
		frequent_add(&fact->loads, f->places[in->load - 1]->fact.pc);
		fact->fed++;
		fact->fed_anew += in->is_anew;
	}
	if (in->slow && in->slow_at >= place->last_at && place->last_at) {
		frequent_add(&fact->operations, f->places[in->slow - 1]->fact.pc);
		fact->serial++;
	}
	if (place->last_at && flow->out.depth >= place->last_depth) {
		fact->chain_cycles += flow->out.depth - place->last_depth;
		fact->chain_links++;
	}
	place->last_at = f->step;
	place->last_depth = flow->out.depth;
	if (flow->meeting == FLOW_MEETS_NONE || !fact->memory)
		return;
	if (flow->meeting == FLOW_FORWARDS)
		fact->memory->forwarded++;
	else
		fact->memory->partial++;
	if (flow->met)
		frequent_add(&fact->memory->stores, f->places[flow->met - 1]->fact.pc);
}

static void take(struct facts *f, const struct trace_step *step, bool is_known)
{
	uint32_t number = place_of_op(f, step->op);
	struct fact_place *place = number ? f->places[number - 1] : NULL;
	bool is_anew = true;

	f->step++;
	if (place) {
		place->fact.executed++;
		if (place->fact.memory && place->fact.memory->accesses)
			is_anew = place->fact.memory->last_address != step->address;
	} else {
		f->left_out++;
	}
	if (f->expected_pc && f->expected_pc != step->op->pc)
		flow_forget(&f->flow);
	f->expected_pc = step->next_pc;
	facts_fetch(f, place, step->op);
	note_unit(f, place, step->op->unit);
	struct flow_step flow = flow_take(&f->flow, step, number, f->step, is_anew);
	if (place)
		note_flow(f, place, &flow);
	if (step->op->access_bytes && step->address < GUEST_SPACE_BYTES)
		facts_access(f, place, step);
	if (step->op->control != CONTROL_NONE && is_known)
		facts_control(f, place, step);
	else if (step->op->control == CONTROL_NONE &&
		 step->next_pc != step->op->pc + step->op->bytes)
		flow_forget(&f->flow);
}

void facts_add(struct facts *f, const struct trace_step *steps, size_t count, uint32_t thread,
	       bool was_interrupted)
{
	if (!count) {
		memset(f->by_op, 0, f->by_op_room * sizeof(*f->by_op));
		return;
	}
	if (thread != f->thread) {
		flow_switch(&f->flow, thread);
		f->thread = thread;
		f->expected_pc = 0;
	}
	for (size_t i = 0; i < count; i++)
		take(f, &steps[i], !was_interrupted || i + 1 < count);
	/* Who goes on after an interruption goes on elsewhere; a thread that comes back has what
	 * it had. */
	if (was_interrupted)
		f->expected_pc = 0;
}

struct run {
	struct facts *facts;
	struct recorder *recorder;
	bool (*should_stop)(void *context, uint64_t instructions);
	void *context;
	const struct process *process;
};

static bool sink(void *context, const struct trace_step *steps, size_t count)
{
	struct run *run = context;

	facts_add(run->facts, steps, count, recorder_thread(run->recorder),
		  recorder_was_interrupted(run->recorder));
	return !run->should_stop || !run->should_stop(run->context, run->process->cpu.instructions);
}

void facts_run(struct facts *f, struct process *process, uint64_t limit,
	       bool (*should_stop)(void *context, uint64_t instructions), void *context)
{
	struct run run = {f, recorder_create(process), should_stop, context, process};

	recorder_run(run.recorder, limit, sink, &run);
	recorder_destroy(run.recorder);
	facts_add(f, NULL, 0, 0, false);
}

/* ---- answers ---- */

const struct fact *facts_find(const struct facts *f, uint64_t pc)
{
	uint32_t number = *slot_of(f, pc);

	return number ? &f->places[number - 1]->fact : NULL;
}

size_t facts_count(const struct facts *f)
{
	return f->place_count;
}

const struct fact *facts_at(const struct facts *f, size_t index)
{
	return &f->places[index]->fact;
}

const struct fact_code *facts_code(const struct facts *f)
{
	return &f->code;
}

uint64_t facts_steps(const struct facts *f)
{
	return f->step;
}

uint64_t facts_left_out(const struct facts *f)
{
	return f->left_out;
}

const struct config *facts_config(const struct facts *f)
{
	return &f->config;
}

/* Whether one can go from feeder to feeder, by the most frequent of each, back to the fact, each of
 * which feeds at least half of the executions. */
static bool returns_to(const struct facts *f, const struct fact *fact, bool by_loads,
		       unsigned *links)
{
	const struct fact *at = fact;

	for (*links = 1; *links <= LINKS_MOST; ++*links) {
		const struct frequent *feeders = by_loads ? &at->loads : &at->operations;
		struct frequent_item most, items[FREQUENT_ITEMS];
		unsigned count = frequent_sorted(feeders, items);

		/* Where its own last result feeds it at all, that is the chain. */
		for (unsigned i = 0; i < count; i++)
			if (items[i].key == fact->pc && 4 * items[i].count >= at->executed)
				return true;
		if (!frequent_most(feeders, &most) || 2 * feeders->seen < at->executed)
			return false;
		at = facts_find(f, most.key);
		if (!at)
			return false;
	}
	return false;
}

bool facts_feeds_itself(const struct facts *f, const struct fact *fact, unsigned *links)
{
	return returns_to(f, fact, true, links);
}

bool facts_is_serial(const struct facts *f, const struct fact *fact, unsigned *links)
{
	return returns_to(f, fact, false, links);
}
