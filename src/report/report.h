/*
 * report.h - what results look like: one builder per result, which turns its JSON into a document
 * (doc/doc.h), and one table of them.
 *
 * A document is a pure function of a result and the options below; renderers make text, a page,
 * pictures and CSV of it, so every result has every format. The JSON may come from any file: a
 * builder's result is checked against its layout (value/layout.h) before it is called.
 *
 * Adding a result: report/NAME.c with a builder, and a row in report.c.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "doc/doc.h"

struct source_roots;

/* What a user may ask of a document; all zero is the default. */
struct report_options {
	const struct source_roots *sources; /* where the lines of --annotate are found; or NULL */
	size_t functions;		    /* hot functions that text shows; 0: the usual number */
	bool has_functions;		    /* `functions` was asked for, so that 0 means none */
	bool is_brief;			    /* of annotated functions only the hottest lines */
	const char *events; /* counted values to show alone: "l1d.*,branches"; or NULL */
};

struct report_kind {
	const char *schema; /* such as "cyclestack-run-2" */
	/* Fills a document that has been initialised. False with a sentence. */
	bool (*build)(struct doc *doc, const json_t *result, const struct report_options *options,
		      struct err *err);
	const char *table; /* id of the table that is the result's CSV; NULL: the first */
};

extern const struct report_kind report_kinds[]; /* ends with a row of NULLs */

/* Makes the document of any result: finds its builder by its schema, checks its layout, builds.
 * `options` may be NULL. False with a sentence; release the document in either case. */
bool report_build(struct doc *doc, const json_t *result, const struct report_options *options,
		  struct err *err);
/* The row of a result; NULL with a sentence if there is none. */
const struct report_kind *report_kind_of(const json_t *result, struct err *err);

/* One function in each builder's file. */
#define REPORT_BUILDER(name)                                      \
	bool report_##name(struct doc *doc, const json_t *result, \
			   const struct report_options *options, struct err *err)
REPORT_BUILDER(collected);
REPORT_BUILDER(advise);
REPORT_BUILDER(compose);
REPORT_BUILDER(config);
REPORT_BUILDER(config_check);
REPORT_BUILDER(config_diff);
REPORT_BUILDER(config_keys);
REPORT_BUILDER(config_list);
REPORT_BUILDER(cycles);
REPORT_BUILDER(diff);
REPORT_BUILDER(exec);
REPORT_BUILDER(explain);
REPORT_BUILDER(inspect);
REPORT_BUILDER(judge);
REPORT_BUILDER(measure);
REPORT_BUILDER(model);
REPORT_BUILDER(query);
REPORT_BUILDER(repeat);
REPORT_BUILDER(results);
REPORT_BUILDER(run);
REPORT_BUILDER(signals);
REPORT_BUILDER(stat);
REPORT_BUILDER(sweep);
REPORT_BUILDER(trace);
REPORT_BUILDER(workloads);
/* In papers/, which is below this folder: a paper owns what is shown of it. */
REPORT_BUILDER(reproduce);

#endif
