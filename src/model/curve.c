#include "model/curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "core/frontend.h"
#include "model/label.h"

#define RING	    2048 /* steps whose times are kept; at least all in flight */
#define CYCLES	    8192 /* cycles whose used slots are kept */
#define STORE_WORDS 4096

enum pool { POOL_ISSUE, POOL_ALU, POOL_MULDIV, POOL_MEMORY, POOL_FP_ADD, POOL_FP_MULDIV, POOLS };

struct slots {
	uint64_t cycle;
	uint8_t used[POOLS];
};

struct store_word {
	uint64_t word_plus_1, ready;
};

struct curve {
	struct config config;
	uint32_t window, in_front;
	uint8_t limits[POOLS];
	uint64_t count, accesses;
	uint64_t entered[RING], left[RING], access_left[RING];
	uint64_t ready[TRACE_REGISTERS];
	bool mispredicts;
	uint64_t stores_known; /* when the addresses of all stores so far are */
	uint64_t fetch_cycle, fetch_line;
	uint32_t fetch_used;
	bool fetch_ends;
	struct slots slots[CYCLES];
	struct store_word stores[STORE_WORDS];
};

struct curve *curve_create(const struct config *config, uint32_t window, bool mispredicts)
{
	struct curve *c = mem_alloc(sizeof(*c));
	const uint8_t limits[POOLS] = {
		(uint8_t)config->issue_width,	   (uint8_t)config->int_alu_count,
		(uint8_t)config->int_muldiv_count, (uint8_t)config->memory_ports,
		(uint8_t)config->fp_add_count,	   (uint8_t)config->fp_muldiv_count,
	};

	BUG_ON(window > RING / 2);
	c->config = *config;
	c->window = window;
	c->mispredicts = mispredicts;
	c->in_front = config->fetch_buffer + frontend_room(config);
	if (c->in_front > RING / 2)
		c->in_front = RING / 2;
	memcpy(c->limits, limits, sizeof(limits));
	c->fetch_line = UINT64_MAX;
	for (size_t i = 0; i < CYCLES; i++)
		c->slots[i].cycle = UINT64_MAX;
	return c;
}

void curve_destroy(struct curve *curve)
{
	free(curve);
}

uint32_t curve_window(const struct curve *curve)
{
	return curve->window;
}

uint64_t curve_cycles(const struct curve *c)
{
	return c->count ? c->left[(c->count - 1) % RING] : 0;
}

