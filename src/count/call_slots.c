#include "count/call_slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "count/slots.h"

#define SEGMENTS_MANY 4096
/* Records are charged together, which takes half the time: so many, of so many instructions. */
#define RECORDS_MOST	  64
#define INSTRUCTIONS_MOST (RECORDS_MOST * CYCLE_WIDTH_MAX)
#define PLACES_BITS	  12

/* From the instruction of that number on, instructions are in the node. */
struct segment {
	uint64_t from, pc; /* `pc` is that of the transfer before; 0: it is not known */
	uint32_t node;
	uint32_t called; /* the node that the transfer has called; or CALL_NONE */
};

/* An instruction that was dispatched. */
struct dispatched {
	uint64_t pc;
	uint32_t node;
};

/* An address in a node, and the node of its function, as call_tree_at has it. */
struct place {
	uint64_t pc; /* plus one; 0: nothing */
	uint32_t from, node;
};

struct call_slots {
	struct call_tree *tree;
	struct slots *slots;
	uint64_t fetched, dispatched, committed;
	struct dispatched *ring; /* by number, masked */
	uint64_t ring_mask;
	/* Of what was fetched and has not committed; from `next` on, of what was not dispatched. */
	struct segment *segments;
	size_t next, count, capacity;
	uint32_t node; /* of the last instruction that was dispatched */
	struct place places[1u << PLACES_BITS];
	/* Not charged yet, with nodes in the place of addresses; `events` of a record is the number
	 * of its first among those here until they are charged. */
	struct cycle records[RECORDS_MOST];
	size_t first_events[RECORDS_MOST];
	size_t record_count;
	uint64_t pcs[INSTRUCTIONS_MOST];
	size_t pc_count;
	struct cycle_event *events;
	size_t event_count, event_capacity;
	uint64_t astray; /* transfers that were not dispatched where they were fetched */
};

struct call_slots *call_slots_create(const struct config *config, struct call_tree *tree,
				     uint64_t interval)
{
	struct call_slots *calls = mem_alloc(sizeof(*calls));

	calls->tree = tree;
	calls->slots = count_slots.create(config, 0);
	slots_set_interval(calls->slots, interval);
	calls->node = call_tree_node(tree);
	/* In order, a store that has committed may hold up others. */
	for (calls->ring_mask = 255; calls->ring_mask < 4 * (uint64_t)config->rob_size;)
		calls->ring_mask = 2 * calls->ring_mask + 1;
	calls->ring = mem_alloc_array(calls->ring_mask + 1, sizeof(*calls->ring));
	return calls;
}

void call_slots_destroy(struct call_slots *calls)
{
	if (!calls)
		return;
	count_slots.destroy(calls->slots);
	free(calls->ring);
	free(calls->segments);
	free(calls->events);
	free(calls);
}

static uint64_t as_pc(uint32_t node)
{
	return 2 * ((uint64_t)node + 1);
}

static void take_transfers(struct call_slots *calls, const struct cycle *c)
{
	for (uint32_t i = 0; i < c->transfer_count; i++) {
		const struct cycle_transfer *t = &c->transfers[i];
		const bool is_control = t->kind < TRANSFER_LEAVE;
		/* Fetch has stopped. */
		const bool is_later = t->kind == TRANSFER_ENTER_LATER;

		call_tree_transfer(calls->tree, t);
		if (t->kind == TRANSFER_LEAVE)
			continue;
		*ARRAY_PUSH(calls->segments, calls->count, calls->capacity) = (struct segment){
			.from = calls->fetched + (is_later ? c->useful_fetched : t->after),
			.pc = is_control ? t->pc : 0,
			.node = call_tree_node(calls->tree),
			.called = calls->tree->called,
		};
	}
	calls->fetched += c->useful_fetched;
}

static struct dispatched *instruction(const struct call_slots *calls, uint64_t number)
{
	return &calls->ring[number & calls->ring_mask];
}

/* The node of the next instruction to be dispatched. */
static uint32_t next_node(struct call_slots *calls)
{
	while (calls->next < calls->count &&
	       calls->segments[calls->next].from <= calls->dispatched) {
		const struct segment *segment = &calls->segments[calls->next++];

		calls->node = segment->node;
		if (segment->pc && calls->dispatched)
			calls->astray +=
				segment->from != calls->dispatched ||
				instruction(calls, calls->dispatched - 1)->pc != segment->pc;
	}
	return calls->node;
}

/* The transfer before a segment has the number before its first. */
static bool has_committed(const struct call_slots *calls, const struct segment *segment)
{
	return segment->from <= calls->committed;
}

/* Forgets the segments whose transfers have committed, when they are many. */
static void forget_segments(struct call_slots *calls)
{
	size_t first = 0, kept = 0;

	if (LIKELY(calls->next < SEGMENTS_MANY))
		return;
	while (first < calls->next && has_committed(calls, &calls->segments[first]))
		first++;
	while (first + kept < calls->count) {
		calls->segments[kept] = calls->segments[first + kept];
		kept++;
	}
	calls->next -= first;
	calls->count = kept;
}

static uint32_t node_at(struct call_slots *calls, uint32_t from, uint64_t pc)
{
	struct place *place = &calls->places[pc / 2 & ((1u << PLACES_BITS) - 1)];

	if (UNLIKELY(place->pc != pc + 1 || place->from != from))
		*place = (struct place){pc + 1, from, call_tree_at(calls->tree, from, pc)};
	return place->node;
}

