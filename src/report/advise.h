/*
 * advise.h - what the files of the document of `advise` share: the result as it is read, what its
 * rows say of themselves, and the parts of the document.
 *
 * The rows are those of the result's "software", places, and "machine", steps; both have a gain,
 * unless they were not simulated.
 */
#ifndef REPORT_ADVISE_H
#define REPORT_ADVISE_H

#include <jansson.h>

#include "doc/doc.h"

#define ADVICE_SHOWN 0.005 /* of the cycles, that a row gains to be in text */

struct advice {
	struct doc *doc;
	const json_t *result, *software, *machine;
	double cycles, worth;
	bool has_windows;
};

/* advise_rows.c */
bool advice_has_gain(const json_t *row);
/* What is certain of a gain, in parts of the cycles. */
double advice_sure(const struct advice *advice, const json_t *row);
/* Whether text has the row: it gains something, or nobody knows. */
bool advice_is_shown(const struct advice *advice, const json_t *row);
bool advice_is_bound(const json_t *step);
bool advice_is_program(const json_t *place);
bool advice_is_same_place(const json_t *a, const json_t *b);
/* How many of the rows were simulated. */
size_t advice_simulated(const json_t *rows, bool with_bounds);
/* "sort.c:11", the function, "the program", or an address. */
const char *advice_place(struct doc *doc, const json_t *place);
/* "if its branches were predicted"; "mispredicted branches". */
const char *advice_without(const json_t *place);
const char *advice_loss(const json_t *place);
/* Empty if it is none that is known. */
const char *advice_pattern(const json_t *place);
/* A share of the cycles: "12.3 %". */
const char *advice_percent(const struct advice *advice, double cycles);
const char *advice_joined(struct doc *doc, const json_t *words, const char *before,
			  const char *between);

/* advise_answer.c: the first sentences. */
void advice_say_answer(const struct advice *advice);

/* advise_runs.c: the runs that numbers are from, and every row for CSV. */
void advice_runs_section(const struct advice *advice);
void advice_software_rows(const struct advice *advice);
void advice_machine_rows(const struct advice *advice);

#endif
