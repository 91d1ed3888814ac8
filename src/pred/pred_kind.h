/*
 * pred_kind.h - a way to predict directions: one file pred_<kind>.c each, one
 * row in CONFIG_WORDS_direction.
 *
 * The predictor owns the history and numbers the conditional branches; a kind
 * finds both in the prediction it fills in, and is asked once per branch at
 * fetch and once at commit. What it needs at commit from the time of the
 * prediction it leaves in flags, provider and index.
 *
 * Invariant: predict and push change nothing but what belongs to positions
 * after the branch's own, so that going back to a position restores the kind.
 */
#ifndef PRED_PRED_KIND_H
#define PRED_PRED_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/words.h"
#include "pred/predictor.h"

struct pred_kind {
	const char *name;
	/* False with a sentence if the parameters are not possible. NULL: no state. */
	bool (*create)(const struct predictor_params *params, void **state, struct err *err);
	void (*destroy)(void *state);
	/* The direction of the conditional branch at pc, given out->history and
	 * out->position. */
	bool (*predict)(void *state, uint64_t pc, struct prediction *out);
	/* The outcome of the conditional branch at `position` is another than
	 * predicted. NULL: the history the predictor keeps is enough. */
	void (*push)(void *state, uint32_t position, bool taken);
	void (*update)(void *state, uint64_t pc, bool taken, const struct prediction *prediction);
	/* All of these at once, with no branch in flight: predicts, updates, and pushes the
	 * outcome. Returns the direction predicted. NULL: they are called one by one. */
	bool (*train)(void *state, uint64_t pc, uint64_t history, uint32_t position, bool taken);
	/* More branches may be in flight than before; `position` is that of the next conditional
	 * branch. NULL: no state depends on it. */
	void (*grow)(void *state, uint32_t position, uint32_t in_flight);
	/* See predictor_state; `position` is that of the next conditional branch. */
	void (*write_state)(const void *state, uint32_t position,
			    void (*write)(void *context, const void *bytes, size_t count),
			    void *context);
};

#define KIND(id, word) extern const struct pred_kind pred_##word;
CONFIG_WORDS_direction(KIND)
#undef KIND

	/* NULL with a sentence that lists the kinds if there is none of that name. */
	const struct pred_kind *pred_kind_find(const char *name, struct err *err);

/* False with a sentence that names the configuration's key. */
bool pred_require_power_of_two(uint32_t value, const char *key, struct err *err);

/* Instructions have even addresses, so bit 0 of a pc carries no information. */
static inline uint64_t pred_pc_bits(uint64_t pc)
{
	return pc >> 1;
}

/* Saturating counters: 0 .. most, the upper half meaning taken. */
static inline void pred_count(uint8_t *counter, bool up, uint8_t most)
{
	uint8_t value = *counter;

	*counter = (uint8_t)(value + (up & (value < most)) - (!up & (value > 0)));
}

#define PRED_WEAKLY_NOT_TAKEN 1
#define PRED_WEAKLY_TAKEN     2
#define PRED_COUNTER_MOST     3

#endif
