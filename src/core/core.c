#include "core/core.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "isa/branch.h"

/* By enum config_core. */
#define KIND(id, word) [id] = &core_##word,
static const struct core_kind *const by_config[] = {CONFIG_WORDS_core(KIND)};
#undef KIND

const struct core_kind *core_kind_of(const struct config *config, struct err *err)
{
	const struct core_kind *kind = by_config[config->core_kind];

	return kind->fits(config, err) ? kind : NULL;
}

const uint8_t core_classes[UNIT_COUNT] = {
	[UNIT_ALU] = CLASS_INTEGER,	 [UNIT_MUL] = CLASS_MULTIPLY,
	[UNIT_DIV] = CLASS_DIVIDE,	 [UNIT_LOAD] = CLASS_LOAD,
	[UNIT_STORE] = CLASS_STORE,	 [UNIT_AMO] = CLASS_ATOMIC,
	[UNIT_FP_ADD] = CLASS_FP_ADD,	 [UNIT_FP_MUL] = CLASS_FP_MULTIPLY,
	[UNIT_FP_DIV] = CLASS_FP_DIVIDE, [UNIT_FENCE] = CLASS_FENCE,
	[UNIT_CSR] = CLASS_CSR,		 [UNIT_SYSTEM] = CLASS_SYSTEM,
};

static void grow(struct cycle_lists *lists)
{
	lists->event_capacity *= 2;
	lists->events = mem_realloc(lists->events, lists->event_capacity, sizeof(*lists->events));
}

void core_init(struct core *core, const struct core_kind *kind, struct process *process,
	       struct hierarchy *hierarchy, uint32_t width)
{
	core->kind = kind;
	core->process = process;
	core->cpu = &process->cpu;
	core->memory = hierarchy;
	core->skips = true;
	core->commit_needs = UINT16_MAX;
	core->thread = (uint32_t)process->current->tid;
	core->commit_limit = core->last_call.site = core->last_call.return_to = UINT64_MAX;
	core->own = (struct cycle_lists){
		.events = mem_alloc_array(256, sizeof(struct cycle_event)),
		.event_capacity = 256,
		.useful_pcs = mem_alloc_array(CYCLE_WIDTH_MAX, sizeof(uint64_t)),
		.retired = mem_alloc_array(CYCLE_WIDTH_MAX, sizeof(struct cycle_retired)),
		.waits = mem_alloc_array(CYCLE_WIDTH_MAX, sizeof(struct cycle_waits)),
		.grow = grow,
		.record = &core->own_record,
		.record_count = 1,
	};
	core->lists = &core->own;
	core->own_record.totals = &core->totals;
	core->own_record.memory = &hierarchy->events;
	core->own_record.width = (uint16_t)width;
}

void core_release(struct core *core)
{
	free(core->transfers);
	if (core->accesses)
		free(core->accesses->items);
	free(core->accesses);
	free(core->own.events);
	free(core->own.useful_pcs);
	free(core->own.retired);
	free(core->own.waits);
}

void core_set_skipping(struct core *core, bool skips)
{
	core->skips = skips;
}

void core_write_to(struct core *core, struct cycle_lists *lists)
{
	const struct cycle *own = &core->own_record;

	for (uint32_t i = 0; i < lists->record_count && lists != &core->own; i++)
		lists->record[i] = (struct cycle){
			.width = own->width, .totals = own->totals, .memory = own->memory};
	core->lists = lists;
}

static void find_plain_wants(struct core *core)
{
	core->plain_wants = core->wants;
	for (unsigned i = 0; i < ACCESS_COUNT; i++)
		if (core->memory->log_omits[MEMORY_EVENT(plain) + i])
			core->plain_wants &= ~EVENT_BIT(EVENT_FETCH_ACCESS + i);
	if (core->wants & EVENTS_ACCESSES)
		core->plain_wants |= EVENT_BIT(EVENT_LOAD_ACCESS) | EVENT_BIT(EVENT_STORE_ACCESS);
}

