#include "model/label.h"

#include <stdlib.h>

#include "base/array.h"
#include "core/branch_kind.h"
#include "machine/parts.h"

struct labeller {
	struct hierarchy *hierarchy;
	struct predictor *predictor; /* NULL: perfect */
	unsigned block_bits;
	uint64_t fetch_line;
	uint64_t tlb_misses[SIDE_COUNT];
	struct label_totals totals;
};

static bool has_predictor(const struct config *config)
{
	return config->predictor_kind != PREDICTOR_PERFECT &&
	       config->predictor_kind != PREDICTOR_NONE;
}

static uint32_t last_line_bytes(const struct config *config)
{
	return config->cache_levels == 1   ? config->l1d_line
	       : config->cache_levels == 2 ? config->l2_line
					   : config->l3_line;
}

struct labeller *labeller_create(const struct config *config, struct err *err)
{
	struct labeller *l = mem_alloc(sizeof(*l));

	l->fetch_line = UINT64_MAX;
	l->block_bits = bits_log2(last_line_bytes(config));
	l->hierarchy = parts_hierarchy(config, err);
	if (l->hierarchy && has_predictor(config))
		l->predictor = parts_predictor(config, 1, err);
	if (l->hierarchy && (l->predictor || !has_predictor(config)))
		return l;
	labeller_destroy(l);
	return NULL;
}

void labeller_destroy(struct labeller *l)
{
	if (!l)
		return;
	predictor_destroy(l->predictor);
	hierarchy_destroy(l->hierarchy);
	free(l);
}

/* Whether the TLB of a side has missed since it was last asked. */
static bool took_tlb_miss(struct labeller *l, enum hierarchy_side side)
{
	uint64_t misses = l->hierarchy->events.tlb[side].misses;
	bool took = misses != l->tlb_misses[side];

	l->tlb_misses[side] = misses;
	return took;
}

/* The instruction lies where fetch is not yet, wholly or in part. */
static void fetch_lines(struct labeller *l, const struct trace_op *op, struct label *label)
{
	/* A fetch unit accesses each line once as it enters it. Instructions of traces of other
	 * origin begin and end at any byte. */
	for (uint64_t at = op->pc; at < op->pc + op->bytes; at = (at | 1) + 1) {
		uint64_t line = hierarchy_line_of(l->hierarchy, SIDE_INSTRUCTION, at);

		if (line == l->fetch_line)
			continue;
		l->fetch_line = line;
		enum memory_level level = hierarchy_touch_fetch(l->hierarchy, at);

		label->fetches[level] += level > LEVEL_L1;
		label->fetch_tlb_misses += took_tlb_miss(l, SIDE_INSTRUCTION);
	}
	for (unsigned i = 0; i < LEVEL_COUNT; i++)
		l->totals.fetches[i] += label->fetches[i];
	l->totals.fetch_tlb_misses += label->fetch_tlb_misses;
}

static inline void label_fetch(struct labeller *l, const struct trace_op *op, struct label *label)
{
	const struct hierarchy *h = l->hierarchy;

	if (hierarchy_line_of(h, SIDE_INSTRUCTION, op->pc) != l->fetch_line ||
	    hierarchy_line_of(h, SIDE_INSTRUCTION, op->pc + op->bytes - 1) != l->fetch_line)
		fetch_lines(l, op, label);
}

static inline enum memory_level touch(struct labeller *l, const struct trace_op *op,
				      uint64_t address)
{
	return op->is_store && !op->is_load ? hierarchy_touch_store(l->hierarchy, op->pc, address)
					    : hierarchy_touch_load(l->hierarchy, op->pc, address);
}

