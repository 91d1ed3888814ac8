/* Fetch: up to inorder.issue_width instructions a cycle from one line of the instruction cache, not
 * past a branch that is predicted to go elsewhere. Each is executed when it is fetched. */
#include <string.h>

#include "core/inorder/inorder.h"

/* Of the instruction that is fetched next. */
static uint32_t next_slot(const struct inorder *core)
{
	return (uint32_t)(core->fetched & core->slot_mask);
}

static uint8_t wait_reason(const struct inorder *core)
{
	return (uint8_t)(FETCH_ITLB + inorder_phase(&core->fetch_wait, core->base.now));
}

/* The phases in which fetch waits, as FETCH_WAIT bits. */
static unsigned waits_of(const struct inorder *core)
{
	const struct wait *wait = &core->fetch_wait;
	uint64_t before = wait->tlb_until;
	unsigned waits = before > core->base.now ? FETCH_WAIT_TLB : 0;

	for (unsigned i = 0; i < MISS_LEVELS; before = wait->miss_until[i++])
		if (wait->miss_until[i] > before)
			waits |= (unsigned)FETCH_WAIT_L1 << i;
	return waits;
}

static __attribute__((noinline)) bool ask_for_line(struct inorder *core, uint64_t address,
						   uint64_t line)
{
	const uint32_t slot = next_slot(core);
	const uint64_t pc = core->base.cpu->hart.pc, now = core->base.now;
	const uint32_t latency = core->config.l1i_latency;
	struct access_result result;

	core_access(&core->base, ACCESS_FETCH, pc, address, address, &result);
	if (inorder_wants(core, EVENT_FETCH_ACCESS))
		core_add_access(&core->base, EVENT_FETCH_ACCESS, slot, pc, core->is_wrong);
	if (!inorder_wait(core, SIDE_INSTRUCTION, pc, latency, &result))
		return true;
	inorder_set_wait(&core->fetch_wait, &result, latency, 0);
	core->arrived[1] = core->arrived[0];
	core->arrived[0] = line;
	core->base.progressed = true;
	unsigned tags = core_misses(&result, core->config.cache_levels, now) | waits_of(core);
	core->fetch_tags |= (uint16_t)tags;
	inorder_event_miss(core, EVENT_FETCH_MISS, slot, address, core->is_wrong, tags, &result);
	return false;
}

/* Accesses the line of `address`; true if it is available in this cycle. A line that was waited
 * for is not accessed again: it may have been evicted meanwhile. */
static inline bool line_is_here(struct inorder *core, uint64_t address)
{
	uint64_t line = bits_align_down(address, core->config.l1i_line);

	if (core->arrived[0] == line || core->arrived[1] == line)
		return true;
	if (UNLIKELY(!hierarchy_hits(core->base.memory, ACCESS_FETCH, address, core->base.now)))
		return ask_for_line(core, address, line);
	if (inorder_wants(core, EVENT_FETCH_ACCESS))
		inorder_event_plain(core, EVENT_FETCH_ACCESS, next_slot(core),
				    core->base.cpu->hart.pc, core->is_wrong);
	return true;
}

/* Calls the process for a system call, a fault or a bad fetch; on a wrong path, which ends here,
 * it is not called. */
static void stop_at(struct inorder *core, enum cpu_stop stop)
{
	core->base.progressed = true;
	if (core->is_wrong)
		core->base.is_nowhere = true;
	else
		core_stop(&core->base, stop, next_slot(core));
}

static void insert_bubbles(struct inorder *core, uint64_t until, enum fetch_stall reason)
{
	core->bubble_until = until;
	core->bubble_reason = (uint8_t)reason;
}

/* Decode supplies the target of a direct branch or jump. */
static void misfetch(struct inorder *core, const struct entry *e, uint64_t sequence, uint64_t until)
{
	core->base.totals.misfetches += !(e->flags & ENTRY_WRONG);
	inorder_event(core, EVENT_MISFETCH, sequence, 0);
	insert_bubbles(core, until, FETCH_MISFETCH);
}

/* Where fetch continues after a branch: `predicted` is where the program goes, and stays so if that
 * is known for certain. Without a predictor fetch goes straight on, and decode supplies the targets
 * of direct jumps. False if no target is known. */