void core_need_events(struct core *core, const struct event_needs *needs)
{
	core->commit_needs = needs->commits;
	hierarchy_log_only(core->memory, needs->accesses);
	find_plain_wants(core);
}

void core_want_events(struct core *core, uint32_t kinds)
{
	core->is_mistaken_only = !(kinds & EVENT_BIT(EVENT_BRANCH_DISPATCH));
	if (kinds & EVENTS_MISTAKEN)
		kinds |= EVENT_BIT(EVENT_BRANCH_DISPATCH);
	core->wants = kinds;
	find_plain_wants(core);
	if (!(kinds & EVENTS_TRANSFERS)) {
		free(core->transfers);
		core->transfers = NULL;
	} else if (!core->transfers) {
		core->transfers = mem_alloc_array(CYCLE_TRANSFERS_MAX, sizeof(*core->transfers));
	}
	if (kinds & EVENTS_ACCESSES && !core->accesses)
		core->accesses = mem_alloc(sizeof(*core->accesses));
	if (core->kind->wants_changed)
		core->kind->wants_changed(core);
	hierarchy_keep_log(core->memory,
			   kinds & (EVENT_BIT(EVENT_FETCH_ACCESS) | EVENT_BIT(EVENT_LOAD_ACCESS) |
				    EVENT_BIT(EVENT_STORE_ACCESS) | EVENTS_ACCESSES));
}

void core_limit_commits(struct core *core, uint64_t committed)
{
	core->commit_limit = committed;
}

void core_end_at_return(struct core *core, uint64_t call, uint64_t return_to)
{
	core->last_call.site = call;
	core->last_call.return_to = return_to;
}

static void measure(struct core *core, struct core_call call, uint64_t slice_end)
{
	core->call = call;
	core->slice_end = slice_end;
	core->is_measured = true;
	core->call_has_ended = core->has_returned = false;
	core->is_draining = core->is_nowhere = false;
	core->thread = (uint32_t)core->process->current->tid;
	core->kind->restart(core);
}

void core_measure_call(struct core *core, uint64_t site, uint64_t return_to)
{
	measure(core, (struct core_call){site, return_to, 0}, UINT64_MAX);
}

void core_measure_slice(struct core *core, uint64_t instructions)
{
	/* No instruction is at an odd address. */
	measure(core, (struct core_call){UINT64_MAX, UINT64_MAX, 0},
		core->cpu->instructions + instructions);
}

/* Fetch continues, where the process says, when the core is empty. */
static void drain(struct core *core)
{
	core->is_draining = core->progressed = true;
	core->is_ended = core->process->state != PROCESS_RUNNING;
}

static void count_switch(struct core *core, uint32_t slot, uint64_t pc)
{
	core->totals.thread_switches++;
	core_add_event(core,
		       &(struct cycle_event){.kind = EVENT_THREAD_SWITCH, .slot = slot, .pc = pc});
}

void core_add_transfer(struct core *core, enum transfer_kind kind, uint64_t pc, uint64_t next,
		       uint64_t target)
{
	struct cycle *cycle = core->record;

	BUG_ON(cycle->transfer_count == CYCLE_TRANSFERS_MAX);
	core->transfers[cycle->transfer_count++] = (struct cycle_transfer){
		.pc = pc,
		.next = next,
		.target = target,
		.sp = core->cpu->hart.r[REG_SP],
		.arguments = {core->cpu->hart.r[REG_A0], core->cpu->hart.r[REG_A0 + 1],
			      core->cpu->hart.r[REG_A0 + 2]},
		.thread = core->thread,
		.after = cycle->useful_fetched,
		.kind = (uint16_t)kind,
	};
}

