/*
 * vectors.h - basic-block vectors: how many instructions of each basic block a program executes, in
 * every interval of a fixed number of instructions (Sherwood, Perelman and Calder 2001).
 *
 * A block begins where a control transfer or a system call leads to, or where a signal handler
 * begins, and ends with the next of these; a branch that is not taken ends it too. So code that is
 * also jumped into belongs to several blocks. Blocks are known by their first address, and numbered
 * from 1 in the order in which they are first executed. Each instruction counts in the interval in
 * which it is executed, so a vector's counts add up to the interval's length, and a block that is
 * under way when an interval ends is in both. A thread whose turn ends goes on in its block.
 *
 * Not modelled: code that is replaced under its address counts for the same block.
 */
#ifndef TRACE_VECTORS_H
#define TRACE_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "linux/process.h"

struct vector_entry {
	uint32_t block; /* from 1 on */
	uint64_t instructions;
};

/* Receives the vector of each interval: its blocks, in the order of their numbers. */
typedef void vectors_sink(void *context, const struct vector_entry *entries, size_t count);

struct vectors;

/* Of a process that has executed nothing yet, which must outlive it. */
struct vectors *vectors_create(struct process *process, uint64_t interval, vectors_sink *sink,
			       void *context);
void vectors_destroy(struct vectors *vectors);

/* Executes until `instructions` instructions are committed in all. True while the program runs. */
bool vectors_run(struct vectors *vectors, uint64_t instructions);
/* The last interval, which is shorter, ends here. */
void vectors_finish(struct vectors *vectors);

/* Adds a vector as a line of a frequency-vector file of SimPoint 3.2: T:block:count :block:count */
void vectors_write_line(struct bytes *to, const struct vector_entry *entries, size_t count);

#endif
