/*
 * signal.h - the table of signals, and adding them up.
 *
 * A signal is an expression over a struct cycle, evaluated only for those who
 * asked for it.
 */
#ifndef SIGNAL_SIGNAL_H
#define SIGNAL_SIGNAL_H

#include <stddef.h>
#include <stdint.h>

#include "signal/cycle.h"

enum signal_source { SIGNAL_HW, SIGNAL_ORACLE };
enum signal_category { SIGNAL_CORE, SIGNAL_BRANCH, SIGNAL_CACHE, SIGNAL_TLB };

struct signal_row {
	const char *name;
	enum signal_source source;
	const char *unit;
	enum signal_category category;
	uint64_t (*value)(const struct cycle *cycle); /* in one cycle */
	const char *meaning;
};

extern const struct signal_row signal_rows[];
size_t signal_count(void);
/* NULL if there is none of that name. */
const struct signal_row *signal_find(const char *name);
const char *signal_source_name(enum signal_source source);
const char *signal_category_name(enum signal_category category);

#endif
