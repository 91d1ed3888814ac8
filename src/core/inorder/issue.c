/* Issue: decides in program order which instructions begin to execute in this cycle. */
#include "core/inorder/inorder.h"

/* Why an instruction cannot issue: an enum dispatch_stall and, with DISPATCH_ORDER, what the record
 * says of the instruction that stops it. `until`: when to look again, NEVER if that depends on
 * write-back or the write buffer. */
struct stop {
	uint8_t stall;
	struct doing doing;
	uint64_t pc, until;
	bool waits_for_buffer;
};

/* The functions that look for a reason return true if they find none; `stop` is written only if
 * there is one, because most instructions find none. */
static bool stopped(struct stop *stop, uint8_t state, uint64_t pc, uint64_t until)
{
	*stop = (struct stop){DISPATCH_ORDER, {state, 0}, pc, until, false};
	return false;
}

static bool stalled(struct stop *stop, uint8_t stall, uint64_t until)
{
	*stop = (struct stop){.stall = stall, .until = until};
	return false;
}

/* Units of one kind, of which a pair may use as many as there are. */
enum unit_group { GROUP_ALU, GROUP_MEMORY, GROUP_FP_ADD, GROUP_INT_LONG, GROUP_FP_LONG };

/* The pipes of inorder.pairing = pipes: at most one instruction of a pair uses each. */
enum pipe { PIPE_ANY, PIPE_MEMORY, PIPE_BRANCH };

static const struct {
	uint8_t group, pipe;
} unit_rows[UNIT_COUNT] = {
	[UNIT_ALU] = {GROUP_ALU, PIPE_ANY},
	[UNIT_MUL] = {GROUP_INT_LONG, PIPE_BRANCH},
	[UNIT_DIV] = {GROUP_INT_LONG, PIPE_BRANCH},
	[UNIT_BRANCH] = {GROUP_ALU, PIPE_BRANCH},
	[UNIT_JUMP] = {GROUP_ALU, PIPE_BRANCH},
	[UNIT_JUMP_INDIRECT] = {GROUP_ALU, PIPE_BRANCH},
	[UNIT_LOAD] = {GROUP_MEMORY, PIPE_MEMORY},
	[UNIT_STORE] = {GROUP_MEMORY, PIPE_MEMORY},
	[UNIT_AMO] = {GROUP_MEMORY, PIPE_MEMORY},
	[UNIT_FP_ADD] = {GROUP_FP_ADD, PIPE_BRANCH},
	[UNIT_FP_MUL] = {GROUP_FP_LONG, PIPE_BRANCH},
	[UNIT_FP_DIV] = {GROUP_FP_LONG, PIPE_BRANCH},
	[UNIT_FENCE] = {GROUP_ALU, PIPE_ANY},
	[UNIT_CSR] = {GROUP_ALU, PIPE_ANY},
	[UNIT_SYSTEM] = {GROUP_ALU, PIPE_ANY},
};

static uint32_t units_of(const struct config *c, unsigned group)
{
	return group == GROUP_ALU      ? c->int_alu_count
	       : group == GROUP_MEMORY ? c->memory_ports
	       : group == GROUP_FP_ADD ? c->fp_add_count
				       : UNITS_MAX; /* checked one by one in `units` */
}

/* The unit of a pool that is free first. */
static struct long_unit *first_free(struct inorder *core, unsigned group)
{
	struct long_unit *units = core->units[group == GROUP_FP_LONG], *best = units;
	uint32_t count = group == GROUP_FP_LONG ? core->config.fp_muldiv_count
						: core->config.int_muldiv_count;

	for (uint32_t i = 1; i < count; i++)
		if (units[i].free_at < best->free_at)
			best = &units[i];
	return best;
}

/* Whether `e` can issue together with `first`, which has just issued. */
static inline bool pair_with(const struct inorder *core, const struct entry *first,
			     const struct entry *e, struct stop *stop)
{
	const unsigned group = unit_rows[e->unit].group, pipe = unit_rows[e->unit].pipe;
	bool depends = first->flags & ENTRY_CONTROL; /* on the branch's outcome */

	depends |= first->rd != REG_SINK && (e->rs[0] == first->rd || e->rs[1] == first->rd ||
					     e->rs[2] == first->rd || e->rd == first->rd);

	if (depends)
		return stopped(stop, HEAD_WAITS, first->pc, core->base.now + 1);
	if ((group == unit_rows[first->unit].group && units_of(&core->config, group) < 2) ||
	    (core->config.inorder_pairing == PAIRING_PIPES && pipe != PIPE_ANY &&
	     pipe == unit_rows[first->unit].pipe))
		return stopped(stop, HEAD_UNIT, first->pc, core->base.now + 1);
	return true;
}

