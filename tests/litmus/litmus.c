#include "litmus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/branch_kind.h"
#include "core/core.h"
#include "machine/parts.h"
#include "linux/process.h"

#define MOST_CYCLES 20000000

/* One machine with its program. */
struct bench {
	struct process *process;
	struct hierarchy *hierarchy;
	struct predictor *predictor;
	struct core *core;
	const struct litmus_observer *observer;
	struct hierarchy_counters before;
};

static struct process *load(const struct litmus_setup *setup, struct err *err)
{
	static const char *const argv[] = {"litmus", NULL};
	const struct process_options options = {.program = "litmus",
						.image = setup->image,
						.image_bytes = setup->image_bytes,
						.argv = argv,
						.seed = 1,
						.memory_limit_bytes = UINT64_C(1) << 30};
	struct process *process = process_create(&options, err);

	if (process && setup->entry)
		process->cpu.hart.pc = setup->entry;
	return process;
}

/* Applies the steps that concern the program alone. */
static bool prepare_process(struct process *process, const struct litmus_setup *setup,
			    struct err *err)
{
	for (size_t i = 0; i < setup->step_count; i++) {
		const struct litmus_step *s = &setup->steps[i];

		if (s->kind == STEP_REGISTER)
			process->cpu.hart.r[s->at] = s->value;
		if (s->kind == STEP_WORD &&
		    !memory_write(&process->memory, s->at, &s->value, sizeof(s->value)))
			return err_set(err, "no memory at %#" PRIx64, s->at);
		for (uint64_t n = 0; s->kind == STEP_CHAIN && n < s->bytes; n++) {
			uint64_t next = s->at + (n + 1) % s->bytes * s->value;

			if (!memory_write(&process->memory, s->at + n * s->value, &next, 8))
				return err_set(err, "no memory for a chain at %#" PRIx64, s->at);
		}
	}
	return true;
}

static bool train(struct bench *bench, const struct litmus_step *s, struct err *err)
{
	uint32_t raw;

	if (!memory_read(&bench->process->memory, &raw, s->at, sizeof(raw)))
		return err_set(err, "no instruction at %#" PRIx64, s->at);
	struct insn insn = insn_decode(raw);
	if (insn_control(&insn) == CONTROL_NONE)
		return err_set(err, "no branch at %#" PRIx64, s->at);
	for (uint64_t n = 0; n < s->bytes; n++)
		predictor_warm(bench->predictor, branch_kind_of(insn_control(&insn)), s->at,
			       insn.bytes, s->kind == STEP_TAKEN,
			       s->kind == STEP_TAKEN ? s->value : s->at + insn.bytes);
	return true;
}

static bool warm(struct bench *bench, const struct litmus_setup *setup, struct err *err)
{
	const struct config *c = &setup->config;

	for (size_t i = 0; i < setup->step_count; i++) {
		const struct litmus_step *s = &setup->steps[i];
		uint64_t end = s->at + s->bytes;

		switch (s->kind) {
		case STEP_FETCH:
			for (uint64_t a = s->at & -(uint64_t)c->l1i_line; a < end; a += c->l1i_line)
				hierarchy_touch_fetch(bench->hierarchy, a);
			break;
		case STEP_LOAD:
			for (uint64_t a = s->at & -(uint64_t)c->l1d_line; a < end; a += c->l1d_line)
				hierarchy_touch_load(bench->hierarchy, 0, a);
			break;
		case STEP_DTLB:
			for (uint64_t a = s->at & -(uint64_t)c->page_bytes; a < end;
			     a += c->page_bytes)
				hierarchy_touch_load(bench->hierarchy, 0, a + c->page_bytes - 8);
			break;
		case STEP_TAKEN:
		case STEP_NOT_TAKEN:
			if (!train(bench, s, err))
				return false;
			break;
		default: break;
		}
	}
	return true;
}

static void bench_release(struct bench *bench)
{
	if (bench->core && bench->observer)
		bench->observer->destroy(bench->core);
	if (bench->core)
		bench->core->kind->destroy(bench->core);
	predictor_destroy(bench->predictor);
	hierarchy_destroy(bench->hierarchy);
	if (bench->process)
		process_destroy(bench->process);
}

