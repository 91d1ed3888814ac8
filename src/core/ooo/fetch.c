#include <string.h>

#include "core/ooo/ooo.h"

/* Decode sees a branch in the cycle after it was fed and redirects fetch in the next. */
#define DECODE_REDIRECT_CYCLES 2

static uint8_t wait_reason(const struct ooo *core)
{
	if (core->now < core->fetch_tlb_until)
		return FETCH_ITLB;
	return (uint8_t)(FETCH_L1I +
			 ooo_wait_level(core, core->fetch_l1_until, core->fetch_near_until));
}

/* The phases of a wait that takes time, as FETCH_WAIT bits. */
static unsigned waits_of(const struct ooo *core, const struct access_result *result)
{
	unsigned latency = core->config.l1i_latency, levels = core->config.cache_levels;
	unsigned waits = result->tlb_done_at > core->now ? FETCH_WAIT_TLB : 0;
	uint64_t l1_done_at = result->tlb_done_at + latency;
	uint64_t l1_until = ooo_l1_until(core, l1_done_at, result->near_done_at);

	if (l1_until > l1_done_at)
		waits |= FETCH_WAIT_L1;
	if (result->near_done_at > l1_until)
		waits |= FETCH_WAIT_L2;
	if (result->done_at > result->near_done_at)
		waits |= FETCH_WAIT_L1 << (levels - 1);
	return waits;
}

/* Asks for the line of `address`; true if it delivers in this cycle. A line that
 * was waited for is not asked for again: it may have been pushed out meanwhile. */
static bool line_is_here(struct ooo *core, uint64_t address)
{
	uint64_t line = hierarchy_line_of(core->memory, SIDE_INSTRUCTION, address);
	uint32_t latency = core->config.l1i_latency;
	struct access_result result;

	if (core->arrived[0] == line || core->arrived[1] == line)
		return true;
	hierarchy_fetch(core->memory, address, core->now, &result);
	if (LIKELY(result.done_at == core->now + latency))
		return true;
	core->fetch_ready_at = result.done_at - latency;
	core->fetch_tlb_until = result.tlb_done_at;
	core->fetch_near_until = result.near_done_at - latency;
	core->fetch_l1_until = ooo_l1_until(core, result.tlb_done_at, core->fetch_near_until);
	core->arrived[1] = core->arrived[0];
	core->arrived[0] = line;
	core->progressed = true;
	const struct entry miss = {.pc = address,
				   .sequence = core->fetched,
				   .flags = core->wrong_depth ? ENTRY_WRONG : 0};
	unsigned tags = ooo_misses(core, &result) | waits_of(core, &result);
	core->fetch_tags |= (uint16_t)tags;
	ooo_event(core, EVENT_FETCH_MISS, &miss, tags);
	return false;
}

static void drain(struct ooo *core)
{
	core->is_draining = true;
	core->progressed = true;
	if (core->process->state != PROCESS_RUNNING)
		core->is_ended = true;
}

/* The process takes over: a call to the system, a fault, the end of a slice.
 * Whatever comes next starts with an empty core. */
static void hand_to_process(struct ooo *core, enum cpu_stop stop)
{
	int tid = core->process->current->tid; /* the thread itself may end */

	process_handle(core->process, stop);
	core->counters.thread_switches += core->process->current->tid != tid;
	drain(core);
}

static void end_of_slice(struct ooo *core)
{
	const struct thread *before = core->process->current;
	uint64_t pc = core->cpu->hart.pc;

	process_handle(core->process, STOP_LIMIT);
	if (core->process->current != before || core->cpu->hart.pc != pc ||
	    core->process->state != PROCESS_RUNNING) {
		core->counters.thread_switches += core->process->current != before;
		drain(core);
	}
}

/* Where fetch goes after this branch. Sets hart.pc to it, down a wrong path if
 * the prediction is wrong. True if fetch can go on behind it in this cycle. */
