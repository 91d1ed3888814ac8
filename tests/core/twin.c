#include "twin_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/branch_kind.h"

struct twin *twin_create(const struct config *config, struct process *process,
			 struct hierarchy *hierarchy, struct predictor *predictor, uint32_t slots)
{
	struct twin *twin = mem_alloc(sizeof(*twin));

	twin->config = *config;
	twin->config.ideal_branch |= config->predictor_kind == PREDICTOR_PERFECT;
	if (config->ideal_store)
		twin->config.store_buffer = UNLIMITED;
	if (config->ideal_ports || config->ideal_int_alu)
		twin->config.int_alu_count = UNITS_MAX;
	if (config->ideal_ports || config->ideal_int_muldiv)
		twin->config.int_muldiv_count = UNITS_MAX;
	if (config->ideal_ports || config->ideal_memory_ports)
		twin->config.memory_ports = UNITS_MAX;
	if (config->ideal_ports || config->ideal_fp_add)
		twin->config.fp_add_count = UNITS_MAX;
	if (config->ideal_ports || config->ideal_fp_muldiv)
		twin->config.fp_muldiv_count = UNITS_MAX;
	if (config->ideal_queues) {
		twin->config.issue_queue_size = config->rob_size;
		twin->config.issue_queue_int = config->rob_size;
		twin->config.issue_queue_memory = config->rob_size;
		twin->config.issue_queue_fp = config->rob_size;
		twin->config.lsq_size = config->rob_size;
	}
	if (config->ideal_max_branches)
		twin->config.max_branches = UNLIMITED;
	twin->process = process;
	twin->cpu = &process->cpu;
	twin->memory = hierarchy;
	twin->predictor = predictor;
	BUG_ON(slots & (slots - 1));
	twin->slots = slots;
	twin->instructions = mem_alloc_array(slots, sizeof(*twin->instructions));
	twin->checkpoints = mem_alloc_array(slots, sizeof(*twin->checkpoints));
	twin->stores = mem_alloc_array(STORE_BUFFER_ENTRIES, sizeof(*twin->stores));
	twin->oldest = twin->next = NO_INSTRUCTION + 1;
	twin->thread = (uint32_t)process->current->tid;
	twin->lines_held[0] = twin->lines_held[1] = NEVER;
	hierarchy_keep_log(hierarchy, true);
	twin_sets_init(twin);
	undo_init(&twin->undo);
	twin->undo.ignores_faults =
		is_inorder(twin) || config->wrong_path_unmapped == UNMAPPED_ZERO;
	return twin;
}

void twin_destroy(struct twin *twin)
{
	if (!twin)
		return;
	undo_release(&twin->undo);
	twin_sets_release(twin);
	free(twin->instructions);
	free(twin->checkpoints);
	free(twin->stores);
	free(twin);
}

static void begin_call(struct twin *twin, enum twin_call call, uint64_t site, uint64_t return_to)
{
	twin->call = call;
	twin->call_site = site;
	twin->return_to = return_to;
	twin->calls_inside = 0;
	twin->call_is_fetched = twin->has_returned = false;
}

/* Nothing that fetch waited for is of use where the process is now. */
void twin_measure_call(struct twin *twin, uint64_t site, uint64_t return_to)
{
	BUG_ON(twin_in_flight(twin));
	begin_call(twin, CALL_MEASURED, site, return_to);
	twin->is_draining = twin->is_nowhere = false;
	twin->thread = (uint32_t)twin->process->current->tid;
	twin->line_here_at = twin->bubble_until = 0;
	twin->line_tags = 0;
	twin->misfetched = NO_INSTRUCTION;
	twin_hold_lines(twin, NEVER, NEVER);
}

void twin_end_at_return(struct twin *twin, uint64_t site, uint64_t return_to)
{
	begin_call(twin, CALL_LAST, site, return_to);
}

bool twin_has_returned(const struct twin *twin)
{
	return twin->has_returned;
}

bool twin_ends_before(struct twin *twin, const struct instruction *i)
{
	if (twin->call == CALL_LAST && i->pc == twin->return_to && !twin->calls_inside)
		twin->has_returned = true;
	return twin->has_returned;
}

void twin_note_call(struct twin *twin, const struct instruction *i)
{
	if (twin->call != CALL_LAST)
		return;
	twin->calls_inside -= i->pc == twin->return_to;
	twin->calls_inside += i->pc == twin->call_site;
}

const struct twin_counters *twin_count(const struct twin *twin)
{
	return &twin->counters;
}

static bool in_window(const struct instruction *i)
{
	return i->stage == WAITING || i->stage == ISSUED;
}

unsigned twin_count_in(const struct twin *twin, enum stage stage)
{
	unsigned count = 0;

	for (uint64_t n = twin->oldest; n < twin->next; n++)
		count += numbered(twin, n)->stage == stage;
	return count;
}

static unsigned window_used(const struct twin *twin)
{
	return twin_count_in(twin, WAITING) + twin_count_in(twin, ISSUED);
}

static bool uses_lsq(const struct instruction *i)
{
	return i->is_load || i->is_store;
}

static unsigned lsq_used(const struct twin *twin)
{
	unsigned count = 0;

	for (uint64_t n = twin->oldest; n < twin->next; n++)
		count += in_window(numbered(twin, n)) && uses_lsq(numbered(twin, n));
	return count;
}

