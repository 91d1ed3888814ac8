/*
 * label.h - what each step of a trace meets in the caches, TLBs and predictor of a machine, in
 * program order and without time.
 *
 * A data access is a hit, a short miss (of the L1D, served by a cache) or a long miss (served by
 * memory); its block is that of the last cache. The functional paths of src/mem and src/pred answer
 * that: tags, replacement and prefetchers are those of the simulator, but wrong paths are not
 * followed and accesses do not change order.
 */
#ifndef MODEL_LABEL_H
#define MODEL_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "mem/hierarchy.h"
#include "trace/step.h"

enum data_label { DATA_NONE, DATA_HIT, DATA_SHORT_MISS, DATA_LONG_MISS };

struct label {
	uint8_t data;	      /* enum data_label */
	uint8_t level;	      /* enum memory_level that held the line; LEVEL_L1 without an access */
	bool tlb_miss;	      /* of its data access */
	bool is_mispredicted; /* a branch that the configured predictor predicts wrongly */
	uint64_t block;	      /* number of the block of the last cache that it accesses */
	/* Fetches of lines it needs that leave the L1I, by the level that holds them; I-TLB misses.
	 */
	uint8_t fetches[LEVEL_COUNT];
	uint8_t fetch_tlb_misses;
	/* When it issues and leaves the window on the base machine; the labeller leaves them 0, and
	 * who has a curve (curve.h) fills them in. */
	uint64_t base_issued, base_left;
};

struct labeller;

/* NULL with a sentence if the machine's parts cannot be built. */
struct labeller *labeller_create(const struct config *config, struct err *err);
void labeller_destroy(struct labeller *labeller); /* NULL is accepted */
/* The labels of the next steps. */
void labeller_next(struct labeller *labeller, const struct trace_step *steps, struct label *labels,
		   size_t count);

/* Of all labels so far. */
struct label_totals {
	uint64_t mispredictions, fetches[LEVEL_COUNT], fetch_tlb_misses;
};
struct label_totals labeller_totals(const struct labeller *labeller);

/* Whether labels on both machines are the same: their caches, TLBs and predictors are, whatever
 * their latencies and ideal switches. */
bool labeller_same_geometry(const struct config *a, const struct config *b);

#endif
