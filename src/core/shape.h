/*
 * shape.h - what an observer needs to know of a core before the first record, from the
 * configuration, whichever kind the core is of: how many slots a cycle has, how large the window
 * is, what a misprediction and the fill of a line cost.
 *
 * The parameters of the other kind of core are at their fallback values; reading them directly
 * would describe a machine that is not there.
 */
#ifndef CORE_SHAPE_H
#define CORE_SHAPE_H

#include "config/config.h"

/* Instructions that an in-order core holds between issue and write-back: the entries of its
 * scoreboard. A division of up to 128 cycles does not stop what follows it before they are in use.
 * A power of two. */
#define SHAPE_INORDER_WINDOW 64

/* Bytes that inorder.fill_word_cycles counts as one word. */
#define SHAPE_WORD_BYTES 4

static inline bool shape_is_inorder(const struct config *config)
{
	return config->core_kind == CORE_INORDER;
}

/* Dispatch slots in each cycle, which is `width` of every record. */
static inline uint32_t shape_width(const struct config *config)
{
	return shape_is_inorder(config) ? config->inorder_issue_width : config->dispatch_width;
}

/* The largest number of instructions that issue in a cycle, and that commit in a cycle. */
static inline uint32_t shape_issue_width(const struct config *config)
{
	return shape_is_inorder(config) ? config->inorder_issue_width : config->issue_width;
}

static inline uint32_t shape_commit_width(const struct config *config)
{
	return shape_is_inorder(config) ? config->inorder_issue_width : config->commit_width;
}

/* Instructions between dispatch and commit. */
static inline uint32_t shape_window(const struct config *config)
{
	return shape_is_inorder(config) ? SHAPE_INORDER_WINDOW : config->rob_size;
}

/* Cycles lost to a misprediction, apart from the time until the branch resolves. Without a
 * predictor every taken branch is one. */
static inline uint32_t shape_mispredict_cycles(const struct config *config)
{
	if (!shape_is_inorder(config))
		return config->frontend_depth;
	return config->predictor_kind == PREDICTOR_NONE ? config->inorder_taken_branch
							: config->inorder_mispredict;
}

/* Cycles in which the rest of a line follows its first word. */
static inline uint32_t shape_fill_cycles(const struct config *config, uint32_t line_bytes)
{
	return shape_is_inorder(config)
		       ? config->inorder_fill_word * (line_bytes / SHAPE_WORD_BYTES - 1)
		       : 0;
}

#endif
