/* A plan of the statistics module that crosses from the worker: what is packed is unpacked; of
 * other bytes nothing is trusted, and none beyond their end is read. */
#include "../test.h"

#include <sys/mman.h>

#include "base/array.h"
#include "base/rng.h"
#include "rtl/stats_plan.h"

#define PAGES 64
#define PAGE  4096

/* Copies of bytes that end where memory ends. */
static uint8_t *edge;

static const void *at_the_edge(const void *bytes, size_t size)
{
	assert_true(size <= PAGES * PAGE);
	return memcpy(edge + PAGES * PAGE - size, bytes, size);
}

static void make_plan(struct stats_plan *plan, struct rng *rng)
{
	unsigned width = 1 + (unsigned)rng_below(rng, STATS_WIDTH_MOST);

	*plan = (struct stats_plan){0};
	for (size_t epochs = 1 + rng_below(rng, 3), i = 0; i < epochs; i++) {
		struct stats_range ranges[3];
		struct stats_selection counters[5];
		struct stats_settings s = {.period_cycles = 1 + (uint32_t)rng_below(rng, 100000),
					   .width_bits = width,
					   .ranges = ranges,
					   .range_count = rng_below(rng, 4),
					   .counters = counters,
					   .counter_count = 1 + rng_below(rng, 5)};

		for (size_t k = 0; k < s.range_count; k++) {
			ranges[k].low = rng_below(rng, 1 << 20);
			ranges[k].high = ranges[k].low + rng_below(rng, 1 << 10);
		}
		for (size_t k = 0; k < s.counter_count; k++)
			counters[k] = (struct stats_selection){
				&signal_rows[rng_below(rng, signal_count())],
				s.range_count ? (uint32_t)rng_below(rng, s.range_count)
					      : STATS_ALWAYS,
				(uint32_t)rng_below(rng, 3)};
		stats_plan_add(plan, &s, i * 1000);
	}
}

/* Whether the bytes are those of a plan, which then gives the same bytes. */
static bool is_plan(const void *bytes, size_t size)
{
	struct stats_plan plan;
	bool is = stats_plan_unpack(&plan, at_the_edge(bytes, size), size);

	if (is) {
		size_t again;
		void *packed = stats_plan_pack(&plan, &again);

		assert_int_equal(again, size);
		assert_memory_equal(packed, bytes, size);
		free(packed);
	}
	stats_plan_release(&plan);
	return is;
}

TEST(what_is_packed_is_unpacked)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct stats_plan plan, other;
		struct rng rng;
		size_t size;

		rng = (struct rng){seed};
		make_plan(&plan, &rng);
		void *bytes = stats_plan_pack(&plan, &size);
		assert_true(stats_plan_unpack(&other, at_the_edge(bytes, size), size));
		assert_int_equal(other.count, plan.count);
		assert_int_equal(other.ranges, plan.ranges);
		assert_int_equal(other.counters, plan.counters);
		for (size_t i = 0; i < plan.count; i++) {
			const struct stats_settings *a = &plan.settings[i], *b = &other.settings[i];

			assert_int_equal(other.at[i], plan.at[i]);
			assert_int_equal(a->period_cycles, b->period_cycles);
			assert_int_equal(a->width_bits, b->width_bits);
			assert_int_equal(a->range_count, b->range_count);
			assert_int_equal(a->counter_count, b->counter_count);
			for (size_t k = 0; k < a->range_count; k++) {
				assert_int_equal(a->ranges[k].low, b->ranges[k].low);
				assert_int_equal(a->ranges[k].high, b->ranges[k].high);
			}
			for (size_t k = 0; k < a->counter_count; k++) {
				assert_ptr_equal(a->counters[k].signal, b->counters[k].signal);
				assert_int_equal(a->counters[k].range, b->counters[k].range);
				assert_int_equal(a->counters[k].thread, b->counters[k].thread);
			}
		}
		stats_plan_release(&plan);
		stats_plan_release(&other);
		free(bytes);
	}
}

TEST(the_largest_counts_of_the_epochs_are_kept)
{
	const struct stats_range ranges[3] = {{1, 2}, {3, 4}, {5, 6}};
	const struct stats_selection counters[4] = {{&signal_rows[0], 0, 0},
						    {&signal_rows[1], 0, 0},
						    {&signal_rows[2], 0, 0},
						    {&signal_rows[3], 0, 0}};
	struct stats_settings s = {10, 8, ranges, 1, counters, 4};
	struct stats_plan plan = {0};

	stats_plan_add(&plan, &s, 0);
	s.range_count = 3;
	s.counter_count = 2;
	stats_plan_add(&plan, &s, 5);
	s.range_count = 2;
	s.counter_count = 1;
	stats_plan_add(&plan, &s, 9);
	assert_int_equal(plan.ranges, 3);
	assert_int_equal(plan.counters, 4);
	assert_int_equal(plan.count, 3);
	assert_int_equal(plan.at[2], 9);
	stats_plan_release(&plan);
}

TEST(other_bytes_are_refused)
{
	/* The numbers of the head and of the first epoch, and values beyond what they may be. */
	static const struct {
		size_t field;
		uint64_t value;
	} wrong[] = {{0, STATS_RANGES_MOST + 1},
		     {0, UINT64_MAX},
		     {1, STATS_COUNTERS_MOST + 1},
		     {1, 0},
		     {2, 0},
		     {2, STATS_PLAN_EPOCHS_MOST + 1},
		     {2, UINT64_MAX},
		     {4, 0},
		     {4, UINT64_C(1) << 32},
		     {5, 0},
		     {5, STATS_WIDTH_MOST + 1},
		     {6, STATS_RANGES_MOST + 1},
		     {6, UINT64_MAX / 16 + 2},
		     {7, 0},
		     {7, STATS_COUNTERS_MOST + 1},
		     {7, UINT64_MAX}};
	struct stats_plan plan;
	struct rng rng;
	size_t size;

	rng = (struct rng){7};
	make_plan(&plan, &rng);
	uint8_t *bytes = stats_plan_pack(&plan, &size);
	stats_plan_release(&plan);
	assert_true(is_plan(bytes, size));
	for (size_t part = 0; part < size; part++)
		assert_false(is_plan(bytes, part));
	uint8_t *changed = mem_alloc(size + 1);
	memcpy(changed, bytes, size);
	changed[size] = 0;
	assert_false(is_plan(changed, size + 1));
	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		memcpy(changed, bytes, size);
		memcpy(changed + 8 * wrong[i].field, &wrong[i].value, 8);
		if (is_plan(changed, size))
			fail_msg("field %zu of %llu is taken", wrong[i].field,
				 (unsigned long long)wrong[i].value);
	}
	/* The signal of the last selection, which has three numbers of 32 bits: the last there is,
	 * and one more. */
	for (uint32_t beyond = 0; beyond < 2; beyond++) {
		const uint32_t signal = (uint32_t)signal_count() - 1 + beyond;

		memcpy(changed, bytes, size);
		memcpy(changed + size - 12, &signal, 4);
		assert_int_equal(is_plan(changed, size), !beyond);
	}
	/* Any byte may be another. */
	for (size_t n = 0; n < 200000; n++) {
		memcpy(changed, bytes, size);
		changed[rng_below(&rng, size)] = (uint8_t)rng_next(&rng);
		is_plan(changed, size);
	}
	free(changed);
	free(bytes);
}

static int set_up(void **state)
{
	(void)state;
	edge = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	return edge == MAP_FAILED || mprotect(edge + PAGES * PAGE, PAGE, PROT_NONE) != 0;
}

TEST_GROUP(set_up, NULL)