static bool predict(struct inorder *core, struct entry *e, uint64_t sequence, int32_t displacement,
		    uint64_t *predicted)
{
	const uint64_t sequential = e->pc + e->bytes;
	const uint64_t static_target = e->pc + (uint64_t)(int64_t)displacement;
	const uint64_t resumes_at = core->base.now + 1 + core->config.inorder_taken_branch;
	const bool is_jump = e->control == CONTROL_JUMP || e->control == CONTROL_CALL;
	struct prediction *p = &core->predictions[sequence & core->slot_mask];

	const bool is_hidden = core_hides_branch(&core->base, e->pc);

	if (core->config.ideal_branch || (is_hidden && !core->is_predicting))
		return true;
	if (!core->is_predicting) {
		*predicted = is_jump ? static_target : sequential;
		if (is_jump)
			misfetch(core, e, sequence, resumes_at);
		return true;
	}
	predictor_predict(core->predictor, branch_kind_of(e->control), e->pc, e->bytes, p);
	e->flags |= ENTRY_PREDICTED;
	/* A taken branch to the next instruction cannot be told from one not taken, so it counts as
	 * predicted. */
	if (p->taken && static_target == sequential && e->control == CONTROL_CONDITIONAL)
		e->flags |= ENTRY_TAKEN;
	if (is_hidden) {
		fetch_predict_rightly(core->predictor, e->control, e->pc, e->bytes,
				      !!(e->flags & ENTRY_TAKEN), e->next_pc, p);
		return true;
	}
	*predicted = p->taken ? p->target : sequential;
	if (!p->taken)
		return true;
	if (e->control <= CONTROL_CALL && (!p->has_target || p->target != static_target)) {
		uint64_t decoded_at = core->base.now + core->stages;

		*predicted = static_target;
		misfetch(core, e, sequence, resumes_at > decoded_at ? resumes_at : decoded_at);
		return true;
	}
	if (p->has_target)
		insert_bubbles(core, resumes_at, FETCH_TAKEN);
	return p->has_target;
}

/* Sets hart.pc to the address at which fetch continues after this branch. True if that is the next
 * instruction. */
static bool follow_branch(struct inorder *core, struct entry *e, uint64_t sequence,
			  int32_t displacement)
{
	const uint64_t sequential = e->pc + e->bytes;
	uint64_t predicted = core->base.cpu->hart.pc;

	e->next_pc = predicted;
	if (predicted != sequential || e->control != CONTROL_CONDITIONAL)
		e->flags |= ENTRY_TAKEN;
	bool is_known = predict(core, e, sequence, displacement, &predicted);
	if (is_known && predicted == e->next_pc)
		return predicted == sequential;
	e->flags |= ENTRY_MISPREDICTED;
	if (!core->is_wrong) { /* one on a wrong path never resolves */
		checkpoint_take(&core->checkpoint, core->base.cpu, &core->undo);
		core->is_wrong = true;
		core->culprit = sequence;
		core->resolve_at = NEVER;
	}
	core->base.is_nowhere = !is_known;
	if (is_known)
		core->base.cpu->hart.pc = predicted;
	return is_known && predicted == sequential;
}

static const uint16_t unit_flags[UNIT_COUNT] = {
	[UNIT_BRANCH] = ENTRY_CONTROL | ENTRY_BRANCH,
	[UNIT_JUMP] = ENTRY_CONTROL,
	[UNIT_JUMP_INDIRECT] = ENTRY_CONTROL | ENTRY_BRANCH,
	[UNIT_LOAD] = ENTRY_LOAD,
	[UNIT_STORE] = ENTRY_STORE | ENTRY_WRITES,
	[UNIT_AMO] = ENTRY_LOAD | ENTRY_WRITES | ENTRY_SERIALISE | ENTRY_FENCE,
	[UNIT_FENCE] = ENTRY_SERIALISE | ENTRY_FENCE,
	[UNIT_CSR] = ENTRY_SERIALISE,
	[UNIT_SYSTEM] = ENTRY_SERIALISE,
};

static inline void fill_entry(struct inorder *core, struct entry *e, const struct insn *insn,
			      uint64_t pc)
{
	_Static_assert(sizeof(struct insn) - offsetof(struct insn, rd) == 8 &&
			       offsetof(struct insn, op) - offsetof(struct insn, rd) ==
				       offsetof(struct entry, op) - offsetof(struct entry, rd) &&
			       offsetof(struct insn, unit) - offsetof(struct insn, rd) ==
				       offsetof(struct entry, unit) - offsetof(struct entry, rd),
		       "copied whole");
	memcpy(&e->rd, &insn->rd, 8);
	if (UNLIKELY(core->config.ideal_dependence))
		e->rd = REG_SINK;
	e->pc = pc;
	e->issue_from = core->base.now + core->stages;
	e->flags = (uint16_t)(unit_flags[insn->unit] | (core->is_wrong ? ENTRY_WRONG : 0));
	if (insn_only_reserves(insn->op))
		e->flags &= (uint16_t)~ENTRY_WRITES;
	e->tags = core->fetch_tags;
	core->fetch_tags = 0;
}

