/*
 * observer.h - what can observe a run: counter architectures, views, plots. And a set of observers
 * of one run, in calling order: create, attach to a simulation, run it, check, describe, destroy.
 *
 * A kind is a file that exports one `const struct observer_kind`, and a row in the table of its
 * folder. Observers receive every record of a core in order and change nothing; any number can
 * observe one run. A hardware kind uses no field of the record that is marked oracle. `cycle` may
 * be called in another thread than the rest, never at the same time as the rest: it knows its own
 * observer and the record, nothing of process, core or memory.
 *
 * A kind that makes a CPI stack is a method. The components of a method add up to the run's
 * cycles: either because it charges the base like any other component, or because it computes the
 * base as the remainder. The set checks that, and the identities of each kind, at the end of every
 * run.
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
	/* It charges the base explicitly, so the sum of its stack is a real check. */
	bool charges_base;
	bool is_usual;	 /* it observes a run for which all are asked */
	bool needs_ooo;	 /* it counts what only an out-of-order core has */
	uint32_t events; /* kinds of events it needs, as EVENT_BITs */
	/* `slots` is the number of values that an event's `slot` can have. */
	void *(*create)(const struct config *config, uint32_t slots);
	void (*cycle)(void *observer, const struct cycle *cycle);
	/* The same for records in a row, whose events and useful pcs follow each other; NULL:
	 * `cycle` is called with each. */
	void (*cycles)(void *observer, const struct cycle *cycles, size_t count);
	const struct observer_group *group; /* NULL: none */
	/* For a method: everything charged so far, in that many cycles. NULL for other kinds. */
	void (*read)(const void *observer, uint64_t cycles, struct stack *stack);
	/* The kind's own identities; false with a sentence. May be NULL. */
	bool (*check)(const void *observer, uint64_t cycles, struct err *err);
	/* Adds its findings, besides its stack, to the result. May be NULL. */
	void (*describe)(const struct observer_kind *kind, void *observer, json_t *result);
	/* For a method: the storage it would need in a core of that configuration, in bits; NULL
	 * if it cannot be hardware. */
	uint64_t (*bits)(const struct config *config);
	void (*destroy)(void *observer);
};

/* Kinds that observe faster together. If a set has all of them, they are called so; if not, each by
 * itself, with the same results. */
struct observer_group {
	const struct observer_kind *const *kinds;
	size_t count;
	/* As that of a kind; the observers are in the order of the kinds. */
	void (*cycles)(void *const *observers, const struct cycle *cycles, size_t count);
};

struct observers;
struct observer_thread;
struct simulation;

/* The list ends with NULL and is copied. */
struct observers *observers_create(const struct config *config,
				   const struct observer_kind *const *kinds);
void observers_destroy(struct observers *observers);
/* Before they are attached: they observe in this thread, which the caller keeps, instead of the one
 * that simulates. NULL changes nothing. */
void observers_use_thread(struct observers *observers, struct observer_thread *thread);
/* They are given several records at once. Each function here that reads what they have counted
 * first lets them see all records. */
void observers_attach(struct observers *observers, struct simulation *simulation);

/* Checks that every method's components add up to the cycles seen, that only components that may
 * be negative are, and every kind's own identities. False with a sentence: an internal error. */
bool observers_check(const struct observers *observers, struct err *err);

/* For a kind's own check. */
bool observer_adds_up(const char *name, uint64_t sum, uint64_t expected, struct err *err);

/* Adds "stacks", {method: {"components", "bits"}}, and the findings of each kind. */
void observers_describe(struct observers *observers, json_t *result);
/* The object of that name in a result; it is created if it does not exist. */
json_t *observer_member(json_t *result, const char *name);
/* Whether a machine can lose cycles to a component: it has the caches, page walks or a memory that
 * can be busy. */
bool observer_has_component(const struct config *config, enum component component);
/* {"base": N, ...}: the components that the machine has. */
json_t *observer_components(const struct config *config, const struct stack *stack);

uint64_t observers_cycles(const struct observers *observers);
/* The observer itself, for functions of its kind; NULL if the kind is not in the set. */
void *observers_find(const struct observers *observers, const struct observer_kind *kind);
/* False if the kind is not in the set. */
bool observers_read(const struct observers *observers, const struct observer_kind *kind,
		    struct stack *stack);

#endif