static bool bench_init(struct bench *bench, const struct litmus_setup *setup, struct err *err)
{
	const struct config *config = &setup->config;

	*bench = (struct bench){0};
	bench->process = load(setup, err);
	if (!bench->process || !prepare_process(bench->process, setup, err))
		return false;
	bench->hierarchy = parts_hierarchy(config, err);
	const struct core_kind *kind = core_kind_of(config, err);
	if (!kind)
		return false;
	bench->predictor = parts_predictor(config, kind->in_flight(config), err);
	if (!bench->hierarchy || !bench->predictor || !warm(bench, setup, err))
		return false;
	hierarchy_count(bench->hierarchy, &bench->before);
	bench->core = kind->create(config, bench->process, bench->hierarchy, bench->predictor);
	core_want_events(bench->core, EVENTS_USUAL | EVENTS_RETIRED);
	bench->observer = setup->observer;
	if (bench->observer)
		bench->observer->create(bench->core, config);
	return true;
}

/* Finds the instructions that will commit, in order. */
static bool trace(const struct litmus_setup *setup, struct litmus_result *result, struct err *err)
{
	struct process *process = load(setup, err);
	size_t capacity = 0;
	bool is_good = process && prepare_process(process, setup, err);

	while (is_good && process->state == PROCESS_RUNNING) {
		uint64_t pc = process->cpu.hart.pc;
		enum cpu_stop stop = cpu_step(&process->cpu);

		*ARRAY_PUSH(result->pc, result->count, capacity) = pc;
		if (stop != STOP_LIMIT || process->cpu.instructions >= process_slice_end(process))
			process_handle(process, stop);
		if (result->count > MOST_CYCLES)
			is_good = err_set(err, "the program does not end");
	}
	if (is_good && process_exit_status(process))
		is_good = err_set(err, "the program ends with status %d",
				  process_exit_status(process));
	if (process)
		process_destroy(process);
	return is_good;
}

/* Compares all fields of a record except `number` and `repeat`. */
static bool records_are_equal(const struct cycle *a, const struct cycle *b)
{
	if (a->fetched != b->fetched || a->fed != b->fed || a->dispatched != b->dispatched ||
	    a->issued != b->issued || a->committed != b->committed ||
	    a->useful_fetched != b->useful_fetched ||
	    a->useful_dispatched != b->useful_dispatched || a->useful_issued != b->useful_issued ||
	    a->fetch_stall != b->fetch_stall || a->dispatch_stall != b->dispatch_stall ||
	    a->head_state != b->head_state || a->head_late != b->head_late ||
	    a->excess != b->excess || a->again_dispatched != b->again_dispatched ||
	    a->wrong_path != b->wrong_path || a->squashed != b->squashed ||
	    a->buffer_used != b->buffer_used || a->rob_used != b->rob_used ||
	    a->iq_used != b->iq_used || a->lsq_used != b->lsq_used ||
	    a->store_buffer_used != b->store_buffer_used || a->head_pc != b->head_pc ||
	    a->event_count != b->event_count)
		return false;
	for (uint32_t i = 0; i < a->event_count; i++) {
		const struct cycle_event *p = &a->events[i], *q = &b->events[i];

		if (p->kind != q->kind || p->detail != q->detail ||
		    p->wrong_path != q->wrong_path || p->slot != q->slot || p->pc != q->pc)
			return false;
	}
	return true;
}

static void most(uint64_t *so_far, uint64_t value)
{
	if (value > *so_far)
		*so_far = value;
}

/* The numbers of instructions that have passed the three in-order stages. */
struct progress {
	size_t fetched, dispatched, committed;
};

static bool note(uint64_t *times, size_t *done, size_t count, unsigned n, uint64_t now,
		 const char *what, struct err *err)
{
	for (; n; n--) {
		if (*done == count)
			return err_set(err, "more instructions were %s than the program has", what);
		times[(*done)++] = now;
	}
	return true;
}

