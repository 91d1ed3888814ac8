#include "count/data_cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

/* A charge to a cell has its place, with this bit, instead of an address. */
#define CELL_BIT (UINT64_C(1) << 63)

const uint8_t data_causes[DATA_CAUSES] = {
	[DATA_L1D] = CAUSE_L1D,
	[DATA_L2D] = CAUSE_L2D,
	[DATA_L3D] = CAUSE_L3D,
	[DATA_DTLB] = CAUSE_DTLB,
	[DATA_MSHR] = CAUSE_MSHR,
	[DATA_WALK] = CAUSE_WALK,
	[DATA_BANDWIDTH] = CAUSE_BANDWIDTH,
};

static void init_sets(struct data_sets *sets, uint64_t bytes, uint64_t line, uint64_t ways)
{
	sets->count = (uint32_t)(bytes / line / ways);
	sets->ways = (uint32_t)ways;
	sets->line_bytes = (uint32_t)line;
	sets->accesses = mem_alloc_array(sets->count, sizeof(uint64_t));
	sets->misses = mem_alloc_array(sets->count, sizeof(uint64_t));
}

void data_cells_init(struct data_cells *cells, const struct config *config,
		     const struct data_finder *finder)
{
	*cells = (struct data_cells){.finder = *finder, .levels = config->cache_levels};
	slot_rule_init(&cells->rule, config);
	init_sets(&cells->sets[0], config->l1d_size, config->l1d_line, config->l1d_ways);
	if (cells->levels >= 2)
		init_sets(&cells->sets[1], config->l2_size, config->l2_line, config->l2_ways);
	if (cells->levels >= 3)
		init_sets(&cells->sets[2], config->l3_size, config->l3_line, config->l3_ways);
}

void data_cells_release(struct data_cells *cells)
{
	slot_rule_release(&cells->rule);
	for (unsigned i = 0; i < DATA_LEVELS; i++) {
		free(cells->sets[i].accesses);
		free(cells->sets[i].misses);
	}
	index_release(&cells->index);
	index_release(&cells->pair_index);
	free(cells->cells);
	free(cells->pairs);
}

struct wanted_cell {
	const struct data_cells *cells;
	uint64_t pc, by;
	struct data_touched touched;
};

static bool same_cell(const void *context, size_t number)
{
	const struct wanted_cell *wanted = context;
	const struct data_cell *cell = &wanted->cells->cells[number];

	return cell->pc == wanted->pc && cell->by == wanted->by &&
	       cell->object == wanted->touched.object && cell->place == wanted->touched.place;
}

size_t data_cells_at(struct data_cells *cells, uint64_t pc, uint64_t by,
		     struct data_touched touched)
{
	const struct wanted_cell wanted = {cells, pc, by, touched};
	const uint64_t hash = index_hash_number(
		index_hash_number(index_hash_number(pc, touched.object), touched.place), by);
	const size_t found = index_find(&cells->index, hash, same_cell, &wanted);

	if (found != INDEX_NONE)
		return found;
	if (cells->count >= DATA_CELLS_MOST && touched.object != cells->finder.other &&
	    touched.object != cells->finder.fetch)
		return data_cells_at(cells, pc, 0, (struct data_touched){cells->finder.other, 0});
	*ARRAY_PUSH(cells->cells, cells->count, cells->capacity) = (struct data_cell){
		.pc = pc, .by = by, .object = touched.object, .place = touched.place};
	index_add(&cells->index, hash, cells->count - 1);
	return cells->count - 1;
}

struct wanted_pair {
	const struct data_cells *cells;
	struct data_pair pair;
};

static bool same_pair(const void *context, size_t number)
{
	const struct wanted_pair *wanted = context;
	const struct data_pair *pair = &wanted->cells->pairs[number];

	return pair->set == wanted->pair.set && pair->object == wanted->pair.object &&
	       pair->level == wanted->pair.level;
}

