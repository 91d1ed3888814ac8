/* Events of a simulated processor: what each generic one is the sum of, which signals a machine
 * has, codes and their permutation, and which one is sabotaged. */
#include "../test.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/array.h"
#include "pmu/events.h"

static struct config config;

static struct events *make(void)
{
	struct err err = {.text = ""};
	struct events *events = events_create(&config, &err);

	if (!events)
		fail_msg("%s", err.text);
	return events;
}

static size_t number_of(const char *name)
{
	const struct signal_row *row = signal_find(name);

	assert_non_null(row);
	return (size_t)(row - signal_rows);
}

/* Checks that an event is the sum of these signals, separated by +; NULL: the machine does not
 * count it. */
static void check_sum(const struct events *events, uint32_t type, uint64_t code, const char *sum)
{
	int event = events_find(events, type, code);
	char text[256] = "";

	if (!sum) {
		assert_int_equal(event, -ENOENT);
		return;
	}
	assert_true(event >= 0);
	const struct event_meaning *meaning = events_meaning(events, event);
	for (unsigned i = 0; i < meaning->signal_count; i++)
		sprintf(text + strlen(text), "%s%s", i ? "+" : "",
			signal_rows[meaning->signals[i]].name);
	assert_string_equal(text, sum);
	assert_int_equal(meaning->times, 1);
}

enum { L1D, L1I, LL, DTLB, ITLB, BPU, NODE };
enum { READ, WRITE, PREFETCH };
#define CACHE(cache, operation, is_miss) \
	PERF_TYPE_HW_CACHE, (cache) | (operation) << 8 | (uint64_t)(is_miss) << 16

