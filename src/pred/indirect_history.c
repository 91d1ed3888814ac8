/*
 * Predicts the target that the jump had when it was last reached by this path:
 * a direct-mapped target cache indexed by pc and path, tagged with the pc
 * (Chang, Hao and Patt 1997); the BTB predicts on a miss.
 */
#include "pred/indirect_kind.h"

#include <stdlib.h>

#include "base/array.h"
#include "pred/pred_kind.h"

struct history {
	uint64_t mask;
	struct btb_entry entries[];
};

static bool create(const struct predictor_params *params, void **state, struct err *err)
{
	struct history *history;

	if (!pred_require_power_of_two(params->indirect_entries, "indirect.entries", err))
		return false;
	history = mem_alloc(sizeof(*history) +
			    (size_t)params->indirect_entries * sizeof(history->entries[0]));
	history->mask = params->indirect_entries - 1;
	for (uint32_t i = 0; i < params->indirect_entries; i++)
		history->entries[i].pc = BTB_NO_PC;
	*state = history;
	return true;
}

static bool predict(const void *state, const struct btb *btb, uint64_t pc, struct prediction *out)
{
	const struct history *history = state;
	const struct btb_entry *entry;

	out->indirect_index = (uint32_t)((pred_pc_bits(pc) ^ out->path) & history->mask);
	entry = &history->entries[out->indirect_index];
	if (entry->pc == pc) {
		out->target = entry->target;
		return true;
	}
	return btb_lookup(btb, pc, &out->target);
}

static void update(void *state, uint64_t pc, uint64_t target, const struct prediction *prediction)
{
	struct history *history = state;

	history->entries[prediction->indirect_index] = (struct btb_entry){pc, target};
}

static void write_state(const void *state,
			void (*write)(void *context, const void *bytes, size_t count),
			void *context)
{
	const struct history *history = state;

	write(context, history->entries, (history->mask + 1) * sizeof(history->entries[0]));
}

CONFIG_PART(indirect_history) = {
	.name = "history",
	.create = create,
	.destroy = free,
	.predict = predict,
	.update = update,
	.write_state = write_state,
};
