#include "twin_state.h"

#include <string.h>

#include "core/branch_kind.h"
#include "linux/syscall.h"

/*
 * Fetch: up to fetch.width per cycle from one line of the instruction cache, while the buffer has
 * room, not past a branch that is predicted to go elsewhere. Each instruction is executed when it
 * is fetched, on wrong paths too; only fetch uses the results before the instruction issues.
 */

static enum fetch_stall why_line_is_not_here(const struct twin *twin)
{
	if (twin->now < twin->line_tlb_until)
		return FETCH_ITLB;
	if (twin->config.cache_levels == 1 || twin->line_level <= LEVEL_L2)
		return FETCH_L1I;
	if (twin->config.cache_levels == 2)
		return twin->now < twin->line_near_until ? FETCH_L1I : FETCH_L2I;
	if (twin->now >= twin->line_near_until)
		return FETCH_L3I;
	return twin->now < twin->line_tlb_until + twin->config.l2_latency ? FETCH_L1I : FETCH_L2I;
}

/* The reasons that fetch will report in the cycles of the wait. */
static unsigned waits(struct twin *twin)
{
	uint64_t now = twin->now;
	unsigned tags = 0;

	for (; twin->now < twin->line_here_at; twin->now++)
		tags |= FETCH_WAIT_TLB << (why_line_is_not_here(twin) - FETCH_ITLB);
	twin->now = now;
	return tags;
}

/* The next instruction to fetch: one that is to be fetched again, or a new one. */

static uint64_t next_number(const struct twin *twin)
{
	const struct instruction *i = twin_oldest_in(twin, AGAIN);

	return i ? i->number : twin->next;
}

static uint64_t next_pc(const struct twin *twin)
{
	const struct instruction *i = twin_oldest_in(twin, AGAIN);

	return i ? i->pc : twin->cpu->hart.pc;
}

static bool next_is_wrong(const struct twin *twin)
{
	const struct instruction *i = twin_oldest_in(twin, AGAIN);

	return i ? i->is_wrong : twin_on_wrong_path(twin);
}

/* Accesses a line; if the cache does not have it, fetch waits. A line that was waited for is used
 * when it has arrived, even if it has been evicted meanwhile; and while fetch waits for something
 * else, a line is accessed only once. */
static bool line_is_here(struct twin *twin, uint64_t address)
{
	uint64_t line = hierarchy_line_of(twin->memory, SIDE_INSTRUCTION, address);
	unsigned hit_cycles = twin->config.l1i_latency, tags;
	struct access_result result;

	if (twin->lines_held[0] == line || twin->lines_held[1] == line)
		return true;
	twin_access(twin, ACCESS_FETCH, next_pc(twin), address, address, &result);
	twin_event_access(twin, EVENT_FETCH_ACCESS, next_is_wrong(twin), next_number(twin),
			  next_pc(twin));
	twin_fill(twin, SIDE_INSTRUCTION, next_pc(twin), &result);
	if (result.done_at == twin->now + hit_cycles)
		return true;
	/* The latency of a hit is part of the front end: see twin_feed. */
	twin->line_here_at = result.done_at - hit_cycles;
	twin->line_tlb_until = result.tlb_done_at;
	twin->line_near_until = twin_near(twin, &result) - hit_cycles;
	twin->line_level = result.level;
	twin->line_walk_cycles = result.walk_cycles;
	twin->line_queue_cycles = result.queue_cycles;
	twin_hold_lines(twin, line, twin->lines_held[0]);
	tags = twin_misses(twin, &result) | waits(twin);
	twin->line_tags |= tags;
	twin_event_of_miss(twin, EVENT_FETCH_MISS, tags, next_is_wrong(twin), next_number(twin),
			   address, &result);
	return false;
}

/* The process handles a system call, a fault or a bad fetch; fetch continues, where the process
 * says, when nothing is in flight. On a wrong path the process is not called: the path ends. */
static void stop_fetching(struct twin *twin, enum cpu_stop stop)
{
	if (twin_on_wrong_path(twin)) {
		twin->is_nowhere = true;
		return;
	}
	int tid = twin->process->current->tid;
	uint64_t pc = twin->cpu->hart.pc;

	process_handle(twin->process, stop);
	if (twin->process->current->tid != tid) {
		twin->counters.thread_switches++;
		twin_event(twin, EVENT_THREAD_SWITCH, 0, false, twin->next, pc);
	}
	twin->is_draining = true;
	twin->is_ended = twin->process->state != PROCESS_RUNNING;
}

