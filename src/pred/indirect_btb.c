/* Where the jump went last time: the BTB's answer. */
#include "pred/indirect_kind.h"

static bool predict(const void *state, const struct btb *btb, uint64_t pc, struct prediction *out)
{
	(void)state;
	return btb_lookup(btb, pc, &out->target);
}

const struct indirect_kind indirect_btb = {
	.name = "btb",
	.predict = predict,
};
