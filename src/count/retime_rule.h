/*
 * retime_rule.h - a machine as the recurrence of retime.h sees it: widths, sizes, latencies, and
 * the causes of waits that it has. Inside count/retime*.c, and for the circuit that does the same
 * (rtl/circuit_vclk.c).
 *
 * No time is further than wait_most cycles from the last commit, before or after: an instruction
 * is not fetched earlier, does not become ready, complete or bring in anything later, and no wait
 * counts for more. What is further back need not be known.
 */
#ifndef COUNT_RETIME_RULE_H
#define COUNT_RETIME_RULE_H

#include "count/retime.h"
#include "isa/insn.h"

#define RETIME_MSHRS_MAX    64	 /* more are as good as unlimited */
#define RETIME_QUEUE_CYCLES 4096 /* the most cycles in which instructions leave an issue queue */

enum unit_kind { KIND_ALU, KIND_MULDIV, KIND_MEMORY, KIND_FP_ADD, KIND_FP_MULDIV, KIND_ALL, KINDS };
enum queue { QUEUE_INT, QUEUE_MEMORY, QUEUE_FP, QUEUES };

extern const uint8_t retime_unit_kinds[UNIT_COUNT]; /* enum unit_kind */
extern const uint8_t retime_queues[KINDS];	    /* enum queue */

/* What a machine has, of those things in which machines that are timed together may differ. */
struct retime_causes {
	bool branch, fetch[4], data[4], walk, queueing, pending;
};

struct retime_rule {
	uint32_t fetch_width, fetch_buffer, decode_width, room, stages, dispatch_width,
		commit_width;
	uint32_t rob_size, lsq_size, max_branches; /* UNLIMITED: any number */
	uint32_t queue_size[QUEUES];
	bool is_split, has_queue;
	uint32_t units[KINDS], latency[UNIT_COUNT], busy[UNIT_COUNT];
	uint32_t l1d_latency, mshrs; /* 0: any number */
	/* What a miss in the L1 takes, and beyond that a miss in the L2. */
	uint32_t near_latency, far_latency;
	bool has_store_buffer, is_conservative, has_replay;
	uint32_t unit_mask, queue_mask; /* cycles in the tables of units, and of the issue queue */
	int32_t wait_most;
};

struct retime_rule retime_rule_of(const struct config *machine, const struct retime_limits *limits);
struct retime_causes retime_causes_of(const struct config *machine);

#endif
