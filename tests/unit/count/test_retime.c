/* retime: on random instructions and machines, every time equals that of a slow twin; machines that
 * are timed together do not affect each other; stamps of few bits change nothing that is near;
 * neither does the host's kind of instructions nor how late it is. */
#include "../test.h"
#include "count/retime.h"
#include "stream.h"
#include "twin_retime.h"

#define SEEDS	40
#define RECORDS 3000
/* More than are timed at once. */
#define MACHINES 11

/* Some of the causes in which machines that are timed together may differ. */
static void make_causes(struct config *config, struct rng *rng)
{
	config->ideal_branch = rng_below(rng, 2);
	config->ideal_l1i = rng_below(rng, 2);
	config->ideal_l2i = rng_below(rng, 2);
	config->ideal_itlb = rng_below(rng, 2);
	config->ideal_l1d = rng_below(rng, 3) == 0;
	config->ideal_l2d = rng_below(rng, 2);
	config->ideal_dtlb = rng_below(rng, 2);
	config->ideal_walk = rng_below(rng, 2);
	config->ideal_bandwidth = rng_below(rng, 2);
}

/* A small machine with everything that the rule knows, some of it ideal. */
static void make_machine(struct config *config, struct rng *rng)
{
	config->fetch_width = 1 + (uint32_t)rng_below(rng, 8);
	config->fetch_buffer = 1 + (uint32_t)rng_below(rng, 16);
	config->decode_width = 1 + (uint32_t)rng_below(rng, 4);
	config->issue_width = 1 + (uint32_t)rng_below(rng, 8);
	config->issue_queue_size = 2 + (uint32_t)rng_below(rng, 30);
	config->lsq_size = 1 + (uint32_t)rng_below(rng, 20);
	config->max_branches = rng_below(rng, 2) ? UNLIMITED : 1 + (uint32_t)rng_below(rng, 8);
	config->int_alu_count = 1 + (uint32_t)rng_below(rng, 4);
	config->memory_ports = 1 + (uint32_t)rng_below(rng, 2);
	config->int_div_latency = config->fp_div_latency = 1 + (uint32_t)rng_below(rng, 5);
	config->page_bytes = 1024;
	config->l2_latency = 5;
	config->store_buffer = rng_below(rng, 3) ? 8 : UNLIMITED;
	config->ideal_store = rng_below(rng, 4) == 0;
	make_causes(config, rng);
}

/* What a tape of random records does not have: every kind of wait and mark that the rule knows. */
static void decorate(struct cycle_retired *insn, struct cycle_waits *w, struct rng *rng,
		     uint64_t *stored)
{
	if (insn->tags & FETCH_WAIT_TLB)
		w->fetch_walk = (uint32_t)rng_below(rng, w->fetch[0] + 1);
	w->fetch_queue = (uint32_t)rng_below(rng, w->fetch[2] + w->fetch[3] + 1);
	if (insn->marks & RETIRED_FETCH_BROUGHT && rng_below(rng, 2))
		insn->marks |= RETIRED_FETCH_BROUGHT_FAR;
	if (insn->marks & RETIRED_DATA_BROUGHT && rng_below(rng, 2))
		insn->marks |= RETIRED_DATA_BROUGHT_FAR;
	if (insn->marks & RETIRED_BRANCH && !(insn->marks & RETIRED_MISPREDICTED) &&
	    rng_below(rng, 6) == 0)
		insn->marks |= RETIRED_MISFETCHED;
	if (insn->unit == UNIT_FP_MUL)
		insn->rs[2] = (uint8_t)rng_below(rng, 12);
	if (insn->unit != UNIT_STORE && rng_below(rng, 12) == 0)
		w->unit = 1 + (uint32_t)rng_below(rng, 5);
	if (insn->unit == UNIT_STORE)
		*stored = insn->address;
	if (insn->unit == UNIT_STORE && rng_below(rng, 4) == 0)
		w->store[rng_below(rng, 5)] += 1 + (uint32_t)rng_below(rng, 9);
	if (insn->unit != UNIT_LOAD)
		return;
	if (rng_below(rng, 3) == 0)
		insn->marks |= RETIRED_HELD;
	if (rng_below(rng, 6) == 0) {
		insn->marks |= RETIRED_REPLAYED;
		insn->address = *stored;
	}
	if (insn->tags & DATA_MISS_L2 && rng_below(rng, 2)) {
		w->data[3] = 1 + (uint32_t)rng_below(rng, 9);
		w->data_queue += (uint32_t)rng_below(rng, 3);
		if (w->data_queue > w->data[2] + w->data[3])
			w->data_queue = w->data[2] + w->data[3];
		insn->tags |= DATA_MISS_L3;
	}
	/* It waited for a line that another instruction had asked for. */
	if (!(insn->tags & DATA_MISS_L1) && rng_below(rng, 8) == 0) {
		w->data[1] = 1 + (uint32_t)rng_below(rng, 4);
		w->data[2] = (uint32_t)rng_below(rng, 9);
	}
}

