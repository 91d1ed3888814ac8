/* Components and causes: their tables, and the conversion of slots to whole cycles. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "value/component.h"
#include "value/topdown.h"

TEST(names_are_unique_and_not_empty)
{
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		assert_true(strlen(component_rows[i].name) > 0);
		for (enum component k = COMPONENT_BASE; k < i; k++)
			assert_string_not_equal(component_rows[i].name, component_rows[k].name);
	}
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++) {
		assert_true(strlen(cause_rows[i].name) > 0);
		assert_true(strlen(cause_rows[i].meaning) > 10);
		for (enum cause k = CAUSE_BASE; k < i; k++)
			assert_string_not_equal(cause_rows[i].name, cause_rows[k].name);
	}
}

/* A machine has as many components of each side as caches; a cause with a component's name
 * belongs to that component. */
TEST(components_follow_from_cache_levels)
{
	static const unsigned count[] = {0, 9, 11, 13};
	for (unsigned levels = 1; levels <= 3; levels++) {
		unsigned there = 0;

		for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
			there += component_exists(levels, i);
		assert_int_equal(there, count[levels]);
	}
}

TEST(causes_roll_up)
{
	for (unsigned levels = 1; levels <= 3; levels++) {
		unsigned reached[COMPONENT_COUNT] = {0};

		for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++) {
			enum component component = cause_component(levels, i);

			assert_in_range(component, COMPONENT_BASE, COMPONENT_COUNT - 1);
			reached[component]++;
			for (enum component k = COMPONENT_BASE; k < COMPONENT_COUNT; k++)
				if (strcmp(cause_rows[i].name, component_rows[k].name) == 0)
					assert_int_equal(component, k);
		}
		for (unsigned i = 0; i < COMPONENT_COUNT; i++)
			assert_true(reached[i] > 0);
		assert_int_equal(cause_component(levels, CAUSE_DEPENDENCE), COMPONENT_BASE);
		assert_int_equal(cause_component(levels, CAUSE_SERIALISE), COMPONENT_BASE);
		assert_int_equal(cause_component(levels, CAUSE_LATENCY), COMPONENT_RESOURCE);
		assert_int_equal(cause_component(levels, CAUSE_STORE), COMPONENT_RESOURCE);
		assert_int_equal(cause_component(levels, CAUSE_BTB), COMPONENT_BRANCH);
		assert_int_equal(cause_component(levels, CAUSE_MSHR), COMPONENT_L1D + levels - 1);
	}
}

/* A component is named after its cache, and there from that level on. */
TEST(a_component_is_there_from_its_level_on)
{
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		const char *name = component_rows[i].name;
		unsigned level = name[0] == 'l' && name[1] > '1' ? (unsigned)(name[1] - '0') : 1;

		for (unsigned levels = 1; levels <= 3; levels++)
			assert_int_equal(component_exists(levels, i), levels >= level);
		assert_int_equal(component_named(name), i);
	}
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		assert_int_equal(cause_named(cause_rows[i].name), i);
	assert_int_equal(component_named("l4d"), -1);
	assert_int_equal(cause_named(""), -1);
	assert_int_equal(component_long(1), COMPONENT_L1D);
	assert_int_equal(component_long(2), COMPONENT_L2D);
	assert_int_equal(component_long(3), COMPONENT_L3D);
}

/* The causes that are not called as their component. */
TEST(causes_belong_to_their_component)
{
	static const struct {
		const char *begin;
		enum component component;
	} rows[] = {{"dependence", COMPONENT_BASE},  {"serialise", COMPONENT_BASE},
		    {"latency", COMPONENT_RESOURCE}, {"unit.", COMPONENT_RESOURCE},
		    {"store", COMPONENT_RESOURCE},   {"wait", COMPONENT_RESOURCE},
		    {"replay", COMPONENT_RESOURCE},  {"queues", COMPONENT_RESOURCE},
		    {"forward", COMPONENT_RESOURCE}, {"max_branches", COMPONENT_RESOURCE},
		    {"mshr", COMPONENT_L2D},	     {"btb", COMPONENT_BRANCH},
		    {"taken", COMPONENT_BRANCH}};

	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++) {
		int wanted = component_named(cause_rows[i].name);

		for (size_t k = 0; k < ARRAY_COUNT(rows); k++)
			if (strncmp(cause_rows[i].name, rows[k].begin, strlen(rows[k].begin)) == 0)
				wanted = (int)rows[k].component;
		assert_int_equal(cause_component(2, i), wanted);
	}
}

TEST(a_stack_of_causes_is_rolled_up)
{
	int64_t causes[CAUSE_COUNT];
	struct stack stack;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		causes[i] = INT64_C(1) << i;
	for (unsigned levels = 1; levels <= 3; levels++) {
		stack_roll_up(&stack, causes, levels);
		assert_int_equal(stack_sum(&stack), (INT64_C(1) << CAUSE_COUNT) - 1);
		for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
			assert_true(stack.cycles[cause_component(levels, i)] >> i & 1);
	}
}

