/*
 * On random records every counter architecture gives the same result as its slow twin; a record of
 * equal cycles can be replaced by single ones; hardware kinds do not use what hardware cannot
 * know.
 */
#include "../test.h"
#include "count/overlap.h"
#include "count/stages.h"
#include "count/topdown.h"
#include "stream.h"
#include "twin.h"

#define SEEDS	120
#define RECORDS 4000

/* Every other one with replays. */
static struct tape make_tape(uint64_t seed, const struct config *config)
{
	return stream_make_with(seed, config, RECORDS, seed & 1);
}

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
		struct tape tape = make_tape(seed, &config);
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

/* Of the right path and of wrong ones, behind a replay whose instructions are still to be fetched,
 * and behind a branch that resolves in the same cycle. */
TEST(replays_meet_the_rest)
{
	unsigned replays = 0, wrong = 0, repeated = 0, resolving = 0;

	for (uint64_t seed = 1; seed < SEEDS; seed += 2) {
		struct config config;
		size_t last = 0;

		stream_config(&config, seed);
		struct tape tape = make_tape(seed, &config);
		for (size_t i = 0; i < tape.count; i++) {
			const struct cycle_event *e = &tape.events[tape.first_event[i]];
			bool resolves = false;

			for (uint32_t k = 0; k < tape.records[i].event_count; k++, e++) {
				resolves |= e->kind == EVENT_MISPREDICT;
				if (e->kind != EVENT_REPLAY)
					continue;
				replays++;
				wrong += e->wrong_path;
				repeated += last && i - last < 3;
				resolving += resolves;
				last = i;
			}
		}
		tape_release(&tape);
	}
	assert_true(replays > 1000 && wrong > 100 && repeated > 50 && resolving > 50);
}

TEST(fmt_equals_its_twin)
{
	compare_with_twin(&count_fmt);
	compare_with_twin(&count_fmt_published);
	compare_with_twin(&count_fmt_rob);
}

TEST(sfmt_equals_its_twin)
{
	compare_with_twin(&count_sfmt);
	compare_with_twin(&count_sfmt_resolve);
	compare_with_twin(&count_sfmt_counters);
	compare_with_twin(&count_sfmt_resolve_counters);
}

TEST(afmt_equals_its_twin)
{
	compare_with_twin(&count_afmt);
}

TEST(power5_equals_its_twin)
{
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
		struct tape tape = make_tape(seed, &config);
		struct twin *twin = twin_create(kind, &config, STREAM_SLOTS);
		tape_play(&tape, true, twin_cycle, twin);
		void *counter = tape_count(&tape, false, kind, &config, STREAM_SLOTS);
		sfmt_read_losses(counter, &got);
		assert_int_equal(got.wrong, twin->losses.wrong);
		assert_int_equal(got.older + got.younger,
				 twin->losses.older + twin->losses.younger);
		/* A stall whose instruction was fetched again has no bit any more, and waits for a
		 * younger branch to clear it: which of the two it is, is told without replays only.
		 */
		if (got.older != twin->losses.older && !(seed & 1))
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

TEST(losses_of_clearing_at_commit_equal_the_twins)
{
	compare_losses(&count_sfmt);
	compare_losses(&count_sfmt_counters);
}

TEST(losses_of_clearing_at_resolution_equal_the_twins)
{
	compare_losses(&count_sfmt_resolve);
	compare_losses(&count_sfmt_resolve_counters);
}

TEST(stacks_add_up)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape tape = make_tape(seed, &config);
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

TEST(equal_cycles_can_be_played_one_by_one)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape tape = make_tape(seed, &config);
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

TEST(views_add_up_with_and_without_repetition)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct topdown *topdown[2];
		struct stages *stages[2];
		struct overlap *overlap[2];
		struct config config;

		stream_config(&config, seed);
		struct tape tape = make_tape(seed, &config);
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

TEST(hardware_methods_do_not_use_oracle_fields)
{
	size_t compared = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape plain = make_tape(seed, &config);
		struct tape scrambled = make_tape(seed, &config);
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
	/* All methods but `exact`, `slots` and `retimed`. */
	assert_int_equal(compared, SEEDS * (observer_methods() - 3));
	assert_false(count_exact.is_hardware || count_slots.is_hardware ||
		     count_retimed.is_hardware);
}
