#include "classify/classify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "classify/classifier.h"

#define COINCIDES 0.9 /* of the best score */
static bool some_executes(const struct classifier *c)
{
	for (size_t i = 0; i < c->categories.count; i++)
		for (size_t e = 0; c->categories.list[i].is_executed && e < c->readings.event_count;
		     e++)
			if (category_fit(&c->categories, &c->categories.list[i], &c->slopes, e)
				    .rank > 0)
				return true;
	return false;
}

/* Adds the name unless the list has it or it is the verdict. */
static void add_name(json_t *list, const char *verdict, const char *name)
{
	const json_t *known;
	size_t i;

	if (strcmp(name, verdict) == 0)
		return;
	json_array_foreach(list, i, known)
	{
		if (strcmp(json_string_value(known), name) == 0)
			return;
	}
	json_array_append_new(list, json_string(name));
}

/* The category that fits best, NULL if none does; `also` gets those that fit as well, *next the
 * best score among the others. */
static const struct category *judge(const struct classifier *c, size_t event, json_t *also,
				    double *score, double *next)
{
	const struct categories *categories = &c->categories;
	struct fit *fits = mem_alloc_array(categories->count, sizeof(*fits));
	const struct category *best = NULL;
	double rank = 0;

	*score = *next = 0;
	for (size_t i = 0; i < categories->count; i++) {
		fits[i] = category_fit(categories, &categories->list[i], &c->slopes, event);
		if (fits[i].rank > rank + 1e-9) {
			rank = fits[i].rank;
			*score = fits[i].score;
			best = &categories->list[i];
		}
	}
	for (size_t i = 0; best && i < categories->count; i++) {
		const struct category *other = &categories->list[i];

		if (fits[i].rank >= COINCIDES * rank && other->is_executed == best->is_executed)
			add_name(also, best->name, other->name);
		else if (other != best)
			*next = fmax(*next, fits[i].score);
		/* Nothing here shows the difference between what retires and what executes. */
		if (!c->tells_executed && other->is_executed && i > 0 && fits[i - 1].rank > 0 &&
		    fits[i - 1].rank >= COINCIDES * rank)
			add_name(also, best->name, other->name);
	}
	free(fits);
	return best;
}

static json_t *slopes_json(const struct classifier *c, size_t event)
{
	json_t *slopes = json_object();
	char name[POINT_NAME_BYTES];

	for (size_t p = 0; p < c->readings.point_count; p++) {
		double value = slopes_at(&c->slopes, event, p);

		classifier_point_name(name, &c->readings.points[p]);
		if (!isnan(value))
			json_object_set_new(slopes, name, json_real(classifier_rounded(value)));
	}
	return slopes;
}

static json_t *plateaus_json(const struct classifier *c, size_t event)
{
	json_t *plateaus = json_object();

	for (enum sweep sweep = 0; sweep < SWEEPS; sweep++) {
		const struct sweep_points *points = &c->geometry.sweeps[sweep];

		for (size_t i = 0; points->count && points->levels && i <= points->levels; i++) {
			size_t point = points->points[points->plateau[i]];
			double value = slopes_at(&c->slopes, event, point);
			char name[POINT_NAME_BYTES];

			classifier_point_name(name, &c->readings.points[point]);
			if (!isnan(value))
				json_object_set_new(plateaus, name,
						    json_real(classifier_rounded(value)));
		}
	}
	return plateaus;
}

static json_t *event_json(const struct classifier *c, size_t event)
{
	const struct readings_event *row = &c->readings.events[event];
	json_t *also = json_array();
	double score = 0, next = 0;
	const char *verdict;

	if (!classifier_is_counted(c, event)) {
		verdict = VERDICT_REFUSED;
	} else if (category_is_zero(&c->slopes, event)) {
		verdict = VERDICT_ZERO;
		score = 1;
	} else {
		const struct category *category = judge(c, event, also, &score, &next);

		verdict = category ? category->name : VERDICT_NONE;
	}
	return json_pack("{s:I, s:I, s:s, s:o, s:f, s:f, s:o, s:o}", "type", (json_int_t)row->type,
			 "code", (json_int_t)row->config, "verdict", verdict, "also", also,
			 "confidence", classifier_rounded(score), "margin",
			 classifier_rounded(score - next), "slopes", slopes_json(c, event),
			 "plateaus", plateaus_json(c, event));
}

static json_t *capacities_json(const struct sweep_points *sweep, uint64_t divisor)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sweep->levels; i++)
		json_array_append_new(list,
				      json_integer((json_int_t)(sweep->capacity[i] / divisor)));
	return list;
}

static uint64_t unit_or_one(const struct sweep_points *sweep)
{
	return sweep->unit ? sweep->unit : 1;
}

static json_t *machine_json(const struct classifier *c)
{
	const struct geometry *g = &c->geometry;
	const struct sweep_points *page = &g->sweeps[SWEEP_PAGE];
	const struct sweep_points *code_page = &g->sweeps[SWEEP_CODE_PAGE];

	json_t *machine =
		json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "line_bytes",
			  (json_int_t)g->line_bytes, "page_bytes", (json_int_t)g->page_bytes,
			  "data_bytes", capacities_json(&g->sweeps[SWEEP_READ], 1),
			  "instruction_bytes", capacities_json(&g->sweeps[SWEEP_CODE], 1),
			  "data_pages", capacities_json(page, unit_or_one(page)),
			  "instruction_pages", capacities_json(code_page, unit_or_one(code_page)),
			  "tells_executed", c->tells_executed);
	if (g->block_bytes != g->line_bytes)
		json_object_set_new(machine, "block_bytes",
				    json_integer((json_int_t)g->block_bytes));
	return machine;
}

json_t *classify_text(const char *text, struct err *err)
{
	struct classifier c;
	json_t *result = NULL;

	if (classifier_init(&c, text, err)) {
		json_t *events = json_array();

		classifier_find_categories(&c);
		c.tells_executed = some_executes(&c);
		for (size_t e = 0; e < c.readings.event_count; e++)
			json_array_append_new(events, event_json(&c, e));
		result = json_pack("{s:o, s:o}", "machine", machine_json(&c), "events", events);
	}
	classifier_release(&c);
	return result;
}

bool classify_lines(const char *text, unsigned long long *block_bytes,
		    unsigned long long *page_bytes, struct err *err)
{
	struct classifier c;
	bool ok = classifier_init(&c, text, err);

	*block_bytes = c.geometry.block_bytes;
	*page_bytes = c.geometry.page_bytes;
	classifier_release(&c);
	return ok;
}
