/*
 * pipeline.h - the instructions fetched in a window of cycles, those of wrong paths too, with the
 * cycle in which each entered every stage; and why cycles without a commit were lost.
 *
 * The window counts cycles from the start of the simulation and includes its last one. An
 * instruction fetched in it is followed until it commits or is squashed, however long that takes;
 * lost cycles are noted from the window's first cycle until then. What is older than the window is
 * not recorded.
 *
 * Everything comes from the core's records. A core that does not report when an instruction is
 * complete shows it as executing until it commits.
 */
#ifndef COUNT_PIPELINE_H
#define COUNT_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row takes about a kilobyte of JSON in memory, and 16 instructions may be fetched a cycle. */
#define PIPELINE_CYCLES_MAX 10000

#define PIPELINE_NEVER UINT64_MAX

struct pipeline;

struct pipeline_row {
	uint64_t pc;
	/* Cycles; PIPELINE_NEVER if it did not come so far. */
	uint64_t fetched, dispatched, issued, completed, ended;
	uint32_t thread;
	bool is_squashed; /* else, if it has ended, it committed */
	bool is_wrong;	  /* fetched on a wrong path */
};

/* The default is the first PIPELINE_CYCLES_MAX cycles. */
void pipeline_set_window(struct pipeline *pipeline, uint64_t from, uint64_t to);
const struct pipeline_row *pipeline_rows(const struct pipeline *pipeline, size_t *count);

#endif