static bool wait_for(const struct inorder *core, const struct reg_state *reg, uint64_t until,
		     struct stop *stop)
{
	stopped(stop, HEAD_WAITS, reg->pc, until);
	if (reg->writer >= core->head) {
		const uint64_t result_at = core->entries[reg->writer & core->slot_mask].result_at;

		stop->doing = inorder_doing(core, reg->writer);
		/* A long operation is over before an address may use its result. */
		if (stop->doing.state == HEAD_UNIT && result_at < until)
			stop->until = result_at;
	}
	return false;
}

/* The sources, and results of the same register in program order. If several are not available,
 * the record names the one that is available last, the first of equals. */
static inline bool find_operands(const struct inorder *core, const struct entry *e,
				 uint32_t latency, struct stop *stop)
{
	const uint64_t now = core->base.now;
	const bool has_address = e->flags & (ENTRY_LOAD | ENTRY_STORE);
	const struct reg_state *r = core->regs, *latest = &r[e->rs[0]];
	uint64_t until = has_address ? latest->address_at : latest->at;
	uint64_t at = r[e->rs[1]].at;

	if (e->flags & ENTRY_STORE && at) /* the data is needed in the memory stage */
		at--;
	if (at > until) {
		until = at;
		latest = &r[e->rs[1]];
	}
	if (r[e->rs[2]].at > until) {
		latest = &r[e->rs[2]];
		until = latest->at;
	}
	if (e->rd != REG_SINK && r[e->rd].at > until + latency) {
		latest = &r[e->rd];
		until = latest->at - latency;
	}
	return LIKELY(until <= now) || wait_for(core, latest, until, stop);
}

static bool find_unit(struct inorder *core, unsigned group, struct stop *stop)
{
	const struct long_unit *unit = first_free(core, group);

	return unit->free_at <= core->base.now || stopped(stop, HEAD_UNIT, unit->pc, unit->free_at);
}

/* With a full write buffer, the store being written stops issue if it waits for its line; otherwise
 * it is the lack of entries. */
static bool wait_for_buffer(const struct inorder *core, const struct entry *e, struct stop *stop)
{
	const struct buffered_store *s = &core->write_buffer[core->buffer_first % WRITE_BUFFER_MAX];

	stopped(stop, HEAD_STORE, e->pc, NEVER);
	stop->doing = inorder_write_buffer_doing(core);
	stop->waits_for_buffer = true;
	if (stop->doing.state != HEAD_STORE || stop->doing.excess)
		stop->pc = s->pc;
	return false;
}

/* An earlier instruction holds the pipeline. */
static bool wait_for_blocker(const struct inorder *core, struct stop *stop)
{
	const struct entry *e = &core->entries[core->blocker & core->slot_mask];

	stopped(stop, HEAD_WAITS, e->pc, core->blocked_until);
	stop->doing = inorder_doing(core, core->blocker);
	return false;
}

/* A fence, atomic, CSR or system instruction is alone in the window. */
static bool wait_to_serialise(const struct inorder *core, const struct entry *e, uint64_t sequence,
			      struct stop *stop)
{
	if (sequence != core->head)
		return stalled(stop, DISPATCH_SERIALISE, NEVER);
	return !(e->flags & ENTRY_FENCE) || inorder_write_buffer_is_empty(core) ||
	       stopped(stop, HEAD_STORE, e->pc, NEVER);
}

/* Of an instruction that is no load. */
static inline uint32_t latency_of(const struct inorder *core, const struct entry *e)
{
	return core_latency(&core->base, e->pc, core->latency[e->unit]);
}

/* Whether the instruction may issue as number `place` of this cycle's group. */
static inline bool may_issue(struct inorder *core, uint64_t sequence, uint32_t place,
			     struct stop *stop)
{
	const struct entry *e = inorder_entry(core, sequence);
	const uint64_t now = core->base.now;
	const bool is_load = e->flags & ENTRY_LOAD;

	if (sequence == core->fetched || e->issue_from > now)
		return stalled(stop, DISPATCH_EMPTY,
			       sequence == core->fetched ? NEVER : e->issue_from);
	if (UNLIKELY(core->window_serialised))
		return stalled(stop, DISPATCH_SERIALISE, NEVER);
	if (!place && now < core->blocked_until)
		return wait_for_blocker(core, stop);
	if (UNLIKELY(sequence - core->head == SHAPE_INORDER_WINDOW))
		return stalled(stop, DISPATCH_ROB, NEVER);
	if (UNLIKELY(e->flags & ENTRY_SERIALISE) && !wait_to_serialise(core, e, sequence, stop))
		return false;
	if (place && !pair_with(core, inorder_entry(core, sequence - 1), e, stop))
		return false;
	uint32_t latency = is_load ? core->config.l1d_latency + core->config.inorder_load_use
				   : latency_of(core, e);
	if (!find_operands(core, e, latency, stop))
		return false;
	if (unit_rows[e->unit].group >= GROUP_INT_LONG)
		return find_unit(core, unit_rows[e->unit].group, stop);
	if (e->flags & ENTRY_STORE && !inorder_write_buffer_has_room(core))
		return wait_for_buffer(core, e, stop);
	return !is_load || LIKELY(core->load_retry_at <= now) ||
	       stopped(stop, HEAD_MSHR, e->pc, core->load_retry_at);
}

