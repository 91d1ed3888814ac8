/* A machine that is configured anew while it runs: at its first cycle it is the other machine, to
 * the last count; at any moment it goes on with what it has in flight and loses nothing. */
#include "../test.h"
#include "../config/random_config.h"
#include "image/image.h"
#include "machine/live.h"
#include "machine/simulation.h"
#include "value/counted.h"
#include "../../harness.h"

#define COUNTED	     128
#define INSTRUCTIONS 30000

struct outcome {
	uint64_t counted[COUNTED]; /* as counted_rows */
	uint64_t instructions;	   /* executed by the process */
};

/* When a run changes its machine: after each piece of a random length it takes the next of
 * `machines`, over and over. */
struct changes {
	const struct config *machines;
	size_t count;
	struct rng rng;
};

static uint8_t *read_workload(const char *name, size_t *bytes)
{
	const char *build = getenv("BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/workloads/%s", build ? build : "build", name);
	return image_read(path, bytes, NULL);
}

/* Simulates the beginning of a workload. With `to` the machine becomes that before its first cycle;
 * with `changes` it changes again and again. */
static struct outcome run(const char *name, const uint8_t *image, size_t bytes,
			  const struct config *config, const struct config *to,
			  struct changes *changes)
{
	char *argv[] = {(char *)(uintptr_t)name, (char[]){"test"}, NULL};
	struct outcome outcome = {0};
	struct err err;
	struct process *process = harness_process(argv, image, bytes, &err);