unsigned twin_branches_in_flight(const struct twin *twin)
{
	unsigned count = 0;

	for (uint64_t n = twin->oldest; n < twin->next; n++)
		count += numbered(twin, n)->is_branch;
	return count;
}

/* Whether the next instruction fetched is on a wrong path. */
bool twin_on_wrong_path(const struct twin *twin)
{
	for (uint64_t n = twin->oldest; n < twin->next; n++)
		if (numbered(twin, n)->is_unresolved)
			return true;
	return false;
}

struct instruction *twin_oldest_in(const struct twin *twin, enum stage stage)
{
	for (uint64_t n = twin->oldest; n < twin->next; n++)
		if (numbered(twin, n)->stage == stage)
			return numbered(twin, n);
	return NULL;
}

uint64_t twin_in_flight(const struct twin *twin)
{
	return twin->next - twin->oldest;
}

uint64_t twin_to_fetch_again(const struct twin *twin)
{
	return twin_count_in(twin, AGAIN);
}

uint64_t twin_useful_in_flight(const struct twin *twin)
{
	uint64_t count = 0;

	for (uint64_t n = twin->oldest; n < twin->next; n++)
		count += !numbered(twin, n)->is_wrong;
	return count;
}

void twin_event(struct twin *twin, enum cycle_event_kind kind, unsigned detail, bool is_wrong,
		uint64_t number, uint64_t pc)
{
	BUG_ON(twin->cycle.event_count == EVENTS_MOST);
	twin->cycle.event_kinds |= EVENT_BIT(kind);
	twin->events[twin->cycle.event_count++] =
		(struct cycle_event){.kind = (uint8_t)kind,
				     .wrong_path = is_wrong,
				     .detail = (uint16_t)detail,
				     .slot = (uint32_t)(number & (twin->slots - 1)),
				     .pc = pc};
}

void twin_event_of_miss(struct twin *twin, enum cycle_event_kind kind, unsigned detail,
			bool is_wrong, uint64_t number, uint64_t pc,
			const struct access_result *result)
{
	twin_event(twin, kind, detail, is_wrong, number, pc);
	twin->events[twin->cycle.event_count - 1].amount = (uint32_t)result->queue_cycles;
}

void twin_event_access(struct twin *twin, enum cycle_event_kind kind, bool is_wrong,
		       uint64_t number, uint64_t pc)
{
	for (size_t k = 0; k < twin->memory->log_count; k++) {
		twin_event(twin, kind, twin->memory->log[k].event, is_wrong, number, pc);
		twin->events[twin->cycle.event_count - 1].amount = twin->memory->log[k].amount;
	}
}

uint64_t twin_near(const struct twin *twin, const struct access_result *result)
{
	return result->miss_until[twin->config.cache_levels == 3];
}

static enum insn_class class_of(const struct instruction *i)
{
	switch (i->control) {
	case CONTROL_CONDITIONAL: return CLASS_CONDITIONAL;
	case CONTROL_JUMP: return CLASS_JUMP;
	case CONTROL_CALL: return CLASS_CALL;
	case CONTROL_INDIRECT: return CLASS_INDIRECT;
	case CONTROL_INDIRECT_CALL: return CLASS_INDIRECT_CALL;
	case CONTROL_RETURN: return CLASS_RETURN;
	default: break;
	}
	switch ((enum unit)i->unit) {
	case UNIT_MUL: return CLASS_MULTIPLY;
	case UNIT_DIV: return CLASS_DIVIDE;
	case UNIT_LOAD: return CLASS_LOAD;
	case UNIT_STORE: return CLASS_STORE;
	case UNIT_AMO: return CLASS_ATOMIC;
	case UNIT_FP_ADD: return CLASS_FP_ADD;
	case UNIT_FP_MUL: return CLASS_FP_MULTIPLY;
	case UNIT_FP_DIV: return CLASS_FP_DIVIDE;
	case UNIT_FENCE: return CLASS_FENCE;
	case UNIT_CSR: return CLASS_CSR;
	case UNIT_SYSTEM: return CLASS_SYSTEM;
	default: return CLASS_INTEGER;
	}
}

void twin_event_of_class(struct twin *twin, enum cycle_event_kind kind, const struct instruction *i,
			 unsigned detail)
{
	twin_event_of(twin, kind, i, detail);
	twin->events[twin->cycle.event_count - 1].insn_class = (uint8_t)class_of(i);
}

void twin_event_of(struct twin *twin, enum cycle_event_kind kind, const struct instruction *i,
		   unsigned detail)
{
	twin_event(twin, kind, detail, i->is_wrong, i->number, i->pc);
	twin->events[twin->cycle.event_count - 1].mispredicted = i->is_mispredicted;
}

void twin_event_of_branch(struct twin *twin, enum cycle_event_kind kind,
			  const struct instruction *i)
{
	twin_event_of(twin, kind, i, 0);
	twin->events[twin->cycle.event_count - 1].mispredicted = i->is_unresolved;
}

/* A level is missed if the line is neither there nor on its way to it, and if the access takes as
 * long as a miss; an ideal switch hides the miss. */
