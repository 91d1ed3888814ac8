#include <stdlib.h>

#include "base/array.h"
#include "core/inorder/inorder.h"

static uint32_t in_flight(const struct config *config)
{
	uint32_t most =
		SHAPE_INORDER_WINDOW + (frontend_stages(config) + 1) * config->inorder_issue_width;
	uint32_t slots = SHAPE_INORDER_WINDOW;

	while (slots < most)
		slots *= 2;
	return slots;
}

static bool fits(const struct config *config, struct err *err)
{
	BUG_ON(in_flight(config) > SLOTS_MAX);
	/* Among the rules is that a misprediction costs at least the front end's stages. */
	return config_check(config, err);
}

static void set_latencies(struct inorder *core)
{
	const struct config *c = &core->config;

	for (unsigned unit = 0; unit < UNIT_COUNT; unit++)
		core->latency[unit] = c->int_alu_latency;
	core->latency[UNIT_MUL] = c->int_mul_latency;
	core->latency[UNIT_DIV] = c->int_div_latency;
	core->latency[UNIT_FP_ADD] = c->fp_add_latency;
	core->latency[UNIT_FP_MUL] = c->fp_mul_latency;
	core->latency[UNIT_FP_DIV] = c->fp_div_latency;
	for (unsigned unit = 0; unit < UNIT_COUNT; unit++)
		if (c->ideal_units || unit == UNIT_STORE)
			core->latency[unit] = 1;
}

static struct core *create(const struct config *config, struct process *process,
			   struct hierarchy *hierarchy, struct predictor *predictor)
{
	struct inorder *core = mem_alloc(sizeof(*core));
	const uint32_t slots = in_flight(config);

	core->base.kind = &core_inorder;
	core->config = *config;
	core->config.ideal_branch |= config->predictor_kind == PREDICTOR_PERFECT;
	core->is_predicting = config->predictor_kind != PREDICTOR_NONE;
	core->process = process;
	core->cpu = &process->cpu;
	core->memory = hierarchy;
	core->predictor = predictor;
	core->slot_mask = slots - 1;
	core->width = config->inorder_issue_width;
	core->stages = frontend_stages(config);
	core->queue_most = core->stages * core->width;
	core->redirect_cycles = shape_mispredict_cycles(config) - core->stages;
	core->fill_cycles[SIDE_INSTRUCTION] = shape_fill_cycles(config, config->l1i_line);
	core->fill_cycles[SIDE_DATA] = shape_fill_cycles(config, config->l1d_line);
	set_latencies(core);
	core->entries = mem_alloc_aligned(slots, sizeof(*core->entries));
	core->accesses.slots = mem_alloc_array(slots, sizeof(*core->accesses.slots));
	core->accesses.mask = slots - 1;
	core->predictions = mem_alloc_array(slots, sizeof(*core->predictions));
	if (config->l1d_write == WRITE_LIVE)
		core->dead = mem_alloc_array(slots, sizeof(*core->dead));
	/* Sequence numbers begin with 1, so that writer 0 is older than the head. */
	core->head = core->issued = core->fetched = 1;
	core->resolve_at = core->write_done_at = NEVER;
	core->arrived[0] = core->arrived[1] = NEVER;
	core->skips = true;
	core->thread = (uint32_t)process->current->tid;
	core->commit_limit = core->roi_call = core->roi_return = UINT64_MAX;
	core_create_lists(&core->base);
	core->cycle.totals = &core->base.totals;
	core->cycle.memory = &hierarchy->events;
	core->cycle.width = (uint16_t)core->width;
	undo_init(&core->undo);
	core->undo.ignores_faults = true;
	return &core->base;
}

static struct inorder *inorder_of(struct core *core)
{
	return (struct inorder *)core;
}

static void destroy(struct core *base)
{
	struct inorder *core = inorder_of(base);

	if (!core)
		return;
	undo_release(&core->undo);
	free(core->entries);
	free(core->accesses.slots);
	free(core->predictions);
	free(core->dead);
	core_destroy_lists(base);
	free(core);
}

static void set_skipping(struct core *core, bool skips)
{
	inorder_of(core)->skips = skips;
}

static void want_events(struct core *base, uint32_t kinds)
{
	struct inorder *core = inorder_of(base);

	core->wants = kinds;
	hierarchy_keep_log(core->memory,
			   kinds & (EVENT_BIT(EVENT_FETCH_ACCESS) | EVENT_BIT(EVENT_LOAD_ACCESS) |
				    EVENT_BIT(EVENT_STORE_ACCESS)));
}

