/* The circuit of vclk (count/count_vclk.c): takes one committed instruction with its waits at a
 * time, and times it on one machine after the other. */
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "core/frontend.h"
#include "count/count.h"
#include "count/retime_rule.h"
#include "count/vclk.h"
#include "machine/observer.h"
#include "rtl/stimulus.h"

/* Stamps reach twice as far ahead as an instruction may wait. A time is bounded first; what is
 * added to it afterwards must fit into the rest of the reach. */
#define LATENCY_MOST 256
/* A line takes more than any wait that is kept then. */
#define MISS_MOST 4095

enum {
	IN_PC,
	IN_ADDRESS,
	IN_RD,
	IN_RS,
	IN_UNIT,
	IN_ACCESSED,
	IN_MARKS,
	IN_MISSES,
	IN_HAS_WAITS,
	IN_FETCH_WAITS,
	IN_FETCH_WALK,
	IN_FETCH_QUEUE,
	IN_DATA_WAITS,
	IN_DATA_WALK,
	IN_DATA_QUEUE,
	IN_STORE_WAITS,
	IN_STORE_WALK,
	IN_STORE_QUEUE,
	IN_UNIT_WAIT,
	IN_FETCH_BROUGHT,
	IN_DATA_BROUGHT,
};

static void add_inputs(struct circuit_shape *shape)
{
	circuit_add_input(shape, vclk_limits.address_bits, 1, "pc");
	circuit_add_input(shape, vclk_limits.address_bits, 1, "address");
	circuit_add_input(shape, 7, 1, "rd");
	circuit_add_input(shape, 7, 3, "rs");
	circuit_add_input(shape, circuit_bits_for(UNIT_COUNT - 1), 1, "unit");
	circuit_add_input(shape, 8, 1, "accessed");
	circuit_add_input(shape, 14, 1, "marks");
	circuit_add_input(shape, 3, 1, "misses");
	circuit_add_input(shape, 1, 1, "has_waits");
	circuit_add_input(shape, 32, 4, "fetch_waits");
	circuit_add_input(shape, 32, 1, "fetch_walk");
	circuit_add_input(shape, 32, 1, "fetch_queue");
	circuit_add_input(shape, 32, 4, "data_waits");
	circuit_add_input(shape, 32, 1, "data_walk");
	circuit_add_input(shape, 32, 1, "data_queue");
	circuit_add_input(shape, 32, 5, "store_waits");
	circuit_add_input(shape, 32, 1, "store_walk");
	circuit_add_input(shape, 32, 1, "store_queue");
	circuit_add_input(shape, 32, 1, "unit_wait");
	circuit_add_input(shape, 32, 1, "fetch_brought");
	circuit_add_input(shape, 32, 1, "data_brought");
}

/* The bits of a row number that let a ring look back `before` rows: a row is read before it is
 * written again. */