/* On machines of one level, of two, and of three with prefetchers everywhere, in order. */
TEST(generic_events_are_sums)
{
	static const struct {
		uint32_t type;
		uint64_t code;
		const char *small, *usual, *large;
	} rows[] = {
		{PERF_TYPE_HARDWARE, 0, "cycles", "cycles", "cycles"},
		{PERF_TYPE_HARDWARE, 1, "committed", "committed", "committed"},
		{PERF_TYPE_HARDWARE, 2, NULL, "l2.data.accesses+l2.instructions.accesses",
		 "l3.data.accesses+l3.instructions.accesses"},
		{PERF_TYPE_HARDWARE, 3, NULL, "l2.data.misses+l2.instructions.misses",
		 "l3.data.misses+l3.instructions.misses"},
		{PERF_TYPE_HARDWARE, 4, "branches+committed.jump+committed.call",
		 "branches+committed.jump+committed.call",
		 "branches+committed.jump+committed.call"},
		{PERF_TYPE_HARDWARE, 5, "branches.mispredicted", "branches.mispredicted",
		 "branches.mispredicted"},
		{PERF_TYPE_HARDWARE, 6, NULL, NULL, NULL}, /* cycles of a bus */
		{PERF_TYPE_HARDWARE, 7, "dispatch.empty", "dispatch.empty", "dispatch.empty"},
		{PERF_TYPE_HARDWARE, 8, "dispatch.rob+dispatch.iq+dispatch.lsq+dispatch.branches",
		 "dispatch.rob+dispatch.iq+dispatch.lsq+dispatch.branches", "dispatch.order"},
		{PERF_TYPE_HARDWARE, 9, "cycles", "cycles", "cycles"},
		{CACHE(L1D, READ, 0), "l1d.loads", "l1d.loads", "l1d.loads"},
		{CACHE(L1D, READ, 1), "l1d.loads.misses", "l1d.loads.misses", "l1d.loads.misses"},
		{CACHE(L1D, WRITE, 0), "l1d.stores", "l1d.stores", "l1d.stores"},
		{CACHE(L1D, WRITE, 1), "l1d.stores.misses", "l1d.stores.misses",
		 "l1d.stores.misses"},
		{CACHE(L1D, PREFETCH, 0), NULL, NULL, "l1d.prefetch.issued"},
		{CACHE(L1D, PREFETCH, 1), NULL, NULL, NULL},
		{CACHE(L1I, READ, 0), "l1i.accesses", "l1i.accesses", "l1i.accesses"},
		{CACHE(L1I, READ, 1), "l1i.misses", "l1i.misses", "l1i.misses"},
		{CACHE(L1I, WRITE, 0), NULL, NULL, NULL},
		{CACHE(L1I, PREFETCH, 0), NULL, NULL, "l1i.prefetch.issued"},
		{CACHE(LL, READ, 0), NULL, "l2.data.loads", "l3.data.loads"},
		{CACHE(LL, READ, 1), NULL, "l2.data.loads.misses", "l3.data.loads.misses"},
		{CACHE(LL, WRITE, 0), NULL, "l2.data.stores", "l3.data.stores"},
		{CACHE(LL, WRITE, 1), NULL, "l2.data.stores.misses", "l3.data.stores.misses"},
		{CACHE(LL, PREFETCH, 0), NULL, NULL, "l3.prefetch.issued"},
		{CACHE(DTLB, READ, 0), "dtlb.loads", "dtlb.loads", "dtlb.loads"},
		{CACHE(DTLB, READ, 1), "dtlb.loads.misses", "dtlb.loads.misses",
		 "dtlb.loads.misses"},
		{CACHE(DTLB, WRITE, 0), "dtlb.stores", "dtlb.stores", "dtlb.stores"},
		{CACHE(DTLB, WRITE, 1), "dtlb.stores.misses", "dtlb.stores.misses",
		 "dtlb.stores.misses"},
		{CACHE(ITLB, READ, 0), "itlb.accesses", "itlb.accesses", "itlb.accesses"},
		{CACHE(ITLB, READ, 1), "itlb.misses", "itlb.misses", "itlb.misses"},
		{CACHE(BPU, READ, 0), "branches", "branches", "branches"},
		{CACHE(BPU, READ, 1), "branches.mispredicted", "branches.mispredicted",
		 "branches.mispredicted"},
		{CACHE(NODE, READ, 0), "memory.reads.data", "memory.reads.data",
		 "memory.reads.data"},
		{CACHE(NODE, WRITE, 0), "memory.writes", "memory.writes", "memory.writes"},
		{CACHE(NODE, PREFETCH, 0), "memory.prefetches", "memory.prefetches",
		 "memory.prefetches"},
	};

	for (unsigned machine = 0; machine < 3; machine++) {
		config_reset(&config);
		config.cache_levels = machine + 1;
		if (machine == 2) {
			config.core_kind = CORE_INORDER;
			config.l1i_prefetch = config.l1d_prefetch = config.l2_prefetch =
				config.l3_prefetch = 1;
		}
		struct events *events = make();
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
			check_sum(events, rows[i].type, rows[i].code,
				  machine == 0	 ? rows[i].small
				  : machine == 1 ? rows[i].usual
						 : rows[i].large);
		events_destroy(events);
	}
	/* A prefetcher of the L2 where that is the last. */
	config_reset(&config);
	config.cache_levels = 2;
	config.l2_prefetch = 1;
	struct events *events = make();
	check_sum(events, CACHE(LL, PREFETCH, 0), "l2.prefetch.issued");
	/* Types and configurations that mean nothing. */
	assert_int_equal(events_find(events, PERF_TYPE_HARDWARE, 10), -EINVAL);
	assert_int_equal(events_find(events, CACHE(6, 2, 1)), -ENOENT);
	assert_int_equal(events_find(events, CACHE(7, 0, 0)), -EINVAL);
	assert_int_equal(events_find(events, CACHE(0, 3, 0)), -EINVAL);
	assert_int_equal(events_find(events, CACHE(0, 0, 2)), -EINVAL);
	assert_int_equal(events_find(events, PERF_TYPE_RAW, 0x10000), -EINVAL);
	assert_int_equal(events_find(events, PERF_TYPE_RAW, 0xffff), -ENOENT);
	assert_int_equal(events_find(events, PERF_TYPE_RAW, signal_count()), -ENOENT);
	assert_int_equal(events_find(events, PERF_TYPE_RAW, number_of("cycles")),
			 number_of("cycles"));
	assert_int_equal(events_find(events, PERF_TYPE_RAW, number_of("l3.data.loads")), -ENOENT);
	events_destroy(events);
	events_destroy(NULL);
}

static void set_key(const char *key, const char *value)
{
	struct err err = {.text = ""};
	char assignment[128];

	sprintf(assignment, "%s=%s", key, value);
	if (!config_set(&config, assignment, &err))
		fail_msg("%s", err.text);
}

