#include "../test.h"
#include "stream.h"

struct counters {
	size_t entries, index_bits, history_bits;
	int value[16384];
};

static size_t index_of(const struct counters *counters, const struct branch *path, size_t count,
		       uint64_t pc)
{
	size_t index = pc / 2 % counters->entries;

	for (size_t i = 0; i < counters->history_bits; i++)
		index ^= (size_t)path_outcome(path, count, i)
			 << (i + counters->index_bits - counters->history_bits);
	return index;
}

static void counters_predict(void *state, const struct branch *path, size_t count,
			     const struct branch *branch, struct answer *answer)
{
	const struct counters *counters = state;

	if (branch->kind != BRANCH_CONDITIONAL)
		return;
	answer->note[0] = (uint32_t)index_of(counters, path, count, branch->pc);
	answer->says_direction = true;
	answer->taken = counters->value[answer->note[0]] > 1;
}

static void counters_train(void *state, const struct branch *branch, const struct answer *answer)
{
	struct counters *counters = state;
	int *value = &counters->value[answer->note[0]];

	if (branch->kind != BRANCH_CONDITIONAL)
		return;
	if (branch->taken && *value < 3)
		++*value;
	if (!branch->taken && *value > 0)
		--*value;
}

TEST(agrees_with_history_read_off_the_path)
{
	static const size_t shapes[][2] = {{1, 1}, {6, 3}, {12, 12}, {14, 9}};
	struct predictor_params params = predictor_params_default;

	params.kind = "gshare";
	for (size_t i = 0; i < ARRAY_COUNT(shapes); i++) {
		struct counters *counters = mem_alloc(sizeof(*counters));
		struct twin twin = {counters, counters_predict, counters_train};

		counters->index_bits = shapes[i][0];
		counters->history_bits = shapes[i][1];
		counters->entries = (size_t)1 << shapes[i][0];
		params.gshare_entries = (uint32_t)counters->entries;
		params.gshare_history_bits = (uint32_t)shapes[i][1];
		for (size_t j = 0; j < counters->entries; j++)
			counters->value[j] = 2;
		compare_with_twin(&params, &twin, i + 1, 150, 8000);
		free(counters);
	}
}

/* The last of three branches is taken if the first two went the same way. */
static struct branch *make_correlated(size_t count)
{
	struct branch *stream = mem_alloc_array(count, sizeof(*stream));
	struct rng rng = {5};

	for (size_t i = 0; i < count; i++)
		stream[i] =
			i % 3 < 2 ? conditional(0x1000 + i % 3 * 16, rng_below(&rng, 2))
				  : conditional(0x1020, stream[i - 1].taken == stream[i - 2].taken);
	return stream;
}

TEST(learns_alternation_and_correlation)
{
	struct predictor_params params = predictor_params_default;
	struct branch stream[2000], *correlated = make_correlated(60000);

	params.kind = "gshare";
	for (size_t i = 0; i < 2000; i++)
		stream[i] = conditional(0x1000, i % 2);
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 2000, 100), 0, 0);
	/* Two tosses of three are missed half the time: 33.3 % and nothing more. */
	params.gshare_history_bits = 4;
	ASSERT_BETWEEN(warm_percent_wrong(&params, correlated, 60000, 6000), 32, 34.5);
	params.kind = "bimodal";
	ASSERT_BETWEEN(warm_percent_wrong(&params, correlated, 60000, 6000), 48, 52);
	free(correlated);
}

TEST(cannot_learn_tosses_or_a_loop_longer_than_its_history)
{
	struct predictor_params params = predictor_params_default;
	struct branch *tosses = make_tosses(20000), stream[8000];

	params.kind = "gshare";
	ASSERT_BETWEEN(warm_percent_wrong(&params, tosses, 20000, 100), 47, 53);
	/* Taken 39 times, then not: twelve taken in a row say nothing about the end. */
	for (size_t i = 0; i < 8000; i++)
		stream[i] = conditional(0x1000, i % 40 != 39);
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 8000, 4000), 2.5, 2.5);
	free(tosses);
}
