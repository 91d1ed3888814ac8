/*
 * advise_steps.h - which other machines would help against what a run lost: for each cause with a
 * loss the machine whose part is ideal, a bound, and real steps such as a cache twice as large.
 *
 * A step is a list of changes "key=value" that make a machine which config_settle accepts, and
 * which differs from the one that runs; no two steps make the same machine. It addresses causes
 * that have lost something: steps against causes without a loss are not there. What a step gains is
 * not known here.
 *
 * Deliberately not here: what makes a machine faster whatever it runs (a shorter cycle, faster
 * memory), and what takes away nothing that was lost, such as wider stages for a program that fills
 * the ones there are.
 */
#ifndef EXPERIMENT_ADVISE_STEPS_H
#define EXPERIMENT_ADVISE_STEPS_H

#include "config/config.h"
#include "value/component.h"

#define ADVISE_CHANGES_MOST 6

struct advise_step {
	const char *what; /* "L2 twice as large" */
	bool is_bound;
	uint64_t causes; /* with a loss, that it addresses, as bits */
	char *changes[ADVISE_CHANGES_MOST];
	size_t change_count;
	struct config config;
	int64_t bits; /* of storage, beyond those of the machine that runs */
};

struct advise_steps {
	struct advise_step *list;
	size_t count, capacity;
};

/* The steps against these causes, as bits, on this machine: bounds first, by causes. */
void advise_steps_make(struct advise_steps *steps, const struct config *config, uint64_t causes);
void advise_steps_release(struct advise_steps *steps);

/* The switch that takes a cause away from the machine; CONFIG_COUNT if there is none. */
enum config_id advise_ideal_of(enum cause cause);

#endif
