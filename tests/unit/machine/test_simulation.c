/* A simulation put together: observers see everything and change nothing. */
#include "../test.h"
#include "base/array.h"
#include "image/image.h"
#include "machine/observer.h"
#include "machine/simulation.h"
#include "value/counted.h"
#include "../../harness.h"

#define COUNTED 128

struct totals {
	uint64_t cycles, committed, fetched, squashed, events;
};

static void add_cycle(void *context, const struct cycle *cycle)
{
	struct totals *t = context;

	t->cycles += cycle->repeat;
	t->committed += cycle->committed * cycle->repeat;
	t->fetched += cycle->fetched * cycle->repeat;
	t->squashed += cycle->squashed * cycle->repeat;
	t->events += cycle->event_count;
}

struct outcome {
	uint64_t counted[COUNTED]; /* as counted_rows */
	size_t count;
	int status;
};

/* Runs a workload to its end, with so many observers; all end with the same totals. */
static struct outcome run(const uint8_t *image, size_t bytes, unsigned observers, bool skips,
			  uint64_t piece, struct totals *totals)
{
	char *argv[] = {(char[]){"heapsort"}, (char[]){"test"}, NULL};
	struct outcome outcome;
	struct config config;
	struct err err;

	config_reset(&config);
	struct process *process = harness_process(argv, image, bytes, &err);
	assert_non_null(process);
	struct simulation *simulation = simulation_create(&config, process, &err);
	assert_non_null(simulation);
	for (unsigned i = 0; i < observers; i++) {
		totals[i] = (struct totals){0};
		simulation_attach(simulation,
				  (struct observer){add_cycle, &totals[i], EVENTS_USUAL});
	}
	simulation_set_skipping(simulation, skips);
	while (simulation_run(simulation, piece))
		;
	assert_true(simulation_check(simulation, &err));
	for (outcome.count = 0; counted_rows[outcome.count].name; outcome.count++)
		outcome.counted[outcome.count] = simulation_total(
			simulation, signal_find(counted_rows[outcome.count].signal));
	outcome.status = process_exit_status(process);
	simulation_destroy(simulation);
	process_destroy(process);
	return outcome;
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->status, b->status);
	for (size_t i = 0; i < a->count; i++)
		assert_int_equal(a->counted[i], b->counted[i]);
}

static uint64_t value_of(const struct outcome *outcome, const char *name)
{
	for (size_t i = 0; i < outcome->count; i++)
		if (strcmp(counted_rows[i].name, name) == 0)
			return outcome->counted[i];
	fail_msg("no value %s", name);
	return 0;
}

static uint8_t *read_heapsort(size_t *bytes)
{
	const char *build = getenv("BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/workloads/heapsort", build ? build : "build");
	return image_read(path, bytes, NULL);
}

struct commits {
	uint64_t committed, listed, events, mispredicted, pcs;
};

static void add_commits(void *context, const struct cycle *cycle)
{
	struct commits *c = context;

	c->committed += cycle->committed;
	c->listed += cycle->committed_pcs ? cycle->committed : 0;
	for (uint32_t i = 0; i < cycle->committed && cycle->committed_pcs; i++)
		c->pcs += cycle->committed_pcs[i];
	for (uint32_t i = 0; i < cycle->event_count; i++) {
		c->events += cycle->events[i].kind == EVENT_COMMIT;
		c->mispredicted += !!(cycle->events[i].detail & COMMIT_MISPREDICTED);
		c->pcs -= EVENT_BIT(cycle->events[i].kind) & EVENTS_OF_COMMIT ? cycle->events[i].pc
									      : 0;
	}
}

/* What a part of a run has of commits, where mispredicted branches alone are needed. */
static struct commits see_commits(const uint8_t *image, size_t bytes, enum config_core core,
				  uint32_t kinds, uint32_t wanted, uint32_t others)
{
	char *argv[] = {(char[]){"heapsort"}, (char[]){"test"}, NULL};
	const struct event_needs needs = {.commits = COMMIT_MISPREDICTED};
	struct commits commits = {0}, seen = {0};
	struct config config;
	struct err err;

	config_reset(&config);
	config.core_kind = core;
	struct process *process = harness_process(argv, image, bytes, &err);
	struct simulation *simulation = simulation_create(&config, process, &err);
	assert_non_null(simulation);
	simulation_attach(simulation, (struct observer){add_commits, &commits, kinds});
	simulation_need_events(simulation, &needs);
	if (wanted)
		simulation_want_events(simulation, wanted);
	if (others)
		simulation_attach(simulation, (struct observer){add_commits, &seen, others});
	simulation_run(simulation, 20000);
	simulation_destroy(simulation);
	process_destroy(process);
	return commits;
}

/* The list of what commits is that of the events, and events are left out only where nobody else
 * asks for any of that kind. */
