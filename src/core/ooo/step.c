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
	core->base.kind = &core_ooo;
	core->config = *config;
	core->config.ideal_branch |= config->predictor_kind == PREDICTOR_PERFECT;
	/* Nothing issues more than WIDTH_MAX operations in a cycle, and divisions are pipelined. */
	if (config->ideal_ports)
		core->config.int_alu_count = core->config.int_muldiv_count =
			core->config.memory_ports = core->config.fp_add_count =
				core->config.fp_muldiv_count = WIDTH_MAX;
	core->process = process;
	core->cpu = &process->cpu;
	core->memory = hierarchy;
	core->predictor = predictor;
	core->slot_mask = slots - 1;
	core->mask_words = slots / 64;
	core->stages = frontend_stages(config);
	core->frontend_room = frontend_room(config);
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
	/* A group is fed in each cycle, and is one of the front end until its time has come. */
	while (core->group_mask <= core->stages)
		core->group_mask = core->group_mask * 2 + 1;
	core->groups = mem_alloc_array(core->group_mask + 1, sizeof(*core->groups));
	core->wheel = mem_alloc_array((size_t)WHEEL_SLOTS * QUEUE_COUNT * core->mask_words,
				      sizeof(uint64_t));
	core->stores = mem_alloc_array(slots, sizeof(*core->stores));
	core->resolving = mem_alloc_array(slots, sizeof(*core->resolving));
	core->resolving_capacity = slots;
	core->store_buffer = mem_alloc_array(STORE_BUFFER_MAX, sizeof(*core->store_buffer));
	/* Sequence numbers begin with 1, so that writer 0 is older than the head. */
	core->head = core->dispatched = core->passed = core->fed = core->fetched = 1;
	core->misfetch_sequence = core->drain_at = core->store_waits_since = NEVER;
	core->is_conservative = config->disambiguation == DISAMBIGUATION_CONSERVATIVE;
	core->has_sets = config->disambiguation == DISAMBIGUATION_PREDICT && !config->ideal_replay;
	core->unknown_store = core->no_unknown_store = core->has_sets ? 0 : NEVER;
	if (core->has_sets)
		store_sets_init(&core->sets, config);
	core->buffer_limit = config->store_buffer < STORE_BUFFER_MAX && !config->ideal_store
				     ? config->store_buffer
				     : STORE_BUFFER_MAX;
	core->is_split = config->issue_queue_kind == ISSUE_QUEUE_SPLIT;
	core->split_size[ISSUE_INT] = config->issue_queue_int;
	core->split_size[ISSUE_MEMORY] = config->issue_queue_memory;
	core->split_size[ISSUE_FP] = config->issue_queue_fp;
	core->issue = ooo_choose_issue(core);
	core->dispatch = ooo_choose_dispatch(core);
	core->arrived[0] = core->arrived[1] = NEVER;
	core->skips = true;
	core->thread = (uint32_t)process->current->tid;
	core->commit_limit = core->roi_call = core->roi_return = UINT64_MAX;
	core_create_lists(&core->base);
	core->line_masks[SIDE_INSTRUCTION] = -(uint64_t)config->l1i_line;
	core->line_masks[SIDE_DATA] = -(uint64_t)config->l1d_line;
	core->cycle.totals = &core->base.totals;
	core->cycle.memory = &hierarchy->events;
	core->cycle.width = (uint16_t)config->dispatch_width;
	undo_init(&core->undo);
	core->undo.ignores_faults = config->wrong_path_unmapped == UNMAPPED_ZERO;
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
	core_destroy_lists(base);
	free(core);
}

static void set_skipping(struct core *core, bool skips)
{
	ooo_of(core)->skips = skips;
}

static void want_events(struct core *base, uint32_t kinds)
{
	struct ooo *core = ooo_of(base);

	core->wants = kinds;
	core->issue = ooo_choose_issue(core);
	hierarchy_keep_log(core->memory,
			   kinds & (EVENT_BIT(EVENT_FETCH_ACCESS) | EVENT_BIT(EVENT_LOAD_ACCESS) |
				    EVENT_BIT(EVENT_STORE_ACCESS)));
}

static void limit_commits(struct core *core, uint64_t committed)
{
	ooo_of(core)->commit_limit = committed;
}

static void end_at_return(struct core *base, uint64_t call, uint64_t return_to)
{
	struct ooo *core = ooo_of(base);

	core->roi_call = call;
	core->roi_return = return_to;
}

static void measure_call(struct core *base, uint64_t site, uint64_t return_to)
{
	struct ooo *core = ooo_of(base);

	BUG_ON(core->head != core->fetched || ooo_is_replaying(core) || core->wrong_depth);
	base->call = (struct core_call){true, false, site, return_to, 0};
	base->has_returned = false;
	core->is_draining = core->is_nowhere = false;
	core->thread = (uint32_t)core->process->current->tid;
	core->fetch_ready_at = core->fetch_tags = 0;
	core->arrived[0] = core->arrived[1] = core->misfetch_sequence = NEVER;
}

static bool check(const struct core *base, struct err *err)
{
	const struct ooo *core = (const struct ooo *)base;
	const struct core_totals *n = &base->totals;
	uint64_t in_core = core->fetched - core->head;

	return core_identity("fetched = committed + squashed + in flight", n->fetched,
			     n->committed + n->squashed + in_core, err) &&
	       core_identity("branches mispredicted = conditional + indirect + return",
			     n->mispredictions,
			     n->conditional_mispredictions + n->indirect_mispredictions +
				     n->return_mispredictions,
			     err) &&
	       core_identity("cycles = time", n->cycles, base->now, err);
}

static bool is_finished(const struct ooo *core)
{
	return core->is_ended && core->head == core->fetched && !ooo_is_replaying(core);
}

/* Sets the fields that not every stage writes. Clearing the whole record became a string
 * instruction that took 2 to 3 % of all time. */
static void begin_record(const struct ooo *core, struct cycle *cycle)
{
	cycle->number = core->base.now;
	cycle->repeat = 1;
	cycle->thread = core->thread;
	cycle->fetched = cycle->useful_fetched = 0;
	cycle->squashed = 0;
	cycle->excess = 0;
	cycle->is_fronted = cycle->front_waits = 0;
	cycle->event_count = cycle->event_kinds = 0;
	cycle->head_pc = 0;
}

static const struct cycle *step(struct core *base)
{
	struct ooo *core = ooo_of(base);
	struct cycle *cycle = &core->cycle;

	if (is_finished(core))
		return NULL;
	begin_record(core, cycle);
	core->progressed = false;

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
	if (core->skips && !core->progressed && !core->unblock)
		cycle->repeat = ooo_next_event(core) - core->base.now;
	core->base.now += cycle->repeat;
	core->base.totals.cycles += cycle->repeat;
	core_end_record(base, cycle, core->wants & EVENTS_RETIRED);
	return cycle;
}

const struct core_kind core_ooo = {
	.name = "ooo",
	.in_flight = in_flight,
	.fits = fits,
	.create = create,
	.step = step,
	.set_skipping = set_skipping,
	.want_events = want_events,
	.limit_commits = limit_commits,
	.end_at_return = end_at_return,
	.measure_call = measure_call,
	.check = check,
	.destroy = destroy,
};
