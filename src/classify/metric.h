/*
 * metric.h - something that one would like to measure, as a sum of categories.
 *
 * Its expectation is text, "A + 2 * B - C", with the names of category.h between the signs. It
 * comes from metrics.def, from what an event's name claims (claim.h), or from the user, so that it
 * is checked here, with a sentence for what is wrong. Whether a machine has the categories is not
 * known here.
 */
#ifndef CLASSIFY_METRIC_H
#define CLASSIFY_METRIC_H

#include <stddef.h>

#include "base/err.h"
#include "classify/category.h"

#define METRIC_TERMS_MOST   8
#define METRIC_FACTOR_MOST  1000
#define METRIC_PRESET_BYTES 64

struct metric {
	const char *name;
	char preset[METRIC_PRESET_BYTES]; /* what PAPI is to call it */
	const char *expectation;
	const char *meaning;
	struct metric_term {
		int factor;
		char category[CATEGORY_NAME_BYTES];
	} terms[METRIC_TERMS_MOST];
	size_t term_count;
};

/* Metric i of metrics.def; false if there are not as many. */
bool metric_at(struct metric *metric, size_t i);
/* The metric of that name, what an event of that name claims, or the sum that the text is; false
 * with a sentence. The metric points into the text. */
bool metric_find(struct metric *metric, const char *text, struct err *err);

#endif
