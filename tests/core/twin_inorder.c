#include "twin_state.h"

#include <string.h>

#include "core/shape.h"

/*
 * The slow twin of the in-order core. Fetch is in twin_fetch.c. What the fast core keeps for each
 * register is found here by searching the instructions before, the write buffer is a list that
 * moves up, and the reason why an instruction cannot issue is found by asking one rule after the
 * other.
 */

void twin_fill(const struct twin *twin, enum hierarchy_side side, uint64_t pc,
	       struct access_result *result)
{
	uint32_t line = side == SIDE_DATA ? twin->config.l1d_line : twin->config.l1i_line;
	uint64_t done_at = result->done_at, rest = 0;

	if (!is_inorder(twin) || result->level == LEVEL_L1)
		return;
	for (uint32_t word = 1; word < line / 4; word++)
		rest += twin->config.inorder_fill_word;
	if (side == SIDE_DATA)
		rest = (rest * twin_percent(twin, pc, IDEAL_AT_TIME) + 50) / 100;
	result->done_at += rest;
	for (unsigned level = 0; level < MISS_LEVELS; level++)
		if (result->miss_until[level] == done_at)
			result->miss_until[level] = result->done_at;
}

static unsigned front_stages(const struct twin *twin)
{
	return 1 + twin->config.l1i_latency; /* fetch, which takes that long, and decode */
}

/* The mispredicted branch that has issued resolves in the cycle after. */
static void resolve(struct twin *twin)
{
	const struct config *c = &twin->config;
	uint64_t cost = c->predictor_kind == PREDICTOR_NONE ? c->inorder_taken_branch
							    : c->inorder_mispredict;

	for (uint64_t n = twin->oldest; n < twin->next; n++) {
		struct instruction *i = numbered(twin, n);

		if (i->stage != ISSUED || !i->is_unresolved)
			continue;
		twin_take_back_after(twin, i);
		twin_event_of(twin, EVENT_MISPREDICT, i, 0);
		/* `cost` bubbles are between this branch, which issued in the last cycle, and what
		 * is fetched now and takes `front_stages` to issue. */
		twin->bubble_until = twin->now + cost - front_stages(twin);
		twin->bubble_reason = FETCH_NOWHERE;
		if (twin->cpu->instructions >= twin->process->slice_ends)
			twin_end_slice(twin);
		return;
	}
}

static unsigned latency_of(const struct twin *twin, const struct instruction *i)
{
	return i->is_store ? 1 : twin_latency_of(twin, i);
}

static enum head_state state_of(const struct twin *twin, const struct instruction *i)
{
	if (i->is_load && i->number == twin->holder && twin->now < twin->held_until) {
		if (twin->now <= i->tlb_done_at)
			return HEAD_DTLB;
		/* The wait began one cycle after the access. */
		for (unsigned level = 0; level < 2; level++)
			if (twin->now + twin->config.l1d_latency - 1 <
			    twin->holder_miss_until[level])
				return HEAD_L1D + level;
		return HEAD_L3D;
	}
	return !i->is_load && latency_of(twin, i) > 1 && twin->now < i->usable_at ? HEAD_UNIT
										  : HEAD_EXECUTES;
}

/* What makes the wait of a load that holds the pipeline longer than it would be. */
static unsigned excess_of(const struct twin *twin, const struct instruction *i)
{
	enum head_state state = state_of(twin, i);

	/* All its phases are one cycle late. */
	if (state == HEAD_DTLB && twin->now + i->walk_cycles > i->tlb_done_at)
		return EXCESS_HEAD_WALK;
	if (state >= HEAD_L1D && state <= HEAD_L3D &&
	    twin->now + i->queue_cycles >= twin->held_until)
		return EXCESS_HEAD_BANDWIDTH;
	return 0;
}

static bool writes(const struct instruction *i)
{
	return i->is_store || i->is_atomic_write;
}

