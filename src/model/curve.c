#include "model/curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "core/frontend.h"
#include "model/label.h"

#define KEPT	    1024 /* steps whose times are kept at least: all in flight */
#define STEPS	    1024 /* and so many more */
#define CYCLES	    8192 /* cycles whose used slots are kept */
#define STORE_WORDS 4096

enum pool { POOL_ISSUE, POOL_ALU, POOL_MULDIV, POOL_MEMORY, POOL_FP_ADD, POOL_FP_MULDIV, POOLS };

/* What is used in a cycle: eight bits of each pool. They are read and written together, since what
 * was written in parts must leave the host's store buffer before it can be read as a whole. */
struct slots {
	uint64_t cycle, used;
};

_Static_assert(POOLS <= sizeof(uint64_t), "eight bits of each");

struct store_word {
	uint64_t word_plus_1, ready;
};

/* When a step enters the window and leaves it. */
struct times {
	uint64_t entered, left;
};

/* What the configuration says of a unit. */
struct unit_times {
	uint64_t use; /* of a cycle in which an operation issues */
	uint32_t latency, busy;
	uint8_t shift, limit; /* of its pool, in what is used */
};

/* Where fetch is: its cycle, the line and how many instructions are of that; it may have to begin
 * anew behind a taken branch. */
struct front {
	uint64_t cycle, line;
	uint32_t used;
	bool ends;
};

/* Times are in the order of the steps, after zeros, so that a step before the first is one at time
 * 0. Where there is no room for more, the last KEPT are moved to the beginning. */
struct curve {
	struct config config;
	uint32_t window, in_front, stages;
	unsigned line_bits;
	uint8_t issue_limit;
	struct unit_times units[UNIT_COUNT];
	/* Of a load: whether it misses in the L1D, is in the last cache at best, misses in the
	 * TLB. */
	uint32_t load_latency[2][2][2];
	size_t count, accesses; /* of the times kept, zeros included */
	struct times times[KEPT + STEPS];
	uint64_t access_left[KEPT + STEPS];
	uint64_t ready[TRACE_REGISTERS];
	bool mispredicts;
	uint64_t steps;	       /* all so far */
	uint64_t stores_known; /* when the addresses of all stores so far are */
	struct front front;
	struct slots slots[CYCLES];
	struct store_word stores[STORE_WORDS];
};

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

static uint32_t load_latency(const struct config *c, bool misses, bool is_far, bool misses_tlb)
{
	uint32_t latency = c->l1d_latency;

	if (misses && !c->ideal_l1d && c->cache_levels > 1)
		latency += c->l2_latency;
	/* A long miss waits for the last cache, as a hit there would. */
	if (is_far && !c->ideal_l1d && !c->ideal_l2d && c->cache_levels > 2)
		latency += c->l3_latency;
	return latency + (misses_tlb && !c->ideal_dtlb ? c->dtlb_miss : 0);
}

static void fill_tables(struct curve *c, const struct config *config)
{
	const uint8_t limits[POOLS] = {
		(uint8_t)config->issue_width,	   (uint8_t)config->int_alu_count,
		(uint8_t)config->int_muldiv_count, (uint8_t)config->memory_ports,
		(uint8_t)config->fp_add_count,	   (uint8_t)config->fp_muldiv_count,
	};

	c->issue_limit = limits[POOL_ISSUE];
	for (unsigned unit = 0; unit < UNIT_COUNT; unit++) {
		const uint32_t latency = unit_latency(config, unit);
		const bool divides = unit == UNIT_DIV || unit == UNIT_FP_DIV;
		const unsigned pool = pool_of(unit);

		c->units[unit] = (struct unit_times){
			.use = UINT64_C(1) << 8 * POOL_ISSUE | UINT64_C(1) << 8 * pool,
			.latency = latency,
			.busy = divides && !config->ideal_units ? latency : 1,
			.shift = (uint8_t)(8 * pool),
			.limit = limits[pool],
		};
	}
	for (unsigned i = 0; i < 8; i++)
		c->load_latency[i & 1][i >> 1 & 1][i >> 2] =
			load_latency(config, i & 1, i >> 1 & 1, i >> 2);
}

