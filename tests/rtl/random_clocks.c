/* random_clocks SEED DIR: writes the circuit of vclk for a random machine into DIR, with its test
 * bench and random instructions as stimulus: addresses that meet, waits of any length, all marks.
 * What a core guarantees holds: a part of a wait is not longer than the wait, and an instruction
 * whose tags or marks need waits has them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "isa/insn.h"
#include "rtl/stimulus.h"
#include "rtl/verilog.h"

#define INSNS	    500
#define CHECK_INSNS 20 /* between two checks */

static uint32_t between(struct rng *rng, uint32_t least, uint32_t most)
{
	return least + (uint32_t)rng_below(rng, most - least + 1);
}

static bool chance(struct rng *rng, unsigned one_in)
{
	return rng_below(rng, one_in) == 0;
}

static void make_window(struct config *c, struct rng *rng)
{
	c->fetch_width = between(rng, 1, 8);
	c->fetch_buffer = between(rng, 1, 16);
	c->decode_width = between(rng, 1, 5);
	c->frontend_depth = between(rng, 1, 9);
	c->dispatch_width = between(rng, 1, 5);
	c->issue_width = between(rng, 1, 8);
	c->commit_width = between(rng, 1, 5);
	c->rob_size = between(rng, 4, 60);
	c->issue_queue_kind = chance(rng, 2) ? ISSUE_QUEUE_SPLIT : ISSUE_QUEUE_UNIFIED;
	c->issue_queue_size = chance(rng, 3) ? c->rob_size : between(rng, 2, 30);
	c->issue_queue_int = between(rng, 2, 12);
	c->issue_queue_memory = between(rng, 2, 12);
	c->issue_queue_fp = between(rng, 2, 12);
	c->lsq_size = between(rng, 1, 20);
	c->max_branches = chance(rng, 2) ? UNLIMITED : between(rng, 1, 8);
	c->disambiguation = (uint32_t)rng_below(rng, 3);
	c->store_buffer = chance(rng, 2) ? UNLIMITED : 4;
}

static void make_machine(struct config *c, struct rng *rng)
{
	config_reset(c);
	make_window(c, rng);
	c->int_alu_count = between(rng, 1, 4);
	c->memory_ports = between(rng, 1, 3);
	c->int_div_latency = between(rng, 1, 30);
	c->fp_div_latency = between(rng, 1, 128);
	c->cache_levels = between(rng, 1, 3);
	c->l1d_mshrs = chance(rng, 3) ? UNLIMITED : between(rng, 1, 5);
	c->l1d_latency = between(rng, 1, 5);
	c->page_bytes = 1024;
	c->tlb_miss = chance(rng, 2) ? TLB_MISS_WALK : TLB_MISS_FIXED;
	c->memory_line = chance(rng, 2) ? 8 : 0;
	c->ideal_l2d = chance(rng, 6);
	c->ideal_l1i = chance(rng, 8);
	c->ideal_dtlb = chance(rng, 8);
	c->ideal_pending = chance(rng, 6);
	c->ideal_ports = chance(rng, 6);
	c->ideal_store = chance(rng, 6);
}

static uint32_t some_wait(struct rng *rng)
{
	if (chance(rng, 500))
		return (uint32_t)rng_below(rng, UINT32_C(1) << 31);
	return between(rng, 1, chance(rng, 40) ? 3000 : chance(rng, 6) ? 250 : 9);
}

static void make_waits(struct cycle_waits *w, struct rng *rng, const struct cycle_retired *r)
{
	*w = (struct cycle_waits){0};
	for (unsigned i = 0; i < 4 && chance(rng, 3); i++)
		w->fetch[i] = chance(rng, 2) ? some_wait(rng) : 0;
	w->fetch_walk = w->fetch[0] ? (uint32_t)rng_below(rng, w->fetch[0]) : 0;
	w->fetch_queue = chance(rng, 3) ? some_wait(rng) : 0;
	if (r->marks & RETIRED_LOADS) {
		w->data[0] = r->tags & DATA_MISS_TLB ? some_wait(rng) : 0;
		for (unsigned i = 1; i < 4; i++)
			w->data[i] = chance(rng, 2) ? some_wait(rng) : 0;
		w->data_walk = w->data[0] ? (uint32_t)rng_below(rng, w->data[0]) : 0;
		w->data_queue = chance(rng, 3) ? some_wait(rng) : 0;
	}
	for (unsigned i = 0; i < 5; i++)
		w->store[i] = r->marks & RETIRED_STORES && chance(rng, 4) ? some_wait(rng) : 0;
	w->unit = chance(rng, 6) ? some_wait(rng) : 0;
	w->fetch_brought = some_wait(rng);
	w->data_brought = some_wait(rng);
}

static struct cycle_retired make_insn(struct rng *rng, uint64_t pc)
{
	struct cycle_retired r = {.pc = pc,
				  .rd = (uint8_t)rng_below(rng, 65),
				  .unit = (uint8_t)(chance(rng, 2) ? UNIT_LOAD + rng_below(rng, 2)
								   : rng_below(rng, UNIT_COUNT))};