static void commit(struct twin *twin)
{
	struct cycle *cycle = &twin->cycle;

	cycle->head_state = HEAD_EMPTY;
	if (twin->oldest < twin->next && numbered(twin, twin->oldest)->stage != ISSUED) {
		cycle->is_fronted = true;
		cycle->front_waits = numbered(twin, twin->oldest)->tags & FETCH_WAITS;
	}
	for (; twin->oldest < twin->next; twin->oldest++) {
		struct instruction *i = numbered(twin, twin->oldest);

		if (i->stage != ISSUED)
			return;
		cycle->head_pc = i->pc;
		if (i->complete_at > twin->now) {
			cycle->head_state = (uint16_t)state_of(twin, i);
			cycle->excess = (uint16_t)excess_of(twin, i);
			return;
		}
		if (cycle->committed == twin->config.inorder_issue_width ||
		    twin_ends_before(twin, i)) {
			cycle->head_state = HEAD_DONE;
			return;
		}
		BUG_ON(i->is_wrong || i->is_unresolved);
		twin_commit_control(twin, i);
		twin->counters.loads += i->is_load;
		twin->counters.stores += writes(i);
		twin->counters.serialised += i->is_serialising;
		twin_event_of_class(
			twin, i->tags || i->is_branch ? EVENT_COMMIT : EVENT_COMMIT_PLAIN, i,
			i->tags | (i->is_branch ? COMMIT_BRANCH : 0) |
				(i->is_mispredicted ? COMMIT_MISPREDICTED : 0) |
				(i->is_taken ? COMMIT_TAKEN : 0) | (writes(i) ? COMMIT_WRITES : 0));
		twin_note_call(twin, i);
		cycle->committed++;
		twin->counters.committed++;
	}
}

/* The lines of an access: one, or two. */
static unsigned lines_of(const struct twin *twin, uint64_t address, unsigned bytes,
			 uint64_t lines[2])
{
	lines[0] = address;
	lines[1] = address + bytes - 1;
	return hierarchy_line_of(twin->memory, SIDE_DATA, lines[0]) ==
			       hierarchy_line_of(twin->memory, SIDE_DATA, lines[1])
		       ? 1
		       : 2;
}

/* The first store of the buffer is written; the next begins when it is done. */
static void drain(struct twin *twin)
{
	const struct config *c = &twin->config;
	struct committed_store *store = &twin->stores[0];
	uint64_t lines[2], took = 0;

	if (twin->store_count && store->is_written && store->done_at <= twin->now)
		memmove(store, store + 1, --twin->store_count * sizeof(*store));
	if (!twin->store_count || store->is_written || twin->now < twin->stores_retry_at)
		return;
	for (unsigned k = 0; k < lines_of(twin, store->address, store->bytes, lines); k++) {
		struct access_result result;

		twin_access(twin, ACCESS_STORE, store->pc, store->pc, lines[k], &result);
		twin_event_access(twin, EVENT_STORE_ACCESS, false, 0, store->pc);
		if (result.blocked) {
			twin->stores_retry_at = result.retry_at;
			return;
		}
		if (twin_misses(twin, &result))
			twin_event_of_miss(twin, EVENT_STORE_MISS,
					   twin_misses(twin, &result) * DATA_MISS_TLB, false, 0,
					   store->pc, &result);
		twin_fill(twin, SIDE_DATA, store->pc, &result);
		if (c->l1d_write == WRITE_THROUGH)
			result.done_at =
				result.tlb_done_at + result.queue_cycles + c->inorder_write;
		if (c->l1d_write == WRITE_THROUGH || result.done_at > twin->now + c->l1d_latency)
			twin->writing = result;
		took += result.done_at - twin->now;
		if (c->l1d_write != WRITE_THROUGH)
			took = took - c->l1d_latency + 1;
	}
	store->is_written = true;
	store->done_at = twin->now + took;
}