/* What a machine must have for each signal; and what it must not. */
TEST(machines_have_signals)
{
	static const struct {
		const char *signal, *key, *without, *with;
	} rows[] = {
		{"l2.data.loads", "cache.levels", "1", "2"},
		{"l3.data.loads", "cache.levels", "2", "3"},
		{"head.l2d", "cache.levels", "1", "2"},
		{"fetch.l3i", "cache.levels", "2", "3"},
		{"dtlb.walks", "tlb.miss", "fixed", "walk"},
		{"itlb.walks", "tlb.miss", "fixed", "walk"},
		{"head.walk", "tlb.miss", "fixed", "walk"},
		{"memory.walks", "tlb.miss", "fixed", "walk"},
		{"memory.row_hits", "memory.kind", "fixed", "dram"},
		{"dispatch.rob", "core.kind", "inorder", "ooo"},
		{"dispatch.iq", "core.kind", "inorder", "ooo"},
		{"dispatch.lsq", "core.kind", "inorder", "ooo"},
		{"dispatch.branches", "core.kind", "inorder", "ooo"},
		{"dispatch.order", "core.kind", "ooo", "inorder"},
		{"fetch.taken", "core.kind", "ooo", "inorder"},
		{"fetch.branches", "core.kind", "inorder", "ooo"},
		{"fetch.buffer", "core.kind", "inorder", "ooo"},
		{"loads.replayed", "lsq.disambiguation", "conservative", "predict"},
		{"loads.replayed", "lsq.disambiguation", "perfect", "predict"},
		{"l1i.prefetch.issued", "l1i.prefetch", "none", "next_line"},
		{"l1d.prefetch.issued", "l1d.prefetch", "none", "next_line"},
		{"l2.prefetch.issued", "l2.prefetch", "none", "next_line"},
		{"miss.itlb.committed", "ideal.itlb", "true", "false"},
		{"miss.dtlb.committed", "ideal.dtlb", "true", "false"},
		{"miss.l1i.committed", "ideal.l1i", "true", "false"},
		{"miss.l2i.committed", "ideal.l2i", "true", "false"},
		{"miss.l2i.committed", "ideal.l1i", "true", "false"},
		{"miss.l1d.committed", "ideal.l1d", "true", "false"},
		{"miss.l2d.committed", "ideal.l2d", "true", "false"},
		{"miss.l2d.committed", "ideal.l1d", "true", "false"},
	};
	/* Switches that hide another than this. */
	static const char *const not_hidden[][2] = {
		{"miss.l1i.committed", "ideal.l2i"},   {"miss.l1d.committed", "ideal.l2d"},
		{"miss.l1d.committed", "ideal.l1i"},   {"miss.l1i.committed", "ideal.l1d"},
		{"miss.itlb.committed", "ideal.dtlb"}, {"miss.dtlb.committed", "ideal.itlb"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		for (int with = 0; with < 2; with++) {
			const struct signal_row *signal = signal_find(rows[i].signal);

			if (!signal)
				fail_msg("there is no signal %s", rows[i].signal);
			config_reset(&config);
			set_key(rows[i].key, with ? rows[i].with : rows[i].without);
			if (events_has_signal(&config, signal) != with)
				fail_msg("%s with %s = %s", rows[i].signal, rows[i].key,
					 with ? rows[i].with : rows[i].without);
		}
	for (size_t i = 0; i < ARRAY_COUNT(not_hidden); i++) {
		config_reset(&config);
		set_key(not_hidden[i][1], "true");
		assert_true(events_has_signal(&config, signal_find(not_hidden[i][0])));
	}
	/* A second-level TLB, saved write-backs; what only an oracle knows. */
	config_reset(&config);
	assert_false(events_has_signal(&config, signal_find("tlb2.data.hits")));
	assert_false(events_has_signal(&config, signal_find("l1d.write_backs.saved")));
	config.tlb2_entries = 1;
	config.l1d_write = WRITE_LIVE;
	assert_true(events_has_signal(&config, signal_find("tlb2.data.hits")));
	assert_true(events_has_signal(&config, signal_find("l1d.write_backs.saved")));
	assert_false(events_has_signal(&config, signal_find("fetched.wrong_path")));
}

/* Names and codes in the order of the codes; without configuration there is what executing counts.
 */
TEST(codes_are_listed)
{
	char name[64];
	size_t listed = 0;

	config_reset(&config);
	struct events *events = make();
	for (size_t i = 0; i < signal_count(); i++) {
		if (!events_has_signal(&config, &signal_rows[i]))
			continue;
		assert_int_equal(events_list(events, listed++, name, sizeof(name)), i);
		assert_string_equal(name, signal_rows[i].name);
	}
	assert_true(listed > 100);
	assert_int_equal(events_list(events, listed, name, sizeof(name)), -1);
	events_destroy(events);
	struct err err = {.text = ""};
	events = events_create(NULL, &err);
	assert_int_equal(events_list(events, 0, name, sizeof(name)), number_of("committed"));
	assert_string_equal(name, "committed");
	assert_int_equal(events_list(events, 1, name, sizeof(name)), -1);
	check_sum(events, PERF_TYPE_HARDWARE, 1, "committed");
	check_sum(events, PERF_TYPE_HARDWARE, 0, NULL);
	events_destroy(events);
}

/* Every signal keeps one code, most of them another, and the names say nothing. */
TEST(codes_are_permuted)
{
	size_t moved = 0, listed = 0, differ = 0;
	char name[64], expected[64];
	int before = -1;

	config_reset(&config);
	config.pmu_codes = 77;
	struct events *events = make();
	config.pmu_codes = 78;
	struct events *other = make();
	static bool seen[4096];
	for (size_t code = 0; code < signal_count(); code++) {
		int event = events_find(events, PERF_TYPE_RAW, code);

		if (event < 0)
			continue;
		assert_false(seen[event]);
		seen[event] = true;
		moved += (size_t)event != code;
		differ += events_find(other, PERF_TYPE_RAW, code) != event;
		int found = events_list(events, listed++, name, sizeof(name));
		assert_int_equal(found, code);
		assert_true(found > before);
		before = found;
		sprintf(expected, "r%x", (unsigned)code);
		assert_string_equal(name, expected);
		assert_int_equal(events_meaning(events, event)->signals[0], event);
	}
	for (size_t i = 0; i < signal_count(); i++)
		assert_int_equal(seen[i], events_has_signal(&config, &signal_rows[i]));
	assert_true(moved > listed * 9 / 10);
	assert_true(differ > listed * 9 / 10);
	/* The first and the last code too. */
	assert_true(events_find(events, PERF_TYPE_RAW, 0) != 0);
	/* Generic events keep their meaning. */
	check_sum(events, PERF_TYPE_HARDWARE, 0, "cycles");
	events_destroy(events);
	events_destroy(other);
}

TEST(an_event_is_sabotaged)
{
	struct err err = {.text = ""};
	char expected[256];
	const unsigned event = (unsigned)number_of("l1d.loads");
	const unsigned signal = (unsigned)number_of("l1d.stores");

	config_reset(&config);
	config.pmu_sabotage = 3;
	config.pmu_sabotage_event = event;
	config.pmu_sabotage_signal = signal;
	struct events *events = make();
	const struct event_meaning *meaning =
		events_meaning(events, events_find(events, PERF_TYPE_RAW, event));
	assert_int_equal(meaning->signal_count, 1);
	assert_int_equal(meaning->signals[0], signal);
	assert_int_equal(meaning->times, 3);
	/* No other, and no generic one. */
	check_sum(events, PERF_TYPE_RAW, signal, "l1d.stores");
	check_sum(events, CACHE(L1D, READ, 0), "l1d.loads");
	events_destroy(events);
	/* Numbers of signals, up to the last. */
	const unsigned last = (unsigned)signal_count() - 1;
	config.pmu_sabotage_event = config.pmu_sabotage_signal = last;
	events_destroy(make());
	for (int i = 0; i < 2; i++) {
		config.pmu_sabotage_event = i ? last : last + 1;
		config.pmu_sabotage_signal = i ? last + 1 : last;
		assert_null(events_create(&config, &err));
		sprintf(expected,
			"pmu.sabotage_event = %u and pmu.sabotage_signal = %u: both are numbers of signals, "
			"which must be below %u",
			config.pmu_sabotage_event, config.pmu_sabotage_signal, last + 1);
		assert_string_equal(err.text, expected);
	}
	config.pmu_sabotage = 0;
	events_destroy(make());
}