unsigned twin_misses(const struct twin *twin, const struct access_result *result)
{
	unsigned misses = 0;

	if (result->tlb_miss && result->tlb_done_at > twin->now)
		misses |= FETCH_MISS_TLB;
	for (unsigned level = 1; level <= twin->config.cache_levels; level++)
		if (result->tag_level >= level && result->level >= level)
			misses |= FETCH_MISS_TLB << level;
	return misses;
}

void twin_hold_lines(struct twin *twin, uint64_t line, uint64_t other)
{
	twin->lines_held[0] = line;
	twin->lines_held[1] = other;
}

/*
 * Resolve: the oldest mispredicted branch that has finished executing squashes everything younger
 * and restores the hart, memory and the predictor's history. Fetch restarts in this cycle after
 * the branch. As it is the oldest, no other can resolve after it in the same cycle.
 */

void twin_end_slice(struct twin *twin)
{
	const struct thread *before = twin->process->current;
	uint64_t pc = twin->cpu->hart.pc;

	process_handle(twin->process, STOP_LIMIT);
	if (twin->process->current != before) {
		twin->counters.thread_switches++;
		twin_event(twin, EVENT_THREAD_SWITCH, 0, false, twin->next, pc);
	}
	/* Another thread, or a signal handler, starts with an empty core. */
	if (twin->process->current != before || twin->cpu->hart.pc != pc)
		twin->is_draining = true;
	if (twin->process->state != PROCESS_RUNNING)
		twin->is_draining = twin->is_ended = true;
}

/* The line is still filled. */
void twin_abandon_fetch(struct twin *twin)
{
	twin->line_here_at = 0;
	twin->line_tags = 0;
	twin_hold_lines(twin, NEVER, NEVER);
	twin_forget_short(twin);
}

void twin_take_back_after(struct twin *twin, struct instruction *branch)
{
	for (uint64_t n = branch->number + 1; n < twin->next; n++) {
		if (numbered(twin, n)->stage == AGAIN)
			break;
		twin_event_of_class(twin, EVENT_SQUASH, numbered(twin, n), 0);
		twin->cycle.squashed++;
		twin->counters.squashed++;
		if (in_window(numbered(twin, n)))
			twin_sets_leave(twin, numbered(twin, n));
	}
	twin->next = branch->number + 1;
	checkpoint_restore(&twin->checkpoints[branch->number & (twin->slots - 1)], twin->cpu,
			   &twin->undo);
	if (branch->is_predicted)
		predictor_recover(twin->predictor, branch_kind_of(branch->control), branch->pc,
				  branch->bytes, branch->is_taken, branch->next_pc,
				  &branch->prediction);
	branch->is_unresolved = false;
	twin_abandon_fetch(twin);
	twin->misfetched = NO_INSTRUCTION;
	twin->is_nowhere = false;
}

static void resolve(struct twin *twin)
{
	for (uint64_t n = twin->oldest; n < twin->next; n++) {
		struct instruction *i = numbered(twin, n);

		if (!i->is_unresolved || i->stage != ISSUED || i->complete_at > twin->now)
			continue;
		twin_take_back_after(twin, i);
		twin_event_of(twin, EVENT_MISPREDICT, i, 0);
		/* The end of a slice at this branch was not handled at fetch. */
		if (!twin_on_wrong_path(twin) &&
		    twin->cpu->instructions >= twin->process->slice_ends)
			twin_end_slice(twin);
		return;
	}
}

/*
 * The store buffer: committed stores are written in order, any number in a cycle, until one finds
 * no MSHR: it and the later ones wait. A store that spans two lines makes two accesses, both of
 * which are repeated if the second was refused. Entries become free in order, when their write is
 * done.
 */

static void note_store_miss(struct twin *twin, const struct committed_store *store,
			    const struct access_result *result)
{
	unsigned misses = twin_misses(twin, result);

	if (misses)
		twin_event_of_miss(twin, EVENT_STORE_MISS, misses * DATA_MISS_TLB, false, 0,
				   store->pc, result);
}

static void finish_store(const struct twin *twin, struct committed_store *store,
			 const struct access_result *result)
{
	store->done_at = result->done_at;
	store->tlb_done_at = result->tlb_done_at;
	store->near_done_at = twin_near(twin, result);
	store->level = result->level;
}

static bool write_store(struct twin *twin, struct committed_store *store)
{
	uint64_t last_byte = store->address + store->bytes - 1;
	struct access_result first, second;

	twin_access(twin, ACCESS_STORE, store->pc, store->pc, store->address, &first);
	twin_event_access(twin, EVENT_STORE_ACCESS, false, 0, store->pc);
	if (first.blocked) {
		twin->stores_retry_at = first.retry_at;
		return false;
	}
	finish_store(twin, store, &first);
	note_store_miss(twin, store, &first);
	if (hierarchy_line_of(twin->memory, SIDE_DATA, last_byte) !=
	    hierarchy_line_of(twin->memory, SIDE_DATA, store->address)) {
		twin_access(twin, ACCESS_STORE, store->pc, store->pc, last_byte, &second);
		twin_event_access(twin, EVENT_STORE_ACCESS, false, 0, store->pc);
		if (second.blocked) {
			twin->stores_retry_at = second.retry_at;
			return false;
		}
		note_store_miss(twin, store, &second);
		if (second.done_at > store->done_at)
			finish_store(twin, store, &second);
	}
	store->is_written = true;
	return true;
}

