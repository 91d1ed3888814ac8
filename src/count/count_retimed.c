#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/portion.h"
#include "core/shape.h"
#include "count/clocks.h"
#include "count/retime.h"
#include "count/retimed.h"
#include "count/slot_rule.h"
#include "count/slots.h"

/* The last instruction that missed or mispredicted in the way of a component. It owns what the
 * component adds from one instruction of the chunk on, until a window's worth of others has
 * committed. */
struct owner {
	uint64_t pc;	/* 0: none */
	uint64_t since; /* its number */
	unsigned from;
};

/* The instructions since the last settlement. */
struct chunk {
	uint64_t cycles;
	unsigned count; /* of instructions */
	unsigned timed; /* those whose times are known */
	uint64_t commits[CLOCKS_MACHINES][RETIME_BATCH];
	uint64_t pcs[RETIME_BATCH];
	uint64_t filled;		 /* dispatch slots filled with right-path instructions */
	uint64_t waits[COMPONENT_COUNT]; /* of fetch */
	/* By component: who owns what it adds; [0] does so when the chunk begins. */
	struct owner owners[COMPONENT_COUNT][RETIME_BATCH + 1];
	unsigned changes[COMPONENT_COUNT]; /* of owner, in the chunk */
};

struct run {
	struct config config;
	uint32_t width;
	struct ledger ledger;
	struct slot_rule rule;
	struct clocks_plan plan;
	struct retime *retime;
	struct chunk chunk;
	uint64_t before[CLOCKS_MACHINES]; /* the machines' times at the end of the last chunk */
	/* Slots that the recurrence has charged: those not given yet, which may be below 0, and
	 * all of them. */
	int64_t carry[COMPONENT_COUNT], charged[COMPONENT_COUNT];
	uint64_t retired;	    /* instructions so far */
	uint64_t retired_pc;	    /* of the last instruction; 0: none has committed */
	uint8_t group[CAUSE_COUNT]; /* the component of the truth that a cause is part of */
	/* What has been charged for a chunk that is not full yet, because somebody reads. It is
	 * taken back before the next record, so that reading changes nothing. */
	struct slot_charge *provisional;
	size_t provisional_count, provisional_capacity;
	bool is_provisional;
};

/* The state is behind a pointer, so that reading can settle what is open. */
struct retimed {
	struct slots *slots; /* on an in-order core; else NULL */
	struct run *run;
};

static void charge(struct run *run, enum cause cause, uint64_t pc, uint64_t slots)
{
	if (run->is_provisional)
		*ARRAY_PUSH(run->provisional, run->provisional_count, run->provisional_capacity) =
			(struct slot_charge){pc, slots, cause};
	ledger_charge(&run->ledger, cause, pc, slots);
}

static enum component group_of(const struct config *config, enum cause cause)
{
	enum component component = cause_component(config->cache_levels, cause);

	switch (component) {
	case COMPONENT_RESOURCE: return COMPONENT_BASE;
	case COMPONENT_L3I: return COMPONENT_L2I;
	case COMPONENT_L3D: return COMPONENT_L2D;
	default: return component;
	}
}

/* The cause that stands for a component unless slots say otherwise. */
static enum cause main_cause(enum component component)
{
	static const uint8_t causes[COMPONENT_COUNT] = {
		[COMPONENT_BASE] = CAUSE_BASE,	   [COMPONENT_L1I] = CAUSE_L1I,
		[COMPONENT_L2I] = CAUSE_L2I,	   [COMPONENT_ITLB] = CAUSE_ITLB,
		[COMPONENT_BRANCH] = CAUSE_BRANCH, [COMPONENT_L1D] = CAUSE_L1D,
		[COMPONENT_L2D] = CAUSE_L2D,	   [COMPONENT_DTLB] = CAUSE_DTLB,
		[COMPONENT_WALK] = CAUSE_WALK,	   [COMPONENT_BANDWIDTH] = CAUSE_BANDWIDTH,
	};

