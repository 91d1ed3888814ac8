#include <stdlib.h>

#include "base/array.h"
#include "core/ooo/ooo.h"

static uint32_t in_flight(const struct config *config)
{
	uint32_t most = frontend_in_flight(config), slots = 64;

	while (slots < most && slots <= SLOTS_MAX)
		slots *= 2;
	return slots;
}

static bool fits(const struct config *config, struct err *err)
{
	return in_flight(config) <= SLOTS_MAX
		       ? true
		       : err_set(err,
				 "rob.size, fetch.buffer and the front end (frontend.depth plus "
				 "l1i.latency_cycles, times decode.width) together hold more than "
				 "%d instructions",
				 SLOTS_MAX);
}

static struct core *create(const struct config *config, struct process *process,
			   struct hierarchy *hierarchy, struct predictor *predictor)
{
	struct ooo *core = mem_alloc(sizeof(*core));
	uint32_t slots = in_flight(config);

	BUG_ON(slots > SLOTS_MAX);
	core_init(&core->base, &core_ooo, process, hierarchy, config->dispatch_width);
	core->predictor = predictor;
	core->slot_mask = slots - 1;
	core->mask_words = slots / 64;
	core->entries = mem_alloc_aligned(slots, sizeof(*core->entries));
	core->details = mem_alloc_array(slots, sizeof(*core->details));
	core->load_sources = mem_alloc_array(slots, sizeof(*core->load_sources));
	core->marks = mem_alloc_array(slots, sizeof(*core->marks));
	core->unit_waits = mem_alloc_array(slots, sizeof(*core->unit_waits));
	core->tlb_waits = mem_alloc_array(slots, sizeof(*core->tlb_waits));
	core->waits = mem_alloc_array(slots, sizeof(*core->waits));
	core->accesses.slots = mem_alloc_array(slots, sizeof(*core->accesses.slots));
	core->accesses.mask = slots - 1;
	core->predictions = mem_alloc_array(slots, sizeof(*core->predictions));
	core->checkpoints = mem_alloc_array(slots, sizeof(*core->checkpoints));
	core->groups = mem_alloc_array(1, sizeof(*core->groups));
	core->wheel = mem_alloc_array((size_t)WHEEL_SLOTS * QUEUE_COUNT * core->mask_words,
				      sizeof(uint64_t));
	core->stores = mem_alloc_array(slots, sizeof(*core->stores));
	core->resolving = mem_alloc_array(slots, sizeof(*core->resolving));
	core->resolving_capacity = slots;
	core->store_buffer = mem_alloc_array(STORE_BUFFER_MAX, sizeof(*core->store_buffer));
	/* Sequence numbers begin with 1, so that writer 0 is older than the head. */
	core->head = core->dispatched = core->passed = core->fed = core->fetched = 1;
	core->misfetch_sequence = core->drain_at = core->store_waits_since = NEVER;
	core->visit_at = core->held_from = NEVER;
	core->arrived[0] = core->arrived[1] = NEVER;
	core->line_masks[SIDE_INSTRUCTION] = -(uint64_t)config->l1i_line;
	core->line_masks[SIDE_DATA] = -(uint64_t)config->l1d_line;
	undo_init(&core->undo);
	core->undo.ignores_faults = config->wrong_path_unmapped == UNMAPPED_ZERO;
	ooo_configure(core, config);
	return &core->base;
}

static struct ooo *ooo_of(struct core *core)
{
	return (struct ooo *)core;
}

static void destroy(struct core *base)
{
	struct ooo *core = ooo_of(base);

	if (!core)
		return;
	undo_release(&core->undo);
	store_sets_release(&core->sets);
	free(core->entries);
	free(core->details);
	free(core->load_sources);
	free(core->marks);
	free(core->unit_waits);
	free(core->tlb_waits);
	free(core->waits);
	free(core->accesses.slots);
	free(core->predictions);
	free(core->checkpoints);
	free(core->groups);
	free(core->wheel);
	free(core->stores);
	free(core->resolving);
	free(core->store_buffer);
	core_release(base);
	free(core);
}

static void wants_changed(struct core *base)
{
	struct ooo *core = ooo_of(base);

	core->issue = ooo_choose_issue(core);
}

static void restart(struct core *base)
{
	struct ooo *core = ooo_of(base);

	BUG_ON(core->head != core->fetched || ooo_is_replaying(core) || core->wrong_depth);
	core->fetch_ready_at = core->fetch_tags = 0;
	core->arrived[0] = core->arrived[1] = core->misfetch_sequence = NEVER;
}

static void reconfigure(struct core *base, const struct config *config)
{
	ooo_grow_ring(ooo_of(base), in_flight(config));
	ooo_configure(ooo_of(base), config);
}

static uint64_t unwritten(const struct core *base)
{
	const struct ooo *core = (const struct ooo *)base;

	return core->buffer_last - core->buffer_written;
}

static bool check(const struct core *base, struct err *err)
{
	const struct ooo *core = (const struct ooo *)base;

	return core_check(base, core->fetched - core->head, err);
}

static bool is_finished(const struct ooo *core)
{
	return core->base.is_ended && core->head == core->fetched && !ooo_is_replaying(core);
}

static const struct cycle *step(struct core *base)
{
	struct ooo *core = ooo_of(base);
	struct cycle *cycle;

	if (is_finished(core))
		return NULL;
	cycle = core_begin_record(base);

	if (core->resolving_count | core->known_count)
		ooo_resolve(core);
	ooo_commit(core);
	core->issue(core);
	core->dispatch(core);
	ooo_fetch(core);
	ooo_feed(core);

	cycle->rob_used = (uint16_t)(core->dispatched - core->head);
	cycle->iq_used = (uint16_t)core->iq_used;
	cycle->lsq_used = (uint16_t)core->lsq_used;
	cycle->store_buffer_used = (uint16_t)(core->buffer_last - core->buffer_first);
	if (base->skips && !base->progressed && !core->unblock)
		cycle->repeat = ooo_next_event(core) - base->now;
	return core_end_record(base, base->wants & EVENTS_RETIRED);
}

CONFIG_PART(core_ooo) = {
	.name = "ooo",
	.in_flight = in_flight,
	.fits = fits,
	.create = create,
	.step = step,
	.wants_changed = wants_changed,
	.restart = restart,
	.reconfigure = reconfigure,
	.unwritten = unwritten,
	.check = check,
	.destroy = destroy,
};
