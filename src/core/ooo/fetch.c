#include <string.h>

#include "core/ooo/ooo.h"

static uint8_t wait_reason(const struct ooo *core)
{
	if (core->base.now < core->fetch_tlb_until)
		return FETCH_ITLB;
	return (uint8_t)(FETCH_L1I + ooo_wait_level(core, core->fetch_miss_until));
}

/* Records the excess of the wait that the stall names, if it names one. */
static void note_excess(struct ooo *core)
{
	const unsigned stall = core->base.record->fetch_stall;

	if (stall == FETCH_ITLB && core->base.now >= core->fetch_walk_from)
		core->base.record->excess |= EXCESS_FETCH_WALK;
	if (stall >= FETCH_L1I && stall <= FETCH_L3I && core->base.now >= core->fetch_queue_from)
		core->base.record->excess |= EXCESS_FETCH_BANDWIDTH;
}

/* The phases in which an access waits, as FETCH_WAIT bits. */
static unsigned waits_of(const struct ooo *core, const struct access_result *result)
{
	unsigned waits = result->tlb_done_at > core->base.now ? FETCH_WAIT_TLB : 0;
	uint64_t before = result->tlb_done_at + core->config.l1i_latency;

	for (unsigned i = 0; i < MISS_LEVELS; before = result->miss_until[i++])
		if (result->miss_until[i] > before)
			waits |= (unsigned)FETCH_WAIT_L1 << i;
	return waits;
}

/* The instruction that a line is accessed for: its pc, and ENTRY_WRONG if it is on a wrong path. */
struct fetching {
	uint64_t pc;
	unsigned wrong;
};

/* Adds an access's wait to those of the next instruction, which may be in two lines. */
static void add_waits(struct ooo *core, const struct access_result *result)
{
	struct cycle_waits *w = &core->fetch_waits;
	uint64_t before = result->tlb_done_at + core->config.l1i_latency;

	if (!core->fetch_tags)
		*w = (struct cycle_waits){0};
	w->fetch[0] += ooo_at_most_32_bits(result->tlb_done_at - core->base.now);
	w->fetch_walk += ooo_at_most_32_bits(result->walk_cycles);
	w->fetch_queue += ooo_at_most_32_bits(result->queue_cycles);
	for (unsigned i = 0; i < MISS_LEVELS; before = result->miss_until[i++])
		if (result->miss_until[i] > before)
			w->fetch[i + 1] += ooo_at_most_32_bits(result->miss_until[i] - before);
}

static __attribute__((noinline)) bool ask_for_line(struct ooo *core, uint64_t address,
						   uint64_t line, struct fetching next)
{
	const uint32_t latency = core->config.l1i_latency;
	const uint32_t slot = ooo_next_slot(core);
	struct access_result result;

	core_access(&core->base, ACCESS_FETCH, next.pc, address, address, &result);
	if (ooo_wants(core, EVENT_FETCH_ACCESS) && core->base.memory->log_count)
		core_add_access(&core->base, EVENT_FETCH_ACCESS, slot, next.pc, next.wrong != 0);
	if (LIKELY(result.done_at == core->base.now + latency))
		return true;
	core->fetch_ready_at = result.done_at - latency;
	core->fetch_tlb_until = result.tlb_done_at;
	core->fetch_walk_from = result.tlb_done_at - result.walk_cycles;
	core->fetch_queue_from = core->fetch_ready_at - result.queue_cycles;
	for (unsigned i = 0; i < MISS_LEVELS; i++)
		core->fetch_miss_until[i] = result.miss_until[i] - latency;
	core->arrived[1] = core->arrived[0];
	core->arrived[0] = line;
	core->base.progressed = true;
	add_waits(core, &result);
	unsigned tags = ooo_misses(core, &result) | waits_of(core, &result);
	if (next.wrong && tags & FETCH_MISS_L1)
		ooo_retire_note_line(core, SIDE_INSTRUCTION, address, tags);
	core->fetch_tags |= (uint16_t)tags;
	ooo_event_miss(core, EVENT_FETCH_MISS, slot, address, next.wrong, tags, &result);
	return false;
}

/* True if TLB and L1I hit and the line is available in this cycle. */
static inline bool hits(struct ooo *core, uint64_t address, struct fetching next)
{
	if (UNLIKELY(!hierarchy_hits(core->base.memory, ACCESS_FETCH, address, core->base.now)))
		return false;
	ooo_event_plain(core, EVENT_FETCH_ACCESS, ooo_next_slot(core), next.pc, next.pc,
			next.wrong);
	return true;
}

