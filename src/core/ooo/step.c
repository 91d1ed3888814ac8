#include <stdlib.h>

#include "base/array.h"
#include "core/core.h"
#include "core/ooo/ooo.h"

uint32_t ooo_in_flight(const struct config *config)
{
	uint32_t stages = config->frontend_depth + config->l1i_latency - 1;
	uint32_t most = config->rob_size + stages * config->decode_width + config->fetch_buffer +
			config->fetch_width;
	uint32_t slots = 64;

	while (slots < most && slots <= SLOTS_MAX)
		slots *= 2;
	return slots;
}

struct ooo *ooo_create(const struct config *config, struct process *process,
		       struct hierarchy *hierarchy, struct predictor *predictor)
{
	struct ooo *core = mem_alloc(sizeof(*core));
	uint32_t slots = ooo_in_flight(config);

	BUG_ON(slots > SLOTS_MAX);
	core->config = *config;
	core->config.ideal_branch |= config->predictor_kind == PREDICTOR_PERFECT;
	core->process = process;
	core->cpu = &process->cpu;
	core->memory = hierarchy;
	core->predictor = predictor;
	core->slot_mask = slots - 1;
	core->mask_words = slots / 64;
	core->entries = mem_alloc_aligned(slots, sizeof(*core->entries));
	core->details = mem_alloc_array(slots, sizeof(*core->details));
	core->accesses.slots = mem_alloc_array(slots, sizeof(*core->accesses.slots));
	core->accesses.mask = slots - 1;
	core->predictions = mem_alloc_array(slots, sizeof(*core->predictions));
	core->checkpoints = mem_alloc_array(slots, sizeof(*core->checkpoints));
	core->groups = mem_alloc_array(slots, sizeof(*core->groups));
	core->wheel = mem_alloc_array((size_t)WHEEL_SLOTS * QUEUE_COUNT * core->mask_words,
				      sizeof(uint64_t));
	core->stores = mem_alloc_array(slots, sizeof(*core->stores));
	core->resolving = mem_alloc_array(slots, sizeof(*core->resolving));
	core->resolving_capacity = slots;
	core->store_buffer = mem_alloc_array(STORE_BUFFER_MAX, sizeof(*core->store_buffer));
	/* Sequence 0 is nobody's, so that an empty writer is older than the head. */
	core->head = core->dispatched = core->ripe = core->fed = core->fetched = 1;
	core->misfetch_sequence = core->unknown_store = core->drain_at = NEVER;
	core->buffer_limit =
		config->store_buffer < STORE_BUFFER_MAX ? config->store_buffer : STORE_BUFFER_MAX;
	core->arrived[0] = core->arrived[1] = NEVER;
	core->skips = core->wants_events = true;
	core->thread = (uint32_t)process->current->tid;
	core->commit_limit = core->roi_call = core->roi_return = UINT64_MAX;
	core->cycle.events = core->events;
	core->cycle.useful_pcs = core->useful_pcs;
	undo_init(&core->undo);
	core->undo.ignores_faults = config->wrong_path_unmapped == UNMAPPED_ZERO;
	return core;
}

void ooo_destroy(struct ooo *core)
{
	if (!core)
		return;
	undo_release(&core->undo);
	free(core->entries);
	free(core->details);
	free(core->accesses.slots);
	free(core->predictions);
	free(core->checkpoints);
	free(core->groups);
	free(core->wheel);
	free(core->stores);
	free(core->resolving);
	free(core->store_buffer);
	free(core);
}

void ooo_set_skipping(struct ooo *core, bool skips)
{
	core->skips = skips;
}

void ooo_set_events(struct ooo *core, bool wants)
{
	core->wants_events = wants;
}

void ooo_limit_commits(struct ooo *core, uint64_t committed)
{
	core->commit_limit = committed;
}

void ooo_end_at_return(struct ooo *core, uint64_t call, uint64_t return_to)
{
	core->roi_call = call;
	core->roi_return = return_to;
}

const struct ooo_counters *ooo_count(const struct ooo *core)
{
	return &core->counters;
}

static bool is_finished(const struct ooo *core)
{
	return core->is_ended && core->head == core->fetched;
}

/* Sets what no stage is sure to write. Clearing the whole record became a string instruction
 * that took 2 to 3 % of all time. */
static void begin_record(const struct ooo *core, struct cycle *cycle)
{
	cycle->number = core->now;
	cycle->repeat = 1;
	cycle->thread = core->thread;
	cycle->fetched = cycle->useful_fetched = 0;
	cycle->squashed = 0;
	cycle->is_fronted = cycle->front_waits = 0;
	cycle->event_count = cycle->event_kinds = 0;
	cycle->head_pc = 0;
}

const struct cycle *ooo_step(struct ooo *core)
{
	struct cycle *cycle = &core->cycle;

	if (is_finished(core))
		return NULL;
	begin_record(core, cycle);
	core->progressed = false;

	if (core->resolving_count)
		ooo_resolve(core);
	ooo_commit(core);
	ooo_issue(core);
	ooo_dispatch(core);
	ooo_fetch(core);
	ooo_feed(core);

	cycle->rob_used = (uint16_t)(core->dispatched - core->head);
	cycle->iq_used = (uint16_t)core->iq_used;
	cycle->lsq_used = (uint16_t)core->lsq_used;
	cycle->store_buffer_used = (uint16_t)(core->buffer_last - core->buffer_first);
	if (core->skips && !core->progressed && !core->unblock)
		cycle->repeat = ooo_next_event(core) - core->now;
	core->now += cycle->repeat;
	core->counters.cycles += cycle->repeat;
	return cycle;
}
