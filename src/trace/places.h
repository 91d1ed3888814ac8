/*
 * places.h - which function and source line an instruction of a trace belongs to.
 *
 * Made when a trace is recorded, of the instructions executed, and kept in it as text, so that a
 * trace can be explained without the program. Neighbouring instructions of the same function and
 * line are one range. Text that is read is hostile until checked.
 */
#ifndef TRACE_PLACES_H
#define TRACE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "linux/process.h"
#include "trace/record.h"

struct trace_place {
	const char *function; /* "(unknown)" if not known */
	const char *file;     /* "" if not known */
	uint32_t line;	      /* 0 if not known */
};

/* The text about the ops of a recorder; owned by the caller. */
char *trace_places_text(const struct recorder *recorder, struct process *process);

struct trace_places;

/* NULL with a sentence if the text is not what trace_places_text makes. Empty text is no places. */
struct trace_places *trace_places_read(const char *text, size_t bytes, struct err *err);
void trace_places_free(struct trace_places *places); /* NULL is accepted */
/* Strings belong to `places`, which may be NULL. */
struct trace_place trace_places_find(const struct trace_places *places, uint64_t pc);

#endif
