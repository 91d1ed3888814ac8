/*
 * counters.h - a set of counter architectures looking at one run.
 *
 * In calling order: create, attach to a simulation, run it, check, read, destroy. One
 * observer gives each record to all of them.
 */
#ifndef COUNT_COUNTERS_H
#define COUNT_COUNTERS_H

#include "base/err.h"
#include "count/count.h"
#include "count/exact.h"
#include "count/overlap.h"
#include "count/stages.h"
#include "count/topdown.h"
#include "machine/simulation.h"

struct counters;

/* What else can look on. */
enum counters_view { COUNTERS_TOPDOWN = 1, COUNTERS_STAGES = 2, COUNTERS_OVERLAP = 4 };

/* The kinds given (NULL-terminated; NULL: all of them) and views. The list is copied. */
struct counters *counters_create(const struct config *config, const struct count_kind *const *kinds,
				 unsigned views);
void counters_destroy(struct counters *counters);
void counters_attach(struct counters *counters, struct simulation *simulation);

/* Conservation: what every method charged adds up to the cycles seen, and none but those
 * that may has a negative component. False with a sentence: an internal error. */
bool counters_check(const struct counters *counters, struct err *err);

const struct config *counters_config(const struct counters *counters);
uint64_t counters_cycles(const struct counters *counters);
size_t counters_count(const struct counters *counters);
const struct count_kind *counters_kind(const struct counters *counters, size_t i);
void counters_read(const struct counters *counters, size_t i, struct stack *stack);
/* The counter itself, for what only its kind has to say; NULL if it is not in the set. */
void *counters_of(const struct counters *counters, const struct count_kind *kind);

/* NULL if it did not look. */
const struct topdown *counters_topdown(const struct counters *counters);
const struct stages *counters_stages(const struct counters *counters);
const struct overlap *counters_overlap(const struct counters *counters);

#endif