static void take_dispatched(struct call_slots *calls, const struct cycle *c, uint64_t *pcs)
{
	for (unsigned i = 0; i < c->useful_dispatched; i++) {
		const uint64_t pc = c->useful_pcs[i];

		calls->node = node_at(calls, next_node(calls), pc);
		*instruction(calls, calls->dispatched++) = (struct dispatched){pc, calls->node};
		pcs[i] = as_pc(calls->node);
	}
}

static bool is_at(const struct call_slots *calls, uint64_t number, uint64_t pc)
{
	return number < calls->dispatched && calls->dispatched - number <= calls->ring_mask + 1 &&
	       instruction(calls, number)->pc == pc;
}

/* The node of the youngest instruction of that address which was dispatched; of one that was not,
 * the node that it would be in. */
static uint32_t search(struct call_slots *calls, uint64_t pc, uint32_t otherwise)
{
	for (uint64_t i = 1; i <= calls->ring_mask + 1 && i <= calls->dispatched; i++)
		if (instruction(calls, calls->dispatched - i)->pc == pc)
			return instruction(calls, calls->dispatched - i)->node;
	return call_tree_near(calls->tree, otherwise, pc);
}

static uint64_t find(struct call_slots *calls, uint64_t number, uint64_t pc)
{
	return as_pc(is_at(calls, number, pc) ? instruction(calls, number)->node
					      : search(calls, pc, next_node(calls)));
}

/* Where fetch is; after a replay, that is code that was dispatched before. */
static uint64_t fetch_place(struct call_slots *calls, uint64_t pc)
{
	const struct call_tree *tree = calls->tree;
	const uint32_t node = call_tree_node(tree);
	const struct call_functions *functions = &tree->functions;

	if (functions->find(functions->context, pc) == tree->nodes[node].function)
		return as_pc(call_tree_at(calls->tree, node, pc));
	return as_pc(search(calls, pc, node));
}

/* The events that the rule reads, with nodes instead of addresses. */
static void take_events(struct call_slots *calls, const struct cycle *c, struct cycle *record)
{
	const uint32_t read = EVENT_BIT(EVENT_MISPREDICT) | EVENT_BIT(EVENT_REPLAY) |
			      EVENT_BIT(EVENT_BRANCH_DISPATCH);
	const size_t first = calls->event_count;

	record->event_count = 0;
	record->event_kinds = c->event_kinds & read;
	if (!record->event_kinds)
		return;
	for (uint32_t i = 0; i < c->event_count; i++) {
		struct cycle_event e = c->events[i];

		if (!(read & EVENT_BIT(e.kind)) || e.wrong_path)
			continue;
		if (e.kind == EVENT_REPLAY)
			e.pc = find(calls, calls->committed + c->rob_used, e.pc);
		else if (e.kind == EVENT_BRANCH_DISPATCH && e.mispredicted)
			e.pc = find(calls, calls->dispatched - 1, e.pc);
		*ARRAY_PUSH(calls->events, calls->event_count, calls->event_capacity) = e;
	}
	record->event_count = (uint32_t)(calls->event_count - first);
}

static void charge(struct call_slots *calls)
{
	for (size_t i = 0; i < calls->record_count; i++)
		calls->records[i].events =
			calls->events ? calls->events + calls->first_events[i] : NULL;
	if (calls->record_count)
		count_slots.cycles(calls->slots, calls->records, calls->record_count);
	calls->record_count = calls->pc_count = calls->event_count = 0;
}

void call_slots_cycle(void *context, const struct cycle *c)
{
	struct call_slots *calls = context;
	struct cycle *record = &calls->records[calls->record_count];
	uint64_t *pcs = &calls->pcs[calls->pc_count];

	*record = *c;
	take_transfers(calls, c);
	take_dispatched(calls, c, pcs);
	calls->committed += c->committed;
	record->useful_pcs = pcs;
	calls->pc_count += c->useful_dispatched;
	if (c->head_pc)
		record->head_pc = find(calls, calls->committed, c->head_pc);
	if (!c->fed && !c->buffer_used)
		record->fetch_pc = fetch_place(calls, c->fetch_pc);
	calls->first_events[calls->record_count++] = calls->event_count;
	take_events(calls, c, record);
	forget_segments(calls);
	if (calls->record_count == RECORDS_MOST)
		charge(calls);
}

uint64_t call_slots_uncommitted(const struct call_slots *calls, uint32_t node)
{
	uint64_t count = 0;

	for (size_t i = calls->count; i; i--) {
		const struct segment *segment = &calls->segments[i - 1];

		if (has_committed(calls, segment))
			break;
		count += segment->called == node;
	}
	return count;
}

void call_slots_forget(struct call_slots *calls)
{
	memset(calls->places, 0, sizeof(calls->places));
}

struct ledger *call_slots_ledger(struct call_slots *calls)
{
	charge(calls);
	return slots_ledger(calls->slots);
}

bool call_slots_check(const struct call_slots *calls, struct err *err)
{
	return !calls->astray ||
	       err_tool(err,
			"internal error: %llu control transfers were not dispatched where they "
			"were fetched; please report this",
			(unsigned long long)calls->astray);
}