static bool follow_branch(struct ooo *core, struct entry *e, const struct insn *insn)
{
	uint32_t slot = ooo_slot(core, e);
	uint64_t sequential = e->pc + e->bytes, predicted = e->next_pc;
	bool is_direct = e->control <= CONTROL_CALL, is_known = true;

	if (e->next_pc != sequential || e->control != CONTROL_CONDITIONAL)
		e->flags |= ENTRY_TAKEN;
	if (!core->config.ideal_branch) {
		struct prediction *p = &core->predictions[slot];
		uint64_t static_target = e->pc + (uint64_t)(int64_t)insn->imm;

		predictor_predict(core->predictor, branch_kind_of(e->control), e->pc, e->bytes, p);
		e->flags |= ENTRY_PREDICTED;
		/* A branch to the next instruction does what it was predicted to do. */
		if (static_target == sequential && e->control == CONTROL_CONDITIONAL && p->taken)
			e->flags |= ENTRY_TAKEN;
		is_known = !p->taken || p->has_target;
		predicted = p->taken ? p->target : sequential;
		if (p->taken && is_direct && (!p->has_target || p->target != static_target)) {
			core->misfetch_sequence = e->sequence;
			core->misfetch_until = NEVER;
			core->counters.misfetches += !(e->flags & ENTRY_WRONG);
			predicted = static_target;
			is_known = true;
		}
	}
	if (!is_known || predicted != e->next_pc) {
		e->flags |= ENTRY_MISPREDICTED | ENTRY_UNRESOLVED;
		checkpoint_take(&core->checkpoints[slot], core->cpu, &core->undo);
		core->wrong_depth++;
		core->is_nowhere = !is_known;
		if (is_known)
			core->cpu->hart.pc = predicted;
	}
	return is_known && predicted == sequential;
}

struct unit_traits {
	uint16_t flags;
	uint8_t queue;
};

static const struct unit_traits traits[UNIT_COUNT] = {
	[UNIT_ALU] = {0, QUEUE_ALU},
	[UNIT_MUL] = {0, QUEUE_INT_LONG},
	[UNIT_DIV] = {0, QUEUE_INT_LONG},
	[UNIT_BRANCH] = {ENTRY_CONTROL | ENTRY_BRANCH, QUEUE_ALU},
	[UNIT_JUMP] = {ENTRY_CONTROL, QUEUE_ALU},
	[UNIT_JUMP_INDIRECT] = {ENTRY_CONTROL | ENTRY_BRANCH, QUEUE_ALU},
	[UNIT_LOAD] = {ENTRY_LOAD, QUEUE_MEMORY},
	[UNIT_STORE] = {ENTRY_STORE, QUEUE_MEMORY},
	[UNIT_AMO] = {ENTRY_LOAD | ENTRY_SERIALISE, QUEUE_MEMORY},
	[UNIT_FP_ADD] = {0, QUEUE_FP_ADD},
	[UNIT_FP_MUL] = {0, QUEUE_FP_LONG},
	[UNIT_FP_DIV] = {0, QUEUE_FP_LONG},
	[UNIT_FENCE] = {ENTRY_SERIALISE, QUEUE_ALU},
	[UNIT_CSR] = {ENTRY_SERIALISE, QUEUE_ALU},
	[UNIT_SYSTEM] = {ENTRY_SERIALISE, QUEUE_ALU},
};

static inline void fill_entry(struct ooo *core, struct entry *e, const struct insn *insn)
{
	const struct unit_traits *t = &traits[insn->unit];
	uint64_t sequence = core->fetched;

	_Static_assert(offsetof(struct entry, rm) - offsetof(struct entry, rd) == 7 &&
			       offsetof(struct insn, rm) - offsetof(struct insn, rd) == 7 &&
			       offsetof(struct entry, unit) - offsetof(struct entry, rd) ==
				       offsetof(struct insn, unit) - offsetof(struct insn, rd),
		       "copied whole");
	memcpy(&e->rd, &insn->rd, 8);
	e->pc = core->cpu->hart.pc;
	e->sequence = sequence;
	e->complete_at = NEVER;
	e->flags = t->flags;
	e->control = CONTROL_NONE;
	e->level = LEVEL_L1;
	e->tags = core->fetch_tags;
	core->fetch_tags = 0;
	if (UNLIKELY(e->queue != t->queue)) {
		uint32_t slot = (uint32_t)(sequence & core->slot_mask);

		mask_clear(core->members[e->queue], slot);
		mask_set(core->members[t->queue], slot);
		e->queue = t->queue;
	}
}