/* Fetches and executes the instruction at hart.pc. True if fetch can continue with the next one in
 * this cycle. */
static bool take(struct inorder *core, const struct insn *insn, uint64_t pc)
{
	struct cpu *const cpu = core->base.cpu;
	const bool is_wrong = core->is_wrong;
	const uint64_t sequence = core->fetched, counted = cpu->instructions;
	struct entry *e = inorder_entry(core, sequence);
	bool goes_on = true;

	fill_entry(core, e, insn, pc);
	if (UNLIKELY(core->dead)) {
		const uint64_t sp = cpu->hart.r[REG_SP];

		core->dead[sequence & core->slot_mask] =
			(struct dead_range){process_dead_low(core->base.process, sp), sp};
	}
	struct step_end end =
		is_wrong ? cpu_run_logged(cpu, insn, &core->accesses, (uint32_t)sequence, 1,
					  &core->undo)
			 : cpu_run_watched(cpu, insn, &core->accesses, (uint32_t)sequence, 1);
	if (UNLIKELY(end.stop != STOP_LIMIT)) {
		uint64_t before = counted + (end.stop == STOP_ECALL);

		stop_at(core, end.stop);
		/* A system call passes through the core alone. A call that the thread will repeat
		 * when it is woken has not happened yet and is not counted. */
		if (!is_wrong && end.stop == STOP_ECALL && cpu->instructions == before)
			goto fetched;
		return false;
	}
	if (e->flags & ENTRY_CONTROL) {
		e->control = (uint16_t)insn_control(insn);
		goes_on = follow_branch(core, e, sequence, insn->imm);
		if (e->flags & ENTRY_BRANCH)
			inorder_event(core, EVENT_BRANCH_FETCH, sequence, 0);
		if (!is_wrong) {
			core_follow_call(&core->base, e->pc, e->next_pc);
			core_note_control(&core->base, e->control, e->pc, e->bytes, e->next_pc, 1);
		}
		goes_on &= !core_is_past_call(&core->base, core->is_wrong);
	}
fetched:
	core->fetched++;
	core->base.record->fetched++;
	core->base.record->useful_fetched =
		(uint16_t)(core->base.record->useful_fetched + !is_wrong);
	if (core->base.is_draining)
		return false;
	/* The end of a slice at a mispredicted branch is handled when the branch resolves. */
	if (!is_wrong && UNLIKELY(cpu->instructions >= core->base.process->slice_ends) &&
	    !core->is_wrong)
		core_end_slice(&core->base, next_slot(core));
	return goes_on && !core->base.is_draining;
}

/* True in the cycle after the one in which the core was first found empty. Until then the lines of
 * the instruction are accessed once. */
static bool may_read_counters(struct inorder *core, uint64_t line, uint64_t last_line)
{
	if (core->counters_at == core->base.now && core->head == core->fetched)
		return true;
	core->base.progressed |= core->arrived[0] != line || core->arrived[1] != last_line;
	core->arrived[0] = line;
	core->arrived[1] = last_line;
	if (core->head == core->fetched && inorder_write_buffer_is_empty(core)) {
		core->counters_at = core->base.now + 1;
		core->base.progressed = true;
	}
	return false;
}