/* Accesses the line of `address`; true if it is available in this cycle. A line that was waited
 * for is not accessed again: it may have been evicted meanwhile. */
static inline bool line_is_here(struct ooo *core, uint64_t address, struct fetching next)
{
	uint64_t line = bits_align_down(address, core->config.l1i_line);

	return core->arrived[0] == line || core->arrived[1] == line ||
	       LIKELY(hits(core, address, next)) || ask_for_line(core, address, line, next);
}

/* Sets hart.pc to the address at which fetch continues after this branch, which is on a wrong
 * path if the prediction is wrong. True if fetch can continue after the branch in this cycle. */
static bool follow_branch(struct ooo *core, struct entry *e, int32_t displacement)
{
	uint32_t slot = ooo_slot(core, e);
	uint64_t next_pc = core->base.cpu->hart.pc;
	uint64_t sequential = e->pc + e->bytes, predicted = next_pc;
	bool is_direct = e->control <= CONTROL_CALL, is_known = true;

	core->details[slot].next_pc = next_pc;
	core->details[slot].misfetched = false;
	if (next_pc != sequential || e->control != CONTROL_CONDITIONAL)
		e->flags |= ENTRY_TAKEN;
	if (!core->config.ideal_branch) {
		struct prediction *p = &core->predictions[slot];
		uint64_t static_target = e->pc + (uint64_t)(int64_t)displacement;

		predictor_predict(core->predictor, branch_kind_of(e->control), e->pc, e->bytes, p);
		e->flags |= ENTRY_PREDICTED;
		/* A taken branch to the next instruction cannot be told from one not taken, so it
		 * counts as predicted. */
		if (static_target == sequential && e->control == CONTROL_CONDITIONAL && p->taken)
			e->flags |= ENTRY_TAKEN;
		if (core_hides_branch(&core->base, e->pc)) {
			fetch_predict_rightly(core->predictor, e->control, e->pc, e->bytes,
					      !!(e->flags & ENTRY_TAKEN), next_pc, p);
			return next_pc == sequential;
		}
		is_known = !p->taken || p->has_target;
		predicted = p->taken ? p->target : sequential;
		if (p->taken && is_direct && (!p->has_target || p->target != static_target)) {
			core->misfetch_sequence = core->fetched - 1;
			core->misfetch_until = NEVER;
			core->details[slot].misfetched = true;
			core->base.totals.misfetches += !(e->flags & ENTRY_WRONG);
			ooo_event(core, EVENT_MISFETCH, e, 0);
			predicted = static_target;
			is_known = true;
		}
	}
	if (!is_known || predicted != next_pc) {
		e->flags |= ENTRY_MISPREDICTED;
		checkpoint_take(&core->checkpoints[slot], core->base.cpu, &core->undo);
		core->wrong_depth++;
		core->base.is_nowhere = !is_known;
		if (is_known)
			core->base.cpu->hart.pc = predicted;
	}
	return is_known && predicted == sequential;
}

/* The initial flags, tags, queue and control of an entry, by its unit, in the layout of struct
 * entry, so that one store writes them. */
#define INITIAL_STATE(flags, queue) ((uint64_t)(flags) | (uint64_t)(queue) << 32)

static const uint64_t initial_state[UNIT_COUNT] = {
	[UNIT_ALU] = INITIAL_STATE(0, QUEUE_ALU),
	[UNIT_MUL] = INITIAL_STATE(0, QUEUE_OTHER),
	[UNIT_DIV] = INITIAL_STATE(0, QUEUE_OTHER),
	[UNIT_BRANCH] = INITIAL_STATE(ENTRY_CONTROL | ENTRY_BRANCH, QUEUE_ALU),
	[UNIT_JUMP] = INITIAL_STATE(ENTRY_CONTROL, QUEUE_ALU),
	[UNIT_JUMP_INDIRECT] = INITIAL_STATE(ENTRY_CONTROL | ENTRY_BRANCH, QUEUE_ALU),
	[UNIT_LOAD] = INITIAL_STATE(ENTRY_LOAD, QUEUE_MEMORY),
	[UNIT_STORE] = INITIAL_STATE(ENTRY_STORE, QUEUE_MEMORY),
	[UNIT_AMO] = INITIAL_STATE(ENTRY_LOAD | ENTRY_SERIALISE, QUEUE_MEMORY),
	[UNIT_FP_ADD] = INITIAL_STATE(0, QUEUE_OTHER),
	[UNIT_FP_MUL] = INITIAL_STATE(0, QUEUE_FP_LONG),
	[UNIT_FP_DIV] = INITIAL_STATE(0, QUEUE_FP_LONG),
	[UNIT_FENCE] = INITIAL_STATE(ENTRY_SERIALISE, QUEUE_ALU),
	[UNIT_CSR] = INITIAL_STATE(ENTRY_SERIALISE, QUEUE_ALU),
	[UNIT_SYSTEM] = INITIAL_STATE(ENTRY_SERIALISE, QUEUE_ALU),
};