/* Branches that can be mispredicted, and that core.max_branches counts. */
static bool is_counted_branch(unsigned unit)
{
	return unit == UNIT_BRANCH || unit == UNIT_JUMP_INDIRECT;
}

static void describe(struct instruction *i, const struct insn *insn, uint64_t number, uint64_t pc)
{
	unsigned unit = insn_kinds[insn->op].unit;

	*i = (struct instruction){
		.number = number,
		.stage = IN_BUFFER,
		.pc = pc,
		.bytes = insn->bytes,
		.unit = unit,
		.rd = insn->rd,
		.rs = {insn->rs1, insn->rs2, insn->rs3},
		.control = insn_control(insn),
		.is_load = unit == UNIT_LOAD || unit == UNIT_AMO,
		.is_store = unit == UNIT_STORE,
		.is_atomic_write = unit == UNIT_AMO && insn->op != OP_LR_W && insn->op != OP_LR_D,
		.is_branch = is_counted_branch(unit),
		.is_serialising = unit == UNIT_AMO || unit == UNIT_FENCE || unit == UNIT_CSR ||
				  unit == UNIT_SYSTEM,
		.complete_at = NEVER,
	};
}

/* In order, fetch does nothing for some cycles behind a branch. */
static void add_bubbles(struct twin *twin, uint64_t cycles, enum fetch_stall reason)
{
	twin->bubble_until = twin->now + 1 + cycles;
	twin->bubble_reason = reason;
}

/* Decode supplies a target. In order, it does so at the end of its stage, `stages` after fetch
 * began, or when a branch predicted rightly would be followed, if that is later. */
static void supply_target(struct twin *twin, struct instruction *i, uint64_t stages)
{
	uint64_t bubbles = twin->config.inorder_taken_branch;

	twin->counters.misfetches += !i->is_wrong;
	twin_event_of(twin, EVENT_MISFETCH, i, 0);
	if (is_inorder(twin)) {
		add_bubbles(twin, stages > bubbles + 1 ? stages - 1 : bubbles, FETCH_MISFETCH);
	} else {
		twin->misfetched = i->number;
		twin->misfetch_until = NEVER;
	}
}

/* Fetch follows the prediction. The target of a direct branch is in the instruction: if the
 * predictor does not have it, decode supplies it some cycles later. After an indirect one without
 * a predicted target, fetch waits. True if fetch continues with the next instruction in memory. */
static bool follow(struct twin *twin, struct instruction *i, const struct insn *insn)
{
	uint64_t behind = i->pc + i->bytes, target = i->pc + (uint64_t)(int64_t)insn->imm;
	bool is_direct = i->control == CONTROL_CONDITIONAL || i->control == CONTROL_JUMP ||
			 i->control == CONTROL_CALL;
	bool has_way = true, is_ideal = twin_is_ideal(twin, i->pc, IDEAL_AT_BRANCH);
	uint64_t way = i->next_pc;

	i->is_taken = i->control != CONTROL_CONDITIONAL || i->next_pc != behind;
	if (is_ideal && twin->config.predictor_kind == PREDICTOR_NONE)
		return way == behind;
	if (!twin->config.ideal_branch && twin->config.predictor_kind == PREDICTOR_NONE) {
		way = behind;
		if (i->control == CONTROL_JUMP || i->control == CONTROL_CALL) {
			way = target;
			supply_target(twin, i, 0);
		}
	} else if (!twin->config.ideal_branch) {
		struct prediction *p = &i->prediction;

		predictor_predict(twin->predictor, branch_kind_of(i->control), i->pc, i->bytes, p);
		i->is_predicted = true;
		/* The next instruction follows in either case, so the branch did what was
		 * predicted. */
		if (i->control == CONTROL_CONDITIONAL && target == behind)
			i->is_taken = p->taken;
		if (is_ideal) {
			/* The predictor is told at once where it was wrong. */
			if (p->taken != i->is_taken ||
			    (p->taken && !is_direct && (!p->has_target || p->target != i->next_pc)))
				predictor_recover(twin->predictor, branch_kind_of(i->control),
						  i->pc, i->bytes, i->is_taken, i->next_pc, p);
		} else if (!p->taken) {
			way = behind;
		} else if (!is_direct) {
			has_way = p->has_target;
			way = p->target;
			if (has_way)
				add_bubbles(twin, twin->config.inorder_taken_branch, FETCH_TAKEN);
		} else {
			way = target;
			if (!p->has_target || p->target != target)
				supply_target(twin, i, 1 + twin->config.l1i_latency);
			else
				add_bubbles(twin, twin->config.inorder_taken_branch, FETCH_TAKEN);
		}
	}
	if (!has_way || way != i->next_pc) {
		checkpoint_take(&twin->checkpoints[i->number & (twin->slots - 1)], twin->cpu,
				&twin->undo);
		i->is_mispredicted = i->is_unresolved = true;
		twin->is_nowhere = !has_way;
		if (has_way)
			twin->cpu->hart.pc = way;
	}
	return has_way && way == behind;
}

