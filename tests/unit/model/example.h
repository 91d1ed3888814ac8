/*
 * example.h - short traces with labels, made by hand or at random.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "base/rng.h"
#include "model/label.h"

#define EXAMPLE_MOST 3000

struct example {
	struct trace_op ops[EXAMPLE_MOST];
	struct trace_step steps[EXAMPLE_MOST];
	struct label labels[EXAMPLE_MOST];
	size_t count;
};

/* An instruction that reads one register and writes another. */
static inline void add_alu(struct example *e, uint8_t from, uint8_t to)
{
	size_t i = e->count++;

	e->ops[i] =
		(struct trace_op){.pc = 4 * i, .bytes = 4, .sources = {from}, .destinations = {to}};
	e->steps[i] = (struct trace_step){.op = &e->ops[i]};
	e->labels[i] = (struct label){.data = DATA_NONE};
}

static inline void add_access(struct example *e, bool is_load, bool is_store,
			      uint8_t address_register, uint8_t other_register, uint64_t address,
			      bool is_miss)
{
	size_t i = e->count;

	add_alu(e, address_register, is_load ? other_register : 0);
	if (is_store)
		e->ops[i].sources[1] = other_register;
	e->ops[i].address_sources = 1;
	e->ops[i].is_load = is_load;
	e->ops[i].is_store = is_store;
	e->ops[i].access_bytes = 8;
	e->steps[i].address = address;
	e->labels[i].data = is_miss ? DATA_LONG_MISS : DATA_HIT;
	e->labels[i].block = address / 64;
}

/* Of at most so many instructions, with base times that pass by. */
static inline void make_random(struct example *e, struct rng *rng, size_t most)
{
	size_t count = 1 + rng_below(rng, most - 1);
	unsigned miss_percent = 5 + (unsigned)rng_below(rng, 60);
	unsigned registers = 2 + (unsigned)rng_below(rng, 12);
	unsigned blocks = 2 + (unsigned)rng_below(rng, 30);

	uint64_t now = rng_below(rng, 20);

	e->count = 0;
	while (e->count < count) {
		uint8_t a = (uint8_t)rng_below(rng, registers),
			b = (uint8_t)rng_below(rng, registers);
		uint64_t address = 0x1000 + 64 * rng_below(rng, blocks) + rng_below(rng, 64);
		bool is_miss = rng_below(rng, 100) < miss_percent;
		size_t i = e->count;

		switch (rng_below(rng, 6)) {
		case 0:
		case 1: add_access(e, true, false, a, b, address, is_miss); break;
		case 2: add_access(e, false, true, a, b, address, is_miss); break;
		case 3: add_access(e, true, rng_below(rng, 4) == 0, a, b, address, is_miss); break;
		default: add_alu(e, a, b); break;
		}
		if (e->ops[i].access_bytes)
			e->ops[i].access_bytes = (uint8_t)(1U << rng_below(rng, 4));
		now += rng_below(rng, 8) ? 0 : rng_below(rng, 9);
		e->labels[i].base_left = now;
		e->labels[i].base_issued = now - rng_below(rng, 1 + (now < 30 ? now : 30));
	}
}

#endif