static void add_to_pair(struct data_cells *cells, unsigned level, uint32_t set, uint32_t object)
{
	const struct wanted_pair wanted = {cells,
					   {.set = set, .object = object, .level = (uint8_t)level}};
	const uint64_t hash = index_hash_number(index_hash_number(level, set), object);
	const size_t found = index_find(&cells->pair_index, hash, same_pair, &wanted);

	if (found != INDEX_NONE) {
		cells->pairs[found].misses++;
		return;
	}
	if (cells->pair_count >= DATA_CELLS_MOST && object != cells->finder.other) {
		add_to_pair(cells, level, set, cells->finder.other);
		return;
	}
	*ARRAY_PUSH(cells->pairs, cells->pair_count, cells->pair_capacity) = wanted.pair;
	cells->pairs[cells->pair_count - 1].misses = 1;
	index_add(&cells->pair_index, hash, cells->pair_count - 1);
}

static void add_to_set(struct data_cells *cells, unsigned level, uint64_t address, bool misses,
		       uint32_t object)
{
	struct data_sets *sets = &cells->sets[level];

	if (!sets->count)
		return;
	const uint32_t set = (uint32_t)(address / sets->line_bytes % sets->count);
	sets->accesses[set]++;
	sets->misses[set] += misses;
	if (misses)
		add_to_pair(cells, level, set, object);
}

static void take_access(struct data_cells *cells, const struct cycle_access *a)
{
	const struct data_touched touched = cells->finder.find(
		cells->finder.context, a->pc, a->address, a->marks & ACCESS_STORES);
	const size_t place = data_cells_at(cells, a->pc, 0, touched);
	struct data_cell *cell = &cells->cells[place];
	struct data_counts *n = &cell->counts;
	const unsigned marks = a->marks;
	const bool looks[] = {true, marks & ACCESS_L2, marks & ACCESS_L3};
	const bool misses[] = {marks & ACCESS_L1_MISS, marks & ACCESS_L2_MISS,
			       marks & ACCESS_L3_MISS};

	n->accesses++;
	n->stores += !!(marks & ACCESS_STORES);
	n->pending += !!(marks & ACCESS_L1_PENDING);
	n->tlb_misses += !!(marks & ACCESS_TLB_MISS);
	n->walks += !!(marks & ACCESS_WALK);
	if (marks & ACCESS_WRONG) {
		n->wrong_accesses++;
		n->wrong_misses += misses[0];
	}
	for (unsigned i = 0; i < DATA_LEVELS; i++) {
		if (!looks[i])
			continue;
		n->lookups[i]++;
		n->misses[i] += misses[i];
		add_to_set(cells, i, a->address, misses[i], cell->object);
	}
}

/* Whether the record names a phase of an access to data. */
static bool waits_for_data(const struct cycle *c)
{
	return (c->head_state >= HEAD_DTLB && c->head_state <= HEAD_MSHR) ||
	       c->head_late >= LATE_STORE_DTLB;
}

static uint64_t head_cell(struct data_cells *cells, const struct cycle *c)
{
	const uint64_t address = c->accesses->head_address, by = c->accesses->head_by;

	if (c->head_pc != cells->head_pc || address != cells->head_address ||
	    by != cells->head_by || cells->changes != cells->head_changes) {
		cells->head_pc = c->head_pc;
		cells->head_by = by;
		cells->head_address = address;
		cells->head_changes = cells->changes;
		cells->head_cell =
			data_cells_at(cells, c->head_pc, by == c->head_pc ? 0 : by,
				      cells->finder.find(cells->finder.context, by, address,
							 c->head_late >= LATE_STORE_DTLB));
	}
	return CELL_BIT | cells->head_cell;
}

static int of_data(enum cause cause)
{
	for (int i = 0; i < DATA_CAUSES; i++)
		if (data_causes[i] == cause)
			return i;
	return -1;
}

