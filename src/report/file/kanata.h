/*
 * kanata.h - the pipeline in the text format of the Konata viewer, "Kanata 0004": written from a
 * result of `run`, and read from any file of that format.
 *
 * Lines of words separated by tabs, in the order of time: "Kanata 0004"; "C= CYCLE" once, then
 * "C N" for N cycles later; "I ID SIM_ID THREAD" opens an instruction, numbered from 0 in the
 * file; "L ID TYPE TEXT" adds to its text; "S ID LANE STAGE" and "E ID LANE STAGE" begin and end a
 * stage; "W CONSUMER PRODUCER TYPE" is a dependence; "R ID RETIRE_ID TYPE" ends it: 0 retired, 1
 * flushed. Lane 0 is the pipeline, lane 1 what it loses.
 *
 * Stages written: F fetch, D front end, W waits in the window, A a store that has issued and waits
 * for its data, X executes, C complete. Viewers draw a dependence from the producer's last cycle in
 * X to the consumer's first; so a store whose data come late is in X in its last cycle only, and
 * what would still point back in time (of instructions that never execute) is not written. A cycle
 * in which nothing committed has its cause in lane 1 of the oldest instruction of the file that is
 * in flight, or of the next one to be fetched, which is then opened early. An instruction that is
 * in flight when the run ends is flushed in its last cycle.
 *
 * A file that is read is untrusted: what breaks these rules is a sentence with the line's number.
 */
#ifndef REPORT_FILE_KANATA_H
#define REPORT_FILE_KANATA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#define KANATA_BYTES_MAX       (UINT64_C(256) << 20)
#define KANATA_INSNS_MAX       1000000
#define KANATA_LABEL_BYTES     4096
#define KANATA_STAGE_BYTES     32
#define KANATA_STAGE_NAMES_MAX 256
#define KANATA_CYCLES_MAX      (INT64_C(1) << 52)

/* The member "pipeline" of the result. False with a sentence if there is none, if its cycles are
 * not in order, or if the stream cannot be written. */
bool kanata_write(FILE *out, const json_t *result, struct err *err);

#define KANATA_NONE UINT32_MAX

struct kanata_stage {
	uint64_t begin, end;
	uint32_t next; /* the next stage of the instruction, or KANATA_NONE */
	uint8_t lane;
	uint8_t name; /* an index into names */
};

struct kanata_insn {
	uint64_t begin, end; /* the cycle of its R */
	uint32_t first_stage, last_stage;
	uint32_t open[2];   /* while reading: the stage under way in each lane */
	uint32_t producers; /* the number of W lines it is the consumer of */
	char *label;	    /* its text of type 0; printable as it came */
	bool is_flushed;
	bool has_ended;
};

struct kanata {
	struct kanata_insn *insns;
	size_t count, capacity;
	struct kanata_stage *stages;
	size_t stage_count, stage_capacity;
	char names[KANATA_STAGE_NAMES_MAX][KANATA_STAGE_BYTES];
	unsigned name_count;
	uint64_t first_cycle, last_cycle;
};

/* Reads a file whole; `name` is for sentences. False with a sentence; release either way. */
bool kanata_read(struct kanata *kanata, const char *bytes, size_t size, const char *name,
		 struct err *err);
bool kanata_read_file(struct kanata *kanata, const char *path, struct err *err);
void kanata_release(struct kanata *kanata);

#endif