TEST(what_is_not_needed_is_left_out_unless_others_ask)
{
	const uint32_t kinds = EVENT_BIT(EVENT_COMMIT) | EVENTS_COMMITTED;
	size_t bytes;
	uint8_t *image = read_heapsort(&bytes);

	if (!image)
		skip();
	const struct commits whole =
		see_commits(image, bytes, CORE_OOO, kinds | EVENTS_OF_COMMIT, 0, EVENTS_OF_COMMIT);
	const struct commits few = see_commits(image, bytes, CORE_OOO, kinds, 0, 0);
	const struct commits wanted =
		see_commits(image, bytes, CORE_OOO, kinds, EVENT_BIT(EVENT_COMMIT), 0);
	const struct commits attached =
		see_commits(image, bytes, CORE_OOO, kinds, 0, EVENT_BIT(EVENT_COMMIT));
	assert_true(whole.committed > 1000 && whole.listed == whole.committed && !whole.pcs);
	assert_true(whole.mispredicted > 10 && whole.events > 2 * whole.mispredicted);
	assert_true(few.listed == few.committed && few.committed == whole.committed);
	assert_int_equal(few.mispredicted, whole.mispredicted);
	assert_int_equal(few.events, few.mispredicted);
	assert_int_equal(wanted.events, whole.events);
	assert_int_equal(attached.events, whole.events);
	const struct commits in_order = see_commits(image, bytes, CORE_INORDER,
						    kinds | EVENTS_OF_COMMIT, 0, EVENTS_OF_COMMIT);
	assert_true(in_order.listed == in_order.committed && in_order.listed && !in_order.pcs);
	free(image);
}

TEST(observers_change_nothing_and_miss_nothing)
{
	struct totals totals[2];
	size_t bytes;
	uint8_t *image = read_heapsort(&bytes);

	if (!image)
		skip();
	struct outcome alone = run(image, bytes, 0, true, UINT64_C(1) << 40, totals);
	struct outcome observed = run(image, bytes, 2, true, UINT64_C(1) << 40, totals);
	assert_same(&alone, &observed);
	assert_int_equal(alone.status, 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(totals[i].cycles, value_of(&alone, "cycles"));
		assert_int_equal(totals[i].committed, value_of(&alone, "instructions"));
		assert_int_equal(totals[i].fetched, value_of(&alone, "fetched"));
		assert_int_equal(totals[i].squashed, value_of(&alone, "squashed"));
		assert_true(totals[i].events > value_of(&alone, "branches"));
	}
	free(image);
}

TEST(skipping_and_stopping_are_invisible)
{
	struct totals skipped, stepped;
	size_t bytes;
	uint8_t *image = read_heapsort(&bytes);

	if (!image)
		skip();
	struct outcome fast = run(image, bytes, 1, true, UINT64_C(1) << 40, &skipped);
	struct outcome slow = run(image, bytes, 1, false, 777, &stepped);
	assert_same(&fast, &slow);
	assert_memory_equal(&skipped, &stepped, sizeof(skipped));
	free(image);
}

static void *create_totals(const struct config *config, uint32_t slots)
{
	(void)config;
	(void)slots;
	return calloc(1, sizeof(struct totals));
}

/* A set has seen as many cycles as the simulation, and each of its kinds all of them. */
TEST(a_set_of_observers_sees_every_cycle)
{
	static const struct observer_kind first = {.name = "first",
						   .events = EVENTS_USUAL,
						   .create = create_totals,
						   .cycle = add_cycle,
						   .destroy = free};
	static const struct observer_kind second = {
		.name = "second", .create = create_totals, .cycle = add_cycle, .destroy = free};
	const struct observer_kind *kinds[] = {&first, &second, NULL};
	char *argv[] = {(char[]){"heapsort"}, (char[]){"test"}, NULL};
	struct config config;
	struct err err;
	size_t bytes;
	uint8_t *image = read_heapsort(&bytes);

	if (!image)
		skip();
	config_reset(&config);
	struct process *process = harness_process(argv, image, bytes, &err);
	struct simulation *simulation = simulation_create(&config, process, &err);
	struct observers *set = observers_create(&config, kinds);
	observers_attach(set, simulation);
	simulation_run_to(simulation, UINT64_C(1) << 40, 5000);
	assert_int_equal(simulation_instructions(simulation), 5000);
	assert_int_equal(observers_cycles(set), simulation_cycles(simulation));
	for (unsigned i = 0; i < 2; i++) {
		const struct totals *totals = observers_find(set, kinds[i]);

		assert_int_equal(totals->cycles, simulation_cycles(simulation));
		assert_int_equal(totals->committed, 5000);
		/* Events are there if one of the kinds needs them. */
		assert_true(totals->events > 0);
	}
	observers_destroy(set);
	simulation_destroy(simulation);
	process_destroy(process);
	free(image);
}

/* Changes one of the running totals, through the record of the first cycle. */
struct tampering {
	bool is_memory, is_done;
	size_t place; /* of a number in struct core_totals or struct memory_events */
};