/* What stops an instruction; the record's words for it. */
struct reason {
	enum dispatch_stall stall;
	enum head_state state;
	uint64_t pc;
	unsigned excess;
};

static struct reason because(enum head_state state, uint64_t pc)
{
	return (struct reason){DISPATCH_ORDER, state, pc, 0};
}

static struct reason because_longer(enum head_state state, uint64_t pc, unsigned excess)
{
	return (struct reason){DISPATCH_ORDER, state, pc, excess};
}

static const struct reason none = {DISPATCH_NONE, HEAD_EMPTY, 0, 0};

static const struct instruction *writer_of(const struct twin *twin, const struct instruction *i,
					   unsigned reg)
{
	/* An instruction that has left may still have a result on its way. */
	for (uint64_t n = i->number - 1; reg && n > 0 && n + twin->slots > twin->next; n--)
		if (numbered(twin, n)->number == n && numbered(twin, n)->rd == reg)
			return numbered(twin, n);
	return NULL;
}

/* When the instruction may issue, as far as one register is concerned. */
static int64_t register_time(const struct twin *twin, const struct instruction *i, unsigned which,
			     const struct instruction **writer)
{
	const struct config *c = &twin->config;
	bool is_memory = i->is_load || i->is_store;
	unsigned reg = which < 3 ? i->rs[which] : i->rd;

	*writer = reg == REG_SINK || c->ideal_dependence ? NULL : writer_of(twin, i, reg);
	if (!*writer)
		return 0;
	int64_t at = (int64_t)(*writer)->usable_at;
	if (which == 0 && is_memory) /* an address */
		return at +
		       ((*writer)->is_load ? c->inorder_load_address_use : c->inorder_address_use);
	if (which == 1 && i->is_store) /* data, needed a stage later */
		return at - 1;
	if (which == 3) /* results of one register come in order */
		return at -
		       (i->is_load ? c->l1d_latency + c->inorder_load_use : latency_of(twin, i));
	return at;
}

static struct reason check_registers(const struct twin *twin, const struct instruction *i)
{
	const struct instruction *writer, *latest = NULL;
	int64_t until = (int64_t)twin->now;

	for (unsigned which = 0; which < 4; which++) {
		int64_t at = register_time(twin, i, which, &writer);

		if (at > until) {
			until = at;
			latest = writer;
		}
	}
	if (!latest)
		return none;
	if (latest->number < twin->oldest)
		return because(HEAD_WAITS, latest->pc);
	return because_longer(state_of(twin, latest), latest->pc, excess_of(twin, latest));
}

static bool is_floating(const struct instruction *i)
{
	return i->unit == UNIT_FP_ADD || i->unit == UNIT_FP_MUL || i->unit == UNIT_FP_DIV;
}

static bool is_muldiv(const struct instruction *i)
{
	return i->unit == UNIT_MUL || i->unit == UNIT_DIV || i->unit == UNIT_FP_MUL ||
	       i->unit == UNIT_FP_DIV;
}

static bool is_memory(const struct instruction *i)
{
	return i->is_load || i->is_store;
}

/* Uses one of the int_alu units. */
static bool is_simple(const struct instruction *i)
{
	return !is_memory(i) && !is_muldiv(i) && i->unit != UNIT_FP_ADD;
}

static struct reason check_pair(const struct twin *twin, const struct instruction *first,
				const struct instruction *i)
{
	const struct config *c = &twin->config;
	bool pipe_b[2] = {is_floating(first) || is_muldiv(first) || first->control != CONTROL_NONE,
			  is_floating(i) || is_muldiv(i) || i->control != CONTROL_NONE};

	if (first->control != CONTROL_NONE)
		return because(HEAD_WAITS, first->pc);
	if (!c->ideal_dependence && first->rd != REG_SINK &&
	    (i->rd == first->rd || i->rs[0] == first->rd || i->rs[1] == first->rd ||
	     i->rs[2] == first->rd))
		return because(HEAD_WAITS, first->pc);
	if ((is_simple(first) && is_simple(i) && c->int_alu_count == 1) ||
	    (is_memory(first) && is_memory(i) && c->memory_ports == 1) ||
	    (first->unit == UNIT_FP_ADD && i->unit == UNIT_FP_ADD && c->fp_add_count == 1) ||
	    (c->inorder_pairing == PAIRING_PIPES &&
	     ((pipe_b[0] && pipe_b[1]) || (is_memory(first) && is_memory(i)))))
		return because(HEAD_UNIT, first->pc);
	return none;
}