/* Nothing issues before `until`, because of this instruction. */
static bool hold_pipeline(struct inorder *core, uint64_t sequence, uint64_t until)
{
	if (until <= core->blocked_until)
		return false;
	core->blocker = sequence;
	core->blocked_until = until;
	return true;
}

/* A load holds the pipeline in the cycles by which it takes longer than a hit. */
static void wait_for_line(struct inorder *core, uint64_t sequence, uint64_t longer,
			  const struct access_result *result)
{
	if (hold_pipeline(core, sequence, core->base.now + 1 + longer))
		inorder_set_wait(&core->load_wait, result, core->config.l1d_latency, 1);
}

/* Makes the access of a load in one line. False if there is no MSHR. */
static bool load_line(struct inorder *core, uint64_t sequence, uint64_t address, uint64_t *wait)
{
	struct entry *e = inorder_entry(core, sequence);
	const uint32_t slot = (uint32_t)(sequence & core->slot_mask);
	struct access_result result;

	core_access(&core->base, ACCESS_LOAD, e->pc, e->pc, address, &result);
	if (inorder_wants(core, EVENT_LOAD_ACCESS))
		core_add_access(&core->base, EVENT_LOAD_ACCESS, slot, e->pc, false);
	if (inorder_wants_list(core, EVENTS_ACCESSES))
		core_add_looked_up(&core->base, e->pc, address, 0);
	if (result.blocked) {
		core->load_retry_at = result.retry_at;
		core->base.progressed = true; /* only this cycle has the attempt */
		return false;
	}
	unsigned misses = core_misses(&result, core->config.cache_levels, core->base.now)
			  << DATA_MISS_SHIFT;
	if (misses) {
		e->tags |= (uint16_t)misses;
		inorder_event_miss(core, EVENT_LOAD_MISS, slot, e->pc, false, misses, &result);
	}
	uint64_t longer = inorder_wait(core, SIDE_DATA, e->pc, core->config.l1d_latency, &result);
	if (longer)
		wait_for_line(core, sequence, longer, &result);
	if (longer > *wait)
		*wait = longer;
	return true;
}

/* Makes the accesses of a load or atomic; `wait` is by how much it takes longer than a hit. */
static inline bool load(struct inorder *core, uint64_t sequence, uint64_t *wait, struct stop *stop)
{
	const struct entry *e = inorder_entry(core, sequence);
	const uint32_t slot = (uint32_t)(sequence & core->slot_mask);
	const struct step_access *access = &core->accesses.slots[slot];
	const uint64_t last = access->address + access->bytes - 1;
	const bool is_one =
		hierarchy_same_line(core->base.memory, SIDE_DATA, access->address, last);

	if (UNLIKELY(!inorder_write_buffer_is_empty(core))) {
		enum buffer_match match = inorder_write_buffer_find(core, access);

		if (match == BUFFER_OVERLAPS)
			return stopped(stop, HEAD_STORE, e->pc, NEVER);
		if (match == BUFFER_FORWARDS) {
			core->base.totals.forwarded++;
			if (inorder_wants(core, EVENT_FORWARD))
				inorder_event(core, EVENT_FORWARD, sequence, 0);
			return true;
		}
	}
	if (LIKELY(is_one && hierarchy_hits(core->base.memory, ACCESS_LOAD, access->address,
					    core->base.now))) {
		if (inorder_wants(core, EVENT_LOAD_ACCESS))
			inorder_event_plain(core, EVENT_LOAD_ACCESS, slot, e->pc, false);
		if (inorder_wants_list(core, EVENTS_ACCESSES))
			core_add_hit(&core->base, e->pc, access->address, 0);
		return true;
	}
	/* If the second line finds no MSHR, both are looked up again. */
	return (load_line(core, sequence, access->address, wait) &&
		(is_one || load_line(core, sequence, last, wait))) ||
	       stopped(stop, HEAD_MSHR, e->pc, core->load_retry_at);
}