static void drain_store_buffer(struct twin *twin)
{
	unsigned done = 0;

	while (done < twin->store_count && twin->stores[done].is_written &&
	       twin->stores[done].done_at <= twin->now)
		done++;
	twin->store_count -= done;
	memmove(twin->stores, twin->stores + done, twin->store_count * sizeof(*twin->stores));
	for (unsigned s = 0; s < twin->store_count; s++) {
		if (twin->stores[s].is_written)
			continue;
		if (twin->now < twin->stores_retry_at || !write_store(twin, &twin->stores[s]))
			return;
	}
}

static bool store_buffer_has_room(const struct twin *twin)
{
	return twin->store_count < twin->config.store_buffer &&
	       twin->store_count < STORE_BUFFER_ENTRIES;
}

/*
 * Commit: complete instructions in order, commit.width per cycle. A store, and an atomic that
 * accessed memory, needs an entry of the store buffer. The record has the state of the oldest
 * instruction that remains.
 */

/* The phase of an access to the data caches. */
static enum head_state phase_of(const struct twin *twin, uint64_t tlb_done_at,
				uint64_t near_done_at, enum memory_level level)
{
	if (twin->now < tlb_done_at)
		return HEAD_DTLB;
	if (level == LEVEL_L1)
		return HEAD_EXECUTES;
	if (twin->config.cache_levels == 1)
		return HEAD_L1D;
	if (twin->config.cache_levels == 2)
		return twin->now < near_done_at ? HEAD_L1D : HEAD_L2D;
	if (twin->now >= near_done_at)
		return HEAD_L3D;
	return twin->now < tlb_done_at + twin->config.l1d_latency + twin->config.l2_latency
		       ? HEAD_L1D
		       : HEAD_L2D;
}

static enum head_state why_incomplete(const struct twin *twin, const struct instruction *i)
{
	if (i->stage == WAITING)
		return i->has_no_mshr ? HEAD_MSHR : HEAD_WAITS;
	if (i->is_load)
		return phase_of(twin, i->tlb_done_at, i->near_done_at, i->level);
	switch ((enum unit)i->unit) {
	case UNIT_MUL:
	case UNIT_DIV:
	case UNIT_FP_ADD:
	case UNIT_FP_MUL:
	case UNIT_FP_DIV:
	case UNIT_FENCE:
	case UNIT_CSR:
	case UNIT_SYSTEM: return HEAD_UNIT;
	default: return i->complete_at > twin->now + 1 ? HEAD_UNIT : HEAD_EXECUTES;
	}
}

static enum head_late kind_of_unit(const struct instruction *i)
{
	switch ((enum unit)i->unit) {
	case UNIT_LOAD:
	case UNIT_STORE:
	case UNIT_AMO: return LATE_MEMORY;
	case UNIT_MUL:
	case UNIT_DIV: return LATE_INT_MULDIV;
	case UNIT_FP_ADD: return LATE_FP_ADD;
	case UNIT_FP_MUL:
	case UNIT_FP_DIV: return LATE_FP_MULDIV;
	default: return LATE_INT_ALU;
	}
}

/* The number of cycles, up to the last one, in which it was ready and all units of its kind were
 * taken. A load that had to wait for something else did not wait for a port. */
static uint64_t waited_for_unit(const struct twin *twin, const struct instruction *i)
{
	uint64_t taken = twin->taken_cycles[kind_of_unit(i)];

	if (i->was_refused || !i->ready_from || i->ready_from >= twin->now)
		return 0;
	return taken < twin->now - i->ready_from ? taken : twin->now - i->ready_from;
}

/* An instruction is late if it would be complete, had nothing held it up. */
static enum head_late why_late(const struct twin *twin, const struct instruction *i)
{
	if (i->stage == WAITING)
		return waited_for_unit(twin, i) ? kind_of_unit(i) : LATE_NONE;
	return twin->now >= i->late_from ? i->late : LATE_NONE;
}

/* Entries of the store buffer become free in order, so that its oldest store decides. */
static enum head_late why_buffer_is_full(const struct twin *twin)
{
	const struct committed_store *store = &twin->stores[0];

	if (!store->is_written)
		return twin->now < twin->stores_retry_at ? LATE_STORE_MSHR : LATE_NONE;
	switch (phase_of(twin, store->tlb_done_at, store->near_done_at, store->level)) {
	case HEAD_DTLB: return LATE_STORE_DTLB;
	case HEAD_L1D: return LATE_STORE_L1D;
	case HEAD_L2D: return LATE_STORE_L2D;
	case HEAD_L3D: return LATE_STORE_L3D;
	default: return LATE_NONE;
	}
}

void twin_commit_control(struct twin *twin, struct instruction *i)
{
	struct twin_counters *n = &twin->counters;

	if (i->is_predicted)
		predictor_update(twin->predictor, branch_kind_of(i->control), i->pc, i->bytes,
				 i->is_taken, i->next_pc, &i->prediction);
	n->branches += i->is_branch;
	n->mispredictions += i->is_mispredicted;
	switch (i->control) {
	case CONTROL_CONDITIONAL:
		n->conditional++;
		n->conditional_mispredictions += i->is_mispredicted;
		break;
	case CONTROL_RETURN: n->return_mispredictions += i->is_mispredicted; break;
	case CONTROL_INDIRECT:
	case CONTROL_INDIRECT_CALL: n->indirect_mispredictions += i->is_mispredicted; break;
	default: break;
	}
}