	return (enum cause)causes[component];
}

static void *create(const struct config *config, uint32_t in_flight)
{
	struct retimed *retimed = mem_alloc(sizeof(*retimed));

	if (shape_is_inorder(config)) {
		retimed->slots = count_slots.create(config, in_flight);
		return retimed;
	}
	struct run *run = retimed->run = mem_alloc(sizeof(*run));
	run->config = *config;
	run->width = shape_width(config);
	ledger_init(&run->ledger);
	slot_rule_init(&run->rule, config);
	clocks_plan(&run->plan, config);
	run->retime = retime_create(run->plan.machines, run->plan.machine_count);
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		run->group[i] = (uint8_t)group_of(config, i);
	return retimed;
}

static void destroy(void *counter)
{
	struct retimed *retimed = counter;

	if (retimed->slots) {
		count_slots.destroy(retimed->slots);
	} else {
		ledger_release(&retimed->run->ledger);
		slot_rule_release(&retimed->run->rule);
		retime_destroy(retimed->run->retime);
		free(retimed->run->provisional);
		free(retimed->run);
	}
	free(retimed);
}

/* What each component adds in the chunk. */
static void find_sums(struct run *run, int64_t sums[COMPONENT_COUNT])
{
	const struct clocks_plan *plan = &run->plan;
	struct chunk *chunk = &run->chunk;
	int64_t advances[CLOCKS_MACHINES];

	chunk->timed += retime_run(run->retime, chunk->commits, chunk->timed);
	for (unsigned m = 0; m < plan->machine_count; m++)
		advances[m] = (int64_t)(chunk->commits[m][chunk->count - 1] - run->before[m]);
	for (unsigned t = 0; t < plan->term_count; t++) {
		const struct clocks_term *term = &plan->terms[t];
		int64_t before = term->before == CLOCKS_NONE ? 0 : advances[term->before];

		sums[term->component] += advances[term->after] - before;
	}
}

/* Adds what a machine's time advances by before each commit of the chunk. */
static void add_advances(const struct run *run, uint32_t machine, int64_t weight, int64_t *parts)
{
	const uint64_t *commits = run->chunk.commits[machine];

	parts[0] += weight * (int64_t)(commits[0] - run->before[machine]);
	for (unsigned i = 1; i < run->chunk.count; i++)
		parts[i] += weight * (int64_t)(commits[i] - commits[i - 1]);
}

/* What a component adds before each commit of the chunk. */
static void find_parts(const struct run *run, enum component component, int64_t parts[RETIME_BATCH])
{
	memset(parts, 0, RETIME_BATCH * sizeof(*parts));
	for (unsigned t = 0; run->chunk.count && t < run->plan.term_count; t++) {
		const struct clocks_term *term = &run->plan.terms[t];

		if (term->component != component)
			continue;
		add_advances(run, term->after, 1, parts);
		if (term->before != CLOCKS_NONE)
			add_advances(run, term->before, -1, parts);
	}
}

static const struct owner *last_owner(const struct chunk *chunk, enum component component)
{
	return &chunk->owners[component][chunk->changes[component]];
}

/* From instruction `from` of the chunk on, the one that commits owns what the component adds. */
static void own(struct run *run, enum component component, uint64_t pc, unsigned from)
{
	struct chunk *chunk = &run->chunk;

	chunk->owners[component][++chunk->changes[component]] =
		(struct owner){pc, run->retired, from};
}

/* The pc of the owner after `retired` instructions have committed; 0: it owns nothing any more. */
static uint64_t owner_at(const struct run *run, const struct owner *owner, uint64_t retired)
{
	return retired - owner->since <= run->config.rob_size ? owner->pc : 0;
}

/* The last instruction that committed, if there is one, is charged with what no instruction
 * owns. */
static uint64_t last_pc(const struct run *run)
{
	return run->retired_pc ? run->retired_pc : run->rule.last_pc;
}

