/*
 * core.h - a simulated core, in calling order: create, step until done, read the
 * counters, destroy.
 *
 * A core executes the process it is given and reports each cycle as a struct
 * cycle. It does not know who looks at it.
 */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "mem/hierarchy.h"
#include "pred/predictor.h"
#include "linux/process.h"
#include "signal/cycle.h"

struct ooo;
struct ooo_counters;

/* The parts stay the caller's and must outlive the core. */
struct ooo *ooo_create(const struct config *config, struct process *process,
		       struct hierarchy *hierarchy, struct predictor *predictor);
void ooo_destroy(struct ooo *core);

/* Simulates one cycle, or a run of equal ones, and returns its record, valid until
 * the next call; NULL when the program has ended and the core is empty. */
const struct cycle *ooo_step(struct ooo *core);

/* Skipping over cycles in which nothing changes: on by default, invisible in results. */
void ooo_set_skipping(struct ooo *core, bool skips);

/* Whether records carry events: on by default. Off where nobody looks. */
void ooo_set_events(struct ooo *core, bool wants);

/* Commits no more than so many in all: the cycle that reaches it commits fewer. */
void ooo_limit_commits(struct ooo *core, uint64_t committed);

/* Commits nothing from the instruction at `return_to` on, once the calls committed at
 * `call` have returned there and one more. */
void ooo_end_at_return(struct ooo *core, uint64_t call, uint64_t return_to);

const struct ooo_counters *ooo_count(const struct ooo *core);

/* How many instructions a core of this configuration can have in flight. */
uint32_t ooo_in_flight(const struct config *config);

#endif
