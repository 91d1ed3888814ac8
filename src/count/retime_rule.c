#include "count/retime_rule.h"

#include "core/frontend.h"

#define WAIT_MOST (1 << 24) /* cycles */

const uint8_t retime_unit_kinds[UNIT_COUNT] = {
	[UNIT_MUL] = KIND_MULDIV,	[UNIT_DIV] = KIND_MULDIV,	[UNIT_LOAD] = KIND_MEMORY,
	[UNIT_STORE] = KIND_MEMORY,	[UNIT_AMO] = KIND_MEMORY,	[UNIT_FP_ADD] = KIND_FP_ADD,
	[UNIT_FP_MUL] = KIND_FP_MULDIV, [UNIT_FP_DIV] = KIND_FP_MULDIV,
};

const uint8_t retime_queues[KINDS] = {
	[KIND_MEMORY] = QUEUE_MEMORY,
	[KIND_FP_ADD] = QUEUE_FP,
	[KIND_FP_MULDIV] = QUEUE_FP,
};

static void set_latencies(struct retime_rule *r, const struct config *c)
{
	for (unsigned unit = 0; unit < UNIT_COUNT; unit++)
		r->latency[unit] = c->int_alu_latency;
	r->latency[UNIT_MUL] = c->int_mul_latency;
	r->latency[UNIT_DIV] = c->int_div_latency;
	r->latency[UNIT_FP_ADD] = c->fp_add_latency;
	r->latency[UNIT_FP_MUL] = c->fp_mul_latency;
	r->latency[UNIT_FP_DIV] = c->fp_div_latency;
	for (unsigned unit = 0; unit < UNIT_COUNT; unit++) {
		if (c->ideal_units)
			r->latency[unit] = 1;
		r->busy[unit] = 1;
	}
	if (!c->ideal_ports && !c->ideal_int_muldiv)
		r->busy[UNIT_DIV] = r->latency[UNIT_DIV];
	if (!c->ideal_ports && !c->ideal_fp_muldiv)
		r->busy[UNIT_FP_DIV] = r->latency[UNIT_FP_DIV];
	r->latency[UNIT_STORE] = 1;
	r->l1d_latency = c->l1d_latency;
	r->near_latency = c->cache_levels > 1 ? c->l2_latency : c->memory_latency;
	r->far_latency = c->cache_levels > 1 ? c->memory_latency : 0;
}

static void set_units(struct retime_rule *r, const struct config *c)
{
	r->units[KIND_ALU] = c->int_alu_count;
	r->units[KIND_MULDIV] = c->int_muldiv_count;
	r->units[KIND_MEMORY] = c->memory_ports;
	r->units[KIND_FP_ADD] = c->fp_add_count;
	r->units[KIND_FP_MULDIV] = c->fp_muldiv_count;
	const bool ideal[] = {
		[KIND_ALU] = c->ideal_int_alu,	       [KIND_MULDIV] = c->ideal_int_muldiv,
		[KIND_MEMORY] = c->ideal_memory_ports, [KIND_FP_ADD] = c->ideal_fp_add,
		[KIND_FP_MULDIV] = c->ideal_fp_muldiv,
	};

	for (unsigned i = 0; i < KIND_ALL; i++)
		if (c->ideal_ports || ideal[i])
			r->units[i] = c->issue_width;
	r->units[KIND_ALL] = c->issue_width;
}

static void set_queues(struct retime_rule *r, const struct config *c)
{
	r->is_split = c->issue_queue_kind == ISSUE_QUEUE_SPLIT;
	r->queue_size[QUEUE_INT] = r->is_split ? c->issue_queue_int : c->issue_queue_size;
	r->queue_size[QUEUE_MEMORY] = c->issue_queue_memory;
	r->queue_size[QUEUE_FP] = c->issue_queue_fp;
	for (unsigned i = 0; i < QUEUES && c->ideal_queues; i++)
		r->queue_size[i] = c->rob_size;
	r->has_queue = r->queue_size[QUEUE_INT] < c->rob_size ||
		       (r->is_split && (r->queue_size[QUEUE_MEMORY] < c->rob_size ||
					r->queue_size[QUEUE_FP] < c->rob_size));
}

struct retime_causes retime_causes_of(const struct config *c)
{
	const bool has_l1i = !c->ideal_l1i, has_l1d = !c->ideal_l1d;
	const bool has_l2i = has_l1i && (!c->ideal_l2i || c->cache_levels < 2);
	const bool has_l2d = has_l1d && (!c->ideal_l2d || c->cache_levels < 2);
	const bool has_l3i = has_l2i && (!c->ideal_l3i || c->cache_levels < 3);
	const bool has_l3d = has_l2d && (!c->ideal_l3d || c->cache_levels < 3);

	return (struct retime_causes){
		.branch = !c->ideal_branch && c->predictor_kind != PREDICTOR_PERFECT,
		.fetch = {!c->ideal_itlb, has_l1i, has_l2i, has_l3i},
		.data = {!c->ideal_dtlb, has_l1d, has_l2d, has_l3d},
		.walk = !c->ideal_walk,
		.queueing = !c->ideal_bandwidth,
		.pending = !c->ideal_pending,
	};
}

struct retime_rule retime_rule_of(const struct config *c, const struct retime_limits *limits)
{
	struct retime_rule r = {0};

	r.fetch_width = c->fetch_width;
	r.fetch_buffer = c->fetch_buffer;
	r.decode_width = c->decode_width;
	r.stages = frontend_stages(c);
	r.room = frontend_room(c);
	r.dispatch_width = c->dispatch_width;
	r.commit_width = c->commit_width;
	r.rob_size = c->rob_size;
	r.lsq_size = c->ideal_queues ? c->rob_size : c->lsq_size;
	r.max_branches = c->max_branches < frontend_in_flight(c) && !c->ideal_max_branches
				 ? c->max_branches
				 : UNLIMITED;
	r.has_store_buffer = !c->ideal_store && c->store_buffer != UNLIMITED;
	r.is_conservative = c->disambiguation == DISAMBIGUATION_CONSERVATIVE;
	r.has_replay = c->disambiguation == DISAMBIGUATION_PREDICT && !c->ideal_replay;
	r.mshrs = c->l1d_mshrs <= RETIME_MSHRS_MAX && !c->ideal_mshrs ? c->l1d_mshrs : 0;
	set_latencies(&r, c);
	set_units(&r, c);
	set_queues(&r, c);
	r.unit_mask = limits->unit_cycles - 1;
	r.wait_most = limits->stamp_bits ? (1 << limits->stamp_bits) - 1 : WAIT_MOST;
	r.queue_mask = (limits->stamp_bits ? 1u << limits->stamp_bits : RETIME_QUEUE_CYCLES) - 1;
	return r;
}