static unsigned ring_bits(uint32_t before)
{
	return circuit_bits_for(before ? before - 1 : 0);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void add_widths(struct circuit_shape *shape, const struct retime_rule *rule)
{
	circuit_add_constant(shape, rule->fetch_width, "FETCH_WIDTH");
	circuit_add_constant(shape, rule->fetch_buffer, "FETCH_BUFFER");
	circuit_add_constant(shape, rule->decode_width, "DECODE_WIDTH");
	circuit_add_constant(shape, rule->room, "ROOM");
	circuit_add_constant(shape, rule->stages, "STAGES");
	circuit_add_constant(shape, rule->dispatch_width, "DISPATCH_WIDTH");
	circuit_add_constant(shape, rule->commit_width, "COMMIT_WIDTH");
	circuit_add_constant(shape, rule->rob_size, "ROB_SIZE");
	circuit_add_constant(shape, rule->lsq_size, "LSQ_SIZE");
	circuit_add_constant(shape, rule->mshrs, "MSHRS");
	circuit_add_constant(shape, FRONTEND_DECODE_REDIRECT_CYCLES, "REDIRECT_CYCLES");
	circuit_add_constant(shape, rule->has_store_buffer, "HAS_STORE_BUFFER");
	circuit_add_constant(shape, rule->is_conservative, "IS_CONSERVATIVE");
	circuit_add_constant(shape, rule->has_replay, "HAS_REPLAY");
	circuit_add_constant(shape, rule->l1d_latency, "L1D_LATENCY");
	circuit_add_constant(shape, smaller(rule->near_latency, MISS_MOST), "NEAR_LATENCY");
	circuit_add_constant(shape, smaller(rule->far_latency, MISS_MOST), "FAR_LATENCY");
}

static void add_units(struct circuit_shape *shape, const struct retime_rule *rule)
{
	uint32_t most = 0;

	for (unsigned kind = 0; kind < KINDS; kind++)
		most = larger(most, rule->units[kind]);
	circuit_add_constant(shape, circuit_bits_for(most), "UNIT_COUNT_BITS");
	circuit_add_constant(shape, rule->units[KIND_ALU], "UNITS_ALU");
	circuit_add_constant(shape, rule->units[KIND_MULDIV], "UNITS_MULDIV");
	circuit_add_constant(shape, rule->units[KIND_MEMORY], "UNITS_MEMORY");
	circuit_add_constant(shape, rule->units[KIND_FP_ADD], "UNITS_FP_ADD");
	circuit_add_constant(shape, rule->units[KIND_FP_MULDIV], "UNITS_FP_MULDIV");
	circuit_add_constant(shape, rule->units[KIND_ALL], "ISSUE_WIDTH");
	circuit_add_constant(shape, UNIT_MUL, "UNIT_MUL");
	circuit_add_constant(shape, UNIT_DIV, "UNIT_DIV");
	circuit_add_constant(shape, UNIT_LOAD, "UNIT_LOAD");
	circuit_add_constant(shape, UNIT_STORE, "UNIT_STORE");
	circuit_add_constant(shape, UNIT_AMO, "UNIT_AMO");
	circuit_add_constant(shape, UNIT_FP_ADD, "UNIT_FP_ADD");
	circuit_add_constant(shape, UNIT_FP_MUL, "UNIT_FP_MUL");
	circuit_add_constant(shape, UNIT_FP_DIV, "UNIT_FP_DIV");
	circuit_add_constant(shape, rule->latency[UNIT_ALU], "LATENCY_ALU");
	circuit_add_constant(shape, rule->latency[UNIT_MUL], "LATENCY_MUL");
	circuit_add_constant(shape, rule->latency[UNIT_DIV], "LATENCY_DIV");
	circuit_add_constant(shape, rule->latency[UNIT_FP_ADD], "LATENCY_FP_ADD");
	circuit_add_constant(shape, rule->latency[UNIT_FP_MUL], "LATENCY_FP_MUL");
	circuit_add_constant(shape, rule->latency[UNIT_FP_DIV], "LATENCY_FP_DIV");
	circuit_add_constant(shape, rule->busy[UNIT_DIV], "BUSY_DIV");
	circuit_add_constant(shape, rule->busy[UNIT_FP_DIV], "BUSY_FP_DIV");
}

static void add_queues(struct circuit_shape *shape, const struct retime_rule *rule)
{
	uint32_t most = 1;

	for (unsigned i = 0; rule->has_queue && i < QUEUES; i++)
		most = larger(most, rule->queue_size[i]);
	circuit_add_constant(shape, rule->has_queue, "HAS_QUEUE");
	circuit_add_constant(shape, rule->has_queue && rule->is_split ? QUEUES : 1, "QUEUES");
	circuit_add_constant(shape, circuit_bits_for(most), "QUEUE_COUNT_BITS");
	for (unsigned i = 0; i < QUEUES; i++)
		circuit_add_constant(shape, rule->has_queue ? rule->queue_size[i] : 1,
				     "QUEUE_SIZE_%u", i);
}

/* Sizes of memories. */
static void add_tables(struct circuit_shape *shape, const struct config *c,
		       const struct retime_rule *rule)
{
	const uint32_t branches = rule->max_branches == UNLIMITED ? 0 : rule->max_branches;
	const unsigned fed = ring_bits(larger(rule->fetch_buffer, rule->decode_width));
	const unsigned dispatched = ring_bits(larger(rule->room, rule->dispatch_width));
	const unsigned committed = ring_bits(larger(rule->rob_size, rule->commit_width));
	const unsigned memory = ring_bits(rule->lsq_size), branch = ring_bits(branches);
	const unsigned number = larger(larger(larger(fed, dispatched), larger(committed, memory)),
				       larger(branch, 1));
	const unsigned unit = bits_log2(rule->unit_mask + 1);
	const unsigned queue = bits_log2(rule->queue_mask + 1);
	const unsigned swept = larger(larger(number, unit), 7);
	const uint32_t far = c->cache_levels > 1 ? c->l2_line : c->l1d_line;

	circuit_add_constant(shape, branches, "MAX_BRANCHES");
	circuit_add_constant(shape, fed, "FED_BITS");
	circuit_add_constant(shape, dispatched, "DISPATCHED_BITS");
	circuit_add_constant(shape, committed, "COMMITTED_BITS");
	circuit_add_constant(shape, memory, "MEMORY_BITS");
	circuit_add_constant(shape, branch, "BRANCH_BITS");
	circuit_add_constant(shape, number, "NUMBER_BITS");
	circuit_add_constant(shape, circuit_bits_for(rule->mshrs ? rule->mshrs - 1 : 0),
			     "MSHR_BITS");
	circuit_add_constant(shape, unit, "UNIT_CYCLE_BITS");
	circuit_add_constant(shape, queue, "QUEUE_CYCLE_BITS");
	circuit_add_constant(shape, swept, "SWEEP_BITS");
	circuit_add_constant(shape, rule->has_queue ? larger(swept, queue) : swept, "INDEX_BITS");
	circuit_add_constant(shape, vclk_limits.stamp_bits, "STAMP_BITS");
	circuit_add_constant(shape, vclk_limits.address_bits, "ADDRESS_BITS");
	circuit_add_constant(shape, bits_log2(vclk_limits.stores), "STORE_BITS");
	circuit_add_constant(shape, bits_log2(vclk_limits.lines), "LINE_BITS");
	circuit_add_constant(shape, bits_log2(vclk_limits.pages), "PAGE_BITS");
	circuit_add_constant(shape, bits_log2(c->l1i_line), "CODE_LINE_SHIFT");
	circuit_add_constant(shape, bits_log2(c->l1d_line), "LINE_SHIFT");
	circuit_add_constant(shape, bits_log2(far), "FAR_LINE_SHIFT");
	circuit_add_constant(shape, bits_log2(c->page_bytes), "PAGE_SHIFT");
	circuit_add_constant(shape, COUNT_GLOBAL_BITS, "GLOBAL_BITS");
}

/* Which machine has which cause: a bit for each machine. */
static void add_causes(struct circuit_shape *shape, const struct clocks_plan *plan)
{
	struct retime_causes has[CLOCKS_MACHINES];

	for (unsigned i = 0; i < plan->machine_count; i++)
		has[i] = retime_causes_of(&plan->machines[i]);
#define ADD_CAUSE(name, member)                                       \
	do {                                                          \
		uint64_t bits = 0;                                    \
		for (unsigned i = 0; i < plan->machine_count; i++)    \
			bits |= has[i].member ? UINT64_C(1) << i : 0; \
		circuit_add_constant(shape, bits, name);              \
	} while (0)
	ADD_CAUSE("HAS_BRANCH", branch);
	ADD_CAUSE("HAS_ITLB", fetch[0]);
	ADD_CAUSE("HAS_L1I", fetch[1]);
	ADD_CAUSE("HAS_L2I", fetch[2]);
	ADD_CAUSE("HAS_DTLB", data[0]);
	ADD_CAUSE("HAS_L1D", data[1]);
	ADD_CAUSE("HAS_L2D", data[2]);
	ADD_CAUSE("HAS_WALK", walk);
	ADD_CAUSE("HAS_QUEUEING", queueing);
	ADD_CAUSE("HAS_PENDING", pending);
	circuit_add_constant(shape, plan->machine_count, "MACHINES");
	circuit_add_constant(shape, circuit_bits_for(plan->machine_count - 1), "MACHINE_BITS");
}

static bool shape(const struct circuit_machine *machine, struct circuit_shape *shape,
		  struct err *err)
{
	const struct observer_kind *const kinds[] = {&count_vclk, NULL};
	const struct config *c = machine->config;
	struct clocks_plan plan;

	if (!observers_fit(kinds, c, err))
		return false;
	const struct retime_rule rule = retime_rule_of(c, &vclk_limits);
	if (rule.stages > LATENCY_MOST || rule.l1d_latency > LATENCY_MOST)
		return err_set(
			err,
			"the front end takes %u cycles and an L1D hit %u: the stamps of this "
			"circuit allow for %u",
			rule.stages, rule.l1d_latency, LATENCY_MOST);
	vclk_plan(&plan, c);
	for (unsigned i = 0; i < plan.machine_count; i++)
		circuit_add_word(shape, COUNT_GLOBAL_BITS, false, "clock_%u", i);
	circuit_add_word(shape, COUNT_GLOBAL_BITS, false, "fetch_waits_l1i");
	circuit_add_word(shape, COUNT_GLOBAL_BITS, false, "fetch_waits_l2i");
	circuit_add_word(shape, COUNT_GLOBAL_BITS, false, "fetch_waits_itlb");
	add_inputs(shape);
	add_causes(shape, &plan);
	add_widths(shape, &rule);
	add_units(shape, &rule);
	add_queues(shape, &rule);
	add_tables(shape, c, &rule);
	return true;
}

static void *create(const struct circuit_machine *machine)
{
	return count_vclk.create(machine->config, machine->config->dispatch_width);
}

static void destroy(void *model)
{
	count_vclk.destroy(model);
}

static void set_waits(struct stimulus *stimulus, const struct cycle_waits *w)
{
	for (unsigned i = 0; i < ARRAY_COUNT(w->fetch); i++)
		stimulus_set_field(stimulus, IN_FETCH_WAITS, i, w->fetch[i]);
	for (unsigned i = 0; i < ARRAY_COUNT(w->data); i++)
		stimulus_set_field(stimulus, IN_DATA_WAITS, i, w->data[i]);
	for (unsigned i = 0; i < ARRAY_COUNT(w->store); i++)
		stimulus_set_field(stimulus, IN_STORE_WAITS, i, w->store[i]);
	stimulus_set(stimulus, IN_FETCH_WALK, w->fetch_walk);
	stimulus_set(stimulus, IN_FETCH_QUEUE, w->fetch_queue);
	stimulus_set(stimulus, IN_DATA_WALK, w->data_walk);
	stimulus_set(stimulus, IN_DATA_QUEUE, w->data_queue);
	stimulus_set(stimulus, IN_STORE_WALK, w->store_walk);
	stimulus_set(stimulus, IN_STORE_QUEUE, w->store_queue);
	stimulus_set(stimulus, IN_UNIT_WAIT, w->unit);
	stimulus_set(stimulus, IN_FETCH_BROUGHT, w->fetch_brought);
	stimulus_set(stimulus, IN_DATA_BROUGHT, w->data_brought);
}

static void set_insn(struct stimulus *stimulus, const struct cycle_retired *insn)
{
	const unsigned bits = vclk_limits.address_bits;

	stimulus_set(stimulus, IN_PC, bits_field(insn->pc, 0, bits));
	stimulus_set(stimulus, IN_ADDRESS, bits_field(insn->address, 0, bits));
	stimulus_set(stimulus, IN_RD, insn->rd);
	for (unsigned i = 0; i < ARRAY_COUNT(insn->rs); i++)
		stimulus_set_field(stimulus, IN_RS, i, insn->rs[i]);
	stimulus_set(stimulus, IN_UNIT, insn->unit);
	stimulus_set(stimulus, IN_ACCESSED, insn->accessed);
	stimulus_set(stimulus, IN_MARKS, insn->marks);
	stimulus_set(stimulus, IN_MISSES, bits_field(insn->tags / DATA_MISS_TLB, 0, 3));
	stimulus_set(stimulus, IN_HAS_WAITS, insn->has_waits != 0);
}

static void cycle(void *model, const struct cycle *c, struct stimulus *stimulus)
{
	const struct cycle_waits *waits = c->waits;

	for (unsigned i = 0; i < c->committed; i++) {
		stimulus_clear(stimulus);
		set_insn(stimulus, &c->retired[i]);
		if (c->retired[i].has_waits)
			set_waits(stimulus, waits++);
		stimulus_emit(stimulus, 1);
	}
	count_vclk.cycle(model, c);
}

static const char *const templates[] = {"vclk",	      "vclk_access", "vclk_stamps",
					"vclk_units", "vclk_waits",  NULL};

const struct circuit_kind circuit_vclk = {
	.name = "vclk",
	.summary = "times what commits again, on machines with one cause more each",
	.events = EVENTS_RETIRED,
	.templates = templates,
	.shape = shape,
	.create = create,
	.cycle = cycle,
	.words = vclk_words,
	.destroy = destroy,
};
