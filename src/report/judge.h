/*
 * judge.h - the parts of a judgement's document, one function for each, so that a paper whose
 * figures are a judgement can show them under its own headings.
 *
 * Each adds blocks to the container that is open. Programs are keys of the document: one that is
 * chosen is marked in all parts, and judge_details shows everything about it. Stacks are split as
 * judge_stack.h says.
 */
#ifndef REPORT_JUDGE_H
#define REPORT_JUDGE_H

#include <jansson.h>

#include "doc/doc.h"

#define JUDGE_LIMIT 0.04 /* of the cycles: an error above it stands out */

struct judge_report {
	struct doc *doc;
	const json_t *result, *programs, *summary;
	json_t *methods; /* an object with the name of each method that any part has */
};

void judge_report_init(struct judge_report *judge, struct doc *doc, const json_t *result);
void judge_report_release(struct judge_report *judge);

/* A sentence, bars and a table: the largest error of each method on each program. */
void judge_errors(const struct judge_report *judge);
/* For a page: a card for each program, with the stacks of the truth and of all methods. */
void judge_cards(const struct judge_report *judge);
/* For a page: sections of which the one of the chosen program is shown. */
void judge_details(const struct judge_report *judge);
/* Bars and a table: what each method charges for an event, "l1i", "branch" or "l2d". Nothing if no
 * program has such events. */
void judge_event(const struct judge_report *judge, const char *event);
/* For a page: a section on the machine and the programs. */
void judge_about(const struct judge_report *judge);

/* Parts of a judgement alone. */
/* A section on what components of the truth consist of. Nothing in a result of an early version. */
void judge_parts(const struct judge_report *judge);
void judge_orders(const struct judge_report *judge);
void judge_events(const struct judge_report *judge);
void judge_overlap(const struct judge_report *judge);
void judge_storage(const struct judge_report *judge);

/* Of a quick judgement, whose truth is known within intervals; else they add nothing. */
/* What was measured, and what that says of `exact`. */
void judge_say_measured(const struct judge_report *judge, unsigned where);
/* A table of the methods by their mean errors: within what these are, whether they are below the
 * limit on every program, and which methods the truth does not tell apart. */
void judge_ranking(const struct judge_report *judge, const char *id, unsigned where);

/* For the functions above. */
/* How the truth of a program was measured; NULL: it was simulated. */
const json_t *judge_measured(const json_t *program);
/* Whether the truth of any program was measured. */
bool judge_is_quick(const struct judge_report *judge);
/* By how much an error of a verdict or of the summary may be off, in words; NULL if it is exact.
 * The values are those of the error and of its ends. */
const char *judge_off_words(const struct judge_report *judge, double error, const json_t *low,
			    const json_t *high);
/* The methods of which the limit on every program is certain, or is open, with commas between. */
enum judge_certainty { JUDGE_BELOW, JUDGE_OPEN, JUDGE_ABOVE };
enum judge_certainty judge_certainty(const struct judge_report *judge, const char *method);
const json_t *judge_method(const json_t *program, const char *method);
const char *judge_key(const struct judge_report *judge, const json_t *program);
/* A row about a program, which choosing it marks. */
struct doc_row *judge_row(const struct judge_report *judge, struct doc_table *table,
			  const json_t *program);
/* A column of a share in percent, without the sign in text; a column for each method. */
struct doc_column *judge_percent(struct doc_table *table, const char *title, unsigned places);
/* A table with a row for each program and a column for each method: this member of a method; then
 * the mean, which the summary has as `mean`, and the largest. All are members of the object
 * `within`, if it is not NULL. */
struct doc_table *judge_by_method(const struct judge_report *judge, const char *id,
				  const char *within, const char *member, const char *mean,
				  const char *largest);
/* Notes on the methods that do not tell resource from base, or an L3 from the L2, if their errors
 * are told apart. */
void judge_lacking(const struct judge_report *judge, unsigned where);
/* The table of errors with resource in base, and whether the result has them. */
void judge_folded(const struct judge_report *judge, const char *id);
bool judge_has_folded(const struct judge_report *judge);

#endif