/* What makes the wait of the oldest instruction longer than it would be. */
static unsigned why_longer(const struct twin *twin, const struct instruction *i, unsigned state)
{
	if (state == HEAD_DTLB && twin->now + i->walk_cycles >= i->tlb_done_at)
		return EXCESS_HEAD_WALK;
	if (state >= HEAD_L1D && state <= HEAD_L3D && twin->now + i->queue_cycles >= i->complete_at)
		return EXCESS_HEAD_BANDWIDTH;
	return 0;
}

static void commit(struct twin *twin)
{
	struct cycle *cycle = &twin->cycle;

	cycle->head_state = HEAD_EMPTY;
	if (!window_used(twin) && twin->oldest < twin->next &&
	    numbered(twin, twin->oldest)->stage != AGAIN) {
		cycle->is_fronted = true;
		cycle->front_waits = numbered(twin, twin->oldest)->tags & FETCH_WAITS;
	}
	while (twin->oldest < twin->next && in_window(numbered(twin, twin->oldest))) {
		struct instruction *i = numbered(twin, twin->oldest);
		bool writes = i->is_store || (i->is_atomic_write && i->access_bytes);

		cycle->head_pc = i->pc;
		if (i->complete_at > twin->now) {
			cycle->head_state = (uint8_t)why_incomplete(twin, i);
			cycle->excess = (uint16_t)why_longer(twin, i, cycle->head_state);
			cycle->head_late = (uint8_t)why_late(twin, i);
			return;
		}
		if (cycle->committed < twin->config.commit_width && twin_ends_before(twin, i)) {
			cycle->head_state = HEAD_DONE;
			return;
		}
		if (writes && !store_buffer_has_room(twin)) {
			cycle->head_state = HEAD_STORE;
			cycle->head_late = (uint8_t)why_buffer_is_full(twin);
			return;
		}
		if (cycle->committed == twin->config.commit_width) {
			cycle->head_state = HEAD_DONE;
			return;
		}
		BUG_ON(i->is_wrong || i->is_unresolved);
		if (writes)
			twin->stores[twin->store_count++] = (struct committed_store){
				.pc = i->pc, .address = i->address, .bytes = i->access_bytes};
		twin_commit_control(twin, i);
		twin->counters.loads += i->is_load;
		twin->counters.stores += writes;
		twin->counters.serialised += i->is_serialising;
		twin_event_of_class(
			twin, i->tags || i->is_branch ? EVENT_COMMIT : EVENT_COMMIT_PLAIN, i,
			i->tags | (i->is_branch ? COMMIT_BRANCH : 0) |
				(i->is_mispredicted ? COMMIT_MISPREDICTED : 0) |
				(i->is_taken ? COMMIT_TAKEN : 0) | (writes ? COMMIT_WRITES : 0));
		twin_note_call(twin, i);
		twin->oldest++;
		cycle->committed++;
		twin->counters.committed++;
	}
}

/*
 * Issue: oldest first, issue.width per cycle: instructions whose sources are available and that
 * find a free unit. An instruction that finds none, or a load that must wait, does not hold up
 * younger ones. Dispatch is later in a cycle, so nothing issues in the cycle in which it enters
 * the window.
 */

/* The cycle in which a source is available: 0 if no instruction in flight produces it. */
static uint64_t value_at(const struct twin *twin, uint64_t producer)
{
	return producer < twin->oldest ? 0 : numbered(twin, producer)->complete_at;
}

/* A store issues when its address operand is available; its value, source 1, may be later. */
static bool has_sources(const struct twin *twin, const struct instruction *i)
{
	for (unsigned s = 0; s < 3; s++)
		if (!(i->is_store && s == 1) && value_at(twin, i->producers[s]) > twin->now)
			return false;
	return true;
}

