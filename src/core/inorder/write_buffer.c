/* The write buffer: stores that have issued and are not written. Nothing that issues is ever
 * squashed, so a store enters when it issues. Stores are written one after the other, beginning in
 * the cycle after they entered. */
#include "core/inorder/inorder.h"

void inorder_write_buffer_put(struct inorder *core, const struct step_access *access, uint64_t pc)
{
	core->write_buffer[core->buffer_last++ % WRITE_BUFFER_MAX] =
		(struct buffered_store){access->address, pc, access->bytes};
}

enum buffer_match inorder_write_buffer_find(const struct inorder *core,
					    const struct step_access *load)
{
	for (uint64_t p = core->buffer_last; p-- > core->buffer_first;) {
		const struct buffered_store *s = &core->write_buffer[p % WRITE_BUFFER_MAX];

		if (s->address >= load->address + load->bytes ||
		    load->address >= s->address + s->bytes)
			continue;
		return s->address <= load->address &&
				       load->address + load->bytes <= s->address + s->bytes
			       ? BUFFER_FORWARDS
			       : BUFFER_OVERLAPS;
	}
	return BUFFER_NONE;
}

/* Writes the part of a store that is in one line, beginning in this cycle; `took` is how long that
 * occupies the buffer's port. False if there is no MSHR. */
static bool write_line(struct inorder *core, const struct buffered_store *s, uint64_t address,
		       uint64_t *took)
{
	const struct config *c = &core->config;
	const uint64_t now = core->base.now;
	struct access_result result;

	if (LIKELY(hierarchy_hits(core->base.memory, ACCESS_STORE, address, now))) {
		if (inorder_wants(core, EVENT_STORE_ACCESS))
			inorder_event_plain(core, EVENT_STORE_ACCESS, 0, s->pc, false);
		if (inorder_wants_list(core, EVENTS_ACCESSES))
			core_add_hit(&core->base, s->pc, address, ACCESS_STORES);
		*took = 1;
		return true;
	}
	core_access(&core->base, ACCESS_STORE, s->pc, s->pc, address, &result);
	if (inorder_wants(core, EVENT_STORE_ACCESS))
		core_add_access(&core->base, EVENT_STORE_ACCESS, 0, s->pc, false);
	if (inorder_wants_list(core, EVENTS_ACCESSES))
		core_add_looked_up(&core->base, s->pc, address, ACCESS_STORES);
	if (result.blocked) {
		core->write_retry_at = result.retry_at;
		return false;
	}
	unsigned misses = core_misses(&result, c->cache_levels, now) << DATA_MISS_SHIFT;
	if (misses)
		inorder_event_miss(core, EVENT_STORE_MISS, 0, s->pc, false, misses, &result);
	if (c->l1d_write != WRITE_THROUGH) {
		*took = inorder_wait(core, SIDE_DATA, s->pc, c->l1d_latency, &result) + 1;
		if (*took > 1)
			inorder_set_wait(&core->write_wait, &result, c->l1d_latency, 0);
		return true;
	}
	/* Written through, a store waits for no line, but longer if memory is busy. */
	result.done_at = result.tlb_done_at + c->inorder_write + result.queue_cycles;
	for (unsigned i = 0; i < MISS_LEVELS; i++)
		result.miss_until[i] = result.tlb_done_at;
	inorder_set_wait(&core->write_wait, &result, 0, 0);
	*took = result.done_at - now;
	return true;
}

struct doing inorder_write_buffer_doing(const struct inorder *core)
{
	const struct wait *wait = &core->write_wait;
	const uint64_t now = core->base.now;

	if (core->write_done_at == NEVER)
		return (struct doing){HEAD_STORE, 0};
	return (struct doing){now < wait->tlb_until || now < wait->miss_until[MISS_LEVELS - 1]
				      ? (uint8_t)(HEAD_DTLB + inorder_phase(wait, now))
				      : HEAD_STORE,
			      (uint8_t)inorder_excess(wait, now)};
}

static void begin_write(struct inorder *core, const struct buffered_store *s)
{
	const uint64_t last = s->address + s->bytes - 1;
	uint64_t took, took_last;

	core->base.progressed = true;
	if (!write_line(core, s, s->address, &took))
		return;
	/* A store to two lines is two writes; if the second finds no MSHR, both are tried again. */
	for (uint64_t at = s->address;
	     UNLIKELY(!hierarchy_same_line(core->base.memory, SIDE_DATA, at, last));) {
		at = hierarchy_next_line(core->base.memory, SIDE_DATA, at, last);
		if (!write_line(core, s, at, &took_last))
			return;
		took += took_last;
	}
	core->write_done_at = core->base.now + took;
}

void inorder_write_buffer_drain(struct inorder *core)
{
	if (core->write_done_at <= core->base.now) {
		core->buffer_first++;
		core->write_done_at = NEVER;
		core->base.progressed = true;
	}
	if (core->write_done_at == NEVER && !inorder_write_buffer_is_empty(core) &&
	    core->write_retry_at <= core->base.now)
		begin_write(core, &core->write_buffer[core->buffer_first % WRITE_BUFFER_MAX]);
}