/* A call to the system, or a fault: on a wrong path its end. */
static bool stop_at(struct ooo *core, struct entry *e, enum cpu_stop stop)
{
	if (core->wrong_depth) {
		core->is_nowhere = true;
		return false;
	}
	uint64_t counted = core->cpu->instructions;

	hand_to_process(core, stop);
	/* The call itself goes through the core, alone; not one that the thread will make
	 * again when it is woken: that has not happened yet. */
	if (stop == STOP_ECALL && core->cpu->instructions == counted) {
		e->access_bytes = 0;
		core->fetched++;
		core->cycle.fetched++;
		core->cycle.useful_fetched++;
	}
	return false;
}

static bool take_branch(struct ooo *core, struct entry *e, const struct insn *insn)
{
	e->control = (uint8_t)insn_control(insn);
	bool goes_on = follow_branch(core, e, insn);
	if (e->flags & ENTRY_BRANCH) {
		core->branches_in_flight++;
		ooo_event(core, EVENT_BRANCH_FETCH, e, 0);
	}
	return goes_on;
}

/* Takes the instruction at hart.pc into the ring. True if fetch can go on behind
 * it in this cycle. */
static inline bool take_instruction(struct ooo *core, const struct insn *slot)
{
	const struct insn insn = *slot; /* a store may empty the slot */
	struct entry *e = ooo_entry(core, core->fetched);
	struct cpu *cpu = core->cpu;
	struct step_access access;
	bool is_wrong = core->wrong_depth > 0, goes_on = true;

	fill_entry(core, e, &insn);
	enum cpu_stop stop = is_wrong ? cpu_step_logged(cpu, &insn, &core->undo, &access)
				      : cpu_step_watched(cpu, &insn, &access);
	if (UNLIKELY(stop != STOP_LIMIT))
		return stop_at(core, e, stop);
	e->address = access.address;
	e->access_bytes = access.bytes;
	e->next_pc = cpu->hart.pc;
	if (is_wrong)
		e->flags |= ENTRY_WRONG;
	core->fetched++;
	core->cycle.fetched++;
	core->cycle.useful_fetched += !is_wrong;
	if (e->flags & ENTRY_CONTROL)
		goes_on = take_branch(core, e, &insn);
	if (!is_wrong && UNLIKELY(cpu->instructions >= core->process->slice_ends)) {
		/* A slice that ends with a mispredicted branch waits for its resolution. */
		if (!core->wrong_depth)
			end_of_slice(core);
		return goes_on && !core->is_draining;
	}
	return goes_on;
}

/* The decoded instruction at pc, by way of the chunk fetch was in last. */
static struct insn *instruction_at(struct ooo *core, uint64_t pc)
{
	uint64_t offset = pc - core->chunk_pc;

	if (LIKELY(core->chunk && offset < CODE_CHUNK_BYTES)) {
		struct insn *slot = &core->chunk[offset / 2];

		if (LIKELY(slot->bytes))
			return slot;
	}
	uint64_t fault;
	struct insn *slot = code_at(core->cpu->code, pc, &fault);
	if (slot) {
		core->chunk_pc = bits_align_down(pc, CODE_CHUNK_BYTES);
		core->chunk = slot - (pc - core->chunk_pc) / 2;
	} else {
		core->cpu->fault_address = fault;
	}
	return slot;
}

