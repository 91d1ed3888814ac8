#include "../test.h"
#include "stream.h"

#include "pred/btb.h"

/* The list of committed taken branches, in order: a branch is in the BTB if,
 * going back in the list, it turns up before `ways` others of its set. */
struct list {
	size_t sets, ways, count;
	struct branch *taken;
};

static bool list_find(const struct list *list, uint64_t pc, uint64_t *target)
{
	uint64_t others[16];
	size_t count = 0;

	for (size_t i = list->count; i-- > 0 && count < list->ways;) {
		const struct branch *b = &list->taken[i];
		bool is_known = false;

		if (b->pc / 2 % list->sets != pc / 2 % list->sets)
			continue;
		if (b->pc == pc) {
			*target = b->target;
			return true;
		}
		for (size_t j = 0; j < count; j++)
			is_known |= others[j] == b->pc;
		if (!is_known)
			others[count++] = b->pc;
	}
	return false;
}

static void list_predict(void *state, const struct branch *path, size_t count,
			 const struct branch *branch, struct answer *answer)
{
	(void)path;
	(void)count;
	if (branch->kind == BRANCH_RETURN)
		return;
	answer->says_target = true;
	answer->has_target = list_find(state, branch->pc, &answer->target);
}

static void list_train(void *state, const struct branch *branch, const struct answer *answer)
{
	struct list *list = state;

	(void)answer;
	if (branch->taken && branch->kind != BRANCH_RETURN)
		list->taken[list->count++] = *branch;
}

TEST(agrees_with_the_list_of_taken_branches)
{
	static const uint32_t shapes[][2] = {{1, 1}, {1, 7}, {16, 2}, {64, 3}, {512, 4}};
	struct predictor_params params = predictor_params_default;

	params.kind = "bimodal";
	for (size_t i = 0; i < ARRAY_COUNT(shapes); i++) {
		struct list list = {shapes[i][0], shapes[i][1], 0, NULL};
		struct twin twin = {&list, list_predict, list_train};

		list.taken = mem_alloc_array(6000, sizeof(*list.taken));
		params.btb_sets = shapes[i][0];
		params.btb_ways = shapes[i][1];
		compare_with_twin(&params, &twin, i + 1, 200, 6000);
		free(list.taken);
	}
}

/* `jumps` jumps in a circle, all of one set. */
static size_t misfetches_of_circle(size_t jumps, size_t rounds)
{
	struct predictor_params params = predictor_params_default;
	struct predictor *predictor;
	size_t misfetches = 0;

	params.btb_sets = 16;
	params.btb_ways = 4;
	predictor = make_predictor(&params);
	for (size_t i = 0; i < rounds * jumps; i++) {
		uint64_t pc = 0x1000 + i % jumps * 32;

		misfetches += predictor_warm(predictor, BRANCH_JUMP, pc, 4, true, pc + 0x100) ==
			      PREDICTION_MISFETCH;
	}
	predictor_destroy(predictor);
	return misfetches;
}

TEST(holds_as_many_as_there_are_ways_and_no_more)
{
	assert_int_equal(misfetches_of_circle(4, 100), 4);
	assert_int_equal(misfetches_of_circle(5, 100), 500);
}

TEST(a_not_taken_branch_takes_no_room)
{
	struct predictor *predictor = make_predictor(&predictor_params_default);
	struct prediction prediction;

	predictor_warm(predictor, BRANCH_JUMP, 0x1000, 4, true, 0x2000);
	for (uint64_t i = 1; i < 100; i++)
		predictor_warm(predictor, BRANCH_CONDITIONAL, 0x1000 + i * 1024, 4, false, 0x4000);
	predictor_predict(predictor, BRANCH_JUMP, 0x1000, 4, &prediction);
	assert_true(prediction.has_target);
	assert_int_equal(prediction.target, 0x2000);
	predictor_destroy(predictor);
}
