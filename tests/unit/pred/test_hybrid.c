#include "../test.h"
#include "stream.h"

#define BIMODAL 512
#define GSHARE	1024
#define CHOOSER 256
#define HISTORY 8

struct three {
	int bimodal[BIMODAL], gshare[GSHARE], chooser[CHOOSER];
};

static void move(int *counter, bool up)
{
	*counter += up ? 1 : -1;
	*counter = *counter > 3 ? 3 : *counter < 0 ? 0 : *counter;
}

static void three_predict(void *state, const struct branch *path, size_t count,
			  const struct branch *branch, struct answer *answer)
{
	const struct three *three = state;
	uint64_t index = branch->pc / 2 % GSHARE;

	if (branch->kind != BRANCH_CONDITIONAL)
		return;
	for (size_t i = 0; i < HISTORY; i++)
		index ^= (uint64_t)path_outcome(path, count, i) << (i + 10 - HISTORY);
	answer->note[0] = (uint32_t)index;
	answer->note[1] = three->gshare[index] > 1;
	answer->note[2] = three->bimodal[branch->pc / 2 % BIMODAL] > 1;
	answer->says_direction = true;
	answer->taken =
		three->chooser[branch->pc / 2 % CHOOSER] > 1 ? answer->note[1] : answer->note[2];
}

static void three_train(void *state, const struct branch *branch, const struct answer *answer)
{
	struct three *three = state;
	int *chooser = &three->chooser[branch->pc / 2 % CHOOSER];

	if (branch->kind != BRANCH_CONDITIONAL)
		return;
	if (answer->note[1] == branch->taken && answer->note[2] != branch->taken)
		move(chooser, true);
	if (answer->note[1] != branch->taken && answer->note[2] == branch->taken)
		move(chooser, false);
	move(&three->bimodal[branch->pc / 2 % BIMODAL], branch->taken);
	move(&three->gshare[answer->note[0]], branch->taken);
}

TEST(agrees_with_three_arrays)
{
	struct predictor_params params = predictor_params_default;

	params.kind = "hybrid";
	params.bimodal_entries = BIMODAL;
	params.gshare_entries = GSHARE;
	params.gshare_history_bits = HISTORY;
	params.chooser_entries = CHOOSER;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct three three;
		struct twin twin = {&three, three_predict, three_train};

		for (size_t i = 0; i < BIMODAL; i++)
			three.bimodal[i] = 2;
		for (size_t i = 0; i < GSHARE; i++)
			three.gshare[i] = 2;
		for (size_t i = 0; i < CHOOSER; i++)
			three.chooser[i] = 1;
		compare_with_twin(&params, &twin, seed, 40 * seed, 8000);
	}
}

/* In turn a branch that alternates, which only history predicts, and biased
 * ones, half of them each way, whose noise spreads a small gshare too thin. */
static struct branch *make_mix(size_t count)
{
	struct branch *stream = mem_alloc_array(count, sizeof(*stream));
	struct rng rng = {11};

	for (size_t i = 0; i < count; i++) {
		size_t round = i / 8, slot = i % 8;

		if (slot < 4) {
			stream[i] = conditional(0x1000 + slot * 8, round % 2);
		} else {
			uint64_t site = rng_below(&rng, 200);

			stream[i] = conditional(0x4000 + site * 4,
						(rng_below(&rng, 10) == 0) != (site / 3 % 2 == 0));
		}
	}
	return stream;
}

TEST(learns_a_mix_better_than_either_part)
{
	struct predictor_params params = predictor_params_default;
	struct branch *mix = make_mix(80000);
	double bimodal, gshare, hybrid;

	params.gshare_entries = 4096;
	params.gshare_history_bits = 8;
	params.kind = "bimodal";
	bimodal = warm_percent_wrong(&params, mix, 80000, 20000);
	params.kind = "gshare";
	gshare = warm_percent_wrong(&params, mix, 80000, 20000);
	params.kind = "hybrid";
	hybrid = warm_percent_wrong(&params, mix, 80000, 20000);
	/* Half the branches have a tenth of noise: 5 % cannot be known. */
	ASSERT_BETWEEN(hybrid, 5, 8);
	ASSERT_BETWEEN(bimodal - hybrid, 40, 100);
	ASSERT_BETWEEN(gshare - hybrid, 10, 100);
	free(mix);
}

TEST(cannot_learn_tosses)
{
	struct branch *tosses = make_tosses(20000);

	ASSERT_BETWEEN(warm_percent_wrong(&predictor_params_default, tosses, 20000, 100), 47, 53);
	free(tosses);
}
