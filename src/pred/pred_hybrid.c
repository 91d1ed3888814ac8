/*
 * Bimodal and gshare side by side, and two-bit counters indexed by pc that
 * choose between them (McFarling 1993, section 8). Both components are trained
 * with every outcome; the chooser moves only where they disagreed.
 */
#include "pred/pred_kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pred/gshare_index.h"

enum {
	BIMODAL_TAKEN = 1,
	GSHARE_TAKEN = 2,
};

struct hybrid {
	struct gshare_index gshare_index;
	uint64_t bimodal_mask;
	uint64_t chooser_mask;
	uint8_t *gshare;
	uint8_t *bimodal;
	uint8_t *chooser;   /* upper half: gshare */
	uint8_t counters[]; /* the counters of all three tables, in that order */
};

static bool create(const struct predictor_params *params, void **state, struct err *err)
{
	struct gshare_index index;
	struct hybrid *hybrid;

	if (!gshare_index_init(&index, params, err) ||
	    !pred_require_power_of_two(params->bimodal_entries, "predictor.bimodal_entries", err) ||
	    !pred_require_power_of_two(params->chooser_entries, "predictor.chooser_entries", err))
		return false;
	hybrid = mem_alloc(sizeof(*hybrid) + params->gshare_entries + params->bimodal_entries +
			   params->chooser_entries);
	hybrid->gshare_index = index;
	hybrid->bimodal_mask = params->bimodal_entries - 1;
	hybrid->chooser_mask = params->chooser_entries - 1;
	hybrid->gshare = hybrid->counters;
	hybrid->bimodal = hybrid->gshare + params->gshare_entries;
	hybrid->chooser = hybrid->bimodal + params->bimodal_entries;
	memset(hybrid->gshare, PRED_WEAKLY_TAKEN, params->gshare_entries);
	memset(hybrid->bimodal, PRED_WEAKLY_TAKEN, params->bimodal_entries);
	/* Bimodal learns sooner, so the chooser starts with it. */
	memset(hybrid->chooser, PRED_WEAKLY_NOT_TAKEN, params->chooser_entries);
	*state = hybrid;
	return true;
}

static bool predict(void *state, uint64_t pc, struct prediction *out)
{
	const struct hybrid *hybrid = state;
	uint64_t pc_bits = pred_pc_bits(pc);
	bool bimodal, gshare;

	out->index = gshare_index_of(&hybrid->gshare_index, pc, out->history);
	gshare = hybrid->gshare[out->index] >= PRED_WEAKLY_TAKEN;
	bimodal = hybrid->bimodal[pc_bits & hybrid->bimodal_mask] >= PRED_WEAKLY_TAKEN;
	out->flags = (uint8_t)((bimodal ? BIMODAL_TAKEN : 0) | (gshare ? GSHARE_TAKEN : 0));
	return hybrid->chooser[pc_bits & hybrid->chooser_mask] >= PRED_WEAKLY_TAKEN ? gshare
										    : bimodal;
}

static void update(void *state, uint64_t pc, bool taken, const struct prediction *prediction)
{
	struct hybrid *hybrid = state;
	uint64_t pc_bits = pred_pc_bits(pc);
	bool bimodal = prediction->flags & BIMODAL_TAKEN;
	bool gshare = prediction->flags & GSHARE_TAKEN;

	if (bimodal != gshare)
		pred_count(&hybrid->chooser[pc_bits & hybrid->chooser_mask], gshare == taken,
			   PRED_COUNTER_MOST);
	pred_count(&hybrid->bimodal[pc_bits & hybrid->bimodal_mask], taken, PRED_COUNTER_MOST);
	pred_count(&hybrid->gshare[prediction->index], taken, PRED_COUNTER_MOST);
}

static bool train(void *state, uint64_t pc, uint64_t history, uint32_t position, bool taken)
{
	struct prediction prediction = {.history = history};

	(void)position;
	prediction.taken = predict(state, pc, &prediction);
	update(state, pc, taken, &prediction);
	return prediction.taken;
}

static void write_state(const void *state, uint32_t position,
			void (*write)(void *context, const void *bytes, size_t count),
			void *context)
{
	const struct hybrid *hybrid = state;

	(void)position;
	write(context, hybrid->gshare, hybrid->gshare_index.mask + 1);
	write(context, hybrid->bimodal, hybrid->bimodal_mask + 1);
	write(context, hybrid->chooser, hybrid->chooser_mask + 1);
}

CONFIG_PART(pred_hybrid) = {
	.name = "hybrid",
	.create = create,
	.destroy = free,
	.predict = predict,
	.update = update,
	.train = train,
	.write_state = write_state,
};
