/*
 * what_if.h - an observer that says how long the run would have taken on other machines: it times
 * what commits again, by recurrence (retime.h), on the machine that runs and on each other one.
 *
 * An estimate is the run's cycles times the ratio of the two times, so that a machine without
 * changes has exactly the run's cycles, and what the recurrence errs on both machines cancels. Each
 * estimate carries the error that was measured for its kind of change, by simulating such machines
 * (tools/measure-what-if).
 *
 * Not modelled: whatever the changed machine would miss, mispredict or prefetch otherwise; such
 * changes are refused (what_if.def).
 */
#ifndef COUNT_WHAT_IF_H
#define COUNT_WHAT_IF_H

#include "machine/observer.h"

/* Each takes about a tenth of a megabyte. */
#define WHAT_IF_MOST 256

enum what_if_kind {
#define KIND(id, name, meaning) WHAT_IF_##id,
#include "count/what_if.def"
	WHAT_IF_KINDS
};

struct what_if {
	const char *changes; /* "key=value,key=value,...", as given */
	struct config machine;
	enum what_if_kind kind;
};

/* One machine: that which runs, with changes, which must outlive it. False with a sentence if one
 * of them is wrong or cannot be answered. */
bool what_if_read(struct what_if *what_if, const struct config *run, const char *changes,
		  struct err *err);

/* It is not among observer_kinds, since it needs the machines. They must be set before the first
 * record, and outlive it. */
extern const struct observer_kind count_what_if;
void what_if_set_machines(void *observer, const struct what_if *machines, size_t count);

#endif
