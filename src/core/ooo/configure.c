/* The parameters of a core, taken over before its first cycle or between two. Nothing here is on a
 * path that runs each cycle. */
#include <stdlib.h>

#include "base/array.h"
#include "core/ooo/ooo.h"

/* Makes room for the groups of a deeper front end. A group is fed in each cycle, and is one of the
 * front end until its time has come: as many as the deepest has stages, and one more. */
static void grow_groups(struct ooo *core)
{
	uint32_t mask = core->group_mask;

	while (mask <= core->stages)
		mask = mask * 2 + 1;
	if (mask == core->group_mask)
		return;
	struct fed_group *groups = mem_alloc_array((size_t)mask + 1, sizeof(*groups));

	for (uint64_t i = core->group_first; i != core->group_last; i++)
		groups[i & mask] = core->groups[i & core->group_mask];
	free(core->groups);
	core->groups = groups;
	core->group_mask = mask;
}

/* Without a default, so that a word that is not here does not compile. */
static void choose_disambiguation(struct ooo *core)
{
	const bool had_sets = core->has_sets, was_conservative = core->is_conservative;

	core->is_conservative = core->has_sets = false;
	switch (core->config.disambiguation) {
	case DISAMBIGUATION_CONSERVATIVE: core->is_conservative = true; break;
	case DISAMBIGUATION_PERFECT: break;
	case DISAMBIGUATION_PREDICT: core->has_sets = !core->config.ideal_replay; break;
	}
	/* Sets that were learnt before are still of use, unless there are others now. */
	if (core->has_sets && !had_sets && !store_sets_fit(&core->sets, &core->config)) {
		store_sets_release(&core->sets);
		store_sets_init(&core->sets, &core->config);
	}
	if (core->has_sets != had_sets || core->is_conservative != was_conservative ||
	    !core->base.now)
		ooo_lsq_change_disambiguation(core);
}

/* Nothing issues more than WIDTH_MAX operations in a cycle. */
static void idealise_units(struct config *c)
{
	if (c->ideal_ports)
		c->ideal_int_alu = c->ideal_int_muldiv = c->ideal_memory_ports = c->ideal_fp_add =
			c->ideal_fp_muldiv = true;
	c->int_alu_count = c->ideal_int_alu ? WIDTH_MAX : c->int_alu_count;
	c->int_muldiv_count = c->ideal_int_muldiv ? WIDTH_MAX : c->int_muldiv_count;
	c->memory_ports = c->ideal_memory_ports ? WIDTH_MAX : c->memory_ports;
	c->fp_add_count = c->ideal_fp_add ? WIDTH_MAX : c->fp_add_count;
	c->fp_muldiv_count = c->ideal_fp_muldiv ? WIDTH_MAX : c->fp_muldiv_count;
}

/* Nothing in the window is in a queue twice. */
static void idealise_limits(struct config *c)
{
	if (c->ideal_queues)
		c->issue_queue_size = c->issue_queue_int = c->issue_queue_memory =
			c->issue_queue_fp = c->lsq_size = c->rob_size;
	if (c->ideal_max_branches)
		c->max_branches = UNLIMITED;
}

void ooo_configure(struct ooo *core, const struct config *config)
{
	struct config *c = &core->config;

	if (core_changes_mshrs(c, config)) {
		core->store_retry_at = 0;
		if (core->buffer_written < core->buffer_last)
			core->drain_at = 0;
	}
	*c = *config;
	c->ideal_branch |= config->predictor_kind == PREDICTOR_PERFECT;
	core_set_ideal_at(&core->base, &c->ideal_at);
	idealise_units(c);
	idealise_limits(c);
	core->base.own_record.width = (uint16_t)config->dispatch_width;
	core->stages = frontend_stages(config);
	core->frontend_room = frontend_room(config);
	grow_groups(core);
	core->buffer_limit = config->store_buffer < STORE_BUFFER_MAX && !config->ideal_store
				     ? config->store_buffer
				     : STORE_BUFFER_MAX;
	core->is_split = config->issue_queue_kind == ISSUE_QUEUE_SPLIT;
	core->split_size[ISSUE_INT] = c->issue_queue_int;
	core->split_size[ISSUE_MEMORY] = c->issue_queue_memory;
	core->split_size[ISSUE_FP] = c->issue_queue_fp;
	choose_disambiguation(core);
	core->issue = ooo_choose_issue(core);
	core->dispatch = ooo_choose_dispatch(core);
}

