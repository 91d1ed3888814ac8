/*
 * circuits.h - stimulus for circuits from a run: the worker observes and sends text, the parent
 * appends it to files.
 *
 * What the parent receives is not trusted further than being text for one of the files that it
 * asked for: circuits_piece_read checks it.
 */
#ifndef JOB_CIRCUITS_H
#define JOB_CIRCUITS_H

#include "job/job.h"
#include "rtl/stimulus.h"

struct stats_request;

/* In the worker: the circuits observe the simulation, and what they make goes to watch->send. */
struct job_circuits;

struct job_circuits *job_circuits_begin(const struct circuit *list, size_t count,
					struct simulation *simulation,
					const struct job_watch *watch);
/* The same with the circuits of the statistics module, for the settings of the request, which are
 * sent too. NULL with a sentence. */
struct job_circuits *job_circuits_begin_stat(const struct stats_request *request,
					     const struct job_simulation *run,
					     const struct job_watch *watch, struct err *err);
/* The last checks are made and sent. */
void job_circuits_finish(struct job_circuits *circuits);
void job_circuits_end(struct job_circuits *circuits); /* NULL is allowed */

/* The same from recorded cycles (trace/cycles.h), which a worker reads: they must be of the
 * machine. False with a sentence, which says where the file is damaged. */
struct circuits_reading {
	const uint8_t *bytes;
	size_t size;
	const char *name;
	const struct job_machine *machine;
	const struct circuit *circuits;
	size_t count;
	uint64_t repeat_most; /* cycles that a record may stand for; 0: any number */
	void (*data)(void *context, const void *bytes, size_t size);
	void *context;
};
bool circuits_read_start(const struct circuits_reading *reading, enum worker_stop *stop,
			 struct err *err);

/* In the parent. Instead of a file, a piece can be a packed struct stats_plan. */
#define CIRCUITS_PLAN STIMULUS_FILES

struct circuits_piece {
	uint32_t circuit; /* its number among those of the job */
	uint32_t file;	  /* enum stimulus_file, or CIRCUITS_PLAN */
	const char *text;
	size_t size;
};

/* False if the bytes are not a piece for one of so many circuits. */
bool circuits_piece_read(struct circuits_piece *piece, size_t circuits, const void *bytes,
			 size_t size);

#endif