/* Charges slots of one component to the instructions of the chunk, in proportion to its parts. */
static void charge_parts(struct run *run, enum component component, enum cause cause,
			 uint64_t slots)
{
	const bool is_fetch = component == COMPONENT_L1I || component == COMPONENT_L2I ||
			      component == COMPONENT_ITLB;
	const struct chunk *chunk = &run->chunk;
	const struct owner *owner = chunk->owners[component];
	const struct owner *last = last_owner(chunk, component);
	int64_t parts[RETIME_BATCH];
	uint64_t all = 0, sum = 0, given = 0;

	find_parts(run, is_fetch ? COMPONENT_L1I : component, parts);
	for (unsigned i = 0; i < chunk->count; i++)
		all += parts[i] > 0 ? (uint64_t)parts[i] : 0;
	if (!all) {
		const uint64_t pc = owner_at(run, last, run->retired);

		charge(run, cause, pc ? pc : last_pc(run), slots);
		return;
	}
	for (unsigned i = 0; i < chunk->count; i++) {
		if (parts[i] <= 0)
			continue;
		sum += (uint64_t)parts[i];
		uint64_t end = portion(slots, sum, all);
		if (end == given)
			continue;
		while (owner < last && owner[1].from <= i)
			owner++;
		const uint64_t pc = owner_at(run, owner, run->retired - chunk->count + i);
		charge(run, cause, pc ? pc : chunk->pcs[i], end - given);
		given = end;
	}
}

/* Charges slots of a cause to the instructions that the slot rule has charged with it. */
static void charge_as_slots(struct run *run, enum cause cause, uint64_t slots, uint64_t all)
{
	const struct slot_rule *rule = &run->rule;
	uint64_t sum = 0, given = 0;

	for (size_t i = 0; i < rule->charge_count; i++) {
		const struct slot_charge *slot = &rule->charges[i];

		if (slot->cause != cause)
			continue;
		sum += slot->slots;
		uint64_t end = portion(slots, sum, all);
		if (end > given)
			charge(run, cause, slot->pc, end - given);
		given = end;
	}
}

/* Charges slots of one component: its causes share as the slot rule's slots do. */
static void charge_component(struct run *run, enum component component, uint64_t slots,
			     const uint64_t pool[CAUSE_COUNT])
{
	const enum cause main = main_cause(component);
	uint64_t shares[CAUSE_COUNT] = {0}, parts[CAUSE_COUNT], all = 0;

	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		if (run->group[i] == component)
			all += shares[i] = pool[i];
	if (!all)
		shares[main] = 1;
	portion_split(slots, shares, CAUSE_COUNT, parts);
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++) {
		if (!parts[i])
			continue;
		if (i == main)
			charge_parts(run, component, i, parts[i]);
		else
			charge_as_slots(run, i, parts[i], pool[i]);
	}
}

/* Without parts, all cycles are charged as the slot rule says. */
static void charge_pool(struct run *run, uint64_t slots, uint64_t pool[CAUSE_COUNT])
{
	uint64_t parts[CAUSE_COUNT], all = 0;

	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		all += pool[i];
	if (!all)
		pool[CAUSE_BASE] = 1;
	portion_split(slots, pool, CAUSE_COUNT, parts);
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++) {
		uint64_t charged = 0;

		for (size_t n = 0; n < run->rule.charge_count; n++)
			charged += run->rule.charges[n].cause == i ? run->rule.charges[n].slots : 0;
		if (charged && i != CAUSE_BASE)
			charge_as_slots(run, i, parts[i], charged);
		else if (parts[i])
			charge(run, i, last_pc(run), parts[i]);
	}
}

static void pool_slots(const struct run *run, uint64_t pool[CAUSE_COUNT])
{
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		pool[i] = 0;
	for (size_t i = 0; i < run->rule.charge_count; i++)
		pool[run->rule.charges[i].cause] += run->rule.charges[i].slots;
	pool[CAUSE_BASE] += run->chunk.filled;
}