/* The multiplier or divider that is free first. */
static unsigned first_unit(struct twin *twin, const struct instruction *i, uint64_t **free_at,
			   uint64_t **users)
{
	bool is_fp = is_floating(i);
	unsigned count = is_fp ? twin->config.fp_muldiv_count : twin->config.int_muldiv_count;
	unsigned best = 0;

	*free_at = is_fp ? twin->fp_muldiv_free_at : twin->int_muldiv_free_at;
	*users = twin->unit_user[is_fp];
	for (unsigned u = count; u-- > 0;)
		if ((*free_at)[u] <= (*free_at)[best])
			best = u;
	return best;
}

static struct reason check_window(struct twin *twin, const struct instruction *i)
{
	const struct instruction *holder = numbered(twin, twin->holder);

	for (uint64_t n = twin->oldest; n < i->number; n++)
		if (numbered(twin, n)->is_serialising)
			return (struct reason){.stall = DISPATCH_SERIALISE};
	if (!twin->cycle.dispatched && twin->now < twin->held_until)
		return because_longer(state_of(twin, holder), holder->pc, excess_of(twin, holder));
	if (twin_count_in(twin, ISSUED) == SHAPE_INORDER_WINDOW)
		return (struct reason){.stall = DISPATCH_ROB};
	if (i->is_serialising && i->number != twin->oldest)
		return (struct reason){.stall = DISPATCH_SERIALISE};
	if ((i->unit == UNIT_FENCE || i->unit == UNIT_AMO) && twin->store_count)
		return because(HEAD_STORE, i->pc);
	return none;
}

/* The miss of the store being written, or the lack of entries. */
static struct reason why_full(const struct twin *twin, const struct instruction *i)
{
	const struct access_result *r = &twin->writing;
	const bool is_through = twin->config.l1d_write == WRITE_THROUGH;
	const uint64_t pc = twin->stores[0].pc, now = twin->now;
	/* Of the time of a hit, a store that waits takes one cycle; one written through has none.
	 */
	const uint64_t then = is_through ? now : now + twin->config.l1d_latency;
	const bool is_busy = then + r->queue_cycles >= r->done_at && then < r->done_at;

	if (!twin->stores[0].is_written)
		return because(HEAD_STORE, i->pc);
	if (now < r->tlb_done_at)
		return because_longer(HEAD_DTLB, pc,
				      now + r->walk_cycles >= r->tlb_done_at ? EXCESS_HEAD_WALK
									     : 0);
	for (unsigned level = 0; !is_through && level < MISS_LEVELS; level++)
		if (then < r->miss_until[level])
			return because_longer(HEAD_L1D + level, pc,
					      is_busy ? EXCESS_HEAD_BANDWIDTH : 0);
	return is_busy ? because_longer(HEAD_STORE, pc, EXCESS_HEAD_BANDWIDTH)
		       : because(HEAD_STORE, i->pc);
}

static struct reason check_resources(struct twin *twin, const struct instruction *i)
{
	uint64_t *free_at, *users;

	if (is_muldiv(i)) {
		unsigned unit = first_unit(twin, i, &free_at, &users);

		return free_at[unit] > twin->now ? because(HEAD_UNIT, users[unit]) : none;
	}
	if (i->is_store && twin->store_count == twin->config.inorder_write_buffer)
		return why_full(twin, i);
	if (i->is_load && twin->load_retry_at > twin->now)
		return because(HEAD_MSHR, i->pc);
	return none;
}

