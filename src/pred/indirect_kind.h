/*
 * indirect_kind.h - a way to predict where an indirect jump or call goes: one
 * file indirect_<kind>.c each, one row in CONFIG_WORDS_indirect. Returns are predicted by the
 * return stack.
 *
 * Every kind may use the BTB, which is trained by the predictor, not by the
 * kind; the path (indirect_path) is kept by the predictor too.
 */
#ifndef PRED_INDIRECT_KIND_H
#define PRED_INDIRECT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/words.h"
#include "pred/btb.h"
#include "pred/predictor.h"

struct indirect_kind {
	const char *name;
	/* False with a sentence if the parameters are not possible. NULL: no state. */
	bool (*create)(const struct predictor_params *params, void **state, struct err *err);
	void (*destroy)(void *state);
	/* From out->path to out->target and out->indirect_index; false if no
	 * target is known. Changes nothing else. */
	bool (*predict)(const void *state, const struct btb *btb, uint64_t pc,
			struct prediction *out);
	/* At commit. NULL: nothing to learn. */
	void (*update)(void *state, uint64_t pc, uint64_t target,
		       const struct prediction *prediction);
	void (*write_state)(const void *state,
			    void (*write)(void *context, const void *bytes, size_t count),
			    void *context);
};

#define KIND(id, word) extern const struct indirect_kind indirect_##word;
CONFIG_WORDS_indirect(KIND)
#undef KIND

	/* NULL with a sentence if there is none of that name. */
	const struct indirect_kind *indirect_kind_find(const char *name, struct err *err);

/* The path: a conditional branch adds its direction, an indirect jump or call
 * three bits of its target. */
static inline uint32_t indirect_path_conditional(uint32_t path, bool taken)
{
	return path << 1 | taken;
}

static inline uint32_t indirect_path_target(uint32_t path, uint64_t target)
{
	/* Multiplied so that all of its bits count: targets are often aligned. */
	return path << 3 | (uint32_t)((target * UINT64_C(0x9e3779b97f4a7c15)) >> 61);
}

#endif
