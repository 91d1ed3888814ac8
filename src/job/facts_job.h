/*
 * facts_job.h - facts about single instructions of a program (measure/facts.h), and the patterns
 * that they and their lost slots make (measure/pattern.h), found by a jailed worker that executes
 * the program once, without time.
 *
 * The answer is JSON, the member "facts" of a result; it depends on program, machine and charges
 * alone. The program prints nothing.
 */
#ifndef JOB_FACTS_JOB_H
#define JOB_FACTS_JOB_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "job/job.h"
#include "value/component.h"

#define FACTS_CHARGES_MOST 4096

/* An instruction and the slots that it lost, or those of some causes only. */
struct facts_charge {
	uint64_t pc;
	uint64_t slots[CAUSE_COUNT];
};

struct facts_request {
	const struct program *program;
	const struct config *config;
	/* The answer has a place for each, in this order; an instruction may have several. Without
	 * any: the FACTS_CHARGES_MOST instructions executed most, without patterns. */
	const struct facts_charge *charges;
	size_t charge_count;
	uint64_t skip;		   /* instructions to execute before anything is collected */
	uint64_t max_instructions; /* to execute after that; INT64_MAX: no limit */
};

/* False with a sentence if it failed; else *result is the answer, or NULL if it was stopped. */
bool facts_start(const struct facts_request *request, const struct job_listener *listener,
		 json_t **result, struct worker_report *report, struct err *err);

/* For a worker that somebody else starts, as job_fill_task, job_work and job_read. What it sent
 * must have the layout of facts, and a place for each charge. */
void facts_fill_task(const struct facts_request *request, struct worker_task *task);
void facts_work(const struct facts_request *request, struct worker *worker);
json_t *facts_read(const struct facts_request *request, const char *bytes, size_t count,
		   struct err *err);

/* The same in this process. NULL with a sentence. */
json_t *facts_describe_process(const struct facts_request *request, struct process *process,
			       const struct job_watch *watch, struct err *err);

#endif
