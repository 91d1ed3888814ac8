/*
 * common.h - what the documents of several results have in common: their first lines, the machine,
 * the colours of methods, stacks of components, and what a place mostly waits for.
 */
#ifndef REPORT_COMMON_H
#define REPORT_COMMON_H

#include <jansson.h>

#include "doc/doc.h"
#include "value/stacks.h"

/* "PROGRAM on MACHINE with CHANGES", the title of the page, and a warning if the result is partial.
 * Only a trace that was imported has no program. */
void common_heading(struct doc *doc, const json_t *result);
/* The heading of a list. It is read by itself and by other programs, so its text has none. */
void common_list_heading(struct doc *doc, const char *title);
/* Facts: the configuration's name, changes and hash. */
void common_machine_facts(struct doc *doc, const json_t *configuration);
/* A fact: each word of a list in fixed width; `none` if there is no word. */
void common_words_fact(struct doc *doc, const char *label, const json_t *words, const char *none);

/* The colour of a method by its name: its place among all methods (count/count.h). "simulated" is
 * the truth. */
struct doc_colour common_method_colour(const char *name);
/* What the method is, in a line; NULL if it is not known. */
const char *common_method_about(const char *name);

/* Components as parts of the stacks of a table: those that the run's exact stack has. */
void common_parts(struct doc_table *table, const struct stacks *stacks);
void common_legend(struct doc *doc, const struct stacks *stacks);
/* The next cell: the cycles of these slots by component. */
void common_stack_cell(struct doc_table *table, const struct stacks *stacks,
		       const struct stacks_slots *slots);
/* "l2d 80 %, base 12 %": the causes of most slots, the largest first. */
const char *common_mostly(struct doc *doc, const struct stacks_slots *slots);
/* "sort.c:12", or what is known of a place. */
const char *common_place(struct doc *doc, const char *file, int64_t line);
/* The name of an object of data: a heap block is named by where it was allocated (NULL: not known),
 * all else by its name. */
const char *common_object_name(struct doc *doc, const json_t *object, const char *place);
/* The next cell: by how many cycles two runs differ. Less than one is not shown as 0. */
void common_more_cycles_cell(struct doc *doc, struct doc_table *table, double cycles);

/* The next cell: a parameter's value as --set takes it; "-" if the machine does not have it. */
void common_setting_cell(struct doc_table *table, const json_t *value);

/* part / whole; 0 if there is no whole. */
double common_ratio(double part, double whole);

#endif