/* The parameters that only some machines have. */
static void make_options(struct config *config, struct rng *rng)
{
	static const enum config_disambiguation disambiguations[] = {
		DISAMBIGUATION_CONSERVATIVE, DISAMBIGUATION_PERFECT, DISAMBIGUATION_PREDICT};

	config->cache_levels = 1 + (uint32_t)rng_below(rng, 3);
	config->memory_latency = 17;
	config->l1d_mshrs = rng_below(rng, 3) ? 1 + (uint32_t)rng_below(rng, 3) : UNLIMITED;
	config->issue_queue_kind = rng_below(rng, 2) ? ISSUE_QUEUE_SPLIT : ISSUE_QUEUE_UNIFIED;
	config->issue_queue_int = 1 + (uint32_t)rng_below(rng, 8);
	config->issue_queue_memory = 1 + (uint32_t)rng_below(rng, 6);
	config->issue_queue_fp = 1 + (uint32_t)rng_below(rng, 4);
	config->disambiguation = disambiguations[rng_below(rng, 3)];
	config->store_buffer = rng_below(rng, 2) ? 4 : UNLIMITED;
	config->ideal_store = rng_below(rng, 4) == 0;
	config->ideal_replay = rng_below(rng, 4) == 0;
	config->ideal_pending = rng_below(rng, 3) == 0;
	config->ideal_units = rng_below(rng, 4) == 0;
	config->ideal_ports = rng_below(rng, 4) == 0;
	config->predictor_kind = rng_below(rng, 8) ? PREDICTOR_HYBRID : PREDICTOR_PERFECT;
	config->int_alu_latency = 1 + (uint32_t)rng_below(rng, 2);
	config->int_mul_latency = 2 + (uint32_t)rng_below(rng, 4);
	config->int_div_latency = 3 + (uint32_t)rng_below(rng, 6);
	config->fp_add_latency = 1 + (uint32_t)rng_below(rng, 4);
	config->fp_mul_latency = 2 + (uint32_t)rng_below(rng, 5);
	config->fp_div_latency = 4 + (uint32_t)rng_below(rng, 7);
	config->l1d_latency = 1 + (uint32_t)rng_below(rng, 4);
	config->fp_add_count = 1 + (uint32_t)rng_below(rng, 2);
	config->fp_muldiv_count = 1 + (uint32_t)rng_below(rng, 2);
	config->int_muldiv_count = 1 + (uint32_t)rng_below(rng, 2);
}