static void limit_commits(struct core *core, uint64_t committed)
{
	inorder_of(core)->commit_limit = committed;
}

static void end_at_return(struct core *base, uint64_t call, uint64_t return_to)
{
	struct inorder *core = inorder_of(base);

	core->roi_call = call;
	core->roi_return = return_to;
}

static void measure_call(struct core *base, uint64_t site, uint64_t return_to)
{
	struct inorder *core = inorder_of(base);

	BUG_ON(core->head != core->fetched || core->is_wrong);
	base->call = (struct core_call){true, false, site, return_to, 0};
	base->has_returned = false;
	core->is_draining = core->is_nowhere = false;
	core->thread = (uint32_t)core->process->current->tid;
	core->fetch_wait.until = core->fetch_tags = 0;
	core->bubble_until = 0;
	core->arrived[0] = core->arrived[1] = NEVER;
}

static bool check(const struct core *base, struct err *err)
{
	const struct inorder *core = (const struct inorder *)base;
	const struct core_totals *n = &base->totals;

	return core_identity("fetched = committed + squashed + in flight", n->fetched,
			     n->committed + n->squashed + core->fetched - core->head, err) &&
	       core_identity("issued = committed + in the window", n->issued,
			     n->committed + core->issued - core->head, err) &&
	       core_identity("branches mispredicted = conditional + indirect + return",
			     n->mispredictions,
			     n->conditional_mispredictions + n->indirect_mispredictions +
				     n->return_mispredictions,
			     err) &&
	       core_identity("cycles = time", n->cycles, base->now, err);
}

struct doing inorder_doing(const struct inorder *core, uint64_t sequence)
{
	const struct entry *e = &core->entries[sequence & core->slot_mask];
	const uint64_t now = core->base.now;

	if (sequence == core->blocker && now < core->blocked_until && e->flags & ENTRY_LOAD)
		return (struct doing){(uint8_t)(HEAD_DTLB + inorder_phase(&core->load_wait, now)),
				      (uint8_t)inorder_excess(&core->load_wait, now)};
	return (struct doing){
		e->flags & ENTRY_LONG && now < e->result_at ? HEAD_UNIT : HEAD_EXECUTES, 0};
}

static void commit_control(struct inorder *core, const struct entry *e, uint64_t sequence)
{
	if (e->flags & ENTRY_PREDICTED)
		predictor_update(core->predictor, branch_kind_of(e->control), e->pc, e->bytes,
				 !!(e->flags & ENTRY_TAKEN), e->next_pc,
				 &core->predictions[sequence & core->slot_mask]);
	fetch_count_control(&core->base.totals, e->control, e->flags & ENTRY_BRANCH,
			    e->flags & ENTRY_MISPREDICTED);
}

/* For a run that ends with a function's return: true if the run ends before this instruction. */
static bool ends_here(struct inorder *core, const struct entry *e)
{
	if (e->pc == core->roi_return && core->roi_depth-- == 0) {
		core->base.has_returned = true;
		return true;
	}
	core->roi_depth += e->pc == core->roi_call;
	return false;
}

static void note_commit(struct inorder *core, const struct entry *e, uint64_t sequence)
{
	const unsigned flags = e->flags;
	const bool is_plain = !e->tags && !(flags & ENTRY_BRANCH);

	inorder_event(core, is_plain ? EVENT_COMMIT_PLAIN : EVENT_COMMIT, sequence,
		      e->tags | (flags & ENTRY_BRANCH ? COMMIT_BRANCH : 0) |
			      (flags & ENTRY_MISPREDICTED ? COMMIT_MISPREDICTED : 0) |
			      (flags & ENTRY_TAKEN ? COMMIT_TAKEN : 0) |
			      (flags & ENTRY_WRITES ? COMMIT_WRITES : 0));
}