/* The youngest store of the buffer that overlaps the load. */
static const struct committed_store *store_under(const struct twin *twin,
						 const struct instruction *load)
{
	const struct committed_store *found = NULL;

	for (unsigned s = 0; s < twin->store_count; s++)
		for (unsigned b = 0; b < load->access_bytes; b++)
			if (load->address + b - twin->stores[s].address < twin->stores[s].bytes)
				found = &twin->stores[s];
	return found;
}

/* The load holds the pipeline for as long as it takes longer than a hit. */
static void hold(struct twin *twin, struct instruction *i, const struct access_result *result)
{
	uint64_t until = result->done_at - twin->config.l1d_latency + 1;

	if (until <= twin->now + 1 || until <= twin->held_until)
		return;
	twin->held_until = until;
	twin->holder = i->number;
	i->tlb_done_at = result->tlb_done_at;
	i->walk_cycles = result->walk_cycles;
	i->queue_cycles = result->queue_cycles;
	memcpy(twin->holder_miss_until, result->miss_until, sizeof(result->miss_until));
}

/* Makes the accesses of a load; its data is there in cycle `done_at`. */
static struct reason load(struct twin *twin, struct instruction *i, uint64_t *done_at)
{
	const struct committed_store *store = store_under(twin, i);
	uint64_t lines[2];

	*done_at = twin->now + twin->config.l1d_latency;
	if (store) {
		if (i->address < store->address ||
		    i->address + i->access_bytes > store->address + store->bytes)
			return because(HEAD_STORE, i->pc);
		twin->counters.forwarded++;
		twin_event_of(twin, EVENT_FORWARD, i, 0);
		return none;
	}
	for (unsigned k = 0; k < lines_of(twin, i->address, i->access_bytes, lines); k++) {
		struct access_result result;

		twin_access(twin, ACCESS_LOAD, i->pc, i->pc, lines[k], &result);
		twin_event_access(twin, EVENT_LOAD_ACCESS, false, i->number, i->pc);
		if (result.blocked) {
			twin->load_retry_at = result.retry_at;
			return because(HEAD_MSHR, i->pc);
		}
		unsigned misses = twin_misses(twin, &result) * DATA_MISS_TLB;
		if (misses) {
			i->tags |= misses;
			twin_event_of_miss(twin, EVENT_LOAD_MISS, misses, false, i->number, i->pc,
					   &result);
		}
		twin_fill(twin, SIDE_DATA, i->pc, &result);
		hold(twin, i, &result);
		if (result.done_at > *done_at)
			*done_at = result.done_at;
	}
	return none;
}

/* With l1d.write = live: the stack below the youngest instruction that began to execute, or tried
 * to, is dead. */
static void tell_dead(struct twin *twin, const struct instruction *i)
{
	bool is_known = i->stack_low < i->sp && i->sp <= i->stack_high;

	if (twin->config.l1d_write == WRITE_LIVE)
		hierarchy_set_dead(twin->memory, is_known ? i->stack_low : 0, is_known ? i->sp : 0);
}

static struct reason start(struct twin *twin, struct instruction *i)
{
	const struct config *c = &twin->config;
	unsigned latency = latency_of(twin, i);
	uint64_t done_at = twin->now + latency, *free_at, *users;

	tell_dead(twin, i);
	if (i->is_load) {
		struct reason reason = load(twin, i, &done_at);

		if (reason.stall != DISPATCH_NONE)
			return reason;
	} else if (latency > 1 && c->inorder_long == LONG_BLOCKING && done_at > twin->held_until) {
		twin->held_until = done_at;
		twin->holder = i->number;
	}
	if (is_muldiv(i)) {
		unsigned unit = first_unit(twin, i, &free_at, &users);
		bool divides = i->unit == UNIT_DIV || i->unit == UNIT_FP_DIV;

		free_at[unit] = twin->now + (divides ? latency : 1);
		users[unit] = i->pc;
	}
	if (writes(i))
		twin->stores[twin->store_count++] = (struct committed_store){
			.pc = i->pc, .address = i->address, .bytes = i->access_bytes};
	i->stage = ISSUED;
	i->issued_at = twin->now;
	i->usable_at = done_at + (i->is_load ? c->inorder_load_use : 0);
	i->complete_at = done_at + 1;
	return none;
}