double curve_instructions_per_cycle(const struct curve *c)
{
	uint64_t cycles = curve_cycles(c);

	return cycles ? (double)c->count / (double)cycles : c->config.dispatch_width;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The time of the step `distance` steps before this one; 0 if there is none. */
static uint64_t before(const uint64_t *times, uint64_t count, uint64_t distance)
{
	return count >= distance ? times[(count - distance) % RING] : 0;
}

static struct slots *slots_at(struct curve *c, uint64_t cycle)
{
	struct slots *s = &c->slots[cycle % CYCLES];

	if (s->cycle != cycle)
		*s = (struct slots){.cycle = cycle};
	return s;
}

/* The first cycle from `from` on in which the unit and an issue slot are free; takes them. */
static uint64_t take_slot(struct curve *c, enum pool pool, uint64_t from, uint32_t busy)
{
	for (uint64_t cycle = from;; cycle++) {
		struct slots *s = slots_at(c, cycle);

		if (s->used[POOL_ISSUE] >= c->limits[POOL_ISSUE] ||
		    s->used[pool] >= c->limits[pool])
			continue;
		s->used[POOL_ISSUE]++;
		for (uint32_t i = 0; i < busy; i++)
			slots_at(c, cycle + i)->used[pool]++;
		return cycle;
	}
}

static enum pool pool_of(unsigned unit)
{
	switch (unit) {
	case UNIT_MUL:
	case UNIT_DIV: return POOL_MULDIV;
	case UNIT_LOAD:
	case UNIT_STORE:
	case UNIT_AMO: return POOL_MEMORY;
	case UNIT_FP_ADD: return POOL_FP_ADD;
	case UNIT_FP_MUL:
	case UNIT_FP_DIV: return POOL_FP_MULDIV;
	default: return POOL_ALU;
	}
}

static uint32_t unit_latency(const struct config *config, unsigned unit)
{
	if (config->ideal_units)
		return 1;
	switch (unit) {
	case UNIT_MUL: return config->int_mul_latency;
	case UNIT_DIV: return config->int_div_latency;
	case UNIT_FP_ADD: return config->fp_add_latency;
	case UNIT_FP_MUL: return config->fp_mul_latency;
	case UNIT_FP_DIV: return config->fp_div_latency;
	default: return config->int_alu_latency;
	}
}

static uint32_t load_latency(const struct config *c, const struct label *label)
{
	uint32_t latency = c->l1d_latency;

	if (label->data != DATA_HIT && !c->ideal_l1d && c->cache_levels > 1)
		latency += c->l2_latency;
	/* A long miss waits for the last cache, as a hit there would. */
	if (label->level >= LEVEL_L3 && !c->ideal_l1d && !c->ideal_l2d && c->cache_levels > 2)
		latency += c->l3_latency;
	return latency + (label->tlb_miss && !c->ideal_dtlb ? c->dtlb_miss : 0);
}

/* When the step can enter the window, as far as fetch goes. */
static uint64_t fetch(struct curve *c, const struct trace_step *step)
{
	const struct config *config = &c->config;
	const struct trace_op *op = step->op;
	uint64_t line = op->pc / config->l1i_line;
	/* Fetch runs ahead by what fits before the window. */
	uint64_t room_at = before(c->entered, c->count, c->in_front);

	if (c->fetch_ends || line != c->fetch_line || c->fetch_used >= config->fetch_width ||
	    c->fetch_cycle < room_at) {
		c->fetch_cycle = later(c->fetch_cycle + 1, room_at);
		c->fetch_used = 0;
		c->fetch_line = line;
	}
	c->fetch_used++;
	c->fetch_ends = op->control != CONTROL_NONE && step->next_pc != op->pc + op->bytes;
	return c->fetch_cycle + frontend_stages(config) + 1;
}

/* The store whose word a load reads, if it is the last to that word that is remembered. */
static struct store_word *store_word(struct curve *c, uint64_t address)
{
	return &c->stores[(address >> 3) % STORE_WORDS];
}

static uint64_t operands_ready(struct curve *c, const struct trace_step *step, uint64_t *address)
{
	const struct trace_op *op = step->op;
	uint64_t ready = 0;

	*address = 0;
	for (unsigned i = 0; i < TRACE_SOURCES; i++) {
		ready = later(ready, c->ready[op->sources[i]]);
		if (i < op->address_sources)
			*address = ready;
	}
	if (!op->is_load)
		return ready;
	if (c->config.disambiguation == DISAMBIGUATION_CONSERVATIVE)
		ready = later(ready, c->stores_known);
	const struct store_word *store = store_word(c, step->address);
	if (store->word_plus_1 == (step->address >> 3) + 1)
		ready = later(ready, store->ready);
	return ready;
}

void curve_add(struct curve *c, const struct trace_step *step, struct label *label)
{
	const struct config *config = &c->config;
	const struct trace_op *op = step->op;
	bool divides = op->unit == UNIT_DIV || op->unit == UNIT_FP_DIV;
	uint64_t address;

	uint64_t enters =
		later(fetch(c, step), before(c->entered, c->count, config->dispatch_width) + 1);
	enters = later(enters, before(c->left, c->count, c->window));
	enters = later(enters, before(c->entered, c->count, 1));
	if (op->access_bytes)
		enters = later(enters, before(c->access_left, c->accesses, config->lsq_size));
	uint64_t ready = operands_ready(c, step, &address);
	uint32_t latency =
		op->is_load ? load_latency(config, label) : unit_latency(config, op->unit);
	uint64_t issues = take_slot(c, pool_of(op->unit), later(enters + 1, ready),
				    divides && !config->ideal_units ? latency : 1);
	uint64_t done = issues + latency;
	uint64_t leaves = later(done, before(c->left, c->count, 1));
	leaves = later(leaves, before(c->left, c->count, config->commit_width) + 1);
	if (op->is_store) {
		c->stores_known = later(c->stores_known, later(enters + 1, address));
		*store_word(c, step->address) = (struct store_word){(step->address >> 3) + 1, done};
	}
	if (!c->mispredicts) {
		label->base_issued = issues;
		label->base_left = leaves;
	} else if (label->is_mispredicted) {
		/* The right path is fed in the cycle in which the branch resolves: fetch() adds a
		 * cycle for the new line and one between fetch and feeding. */
		c->fetch_cycle = done - 2;
		c->fetch_ends = true;
	}
	for (unsigned i = 0; i < TRACE_DESTINATIONS; i++)
		c->ready[op->destinations[i]] = done;
	c->ready[0] = 0;
	c->entered[c->count % RING] = enters;
	c->left[c->count % RING] = leaves;
	c->count++;
	if (op->access_bytes)
		c->access_left[c->accesses++ % RING] = leaves;
}

bool curve_same_machine(const struct config *a, const struct config *b)
{
	struct config left = *a;
	enum config_id unused[CONFIG_COUNT];

	left.rob_size = b->rob_size;
	left.l1d_mshrs = b->l1d_mshrs;
	left.l2_mshrs = b->l2_mshrs;
	left.l3_mshrs = b->l3_mshrs;
	left.memory_latency = b->memory_latency;
	return config_diff(&left, b, unused) == 0;
}