static void begin_chunk(struct run *run)
{
	struct chunk *chunk = &run->chunk;

	chunk->cycles = chunk->filled = 0;
	chunk->count = chunk->timed = 0;
	for (enum component c = COMPONENT_BASE; c < COMPONENT_COUNT; c++) {
		chunk->owners[c][0] = *last_owner(chunk, c);
		chunk->changes[c] = 0;
	}
	/* What is still owed to the I-side is split by the waits that it comes from. */
	if (run->carry[COMPONENT_L1I] <= 0)
		memset(chunk->waits, 0, sizeof(chunk->waits));
	run->rule.charge_count = 0;
}

/* Charges the cycles since the last settlement. */
static void settle_chunk(struct run *run)
{
	const uint64_t slots = run->chunk.cycles * run->width;
	int64_t sums[COMPONENT_COUNT] = {0};
	uint64_t shares[COMPONENT_COUNT] = {0}, given[COMPONENT_COUNT], pool[CAUSE_COUNT], all = 0;

	pool_slots(run, pool);
	if (run->chunk.count)
		find_sums(run, sums);
	for (enum component c = COMPONENT_BASE; c < COMPONENT_COUNT; c++) {
		run->carry[c] += sums[c] * run->width;
		run->charged[c] += sums[c] * run->width;
		shares[c] = run->carry[c] > 0 ? (uint64_t)run->carry[c] : 0;
		all += shares[c];
	}
	/* Where the real time is longer than the recurrence says, components share the rest as they
	 * share all so far. */
	const bool is_rest = !all && run->chunk.count;
	for (enum component c = COMPONENT_BASE; is_rest && c < COMPONENT_COUNT; c++) {
		shares[c] = run->charged[c] > 0 ? (uint64_t)run->charged[c] : 0;
		all += shares[c];
	}
	if (all) {
		portion_split(slots, shares, COMPONENT_COUNT, given);
		for (enum component c = COMPONENT_BASE; c < COMPONENT_COUNT; c++) {
			run->carry[c] -= is_rest ? 0 : (int64_t)given[c];
			sums[c] = (int64_t)given[c];
		}
		clocks_split_fetch(sums, run->chunk.waits);
		for (enum component c = COMPONENT_BASE; c < COMPONENT_COUNT; c++)
			if (sums[c])
				charge_component(run, c, (uint64_t)sums[c], pool);
	} else {
		charge_pool(run, slots, pool);
	}
}

static void take_back(struct run *run)
{
	for (size_t i = 0; i < run->provisional_count; i++)
		ledger_charge(&run->ledger, run->provisional[i].cause, run->provisional[i].pc,
			      -run->provisional[i].slots);
	run->provisional_count = 0;
}

static void settle(struct run *run)
{
	settle_chunk(run);
	for (unsigned m = 0; run->chunk.count && m < run->plan.machine_count; m++)
		run->before[m] = run->chunk.commits[m][run->chunk.count - 1];
	begin_chunk(run);
}

/* Charges the chunk as it is, until the next record. */
static void settle_provisionally(struct run *run)
{
	int64_t carry[COMPONENT_COUNT], charged[COMPONENT_COUNT];

	if (run->provisional_count)
		return;
	memcpy(carry, run->carry, sizeof(carry));
	memcpy(charged, run->charged, sizeof(charged));
	run->is_provisional = true;
	settle_chunk(run);
	run->is_provisional = false;
	memcpy(run->carry, carry, sizeof(carry));
	memcpy(run->charged, charged, sizeof(charged));
}

