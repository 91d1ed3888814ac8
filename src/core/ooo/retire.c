/* What the record says of an instruction that commits. */
#include "core/ooo/ooo.h"

/* The wait of a load for its data, by phases: each ends where the next begins, the first after the
 * latency of a hit. */
static bool data_waits(const struct ooo *core, const struct entry *e, struct cycle_waits *waits)
{
	const uint32_t slot = ooo_slot(core, e);
	const struct detail *d = &core->details[slot];
	const uint64_t hit_at = d->tlb_done_at + core->config.l1d_latency;
	const uint64_t ends[] = {d->miss_until[0], d->miss_until[1], e->complete_at};
	uint64_t before = hit_at;

	if (e->complete_at == hit_at && !core->tlb_waits[slot])
		return false;
	waits->data[0] = core->tlb_waits[slot];
	waits->data_walk = d->walk_cycles;
	if (!d->miss_until[0])
		return true;
	waits->data_queue = d->queue_cycles;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t end = ends[i] < e->complete_at ? ends[i] : e->complete_at;

		if (end > before) {
			waits->data[i + 1] = ooo_at_most_32_bits(end - before);
			before = end;
		}
	}
	return true;
}

static void end_store_phase(struct ooo *core)
{
	core->store_waits.store[core->store_phase] +=
		ooo_at_most_32_bits(core->base.now - core->store_waits_since);
}

void ooo_retire_note_store(struct ooo *core, enum head_late late)
{
	unsigned last = core->config.cache_levels, phase = 4;

	_Static_assert(LATE_STORE_L3D == LATE_STORE_DTLB + 3, "in the order of the phases");
	if (late >= LATE_STORE_DTLB)
		phase = late == LATE_STORE_MSHR ? last : late - LATE_STORE_DTLB;
	if (core->store_waits_since == NEVER)
		core->store_waits = (struct cycle_waits){0};
	else if (core->store_phase != phase)
		end_store_phase(core);
	else
		return;
	core->store_phase = phase;
	core->store_waits_since = core->base.now;
}

static bool store_wait(struct ooo *core, struct cycle_waits *waits)
{
	if (LIKELY(core->store_waits_since == NEVER))
		return false;
	end_store_phase(core);
	for (unsigned i = 0; i < 5; i++)
		waits->store[i] = core->store_waits.store[i];
	core->store_waits_since = NEVER;
	return true;
}

static struct brought *find_brought(struct ooo *core, enum hierarchy_side side, uint64_t address,
				    uint64_t *line)
{
	*line = hierarchy_line_of(core->memory, side, address);
	return &core->brought[side][*line / 32 % BROUGHT_LINES];
}

void ooo_retire_note_line(struct ooo *core, enum hierarchy_side side, uint64_t address,
			  unsigned misses)
{
	uint64_t line;
	struct brought *brought = find_brought(core, side, address, &line);

	*brought = (struct brought){line, core->wrong_since,
				    ooo_at_most_32_bits(core->base.now - core->wrong_since),
				    misses & FETCH_MISS_L2};
}

/* Whether an instruction that did not miss uses a line that a wrong path has brought in, as the
 * mark `near`, or for a line from further away twice that. */
static unsigned use_brought(struct ooo *core, enum hierarchy_side side, uint64_t address,
			    bool has_missed, unsigned near, uint32_t *after)
{
	uint64_t line;
	struct brought *brought = find_brought(core, side, address, &line);
	const bool is_far = brought->is_far;

	if (LIKELY(brought->line != line || !line))
		return 0;
	*after = brought->since == core->retired_wrong_since ? brought->after : 0;
	*brought = (struct brought){0};
	return has_missed ? 0 : is_far ? near | near << 1 : near;
}

unsigned ooo_retire(struct ooo *core, const struct entry *e, unsigned index, unsigned waits)
{
	const unsigned flags = e->flags;
	const uint32_t slot = ooo_slot(core, e);
	struct cycle_waits *w = &core->retired_waits[waits];
	unsigned marks = core->marks[slot];
	bool has_waits = false;

	_Static_assert(ENTRY_BRANCH >> 5 == RETIRED_BRANCH && ENTRY_TAKEN >> 6 == RETIRED_TAKEN &&
			       ENTRY_MISPREDICTED << 1 == RETIRED_MISPREDICTED &&
			       ENTRY_SERIALISE >> 2 == RETIRED_SERIALISES &&
			       ENTRY_LOAD << 3 == RETIRED_LOADS &&
			       ENTRY_STORE << 3 == RETIRED_STORES,
		       "the same bits elsewhere");
	marks |= (flags & ENTRY_BRANCH) >> 5 | (flags & ENTRY_TAKEN) >> 6 |
		 (flags & ENTRY_MISPREDICTED) << 1 | (flags & ENTRY_SERIALISE) >> 2 |
		 (flags & (ENTRY_LOAD | ENTRY_STORE)) << 3;
	*w = e->tags & FETCH_WAITS ? core->waits[slot] : (struct cycle_waits){0};
	has_waits = e->tags & FETCH_WAITS;
	if (flags & (ENTRY_LOAD | ENTRY_STORE)) {
		if (flags & ENTRY_LOAD)
			has_waits |= data_waits(core, e, w);
		has_waits |= store_wait(core, w);
	}
	if (e->queue == QUEUE_FP_LONG || e->unit == UNIT_MUL || e->unit == UNIT_DIV) {
		w->unit = core->unit_waits[slot];
		has_waits |= w->unit > 0;
	}
	if (flags & ENTRY_CONTROL) {
		if (core->details[slot].misfetched)
			marks |= RETIRED_MISFETCHED;
		if (flags & ENTRY_MISPREDICTED)
			core->retired_wrong_since = core->details[slot].fetched_at;
	}
	if (e->pc / 8 != core->retired_line)
		marks |= use_brought(core, SIDE_INSTRUCTION, e->pc, e->tags & FETCH_MISS_L1,
				     RETIRED_FETCH_BROUGHT, &w->fetch_brought);
	core->retired_line = e->pc / 8; /* a line has at least 8 bytes */
	if (flags & ENTRY_LOAD)
		marks |=
			use_brought(core, SIDE_DATA, core->accesses.slots[slot].address,
				    e->tags & DATA_MISS_L1, RETIRED_DATA_BROUGHT, &w->data_brought);
	has_waits |= !!(marks & (RETIRED_FETCH_BROUGHT | RETIRED_DATA_BROUGHT));
	const bool accesses = flags & (ENTRY_LOAD | ENTRY_STORE);
	core->retired[index] = (struct cycle_retired){
		.pc = e->pc,
		.address = accesses ? core->accesses.slots[slot].address : 0,
		.rd = e->rd,
		.rs = {e->rs[0], e->rs[1], e->rs[2]},
		.unit = e->unit,
		.bytes = e->bytes,
		.accessed = accesses ? core->accesses.slots[slot].bytes : 0,
		.marks = (uint16_t)marks,
		.tags = e->tags,
		.has_waits = has_waits,
	};
	return has_waits;
}