TEST(times_equal_the_twins)
{
	struct twin_retime *twin = malloc(sizeof(*twin));

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config machines[3];
		struct rng rng = {seed + 1};

		stream_config(&machines[0], seed);
		machines[0].cache_levels = 2;
		struct tape tape = stream_make(seed, &machines[0], RECORDS);
		for (unsigned m = 0; m < 3; m++) {
			machines[m] = machines[0];
			make_machine(&machines[m], &rng);
			if (m > 0)
				make_options(&machines[m], &rng);
		}
		size_t count = tape.retired_count < TWIN_INSNS ? tape.retired_count : TWIN_INSNS;
		assert_true(count > 100);
		for (unsigned m = 0; m < 3; m++) {
			struct retime *retime = retime_create(&machines[m], 1);
			const struct cycle_waits *waits = tape.waits;
			struct rng marks = {seed};
			uint64_t stored = 0x10000;

			memset(twin, 0, sizeof(*twin));
			twin->c = machines[m];
			for (size_t i = 0; i < count; i++) {
				static const struct cycle_waits none;
				struct cycle_retired insn = tape.retired[i];
				struct cycle_waits w = insn.has_waits ? *waits++ : none;

				if (m > 0)
					decorate(&insn, &w, &marks, &stored);
				insn.has_waits = insn.has_waits || memcmp(&w, &none, sizeof(w));
				twin_retime(twin, &insn, insn.has_waits ? &w : NULL);
				retime_step(retime, &insn, insn.has_waits ? &w : NULL);
				if (retime_commits(retime)[0] != twin->insns[i].committed)
					fail_msg(
						"seed %llu, machine %u: instruction %zu commits in "
						"%llu instead of %llu",
						(unsigned long long)seed, m, i,
						(unsigned long long)retime_commits(retime)[0],
						(unsigned long long)twin->insns[i].committed);
			}
			retime_destroy(retime);
		}
		tape_release(&tape);
	}
	free(twin);
}

/* Several machines at once, in batches of any length, are those machines one by one, which do
 * without the host's vector instructions here. */
TEST(machines_do_not_affect_each_other)
{
	static const struct retime_limits limits = {
		.stores = 512, .lines = 512, .pages = 64, .unit_cycles = 256, .is_portable = true};

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config machines[MACHINES];
		struct retime *one[MACHINES];
		struct rng rng = {seed + 7};

		stream_config(&machines[0], seed);
		struct tape tape = stream_make(seed, &machines[0], RECORDS);
		make_machine(&machines[0], &rng);
		machines[0].issue_queue_kind = seed % 2 ? ISSUE_QUEUE_SPLIT : ISSUE_QUEUE_UNIFIED;
		machines[0].issue_queue_int = machines[0].issue_queue_memory = 4;
		machines[0].l1d_mshrs = seed % 3 ? 2 : UNLIMITED;
		for (unsigned m = 0; m < MACHINES; m++) {
			machines[m] = machines[0];
			make_causes(&machines[m], &rng);
			one[m] = retime_create_limited(&machines[m], 1, &limits);
		}
		struct retime *all = retime_create(machines, MACHINES);
		const struct cycle_waits *waits = tape.waits;
		for (size_t i = 0; i < tape.retired_count; i++) {
			const struct cycle_waits *w = tape.retired[i].has_waits ? waits++ : NULL;

			retime_step(all, &tape.retired[i], w);
			for (unsigned m = 0; m < MACHINES; m++)
				retime_step(one[m], &tape.retired[i], w);
			if (rng_below(&rng, 50) == 0)
				for (unsigned m = 0; m < MACHINES; m++)
					assert_int_equal(retime_commits(all)[m],
							 retime_commits(one[m])[0]);
		}
		for (unsigned m = 0; m < MACHINES; m++)
			retime_destroy(one[m]);
		retime_destroy(all);
		tape_release(&tape);
	}
}

/* The same instructions, later: each of those marked as drained is fetched a long wait after all
 * before it have committed, so that the times exceed 32 bits, and all times are what they are after
 * short waits plus the difference. The waits differ by a multiple of the cycles of all tables. */