static inline void fill_entry(struct entry *e, const struct insn *insn, uint64_t pc, uint64_t state)
{
	_Static_assert(sizeof(struct insn) - offsetof(struct insn, rd) == 8 &&
			       offsetof(struct insn, op) - offsetof(struct insn, rd) ==
				       offsetof(struct entry, op) - offsetof(struct entry, rd) &&
			       offsetof(struct insn, unit) - offsetof(struct insn, rd) ==
				       offsetof(struct entry, unit) - offsetof(struct entry, rd),
		       "copied whole");
	_Static_assert(offsetof(struct entry, tags) - offsetof(struct entry, flags) == 2 &&
			       offsetof(struct entry, queue) - offsetof(struct entry, flags) == 4 &&
			       offsetof(struct entry, control) - offsetof(struct entry, flags) == 6,
		       "written whole");
	memcpy(&e->rd, &insn->rd, 8);
	memcpy(&e->flags, &state, 8);
	e->pc = pc;
}

/* Writes the run of instructions that begins at `pc` into the ring: up to a jump or the end of
 * the line, and only instructions already decoded. Returns their number. The caller has checked
 * the first one; if it reaches beyond the line, it must be the only one. */
static inline unsigned enter_run(struct ooo *core, const struct insn *insn, uint64_t pc,
				 uint64_t line_end, unsigned most)
{
	const bool has_branches = ooo_branches(core) < core->config.max_branches;
	const unsigned refused = ENTRY_SERIALISE | (has_branches ? 0 : ENTRY_BRANCH);
	const unsigned wrong = core->wrong_depth ? ENTRY_WRONG : 0;
	const bool depends = !core->config.ideal_dependence;
	const uint32_t mask = core->slot_mask;
	struct entry *const entries = core->entries;
	uint32_t slot = (uint32_t)core->fetched & mask, count = 0;
	uint64_t state = initial_state[insn->unit];

	if (UNLIKELY(core->fetch_tags)) {
		state |= (uint64_t)core->fetch_tags << 16;
		core->fetch_tags = 0;
		core->waits[slot] = core->fetch_waits;
	}
	unsigned mark = core->has_drained ? RETIRED_DRAINED : 0;
	core->has_drained = false;
	for (;;) {
		unsigned bytes = insn->bytes;

		core->marks[slot] = (uint16_t)mark;
		mark = 0;
		fill_entry(&entries[slot], insn, pc, state | wrong);
		if (UNLIKELY(!depends))
			entries[slot].rd = REG_SINK;
		pc += bytes;
		insn += bytes / 2;
		if (++count == most || state & (ENTRY_CONTROL | ENTRY_SERIALISE))
			return count;
		slot = (slot + 1) & mask;
		state = initial_state[insn->unit];
		/* A slot that is not decoded has 0 bytes. */
		if (insn->bytes - UINT64_C(1) >= line_end - pc || state & refused)
			return count;
	}
}

static inline void count_fetched(struct ooo *core, unsigned count, bool is_wrong)
{
	core->fetched += count;
	core->base.record->fetched = (uint16_t)(core->base.record->fetched + count);
	core->base.record->useful_fetched =
		(uint16_t)(core->base.record->useful_fetched + (is_wrong ? 0 : count));
}