static uint8_t fetch_group(struct ooo *core)
{
	const struct config *config = &core->config;
	uint64_t pc = core->cpu->hart.pc;
	uint64_t line = hierarchy_line_of(core->memory, SIDE_INSTRUCTION, pc);
	uint64_t line_bytes = config->l1i_line;
	uint64_t room = config->fetch_buffer - (core->fetched - core->fed);
	uint64_t most = room < config->fetch_width ? room : config->fetch_width;

	for (uint64_t i = 0; i < most; i++) {
		pc = core->cpu->hart.pc;
		if (pc - line >= line_bytes)
			break;
		const struct insn *slot = instruction_at(core, pc);
		/* A wrong path that leaves the text stops before it asks for a line. */
		if (UNLIKELY(!slot)) {
			core->progressed = true;
			if (core->wrong_depth) {
				core->is_nowhere = true;
				return FETCH_NOWHERE;
			}
			hand_to_process(core, STOP_FETCH_FAULT);
			return FETCH_SERIALISE;
		}
		if (i == 0 && !line_is_here(core, pc))
			return wait_reason(core);
		uint64_t last = pc + slot->bytes - 1;
		if (UNLIKELY(last - line >= line_bytes) && !line_is_here(core, last))
			return wait_reason(core);
		if (traits[slot->unit].flags & ENTRY_BRANCH &&
		    UNLIKELY(core->branches_in_flight >= config->max_branches)) {
			/* Asked for once, however long it waits. */
			core->arrived[0] = line;
			core->arrived[1] = hierarchy_line_of(core->memory, SIDE_INSTRUCTION, last);
			return FETCH_BRANCHES;
		}
		if (!take_instruction(core, slot))
			break;
	}
	if (core->is_draining)
		return FETCH_SERIALISE;
	return core->is_nowhere ? FETCH_NOWHERE : FETCH_BUFFER;
}

void ooo_fetch(struct ooo *core)
{
	struct cycle *cycle = &core->cycle;

	cycle->wrong_path = core->wrong_depth > 0;
	if (core->is_draining && !core->is_ended && core->head == core->fetched) {
		core->is_draining = false;
		core->thread = (uint32_t)core->process->current->tid;
		core->progressed = true;
	}
	if (core->is_ended)
		cycle->fetch_stall = FETCH_DONE;
	else if (core->is_draining)
		cycle->fetch_stall = FETCH_SERIALISE;
	else if (core->is_nowhere)
		cycle->fetch_stall = FETCH_NOWHERE;
	else if (core->misfetch_sequence != NEVER && core->now < core->misfetch_until)
		cycle->fetch_stall = FETCH_MISFETCH;
	else if (core->now < core->fetch_ready_at)
		cycle->fetch_stall = wait_reason(core);
	else {
		core->misfetch_sequence = NEVER;
		cycle->fetch_stall = fetch_group(core);
		if (cycle->fetched) {
			cycle->fetch_stall = FETCH_NONE;
			core->progressed = true;
			/* What was waited for has been delivered, unless the group ended
			 * in a wait for the second line of its next instruction. */
			if (core->now >= core->fetch_ready_at)
				core->arrived[0] = core->arrived[1] = NEVER;
		}
	}
	cycle->fetch_pc = core->cpu->hart.pc;
	core->counters.fetched += cycle->fetched;
	core->counters.wrong_fetched += (uint64_t)(cycle->fetched - cycle->useful_fetched);
}

void ooo_feed(struct ooo *core)
{
	const struct config *config = &core->config;
	uint64_t stages = config->frontend_depth + config->l1i_latency - 1;
	uint64_t room = stages * config->decode_width;
	uint64_t used = core->fed - core->dispatched;
	uint64_t count = core->fetched - core->fed;

	core->cycle.buffer_used = (uint16_t)count;
	if (count > config->decode_width)
		count = config->decode_width;
	if (count > room - used)
		count = room - used;
	if (count) {
		uint64_t at = core->now + stages;

		for (uint64_t i = 0; i < count; i++)
			ooo_entry(core, core->fed + i)->ready_at = at;
		if (UNLIKELY(core->misfetch_sequence - core->fed < count))
			core->misfetch_until = core->now + DECODE_REDIRECT_CYCLES;
	}
	core->fed += count;
	core->cycle.fed = (uint16_t)count;
	core->progressed |= count > 0;
}