void core_add_control(struct core *core, unsigned control, uint64_t pc, unsigned bytes,
		      uint64_t target, unsigned uncounted)
{
	static const uint8_t kinds[] = {
		[CONTROL_JUMP] = TRANSFER_JUMP,	    [CONTROL_CALL] = TRANSFER_CALL,
		[CONTROL_INDIRECT] = TRANSFER_JUMP, [CONTROL_INDIRECT_CALL] = TRANSFER_CALL,
		[CONTROL_RETURN] = TRANSFER_RETURN,
	};

	if (control == CONTROL_CONDITIONAL)
		return;
	core_add_transfer(core,
			  core->call_has_ended ? TRANSFER_LAST : (enum transfer_kind)kinds[control],
			  pc, pc + bytes, target);
	core->transfers[core->record->transfer_count - 1].after += (uint16_t)uncounted;
}

/* What the process is asked next may change where the program is. */
static void note_leaving(struct core *core)
{
	const uint64_t pc = core->cpu->hart.pc;

	if (UNLIKELY(core->transfers))
		core_add_transfer(core, TRANSFER_LEAVE, pc, pc, pc);
}

static void note_entering(struct core *core)
{
	const uint64_t pc = core->cpu->hart.pc;

	if (LIKELY(!core->transfers) || core->process->state != PROCESS_RUNNING)
		return;
	core_add_transfer(core, TRANSFER_ENTER_LATER, pc, pc, pc);
	core->transfers[core->record->transfer_count - 1].thread =
		(uint32_t)core->process->current->tid;
}

void core_stop(struct core *core, enum cpu_stop stop, uint32_t slot)
{
	int tid = core->process->current->tid; /* the thread itself may end in process_handle */
	uint64_t pc = core->cpu->hart.pc;

	note_leaving(core);
	process_handle(core->process, stop);
	note_entering(core);
	if (core->process->current->tid != tid)
		count_switch(core, slot, pc);
	drain(core);
}

void core_end_slice(struct core *core, uint32_t slot)
{
	const struct thread *before = core->process->current;
	uint64_t pc = core->cpu->hart.pc;

	note_leaving(core);
	process_handle(core->process, STOP_LIMIT);
	note_entering(core);
	if (core->process->current != before)
		count_switch(core, slot, pc);
	if (core->process->current != before || core->cpu->hart.pc != pc ||
	    core->process->state != PROCESS_RUNNING)
		drain(core);
}

void core_add_event(struct core *core, const struct cycle_event *event)
{
	if (!(core->wants & EVENT_BIT(event->kind)))
		return;
	core->record->event_kinds |= EVENT_BIT(event->kind);
	*core_next_event(core) = *event;
}

void core_add_access(struct core *core, enum cycle_event_kind kind, uint32_t slot, uint64_t pc,
		     bool is_wrong)
{
	for (size_t i = 0; i < core->memory->log_count; i++) {
		const struct memory_log_entry *entry = &core->memory->log[i];

		core_add_event(core, &(struct cycle_event){.kind = (uint8_t)kind,
							   .wrong_path = is_wrong,
							   .detail = (uint16_t)entry->event,
							   .amount = entry->amount,
							   .slot = slot,
							   .pc = pc});
	}
}

void core_begin_accesses(struct core *core)
{
	core->accesses->count = 0;
	core->accesses->head_address = core->accesses->head_by = 0;
	core->record->accesses = core->accesses;
}

void core_add_hit(struct core *core, uint64_t pc, uint64_t address, unsigned marks)
{
	struct cycle_accesses *list = core->accesses;

	*ARRAY_PUSH(list->items, list->count, list->capacity) =
		(struct cycle_access){pc, address, (uint16_t)marks};
}

/* What an event of the log says of the access; 0: nothing. `looked_up` if it is one look-up in the
 * L1D. */