static void take_charge(struct data_cells *cells, const struct slot_charge *charge)
{
	const int cause = of_data(charge->cause);

	if (cause < 0)
		return;
	const struct data_touched fetch = {cells->finder.fetch, 0};
	const size_t cell = charge->pc & CELL_BIT ? (size_t)(charge->pc & ~CELL_BIT)
						  : data_cells_at(cells, charge->pc, 0, fetch);
	cells->cells[cell].slots[cause] += charge->slots;
}

void data_cells_cycle(struct data_cells *cells, const struct cycle *c)
{
	struct cycle record = *c;
	struct slot_rule *rule = &cells->rule;

	for (size_t i = 0; i < c->accesses->count; i++)
		take_access(cells, &c->accesses->items[i]);
	if (c->head_pc && waits_for_data(c))
		record.head_pc = head_cell(cells, c);
	slot_rule_cycle(rule, &record);
	for (size_t i = 0; i < rule->charge_count; i++)
		take_charge(cells, &rule->charges[i]);
	rule->charge_count = 0;
}

static uint64_t sum_of(const uint64_t *slots)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < DATA_CAUSES; i++)
		sum += slots[i];
	return sum;
}

/* By what a cell has a part of the slots of a cause, from the surest to the least. */
enum weight { BY_CAUSE, BY_SLOTS, BY_MISSES, BY_ACCESSES, WEIGHTS };

static uint64_t weight_of(const struct data_cells *cells, const struct data_cell *cell,
			  const uint64_t *charged, enum data_cause cause, enum weight by)
{
	if (cell->object == cells->finder.fetch && cause != DATA_WALK && cause != DATA_BANDWIDTH)
		return 0;
	switch (by) {
	case BY_CAUSE: return charged[cause];
	case BY_SLOTS: return cell->object == cells->finder.fetch ? 0 : sum_of(charged);
	case BY_MISSES: return cell->counts.misses[0];
	default: return cell->counts.accesses;
	}
}

static bool settle_cause(struct data_cells *cells, const size_t *mine, size_t count,
			 const uint64_t (*charged)[DATA_CAUSES], enum data_cause cause,
			 uint64_t wanted)
{
	uint64_t all = 0, before = 0, given = 0;
	enum weight by = BY_CAUSE;

	for (; by < WEIGHTS && !all; by++)
		for (size_t i = 0; i < count; i++)
			all += weight_of(cells, &cells->cells[mine[i]], charged[i], cause, by);
	if (!all)
		return !wanted;
	by--;
	for (size_t i = 0; i < count; i++) {
		struct data_cell *cell = &cells->cells[mine[i]];

		before += weight_of(cells, cell, charged[i], cause, by);
		const uint64_t share = (uint64_t)((unsigned __int128)wanted * before / all) - given;
		cell->slots[cause] = share;
		given += share;
	}
	return true;
}

bool data_cells_settle(struct data_cells *cells, const size_t *mine, size_t count,
		       const uint64_t wanted[DATA_CAUSES])
{
	uint64_t(*charged)[DATA_CAUSES] = mem_alloc_array(count, sizeof(*charged));
	bool ok = true;

	for (size_t i = 0; i < count; i++) {
		struct data_cell *cell = &cells->cells[mine[i]];

		memcpy(charged[i], cell->slots, sizeof(*charged));
		memset(cell->slots, 0, sizeof(cell->slots));
	}
	for (unsigned cause = 0; cause < DATA_CAUSES; cause++)
		ok &= settle_cause(cells, mine, count, (const uint64_t(*)[DATA_CAUSES])charged,
				   (enum data_cause)cause, wanted[cause]);
	free(charged);
	return ok;
}

void data_counts_add(struct data_counts *sum, const struct data_counts *more)
{
	sum->accesses += more->accesses;
	sum->stores += more->stores;
	sum->pending += more->pending;
	for (unsigned i = 0; i < DATA_LEVELS; i++) {
		sum->lookups[i] += more->lookups[i];
		sum->misses[i] += more->misses[i];
	}
	sum->tlb_misses += more->tlb_misses;
	sum->walks += more->walks;
	sum->wrong_accesses += more->wrong_accesses;
	sum->wrong_misses += more->wrong_misses;
}