static bool add_record(struct litmus_result *r, struct progress *p, const struct cycle *cycle,
		       struct err *err)
{
	if (cycle->number != r->cycles)
		return err_set(err, "after cycle %" PRIu64 " comes a record for cycle %" PRIu64,
			       r->cycles, cycle->number);
	if (cycle->repeat > 1 && (cycle->fetched || cycle->fed || cycle->dispatched ||
				  cycle->issued || cycle->committed || cycle->event_count))
		return err_set(err, "the record of cycle %" PRIu64 " repeats, but is not idle",
			       cycle->number);
	r->cycles += cycle->repeat;
	r->fetch_stall[cycle->fetch_stall] += cycle->repeat;
	r->dispatch_stall[cycle->dispatch_stall] += cycle->repeat;
	r->head[cycle->head_state] += cycle->repeat;
	for (unsigned bit = 0; bit < 4; bit++)
		r->excess[bit] += cycle->excess >> bit & 1 ? cycle->repeat : 0;
	r->late[cycle->head_late] += cycle->repeat;
	most(&r->rob_most, cycle->rob_used);
	most(&r->iq_most, cycle->iq_used);
	most(&r->lsq_most, cycle->lsq_used);
	most(&r->store_buffer_most, cycle->store_buffer_used);
	return note(r->fetched_at, &p->fetched, r->count, cycle->useful_fetched, cycle->number,
		    "fetched", err) &&
	       note(r->dispatched_at, &p->dispatched, r->count, cycle->useful_dispatched,
		    cycle->number, "dispatched", err) &&
	       note(r->committed_at, &p->committed, r->count, cycle->committed, cycle->number,
		    "committed", err);
}

static const struct cycle *step(const struct bench *bench)
{
	const struct cycle *record = bench->core->kind->step(bench->core);

	if (record && bench->observer)
		bench->observer->step(bench->core, record);
	return record;
}

static bool run_both(struct bench *skipping, struct bench *plain, struct litmus_result *result,
		     struct err *err)
{
	const struct cycle *record;
	struct progress progress = {0};

	core_set_skipping(plain->core, false);
	while ((record = step(skipping))) {
		if (!add_record(result, &progress, record, err))
			return false;
		if (result->cycles > MOST_CYCLES)
			return err_set(err, "more than %d cycles", MOST_CYCLES);
		for (uint64_t i = 0; i < record->repeat; i++) {
			const struct cycle *single = step(plain);

			if (!single || single->repeat != 1 ||
			    single->number != record->number + i ||
			    !records_are_equal(record, single))
				return err_set(
					err, "cycle %" PRIu64 " differs with and without skipping",
					record->number + i);
		}
	}
	if (step(plain))
		return err_set(err, "without skipping the program goes on after cycle %" PRIu64,
			       result->cycles);
	if (progress.committed != result->count)
		return err_set(err, "%zu instructions committed of %zu", progress.committed,
			       result->count);
	if (result->cycles != skipping->core->totals.cycles ||
	    memcmp(&skipping->core->totals, &plain->core->totals, sizeof(struct core_totals)))
		return err_set(err, "the core's counters differ from its records");
	return true;
}

bool litmus_run(const struct litmus_setup *setup, struct litmus_result *result, struct err *err)
{
	struct bench skipping = {0}, plain = {0};
	bool is_good;

	*result = (struct litmus_result){0};
	if (!config_check(&setup->config, err) || !trace(setup, result, err))
		return false;
	result->fetched_at = mem_alloc_array(result->count, sizeof(uint64_t));
	result->dispatched_at = mem_alloc_array(result->count, sizeof(uint64_t));
	result->committed_at = mem_alloc_array(result->count, sizeof(uint64_t));
	is_good = bench_init(&skipping, setup, err) && bench_init(&plain, setup, err) &&
		  run_both(&skipping, &plain, result, err);
	if (is_good) {
		uint64_t *after = (uint64_t *)&result->memory;
		const uint64_t *before = (const uint64_t *)&skipping.before;

		result->core = skipping.core->totals;
		hierarchy_count(skipping.hierarchy, &result->memory);
		for (size_t i = 0; i < sizeof(result->memory) / sizeof(uint64_t); i++)
			after[i] -= before[i];
	}
	bench_release(&skipping);
	bench_release(&plain);
	return is_good;
}

void litmus_release(struct litmus_result *result)
{
	free(result->pc);
	free(result->fetched_at);
	free(result->dispatched_at);
	free(result->committed_at);
	*result = (struct litmus_result){0};
}

bool litmus_find(const struct litmus_result *result, uint64_t pc, uint64_t nth, size_t *index)
{
	for (size_t i = 0; i < result->count; i++) {
		if (result->pc[i] != pc || nth--)
			continue;
		*index = i;
		return true;
	}
	return false;
}