static unsigned marks_of(uint32_t event, bool *looked_up)
{
#define IS(member) (event == MEMORY_EVENT(member))
#define OF(level)  cache[CACHE_##level][SIDE_DATA]
	*looked_up |= IS(OF(L1D).hits) || IS(OF(L1D).pending) || IS(OF(L1D).misses) ||
		      IS(plain[ACCESS_LOAD]) || IS(plain[ACCESS_STORE]);
	return (IS(OF(L1D).pending) ? ACCESS_L1_PENDING : 0) |
	       (IS(OF(L1D).misses) ? ACCESS_L1_MISS : 0) |
	       (IS(OF(L2).hits) || IS(OF(L2).pending) ? ACCESS_L2 : 0) |
	       (IS(OF(L2).misses) ? ACCESS_L2 | ACCESS_L2_MISS : 0) |
	       (IS(OF(L3).hits) || IS(OF(L3).pending) ? ACCESS_L3 : 0) |
	       (IS(OF(L3).misses) ? ACCESS_L3 | ACCESS_L3_MISS : 0) |
	       (IS(tlb[SIDE_DATA].misses) ? ACCESS_TLB_MISS : 0) |
	       (IS(walks[SIDE_DATA]) ? ACCESS_WALK : 0);
#undef OF
#undef IS
}

void core_add_looked_up(struct core *core, uint64_t pc, uint64_t address, unsigned marks)
{
	bool looked_up = false;

	for (size_t i = 0; i < core->memory->log_count; i++)
		marks |= marks_of(core->memory->log[i].event, &looked_up);
	/* An attempt that finds no MSHR looks nothing up. */
	if (looked_up)
		core_add_hit(core, pc, address, marks);
}

bool core_identity(const char *identity, uint64_t left, uint64_t right, struct err *err)
{
	return left == right ? true
			     : err_set(err,
				       "internal error: %s does not hold: %" PRIu64
				       " is not %" PRIu64 "; please report this",
				       identity, left, right);
}

bool core_check(const struct core *core, uint64_t in_flight, struct err *err)
{
	const struct core_totals *n = &core->totals;

	return core_identity("fetched = committed + squashed + in flight", n->fetched,
			     n->committed + n->squashed + in_flight, err) &&
	       core_identity("branches mispredicted = conditional + indirect + return",
			     n->mispredictions,
			     n->conditional_mispredictions + n->indirect_mispredictions +
				     n->return_mispredictions,
			     err) &&
	       core_identity("cycles = time", n->cycles, core->now, err);
}

bool core_spares_branch(const struct core *core, uint64_t pc)
{
	const uint32_t percent = ideal_at_find(core->ideal_at, pc).branch_percent;

	return percent < 100 && !ideal_at_keeps(core->totals.fetched, pc, percent);
}

uint32_t core_spared_latency(const struct core *core, uint64_t pc, uint32_t latency)
{
	const uint32_t percent = ideal_at_find(core->ideal_at, pc).latency_percent;
	const uint64_t left = ideal_at_part(latency, percent);

	return left ? (uint32_t)left : 1;
}

void core_access_spared(struct core *core, enum hierarchy_operation operation, uint64_t for_pc,
			uint64_t pc, uint64_t address, struct access_result *result)
{
#define BIT_OF(id) (IDEAL_AT_BIT(id) >> IDEAL_AT_L1I)
	_Static_assert(BIT_OF(L1I) == HIDES_L1I && BIT_OF(L2I) == HIDES_L2I &&
			       BIT_OF(L3I) == HIDES_L3I && BIT_OF(ITLB) == HIDES_ITLB &&
			       BIT_OF(L1D) == HIDES_L1D && BIT_OF(L2D) == HIDES_L2D &&
			       BIT_OF(L3D) == HIDES_L3D && BIT_OF(DTLB) == HIDES_DTLB,
		       "the same bits");
#undef BIT_OF
	const struct ideal_of of = ideal_at_find(core->ideal_at, for_pc);
	const struct access_relief relief = {
		.hides = (uint8_t)(of.events >> IDEAL_AT_L1I),
		.spared_percent = (uint8_t)(100 - of.data_percent),
	};

	hierarchy_access_spared(core->memory, operation, pc, address, core->now, relief, result);
}
