/* Two-bit counters indexed by pc (Smith 1981, strategy 7). */
#include "pred/pred_kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct bimodal {
	uint64_t mask;
	uint8_t counters[];
};

static bool create(const struct predictor_params *params, void **state, struct err *err)
{
	struct bimodal *bimodal;

	if (!pred_require_power_of_two(params->bimodal_entries, "predictor.bimodal_entries", err))
		return false;
	bimodal = mem_alloc(sizeof(*bimodal) + params->bimodal_entries);
	bimodal->mask = params->bimodal_entries - 1;
	memset(bimodal->counters, PRED_WEAKLY_TAKEN, params->bimodal_entries);
	*state = bimodal;
	return true;
}

static bool predict(void *state, uint64_t pc, struct prediction *out)
{
	const struct bimodal *bimodal = state;

	out->index = (uint32_t)(pred_pc_bits(pc) & bimodal->mask);
	return bimodal->counters[out->index] >= PRED_WEAKLY_TAKEN;
}

static void update(void *state, uint64_t pc, bool taken, const struct prediction *prediction)
{
	struct bimodal *bimodal = state;

	(void)pc;
	pred_count(&bimodal->counters[prediction->index], taken, PRED_COUNTER_MOST);
}

static void write_state(const void *state, uint32_t position,
			void (*write)(void *context, const void *bytes, size_t count),
			void *context)
{
	const struct bimodal *bimodal = state;

	(void)position;
	write(context, bimodal->counters, bimodal->mask + 1);
}

CONFIG_PART(pred_bimodal) = {
	.name = "bimodal",
	.create = create,
	.destroy = free,
	.predict = predict,
	.update = update,
	.write_state = write_state,
};
