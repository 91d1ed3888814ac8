/*
 * On random records every counter architecture gives the same result as its slow twin; a record of
 * equal cycles can be replaced by single ones; hardware kinds do not use what hardware cannot
 * know.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "count/overlap.h"
#include "count/stages.h"
#include "count/topdown.h"
#include "stream.h"
#include "twin.h"

#define SEEDS	120
#define RECORDS 4000

static void assert_same_stack(const struct observer_kind *kind, uint64_t seed,
			      const struct stack *got, const struct stack *wanted)
{
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (got->cycles[i] != wanted->cycles[i])
			fail_msg("%s, seed %llu: %s is %lld instead of %lld", kind->name,
				 (unsigned long long)seed, component_rows[i].name,
				 (long long)got->cycles[i], (long long)wanted->cycles[i]);
}

static void compare_with_twin(const struct observer_kind *kind)
{
	struct stack all = {0};

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct stack got, wanted;
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		struct twin *twin = twin_create(kind, &config, STREAM_SLOTS);
		assert_non_null(twin);
		tape_play(&tape, true, twin_cycle, twin);
		twin_read(twin, tape.cycles, &wanted);
		got = tape_stack(&tape, false, kind, &config, STREAM_SLOTS);
		assert_same_stack(kind, seed, &got, &wanted);
		for (unsigned i = 0; i < COMPONENT_COUNT; i++)
			all.cycles[i] += got.cycles[i];
		twin_destroy(twin);
		tape_release(&tape);
	}
	/* Every component has occurred, so every comparison was a real one; but no hardware method
	 * tells a page walk's misses or a busy memory from the miss that they make longer. */
	for (enum component i = COMPONENT_L1I; i < COMPONENT_COUNT; i++)
		assert_int_equal(all.cycles[i] > 0,
				 i != COMPONENT_WALK && i != COMPONENT_BANDWIDTH);
}

static void fmt_equals_its_twin(void **state)
{
	(void)state;
	compare_with_twin(&count_fmt);
	compare_with_twin(&count_fmt_published);
	compare_with_twin(&count_fmt_rob);
}

static void sfmt_equals_its_twin(void **state)
{
	(void)state;
	compare_with_twin(&count_sfmt);
	compare_with_twin(&count_sfmt_resolve);
	compare_with_twin(&count_sfmt_counters);
	compare_with_twin(&count_sfmt_resolve_counters);
}

static void afmt_equals_its_twin(void **state)
{
	(void)state;
	compare_with_twin(&count_afmt);
}

static void power5_equals_its_twin(void **state)
{
	(void)state;
	compare_with_twin(&count_power5);
}

/* Each stall cycle that clearing removes is older or younger than the branch that clears; which
 * of the two follows from when it was counted and when the branch resolved. */
static void compare_losses(const struct observer_kind *kind)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct sfmt_losses got;
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		struct twin *twin = twin_create(kind, &config, STREAM_SLOTS);
		tape_play(&tape, true, twin_cycle, twin);
		void *counter = tape_count(&tape, false, kind, &config, STREAM_SLOTS);
		sfmt_read_losses(counter, &got);
		assert_int_equal(got.wrong, twin->losses.wrong);
		assert_int_equal(got.older + got.younger,
				 twin->losses.older + twin->losses.younger);
		if (got.older != twin->losses.older)
			fail_msg("%s, seed %llu: lost %llu older and %llu younger, not %llu and "
				 "%llu",
				 kind->name, (unsigned long long)seed,
				 (unsigned long long)got.older, (unsigned long long)got.younger,
				 (unsigned long long)twin->losses.older,
				 (unsigned long long)twin->losses.younger);
		kind->destroy(counter);
		twin_destroy(twin);
		tape_release(&tape);
	}
}

static void losses_of_clearing_at_commit_equal_the_twins(void **state)
{
	(void)state;
	compare_losses(&count_sfmt);
	compare_losses(&count_sfmt_counters);
}

static void losses_of_clearing_at_resolution_equal_the_twins(void **state)
{
	(void)state;
	compare_losses(&count_sfmt_resolve);
	compare_losses(&count_sfmt_resolve_counters);
}

static void stacks_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		for (size_t i = 0; i < observer_methods(); i++) {
			struct stack stack =
				tape_stack(&tape, false, observer_kinds[i], &config, STREAM_SLOTS);

			assert_int_equal(stack_sum(&stack), tape.cycles);
			for (enum component k = COMPONENT_L1I; k < COMPONENT_COUNT; k++)
				assert_true(stack.cycles[k] >= 0);
			/* No cycle is counted twice where the rule says so. */
			if (observer_kinds[i]->charges_base || observer_kinds[i] == &count_fmt ||
			    observer_kinds[i] == &count_fmt_rob)
				assert_true(stack.cycles[COMPONENT_BASE] >= 0);
		}
		tape_release(&tape);
	}
}