/* Handles a system call or a fault, which ends a wrong path. */
static bool stop_at(struct ooo *core, enum cpu_stop stop)
{
	if (core->wrong_depth) {
		core->base.is_nowhere = core->base.progressed = true;
		return false;
	}
	uint64_t counted = core->base.cpu->instructions;

	core_stop(&core->base, stop, ooo_next_slot(core));
	/* A system call passes through the core alone. A call that the thread will repeat when it
	 * is woken has not happened yet and is not counted. */
	if (stop == STOP_ECALL && core->base.cpu->instructions == counted)
		count_fetched(core, 1, false);
	return false;
}

static bool take_branch(struct ooo *core, struct entry *e, const struct insn *insn)
{
	e->control = (uint16_t)insn_control(insn);
	bool goes_on = follow_branch(core, e, insn->imm);
	if (!(e->flags & ENTRY_WRONG)) {
		const uint64_t next_pc = core->details[ooo_slot(core, e)].next_pc;

		core_follow_call(&core->base, e->pc, next_pc);
		core_note_control(&core->base, e->control, e->pc, e->bytes, next_pc, 0);
	}
	if (e->flags & ENTRY_BRANCH) {
		core->branches_fetched++;
		ooo_event(core, EVENT_BRANCH_FETCH, e, 0);
	}
	if (e->flags & ENTRY_MISPREDICTED) {
		struct detail *detail = &core->details[ooo_slot(core, e)];

		detail->branches_fetched = core->branches_fetched;
		detail->wrong_depth = core->wrong_depth;
		detail->fetched_at = core->base.now;
		if (core->wrong_depth == 1)
			core->wrong_since = core->base.now;
	}
	return goes_on && !core_is_past_call(&core->base, core->wrong_depth);
}

/* Fetches and executes the sequential instructions from hart.pc on that are in the same line.
 * True if fetch can continue after them in this cycle. */
static inline bool take_run(struct ooo *core, const struct insn *insn, uint64_t pc,
			    uint64_t line_end, unsigned most)
{
	struct cpu *cpu = core->base.cpu;
	const uint64_t slice_ends = core->base.process->slice_ends;
	const bool is_wrong = core->wrong_depth > 0;
	const uint32_t first = (uint32_t)core->fetched;
	bool goes_on = true;

	/* The time slice ends with the instruction that uses it up. */
	if (!is_wrong && UNLIKELY(cpu->instructions + most > slice_ends))
		most = cpu->instructions < slice_ends ? (unsigned)(slice_ends - cpu->instructions)
						      : 1;
	most = enter_run(core, insn, pc, line_end, most);
	struct step_end end =
		is_wrong ? cpu_run_logged(cpu, insn, &core->accesses, first, most, &core->undo)
			 : cpu_run_watched(cpu, insn, &core->accesses, first, most);
	count_fetched(core, end.count, is_wrong);
	if (UNLIKELY(end.stop != STOP_LIMIT))
		return stop_at(core, end.stop);
	struct entry *e = ooo_entry(core, core->fetched - 1);
	if (e->flags & ENTRY_CONTROL)
		goes_on = take_branch(core, e, insn + (e->pc - pc) / 2);
	if (!is_wrong && UNLIKELY(cpu->instructions >= slice_ends)) {
		/* The end of a slice at a mispredicted branch is handled when the branch
		 * resolves. */
		if (!core->wrong_depth)
			core_end_slice(&core->base, ooo_next_slot(core));
		return goes_on && !core->base.is_draining;
	}
	return goes_on;
}

/* While fetch waits for something else, the lines of its next instruction are accessed once. */
static void hold_lines(struct ooo *core, uint64_t line, uint64_t last_line)
{
	core->base.progressed |= core->arrived[0] != line || core->arrived[1] != last_line;
	core->arrived[0] = line;
	core->arrived[1] = last_line;
}

/* True in the cycle after the one in which the core was first found empty. */
static bool may_read_counters(struct ooo *core)
{
	if (core->counters_at == core->base.now && core->head == core->fetched)
		return true;
	if (core->head == core->fetched && core->buffer_first == core->buffer_last) {
		core->counters_at = core->base.now + 1;
		core->base.progressed = true;
	}
	return false;
}

/* How many instructions may be fetched in this cycle. Since the core was configured anew the buffer
 * may hold more than it has room for, and what it holds together with a deeper front end that has
 * not drained yet more than the ring has slots. */
