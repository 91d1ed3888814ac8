/*
 * facts_state.h - what facts are collected in; for the files facts_*.c.
 *
 * A place is an instruction with facts. Places have numbers from 1 on, in the order of facts_at.
 */
#ifndef MEASURE_FACTS_STATE_H
#define MEASURE_FACTS_STATE_H

#include "measure/bitset.h"
#include "measure/facts.h"
#include "measure/flow.h"
#include "measure/shadow.h"
#include "pred/predictor.h"

#define HISTORY_CONTEXTS (1 << FACTS_HISTORY)

/* How often each outcome followed each history: not taken, taken. */
struct outcome_counts {
	uint16_t of[HISTORY_CONTEXTS][2];
};

struct branch_state {
	struct outcome_counts own, all;
	uint32_t history; /* the branch's own outcomes, the last in bit 0 */
	uint64_t run;	  /* of equal outcomes until now */
	bool last;
};

struct fact_place {
	struct fact fact;
	struct branch_state *branch; /* NULL: is none */
	uint64_t last_at;	     /* the step in which it was executed last; 0: never */
	uint64_t last_depth;	     /* of the chain of its result then */
	uint64_t last_target;	     /* of an indirect jump */
	uint32_t raw;		     /* its code */
};

/* How many calls a return stack that loses its oldest entries still knows. */
struct return_stack {
	uint64_t depth;
	uint32_t held;
};

struct facts {
	struct config config;
	struct hierarchy *hierarchy;
	struct predictor *predictor;			/* NULL: none, or a perfect one */
	struct shadow shadow_l1i, shadow[LEVEL_MEMORY]; /* L1D, L2, L3; those there are */
	struct flow flow;
	struct bitset lines_seen; /* of data, in lines of the L1D */
	struct bitset code_seen;  /* halfwords */
	struct bitset code_lines, code_pages, window_lines, window_pages;
	uint64_t *window_line_list, *window_page_list;
	size_t window_line_count, window_page_count;
	uint64_t window_ends; /* step */
	struct fact_code code;
	struct fact_place **places;
	size_t place_count;
	uint32_t *table; /* by pc: number of a place; open addressing */
	uint32_t *by_op; /* by number of an op: number of a place plus one; 0: not looked up */
	size_t by_op_room;
	uint64_t step, left_out;
	uint64_t fetch_line; /* the last; UINT64_MAX: none */
	uint32_t history;    /* of all branches, the last outcome in bit 0 */
	uint8_t near_units[FACTS_NEAR];
	uint32_t near_counts[UNIT_COUNT];
	struct return_stack returns[FLOW_THREADS];
	uint32_t thread;
	uint64_t expected_pc; /* of the next step; 0: not known */
};

/* The line that the instruction is in, when it begins or enters one. `place` may be NULL, as
 * below. */
void facts_fetch(struct facts *facts, struct fact_place *place, const struct trace_op *op);
void facts_access(struct facts *facts, struct fact_place *place, const struct trace_step *step);
/* An outcome that is known. */
void facts_control(struct facts *facts, struct fact_place *place, const struct trace_step *step);
void facts_release_memory(struct fact_memory *memory); /* NULL is accepted */

#endif