	assert_non_null(process);
	struct simulation *s = simulation_create(config, process, &err);
	if (!s)
		fail_msg("%s", err.text);
	if (to && !simulation_reconfigure(s, to, &err))
		fail_msg("%s", err.text);
	for (size_t next = 0;; next++) {
		const uint64_t piece = changes ? rng_below(&changes->rng, 2000) : UINT64_MAX / 2;

		if (!simulation_run_to(s, piece, INSTRUCTIONS))
			break;
		if (changes &&
		    !simulation_reconfigure(s, &changes->machines[next % changes->count], &err))
			fail_msg("%s", err.text);
	}
	if (!simulation_check(s, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; counted_rows[i].name; i++)
		outcome.counted[i] = simulation_total(s, signal_find(counted_rows[i].signal));
	outcome.instructions = simulation_instructions(s);
	simulation_destroy(s);
	process_destroy(process);
	return outcome;
}

static void assert_same(const char *what, uint64_t number, const struct outcome *a,
			const struct outcome *b)
{
	for (size_t i = 0; counted_rows[i].name; i++)
		if (a->counted[i] != b->counted[i])
			fail_msg("%s, machine %llu: %s is %llu, not %llu", what,
				 (unsigned long long)number, counted_rows[i].name,
				 (unsigned long long)b->counted[i],
				 (unsigned long long)a->counted[i]);
}

static uint64_t cycles_of(const struct outcome *outcome)
{
	for (size_t i = 0; counted_rows[i].name; i++)
		if (strcmp(counted_rows[i].name, "cycles") == 0)
			return outcome->counted[i];
	fail();
	return 0;
}

/* A machine of moderate size with every kind of part now and then. */
static void draw_machine(struct rng *rng, struct config *config)
{
	struct config random;

	do {
		random_config(rng, config);
		config->predictor_kind =
			config->core_kind == CORE_OOO && config->predictor_kind == PREDICTOR_NONE
				? PREDICTOR_TAGE
				: config->predictor_kind;
		config->memory_latency %= 300;
		config->memory_latency++;
		config->pmu_sabotage = config->pmu_noise = 0;
		random = *config;
	} while (!config_settle(&random, NULL) || !core_kind_of(&random, NULL));
	*config = random;
}

/* Ranges of instructions, at the beginning of the text or all of it, with any events that the
 * machine knows. */
static void draw_ideal_at(struct rng *rng, struct config *config)
{
	struct ideal_at *at = &config->ideal_at;

	memset(at, 0, sizeof(*at));
	for (at->count = rng_below(rng, 6); at->count && !at->ranges[0].events;)
		for (uint64_t i = 0; i < at->count; i++) {
			struct ideal_range *range = &at->ranges[i];

			range->first = 0x10000 + rng_below(rng, 0x40000);
			range->last = range->first + (UINT64_C(1) << rng_below(rng, 18));
			range->events = (uint32_t)(rng_next(rng) & rng_next(rng));
			range->events &= (1u << IDEAL_AT_EVENT_COUNT) - 1;
			if (config->cache_levels < 2)
				range->events &= ~(IDEAL_AT_BIT(L2I) | IDEAL_AT_BIT(L2D));
			if (config->cache_levels < 3)
				range->events &= ~(IDEAL_AT_BIT(L3I) | IDEAL_AT_BIT(L3D));
			if (range->events & IDEAL_AT_BIT(BRANCH))
				range->branch_percent = (uint16_t)rng_below(rng, 101);
			if (range->events & IDEAL_AT_BIT(LATENCY))
				range->latency_percent = (uint16_t)rng_below(rng, 101);
			if (range->events & IDEAL_AT_BIT(TIME))
				range->time_percent = (uint16_t)rng_below(rng, 101);
		}
}

/* Another machine that the first can become: most parameters that can change, changed. */
static void draw_change(struct rng *rng, const struct config *from, struct config *to)
{
	do {
		*to = *from;
		for (enum config_id id = 0; id < CONFIG_COUNT; id++)
			if (live_can_change(id) && config_applies(from, id) && rng_below(rng, 3))
				config_put(to, id, random_value(rng, id));
		to->memory_latency = 1 + to->memory_latency % 300;
		if (rng_below(rng, 2))
			draw_ideal_at(rng, to);
	} while (!config_settle(to, NULL) || !core_kind_of(to, NULL));
}

static const char *const names[] = {"heapsort", "chess", "sparsemv", "interp", "annealer"};
#define NAMES (sizeof(names) / sizeof(names[0]))

static uint8_t *next_workload(uint64_t i, size_t *bytes)
{
	uint8_t *image = read_workload(names[i % NAMES], bytes);

	if (!image)
		skip();
	return image;
}

TEST(changed_before_its_first_cycle_a_machine_is_the_other)
{
	struct rng rng = {28};

	for (uint64_t i = 0; i < 60; i++) {
		struct config from, to;
		size_t bytes;
		uint8_t *image = next_workload(i, &bytes);

		draw_machine(&rng, &from);
		draw_change(&rng, &from, &to);
		const char *name = names[i % NAMES];
		struct outcome made = run(name, image, bytes, &to, NULL, NULL);
		struct outcome became = run(name, image, bytes, &from, &to, NULL);

		assert_same("changed at once", i, &made, &became);
		free(image);
	}
}

TEST(a_machine_that_becomes_itself_goes_on_as_before)
{
	struct rng rng = {29};

	for (uint64_t i = 0; i < 40; i++) {
		struct config config;
		size_t bytes;
		uint8_t *image = next_workload(i, &bytes);

		draw_machine(&rng, &config);
		if (i % 2)
			draw_ideal_at(&rng, &config);
		struct changes changes = {&config, 1, rng};
		struct outcome plain = run(names[i % NAMES], image, bytes, &config, NULL, NULL);
		struct outcome same = run(names[i % NAMES], image, bytes, &config, NULL, &changes);

		assert_same("becomes itself", i, &plain, &same);
		free(image);
	}
}

TEST(a_machine_changes_at_any_moment_and_loses_nothing)
{
	struct rng rng = {30};

	for (uint64_t i = 0; i < 60; i++) {
		struct config config, machines[3];
		size_t bytes;
		uint8_t *image = next_workload(i, &bytes);

		draw_machine(&rng, &config);
		for (size_t m = 0; m < 2; m++)
			draw_change(&rng, &config, &machines[m]);
		machines[2] = config;
		struct changes changes = {machines, 3, rng};
		struct outcome plain = run(names[i % NAMES], image, bytes, &config, NULL, NULL);
		struct outcome mixed = run(names[i % NAMES], image, bytes, &config, NULL, &changes);

		assert_int_equal(plain.instructions, mixed.instructions);
		rng_below(&rng, 2);
		free(image);
	}
}

/* A change early in a run costs no more than what was in flight: a memory's latency, a window. */
TEST(a_machine_that_changed_early_is_soon_as_fast_as_the_other)
{
	struct config presets[2];
	size_t bytes;
	uint8_t *image = read_workload("chess", &bytes);
	struct err err;

	if (!image)
		skip();
	config_default(&presets[0]);
	config_default(&presets[1]);
	presets[1].rob_size *= 2;
	presets[1].memory_latency *= 2;
	presets[1].l1d_mshrs = 2;
	for (int to_other = 0; to_other < 2; to_other++) {
		const struct config *from = &presets[!to_other], *to = &presets[to_other];
		char *argv[] = {(char[]){"chess"}, (char[]){"test"}, NULL};
		struct process *process = harness_process(argv, image, bytes, &err);
		struct simulation *s = simulation_create(from, process, &err);

		assert_non_null(s);
		simulation_run_to(s, UINT64_MAX / 2, 10000);
		uint64_t before = simulation_cycles(s);
		assert_true(simulation_reconfigure(s, to, &err));
		simulation_run_to(s, UINT64_MAX / 2, 12000);
		uint64_t settled = simulation_cycles(s);
		simulation_run_to(s, UINT64_MAX / 2, 60000);
		uint64_t took = simulation_cycles(s) - settled;
		simulation_destroy(s);
		process_destroy(process);

		process = harness_process(argv, image, bytes, &err);
		s = simulation_create(to, process, &err);
		simulation_run_to(s, UINT64_MAX / 2, 12000);
		uint64_t begun = simulation_cycles(s);
		simulation_run_to(s, UINT64_MAX / 2, 60000);
		uint64_t takes = simulation_cycles(s) - begun;
		simulation_destroy(s);
		process_destroy(process);

		assert_true(settled > before);
		if (took > takes + takes / 50 || takes > took + took / 50)
			fail_msg("48000 instructions took %llu cycles after the change, %llu on "
				 "the machine itself",
				 (unsigned long long)took, (unsigned long long)takes);
	}
	free(image);
}

/* A machine with a full window becomes one with a deep front end, and back: each fits by itself,
 * and what is in flight in between must fit, too. */
TEST(what_two_machines_have_in_flight_fits_together)
{
	struct config machines[2];
	size_t bytes;
	uint8_t *image = read_workload("sparsemv", &bytes);

	if (!image)
		skip();
	config_default(&machines[0]);
	machines[0].rob_size = machines[0].issue_queue_size = machines[0].lsq_size = 1024;
	machines[0].memory_latency = 20000;
	machines[0].predictor_kind = PREDICTOR_PERFECT;
	machines[0].max_branches = 4096;
	machines[1] = machines[0];
	machines[1].rob_size = 16;
	machines[1].decode_width = 8;
	machines[1].l1i_latency = 450;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct changes changes = {machines, 2, {seed}};
		struct outcome plain = run("sparsemv", image, bytes, &machines[0], NULL, NULL);
		struct outcome mixed = run("sparsemv", image, bytes, &machines[0], NULL, &changes);

		assert_int_equal(plain.instructions, mixed.instructions);
	}
	free(image);
}

TEST(what_cannot_change_is_refused_by_name_and_nothing_changes)
{
	size_t bytes;
	uint8_t *image = read_workload("heapsort", &bytes);
	char *argv[] = {(char[]){"heapsort"}, (char[]){"test"}, NULL};
	struct config config;
	struct err err;
	unsigned refused = 0;

	if (!image)
		skip();
	config_default(&config);
	struct outcome plain = run("heapsort", image, bytes, &config, NULL, NULL);
	struct process *process = harness_process(argv, image, bytes, &err);
	struct simulation *s = simulation_create(&config, process, &err);
	simulation_run_to(s, UINT64_MAX / 2, 5000);
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		struct config other = config;

		if (live_can_change(id) || !config_applies(&config, id))
			continue;
		config_put(&other, id, config_get(&config, id) + 1);
		assert_false(simulation_reconfigure(s, &other, &err));
		assert_non_null(strstr(err.text, config_rows[id].key));
		refused++;
	}
	assert_true(refused > 20);
	simulation_run_to(s, UINT64_MAX / 2, INSTRUCTIONS);
	assert_int_equal(simulation_cycles(s), cycles_of(&plain));
	simulation_destroy(s);
	process_destroy(process);
	free(image);
}