static inline uint64_t fetch_room(const struct ooo *core)
{
	const uint64_t used = core->fetched - core->fed, limit = core->config.fetch_buffer;
	const uint64_t slots = core->slot_mask + 1 - (core->fetched - core->head);
	uint64_t room = used < limit ? limit - used : 0;

	room = room < core->config.fetch_width ? room : core->config.fetch_width;
	return room < slots || ooo_is_replaying(core) ? room : slots;
}

static uint8_t fetch_group(struct ooo *core)
{
	const struct config *config = &core->config;
	uint64_t pc = core->base.cpu->hart.pc;
	uint64_t line_bytes = config->l1i_line;
	uint64_t line = bits_align_down(pc, line_bytes);
	uint64_t most = fetch_room(core);

	while (core->base.record->fetched < most) {
		pc = core->base.cpu->hart.pc;
		if (pc - line >= line_bytes)
			break;
		const struct insn *slot = fetch_decoded(&core->chunk, core->base.cpu, pc);
		/* A wrong path that leaves the program's text stops before it accesses a line. */
		if (UNLIKELY(!slot)) {
			core->base.progressed = true;
			if (core->wrong_depth) {
				core->base.is_nowhere = true;
				return FETCH_NOWHERE;
			}
			core_stop(&core->base, STOP_FETCH_FAULT, ooo_next_slot(core));
			return FETCH_SERIALISE;
		}
		const struct fetching next = {pc, core->wrong_depth ? ENTRY_WRONG : 0};
		if (!core->base.record->fetched && !line_is_here(core, pc, next))
			return wait_reason(core);
		uint64_t last = pc + slot->bytes - 1;
		unsigned left = (unsigned)(most - core->base.record->fetched);
		if (UNLIKELY(last - line >= line_bytes)) {
			if (!line_is_here(core, last, next))
				return wait_reason(core);
			left = 1;
		}
		if (initial_state[slot->unit] & ENTRY_BRANCH &&
		    UNLIKELY(ooo_branches(core) >= config->max_branches)) {
			hold_lines(core, line, bits_align_down(last, line_bytes));
			return FETCH_BRANCHES;
		}
		if (initial_state[slot->unit] & ENTRY_SERIALISE && !core->wrong_depth &&
		    fetch_reads_counters(core->base.process, slot) && !may_read_counters(core)) {
			hold_lines(core, line, bits_align_down(last, line_bytes));
			if (core->base.process->is_ahead)
				core_stop(&core->base, STOP_ECALL, ooo_next_slot(core));
			return FETCH_SERIALISE;
		}
		if (!take_run(core, slot, pc, line + line_bytes, left))
			break;
	}
	if (core->base.is_draining)
		return FETCH_SERIALISE;
	return core->base.is_nowhere ? FETCH_NOWHERE : FETCH_BUFFER;
}

/* The lines waited for have been delivered, unless the group ended in a wait for the second line of
 * its next instruction. */
static inline void end_group(struct ooo *core)
{
	core->base.record->fetch_stall = FETCH_NONE;
	core->base.progressed = true;
	if (core->base.now >= core->fetch_ready_at)
		core->arrived[0] = core->arrived[1] = NEVER;
}

static void note_fetched(struct ooo *core, uint64_t first, bool again)
{
	for (uint64_t sequence = first; sequence != core->fetched; sequence++)
		ooo_event_of_class(core, EVENT_FETCH, ooo_entry(core, sequence), 0, again);
}

static uint8_t fetch_group_again(struct ooo *core)
{
	const struct config *config = &core->config;
	uint64_t line_bytes = config->l1i_line;
	uint64_t line = bits_align_down(ooo_entry(core, core->fetched)->pc, line_bytes);
	uint64_t most = fetch_room(core);

	for (uint64_t count = 0; count < most; count++) {
		struct entry *e = ooo_entry(core, core->fetched);
		const struct fetching next = {e->pc, e->flags & ENTRY_WRONG};
		uint64_t last = e->pc + e->bytes - 1;

		if (e->pc - line >= line_bytes)
			break;
		if ((!count && !line_is_here(core, e->pc, next)) ||
		    (last - line >= line_bytes && !line_is_here(core, last, next)))
			return wait_reason(core);
		if (core->fetch_tags)
			core->waits[ooo_slot(core, e)] = core->fetch_waits;
		e->tags = core->fetch_tags;
		core->fetch_tags = 0;
		core->fetched++;
		core->base.record->fetched++;
		if (e->flags & ENTRY_BRANCH) {
			core->branches_fetched++;
			ooo_event_branch(core, EVENT_BRANCH_FETCH, e);
		}
		if (!ooo_is_replaying(core) || ooo_entry(core, core->fetched)->pc != last + 1)
			break;
	}
	return FETCH_BUFFER;
}

