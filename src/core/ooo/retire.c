/* What the record says of an instruction that commits. */
#include <stddef.h>
#include <string.h>

#include "core/ooo/ooo.h"

static inline uint64_t hit_at(const struct ooo *core, uint32_t slot)
{
	return core->details[slot].tlb_done_at + core->config.l1d_latency;
}

/* The wait of a load for its data, by phases: each ends where the next begins, the first after the
 * latency of a hit. */
static bool data_waits(const struct ooo *core, const struct entry *e, struct cycle_waits *waits)
{
	const uint32_t slot = ooo_slot(core, e);
	const struct detail *d = &core->details[slot];
	const uint64_t ends[] = {d->miss_until[0], d->miss_until[1], e->complete_at};
	uint64_t before = hit_at(core, slot);

	if (e->complete_at == before && !core->tlb_waits[slot])
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

/* Where a line may be in `brought`. */
static inline unsigned brought_index(uint64_t line)
{
	return line / 32 % BROUGHT_LINES;
}

void ooo_retire_note_line(struct ooo *core, enum hierarchy_side side, uint64_t address,
			  unsigned misses)
{
	const uint64_t line = hierarchy_line_of(core->base.memory, side, address);
	const unsigned i = brought_index(line);

	core->brought[side][i] = (struct brought){
		line, core->wrong_since, ooo_at_most_32_bits(core->base.now - core->wrong_since),
		misses & FETCH_MISS_L2};
	core->has_brought[side][i / 64] |= UINT64_C(1) << i % 64;
}

/* Whether use_brought may find the line of an address. */
static inline bool may_be_brought(const struct ooo *core, enum hierarchy_side side,
				  uint64_t address)
{
	const unsigned i = brought_index(address & core->line_masks[side]);

	return core->has_brought[side][i / 64] >> i % 64 & 1;
}

/* Whether an instruction that did not miss uses a line that a wrong path has brought in, as the
 * mark `near`, or for a line from further away twice that. */
static unsigned use_brought(struct ooo *core, enum hierarchy_side side, uint64_t address,
			    bool has_missed, unsigned near, uint32_t *after)
{
	const uint64_t line = hierarchy_line_of(core->base.memory, side, address);
	const unsigned i = brought_index(line);
	struct brought *brought = &core->brought[side][i];
	const bool is_far = brought->is_far;

	if (brought->line != line || !line)
		return 0;
	*after = brought->since == core->retired_wrong_since ? brought->after : 0;
	*brought = (struct brought){0};
	core->has_brought[side][i / 64] &= ~(UINT64_C(1) << i % 64);
	return has_missed ? 0 : is_far ? near | near << 1 : near;
}

/* Whether unit_waits is of this instruction. */
static inline bool has_unit_wait(const struct entry *e)
{
	const unsigned units = 1 << UNIT_MUL | 1 << UNIT_DIV | 1 << UNIT_FP_MUL | 1 << UNIT_FP_DIV;

	return units >> e->unit & 1;
}

/* Writes the waits of an instruction that may have some; returns its marks, and whether it has. */
static __attribute__((noinline)) unsigned retire_waits(struct ooo *core, const struct entry *e,
						       struct cycle_waits *w, bool *has_waits)
{
	const unsigned flags = e->flags;
	const uint32_t slot = ooo_slot(core, e);
	bool has = e->tags & FETCH_WAITS;
	unsigned marks;

	*w = has ? core->waits[slot] : (struct cycle_waits){0};
	if (flags & (ENTRY_LOAD | ENTRY_STORE)) {
		if (flags & ENTRY_LOAD)
			has |= data_waits(core, e, w);
		has |= store_wait(core, w);
	}
	if (has_unit_wait(e)) {
		w->unit = core->unit_waits[slot];
		has |= w->unit > 0;
	}
	marks = use_brought(core, SIDE_INSTRUCTION, e->pc, e->tags & FETCH_MISS_L1,
			    RETIRED_FETCH_BROUGHT, &w->fetch_brought);
	if (flags & ENTRY_LOAD)
		marks |=
			use_brought(core, SIDE_DATA, core->accesses.slots[slot].address,
				    e->tags & DATA_MISS_L1, RETIRED_DATA_BROUGHT, &w->data_brought);
	*has_waits = has || marks;
	return marks;
}

/* The registers, unit and length of an instruction with the bytes it accesses, in the layout of
 * struct cycle_retired, so that one store writes them. */
static inline uint64_t operands_of(const struct entry *e, uint8_t accessed)
{
#define PLACE(type, member) (offsetof(type, member) - offsetof(type, rd))
	_Static_assert(PLACE(struct cycle_retired, accessed) == 7 &&
			       PLACE(struct cycle_retired, bytes) == 6 &&
			       PLACE(struct cycle_retired, unit) == 5 &&
			       PLACE(struct entry, unit) == 6 && sizeof(e->op) == 2,
		       "unit and length, which follow it, are a byte further down");
#undef PLACE
	const uint64_t registers = UINT64_C(0xffffffff), unit_and_bytes = UINT64_C(0x7ff0000000000);
	uint64_t word;

	memcpy(&word, &e->rd, sizeof(word));
	return (word & registers) | (word >> 8 & unit_and_bytes) | (uint64_t)accessed << 56;
}

#define RETIRED_FLAGS                                                                     \
	(ENTRY_BRANCH | ENTRY_TAKEN | ENTRY_MISPREDICTED | ENTRY_SERIALISE | ENTRY_LOAD | \
	 ENTRY_STORE)

/* Writes an instruction, and its waits if it has any; returns whether it has. Without the
 * conditional branches this is slower: they are predicted well, and save loads. */
static inline bool retire(struct ooo *core, const struct entry *e, struct cycle_retired *r,
			  struct cycle_waits *waits)
{
	const unsigned flags = e->flags;
	const uint32_t slot = ooo_slot(core, e);
	unsigned marks = core->marks[slot] | (flags & RETIRED_FLAGS);
	bool may_wait = e->tags & FETCH_WAITS, has_waits = false;
	uint64_t operands, address = 0;

	may_wait |= may_be_brought(core, SIDE_INSTRUCTION, e->pc);
	if (flags & (ENTRY_LOAD | ENTRY_STORE)) {
		const struct step_access *access = &core->accesses.slots[slot];

		address = access->address;
		operands = operands_of(e, access->bytes);
		may_wait |= core->store_waits_since != NEVER;
		if (flags & ENTRY_LOAD)
			may_wait |= e->complete_at != hit_at(core, slot) || core->tlb_waits[slot] ||
				    may_be_brought(core, SIDE_DATA, address);
	} else {
		operands = operands_of(e, 0);
		if (flags & ENTRY_CONTROL) {
			if (core->details[slot].misfetched)
				marks |= RETIRED_MISFETCHED;
			if (flags & ENTRY_MISPREDICTED)
				core->retired_wrong_since = core->details[slot].fetched_at;
		} else if (has_unit_wait(e)) {
			may_wait |= core->unit_waits[slot] > 0;
		}
	}
	if (UNLIKELY(may_wait))
		marks |= retire_waits(core, e, waits, &has_waits);
	r->pc = e->pc;
	r->address = address;
	memcpy(&r->rd, &operands, sizeof(operands));
	r->marks = (uint16_t)marks;
	r->tags = e->tags;
	r->has_waits = has_waits;
	return has_waits;
}

/* Most of these instructions are branches, so their case has no conditional branch. */
static inline unsigned commit_detail(const struct ooo *core, const struct entry *e)
{
	_Static_assert(ENTRY_BRANCH << 12 == COMMIT_BRANCH && ENTRY_TAKEN << 13 == COMMIT_TAKEN &&
			       ENTRY_MISPREDICTED << 11 == COMMIT_MISPREDICTED,
		       "the same bits elsewhere");
	const unsigned flags = e->flags;

	if (LIKELY(flags & ENTRY_CONTROL))
		return e->tags | (flags & ENTRY_BRANCH) << 12 | (flags & ENTRY_TAKEN) << 13 |
		       (flags & ENTRY_MISPREDICTED) << 11;
	return e->tags | (ooo_does_write(core, e) ? COMMIT_WRITES : 0);
}

static inline void note_commit(struct ooo *core, const struct entry *e, bool wants_plain)
{
	const bool is_plain = !e->tags && !(e->flags & ENTRY_BRANCH);

	if (!is_plain || UNLIKELY(wants_plain))
		ooo_event_of_class(core, is_plain ? EVENT_COMMIT_PLAIN : EVENT_COMMIT, e,
				   commit_detail(core, e), 0);
}

void ooo_retire_needed(struct ooo *core, uint64_t first, uint64_t end)
{
	for (uint64_t sequence = first; sequence != end; sequence++) {
		const struct entry *e = ooo_entry(core, sequence);

		if (commit_detail(core, e) & core->base.commit_needs)
			note_commit(core, e, false);
	}
}

void ooo_retire(struct ooo *core, uint64_t first, uint64_t end)
{
	const bool wants_plain = ooo_wants(core, EVENT_COMMIT_PLAIN);
	const bool wants_retired = core->base.wants & EVENTS_RETIRED;
	struct cycle_retired *retired = core->base.lists->retired;
	struct cycle_waits *const all_waits = core->base.lists->waits, *waits = all_waits;

	for (uint64_t sequence = first; sequence != end; sequence++) {
		const struct entry *e = ooo_entry(core, sequence);

		if (wants_retired)
			waits += retire(core, e, retired++, waits);
		note_commit(core, e, wants_plain);
	}
	core->base.record->wait_count = (uint32_t)(waits - all_waits);
}