/* Bars can be read: no letter and no colour stands for two, and text on a dark colour is light. */
TEST(drawings_tell_components_apart)
{
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		const struct component_row *row = &component_rows[i];
		unsigned red, green, blue;

		for (enum component k = COMPONENT_BASE; k < i; k++) {
			assert_int_not_equal(row->letter, component_rows[k].letter);
			assert_int_not_equal(row->colour, component_rows[k].colour);
			assert_string_not_equal(row->rgb, component_rows[k].rgb);
		}
		assert_int_equal(sscanf(row->rgb, "#%2x%2x%2x", &red, &green, &blue), 3);
		/* The brightness of a colour, of 255 (ITU-R BT.601). */
		assert_int_equal(row->is_dark, 299 * red + 587 * green + 114 * blue < 125 * 1000);
	}
}

TEST(top_down_categories_are_in_their_groups)
{
	static const struct {
		const char *slot, *group;
	} rows[] = {{"retiring", "retiring"},
		    {"branch_mispredicts", "bad_speculation"},
		    {"machine_clears", "bad_speculation"},
		    {"fetch_latency", "frontend_bound"},
		    {"fetch_bandwidth", "frontend_bound"},
		    {"memory_bound", "backend_bound"},
		    {"core_bound", "backend_bound"}};

	assert_int_equal(ARRAY_COUNT(rows), TOPDOWN_COUNT);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_string_equal(topdown_slots[i].name, rows[i].slot);
		assert_string_equal(topdown_group_of(rows[i].slot), rows[i].group);
	}
	for (unsigned i = 0; i < TOPDOWN_GROUPS; i++)
		assert_int_equal(topdown_groups[i].group, i);
	assert_string_equal(topdown_group_of("luck"), "");
}

TEST(shares_round_down_and_the_largest_remainders_get_one_more)
{
	int64_t cycles[4];

	/* 2 1/4, 3/4, 3, 2: 8 in all; the 3/4 gets the remaining one. */
	apportion((const uint64_t[]){9, 3, 12, 8}, 4, 4, cycles);
	assert_memory_equal(cycles, ((const int64_t[]){2, 1, 3, 2}), sizeof(cycles));
	/* 1/2, 1/2, 1/2, 1/2: the first two get the remaining two. */
	apportion((const uint64_t[]){2, 2, 2, 2}, 4, 4, cycles);
	assert_memory_equal(cycles, ((const int64_t[]){1, 1, 0, 0}), sizeof(cycles));
	/* A larger remainder is served before an earlier one. */
	apportion((const uint64_t[]){1, 3, 0, 0}, 4, 4, cycles);
	assert_memory_equal(cycles, ((const int64_t[]){0, 1, 0, 0}), sizeof(cycles));
	/* Whole shares are not rounded. */
	apportion((const uint64_t[]){5, 0, 7, 1}, 4, 1, cycles);
	assert_memory_equal(cycles, ((const int64_t[]){5, 0, 7, 1}), sizeof(cycles));
	apportion((const uint64_t[]){0, 0, 0, 0}, 4, 8, cycles);
	assert_memory_equal(cycles, ((const int64_t[]){0, 0, 0, 0}), sizeof(cycles));
}

/* The same, but each remaining cycle is given to the largest remainder by a new search. */
static void apportion_slowly(const uint64_t *shares, unsigned count, uint64_t per_cycle,
			     int64_t *cycles)
{
	uint64_t rests[16], left = 0;

	for (unsigned i = 0; i < count; i++) {
		cycles[i] = (int64_t)(shares[i] / per_cycle);
		rests[i] = shares[i] % per_cycle;
		left += rests[i];
	}
	for (left /= per_cycle; left; left--) {
		unsigned best = 0;

		for (unsigned i = 1; i < count; i++)
			if (rests[i] > rests[best])
				best = i;
		cycles[best]++;
		rests[best] = 0;
	}
}

TEST(any_shares_are_apportioned)
{
	struct rng rng = {1};

	for (int round = 0; round < 20000; round++) {
		unsigned count = 2 + (unsigned)rng_below(&rng, 14);
		uint64_t per_cycle = 1 + rng_below(&rng, 16), shares[16], sum = 0;
		int64_t cycles[16], wanted[16], given = 0;

		for (unsigned i = 0; i < count; i++)
			sum += shares[i] = rng_below(&rng, 3) ? rng_below(&rng, 100) : 0;
		shares[0] += (per_cycle - sum % per_cycle) % per_cycle;
		sum += (per_cycle - sum % per_cycle) % per_cycle;
		apportion(shares, count, per_cycle, cycles);
		apportion_slowly(shares, count, per_cycle, wanted);
		for (unsigned i = 0; i < count; i++) {
			assert_int_equal(cycles[i], wanted[i]);
			given += cycles[i];
		}
		assert_int_equal(given * (int64_t)per_cycle, sum);
	}
}
