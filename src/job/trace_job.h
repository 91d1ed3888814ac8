/*
 * trace_job.h - recording and reading traces in jailed workers.
 *
 * The recorded program is hostile, and so are the bytes of a trace file: both are handled by a
 * worker that has no file of its own. What it makes comes back as bytes of a stated length, and
 * the parent, which holds the output, writes them.
 */
#ifndef JOB_TRACE_JOB_H
#define JOB_TRACE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "job/job.h"

/* What a worker made: text to print or bytes to write. */
struct trace_product {
	uint8_t *bytes; /* owned */
	size_t count;
	int status;	 /* of a recorded program */
	bool is_partial; /* a limit or the user ended it */
	uint64_t instructions;
};

void trace_product_release(struct trace_product *product);

/* Runs the program and returns its trace. False with a sentence if there is none; if it was
 * stopped before it had one, `bytes` is NULL. */
bool trace_record_start(const struct program *program, const struct job_listener *listener,
			struct trace_product *product, struct worker_report *report,
			struct err *err);

enum trace_task {
	TRACE_INFO,   /* JSON: what it holds */
	TRACE_HEAD,   /* text: some of its instructions */
	TRACE_VERIFY, /* JSON as info, after reading all of it */
	TRACE_EXPORT, /* bytes: ChampSim records */
	TRACE_IMPORT, /* bytes: a trace, from ChampSim records */
};

struct trace_reading {
	enum trace_task task;
	const uint8_t *bytes;
	size_t size;
	const char *name;
	uint64_t from, count; /* of TRACE_HEAD */
};

/* False with a sentence, which says where the file is damaged; what could be read before that is
 * in the product even then. */
bool trace_read_start(const struct trace_reading *reading, struct trace_product *product,
		      enum worker_stop *stop, struct err *err);

#endif
