/*
 * flow.h - where the values in registers come from, and how long the chains of results are.
 *
 * A value knows the load it comes from, the last operation of more than one cycle in the longest
 * chain that leads to it, and that chain's length with every operation taking its latency, every
 * load that of a hit. Values are followed through registers, and through memory: a chain goes from
 * a store to the load that reads what it wrote; what was stored by way of the stack pointer, or by
 * s0 where that points near it, is after its load the value that was stored.
 *
 * Bounded: the last store to each of RECENT_WORDS words is known (by the low bits of the word's
 * number, so a later store to another word may push it out), and FLOW_THREADS threads' registers.
 */
#ifndef MEASURE_FLOW_H
#define MEASURE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "trace/step.h"

#define FLOW_THREADS	 16
#define FLOW_REGISTERS	 64
#define RECENT_WORDS	 4096
#define FLOW_LONG_BEFORE 1024 /* steps */
#define FLOW_STACK_NEAR	 4096 /* bytes from the stack pointer's last access */

/* Instructions are named by numbers of the caller's, from 1 on; 0 is none. */
struct flow_value {
	uint32_t load;	  /* it comes from */
	uint32_t slow;	  /* the last operation of more than one cycle in its chain */
	uint64_t load_at; /* the step in which the load was executed */
	uint64_t slow_at; /* and the operation */
	uint64_t depth;	  /* of the chain, in cycles */
	bool is_anew;	  /* the load's address was another one than the time before */
};

enum flow_meeting {
	FLOW_MEETS_NONE, /* no store within the window wrote any of its bytes */
	FLOW_FORWARDS,	 /* the last one that did wrote them all */
	FLOW_PARTIAL,	 /* it wrote some of them */
};

struct flow_word {
	uint64_t word;		 /* its number plus one */
	uint64_t at[8];		 /* the step in which each byte was written; 0: not known */
	uint32_t by[8];		 /* and by which instruction */
	struct flow_value value; /* of the last store */
	uint64_t address;	 /* of the last store */
	uint8_t bytes;
	bool is_stack;
	uint32_t thread;
};

struct flow_thread {
	uint32_t thread;
	bool is_used;
	uint64_t stack_address; /* of the last access through sp */
	struct flow_value registers[FLOW_REGISTERS];
};

struct flow {
	uint32_t latency[UNIT_COUNT];
	uint64_t window; /* steps for which a store counts as recent */
	struct flow_thread threads[FLOW_THREADS];
	struct flow_thread *current;
	struct flow_word *words;
};

/* What a step does with values. */
struct flow_step {
	struct flow_value in;  /* its address, or what it tests, jumps to or computes with */
	struct flow_value out; /* its result; its depth is known even if it has none */
	enum flow_meeting meeting;
	uint32_t met; /* the instruction whose store it meets */
};

void flow_init(struct flow *flow, const struct config *config);
void flow_release(struct flow *flow);
/* The steps that follow are this thread's. */
void flow_switch(struct flow *flow, uint32_t thread);
/* Nothing is known of the registers any more. */
void flow_forget(struct flow *flow);
/* The step `now`, which is at least 1 and goes up, by the instruction `number`. is_anew: its
 * address is another one than that of the instruction's last access. */
struct flow_step flow_take(struct flow *flow, const struct trace_step *step, uint32_t number,
			   uint64_t now, bool is_anew);

#endif