/* An access that reaches into a second line is two; the slower one counts. */
static void label_data(struct labeller *l, const struct trace_step *step, struct label *label)
{
	const struct trace_op *op = step->op;
	uint64_t address = step->address, last = address + op->access_bytes - 1;
	enum memory_level level = touch(l, op, address);

	if (!hierarchy_same_line(l->hierarchy, SIDE_DATA, address, last)) {
		enum memory_level second = touch(l, op, last);

		if (second > level) {
			level = second;
			address = last;
		}
	}
	/* An atomic that writes makes its line dirty; it is there now. */
	if (op->is_load && op->is_store)
		hierarchy_touch_store(l->hierarchy, op->pc, step->address);
	label->level = (uint8_t)level;
	label->block = address >> l->block_bits;
	label->data = level == LEVEL_L1	      ? DATA_HIT
		      : level == LEVEL_MEMORY ? DATA_LONG_MISS
					      : DATA_SHORT_MISS;
	label->tlb_miss = took_tlb_miss(l, SIDE_DATA);
}

static void label_branch(struct labeller *l, const struct trace_step *step, struct label *label)
{
	const struct trace_op *op = step->op;
	enum control control = (enum control)op->control;
	bool taken = control != CONTROL_CONDITIONAL || step->next_pc != op->pc + op->bytes;

	label->is_mispredicted =
		predictor_warm(l->predictor, branch_kind_of(control), op->pc, op->bytes, taken,
			       step->next_pc) == PREDICTION_WRONG;
	l->totals.mispredictions += label->is_mispredicted;
}

void labeller_next(struct labeller *l, const struct trace_step *steps, struct label *labels,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct trace_op *op = steps[i].op;

		labels[i] = (struct label){.level = LEVEL_L1};
		label_fetch(l, op, &labels[i]);
		if (op->access_bytes)
			label_data(l, &steps[i], &labels[i]);
		if (op->control != CONTROL_NONE && l->predictor)
			label_branch(l, &steps[i], &labels[i]);
	}
}

struct label_totals labeller_totals(const struct labeller *l)
{
	return l->totals;
}

bool labeller_same_geometry(const struct config *a, const struct config *b)
{
	/* What labels do not depend on; everything else must be equal. */
	static const enum config_id others[] = {
		CONFIG_core_kind,	 CONFIG_max_branches,
		CONFIG_fetch_width,	 CONFIG_fetch_buffer,
		CONFIG_decode_width,	 CONFIG_frontend_depth,
		CONFIG_dispatch_width,	 CONFIG_issue_width,
		CONFIG_commit_width,	 CONFIG_rob_size,
		CONFIG_issue_queue_size, CONFIG_lsq_size,
		CONFIG_disambiguation,	 CONFIG_wrong_path_unmapped,
		CONFIG_store_buffer,	 CONFIG_int_alu_count,
		CONFIG_int_alu_latency,	 CONFIG_int_muldiv_count,
		CONFIG_int_mul_latency,	 CONFIG_int_div_latency,
		CONFIG_memory_ports,	 CONFIG_memory_latency,
		CONFIG_fp_add_count,	 CONFIG_fp_add_latency,
		CONFIG_fp_muldiv_count,	 CONFIG_fp_mul_latency,
		CONFIG_fp_div_latency,	 CONFIG_l1i_latency,
		CONFIG_l2_latency,	 CONFIG_l3_latency,
		CONFIG_itlb_miss,	 CONFIG_ideal_branch,
		CONFIG_ideal_l1i,	 CONFIG_ideal_l2i,
		CONFIG_ideal_itlb,	 CONFIG_ideal_l1d,
		CONFIG_ideal_l2d,	 CONFIG_ideal_dtlb,
		CONFIG_ideal_l3i,	 CONFIG_ideal_l3d,
		CONFIG_l1d_latency,	 CONFIG_l1d_mshrs,
		CONFIG_l2_mshrs,	 CONFIG_l3_mshrs,
		CONFIG_dtlb_miss,	 CONFIG_ideal_units,
		CONFIG_ideal_pending,
	};
	struct config left = *a, right = *b;
	enum config_id unused[CONFIG_COUNT];

	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		config_put(&left, others[i], config_get(&right, others[i]));
	return config_diff(&left, &right, unused) == 0;
}
