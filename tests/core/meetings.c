#include "meetings.h"

#include <inttypes.h>
#include <stdio.h>

#include "isa/insn.h"

#define BLOCK_INSTRUCTIONS 64

static const char *const names[RARE_COUNT] = {
#define RARE(name) #name,
	MEETINGS_RARE(RARE)
#undef RARE
};

void meetings_init(struct meetings *m, const struct config *config)
{
	*m = (struct meetings){.line_bytes = config->l1d_line, .page_bytes = config->page_bytes};
}

static void see(struct meetings *m, enum rare rare)
{
	m->seen |= UINT32_C(1) << rare;
}

void meetings_region(struct meetings *m)
{
	see(m, RARE_region);
}

static bool crosses(uint64_t address, uint64_t bytes, uint64_t unit_bytes)
{
	return address / unit_bytes != (address + bytes - 1) / unit_bytes;
}

/* A load overlaps a store close before and reads bytes beyond it. */
static bool is_partial(const struct meetings *m, uint64_t address, uint64_t bytes)
{
	for (unsigned i = 0; i < MEETINGS_STORES; i++) {
		uint64_t low = m->addresses[i], high = low + m->store_bytes[i];

		if (low < address + bytes && address < high &&
		    (address < low || address + bytes > high))
			return true;
	}
	return false;
}

static void see_retired(struct meetings *m, const struct cycle_retired *r)
{
	if (r->accessed && crosses(r->address, r->accessed, m->line_bytes))
		see(m, RARE_line);
	if (r->accessed && crosses(r->address, r->accessed, m->page_bytes))
		see(m, RARE_page);
	if (r->marks & RETIRED_LOADS && is_partial(m, r->address, r->accessed))
		see(m, RARE_partial);
	if (r->marks & RETIRED_STORES) {
		m->addresses[m->next_store % MEETINGS_STORES] = r->address;
		m->store_bytes[m->next_store++ % MEETINGS_STORES] = r->accessed;
	}
}

static void see_commit(struct meetings *m, const struct cycle_event *e)
{
	bool is_missed = e->detail & COMMIT_MISPREDICTED;

	switch ((enum insn_class)e->insn_class) {
	case CLASS_ATOMIC: see(m, RARE_atomic); break;
	case CLASS_FENCE:
	case CLASS_CSR:
	case CLASS_SYSTEM: see(m, RARE_serial); break;
	case CLASS_INDIRECT:
	case CLASS_INDIRECT_CALL:
		if (is_missed)
			see(m, RARE_indirect);
		break;
	case CLASS_RETURN:
		if (is_missed)
			see(m, RARE_ret);
		break;
	default: break;
	}
}

static void see_event(struct meetings *m, const struct cycle_event *e)
{
	switch ((enum cycle_event_kind)e->kind) {
	case EVENT_COMMIT:
	case EVENT_COMMIT_PLAIN: see_commit(m, e); break;
	case EVENT_FORWARD: see(m, RARE_forward); break;
	case EVENT_REPLAY: see(m, e->wrong_path ? RARE_wrong_replay : RARE_replay); break;
	case EVENT_MISPREDICT:
		if (e->wrong_path)
			see(m, RARE_nested);
		break;
	default: break;
	}
}

static void end_block(struct meetings *m)
{
	for (unsigned i = 0; i < RARE_COUNT; i++)
		for (unsigned k = i; k < RARE_COUNT; k++)
			m->pairs[i][k] += m->seen >> i & m->seen >> k & 1;
	m->blocks++;
	m->seen = 0;
}

void meetings_cycle(struct meetings *m, const struct cycle *cycle)
{
	for (uint32_t i = 0; i < cycle->event_count; i++)
		see_event(m, &cycle->events[i]);
	for (unsigned i = 0; cycle->retired && i < cycle->committed; i++)
		see_retired(m, &cycle->retired[i]);
	if (cycle->head_state == HEAD_MSHR || cycle->head_late == LATE_STORE_MSHR)
		see(m, RARE_mshr);
	if (cycle->head_state == HEAD_STORE)
		see(m, RARE_buffer);
	m->committed += cycle->repeat * cycle->committed;
	if (m->committed / BLOCK_INSTRUCTIONS > m->blocks)
		end_block(m);
}

void meetings_print(const struct meetings *m)
{
	for (unsigned i = 0; i < RARE_COUNT; i++)
		for (unsigned k = i; k < RARE_COUNT; k++)
			if (m->pairs[i][k])
				printf("met %s %s %" PRIu64 "\n", names[i], names[k],
				       m->pairs[i][k]);
}