	for (unsigned i = 0; i < 3; i++)
		r.rs[i] = (uint8_t)(chance(rng, 3) ? rng_below(rng, 64) : 0);
	if (r.unit == UNIT_LOAD || r.unit == UNIT_STORE || r.unit == UNIT_AMO) {
		/* Few granules, lines and pages; sometimes far away, or at the end of memory. */
		r.address = (chance(rng, 8) ? UINT64_C(0xfffffff0) : 0x10000) +
			    rng_below(rng, chance(rng, 6) ? 8000 : 100);
		r.address += chance(rng, 12) ? UINT64_C(1) << 32 : 0;
		r.accessed = (uint8_t)(chance(rng, 15) ? 0 : 1u << rng_below(rng, 5));
		r.marks = r.unit == UNIT_STORE	? RETIRED_STORES
			  : r.unit == UNIT_LOAD ? RETIRED_LOADS
						: RETIRED_LOADS | RETIRED_STORES;
	}
	for (unsigned mark = RETIRED_BRANCH; mark <= RETIRED_DRAINED; mark *= 2)
		r.marks |= (uint16_t)(chance(rng, mark < RETIRED_MISPREDICTED ? 6 : 40) ? mark : 0);
	if (r.marks & RETIRED_LOADS) {
		r.marks |= chance(rng, 10) ? RETIRED_REPLAYED : 0;
		r.marks |= chance(rng, 5) ? RETIRED_HELD : 0;
		r.marks |= chance(rng, 6) ? RETIRED_DATA_BROUGHT : 0;
		r.marks |= chance(rng, 12) ? RETIRED_DATA_BROUGHT_FAR : 0;
		r.tags |= chance(rng, 12) ? DATA_MISS_TLB : 0;
		r.tags |= chance(rng, 6) ? DATA_MISS_L1 : 0;
		r.tags |= r.tags & DATA_MISS_L1 && chance(rng, 3) ? DATA_MISS_L2 : 0;
	}
	r.marks |= chance(rng, 30) ? RETIRED_FETCH_BROUGHT : 0;
	r.marks |= chance(rng, 60) ? RETIRED_FETCH_BROUGHT_FAR : 0;
	r.has_waits = r.marks & (RETIRED_DATA_BROUGHT | RETIRED_FETCH_BROUGHT) || r.tags ||
		      chance(rng, 40);
	return r;
}

static void sink(void *files, size_t circuit, enum stimulus_file file, const void *bytes,
		 size_t size)
{
	(void)circuit;
	if (fwrite(bytes, 1, size, ((FILE **)files)[file]) != size)
		exit(1);
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void cycle_checked(void *model, const struct cycle *cycle, struct stimulus *stimulus)
{
	circuit_vclk.cycle(model, cycle, stimulus);
	if (cycle->number % CHECK_INSNS == CHECK_INSNS - 1)
		stimulus_check(stimulus);
}

static void write_stimulus(const struct circuit *circuit, struct rng *rng, FILE *files[2])
{
	struct stimuli *stimuli = stimuli_create(circuit, 1, sink, files);
	uint64_t pc = 0x1000;

	for (unsigned i = 0; i < INSNS; i++) {
		struct cycle_retired r = make_insn(rng, pc);
		struct cycle_waits w;
		struct cycle c = {
			.number = i, .repeat = 1, .committed = 1, .retired = &r, .waits = &w};

		make_waits(&w, rng, &r);
		stimuli_cycle(stimuli, &c);
		pc = r.marks & RETIRED_TAKEN ? 0x1000 + 4 * rng_below(rng, 1000) : pc + 4;
	}
	stimuli_end(stimuli);
	stimuli_destroy(stimuli);
}

int main(int count, char **values)
{
	struct config config;
	struct err err = {0};
	struct circuit circuit;
	struct circuit_kind kind = circuit_vclk;
	const struct circuit_machine machine = {.config = &config};

	if (count != 3)
		return 2;
	struct rng rng = {strtoull(values[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15)};
	make_machine(&config, &rng);
	kind.cycle = cycle_checked;
	kind.checks_itself = true;
	if (!circuit_init(&circuit, &kind, &machine, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	FILE *module = create(values[2], "vclk.v"), *bench = create(values[2], "vclk_tb.v");
	FILE *makefile = create(values[2], "Makefile");
	FILE *files[] = {create(values[2], "vclk.stimulus"), create(values[2], "vclk.expected")};
	verilog_write_module(module, &circuit, "a random machine");
	verilog_write_bench(bench, &circuit, "a random machine");
	verilog_write_makefile(makefile, &circuit, 1);
	write_stimulus(&circuit, &rng, files);
	circuit_release(&circuit);
	return fclose(module) | fclose(bench) | fclose(makefile) | fclose(files[0]) |
	       fclose(files[1]);
}
