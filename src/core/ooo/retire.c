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

/* How long a store takes in each phase; [4]: if in none. The latency of a hit does not count: a
 * buffer of stores that hit has room. */
static void store_phases(const struct ooo *core, const struct pending_store *s, uint64_t phases[5])
{
	const uint64_t tlb_done_at = s->tlb_done_at ? s->tlb_done_at : s->written_at;
	const uint64_t ends[] = {s->miss_until[0], s->miss_until[1], s->done_at};
	uint64_t before = tlb_done_at + core->config.l1d_latency;

	phases[0] = tlb_done_at - s->written_at;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t end = ends[i] < s->done_at ? ends[i] : s->done_at;

		phases[i + 1] = s->miss_until[0] && end > before ? end - before : 0;
		before += phases[i + 1];
	}
	phases[4] = before == s->written_at + core->config.l1d_latency;
}

/* The oldest store in the buffer was waited for: each phase is charged its share. */
static void end_store_wait(struct ooo *core)
{
	const struct pending_store *s = &core->store_waited;
	const uint64_t cycles = core->base.now - core->store_waits_since;
	struct cycle_waits *w = &core->store_waits;
	uint64_t phases[5], sum = 0, before = 0, charged = 0;

	if (!core->store_is_written) {
		w->store[core->store_finds_no_mshr ? core->config.cache_levels : 4] +=
			ooo_at_most_32_bits(cycles);
		return;
	}
	store_phases(core, s, phases);
	for (unsigned i = 0; i < 5; i++)
		sum += phases[i];
	for (unsigned i = 0; i < 5; i++) {
		before += phases[i];
		const uint64_t share = cycles * before / sum - charged;
		w->store[i] += ooo_at_most_32_bits(share);
		charged += share;
	}
	w->store_walk += ooo_at_most_32_bits(cycles * s->walk_cycles / sum);
	w->store_queue += ooo_at_most_32_bits(cycles * s->queue_cycles / sum);
}

void ooo_retire_note_store(struct ooo *core, enum head_late late)
{
	const bool is_written = core->buffer_first != core->buffer_written;
	const bool finds_no_mshr = late == LATE_STORE_MSHR;

	if (core->store_waits_since == NEVER)
		core->store_waits = (struct cycle_waits){0};
	else if (core->store_waited_for != core->buffer_first ||
		 core->store_is_written != is_written || core->store_finds_no_mshr != finds_no_mshr)
		end_store_wait(core);
	else
		return;
	core->store_waited_for = core->buffer_first;
	core->store_waited = core->store_buffer[core->buffer_first % STORE_BUFFER_MAX];
	core->store_is_written = is_written;
	core->store_finds_no_mshr = finds_no_mshr;
	core->store_waits_since = core->base.now;
}

static bool store_wait(struct ooo *core, struct cycle_waits *waits)
{
	if (LIKELY(core->store_waits_since == NEVER))
		return false;
	end_store_wait(core);
	for (unsigned i = 0; i < 5; i++)
		waits->store[i] = core->store_waits.store[i];
	waits->store_walk = core->store_waits.store_walk;
	waits->store_queue = core->store_waits.store_queue;
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
