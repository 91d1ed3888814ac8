/*
 * run.h - the parts of the document of a run, a file each: report/run.c puts them together.
 */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include "report/report.h"
#include "value/stacks.h"

/* What the parts are made from. */
struct run_report {
	struct doc *doc;
	const json_t *result;
	const struct stacks *stacks;
	const struct report_options *options;
	double cycles, instructions;
};

/* run_verdict.c: the sentence that the document opens with. */
void run_verdict(const struct run_report *run);
/* run_sample.c: what the simulated slices of a sampled run say of the whole program. */
void run_sample(struct doc *doc, const json_t *result);
/* run_phases.c: what simulation points say of it. */
void run_phases(struct doc *doc, const json_t *result);
/* run_stack.c: the stack of the whole run, and the other ways of counting. */
void run_stack(const struct run_report *run);
void run_methods(const struct run_report *run);
void run_views(const struct run_report *run);
/* run_functions.c: functions with their lines, threads, what happened over time. */
void run_functions(const struct run_report *run);
void run_threads(const struct run_report *run);
void run_over_time(const struct run_report *run);
/* run_calls.c: who called whom; nothing unless the run followed calls. False with a sentence if the
 * result says what cannot be. */
bool run_calls(const struct run_report *run, struct err *err);
/* run_causal.c: how the program's time depends on that of its lines; nothing unless it was asked.
 */
void run_causal(const struct run_report *run);
/* run_data.c: which data misses; nothing without that in the result. */
void run_data(const struct run_report *run);
/* run_annotate.c: the instructions of functions beside their source lines. */
void run_annotations(const struct run_report *run);
/* run_sites.c: columns and cells of what happened at branches, loads and stores: in a page words,
 * and in CSV each number. NULL: nothing did. */
void run_site_columns(struct doc_table *table);
void run_site_cells(struct doc_table *table, const struct stacks_site *site);
/* Where a function's instructions are; NULL if it has none. */
const char *run_annotation_id(const struct run_report *run, const char *function);
/* run_values.c: counts, counted values, answers to what-if questions. */
void run_what_if(struct doc *doc, const json_t *result);
void run_counts(struct doc *doc, const json_t *result);
void run_values(struct doc *doc, const json_t *result);
/* The counted values that match a list of patterns. */
void run_events(struct doc *doc, const json_t *result, const char *list);
/* run_rows.c: every number of the run in one table, for CSV. */
void run_rows(const struct run_report *run);

/* False with a sentence that suggests a name if a pattern of the list matches no counted value. */
bool run_events_check(const char *list, struct err *err);

#endif
