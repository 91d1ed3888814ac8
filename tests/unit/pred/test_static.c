#include "../test.h"
#include "stream.h"

struct constant {
	bool taken;
};

static void constant_predict(void *state, const struct branch *path, size_t count,
			     const struct branch *branch, struct answer *answer)
{
	const struct constant *constant = state;

	(void)path;
	(void)count;
	answer->says_direction = true;
	answer->taken = branch->kind == BRANCH_CONDITIONAL ? constant->taken : true;
}

static void constant_train(void *state, const struct branch *branch, const struct answer *answer)
{
	(void)state;
	(void)branch;
	(void)answer;
}

TEST(directions_never_change)
{
	struct predictor_params params = predictor_params_default;
	struct constant taken = {true}, not_taken = {false};
	struct twin twin = {&taken, constant_predict, constant_train};

	params.kind = "static_taken";
	compare_with_twin(&params, &twin, 1, 100, 5000);
	params.kind = "static_not_taken";
	twin.state = &not_taken;
	compare_with_twin(&params, &twin, 2, 100, 5000);
}

TEST(wrong_exactly_as_often_as_the_stream_goes_the_other_way)
{
	struct predictor_params params = predictor_params_default;
	struct branch stream[1000];

	for (size_t i = 0; i < 1000; i++)
		stream[i] = conditional(0x1000 + i % 10 * 4, i % 4 != 0);
	params.kind = "static_taken";
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 1000, 0), 25, 25);
	params.kind = "static_not_taken";
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 1000, 0), 75, 75);
}