/* The call that is measured has returned in what was fetched. */
static bool is_past_call(const struct twin *twin)
{
	return twin->call_is_fetched && !twin_on_wrong_path(twin);
}

/* The path takes a branch or jump while a call is measured: what follows its return is not
 * fetched. */
static void follow_call(struct twin *twin, const struct instruction *i)
{
	if (i->next_pc == twin->return_to) {
		if (!twin->calls_inside)
			twin->call_is_fetched = true;
		else
			twin->calls_inside--;
	}
	twin->calls_inside += i->pc == twin->call_site;
}

/* Fetches and executes the instruction at hart.pc. True if fetch can continue after it. */
static bool take_instruction(struct twin *twin, const struct insn insn)
{
	struct instruction *i = numbered(twin, twin->next);
	bool is_wrong = twin_on_wrong_path(twin), goes_on = true;
	struct step_access access;
	enum cpu_stop stop;

	describe(i, &insn, twin->next, twin->cpu->hart.pc);
	i->is_wrong = is_wrong;
	i->sp = twin->cpu->hart.r[REG_SP];
	i->stack_low = twin->process->current->stack_low;
	i->stack_high = twin->process->current->stack_high;
	i->tags = twin->line_tags;
	twin->line_tags = 0;
	if (is_wrong)
		stop = cpu_step_logged(twin->cpu, &insn, &twin->undo, &access);
	else
		stop = cpu_step_watched(twin->cpu, &insn, &access);
	if (stop != STOP_LIMIT) {
		uint64_t counted = twin->cpu->instructions;

		stop_fetching(twin, stop);
		/* A system call counts as an instruction only if it was made: not on a wrong
		 * path, and not if the thread will repeat it when it is woken. */
		if (stop != STOP_ECALL || is_wrong || twin->cpu->instructions < counted)
			return false;
		goes_on = false;
	}
	i->address = access.address;
	i->access_bytes = access.bytes;
	i->next_pc = twin->cpu->hart.pc;
	twin->next++;
	twin->cycle.fetched++;
	twin->cycle.useful_fetched += !is_wrong;
	if (i->control != CONTROL_NONE)
		goes_on = follow(twin, i, &insn);
	if (i->control != CONTROL_NONE && twin->call == CALL_MEASURED && !is_wrong)
		follow_call(twin, i);
	if (i->is_branch)
		twin_event_of_branch(twin, EVENT_BRANCH_FETCH, i);
	if (!is_wrong && stop == STOP_LIMIT &&
	    twin->cpu->instructions >= twin->process->slice_ends) {
		/* The end of a slice at a mispredicted branch is handled when the branch
		 * resolves. */
		if (!i->is_mispredicted)
			twin_end_slice(twin);
	}
	return goes_on && !twin->is_draining && !is_past_call(twin);
}

/* Counters are read in an empty core: in the cycle after fetch has found it so. */
static bool reads_counters(const struct twin *twin, const struct insn *insn)
{
	bool is_csr = insn_kinds[insn->op].unit == UNIT_CSR;

	return (is_csr && insn->imm >= 0xc00 && insn->imm <= 0xc1f) ||
	       (insn->op == OP_ECALL && syscall_reads_counters(twin->process));
}

/* Returns the reason why nothing was fetched, if nothing was. If there is no instruction at the
 * address, no line is accessed. */
static enum fetch_stall fetch_group(struct twin *twin)
{
	const struct config *c = &twin->config;
	uint64_t line = hierarchy_line_of(twin->memory, SIDE_INSTRUCTION, twin->cpu->hart.pc);

	/* In order, as many wait between fetch and issue as its stages hold. */
	unsigned width = is_inorder(twin) ? c->inorder_issue_width : c->fetch_width;
	unsigned most = is_inorder(twin) ? (1 + c->l1i_latency) * width : c->fetch_buffer;

