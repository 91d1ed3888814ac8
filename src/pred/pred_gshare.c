/* Two-bit counters indexed by pc and global history (McFarling 1993, section 7). */
#include "pred/pred_kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pred/gshare_index.h"

struct gshare {
	struct gshare_index index;
	uint8_t counters[];
};

static bool create(const struct predictor_params *params, void **state, struct err *err)
{
	struct gshare_index index;
	struct gshare *gshare;

	if (!gshare_index_init(&index, params, err))
		return false;
	gshare = mem_alloc(sizeof(*gshare) + params->gshare_entries);
	gshare->index = index;
	memset(gshare->counters, PRED_WEAKLY_TAKEN, params->gshare_entries);
	*state = gshare;
	return true;
}

static bool predict(void *state, uint64_t pc, struct prediction *out)
{
	const struct gshare *gshare = state;

	out->index = gshare_index_of(&gshare->index, pc, out->history);
	return gshare->counters[out->index] >= PRED_WEAKLY_TAKEN;
}

static void update(void *state, uint64_t pc, bool taken, const struct prediction *prediction)
{
	struct gshare *gshare = state;

	(void)pc;
	pred_count(&gshare->counters[prediction->index], taken, PRED_COUNTER_MOST);
}

static void write_state(const void *state, uint32_t position,
			void (*write)(void *context, const void *bytes, size_t count),
			void *context)
{
	const struct gshare *gshare = state;

	(void)position;
	write(context, gshare->counters, gshare->index.mask + 1);
}

CONFIG_PART(pred_gshare) = {
	.name = "gshare",
	.create = create,
	.destroy = free,
	.predict = predict,
	.update = update,
	.write_state = write_state,
};
