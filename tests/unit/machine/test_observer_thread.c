/* A second thread that observes: it sees what an observer in the core's thread sees, record by
 * record, and after a drain nothing is missing. */
#include "../test.h"
#include "base/array.h"
#include "image/image.h"
#include "machine/observer_thread.h"

/* What an observer makes of records: their number, and a hash over all that they hold. */
struct seen {
	uint64_t records, cycles, hash;
	bool has_totals; /* a record had some */
};

static void add(struct seen *seen, const void *bytes, size_t count)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < count; i++)
		seen->hash = (seen->hash ^ p[i]) * UINT64_C(1099511628211);
}

static void see(void *context, const struct cycle *cycle)
{
	struct seen *seen = context;

	seen->records++;
	seen->has_totals |= cycle->totals || cycle->memory;
	seen->cycles += cycle->repeat;
	add(seen, cycle, offsetof(struct cycle, events));
	add(seen, cycle->events, cycle->event_count * sizeof(*cycle->events));
	add(seen, cycle->useful_pcs, cycle->useful_dispatched * sizeof(*cycle->useful_pcs));
	if (!cycle->retired)
		return;
	add(seen, cycle->retired, cycle->committed * sizeof(*cycle->retired));
	add(seen, cycle->waits, cycle->wait_count * sizeof(*cycle->waits));
}

static void assert_same(const struct seen *a, const struct seen *b)
{
	assert_false(b->has_totals);
	assert_int_equal(a->records, b->records);
	assert_int_equal(a->cycles, b->cycles);
	assert_int_equal(a->hash, b->hash);
}

static struct observer_thread *create(void)
{
	struct err err;
	struct observer_thread *thread = observer_thread_create(NULL, NULL, &err);

	assert_non_null(thread);
	return thread;
}

/* Simulates in pieces of so many cycles, with a drain after each. */
static void observe_core(const char *core, uint64_t piece, uint32_t events)
{
	const char *argv[] = {"heapsort", "test", NULL};
	const char *build = getenv("BUILD");
	char path[4096];
	size_t bytes;
	struct seen here = {0}, there = {0};
	struct config config;
	struct err err;

	snprintf(path, sizeof(path), "%s/workloads/heapsort", build ? build : "build");
	uint8_t *image = image_read(path, &bytes, NULL);
	if (!image)
		skip();
	const struct process_options options = {.program = "heapsort",
						.image = image,
						.image_bytes = bytes,
						.argv = argv,
						.seed = 1,
						.memory_limit_bytes = UINT64_C(1) << 30,
						.silent = true};
	config_reset(&config);
	assert_true(config_set(&config, core, &err));
	struct process *process = process_create(&options, &err);
	assert_non_null(process);
	struct simulation *simulation = simulation_create(&config, process, &err);
	assert_non_null(simulation);
	struct observer_thread *thread = create();
	observer_thread_begin(thread, (struct observer){see, &there, events});
	simulation_attach(simulation, (struct observer){see, &here, events});
	simulation_attach(simulation, (struct observer){observer_thread_take, thread, events});
	simulation_write_to(simulation, observer_thread_lists(thread));
	while (simulation_run(simulation, piece) && simulation_instructions(simulation) < 200000) {
		observer_thread_drain(thread);
		assert_same(&here, &there);
	}
	observer_thread_drain(thread);
	assert_same(&here, &there);
	assert_int_equal(there.cycles, simulation_cycles(simulation));
	observer_thread_destroy(thread);
	simulation_destroy(simulation);
	process_destroy(process);
	free(image);
}

TEST(the_thread_sees_what_the_core_says)
{
	static const char *const cores[] = {"core.kind=ooo", "core.kind=inorder"};

	for (unsigned i = 0; i < 2; i++) {
		observe_core(cores[i], 10000000, EVENTS_USUAL);
		observe_core(cores[i], 977, EVENT_BIT(EVENT_KINDS) - 1);
		observe_core(cores[i], 10000, 0);
		observe_core(cores[i], 7919, EVENTS_USUAL | EVENTS_RETIRED);
	}
}

/* Records of every size, from none of the events to more than a batch has room for. */
TEST(records_of_every_size_arrive)
{
	enum { RECORDS = 20000 };
	struct observer_thread *thread = create();
	struct cycle_lists *lists = observer_thread_lists(thread);
	struct seen here = {0}, there = {0};

	observer_thread_begin(thread, (struct observer){see, &there, 0});
	for (unsigned i = 0; i < RECORDS; i++) {
		const unsigned events = i % 1000 == 999 ? 40000 - i : i % 50;
		struct cycle cycle = {.number = i,
				      .repeat = 1 + i % 3,
				      .event_count = events,
				      .wait_count = i % 5,
				      .committed = (uint16_t)(i % (CYCLE_WIDTH_MAX + 1)),
				      .useful_dispatched = (uint16_t)(i % 13)};

		/* As a core does: events one by one, and more room when there is none. */
		for (unsigned k = 0; k < events; k++) {
			if (k == lists->event_capacity)
				lists->grow(lists);
			lists->events[k] = (struct cycle_event){.pc = (uint64_t)i * k};
		}
		for (unsigned k = 0; k < cycle.useful_dispatched; k++)
			lists->useful_pcs[k] = i + k * k;
		for (unsigned k = 0; k < cycle.committed; k++)
			lists->retired[k] =
				(struct cycle_retired){.pc = i ^ k, .has_waits = k < i % 5};
		for (unsigned k = 0; k < cycle.wait_count; k++)
			lists->waits[k] = (struct cycle_waits){.unit = i + k};
		cycle.wait_count = cycle.committed < cycle.wait_count ? cycle.committed : i % 5;
		cycle.events = lists->events;
		cycle.useful_pcs = lists->useful_pcs;
		cycle.retired = lists->retired;
		cycle.waits = lists->waits;
		see(&here, &cycle);
		observer_thread_take(thread, &cycle);
	}
	observer_thread_drain(thread);
	assert_same(&here, &there);
	assert_int_equal(there.records, RECORDS);
	observer_thread_destroy(thread);
}

TEST(one_thread_serves_one_observer_after_the_other)
{
	struct observer_thread *thread = create();
	struct seen seen[3] = {0};

	observer_thread_drain(NULL);
	observer_thread_destroy(NULL);
	assert_int_equal(observer_thread_time_ns(NULL), 0);
	observer_thread_drain(thread);
	for (unsigned i = 0; i < 3; i++) {
		/* The records for the one before are its own, drained or not. */
		observer_thread_begin(thread, (struct observer){see, &seen[i], 0});
		const struct cycle cycle = {.number = i,
					    .repeat = i + 5,
					    .events = observer_thread_lists(thread)->events};

		observer_thread_take(thread, &cycle);
	}
	observer_thread_destroy(thread);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(seen[i].cycles, i + 5);
	observer_thread_destroy(create());
}

static bool refuse(struct err *err)
{
	return err_set(err, "not here");
}

TEST(a_thread_that_cannot_enter_is_none)
{
	bool is_refused = true;
	struct err err;

	assert_null(observer_thread_create(refuse, &is_refused, &err));
	assert_false(is_refused);
	assert_string_equal(err.text, "not here");
}
