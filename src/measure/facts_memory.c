/* Fetches, loads and stores: what caches and TLBs make of them. */
#include <stdlib.h>

#include "measure/facts_state.h"

static uint64_t tlb_misses(const struct facts *f, enum hierarchy_side side)
{
	return f->hierarchy->events.tlb[side].misses;
}

static uint64_t walks(const struct facts *f, enum hierarchy_side side)
{
	const struct memory_events *e = &f->hierarchy->events;

	return f->hierarchy->has_tlb2 ? e->tlb2[side].misses : e->tlb[side].misses;
}

static uint32_t line_bytes(const struct config *c, enum memory_level level)
{
	return level == LEVEL_L1 ? c->l1d_line : level == LEVEL_L2 ? c->l2_line : c->l3_line;
}

static uint32_t set_count(const struct config *c, enum memory_level level)
{
	if (level == LEVEL_L1)
		return c->l1d_size / c->l1d_line / c->l1d_ways;
	return level == LEVEL_L2 ? c->l2_size / c->l2_line / c->l2_ways
				 : c->l3_size / c->l3_line / c->l3_ways;
}

static void note_conflict(struct facts *f, struct fact_memory *m, enum memory_level level,
			  uint64_t line)
{
	struct fact_conflicts *conflicts = &m->conflicts[level];
	uint64_t set = line & (set_count(&f->config, level) - 1);

	conflicts->misses++;
	frequent_add(&conflicts->sets, set);
	distinct_add(&conflicts->set_count, set);
	distinct_add(&conflicts->lines, line);
}

/* The shadows behind the L1's, as far as they are asked, and whether only the sets of a cache made
 * one miss. What a prefetcher brought into a cache in time never asks the one behind, and takes
 * room there all the same: a shadow is asked by what the shadow before does not hold, too. */
static void touch_shadows(struct facts *f, struct fact_memory *m, uint64_t address,
			  enum memory_level found, bool held)
{
	for (enum memory_level level = LEVEL_L2;
	     level < f->config.cache_levels && (level <= found || !held); level++) {
		uint64_t line = address / line_bytes(&f->config, level);

		held = shadow_touch(&f->shadow[level], line);
		if (held && level < found && m)
			note_conflict(f, m, level, line);
	}
}

static void enter_window(struct facts *f, uint64_t line, uint64_t page)
{
	if (f->step > f->window_ends) {
		for (size_t i = 0; i < f->window_line_count; i++)
			bitset_remove(&f->window_lines, f->window_line_list[i]);
		for (size_t i = 0; i < f->window_page_count; i++)
			bitset_remove(&f->window_pages, f->window_page_list[i]);
		f->window_line_count = f->window_page_count = 0;
		f->window_ends = f->step + FACTS_WINDOW_INSNS - 1;
	}
	if (bitset_add(&f->window_lines, line))
		f->window_line_list[f->window_line_count++] = line;
	if (bitset_add(&f->window_pages, page))
		f->window_page_list[f->window_page_count++] = page;
	if (f->window_line_count > f->code.busiest_lines)
		f->code.busiest_lines = f->window_line_count;
	if (f->window_page_count > f->code.busiest_pages)
		f->code.busiest_pages = f->window_page_count;
}

static void fetch_line(struct facts *f, struct fact_place *place, uint64_t address)
{
	uint64_t line = address / f->config.l1i_line, page = address / f->config.page_bytes;
	uint64_t misses = tlb_misses(f, SIDE_INSTRUCTION);
	enum memory_level found = hierarchy_touch_fetch(f->hierarchy, address);
	bool held = shadow_touch(&f->shadow_l1i, line);

	f->code.lines += bitset_add(&f->code_lines, line);
	f->code.pages += bitset_add(&f->code_pages, page);
	enter_window(f, line, page);
	f->code.fetches++;
	touch_shadows(f, NULL, address, found, held);
	if (found > LEVEL_L1) {
		f->code.misses++;
		f->code.conflicts += held;
	}
	if (!place)
		return;
	place->fact.fetch_misses += found > LEVEL_L1;
	place->fact.fetch_conflicts += found > LEVEL_L1 && held;
	place->fact.fetch_tlb_misses += tlb_misses(f, SIDE_INSTRUCTION) - misses;
}

void facts_fetch(struct facts *f, struct fact_place *place, const struct trace_op *op)
{
	if (op->pc >= GUEST_SPACE_BYTES - op->bytes)
		return;
	if (bitset_add(&f->code_seen, op->pc / 2))
		f->code.bytes += op->bytes;
	for (uint64_t at = op->pc; at < op->pc + op->bytes; at += 2) {
		uint64_t line = at / f->config.l1i_line;

		if (line == f->fetch_line)
			continue;
		f->fetch_line = line;
		fetch_line(f, place, at);
	}
}

/* One line of an access. */
static void access_line(struct facts *f, struct fact_memory *m, const struct trace_op *op,
			uint64_t address)
{
	uint64_t line = address / f->config.l1d_line;
	uint64_t misses = tlb_misses(f, SIDE_DATA), walked = walks(f, SIDE_DATA);
	bool goes_through = op->is_store && f->config.l1d_write == WRITE_THROUGH;
	enum memory_level found = LEVEL_L1;

	if (op->is_load)
		found = hierarchy_touch_load(f->hierarchy, op->pc, address);
	if (op->is_store) {
		enum memory_level stored = hierarchy_touch_store(f->hierarchy, op->pc, address);

		found = op->is_load ? found : stored;
	}
	bool is_first = bitset_add(&f->lines_seen, line);
	/* A store that goes through leaves the L1D as it is. */
	bool held = !(goes_through && !op->is_load) && shadow_touch(&f->shadow[LEVEL_L1], line);
	touch_shadows(f, m, address, found, held);
	if (!m)
		return;
	m->found[found]++;
	m->tlb_misses += tlb_misses(f, SIDE_DATA) - misses;
	m->tlb_walks += walks(f, SIDE_DATA) - walked;
	distinct_add(&m->lines, line);
	distinct_add(&m->pages, address / f->config.page_bytes);
	if (found == LEVEL_L1)
		return;
	m->first += is_first;
	if (held)
		note_conflict(f, m, LEVEL_L1, line);
}

void facts_access(struct facts *f, struct fact_place *place, const struct trace_step *step)
{
	const struct trace_op *op = step->op;
	struct fact_memory *m = place ? place->fact.memory : NULL;
	uint64_t last = step->address + op->access_bytes - 1;
	bool splits = last / f->config.l1d_line != step->address / f->config.l1d_line;

	access_line(f, m, op, step->address);
	if (splits && last < GUEST_SPACE_BYTES)
		access_line(f, m, op, bits_align_down(last, f->config.l1d_line));
	if (!m)
		return;
	if (m->accesses++)
		frequent_add(&m->strides, step->address - m->last_address);
	m->last_address = step->address;
	m->line_splits += splits;
	m->page_splits += last / f->config.page_bytes != step->address / f->config.page_bytes;
}

void facts_release_memory(struct fact_memory *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
		distinct_release(&m->conflicts[i].lines);
		distinct_release(&m->conflicts[i].set_count);
	}
	distinct_release(&m->lines);
	distinct_release(&m->pages);
	free(m);
}
