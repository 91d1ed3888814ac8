/*
 * After a cycle in which nothing changed, nothing will change before the earliest of these times.
 * The ends of a wait's phases are among them, because a record names the phase.
 */
#include "core/ooo/ooo.h"

static void consider(uint64_t *next, uint64_t now, uint64_t at)
{
	if (at > now && at < *next)
		*next = at;
}

static uint64_t next_in_wheel(const struct ooo *core)
{
	uint64_t after = core->base.now + 1;
	uint32_t place = after % WHEEL_SLOTS, words = WHEEL_SLOTS / 64;

	/* From the next cycle round the wheel to the current one. */
	for (uint32_t i = 0; i <= words; i++) {
		uint64_t used = core->wheel_used[(place / 64 + i) % words];

		if (i == 0)
			used &= ~UINT64_C(0) << place % 64;
		if (used)
			return after + i * 64 - place % 64 + (uint32_t)__builtin_ctzll(used);
	}
	return NEVER;
}

uint64_t ooo_next_event(const struct ooo *core)
{
	uint64_t now = core->base.now, next = NEVER;

	for (uint32_t w = 0; w < QUEUE_COUNT * core->mask_words; w++)
		if (core->ready[w])
			return now + 1;
	consider(&next, now, next_in_wheel(core));
	for (size_t i = 0; i < core->resolving_count; i++)
		consider(&next, now,
			 core->entries[core->resolving[i] & core->slot_mask].complete_at);
	if (core->head < core->dispatched) {
		const struct entry *e = &core->entries[core->head & core->slot_mask];

		consider(&next, now, e->complete_at);
		/* The head state changes one cycle before completion. */
		if (e->complete_at != NEVER)
			consider(&next, now, e->complete_at - 1);
		/* What makes the oldest instruction late changes at these times too. */
		if (e->flags & ENTRY_DELAYED && e->flags & ENTRY_ISSUED)
			consider(&next, now, e->ready_at);
		if (!(e->flags & ENTRY_ISSUED) &&
		    ooo_late_state(core, e, now + 1) != core->base.record->head_late)
			return now + 1;
		if (e->flags & ENTRY_LOAD && e->flags & ENTRY_ISSUED) {
			const struct detail *d = &core->details[ooo_slot(core, e)];

			consider(&next, now, d->tlb_done_at);
			if (d->tlb_done_at > now)
				consider(&next, now, d->tlb_done_at - d->walk_cycles);
			if (d->miss_until[0])
				consider(&next, now, e->complete_at - d->queue_cycles);
			consider(&next, now, d->miss_until[0]);
			consider(&next, now, d->miss_until[1]);
		}
	}
	if (core->dispatched == core->passed && core->group_first < core->group_last)
		consider(&next, now, core->groups[core->group_first & core->group_mask].at);
	/* Why dispatch has nothing changes as many cycles later as the front end has stages. */
	if (core->held_from != NEVER) {
		consider(&next, now, core->held_from + core->stages);
		if (core->held_until != NEVER)
			consider(&next, now, core->held_until + 1 + core->stages);
	}
	consider(&next, now, core->fetch_ready_at);
	if (core->fetch_ready_at > now) {
		consider(&next, now, core->fetch_tlb_until);
		consider(&next, now, core->fetch_walk_from);
		consider(&next, now, core->fetch_queue_from);
		for (unsigned i = 0; i < MISS_LEVELS; i++)
			consider(&next, now, core->fetch_miss_until[i]);
	}
	if (core->misfetch_sequence != NEVER)
		consider(&next, now, core->misfetch_until);
	if (core->buffer_written < core->buffer_last)
		consider(&next, now, core->store_retry_at);
	if (core->buffer_first < core->buffer_written) {
		const struct pending_store *s =
			&core->store_buffer[core->buffer_first % STORE_BUFFER_MAX];

		consider(&next, now, s->done_at);
		if (core->base.record->head_state == HEAD_STORE) {
			consider(&next, now, s->tlb_done_at);
			consider(&next, now, s->miss_until[0]);
			consider(&next, now, s->miss_until[1]);
		}
	}
	if (next == NEVER)
		BUG("the core waits for nothing in cycle %llu", (unsigned long long)now);
	return next;
}