static struct reason try_to_issue(struct twin *twin, struct instruction *i)
{
	struct reason reason = {.stall = DISPATCH_EMPTY};

	if (!i || i->may_dispatch_at > twin->now)
		return reason;
	reason = check_window(twin, i);
	if (reason.stall == DISPATCH_NONE && twin->cycle.dispatched)
		reason = check_pair(twin, numbered(twin, i->number - 1), i);
	if (reason.stall == DISPATCH_NONE)
		reason = check_registers(twin, i);
	if (reason.stall == DISPATCH_NONE)
		reason = check_resources(twin, i);
	if (reason.stall == DISPATCH_NONE)
		reason = start(twin, i);
	return reason;
}

static void issue(struct twin *twin)
{
	struct cycle *cycle = &twin->cycle;

	while (cycle->dispatched < twin->config.inorder_issue_width) {
		struct instruction *i = twin_oldest_in(twin, IN_FRONT_END);
		struct reason reason = try_to_issue(twin, i);

		cycle->dispatch_stall = (uint16_t)reason.stall;
		if (reason.stall == DISPATCH_ORDER) {
			cycle->head_state = (uint16_t)reason.state;
			cycle->excess = (uint16_t)reason.excess;
			cycle->head_pc = reason.pc;
		}
		if (reason.stall != DISPATCH_NONE)
			break;
		twin->useful_pcs[cycle->dispatched++] = i->pc;
		if (i->is_branch)
			twin_event_of(twin, EVENT_BRANCH_DISPATCH, i, 0);
		twin_event_of_class(twin, EVENT_DISPATCH, i, 0);
		twin_event_of_class(twin, EVENT_ISSUE, i, 0);
		twin->events[cycle->event_count - 1].amount =
			(uint32_t)(i->complete_at - 1 - twin->now);
	}
	cycle->issued = cycle->useful_issued = cycle->useful_dispatched = cycle->dispatched;
	twin->counters.dispatched += cycle->dispatched;
	twin->counters.issued += cycle->issued;
}

/* What was fetched is in decode at once. */
static void feed(struct twin *twin)
{
	struct instruction *i;

	while ((i = twin_oldest_in(twin, IN_BUFFER))) {
		i->stage = IN_FRONT_END;
		i->may_dispatch_at = twin->now + front_stages(twin);
		twin->cycle.fed++;
	}
	twin->cycle.buffer_used = twin->cycle.fed;
}

const struct cycle *twin_inorder_step(struct twin *twin)
{
	struct cycle *cycle = &twin->cycle;

	*cycle = (struct cycle){.number = twin->now,
				.repeat = 1,
				.thread = twin->thread,
				.width = (uint16_t)twin->config.inorder_issue_width,
				.events = twin->events,
				.useful_pcs = twin->useful_pcs};
	resolve(twin);
	commit(twin);
	drain(twin);
	issue(twin);
	twin_fetch(twin);
	feed(twin);
	cycle->rob_used = (uint16_t)twin_count_in(twin, ISSUED);
	for (uint64_t n = twin->oldest; n < twin->next; n++)
		cycle->iq_used += numbered(twin, n)->stage == IN_FRONT_END &&
				  numbered(twin, n)->may_dispatch_at <= twin->now &&
				  cycle->iq_used < twin->config.inorder_issue_width;
	cycle->store_buffer_used = (uint16_t)twin->store_count;
	twin->now++;
	twin->counters.cycles++;
	return cycle;
}