/* A ring of slots that becomes another, in which the same instructions have other slots. */
struct move {
	uint64_t head, end; /* the sequence numbers in flight */
	uint32_t old_mask, new_mask;
};

static uint16_t moved_slot(const struct move *move, uint32_t slot)
{
	const uint64_t sequence = move->head + ((slot - (uint32_t)move->head) & move->old_mask);

	return (uint16_t)(sequence & move->new_mask);
}

static uint16_t moved_link(const struct move *move, uint16_t link)
{
	return link == NO_LINK ? NO_LINK : (uint16_t)(moved_slot(move, link / 4) * 4 + link % 4);
}

/* An array by slot, of elements of `bytes` bytes; entries are aligned to their size. */
static void *moved_array(const struct move *move, void *old, size_t bytes)
{
	const size_t count = (size_t)move->new_mask + 1;
	char *moved = bytes == sizeof(struct entry) ? mem_alloc_aligned(count, bytes)
						    : mem_alloc_array(count, bytes);

	for (uint64_t sequence = move->head; sequence != move->end; sequence++)
		memcpy(moved + (sequence & move->new_mask) * bytes,
		       (const char *)old + (sequence & move->old_mask) * bytes, bytes);
	free(old);
	return moved;
}

/* `masks` masks of a bit for each slot, one after the other. */
static void move_masks(const struct move *move, const uint64_t *from, uint64_t *to, size_t masks)
{
	const uint32_t old_words = (move->old_mask + 1) / 64, words = (move->new_mask + 1) / 64;

	memset(to, 0, masks * words * sizeof(*to));
	for (size_t i = 0; i < masks; i++)
		for (uint32_t slot = 0; slot <= move->old_mask; slot++)
			if (from[i * old_words + slot / 64] >> slot % 64 & 1)
				mask_set(to + i * words, moved_slot(move, slot));
}

static void move_own_masks(const struct move *move, uint64_t *masks, size_t count)
{
	uint64_t before[QUEUE_COUNT * MASK_WORDS];

	memcpy(before, masks, count * MASK_WORDS * sizeof(*masks));
	move_masks(move, before, masks, count);
}

static void move_links(const struct move *move, struct entry *e)
{
	e->consumers = moved_link(move, e->consumers);
	for (unsigned i = 0; i < 3; i++) {
		e->next_link[i] = moved_link(move, e->next_link[i]);
		if (e->producers[i] != NO_LINK)
			e->producers[i] = moved_slot(move, e->producers[i]);
	}
}

/* The ring of stores, by position. */
static void move_stores(struct ooo *core, const struct move *move)
{
	uint64_t *stores = mem_alloc_array((size_t)move->new_mask + 1, sizeof(*stores));

	for (uint64_t i = core->store_first; i != core->store_last; i++)
		stores[i & move->new_mask] = core->stores[i & move->old_mask];
	free(core->stores);
	core->stores = stores;
}

void ooo_grow_ring(struct ooo *core, uint32_t slots)
{
	const uint64_t end = ooo_is_replaying(core) ? core->again_end : core->fetched;
	const struct move move = {core->head, end, core->slot_mask, slots - 1};

	if (slots <= core->slot_mask + 1)
		return;
	BUG_ON(slots > SLOTS_MAX);
#define MOVE(array) array = moved_array(&move, array, sizeof(*(array)))
	MOVE(core->entries);
	MOVE(core->details);
	MOVE(core->load_sources);
	MOVE(core->marks);
	MOVE(core->unit_waits);
	MOVE(core->tlb_waits);
	MOVE(core->waits);
	MOVE(core->accesses.slots);
	MOVE(core->predictions);
	MOVE(core->checkpoints);
#undef MOVE
	for (uint64_t sequence = move.head; sequence != core->dispatched; sequence++)
		move_links(&move, &core->entries[sequence & move.new_mask]);
	move_own_masks(&move, core->ready, QUEUE_COUNT);
	move_own_masks(&move, core->hidden, 1);
	move_own_masks(&move, core->blocked, 1);
	uint64_t *wheel =
		mem_alloc_array((size_t)WHEEL_SLOTS * QUEUE_COUNT * (slots / 64), sizeof(*wheel));
	move_masks(&move, core->wheel, wheel, (size_t)WHEEL_SLOTS * QUEUE_COUNT);
	free(core->wheel);
	core->wheel = wheel;
	move_stores(core, &move);
	core->resolving = mem_realloc(core->resolving, slots, sizeof(*core->resolving));
	core->resolving_capacity = slots;
	core->slot_mask = core->accesses.mask = slots - 1;
	core->mask_words = slots / 64;
}
