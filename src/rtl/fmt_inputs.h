/*
 * fmt_inputs.h - the inputs and words that the circuits of FMT and sFMT share: what the core's
 * state is in a cycle, and which branches are fetched, dispatched, resolved and committed in it.
 *
 * A cycle has as many ports for commits, dispatches and fetches as the core is wide; the first port
 * is the oldest instruction. Commit ports are for branches and instructions with tags, the others
 * say nothing.
 */
#ifndef RTL_FMT_INPUTS_H
#define RTL_FMT_INPUTS_H

#include "count/blocked.h"
#include "count/fmt.h"
#include "rtl/components.h"
#include "rtl/stimulus.h"

/* The circuit's own inputs follow. */
#define FMT_INPUTS 17

/* A model of FMT or sFMT, and what the inputs need to remember. */
struct fmt_model {
	const struct config *config;
	const struct observer_kind *kind;
	void (*read)(const void *counter, struct fmt_words *words);
	void *counter;
	uint64_t cycles;
	uint64_t head_pc; /* of the record before */
};

bool fmt_inputs_add(const struct circuit_machine *machine, const struct observer_kind *kind,
		    struct circuit_shape *shape, struct err *err);
/* Adds the words; the stalls are the last and have `stall_bits` bits. All names begin with
 * `prefix`. */
void fmt_words_add(const struct config *config, unsigned stall_bits, const char *prefix,
		   struct circuit_shape *shape);
void *fmt_model_create(const struct circuit_machine *machine, const struct observer_kind *kind,
		       void (*read)(const void *counter, struct fmt_words *words));
void fmt_model_destroy(void *model);
/* Sets the inputs for a record. */
void fmt_inputs_set(struct fmt_model *model, const struct cycle *c, struct stimulus *stimulus);
/* Emits them, and lets the model see the record. */
void fmt_model_cycle(struct fmt_model *model, const struct cycle *c, struct stimulus *stimulus);
/* For struct circuit_kind. */
void fmt_model_words(const void *model, uint64_t *words);

#endif