TEST(times_do_not_depend_on_how_late_it_is)
{
	const uint32_t further = 15 << 20;
	uint64_t latest = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;
		struct rng rng = {seed + 5};
		uint64_t difference = 0;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		make_machine(&config, &rng);
		config.ideal_l1i = false;
		struct retime *early = retime_create(&config, 1);
		struct retime *late = retime_create(&config, 1);
		const struct cycle_waits *waits = tape.waits;
		for (size_t i = 0; i < tape.retired_count; i++) {
			struct cycle_retired insn = tape.retired[i];
			struct cycle_waits w = insn.has_waits ? *waits++ : (struct cycle_waits){0};

			insn.marks &= (uint16_t) ~(RETIRED_DRAINED | RETIRED_FETCH_BROUGHT);
			if (i % 4 == 0) {
				insn.marks |= RETIRED_DRAINED;
				w.fetch[1] = 4096;
			}
			retime_step(early, &insn, &w);
			if (i % 4 == 0) {
				w.fetch[1] += further;
				difference += further;
			}
			retime_step(late, &insn, &w);
			if (rng_below(&rng, 50) == 0)
				assert_int_equal(retime_commits(late)[0],
						 retime_commits(early)[0] + difference);
		}
		latest = difference > latest ? difference : latest;
		retime_destroy(early);
		retime_destroy(late);
		tape_release(&tape);
	}
	assert_true(latest > UINT32_MAX);
}

/* A load that waits for 5000 cycles counts as one that waits for as many as a stamp can tell. */
TEST(stamps_saturate)
{
	const struct retime_limits limits = {
		.stores = 16, .lines = 16, .pages = 4, .unit_cycles = 64, .stamp_bits = 10};
	const struct cycle_waits waits = {.data = {0, 9, 5000, 0}};
	const struct cycle_retired load = {.rd = 5,
					   .unit = UNIT_LOAD,
					   .bytes = 4,
					   .accessed = 8,
					   .address = 4096,
					   .marks = RETIRED_LOADS,
					   .tags = DATA_MISS_L1 | DATA_MISS_L2};
	struct config config;

	config_reset(&config);
	struct retime *wide = retime_create(&config, 1);
	struct retime *narrow = retime_create_limited(&config, 1, &limits);
	retime_step(wide, &load, &waits);
	retime_step(narrow, &load, &waits);
	/* Fetched in cycle 1, as all before the first instruction is fed in cycle 0; dispatched 5
	 * later, issued in 7; 2 for the L1D, 9 for the L2, 5000 for memory. */
	assert_int_equal(retime_commits(wide)[0], 7 + 2 + 9 + 5000);
	assert_int_equal(retime_commits(narrow)[0], 1023);
	retime_destroy(wide);
	retime_destroy(narrow);
}

/* eyerman2006: 32 entries of the fetch buffer, 5 x 4 in the front end, 128 in the window, 64 loads
 * and stores, 64 registers and 7 more times; for each of 16 stores three times, for each of 16
 * lines two, for 4 pages one: 399 of 12 bits. A fetch group has up to 8 instructions, and a wrong
 * path 11 bits of cycles. Units: up to 4, 1, 2, 4 and 1 of a kind and 8 in all take 3, 1, 2, 3, 1
 * and 4 bits, in each of 64 cycles, and each says by 6 bits of which cycle it tells. */
TEST(storage_is_what_the_tables_take)
{
	const struct retime_limits limits = {.stores = 16,
					     .lines = 16,
					     .pages = 4,
					     .unit_cycles = 64,
					     .stamp_bits = 10,
					     .address_bits = 32};
	const uint64_t plain = 399 * 12 + 4 + 11 + (14 + 6 * 6) * 64;
	struct config config;

	config_reset(&config);
	assert_int_equal(retime_bits(&config, &limits), plain);
	/* Rows with a bit that says whether they are used: of 16 lines of 32 and of 64 bytes, of 4
	 * pages of 4 KB, of 16 stores with 8 bits for bytes, one for the granule, 16 for the age.
	 */
	assert_int_equal(retime_shared_bits(&config, &limits), 16 * (33 - 4 - 5 + 33 - 4 - 6) +
								       4 * (33 - 2 - 12) +
								       16 * (33 + 8 + 1 + 16));
	config.max_branches = 16;
	assert_int_equal(retime_bits(&config, &limits), plain + 16 * 12);
	config.max_branches = UNLIMITED;
	config.l1d_mshrs = 4;
	assert_int_equal(retime_bits(&config, &limits), plain + 4 * 12);
}
