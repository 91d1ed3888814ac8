/* Predicts the last target of the jump, which is the BTB's entry. */
#include "pred/indirect_kind.h"

static bool predict(const void *state, const struct btb *btb, uint64_t pc, struct prediction *out)
{
	(void)state;
	return btb_lookup(btb, pc, &out->target);
}

CONFIG_PART(indirect_btb) = {
	.name = "btb",
	.predict = predict,
};
