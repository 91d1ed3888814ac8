/*
 * count.h - the observers of this folder: counter architectures, which charge the cycles of a run
 * to the components of a CPI stack, and other views of the same run; and the rules that several of
 * them share.
 *
 * A kind is a file count_<name>.c and a row in count.c.
 *
 * Storage is given as the number of bits that a core of that configuration would need: global
 * counters of COUNT_GLOBAL_BITS, one for cycles included, local counters of COUNT_LOCAL_BITS,
 * which saturate, and the tags of instructions in flight.
 */
#ifndef COUNT_COUNT_H
#define COUNT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "value/component.h"
#include "machine/observer.h"
#include "signal/cycle.h"

#define COUNT_GLOBAL_BITS 48
#define COUNT_LOCAL_BITS  12
#define COUNT_LOCAL_MOST  ((UINT64_C(1) << COUNT_LOCAL_BITS) - 1)

/* Methods first, in the order of every report, then the other observers; the list ends with NULL.
 * The first is `exact`. */
extern const struct observer_kind *const observer_kinds[];
extern const struct observer_kind count_exact, count_slots, count_retimed, count_naive,
	count_naive_nonspec, count_power5;
extern const struct observer_kind count_fmt, count_fmt_published, count_fmt_rob;
extern const struct observer_kind count_sfmt, count_sfmt_resolve, count_sfmt_counters,
	count_sfmt_resolve_counters;
extern const struct observer_kind count_afmt, count_vclk;
extern const struct observer_kind count_topdown, count_stages, count_overlap, count_plots,
	count_pipeline;
/* The number of methods in observer_kinds. */
size_t observer_methods(void);
/* NULL if there is no kind of that name. */
const struct observer_kind *observer_kind_named(const char *name);
/* Whether the kind can observe a machine of this configuration. */
bool observer_fits(const struct observer_kind *kind, const struct config *config);
/* Whether all kinds of a list that ends with NULL can. If not: false, with a sentence that names
 * the first that cannot and all kinds that can. */
bool observers_fit(const struct observer_kind *const *kinds, const struct config *config,
		   struct err *err);

/* Rules that several kinds share. */

/* If fetch delivers nothing because of an I-side miss, its component; else COMPONENT_BASE. */
static inline enum component count_fetch_stall(const struct cycle *c)
{
	static const uint8_t components[] = {
		[FETCH_ITLB] = COMPONENT_ITLB, [FETCH_L1I] = COMPONENT_L1I,
		[FETCH_L2I] = COMPONENT_L2I,   [FETCH_L3I] = COMPONENT_L3I,
		[FETCH_DONE] = COMPONENT_BASE,
	};

	if (c->fed || c->buffer_used)
		return COMPONENT_BASE;
	return (enum component)components[c->fetch_stall];
}

/* If the oldest instruction waits for a data miss, its component; else COMPONENT_BASE. */
static inline enum component count_head_miss(const struct cycle *c)
{
	switch ((enum head_state)c->head_state) {
	case HEAD_DTLB: return COMPONENT_DTLB;
	case HEAD_L1D: return COMPONENT_L1D;
	case HEAD_L2D: return COMPONENT_L2D;
	case HEAD_L3D: return COMPONENT_L3D;
	default: return COMPONENT_BASE;
	}
}

/* Whether the window is full and its oldest instruction incomplete: the reorder buffer has no free
 * entry, whether or not an instruction waits for one; or the next instruction finds none in issue
 * queue or load/store queue; or core.max_branches lets no further one come, though some that came
 * before may still be dispatched. With `only_rob`, the window is the reorder buffer alone, as the
 * paper says literally. */
static inline bool count_is_full(const struct cycle *c, uint32_t rob_size, bool only_rob)
{
	bool no_room = c->rob_used >= rob_size || c->dispatch_stall == DISPATCH_ROB;
	bool is_held = !only_rob &&
		       (c->dispatch_stall == DISPATCH_IQ || c->dispatch_stall == DISPATCH_LSQ ||
			c->dispatch_stall == DISPATCH_BRANCHES ||
			(c->dispatch_stall == DISPATCH_NONE && c->fetch_stall == FETCH_BRANCHES));

	return (is_held || (no_room && !c->dispatched)) && !c->committed &&
	       c->head_state > HEAD_STORE;
}

/* The number of instructions that the window would hold if dispatch had continued at full width
 * since the last commit, or since the window was last empty. Behind an oldest instruction that
 * misses, cycles are lost to the miss once this number reaches the size of the window, whether
 * the window is really full or dispatch has no instructions for it. */
struct count_age {
	uint64_t would_hold;
};

/* The number of the record's cycles before the window would be full behind a data miss; all of
 * them if it would not be. It must be called for every record. */
static inline uint64_t count_age_cycles(struct count_age *age, const struct config *config,
					const struct cycle *c)
{
	uint64_t size = config->rob_size, width = config->dispatch_width, before = c->repeat;

	if (c->committed || c->head_state == HEAD_EMPTY) {
		age->would_hold = c->rob_used;
		return before;
	}
	if (count_head_miss(c) != COMPONENT_BASE) {
		before = age->would_hold >= size ? 0 : (size - age->would_hold + width - 1) / width;
		if (before > c->repeat)
			before = c->repeat;
	}
	age->would_hold += width * c->repeat;
	return before;
}

/* The largest number of branches in flight: core.max_branches, or as many as fit into the core. */
uint32_t count_branch_rows(const struct config *config);
uint64_t count_global_bits(const struct config *config);

#endif