static void equal_cycles_can_be_played_one_by_one(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		for (size_t i = 0; i < observer_methods(); i++) {
			struct stack together =
				tape_stack(&tape, false, observer_kinds[i], &config, STREAM_SLOTS);
			struct stack singly =
				tape_stack(&tape, true, observer_kinds[i], &config, STREAM_SLOTS);

			assert_same_stack(observer_kinds[i], seed, &together, &singly);
		}
		tape_release(&tape);
	}
}

static void views_add_up_with_and_without_repetition(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct topdown *topdown[2];
		struct stages *stages[2];
		struct overlap *overlap[2];
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		for (int singly = 0; singly < 2; singly++) {
			uint64_t slots[TOPDOWN_COUNT], sum = 0;
			struct stack stack;

			topdown[singly] = topdown_create(&config, STREAM_SLOTS);
			stages[singly] = stages_create(&config, STREAM_SLOTS);
			overlap[singly] = overlap_create(&config, STREAM_SLOTS);
			tape_play(&tape, singly, topdown_cycle, topdown[singly]);
			tape_play(&tape, singly, stages_cycle, stages[singly]);
			tape_play(&tape, singly, overlap_cycle, overlap[singly]);
			topdown_read(topdown[singly], slots);
			for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
				sum += slots[i];
			assert_int_equal(sum, tape.cycles * config.dispatch_width);
			for (unsigned v = 0; v < STAGE_COUNT; v++) {
				stages_read(stages[singly], (enum stage_view)v, &stack);
				assert_int_equal(stack_sum(&stack), tape.cycles);
			}
		}
		assert_memory_equal(topdown[0]->lost, topdown[1]->lost, sizeof(topdown[0]->lost));
		assert_memory_equal(stages[0]->shares, stages[1]->shares,
				    sizeof(stages[0]->shares));
		assert_int_equal(overlap[0]->cycles, overlap[1]->cycles);
		assert_int_equal(overlap[0]->full_cycles, overlap[1]->full_cycles);
		assert_true(overlap[0]->full_cycles <= overlap[0]->cycles);
		for (int singly = 0; singly < 2; singly++) {
			free(topdown[singly]);
			free(stages[singly]);
			free(overlap[singly]);
		}
		tape_release(&tape);
	}
}

/* The same records with every oracle field replaced by random values. */
static void scramble(struct tape *tape, uint64_t seed)
{
	struct rng rng = {seed};

	for (size_t i = 0; i < tape->count; i++) {
		struct cycle *c = &tape->records[i];

		c->useful_fetched = (uint16_t)rng_next(&rng);
		c->useful_dispatched = (uint16_t)rng_next(&rng);
		c->useful_issued = (uint16_t)rng_next(&rng);
		c->wrong_path = (uint16_t)rng_below(&rng, 2);
		c->head_late = (uint16_t)rng_next(&rng);
		c->again_dispatched = (uint16_t)rng_next(&rng);
	}
	for (size_t i = 0; i < tape->event_count; i++) {
		tape->events[i].wrong_path = (uint8_t)rng_below(&rng, 2);
		tape->events[i].mispredicted = (uint8_t)rng_below(&rng, 2);
	}
	/* An observer that reads these addresses would crash. */
	free(tape->pcs);
	tape->pcs = NULL;
	memset(tape->first_pc, 0, tape->first_pc_count * sizeof(*tape->first_pc));
}

static void hardware_methods_do_not_use_oracle_fields(void **state)
{
	size_t compared = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape plain = stream_make(seed, &config, RECORDS);
		struct tape scrambled = stream_make(seed, &config, RECORDS);
		scramble(&scrambled, seed);
		for (size_t i = 0; i < observer_methods(); i++) {
			const struct observer_kind *kind = observer_kinds[i];

			if (!kind->is_hardware)
				continue;
			struct stack a = tape_stack(&plain, false, kind, &config, STREAM_SLOTS);
			struct stack b = tape_stack(&scrambled, false, kind, &config, STREAM_SLOTS);
			assert_same_stack(kind, seed, &b, &a);
			compared++;
		}
		tape_release(&plain);
		tape_release(&scrambled);
	}
	/* All methods but `exact` and `slots`. */
	assert_int_equal(compared, SEEDS * (observer_methods() - 2));
	assert_false(count_exact.is_hardware || count_slots.is_hardware);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fmt_equals_its_twin),
		cmocka_unit_test(sfmt_equals_its_twin),
		cmocka_unit_test(afmt_equals_its_twin),
		cmocka_unit_test(power5_equals_its_twin),
		cmocka_unit_test(losses_of_clearing_at_commit_equal_the_twins),
		cmocka_unit_test(losses_of_clearing_at_resolution_equal_the_twins),
		cmocka_unit_test(stacks_add_up),
		cmocka_unit_test(equal_cycles_can_be_played_one_by_one),
		cmocka_unit_test(views_add_up_with_and_without_repetition),
		cmocka_unit_test(hardware_methods_do_not_use_oracle_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
