#include "pred/pred_kind.h"

static bool predict_taken(void *state, uint64_t pc, struct prediction *out)
{
	(void)state;
	(void)pc;
	(void)out;
	return true;
}

static bool predict_not_taken(void *state, uint64_t pc, struct prediction *out)
{
	(void)state;
	(void)pc;
	(void)out;
	return false;
}

static void update(void *state, uint64_t pc, bool taken, const struct prediction *prediction)
{
	(void)state;
	(void)pc;
	(void)taken;
	(void)prediction;
}

CONFIG_PART(pred_static_taken) = {
	.name = "static_taken",
	.predict = predict_taken,
	.update = update,
};

CONFIG_PART(pred_static_not_taken) = {
	.name = "static_not_taken",
	.predict = predict_not_taken,
	.update = update,
};