/* Records which instruction owns the losses of each component from this one on. */
static void find_owners(struct run *run, const struct cycle_retired *insn,
			const struct cycle_waits *waits)
{
	const unsigned tags = insn->tags, i = run->chunk.count;

	if (LIKELY(!tags && !waits))
		return;
	if (tags & FETCH_WAITS) {
		own(run, COMPONENT_L1I, insn->pc, i);
		own(run, COMPONENT_L2I, insn->pc, i);
		own(run, COMPONENT_ITLB, insn->pc, i);
		clocks_add_fetch(run->chunk.waits, waits);
	}
	if (tags & DATA_MISS_TLB || (waits && waits->store[0])) {
		own(run, COMPONENT_DTLB, insn->pc, i);
		own(run, COMPONENT_WALK, insn->pc, i);
	}
	/* A store that waits for a place in the store buffer owns what it waits for: phases are the
	 * TLB, then misses in the L1, L2, L3. */
	if (tags & DATA_MISS_L1 || (waits && waits->store[1]))
		own(run, COMPONENT_L1D, insn->pc, i);
	if (tags & DATA_MISS_L2 || (waits && (waits->store[2] || waits->store[3]))) {
		own(run, COMPONENT_L2D, insn->pc, i);
		own(run, COMPONENT_BANDWIDTH, insn->pc, i);
	}
}

static void retire(struct run *run, const struct cycle_retired *insn,
		   const struct cycle_waits *waits)
{
	struct chunk *chunk = &run->chunk;

	ledger_row_of(&run->ledger, insn->pc)->executed++;
	find_owners(run, insn, waits);
	if (UNLIKELY(insn->marks & (RETIRED_MISPREDICTED | RETIRED_MISFETCHED)))
		own(run, COMPONENT_BRANCH, insn->pc, chunk->count + 1);
	chunk->pcs[chunk->count++] = insn->pc;
	run->retired++;
	run->retired_pc = insn->pc;
	retime_add(run->retime, insn, waits);
	if (chunk->count == RETIME_BATCH)
		settle(run);
}

static void cycle(void *counter, const struct cycle *c)
{
	struct retimed *retimed = counter;
	struct run *run = retimed->run;

	if (retimed->slots) {
		count_slots.cycle(retimed->slots, c);
		return;
	}
	if (UNLIKELY(run->provisional_count))
		take_back(run);
	if (UNLIKELY(ledger_is_other_thread(&run->ledger, c->thread))) {
		settle(run);
		ledger_set_thread(&run->ledger, c->thread);
	}
	run->chunk.cycles += c->repeat;
	slot_rule_cycle(&run->rule, c);
	run->chunk.filled += run->rule.filled * c->repeat;
	const struct cycle_waits *waits = c->waits;
	for (unsigned i = 0; i < c->committed; i++)
		retire(run, &c->retired[i], c->retired[i].has_waits ? waits++ : NULL);
	if (ledger_advance(&run->ledger, c->repeat, c->committed)) {
		settle(run);
		ledger_end_interval(&run->ledger);
	}
}

struct ledger *retimed_ledger(struct retimed *retimed)
{
	if (retimed->slots)
		return slots_ledger(retimed->slots);
	settle_provisionally(retimed->run);
	return &retimed->run->ledger;
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	const struct retimed *retimed = counter;

	(void)cycles;
	if (retimed->slots) {
		count_slots.read(retimed->slots, cycles, stack);
		return;
	}
	settle_provisionally(retimed->run);
	ledger_stack(retimed->run->ledger.slots, &retimed->run->config, retimed->run->width, stack);
}

void retimed_set_interval(struct retimed *retimed, uint64_t instructions)
{
	if (retimed->slots)
		slots_set_interval(retimed->slots, instructions);
	else
		retimed->run->ledger.interval = instructions;
}

uint64_t retimed_slots_per_cycle(const struct retimed *retimed)
{
	return retimed->slots ? slots_per_cycle(retimed->slots) : retimed->run->width;
}

const struct observer_kind count_retimed = {
	.name = "retimed",
	.summary = "what would go away without each cause, by timing committed instructions again",
	.charges_base = true,
	.needs_ooo = true,
	.events = EVENTS_USUAL | SLOT_RULE_EVENTS | EVENTS_RETIRED,
	.create = create,
	.cycle = cycle,
	.read = read,
	.destroy = destroy,
};
