/*
 * frontend.h - the timing of a front end: the only code that computes stages from frontend.depth
 * and l1i.latency_cycles. An in-order core has no frontend.depth: its front end is fetch and
 * decode.
 *
 * An L1I of one cycle is part of the first stage; each further cycle adds a stage. An instruction
 * fed in cycle t dispatches at t + frontend_stages() at the earliest.
 *
 * Not modelled: stages that hold back part of a group; all instructions fed in a cycle advance
 * together.
 */
#ifndef CORE_FRONTEND_H
#define CORE_FRONTEND_H

#include <stdint.h>

#include "config/config.h"
#include "core/shape.h"

/* Fetch and decode: an in-order core issues at the end of decode. */
#define FRONTEND_INORDER_STAGES 2

/* Decode sees a branch in the cycle after it was fed and redirects fetch in the next. */
#define FRONTEND_DECODE_REDIRECT_CYCLES 2

static inline uint32_t frontend_stages(const struct config *config)
{
	uint32_t depth =
		shape_is_inorder(config) ? FRONTEND_INORDER_STAGES : config->frontend_depth;

	return depth + config->l1i_latency - 1;
}

/* The number of instructions that fit between the fetch buffer and dispatch. */
static inline uint32_t frontend_room(const struct config *config)
{
	return frontend_stages(config) * config->decode_width;
}

/* The largest number of instructions between fetch and commit of a core with a window of
 * rob.size. */
static inline uint32_t frontend_in_flight(const struct config *config)
{
	return config->rob_size + frontend_room(config) + config->fetch_buffer +
	       config->fetch_width;
}

#endif