/* Write-back, in program order. */
static void commit(struct inorder *core)
{
	const uint64_t now = core->base.now, first = core->head, issued = core->issued;
	const uint64_t left = core->commit_limit - core->base.totals.committed;
	const uint64_t width = left < core->width ? left : core->width;
	const bool has_roi = core->roi_return != UINT64_MAX;
	struct core_totals *n = &core->base.totals;
	const struct entry *e = NULL;
	struct doing doing = {HEAD_EMPTY, 0};

	for (; core->head != issued; core->head++) {
		e = inorder_entry(core, core->head);
		if (e->written_at > now) {
			doing = inorder_doing(core, core->head);
			break;
		}
		if (core->head - first == width || (UNLIKELY(has_roi) && ends_here(core, e))) {
			doing.state = HEAD_DONE;
			break;
		}
		if (e->flags & ENTRY_CONTROL)
			commit_control(core, e, core->head);
		n->loads += !!(e->flags & ENTRY_LOAD);
		n->stores += !!(e->flags & ENTRY_WRITES);
		if (UNLIKELY(e->flags & ENTRY_SERIALISE)) {
			core->window_serialised = false;
			n->serialised++;
		}
		if (UNLIKELY(core->wants))
			note_commit(core, e, core->head);
	}
	if (e) {
		core->cycle.head_pc = e->pc;
	} else if (core->issued != core->fetched) {
		core->cycle.is_fronted = true;
		core->cycle.front_waits = inorder_entry(core, core->issued)->tags & FETCH_WAITS;
	}
	core->cycle.head_state = doing.state;
	core->cycle.excess = doing.excess;
	core->cycle.committed = (uint16_t)(core->head - first);
	n->committed += core->head - first;
	core->progressed |= core->head != first;
}

static void consider(uint64_t *next, uint64_t now, uint64_t at)
{
	if (at > now && at < *next)
		*next = at;
}

static void consider_wait(uint64_t *next, uint64_t now, const struct wait *wait)
{
	if (wait->until <= now)
		return;
	consider(next, now, wait->until);
	consider(next, now, wait->tlb_until);
	consider(next, now, wait->walk_from);
	consider(next, now, wait->queue_from);
	for (unsigned i = 0; i < MISS_LEVELS; i++)
		consider(next, now, wait->miss_until[i]);
}

/* After a cycle in which nothing changed, nothing changes before the earliest of these times. The
 * ends of a wait's phases are among them, because a record names the phase. */
static uint64_t next_event(const struct inorder *core)
{
	const uint64_t now = core->base.now;
	uint64_t next = core->stopped_until;

	consider(&next, now, core->resolve_at);
	consider(&next, now, core->bubble_until);
	consider(&next, now, core->blocked_until);
	consider_wait(&next, now, &core->load_wait);
	consider_wait(&next, now, &core->fetch_wait);
	if (core->head != core->issued) {
		const struct entry *e = &core->entries[core->head & core->slot_mask];

		consider(&next, now, e->result_at);
		consider(&next, now, e->written_at);
	}
	for (uint64_t s = core->issued; s != core->fetched && s - core->issued < core->width; s++)
		consider(&next, now, core->entries[s & core->slot_mask].issue_from);
	if (!inorder_write_buffer_is_empty(core)) {
		consider(&next, now,
			 core->write_done_at == NEVER ? core->write_retry_at : core->write_done_at);
		consider_wait(&next, now, &core->write_wait);
	}
	if (next == NEVER)
		BUG("the core waits for nothing in cycle %llu", (unsigned long long)now);
	return next;
}

/* Sets the fields that not every stage writes. */
static void begin_record(const struct inorder *core, struct cycle *cycle)
{
	cycle->number = core->base.now;
	cycle->repeat = 1;
	cycle->thread = core->thread;
	cycle->fetched = cycle->useful_fetched = 0;
	cycle->squashed = 0;
	cycle->is_fronted = cycle->front_waits = 0;
	cycle->event_count = cycle->event_kinds = 0;
	cycle->head_pc = 0;
}

/* Instructions that have passed decode and wait to issue. */
static uint16_t waiting(const struct inorder *core)
{
	uint64_t count = 0;

	while (count < core->width && core->issued + count != core->fetched &&
	       core->entries[(core->issued + count) & core->slot_mask].issue_from <= core->base.now)
		count++;
	return (uint16_t)count;
}

static const struct cycle *step(struct core *base)
{
	struct inorder *core = inorder_of(base);
	struct cycle *cycle = &core->cycle;

	if (core->is_ended && core->head == core->fetched)
		return NULL;
	begin_record(core, cycle);
	core->progressed = false;

	if (core->resolve_at <= base->now)
		inorder_resolve(core);
	commit(core);
	if (!inorder_write_buffer_is_empty(core))
		inorder_write_buffer_drain(core);
	inorder_issue(core);
	inorder_fetch(core);

	cycle->rob_used = (uint16_t)(core->issued - core->head);
	cycle->iq_used = waiting(core);
	cycle->store_buffer_used = (uint16_t)(core->buffer_last - core->buffer_first);
	if (core->skips && !core->progressed)
		cycle->repeat = next_event(core) - base->now;
	base->now += cycle->repeat;
	base->totals.cycles += cycle->repeat;
	core_end_record(base, cycle, false);
	return cycle;
}

const struct core_kind core_inorder = {
	.name = "inorder",
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
