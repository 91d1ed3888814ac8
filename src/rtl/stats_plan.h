/*
 * stats_plan.h - the settings that a circuit of the statistics module is made for: those of every
 * epoch, with the cycles at which they take effect, and how many ranges and counters it has.
 *
 * Settings come from a program's symbols, which only the jailed worker reads; circuits are written
 * by its parent. So a plan can be packed into bytes, of which nothing is trusted when they are
 * unpacked.
 */
#ifndef RTL_STATS_PLAN_H
#define RTL_STATS_PLAN_H

#include "rtl/circuit.h"
#include "stats/module.h"

#define STATS_PLAN_EPOCHS_MOST	 256
#define STATS_PLAN_CIRCUITS_MOST 2

struct stats_plan {
	struct stats_settings *settings;
	uint64_t *at;
	size_t count, settings_capacity, at_capacity;
	void **arrays; /* of the settings */
	size_t array_count, array_capacity;
	size_t ranges, counters;
};

/* Copies the settings; those of the first epoch come first, at 0. */
void stats_plan_add(struct stats_plan *plan, const struct stats_settings *settings, uint64_t at);
void stats_plan_release(struct stats_plan *plan);

/* Bytes that the caller frees. */
void *stats_plan_pack(const struct stats_plan *plan, size_t *size);
/* False if the bytes are no plan; release it either way. */
bool stats_plan_unpack(struct stats_plan *plan, const void *bytes, size_t size);

/* Valid as long as the plan and the configuration. */
struct circuit_machine stats_plan_machine(const struct stats_plan *plan,
					  const struct config *config);
/* The statistics module and, if the settings fit it, the naive design. False with a sentence;
 * release *count circuits either way. */
bool stats_plan_circuits(struct circuit circuits[STATS_PLAN_CIRCUITS_MOST], size_t *count,
			 const struct circuit_machine *machine, struct err *err);

#endif
