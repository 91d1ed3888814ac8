/*
 * gshare_index.h - pc and global history made into one index by exclusive or
 * (McFarling 1993, section 7), shared by pred_gshare.c and pred_hybrid.c.
 *
 * With fewer history bits than index bits the history is combined with the
 * upper bits of the index, so that neighbouring branches use different entries.
 */
#ifndef PRED_GSHARE_INDEX_H
#define PRED_GSHARE_INDEX_H

#include "base/bits.h"
#include "pred/pred_kind.h"

struct gshare_index {
	uint64_t mask;
	uint64_t history_mask;
	unsigned shift;
};

static inline bool gshare_index_init(struct gshare_index *index,
				     const struct predictor_params *params, struct err *err)
{
	unsigned index_bits;

	if (!pred_require_power_of_two(params->gshare_entries, "predictor.gshare_entries", err))
		return false;
	index_bits = bits_log2(params->gshare_entries);
	if (params->gshare_history_bits > index_bits)
		return err_set(err,
			       "predictor.gshare_history_bits is %u, but predictor.gshare_entries "
			       "= %u can be indexed with no more than %u",
			       (unsigned)params->gshare_history_bits,
			       (unsigned)params->gshare_entries, index_bits);
	index->mask = params->gshare_entries - 1;
	index->history_mask = (UINT64_C(1) << params->gshare_history_bits) - 1;
	index->shift = index_bits - params->gshare_history_bits;
	return true;
}

static inline uint32_t gshare_index_of(const struct gshare_index *index, uint64_t pc,
				       uint64_t history)
{
	return (uint32_t)((pred_pc_bits(pc) ^ ((history & index->history_mask) << index->shift)) &
			  index->mask);
}

#endif