/* Begins to execute the instruction; a load may still be stopped. */
static inline bool start(struct inorder *core, uint64_t sequence, struct stop *stop)
{
	struct entry *e = inorder_entry(core, sequence);
	const struct config *c = &core->config;
	const uint64_t now = core->base.now;
	const unsigned flags = e->flags;
	uint64_t latency = latency_of(core, e), bubble = 0;

	/* Stores of older instructions have been made or are in the write buffer, and loads of
	 * older ones have read: nothing in flight needs what this instruction finds below the stack
	 * pointer. */
	if (UNLIKELY(core->dead)) {
		const struct dead_range *dead = &core->dead[sequence & core->slot_mask];

		hierarchy_set_dead(core->base.memory, dead->low, dead->high);
	}
	if (flags & ENTRY_LOAD) {
		uint64_t wait = 0;

		if (UNLIKELY(!load(core, sequence, &wait, stop)))
			return false;
		latency = c->l1d_latency + wait;
		bubble = c->inorder_load_use;
	} else if (latency > 1) {
		e->flags |= ENTRY_LONG;
		if (c->inorder_long == LONG_BLOCKING)
			hold_pipeline(core, sequence, now + latency);
	}
	if (unit_rows[e->unit].group >= GROUP_INT_LONG) {
		bool divides = e->unit == UNIT_DIV || e->unit == UNIT_FP_DIV;

		*first_free(core, unit_rows[e->unit].group) =
			(struct long_unit){now + (divides ? latency : 1), e->pc};
	}
	if (flags & ENTRY_WRITES)
		inorder_write_buffer_put(core, &core->accesses.slots[sequence & core->slot_mask],
					 e->pc);
	core->window_serialised = flags & ENTRY_SERIALISE;
	e->result_at = now + latency + bubble;
	e->written_at = now + latency + 1;
	if (e->rd != REG_SINK)
		core->regs[e->rd] = (struct reg_state){
			.at = e->result_at,
			.address_at =
				e->result_at + (flags & ENTRY_LOAD ? c->inorder_load_address_use
								   : c->inorder_address_use),
			.writer = sequence,
			.pc = e->pc,
		};
	if (UNLIKELY(flags & ENTRY_MISPREDICTED))
		core->resolve_at = now + 1;
	return true;
}

static void note_issued(struct inorder *core, uint64_t sequence)
{
	const struct entry *e = inorder_entry(core, sequence);

	if (e->flags & ENTRY_BRANCH &&
	    (!core->base.is_mistaken_only || e->flags & ENTRY_MISPREDICTED))
		inorder_event(core, EVENT_BRANCH_DISPATCH, sequence, 0);
	inorder_event(core, EVENT_DISPATCH, sequence, 0);
	inorder_event(core, EVENT_ISSUE, sequence, 0);
	/* It is complete in the cycle before write-back. */
	if (inorder_wants(core, EVENT_ISSUE))
		core->base.lists->events[core->base.record->event_count - 1].amount =
			(uint32_t)(e->written_at - 1 - core->base.now);
}

static uint64_t address_of(const struct inorder *core, uint64_t sequence)
{
	return core->accesses.slots[sequence & core->slot_mask].address;
}

/* The access that the record says is waited for: with a full write buffer that of the store being
 * written, of a load without an MSHR its own, else that of the load that holds the pipeline. */
static void note_address(struct inorder *core, const struct stop *stop, uint64_t next)
{
	const unsigned state = core->base.record->head_state;
	const bool is_next = state == HEAD_MSHR && stop->stall == DISPATCH_ORDER;

	core->base.accesses->head_by = core->base.record->head_pc;
	core->base.accesses->head_address =
		stop->stall == DISPATCH_ORDER && stop->waits_for_buffer
			? core->write_buffer[core->buffer_first % WRITE_BUFFER_MAX].address
			: address_of(core, is_next ? next : core->blocker);
}

void inorder_issue(struct inorder *core)
{
	const uint64_t first = core->issued;
	struct cycle *cycle = core->base.record;
	struct stop stop = {.stall = DISPATCH_NONE, .until = NEVER};
	uint32_t count = 0;

	for (; count < core->width; count++) {
		if (!may_issue(core, first + count, count, &stop) ||
		    !start(core, first + count, &stop))
			break;
		core->issued++;
		core->base.lists->useful_pcs[count] = inorder_entry(core, first + count)->pc;
		if (UNLIKELY(core->base.wants &
			     (EVENT_BIT(EVENT_BRANCH_DISPATCH) | EVENT_BIT(EVENT_DISPATCH) |
			      EVENT_BIT(EVENT_ISSUE))))
			note_issued(core, first + count);
	}
	cycle->dispatch_stall = stop.stall;
	if (stop.stall == DISPATCH_ORDER) {
		cycle->head_state = stop.doing.state;
		cycle->excess = stop.doing.excess;
		cycle->head_pc = stop.pc;
	}
	if (inorder_wants_list(core, EVENTS_ACCESSES))
		note_address(core, &stop, first + count);
	core->stopped_until = stop.until;
	cycle->dispatched = cycle->issued = (uint16_t)count;
	cycle->useful_dispatched = cycle->useful_issued = (uint16_t)count;
	core->base.totals.dispatched += count;
	core->base.totals.issued += count;
	core->base.progressed |= count > 0;
}