bool twin_overlap(uint64_t a, unsigned a_bytes, uint64_t b, unsigned b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

static bool covers(uint64_t outer, unsigned outer_bytes, uint64_t inner, unsigned inner_bytes)
{
	return outer <= inner && inner + inner_bytes <= outer + outer_bytes;
}

/* A store's address is known the cycle after it issued. */
bool twin_has_address(const struct twin *twin, const struct instruction *store)
{
	return store->stage == ISSUED && store->issued_at < twin->now;
}

static bool has_older_unknown_store(const struct twin *twin, const struct instruction *load)
{
	for (uint64_t n = twin->oldest; n < load->number; n++)
		if (numbered(twin, n)->is_store && !twin_has_address(twin, numbered(twin, n)))
			return true;
	return false;
}

static const struct instruction *youngest_older_store(const struct twin *twin,
						      const struct instruction *load)
{
	for (uint64_t n = load->number; n-- > twin->oldest;) {
		const struct instruction *i = numbered(twin, n);

		if (i->is_store && (!twin->has_sets || twin_has_address(twin, i)) &&
		    twin_overlap(i->address, i->access_bytes, load->address, load->access_bytes))
			return i;
	}
	return NULL;
}

/* Searches the committed stores that are not written yet. */
static const struct committed_store *youngest_committed_store(const struct twin *twin,
							      const struct instruction *load)
{
	for (unsigned s = twin->store_count; s-- > 0;) {
		const struct committed_store *store = &twin->stores[s];

		if ((!store->is_written || store->done_at > twin->now) &&
		    twin_overlap(store->address, store->bytes, load->address, load->access_bytes))
			return store;
	}
	return NULL;
}

static void note_load_miss(struct twin *twin, struct instruction *i,
			   const struct access_result *result)
{
	unsigned misses = result->blocked ? 0 : twin_misses(twin, result) * DATA_MISS_TLB;

	i->tags |= misses;
	if (misses)
		twin_event_of_miss(twin, EVENT_LOAD_MISS, misses, i->is_wrong, i->number, i->pc,
				   result);
}

/* A load that spans two lines makes two accesses in the same cycle; it waits for the later one.
 * If either finds no MSHR, both are repeated when one is free. */
static bool load_from_cache(struct twin *twin, struct instruction *i)
{
	uint64_t last_byte = i->address + i->access_bytes - 1;
	struct access_result result, second;

	twin_access(twin, ACCESS_LOAD, i->pc, i->pc, i->address, &result);
	twin_event_access(twin, EVENT_LOAD_ACCESS, i->is_wrong, i->number, i->pc);
	note_load_miss(twin, i, &result);
	if (!result.blocked && hierarchy_line_of(twin->memory, SIDE_DATA, last_byte) !=
				       hierarchy_line_of(twin->memory, SIDE_DATA, i->address)) {
		twin_access(twin, ACCESS_LOAD, i->pc, i->pc, last_byte, &second);
		twin_event_access(twin, EVENT_LOAD_ACCESS, i->is_wrong, i->number, i->pc);
		note_load_miss(twin, i, &second);
		if (second.blocked || second.done_at > result.done_at)
			result = second;
	}
	if (result.blocked) {
		i->may_issue_at = result.retry_at;
		i->has_no_mshr = true;
		return false;
	}
	i->complete_at = result.done_at;
	i->tlb_done_at = result.tlb_done_at;
	i->near_done_at = twin_near(twin, &result);
	i->walk_cycles = result.walk_cycles;
	i->queue_cycles = result.queue_cycles;
	i->level = result.level;
	return true;
}

static bool forward(struct twin *twin, struct instruction *load)
{
	load->complete_at = twin->now + twin->config.l1d_latency;
	twin->counters.forwarded++;
	twin_event_of(twin, EVENT_FORWARD, load, 0);
	return true;
}

/* A load waits for the addresses of all older stores (unless disambiguation is perfect). Then the
 * youngest older store that it overlaps decides, in the window or, if there is none, in the store
 * buffer: if the store covers the load, its value is forwarded once it is available; if not, the
 * load waits until the store is written. Without such a store it accesses the cache. */
static bool start_load(struct twin *twin, struct instruction *i)
{
	const struct instruction *store;
	const struct committed_store *committed;

	i->tlb_done_at = twin->now;
	i->level = LEVEL_L1;
	i->has_no_mshr = false;
	i->read_from = NO_INSTRUCTION;
	if (!i->access_bytes) { /* a store-conditional that failed */
		i->complete_at = twin->now + twin->config.l1d_latency;
		return true;
	}
	if (twin->config.disambiguation == DISAMBIGUATION_CONSERVATIVE &&
	    has_older_unknown_store(twin, i))
		return false;
	if (twin->has_sets && twin_sets_hold(twin, i))
		return false;
	store = youngest_older_store(twin, i);
	if (store) {
		i->read_from = store->number;
		if (twin->config.ideal_forwarding)
			return forward(twin, i);
		return covers(store->address, store->access_bytes, i->address, i->access_bytes) &&
		       store->complete_at <= twin->now && forward(twin, i);
	}
	committed = youngest_committed_store(twin, i);
	if (committed)
		return (covers(committed->address, committed->bytes, i->address, i->access_bytes) ||
			twin->config.ideal_forwarding) &&
		       forward(twin, i);
	return load_from_cache(twin, i);
}

struct free_units {
	unsigned alu, memory_ports, fp_add;
};

static bool take(unsigned *units)
{
	if (!*units)
		return false;
	--*units;
	return true;
}

/* Multiplications share units with divisions, which are not pipelined. */
static bool take_muldiv(const struct twin *twin, uint64_t *free_at, unsigned count,
			unsigned busy_cycles)
{
	for (unsigned u = 0; u < count; u++)
		if (free_at[u] <= twin->now) {
			free_at[u] = twin->now + busy_cycles;
			return true;
		}
	return false;
}

static unsigned full_latency(const struct twin *twin, unsigned unit)
{
	const struct config *c = &twin->config;

	if (c->ideal_units)
		return 1;
	switch ((enum unit)unit) {
	case UNIT_MUL: return c->int_mul_latency;
	case UNIT_DIV: return c->int_div_latency;
	case UNIT_FP_ADD: return c->fp_add_latency;
	case UNIT_FP_MUL: return c->fp_mul_latency;
	case UNIT_FP_DIV: return c->fp_div_latency;
	default: return c->int_alu_latency;
	}
}

unsigned twin_latency_of(const struct twin *twin, const struct instruction *i)
{
	unsigned full = full_latency(twin, i->unit);
	unsigned left = (full * twin_percent(twin, i->pc, IDEAL_AT_LATENCY) + 50) / 100;

	return left ? left : 1;
}

/* True if the instruction found what it needs and has started. */
static bool start(struct twin *twin, struct instruction *i, struct free_units *units)
{
	const struct config *c = &twin->config;
	unsigned latency = twin_latency_of(twin, i);
	const bool is_pipelined = c->ideal_ports || (i->unit == UNIT_DIV && c->ideal_int_muldiv) ||
				  (i->unit == UNIT_FP_DIV && c->ideal_fp_muldiv);
	unsigned division_cycles = is_pipelined ? 1 : latency; /* that the unit is taken */
	bool found;

	switch ((enum unit)i->unit) {
	case UNIT_LOAD:
	case UNIT_AMO:
		/* A load that has to wait does not use a port. */
		if (!units->memory_ports)
			return false;
		i->was_refused |= !start_load(twin, i);
		return i->complete_at != NEVER && take(&units->memory_ports);
	case UNIT_STORE:
		return !(twin->has_sets && twin_sets_hold(twin, i)) && take(&units->memory_ports);
	case UNIT_MUL:
		found = take_muldiv(twin, twin->int_muldiv_free_at, c->int_muldiv_count, 1);
		break;
	case UNIT_DIV:
		found = take_muldiv(twin, twin->int_muldiv_free_at, c->int_muldiv_count,
				    division_cycles);
		break;
	case UNIT_FP_ADD: found = take(&units->fp_add); break;
	case UNIT_FP_MUL:
		found = take_muldiv(twin, twin->fp_muldiv_free_at, c->fp_muldiv_count, 1);
		break;
	case UNIT_FP_DIV:
		found = take_muldiv(twin, twin->fp_muldiv_free_at, c->fp_muldiv_count,
				    division_cycles);
		break;
	default: found = take(&units->alu); break;
	}
	if (found)
		i->complete_at = twin->now + latency;
	return found;
}

/* A store is complete when its address, known the cycle after it issued, and its value are
 * available. */
static void complete_stores(struct twin *twin)
{
	for (uint64_t n = twin->oldest; n < twin->next; n++) {
		struct instruction *i = numbered(twin, n);

		if (!i->is_store || i->stage != ISSUED || i->complete_at != NEVER)
			continue;
		uint64_t value = value_at(twin, i->producers[1]);
		if (value == NEVER)
			continue;
		i->complete_at = value > i->issued_at + 1 ? value : i->issued_at + 1;
	}
}

static bool all_taken(const struct twin *twin, const uint64_t *free_at, unsigned count)
{
	for (unsigned u = 0; u < count; u++)
		if (free_at[u] <= twin->now)
			return false;
	return true;
}

static void count_taken(struct twin *twin, const struct free_units *units)
{
	const struct config *c = &twin->config;
	const bool taken[LATE_FP_MULDIV + 1] = {
		[LATE_INT_ALU] = !units->alu,
		[LATE_INT_MULDIV] = all_taken(twin, twin->int_muldiv_free_at, c->int_muldiv_count),
		[LATE_MEMORY] = !units->memory_ports,
		[LATE_FP_ADD] = !units->fp_add,
		[LATE_FP_MULDIV] = all_taken(twin, twin->fp_muldiv_free_at, c->fp_muldiv_count),
	};

	for (unsigned kind = LATE_INT_ALU; kind <= LATE_FP_MULDIV; kind++)
		twin->taken_cycles[kind] = taken[kind] ? twin->taken_cycles[kind] + 1 : 0;
}

/* Stores are complete when address and value are there, whenever they issued. */
static void note_late(struct instruction *i, uint64_t waited)
{
	i->late = LATE_NONE;
	if (i->held_cycles) {
		i->late = LATE_WAIT;
		i->late_from = i->complete_at - i->held_cycles;
	} else if (waited && !i->is_store) {
		i->late = kind_of_unit(i);
		i->late_from = i->complete_at - waited;
	}
}

static void issue(struct twin *twin)
{
	const struct config *c = &twin->config;
	struct free_units units = {c->int_alu_count, c->memory_ports, c->fp_add_count};
	struct cycle *cycle = &twin->cycle;

	for (uint64_t n = twin->oldest; n < twin->next; n++) {
		struct instruction *i = numbered(twin, n);

		if (i->stage == WAITING && !i->ready_from && has_sources(twin, i))
			i->ready_from = twin->now;
	}
	for (uint64_t n = twin->oldest; n < twin->next && cycle->issued < c->issue_width; n++) {
		struct instruction *i = numbered(twin, n);
		uint64_t waited = waited_for_unit(twin, i);

		if (i->stage != WAITING || twin->now < i->may_issue_at || !has_sources(twin, i) ||
		    !start(twin, i, &units))
			continue;
		i->stage = ISSUED;
		i->issued_at = twin->now;
		cycle->issued++;
		cycle->useful_issued += !i->is_wrong && !i->was_issued;
		twin_event_of_class(twin, EVENT_ISSUE, i, 0);
		if (!i->is_store && i->complete_at != NEVER)
			twin->events[cycle->event_count - 1].amount =
				(uint32_t)(i->complete_at - twin->now);
		twin->events[cycle->event_count - 1].again = i->was_issued;
		twin_sets_leave(twin, i);
		note_late(i, waited);
	}
	count_taken(twin, &units);
	complete_stores(twin);
	twin->counters.issued += cycle->issued;
}

/*
 * Dispatch: in order, dispatch.width per cycle, instructions that have passed the front end's
 * stages and find entries in window, issue queue and load/store queue. A serialising instruction
 * enters an empty window and is alone in it.
 */

static bool window_is_serialised(const struct twin *twin)
{
	for (uint64_t n = twin->oldest; n < twin->next; n++)
		if (in_window(numbered(twin, n)) && numbered(twin, n)->is_serialising)
			return true;
	return false;
}

/* Integer, memory or floating point: the classes of unit that have issue queues of their own. */
static unsigned class_of_unit(unsigned unit)
{
	switch ((enum unit)unit) {
	case UNIT_LOAD:
	case UNIT_STORE:
	case UNIT_AMO: return 1;
	case UNIT_FP_ADD:
	case UNIT_FP_MUL:
	case UNIT_FP_DIV: return 2;
	default: return 0;
	}
}

static bool issue_queue_has_room(const struct twin *twin, const struct instruction *i)
{
	const struct config *c = &twin->config;
	unsigned class = class_of_unit(i->unit), used = 0;
	const unsigned sizes[] = {c->issue_queue_int, c->issue_queue_memory, c->issue_queue_fp};

	if (c->issue_queue_kind == ISSUE_QUEUE_UNIFIED)
		return twin_count_in(twin, WAITING) < c->issue_queue_size;
	for (uint64_t n = twin->oldest; n < twin->next; n++)
		used += numbered(twin, n)->stage == WAITING &&
			class_of_unit(numbered(twin, n)->unit) == class;
	return used < sizes[class];
}

static enum dispatch_stall why_not_dispatched(const struct twin *twin, const struct instruction *i)
{
	const struct config *c = &twin->config;
	unsigned used = window_used(twin);

	if (window_is_serialised(twin))
		return DISPATCH_SERIALISE;
	if (used >= c->rob_size)
		return DISPATCH_ROB;
	if (!issue_queue_has_room(twin, i))
		return DISPATCH_IQ;
	if (uses_lsq(i) && lsq_used(twin) >= c->lsq_size)
		return DISPATCH_LSQ;
	if (i->is_serialising && used)
		return DISPATCH_SERIALISE;
	return DISPATCH_NONE;
}

/* Renaming: the youngest older instruction in flight that writes the register. */
static uint64_t producer_of(const struct twin *twin, const struct instruction *i, unsigned reg)
{
	if (!reg || twin->config.ideal_dependence) /* x0 */
		return NO_INSTRUCTION;
	for (uint64_t n = i->number; n-- > twin->oldest;)
		if (numbered(twin, n)->rd == reg)
			return n;
	return NO_INSTRUCTION;
}

static void dispatch(struct twin *twin)
{
	struct cycle *cycle = &twin->cycle;
	bool was_filled = window_used(twin) > 0;

	while (cycle->dispatched < twin->config.dispatch_width) {
		struct instruction *i = twin_oldest_in(twin, IN_FRONT_END);

		if (!i || i->may_dispatch_at > twin->now) {
			cycle->dispatch_stall = was_filled && twin_was_short(twin)
							? DISPATCH_BRANCHES
							: DISPATCH_EMPTY;
			break;
		}
		cycle->dispatch_stall = (uint8_t)why_not_dispatched(twin, i);
		if (cycle->dispatch_stall != DISPATCH_NONE)
			break;
		for (unsigned s = 0; s < 3; s++)
			i->producers[s] = producer_of(twin, i, i->rs[s]);
		i->stage = WAITING;
		i->ready_from = 0;
		i->was_refused = false;
		cycle->dispatched++;
		if (!i->is_wrong && !i->was_dispatched)
			twin->useful_pcs[cycle->useful_dispatched++] = i->pc;
		cycle->again_dispatched += !i->is_wrong && i->was_dispatched;
		if (i->is_branch)
			twin_event_of_branch(twin, EVENT_BRANCH_DISPATCH, i);
		twin_event_of_class(twin, EVENT_DISPATCH, i, 0);
		twin->events[cycle->event_count - 1].again = i->was_dispatched;
		twin_sets_dispatch(twin, i);
	}
	twin->counters.dispatched += cycle->dispatched;
}

const struct cycle *twin_step(struct twin *twin)
{
	struct cycle *cycle = &twin->cycle;

	if (twin->is_ended && !twin_in_flight(twin))
		return NULL;
	if (is_inorder(twin))
		return twin_inorder_step(twin);
	*cycle = (struct cycle){.number = twin->now,
				.repeat = 1,
				.thread = twin->thread,
				.width = (uint16_t)twin->config.dispatch_width,
				.events = twin->events,
				.useful_pcs = twin->useful_pcs};

	twin_sets_begin_cycle(twin);
	resolve(twin);
	twin_sets_check(twin);
	drain_store_buffer(twin);
	commit(twin);
	issue(twin);
	dispatch(twin);
	twin_fetch(twin);
	twin_feed(twin);

	cycle->rob_used = (uint16_t)window_used(twin);
	cycle->iq_used = (uint16_t)twin_count_in(twin, WAITING);
	cycle->lsq_used = (uint16_t)lsq_used(twin);
	cycle->store_buffer_used = (uint16_t)twin->store_count;
	twin->now++;
	twin->counters.cycles++;
	return cycle;
}
