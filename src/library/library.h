/*
 * library.h - what is behind the functions of cyclestack.h: the machine they work on, and the few
 * functions that its files share.
 *
 *   open.c       open, start, close, errors
 *   configure.c  settings of the program and parameters of the simulated machine
 *   step.c       executing without time, and its observers
 *   simulate.c   simulating in pieces; records and samples for observers
 *   signals.c    names and meanings; subscriptions
 *   values.c     registers, counts of the process, disassembly
 *   result.c     the checked result: JSON, counted values, stacks, functions
 *
 * A simulation is a job (job/job.h), as it is for every command of the tool; nothing here measures
 * by itself but subscriptions, which add up signals. What observers and subscriptions need of the
 * core is fixed when the simulation begins, so that every sum begins with it.
 */
#ifndef LIBRARY_LIBRARY_H
#define LIBRARY_LIBRARY_H

#include "cyclestack.h"

#include <jansson.h>

#include "base/array.h"
#include "job/job.h"
#include "job/parts.h"
#include "signal/signal.h"
#include "value/stacks.h"

#define LIBRARY_SYSCALLS ARRAY_COUNT(((struct process *)0)->syscall_counts)

/* A growing list of owned strings with a NULL behind the last. */
struct texts {
	char **items;
	size_t count, capacity;
};

void texts_add(struct texts *texts, const char *text);
void texts_release(struct texts *texts);

/* An observer, and the samples it is given. */
struct attached {
	struct cs_observer observer;
	uint64_t sample_begins; /* the cycle that the sample under way began with */
	uint64_t *sums_before;	/* of every subscription, at that cycle */
};

struct subscription {
	const struct signal_row *signal;
	uint64_t low, high; /* the addresses low <= pc < high */
	bool is_whole;	    /* all addresses */
	bool is_total;	    /* read from running totals; costs nothing while simulating */
	uint64_t sum;	    /* of the others, over the records so far */
};

struct cs_machine {
	struct program program;
	struct texts argv, env, denied;
	size_t mount_capacity;

	struct job_machine target; /* the simulated machine */
	struct texts changes;	   /* to its parameters */
	char *target_name, *presets;
	const struct observer_kind **kinds; /* that observe the simulation; NULL at the end */
	size_t kind_count;
	bool has_usual_kinds; /* also those that are usual on the machine */
	struct part_counters counters;
	struct part_places places;
	struct part_pipeline pipeline;
	struct part_gain gain;
	const struct job_part *parts[5]; /* these, and NULL */
	struct job job;
	struct job_simulation run; /* run.simulation is NULL before the first cs_simulate */
	bool is_over;		   /* the simulation has ended */
	bool has_failed;	   /* the simulation could not begin */

	struct attached *observers;
	size_t observer_count, observer_capacity;
	bool wants_instructions, wants_cycles;
	bool is_stepping; /* observers are being called */
	struct subscription *subscriptions;
	size_t subscription_count, subscription_capacity;
	uint64_t *sample_values;		    /* of the sample being given */
	uint64_t calls_seen;			    /* system calls that observers were told of */
	uint64_t calls_by_number[LIBRARY_SYSCALLS]; /* the same, by number */

	struct value_row *values;
	size_t value_count, value_capacity;

	/* What was last read of the simulation; dropped when it continues. */
	json_t *result; /* NULL: none */
	char *result_text;
	struct stacks stacks;
	bool has_stacks;

	struct process *process; /* NULL before cs_start */
	struct err err;
};

#define NOTIFY(machine, event, ...)                                                               \
	do {                                                                                      \
		for (size_t i_ = 0; i_ < (machine)->observer_count; i_++) {                       \
			const struct cs_observer *observer_ = &(machine)->observers[i_].observer; \
                                                                                                  \
			if (observer_->event)                                                     \
				observer_->event(observer_->context, __VA_ARGS__);                \
		}                                                                                 \
	} while (0)

enum cs_state library_state(const struct cs_machine *machine);
/* False with a sentence if a struct of the caller has not the size it has here. */
bool library_fits(struct cs_machine *machine, const char *what, size_t size, size_t own);
/* The length of the instruction at pc, 0 if there is none. */
unsigned library_insn_bytes(const struct cs_machine *machine, uint64_t pc);
/* A cycle as observers of the library see it. */
struct cs_cycle library_cycle(const struct cycle *c);
void library_list_values(struct cs_machine *machine);
void library_release_values(struct cs_machine *machine);
void library_drop_result(struct cs_machine *machine);

/* The subscription's sum so far, less the last `later` cycles of the record, which may be NULL if
 * there are none. */
uint64_t subscription_sum(const struct cs_machine *machine, const struct subscription *subscription,
			  const struct cycle *cycle, uint64_t later);
void subscription_add(struct subscription *subscription, const struct cycle *cycle);
/* Completes the kinds that observe, for the machine as it is now; false with a sentence if one
 * cannot observe it. */
bool library_choose_kinds(struct cs_machine *machine);

/* The kinds of events that it needs, as EVENT_BITs. */
uint32_t subscription_events(const struct subscription *subscription);

#endif
