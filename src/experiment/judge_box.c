#include "experiment/judge_box.h"

#include <math.h>

#include "base/array.h"

static double distance(const struct judge_box *box, const struct judge_told *told, int component)
{
	return fabs(told->at[component] - box->at[component]);
}

/* The least error of a method by all components but one. */
static double least_without(const struct judge_box *box, const struct judge_told *told, int without)
{
	double most = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (box->has[i] && i != without)
			most = fmax(most, distance(box, told, i) - box->off[i]);
	return most;
}

struct judge_range judge_box_error(const struct judge_box *box, const struct judge_told *told)
{
	struct judge_range range = {.low = least_without(box, told, COMPONENT_COUNT)};

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (box->has[i])
			range.high = fmax(range.high, distance(box, told, i) + box->off[i]);
	return range;
}

/* The least excess if the error of `better` is that of one component: of the others, the truth is
 * where `worse` is best. What remains is a function of the truth of one component that is made of
 * straight lines, so it is least at one of their ends. */
static double excess_by(const struct judge_box *box, const struct judge_told *worse,
			const struct judge_told *better, int component)
{
	const double others = least_without(box, worse, component);
	const double low = box->at[component] - box->off[component],
		     high = box->at[component] + box->off[component];
	const double ends[] = {low,
			       high,
			       worse->at[component],
			       worse->at[component] - others,
			       worse->at[component] + others,
			       better->at[component]};
	double least = INFINITY;

	for (unsigned i = 0; i < ARRAY_COUNT(ends); i++) {
		const double truth = fmin(fmax(ends[i], low), high);

		least = fmin(least, fmax(others, fabs(worse->at[component] - truth)) -
					    fabs(better->at[component] - truth));
	}
	return least;
}

double judge_box_excess(const struct judge_box *box, const struct judge_told *worse,
			const struct judge_told *better)
{
	double least = INFINITY;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (box->has[i])
			least = fmin(least, excess_by(box, worse, better, i));
	return least;
}

void judge_box_fold(struct judge_box *box)
{
	box->at[COMPONENT_BASE] += box->at[COMPONENT_RESOURCE];
	box->off[COMPONENT_BASE] += box->off[COMPONENT_RESOURCE];
	box->at[COMPONENT_RESOURCE] = box->off[COMPONENT_RESOURCE] = 0;
}