static void tamper(void *context, const struct cycle *cycle)
{
	struct tampering *t = context;
	uint64_t *numbers = (uint64_t *)(uintptr_t)(t->is_memory ? (const void *)cycle->memory
								 : (const void *)cycle->totals);

	if (!t->is_done)
		numbers[t->place]++;
	t->is_done = true;
}

/* The sentence of the check after 2000 instructions; "" if everything holds. */
static struct err check_tampered(const uint8_t *image, size_t bytes, const struct config *config,
				 struct tampering t)
{
	char *argv[] = {(char[]){"heapsort"}, (char[]){"test"}, NULL};
	struct err err = {.text = ""};
	struct process *process = harness_process(argv, image, bytes, &err);
	struct simulation *simulation = simulation_create(config, process, &err);

	assert_non_null(simulation);
	simulation_attach(simulation, (struct observer){tamper, &t, 0});
	simulation_run_to(simulation, UINT64_C(1) << 40, 2000);
	assert_true(t.is_done);
	bool ok = simulation_check(simulation, &err);
	assert_int_equal(ok, !*err.text);
	simulation_destroy(simulation);
	process_destroy(process);
	return err;
}

/* Each identity can fail: a count more than there was is noticed, by name. */
TEST(identities_notice_a_count_too_many)
{
#define CORE(member)                                                                  \
	{                                                                             \
		false, false, offsetof(struct core_totals, member) / sizeof(uint64_t) \
	}
#define MEMORY(member)                            \
	{                                         \
		true, false, MEMORY_EVENT(member) \
	}
	static const struct {
		struct tampering t;
		unsigned levels; /* of the machine; 0: any */
		const char *sentence;
	} cases[] = {
		{CORE(fetched), 0, "fetched = committed + squashed + in flight"},
		{CORE(squashed), 0, "fetched = committed + squashed + in flight"},
		{CORE(mispredictions), 0, "branches mispredicted ="},
		{CORE(conditional_mispredictions), 0, "branches mispredicted ="},
		{CORE(indirect_mispredictions), 0, "branches mispredicted ="},
		{CORE(return_mispredictions), 0, "branches mispredicted ="},
		{CORE(cycles), 0, "cycles = time"},
		{MEMORY(cache[CACHE_L1I][SIDE_INSTRUCTION].misses), 1,
		 "l1i.misses = memory.reads.instructions"},
		{MEMORY(cache[CACHE_L1D][SIDE_DATA].misses), 1, "l1d.misses = memory.reads.data"},
		{MEMORY(cache[CACHE_L1I][SIDE_INSTRUCTION].misses), 2,
		 "l1i.misses = l2.instructions.accesses"},
		{MEMORY(cache[CACHE_L1D][SIDE_DATA].misses), 3, "l1d.misses = l2.data.accesses"},
		{MEMORY(cache[CACHE_L2][SIDE_INSTRUCTION].misses), 2,
		 "l1i.misses = l2.instructions.accesses"},
		{MEMORY(cache[CACHE_L2][SIDE_DATA].hits), 2, "l1d.misses = l2.data.accesses"},
		{MEMORY(cache[CACHE_L3][SIDE_INSTRUCTION].hits), 3,
		 "l2.instructions.misses = l3.instructions.accesses"},
		{MEMORY(cache[CACHE_L3][SIDE_DATA].hits), 3, "l2.data.misses = l3.data.accesses"},
		{MEMORY(memory_reads[SIDE_INSTRUCTION]), 3,
		 "l3.instructions.misses = memory.reads.instructions"},
		{MEMORY(memory_reads[SIDE_DATA]), 2, "l2.data.misses = memory.reads.data"},
		/* A count that nothing is compared with. */
		{MEMORY(memory_writes), 0, ""},
	};
	size_t bytes;
	uint8_t *image = read_heapsort(&bytes);

	if (!image)
		skip();
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		for (unsigned kind = CORE_OOO; kind <= CORE_INORDER; kind++) {
			struct config config;

			config_reset(&config);
			config.core_kind = kind;
			config.cache_levels = cases[i].levels ? cases[i].levels : 2;
			struct err err = check_tampered(image, bytes, &config, cases[i].t);
			if (!*cases[i].sentence)
				assert_string_equal(err.text, "");
			else if (!strstr(err.text, cases[i].sentence))
				fail_msg("'%s' does not mention %s", err.text, cases[i].sentence);
		}
	free(image);
#undef CORE
#undef MEMORY
}

TEST(an_impossible_machine_is_refused_in_a_sentence)
{
	struct process process = {0};
	struct config config;
	struct err err;

	config_reset(&config);
	config.core_kind = CORE_INORDER;
	config.l1i_latency = 4;
	assert_null(simulation_create(&config, &process, &err));
	assert_non_null(strstr(
		err.text, "inorder.mispredict_cycles (3) must be above l1i.latency_cycles (4)"));
}