struct curve *curve_create(const struct config *config, uint32_t window, bool mispredicts)
{
	struct curve *c = mem_alloc(sizeof(*c));

	BUG_ON(window > KEPT || config->lsq_size > KEPT);
	c->config = *config;
	c->window = window;
	c->mispredicts = mispredicts;
	c->in_front = config->fetch_buffer + frontend_room(config);
	if (c->in_front > KEPT)
		c->in_front = KEPT;
	c->stages = frontend_stages(config);
	c->line_bits = bits_log2(config->l1i_line);
	fill_tables(c, config);
	c->count = c->accesses = KEPT;
	c->front.line = UINT64_MAX;
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
	return c->times[c->count - 1].left;
}

double curve_instructions_per_cycle(const struct curve *c)
{
	uint64_t cycles = curve_cycles(c);

	return cycles ? (double)c->steps / (double)cycles : c->config.dispatch_width;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The number, or 0. Without a conditional branch: these cannot be predicted, and more of them
 * took a quarter of the time. */
static inline uint64_t if_so(bool is_so, uint64_t number)
{
	return number & -(uint64_t)is_so;
}

/* What is used in that cycle. */
static inline uint64_t used_at(const struct curve *c, uint64_t cycle)
{
	const struct slots *s = &c->slots[cycle % CYCLES];

	return if_so(s->cycle == cycle, s->used);
}

/* A unit that is not pipelined is used in further cycles, which more may use than there are. */
static void use_later(struct curve *c, const struct unit_times *unit, uint64_t cycle)
{
	for (uint32_t i = 1; i < unit->busy; i++) {
		const uint64_t used = used_at(c, cycle + i);
		const uint64_t more = (uint8_t)((used >> unit->shift) + 1);

		c->slots[(cycle + i) % CYCLES] = (struct slots){
			cycle + i, (used & ~(UINT64_C(0xff) << unit->shift)) | more << unit->shift};
	}
}

/* The first cycle from `from` on in which the unit and an issue slot are free; takes them. */
static inline uint64_t take_slot(struct curve *c, const struct unit_times *unit, uint64_t from)
{
	const uint8_t issue_limit = c->issue_limit, limit = unit->limit, shift = unit->shift;
	uint64_t cycle = from, used = used_at(c, cycle);

	_Static_assert(!POOL_ISSUE, "the lowest bits");
	while ((uint8_t)used >= issue_limit || (uint8_t)(used >> shift) >= limit)
		used = used_at(c, ++cycle);
	c->slots[cycle % CYCLES] = (struct slots){cycle, used + unit->use};
	if (UNLIKELY(unit->busy > 1))
		use_later(c, unit, cycle);
	return cycle;
}

/* The cycle in which the step is fetched; `room_at`: fetch runs ahead by what fits before the
 * window. */
static inline uint64_t fetch(struct front *f, const struct curve *c, const struct trace_step *step,
			     uint64_t room_at)
{
	const struct trace_op *op = step->op;
	const uint64_t line = op->pc >> c->line_bits;
	const bool begins = f->ends | (line != f->line) | (f->used >= c->config.fetch_width) |
			    (f->cycle < room_at);

	f->cycle = later(f->cycle + begins, if_so(begins, room_at));
	f->used = (uint32_t)if_so(!begins, f->used) + 1;
	f->line = line;
	f->ends = (op->control != CONTROL_NONE) & (step->next_pc != op->pc + op->bytes);
	return f->cycle;
}

/* The store whose word a load reads, if it is the last to that word that is remembered. */
static inline struct store_word *store_word(struct curve *c, uint64_t address)
{
	return &c->stores[(address >> 3) % STORE_WORDS];
}

static inline uint64_t operands_ready(const struct curve *c, const uint8_t sources[TRACE_SOURCES])
{
	_Static_assert(TRACE_SOURCES == 4, "as many as here");
	return later(later(c->ready[sources[0]], c->ready[sources[1]]),
		     later(c->ready[sources[2]], c->ready[sources[3]]));
}

static inline uint64_t load_ready(struct curve *c, uint64_t address, uint64_t ready)
{
	const struct store_word *store = store_word(c, address);

	if (c->config.disambiguation == DISAMBIGUATION_CONSERVATIVE)
		ready = later(ready, c->stores_known);
	return later(ready, if_so(store->word_plus_1 == (address >> 3) + 1, store->ready));
}

/* A store is done: its address was known when its first operands were. */
static inline void add_store(struct curve *c, const struct trace_step *step, uint64_t enters,
			     uint64_t done)
{
	const struct trace_op *op = step->op;
	uint64_t address = 0;

	for (unsigned i = 0; i < op->address_sources; i++)
		address = later(address, c->ready[op->sources[i]]);
	c->stores_known = later(c->stores_known, later(enters + 1, address));
	*store_word(c, step->address) = (struct store_word){(step->address >> 3) + 1, done};
}

/* Steps for whose times there is room. What changes with each of them is in variables of this
 * function, where the compiler can keep it in registers. */
static inline __attribute__((always_inline)) void add_steps(struct curve *c,
							    const struct trace_step *steps,
							    struct label *labels, size_t count,
							    bool mispredicts)
{
	const struct config *config = &c->config;
	const struct times *const room = c->times - c->in_front,
				  *const group = c->times - config->dispatch_width,
				  *const window = c->times - c->window,
				  *const commit = c->times - config->commit_width;
	const uint64_t *const queue = c->access_left - config->lsq_size;
	struct front front = c->front;
	struct times last = c->times[c->count - 1];
	size_t n = c->count, accesses = c->accesses;

	for (size_t i = 0; i < count; i++, n++) {
		const struct trace_step *step = &steps[i];
		const struct trace_op *op = step->op;
		const struct unit_times *unit = &c->units[op->unit];
		uint32_t latency = unit->latency;

		uint64_t enters = fetch(&front, c, step, room[n].entered) + c->stages + 1;
		enters = later(enters, group[n].entered + 1);
		enters = later(enters, window[n].left);
		enters = later(enters, last.entered);
		if (op->access_bytes)
			enters = later(enters, queue[accesses]);
		uint64_t ready = operands_ready(c, op->sources);
		if (op->is_load) {
			ready = load_ready(c, step->address, ready);
			latency = c->load_latency[labels[i].data != DATA_HIT]
						 [labels[i].level >= LEVEL_L3][labels[i].tlb_miss];
		}
		const uint64_t issues = take_slot(c, unit, later(enters + 1, ready));
		const uint64_t done = issues + latency;
		const uint64_t leaves = later(later(done, last.left), commit[n].left + 1);
		if (op->is_store)
			add_store(c, step, enters, done);
		if (!mispredicts) {
			labels[i].base_issued = issues;
			labels[i].base_left = leaves;
		} else if (UNLIKELY(labels[i].is_mispredicted)) {
			/* The right path is fed in the cycle in which the branch resolves: fetch()
			 * adds a cycle for the new line and one between fetch and feeding. */
			front.cycle = done - 2;
			front.ends = true;
		}
		for (unsigned k = 0; k < TRACE_DESTINATIONS; k++)
			c->ready[op->destinations[k]] = done;
		c->ready[0] = 0;
		last = (struct times){enters, leaves};
		c->times[n] = last;
		if (op->access_bytes)
			c->access_left[accesses++] = leaves;
	}
	c->front = front;
	c->count = n;
	c->accesses = accesses;
}

/* Makes room for the times of so many steps. */
static void make_room(struct curve *c, size_t count)
{
	if (c->count + count > KEPT + STEPS) {
		memmove(c->times, c->times + c->count - KEPT, KEPT * sizeof(*c->times));
		c->count = KEPT;
	}
	if (c->accesses + count > KEPT + STEPS) {
		memmove(c->access_left, c->access_left + c->accesses - KEPT,
			KEPT * sizeof(*c->access_left));
		c->accesses = KEPT;
	}
}

void curve_add(struct curve *c, const struct trace_step *steps, struct label *labels, size_t count)
{
	c->steps += count;
	for (size_t i = 0, part; i < count; i += part) {
		part = count - i < STEPS ? count - i : STEPS;
		make_room(c, part);
		if (c->mispredicts)
			add_steps(c, steps + i, labels + i, part, true);
		else
			add_steps(c, steps + i, labels + i, part, false);
	}
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
