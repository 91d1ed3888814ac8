#include "count/retime.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "count/retime_lanes.h"
#include "isa/insn.h"

#define GRANULE_BITS 3
#define NONE	     UINT64_MAX

struct store {
	uint64_t granule, address, number;
	uint8_t bytes;
};

/* Machines that are timed together. */
struct group {
	struct lanes *lanes;
	unsigned first; /* its first machine */
};

struct retime {
	struct group *groups;
	unsigned group_count;
	unsigned count; /* of machines */
	/* Each group of machines times a whole batch of instructions, so that the state of the
	 * group stays in the host's first caches. */
	struct step steps[RETIME_BATCH];
	struct cycle_waits waits[RETIME_BATCH];
	unsigned step_count, wait_count;
	uint64_t (*commits)[RETIME_BATCH]; /* of a batch that nobody asked for */
	uint64_t *last;			   /* of each machine: when the last instruction commits */
	struct retime_limits limits;
	uint32_t number, memory_number, branch_number; /* of the next */
	bool was_taken;				       /* the last instruction */
	uint64_t last_line;			       /* of code */
	uint64_t address_mask;
	uint32_t line_bits, data_line_bits, far_line_bits, page_bits;
	uint64_t store_number; /* of the next */
	struct store stores[STORES];
	uint64_t lines[LINES], far_lines[LINES], pages[PAGES];
};

static uint32_t log2_of(uint32_t power)
{
	return (uint32_t)__builtin_ctz(power);
}

/* Whether two machines differ in no more than their causes. */
static bool are_alike(const struct config *a, const struct config *b)
{
	struct config c = *b;

	c.ideal_branch = a->ideal_branch;
	c.ideal_l1i = a->ideal_l1i;
	c.ideal_l2i = a->ideal_l2i;
	c.ideal_l3i = a->ideal_l3i;
	c.ideal_itlb = a->ideal_itlb;
	c.ideal_l1d = a->ideal_l1d;
	c.ideal_l2d = a->ideal_l2d;
	c.ideal_l3d = a->ideal_l3d;
	c.ideal_dtlb = a->ideal_dtlb;
	c.ideal_walk = a->ideal_walk;
	c.ideal_bandwidth = a->ideal_bandwidth;
	c.ideal_pending = a->ideal_pending;
	return memcmp(&c, a, sizeof(c)) == 0;
}

static void create_groups(struct retime *r, const struct config *machines, unsigned count,
			  const struct retime_limits *limits)
{
	r->groups = mem_alloc_array(count, sizeof(*r->groups));
	for (unsigned first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && end - first < LANES &&
				      are_alike(&machines[first], &machines[end]);)
			end++;
		r->groups[r->group_count++] =
			(struct group){lanes_create(&machines[first], end - first, limits), first};
	}
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

	r->count = count;
	r->commits = mem_alloc_array(count, sizeof(*r->commits));
	r->last = mem_alloc_array(count, sizeof(*r->last));
	create_groups(r, machines, count, limits);
	r->line_bits = log2_of(machines->l1i_line);
	r->data_line_bits = log2_of(machines->l1d_line);
	r->far_line_bits =
		log2_of(machines->cache_levels > 1 ? machines->l2_line : machines->l1d_line);
	r->page_bits = log2_of(machines->page_bytes);
	r->address_mask =
		limits->address_bits ? bits_field(UINT64_MAX, 0, limits->address_bits) : UINT64_MAX;
	r->was_taken = true;
	r->limits = *limits;
	BUG_ON(limits->stores > STORES || limits->lines > LINES || limits->pages > PAGES ||
	       limits->unit_cycles > UNIT_CYCLES || limits->stamp_bits > 12);
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
	for (unsigned i = 0; i < r->group_count; i++)
		lanes_destroy(r->groups[i].lanes);
	free(r->groups);
	free(r->commits);
	free(r->last);
	free(r);
}

static void find_access(const struct retime *r, const struct cycle_retired *insn, uint64_t address,
			struct step *s)
{
	const uint64_t granules[] = {address >> GRANULE_BITS,
				     (address + (insn->accessed ? insn->accessed - 1 : 0)) >>
					     GRANULE_BITS};
	uint64_t youngest = 0;
	const uint64_t line = address >> r->data_line_bits;
	const uint64_t far_line = address >> r->far_line_bits;
	const uint64_t page = address >> r->page_bits;

