/*
 * observer.h - what can observe a run: counter architectures, views, plots. And a set of them on
 * one run, in calling order: create, attach to a simulation, run it, check, describe, destroy.
 *
 * A kind is a file that exports one `const struct observer_kind`, and a row in the table of its
 * folder. Observers are given every record of a core in order and change nothing; any number can
 * observe one run. A hardware kind uses nothing of the record that is marked oracle.
 *
 * A kind that makes a CPI stack is a method. What a method charges adds up to the run's cycles: by
 * itself where it charges the base like any other component, else because the base is the
 * remainder. The set checks that, and whatever identities a kind has of its own, at the end of
 * every run.
 */
#ifndef MACHINE_OBSERVER_H
#define MACHINE_OBSERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "signal/cycle.h"
#include "value/component.h"

struct observer_kind {
	const char *name;
	const char *summary;
	bool is_hardware;
	bool charges_base; /* explicitly: then the sum of its stack is a proof */
	bool is_usual;	   /* observes a run unless others are asked for */
	uint32_t events;   /* kinds it needs, as EVENT_BITs */
	/* For a core whose events name instructions by so many slots. */
	void *(*create)(const struct config *config, uint32_t slots);
	void (*cycle)(void *observer, const struct cycle *cycle);
	/* Of a method: everything charged so far, of that many cycles. NULL for the others. */
	void (*read)(const void *observer, uint64_t cycles, struct stack *stack);
	/* Identities of its own; false with a sentence. May be NULL. */
	bool (*check)(const void *observer, uint64_t cycles, struct err *err);
	/* Adds what it found, besides its stack, to the result. May be NULL. */
	void (*describe)(const struct observer_kind *kind, void *observer, json_t *result);
	/* Of a method: what a core of that configuration would have to hold; NULL: no hardware. */
	uint64_t (*bits)(const struct config *config);
	void (*destroy)(void *observer);
};

struct observers;
struct simulation;

/* The list ends with NULL and is copied. */
struct observers *observers_create(const struct config *config,
				   const struct observer_kind *const *kinds);
void observers_destroy(struct observers *observers);
void observers_attach(struct observers *observers, struct simulation *simulation);

/* What every method charged adds up to the cycles seen, none but those that may has a negative
 * component, and every kind's own check holds. False with a sentence: an internal error. */
bool observers_check(const struct observers *observers, struct err *err);

/* For a kind's own check. */
bool observer_adds_up(const char *name, uint64_t sum, uint64_t expected, struct err *err);

/* Adds "stacks", {method: {"components", "bits"}}, and what each kind describes. */
void observers_describe(struct observers *observers, json_t *result);
/* The object of that name in a result, which is made if it is not there. */
json_t *observer_member(json_t *result, const char *name);
/* {"base": N, ...}: the components that a machine of so many cache levels has. */
json_t *observer_components(unsigned levels, const struct stack *stack);

uint64_t observers_cycles(const struct observers *observers);
/* The observer itself, for what only its kind knows; NULL if it is not in the set. */
void *observers_find(const struct observers *observers, const struct observer_kind *kind);
/* False if the kind is not in the set. */
bool observers_read(const struct observers *observers, const struct observer_kind *kind,
		    struct stack *stack);

#endif
