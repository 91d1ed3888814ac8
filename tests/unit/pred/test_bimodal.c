#include "../test.h"
#include "stream.h"

struct counters {
	size_t entries;
	int value[4096];
};

static void counters_predict(void *state, const struct branch *path, size_t count,
			     const struct branch *branch, struct answer *answer)
{
	const struct counters *counters = state;

	(void)path;
	(void)count;
	if (branch->kind != BRANCH_CONDITIONAL)
		return;
	answer->says_direction = true;
	answer->taken = counters->value[branch->pc / 2 % counters->entries] > 1;
}

static void counters_train(void *state, const struct branch *branch, const struct answer *answer)
{
	struct counters *counters = state;
	int *value = &counters->value[branch->pc / 2 % counters->entries];

	(void)answer;
	if (branch->kind != BRANCH_CONDITIONAL)
		return;
	*value += branch->taken ? 1 : -1;
	if (*value > 3)
		*value = 3;
	if (*value < 0)
		*value = 0;
}

TEST(agrees_with_an_array_of_counters)
{
	static const uint32_t sizes[] = {2, 16, 4096};
	struct predictor_params params = predictor_params_default;

	params.kind = "bimodal";
	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		struct counters *counters = mem_alloc(sizeof(*counters));
		struct twin twin = {counters, counters_predict, counters_train};

		counters->entries = params.bimodal_entries = sizes[i];
		for (size_t j = 0; j < sizes[i]; j++)
			counters->value[j] = 2;
		compare_with_twin(&params, &twin, i + 1, 200, 8000);
		free(counters);
	}
}

TEST(learns_biased_branches)
{
	struct predictor_params params = predictor_params_default;
	struct branch stream[10000];

	params.kind = "bimodal";
	/* Half the branches taken 9 times in 10, half 1 in 10, in turn: two
	 * misses in a row never happen, so only the odd outcomes are missed. */
	for (size_t i = 0; i < 10000; i++)
		stream[i] = conditional(0x1000 + i % 20 * 8, (i / 20 % 10 == 0) != (i % 2 == 0));
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 10000, 400), 10, 10);
}

TEST(cannot_learn_tosses_or_alternation)
{
	struct predictor_params params = predictor_params_default;
	struct branch *tosses = make_tosses(20000), stream[1000];

	params.kind = "bimodal";
	ASSERT_BETWEEN(warm_percent_wrong(&params, tosses, 20000, 100), 48, 52);
	/* From weakly taken, not-taken first: always one step behind. */
	for (size_t i = 0; i < 1000; i++)
		stream[i] = conditional(0x1000, i % 2);
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 1000, 0), 100, 100);
	free(tosses);
}
