/*
 * stimulus.h - the two files a test bench reads: vectors of inputs, and the words that must be
 * there after some of them.
 *
 *   NAME.stimulus  a line "N VECTOR": N clock cycles with this vector, in hexadecimal;
 *                  a line "0 0": a check
 *   NAME.expected  a line for each check: all words, in hexadecimal
 *
 * The first input or word is in the lowest bits, as in the ports. Equal vectors that follow each
 * other become one line. Text is handed to a sink in pieces, in order for each file.
 */
#ifndef RTL_STIMULUS_H
#define RTL_STIMULUS_H

#include "rtl/circuit.h"

enum stimulus_file { STIMULUS_VECTORS, STIMULUS_EXPECTED, STIMULUS_FILES };
extern const char *const stimulus_suffixes[STIMULUS_FILES];

/* Bytes for a file of the circuit of that number among those observed. */
typedef void stimulus_sink(void *context, size_t circuit, enum stimulus_file file,
			   const void *bytes, size_t size);

/* For a kind's `cycle` and `end`. Inputs keep their value until they are set again, or all are
 * cleared. A value must fit the input. */
void stimulus_clear(struct stimulus *stimulus);
void stimulus_set(struct stimulus *stimulus, size_t input, uint64_t value);
void stimulus_set_field(struct stimulus *stimulus, size_t input, unsigned field, uint64_t value);
/* Holds the vector for `cycles` clock cycles, at least 1. */
void stimulus_emit(struct stimulus *stimulus, uint64_t cycles);
/* The words that the model has now are those that the circuit must show. */
void stimulus_check(struct stimulus *stimulus);

/* An observer that makes the files of several circuits in one run, in calling order: create, a call
 * for each record, end, destroy. The circuits must live as long as it. */
struct stimuli;

struct stimuli *stimuli_create(const struct circuit *circuits, size_t count, stimulus_sink *sink,
			       void *context);
/* Kinds of events that the records must have. */
uint32_t stimuli_events(const struct stimuli *stimuli);
void stimuli_cycle(void *stimuli, const struct cycle *cycle);
/* The last checks; everything has been handed to the sink after it. */
void stimuli_end(struct stimuli *stimuli);
void stimuli_destroy(struct stimuli *stimuli); /* NULL is accepted */

#endif