	for (unsigned i = 0; i < 2; i++) {
		const struct store *store =
			&r->stores[s->stores[i] = (uint16_t)(granules[i] & (r->limits.stores - 1))];

		if (insn->marks & RETIRED_STORES || store->granule != granules[i] ||
		    store->number < youngest || store->address >= address + insn->accessed ||
		    address >= store->address + store->bytes)
			continue;
		youngest = store->number;
		s->has_store = true;
		s->store = s->stores[i];
		s->covers = store->address <= address &&
			    address + insn->accessed <= store->address + store->bytes;
	}
	if (insn->marks & RETIRED_STORES)
		return;
	s->data_line = (uint16_t)(line & (r->limits.lines - 1));
	s->far_line = (uint16_t)(far_line & (r->limits.lines - 1));
	s->page = (uint16_t)(page & (r->limits.pages - 1));
	s->has_line = r->lines[s->data_line] == line;
	s->has_far_line = r->far_lines[s->far_line] == far_line;
	s->has_page = r->pages[s->page] == page;
	s->misses_tlb = insn->tags & DATA_MISS_TLB;
	s->misses_l1 = insn->tags & DATA_MISS_L1;
	s->misses_l2 = insn->tags & DATA_MISS_L2;
	s->is_brought = insn->marks & RETIRED_DATA_BROUGHT && !s->has_line;
	/* A load that missed has not read from the store, which was written already. */
	s->reads_store = (s->has_store && !s->misses_l1 && !s->misses_tlb) || !insn->accessed;
	s->hits = s->reads_store || (!s->misses_l1 && !s->is_brought &&
				     (!s->waits || (s->has_line && !s->misses_tlb)));
}

static void keep_access(struct retime *r, const struct cycle_retired *insn, uint64_t address,
			const struct step *s)
{
	if (insn->marks & RETIRED_STORES) {
		for (unsigned i = 0; i < 2; i++)
			r->stores[s->stores[i]] = (struct store){
				(address >> GRANULE_BITS) + (i && s->stores[1] != s->stores[0]),
				address, ++r->store_number, insn->accessed};
		return;
	}
	if (s->misses_l1 || s->is_brought)
		r->lines[s->data_line] = address >> r->data_line_bits;
	if (s->misses_l2)
		r->far_lines[s->far_line] = address >> r->far_line_bits;
	if (s->misses_tlb)
		r->pages[s->page] = address >> r->page_bits;
}

static bool waits_fetch(const struct cycle_retired *insn, const struct cycle_waits *w)
{
	return insn->marks & RETIRED_FETCH_BROUGHT || w->fetch[0] || w->fetch[1] || w->fetch[2] ||
	       w->fetch[3];
}

bool retime_add(struct retime *r, const struct cycle_retired *insn, const struct cycle_waits *waits)
{
	const bool stores = insn->marks & RETIRED_STORES;
	const bool accesses = stores || insn->marks & RETIRED_LOADS;
	const uint64_t line = (insn->pc & r->address_mask) >> r->line_bits;
	const uint64_t address = insn->address & r->address_mask;
	struct step *s = &r->steps[r->step_count];

	*s = (struct step){
		.number = r->number++,
		.memory_number = r->memory_number,
		.branch_number = r->branch_number,
		.marks = insn->marks,
		.unit = insn->unit,
		.kind = retime_unit_kinds[insn->unit],
		.queue = retime_queues[retime_unit_kinds[insn->unit]],
		.result = stores || !insn->rd ? LANES_NOWHERE : insn->rd,
		/* A store's data comes when it comes. */
		.sources = {insn->rs[0], stores ? 0 : insn->rs[1], stores ? 0 : insn->rs[2]},
		.data = insn->rs[1],
		.begins_group = r->was_taken || line != r->last_line,
	};
	if (waits) {
		r->waits[r->wait_count] = *waits;
		s->waits = &r->waits[r->wait_count++];
		s->waits_fetch = waits_fetch(insn, waits);
	}
	if (accesses) {
		find_access(r, insn, address, s);
		keep_access(r, insn, address, s);
	}
	r->memory_number += accesses;
	r->branch_number += !!(insn->marks & RETIRED_BRANCH);
	r->was_taken = insn->marks & RETIRED_TAKEN;
	r->last_line = line;
	return ++r->step_count == RETIME_BATCH;
}

unsigned retime_run(struct retime *r, uint64_t (*commits)[RETIME_BATCH], unsigned first)
{
	const unsigned count = r->step_count;

	for (unsigned i = 0; i < r->group_count && count; i++)
		lanes_time(r->groups[i].lanes, r->steps, count, &commits[r->groups[i].first],
			   first);
	for (unsigned i = 0; i < r->count && count; i++)
		r->last[i] = commits[i][first + count - 1];
	r->step_count = r->wait_count = 0;
	return count;
}

void retime_step(struct retime *r, const struct cycle_retired *insn,
		 const struct cycle_waits *waits)
{
	if (retime_add(r, insn, waits))
		retime_run(r, r->commits, 0);
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
	retime_run(r, r->commits, 0);
	return r->last;
}