	while (twin->cycle.fetched < width) {
		uint64_t pc = twin->cpu->hart.pc, fault;

		if (hierarchy_line_of(twin->memory, SIDE_INSTRUCTION, pc) != line)
			break;
		if (twin_count_in(twin, IN_BUFFER) +
			    (is_inorder(twin) ? twin_count_in(twin, IN_FRONT_END) : 0) >=
		    most)
			return FETCH_BUFFER;
		const struct insn *insn = code_at(twin->cpu->code, pc, &fault);
		if (!insn) {
			twin->cpu->fault_address = fault;
			stop_fetching(twin, STOP_FETCH_FAULT);
			break;
		}
		if (!twin->cycle.fetched && !line_is_here(twin, pc))
			return why_line_is_not_here(twin);
		uint64_t last_byte = pc + insn->bytes - 1;
		uint64_t last_line = hierarchy_line_of(twin->memory, SIDE_INSTRUCTION, last_byte);
		if (last_line != line && !line_is_here(twin, last_byte))
			return why_line_is_not_here(twin);
		if (!is_inorder(twin) && is_counted_branch(insn_kinds[insn->op].unit) &&
		    twin_branches_in_flight(twin) >= c->max_branches) {
			twin_hold_lines(twin, line, last_line);
			return FETCH_BRANCHES;
		}
		if (reads_counters(twin, insn) && !twin_on_wrong_path(twin)) {
			bool is_empty = !twin_in_flight(twin) && !twin->store_count;
			if (!is_empty || twin->found_empty_at + 1 != twin->now) {
				twin->found_empty_at = is_empty ? twin->now : NEVER - 1;
				twin_hold_lines(twin, line, last_line);
				return FETCH_SERIALISE;
			}
		}
		if (!take_instruction(twin, *insn))
			break;
	}
	return twin->is_draining ? FETCH_SERIALISE : FETCH_NOWHERE;
}

/* Fetches instructions again: as many as are in one line, next to each other, and have room. They
 * are not executed again, and new ones are not fetched in the same cycle. */
static enum fetch_stall fetch_group_again(struct twin *twin)
{
	uint64_t line = hierarchy_line_of(twin->memory, SIDE_INSTRUCTION, next_pc(twin)), behind;
	struct instruction *i;

	do {
		i = twin_oldest_in(twin, AGAIN);
		behind = i->pc + i->bytes;
		if (twin_count_in(twin, IN_BUFFER) >= twin->config.fetch_buffer)
			return FETCH_BUFFER;
		if (!twin->cycle.fetched && !line_is_here(twin, i->pc))
			return why_line_is_not_here(twin);
		if (hierarchy_line_of(twin->memory, SIDE_INSTRUCTION, behind - 1) != line &&
		    !line_is_here(twin, behind - 1))
			return why_line_is_not_here(twin);
		i->stage = IN_BUFFER;
		i->tags = twin->line_tags;
		twin->line_tags = 0;
		twin->cycle.fetched++;
		if (i->is_branch)
			twin_event_of_branch(twin, EVENT_BRANCH_FETCH, i);
	} while (twin_oldest_in(twin, AGAIN) && next_pc(twin) == behind &&
		 hierarchy_line_of(twin->memory, SIDE_INSTRUCTION, behind) == line &&
		 twin->cycle.fetched < twin->config.fetch_width);
	return FETCH_NONE;
}

void twin_forget_short(struct twin *twin)
{
	memset(twin->was_short, 0, sizeof(twin->was_short));
	twin->is_short = false;
}

bool twin_was_short(const struct twin *twin)
{
	uint64_t stages = twin->config.frontend_depth + twin->config.l1i_latency - 1;

	return twin->now >= stages && twin->was_short[(twin->now - stages) % SHORT_MOST];
}

/* The front end is short from a cycle in which the limit holds fetch, until so many branches have
 * been fetched as may be in flight, or fetch has nothing for another reason. */
static void note_short(struct twin *twin, bool is_held, bool is_stopped)
{
	unsigned fetched = 0;

	for (uint32_t i = 0; i < twin->cycle.event_count; i++)
		fetched += twin->events[i].kind == EVENT_BRANCH_FETCH;
	twin->branches_since = is_held ? 0 : twin->branches_since + fetched;
	if (is_held && !twin->is_short)
		twin_forget_short(twin);
	twin->is_short = is_held || (twin->is_short && !is_stopped && twin->cycle.fetched &&
				     twin->branches_since < twin->config.max_branches);
	twin->was_short[twin->now % SHORT_MOST] = twin->is_short;
}