/* Fetches instructions again that a replay has squashed; new ones follow in a later cycle. */
static __attribute__((noinline)) void fetch_again(struct ooo *core)
{
	struct cycle *cycle = core->base.record;
	const uint64_t first = core->fetched;

	cycle->wrong_path = !!(ooo_entry(core, first)->flags & ENTRY_WRONG);
	if (core->base.now < core->fetch_ready_at) {
		cycle->fetch_stall = wait_reason(core);
	} else {
		cycle->fetch_stall = fetch_group_again(core);
		if (cycle->fetched)
			end_group(core);
	}
	if (ooo_wants(core, EVENT_FETCH))
		note_fetched(core, first, true);
	cycle->fetch_pc = ooo_is_replaying(core) ? ooo_entry(core, core->fetched)->pc
						 : core->base.cpu->hart.pc;
	core->base.totals.fetched += cycle->fetched;
	core->base.totals.wrong_fetched += cycle->fetched;
}

/* Follows in which cycles core.max_branches leaves the front end short of instructions: `stop` is
 * what ended the group of fetch, or kept it from having one. A full buffer is no group. */
static inline void follow_hold(struct ooo *core, enum fetch_stall stop)
{
	if (UNLIKELY(stop == FETCH_BRANCHES)) {
		if (core->held_until != NEVER)
			core->held_from = core->base.now;
		core->held_until = NEVER;
		core->hold_ends = core->branches_fetched + core->config.max_branches;
	} else if (UNLIKELY(core->held_until == NEVER) &&
		   (stop != FETCH_BUFFER || !core->base.record->fetched ||
		    (int32_t)(core->branches_fetched - core->hold_ends) >= 0)) {
		core->held_until = core->base.now - 1;
	}
}

void ooo_fetch(struct ooo *core)
{
	struct cycle *cycle = core->base.record;
	const uint64_t first = core->fetched;

	if (ooo_is_replaying(core)) {
		fetch_again(core);
		return;
	}
	cycle->wrong_path = core->wrong_depth > 0;
	core->has_drained |= core_resumes(&core->base, core->head == core->fetched);
	enum fetch_stall stop =
		core_fetch_stop(&core->base, core->wrong_depth, core->head == core->fetched);
	if (stop != FETCH_NONE)
		cycle->fetch_stall = (uint8_t)stop;
	else if (core->misfetch_sequence != NEVER && core->base.now < core->misfetch_until)
		cycle->fetch_stall = stop = FETCH_MISFETCH;
	else if (core->base.now < core->fetch_ready_at) {
		cycle->fetch_stall = stop = (enum fetch_stall)wait_reason(core);
		note_excess(core);
	} else {
		core->misfetch_sequence = NEVER;
		cycle->fetch_stall = stop = (enum fetch_stall)fetch_group(core);
		if (cycle->fetched)
			end_group(core);
		else
			note_excess(core);
	}
	follow_hold(core, stop);
	if (ooo_wants(core, EVENT_FETCH))
		note_fetched(core, first, false);
	cycle->fetch_pc = core->base.cpu->hart.pc;
	core->base.totals.fetched += cycle->fetched;
	core->base.totals.wrong_fetched += (uint64_t)(cycle->fetched - cycle->useful_fetched);
}

void ooo_feed(struct ooo *core)
{
	const struct config *config = &core->config;
	const uint64_t used = core->fed - core->dispatched;
	uint64_t room = used < core->frontend_room ? core->frontend_room - used : 0;
	uint64_t count = core->fetched - core->fed;

	core->base.record->buffer_used = (uint16_t)count;
	if (count > config->decode_width)
		count = config->decode_width;
	if (count > room)
		count = room;
	if (count) {
		core->groups[core->group_last++ & core->group_mask] =
			(struct fed_group){core->fed + count, core->base.now + core->stages};
		if (UNLIKELY(core->misfetch_sequence - core->fed < count))
			core->misfetch_until = core->base.now + FRONTEND_DECODE_REDIRECT_CYCLES;
	}
	core->fed += count;
	core->base.record->fed = (uint16_t)count;
	core->base.progressed |= count > 0;
}
