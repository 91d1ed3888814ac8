#include "../test.h"
#include "stream.h"

#include "pred/return_stack.h"

/* Replays the whole path: a push at depth d writes slot d modulo the size, a
 * pop reads there; depth goes below zero too. */
struct replay {
	size_t count;
};

static void replay_predict(void *state, const struct branch *path, size_t count,
			   const struct branch *branch, struct answer *answer)
{
	const struct replay *replay = state;
	uint64_t slots[64] = {0};
	size_t depth = replay->count * count; /* so that it never falls below 0 */

	if (branch->kind != BRANCH_RETURN)
		return;
	for (size_t i = 0; i < count; i++) {
		if (path[i].kind == BRANCH_CALL || path[i].kind == BRANCH_INDIRECT_CALL)
			slots[++depth % replay->count] = path[i].pc + path[i].bytes;
		if (path[i].kind == BRANCH_RETURN)
			depth--;
	}
	answer->says_target = true;
	answer->target = slots[depth % replay->count];
	answer->has_target = answer->target != 0;
}

static void replay_train(void *state, const struct branch *branch, const struct answer *answer)
{
	(void)state;
	(void)branch;
	(void)answer;
}

/* Calls and returns in plenty, few other branches. */
static struct branch *make_calls(uint64_t seed, size_t count)
{
	struct branch *stream = mem_alloc_array(count, sizeof(*stream));
	uint64_t *calls = mem_alloc_array(count, sizeof(*calls));
	struct rng rng = {seed};
	size_t depth = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t pc = 0x1000 + rng_below(&rng, 500) * 2, dice = rng_below(&rng, 10);

		if (dice < 4) {
			stream[i] = (struct branch){dice ? BRANCH_CALL : BRANCH_INDIRECT_CALL, pc,
						    dice % 2 ? 2 : 4, true, pc + 600};
			calls[depth++] = pc + stream[i].bytes;
		} else if (dice < 8) {
			stream[i] = (struct branch){BRANCH_RETURN, pc, 2, true,
						    depth ? calls[--depth] : 0x7000};
		} else {
			stream[i] = conditional(pc, rng_below(&rng, 2));
		}
	}
	free(calls);
	return stream;
}

TEST(agrees_with_a_replay_of_the_path)
{
	static const uint32_t counts[] = {1, 2, 5, 8, 16};
	struct predictor_params params = predictor_params_default;

	for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
		struct replay replay = {counts[i]};
		struct twin twin = {&replay, replay_predict, replay_train};
		struct branch *stream = make_calls(i + 1, 5000);
		struct predictor *predictor;
		struct tally tally;

		params.return_stack_entries = counts[i];
		params.in_flight = 24;
		predictor = make_predictor(&params);
		tally = speculate(predictor, &twin, stream, 5000, 24, i + 1);
		assert_true(tally.compared > 2000);
		assert_true(tally.wrong_path > 2000);
		assert_true(tally.nested > 100);
		predictor_destroy(predictor);
		free(stream);
	}
}

/* Nests of the given depth, each level called from its own place. */
static double percent_of_returns_wrong(size_t depth)
{
	struct predictor *predictor = make_predictor(&predictor_params_default);
	size_t wrong = 0, rounds = 50;

	for (size_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < depth; i++)
			predictor_warm(predictor, BRANCH_CALL, 0x1000 + i * 64, 4, true, 0x8000);
		for (size_t i = depth; i-- > 0;)
			wrong += predictor_warm(predictor, BRANCH_RETURN, 0x9000, 2, true,
						0x1000 + i * 64 + 4) == PREDICTION_WRONG;
	}
	predictor_destroy(predictor);
	return 100.0 * (double)wrong / (double)(depth * rounds);
}

TEST(knows_nests_as_deep_as_itself_and_loses_the_rest)
{
	ASSERT_BETWEEN(percent_of_returns_wrong(1), 0, 0);
	ASSERT_BETWEEN(percent_of_returns_wrong(8), 0, 0);
	ASSERT_BETWEEN(percent_of_returns_wrong(10), 20, 20);
	ASSERT_BETWEEN(percent_of_returns_wrong(16), 50, 50);
}

TEST(two_pops_and_two_pushes_on_a_wrong_path_cost_nothing)
{
	struct return_stack stack;
	uint32_t top, pushes;

	assert_true(return_stack_init(&stack, 4, 8, NULL));
	for (uint64_t i = 1; i <= 4; i++)
		return_stack_push(&stack, i * 16);
	top = stack.top;
	pushes = stack.pushes;
	return_stack_pop(&stack);
	return_stack_pop(&stack);
	return_stack_push(&stack, 1);
	return_stack_push(&stack, 2);
	return_stack_push(&stack, 3);
	return_stack_restore(&stack, top, pushes);
	for (uint64_t i = 4; i >= 1; i--)
		assert_int_equal(return_stack_pop(&stack), i * 16);
	return_stack_release(&stack);
}