void twin_fetch(struct twin *twin)
{
	bool again = twin_oldest_in(twin, AGAIN), is_held = false, is_stopped = false;
	struct cycle *cycle = &twin->cycle;
	uint64_t first = next_number(twin);

	cycle->wrong_path = next_is_wrong(twin);
	if (twin->is_draining && !twin->is_ended && !twin_in_flight(twin)) {
		twin->is_draining = false;
		twin->thread = process_enter_thread(twin->process);
	}
	if (again && twin->now < twin->line_here_at) {
		cycle->fetch_stall = (uint8_t)why_line_is_not_here(twin);
	} else if (again) {
		cycle->fetch_stall = (uint8_t)fetch_group_again(twin);
		if (cycle->fetched) {
			cycle->fetch_stall = FETCH_NONE;
			if (twin->now >= twin->line_here_at)
				twin_hold_lines(twin, NEVER, NEVER);
		}
	} else if (twin->is_ended) {
		cycle->fetch_stall = FETCH_DONE;
	} else if (is_past_call(twin)) {
		cycle->fetch_stall = FETCH_DONE;
		twin->has_returned = !twin_in_flight(twin);
	} else if (twin->is_draining) {
		cycle->fetch_stall = FETCH_SERIALISE;
	} else if (twin->is_nowhere) {
		cycle->fetch_stall = FETCH_NOWHERE;
	} else if (twin->misfetched != NO_INSTRUCTION && twin->now < twin->misfetch_until) {
		cycle->fetch_stall = FETCH_MISFETCH;
	} else if (is_inorder(twin) && twin->now < twin->bubble_until) {
		cycle->fetch_stall = (uint8_t)twin->bubble_reason;
	} else if (twin->now < twin->line_here_at) {
		cycle->fetch_stall = (uint8_t)why_line_is_not_here(twin);
	} else {
		twin->misfetched = NO_INSTRUCTION;
		cycle->fetch_stall = (uint8_t)fetch_group(twin);
		is_held = cycle->fetch_stall == FETCH_BRANCHES;
		is_stopped = twin->is_draining || twin->is_nowhere ||
			     cycle->fetch_stall == FETCH_SERIALISE ||
			     (cycle->fetch_stall >= FETCH_ITLB && cycle->fetch_stall <= FETCH_L3I);
		if (cycle->fetched) {
			cycle->fetch_stall = FETCH_NONE;
			if (twin->now >= twin->line_here_at)
				twin_hold_lines(twin, NEVER, NEVER);
		}
	}
	if (!again)
		note_short(twin, is_held, is_stopped);
	if (cycle->fetch_stall == FETCH_ITLB &&
	    twin->now + twin->line_walk_cycles >= twin->line_tlb_until)
		cycle->excess |= EXCESS_FETCH_WALK;
	if ((cycle->fetch_stall == FETCH_L1I || cycle->fetch_stall == FETCH_L2I ||
	     cycle->fetch_stall == FETCH_L3I) &&
	    twin->now + twin->line_queue_cycles >= twin->line_here_at)
		cycle->excess |= EXCESS_FETCH_BANDWIDTH;
	for (uint64_t n = first; n < first + cycle->fetched; n++) {
		twin_event_of_class(twin, EVENT_FETCH, numbered(twin, n), 0);
		twin->events[cycle->event_count - 1].again = again;
	}
	cycle->fetch_pc = next_pc(twin);
	twin->counters.fetched += cycle->fetched;
	twin->counters.wrong_fetched += (uint64_t)(cycle->fetched - cycle->useful_fetched);
}

/*
 * Feed: decode takes decode.width per cycle from the buffer, including those fetched in this
 * cycle, while the front end's stages have room. They can dispatch frontend.depth cycles later,
 * plus the latency of a hit in the instruction cache beyond one. Decode sees a misfetched branch
 * in the next cycle and redirects fetch in the one after.
 */
void twin_feed(struct twin *twin)
{
	const struct config *c = &twin->config;
	struct instruction *i;

	twin->cycle.buffer_used = (uint16_t)twin_count_in(twin, IN_BUFFER);
	while (twin->cycle.fed < c->decode_width &&
	       twin_count_in(twin, IN_FRONT_END) <
		       (c->frontend_depth + c->l1i_latency - 1) * c->decode_width &&
	       (i = twin_oldest_in(twin, IN_BUFFER))) {
		i->stage = IN_FRONT_END;
		i->may_dispatch_at = twin->now + c->frontend_depth + c->l1i_latency - 1;
		if (i->number == twin->misfetched)
			twin->misfetch_until = twin->now + 2;
		twin->cycle.fed++;
	}
}