static uint8_t fetch_group(struct inorder *core)
{
	const uint64_t line_bytes = core->config.l1i_line;
	const uint64_t line = bits_align_down(core->base.cpu->hart.pc, line_bytes);
	const uint64_t used = core->fetched - core->issued;
	const uint64_t room = used < core->queue_most ? core->queue_most - used : 0;
	const uint64_t most = room < core->width ? room : core->width;

	while (core->base.record->fetched < most) {
		const uint64_t pc = core->base.cpu->hart.pc;

		if (pc - line >= line_bytes)
			break;
		const struct insn *insn = fetch_decoded(&core->chunk, core->base.cpu, pc);
		/* A wrong path that leaves the program's text stops before it accesses a line. */
		if (UNLIKELY(!insn)) {
			stop_at(core, STOP_FETCH_FAULT);
			break;
		}
		if (!core->base.record->fetched && !line_is_here(core, pc))
			return wait_reason(core);
		const uint64_t last = pc + insn->bytes - 1;
		const bool is_across = last - line >= line_bytes;
		if (UNLIKELY(is_across) && !line_is_here(core, last))
			return wait_reason(core);
		if (unit_flags[insn->unit] & ENTRY_SERIALISE && !core->is_wrong &&
		    fetch_reads_counters(core->base.process, insn) &&
		    !may_read_counters(core, line, bits_align_down(last, line_bytes))) {
			if (core->base.process->is_ahead)
				core_stop(&core->base, STOP_ECALL,
					  (uint32_t)(core->fetched & core->slot_mask));
			return FETCH_SERIALISE;
		}
		if (!take(core, insn, pc) || is_across)
			break;
	}
	if (core->base.is_draining)
		return FETCH_SERIALISE;
	return core->base.is_nowhere ? FETCH_NOWHERE : FETCH_BUFFER;
}

void inorder_fetch(struct inorder *core)
{
	struct cycle *cycle = core->base.record;
	const uint64_t first = core->fetched, now = core->base.now;

	cycle->wrong_path = core->is_wrong;
	core_resumes(&core->base, core->head == core->fetched);
	const enum fetch_stall stop =
		core_fetch_stop(&core->base, core->is_wrong, core->head == core->fetched);
	if (stop != FETCH_NONE)
		cycle->fetch_stall = (uint8_t)stop;
	else if (now < core->bubble_until)
		cycle->fetch_stall = core->bubble_reason;
	else if (now < core->fetch_wait.until)
		cycle->fetch_stall = wait_reason(core);
	else {
		cycle->fetch_stall = fetch_group(core);
		if (cycle->fetched) {
			cycle->fetch_stall = FETCH_NONE;
			core->base.progressed = true;
			/* The lines waited for have been delivered, unless the group ended in a
			 * wait for the second line of its next instruction. */
			if (now >= core->fetch_wait.until)
				core->arrived[0] = core->arrived[1] = NEVER;
		}
	}
	if (cycle->fetch_stall >= FETCH_ITLB && cycle->fetch_stall <= FETCH_L3I)
		cycle->excess |=
			(uint16_t)(inorder_excess(&core->fetch_wait, now) << FETCH_EXCESS_SHIFT);
	if (inorder_wants(core, EVENT_FETCH))
		for (uint64_t sequence = first; sequence != core->fetched; sequence++)
			inorder_event(core, EVENT_FETCH, sequence, 0);
	cycle->fetch_pc = core->base.cpu->hart.pc;
	cycle->fed = cycle->buffer_used = cycle->fetched;
	core->base.totals.fetched += cycle->fetched;
	core->base.totals.wrong_fetched += (uint64_t)(cycle->fetched - cycle->useful_fetched);
}

void inorder_resolve(struct inorder *core)
{
	const uint64_t sequence = core->culprit, count = core->fetched - (sequence + 1);
	const struct entry *e = inorder_entry(core, sequence);

	if (inorder_wants(core, EVENT_SQUASH))
		for (uint64_t s = sequence + 1; s != core->fetched; s++)
			inorder_event(core, EVENT_SQUASH, s, 0);
	core->fetched = sequence + 1;
	core->base.record->squashed = (uint16_t)count;
	core->base.totals.squashed += count;
	core->is_wrong = core->base.is_nowhere = false;
	core->resolve_at = NEVER;
	checkpoint_restore(&core->checkpoint, core->base.cpu, &core->undo);
	if (e->flags & ENTRY_PREDICTED)
		predictor_recover(core->predictor, branch_kind_of(e->control), e->pc, e->bytes,
				  !!(e->flags & ENTRY_TAKEN), e->next_pc,
				  &core->predictions[sequence & core->slot_mask]);
	/* An outstanding fetch is abandoned; its line is still filled. */
	core->fetch_wait.until = 0;
	core->arrived[0] = core->arrived[1] = NEVER;
	core->fetch_tags = 0;
	insert_bubbles(core, core->base.now + core->redirect_cycles, FETCH_NOWHERE);
	core->base.progressed = true;
	inorder_event(core, EVENT_MISPREDICT, sequence, 0);
	/* The time slice ended with the branch itself. */
	if (core->base.cpu->instructions >= core->base.process->slice_ends)
		core_end_slice(&core->base, next_slot(core));
}
