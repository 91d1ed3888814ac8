#include <stdlib.h>
#include <string.h>

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

/* Takes over the parameters of a configuration, before the first cycle or between two. */
static void configure(struct inorder *core, const struct config *config)
{
	if (core_changes_mshrs(&core->config, config))
		core->load_retry_at = core->write_retry_at = 0;
	core->config = *config;
	core_set_ideal_at(&core->base, &core->config.ideal_at);
	core->config.ideal_branch |= config->predictor_kind == PREDICTOR_PERFECT;
	core->base.own_record.width = (uint16_t)config->inorder_issue_width;
	core->width = config->inorder_issue_width;
	core->stages = frontend_stages(config);
	core->queue_most = core->stages * core->width;
	core->redirect_cycles = shape_mispredict_cycles(config) - core->stages;
	core->fill_cycles[SIDE_INSTRUCTION] = shape_fill_cycles(config, config->l1i_line);
	core->fill_cycles[SIDE_DATA] = shape_fill_cycles(config, config->l1d_line);
	set_latencies(core);
}

static struct core *create(const struct config *config, struct process *process,
			   struct hierarchy *hierarchy, struct predictor *predictor)
{
	struct inorder *core = mem_alloc(sizeof(*core));
	const uint32_t slots = in_flight(config);

	core_init(&core->base, &core_inorder, process, hierarchy, config->inorder_issue_width);
	core->is_predicting = config->predictor_kind != PREDICTOR_NONE;
	core->predictor = predictor;
	core->slot_mask = slots - 1;
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
	undo_init(&core->undo);
	core->undo.ignores_faults = true;
	configure(core, config);
	return &core->base;
}

static struct inorder *inorder_of(struct core *core)
{
	return (struct inorder *)core;
}

/* An array by slot, of elements of `bytes` bytes, in a ring of `slots`; entries are aligned to
 * their size. */
static void *moved(const struct inorder *core, void *old, size_t bytes, uint32_t slots)
{
	char *array = bytes == sizeof(struct entry) ? mem_alloc_aligned(slots, bytes)
						    : mem_alloc_array(slots, bytes);

	for (uint64_t s = core->head; s != core->fetched; s++)
		memcpy(array + (s & (slots - 1)) * bytes,
		       (const char *)old + (s & core->slot_mask) * bytes, bytes);
	free(old);
	return array;
}

static void reconfigure(struct core *base, const struct config *config)
{
	struct inorder *core = inorder_of(base);
	const uint32_t slots = in_flight(config);

	if (slots > core->slot_mask + 1) {
#define MOVE(array) array = moved(core, array, sizeof(*(array)), slots)
		MOVE(core->entries);
		MOVE(core->accesses.slots);
		MOVE(core->predictions);
		if (core->dead)
			MOVE(core->dead);
#undef MOVE
		core->slot_mask = core->accesses.mask = slots - 1;
	}
	configure(core, config);
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
	core_release(base);
	free(core);
}

static void restart(struct core *base)
{
	struct inorder *core = inorder_of(base);

	BUG_ON(core->head != core->fetched || core->is_wrong);
	core->fetch_wait.until = core->fetch_tags = 0;
	core->bubble_until = 0;
	core->arrived[0] = core->arrived[1] = NEVER;
}

static uint64_t unwritten(const struct core *base)
{
	const struct inorder *core = (const struct inorder *)base;

	return core->buffer_last - core->buffer_first;
}

static bool check(const struct core *base, struct err *err)
{
	const struct inorder *core = (const struct inorder *)base;

	return core_check(base, core->fetched - core->head, err) &&
	       core_identity("issued = committed + in the window", base->totals.issued,
			     base->totals.committed + core->issued - core->head, err);
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
	const uint64_t width = core_commit_width(&core->base, core->width);
	struct core_totals *n = &core->base.totals;
	const struct entry *e = NULL;
	struct doing doing = {HEAD_EMPTY, 0};

	for (; core->head != issued; core->head++) {
		e = inorder_entry(core, core->head);
		if (e->written_at > now) {
			doing = inorder_doing(core, core->head);
			break;
		}
		if (core->head - first == width || core_ends_before(&core->base, e->pc)) {
			doing.state = HEAD_DONE;
			break;
		}
		core_follow_commit(&core->base, e->pc);
		if (e->flags & ENTRY_CONTROL)
			commit_control(core, e, core->head);
		n->loads += !!(e->flags & ENTRY_LOAD);
		n->stores += !!(e->flags & ENTRY_WRITES);
		if (UNLIKELY(e->flags & ENTRY_SERIALISE)) {
			core->window_serialised = false;
			n->serialised++;
		}
		core->base.committed_pcs[core->head - first] = e->pc;
		if (UNLIKELY(core->base.wants & EVENTS_OF_COMMIT))
			note_commit(core, e, core->head);
	}
	if (e) {
		core->base.record->head_pc = e->pc;
	} else if (core->issued != core->fetched) {
		core->base.record->is_fronted = true;
		core->base.record->front_waits =
			inorder_entry(core, core->issued)->tags & FETCH_WAITS;
	}
	core->base.record->head_state = doing.state;
	core->base.record->excess = doing.excess;
	core->base.record->committed = (uint16_t)(core->head - first);
	n->committed += core->head - first;
	core->base.progressed |= core->head != first;
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
	struct cycle *cycle;

	if (base->is_ended && core->head == core->fetched)
		return NULL;
	cycle = core_begin_record(base);

	if (core->resolve_at <= base->now)
		inorder_resolve(core);
	if (inorder_wants_list(core, EVENTS_ACCESSES))
		core_begin_accesses(base);
	commit(core);
	if (!inorder_write_buffer_is_empty(core))
		inorder_write_buffer_drain(core);
	inorder_issue(core);
	inorder_fetch(core);

	cycle->rob_used = (uint16_t)(core->issued - core->head);
	cycle->iq_used = waiting(core);
	cycle->store_buffer_used = (uint16_t)(core->buffer_last - core->buffer_first);
	if (base->skips && !base->progressed)
		cycle->repeat = next_event(core) - base->now;
	return core_end_record(base, false);
}

CONFIG_PART(core_inorder) = {
	.name = "inorder",
	.in_flight = in_flight,
	.fits = fits,
	.create = create,
	.step = step,
	.restart = restart,
	.reconfigure = reconfigure,
	.unwritten = unwritten,
	.check = check,
	.destroy = destroy,
};
