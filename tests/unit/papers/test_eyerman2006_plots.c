/* Which program's plot is shown, from made-up finds: the one with most, of equal ones the first. */
#include "../test.h"
#include "base/array.h"
#include "count/count.h"
#include "count/interval_plot.h"
#include "papers/eyerman2006_plots.h"
#include "papers/paper_eyerman2006.h"

static const char *refused; /* a program that does not open */

static bool open_made_up(struct program *program, const char *name, struct err *err)
{
	*program = (struct program){.name = mem_strdup(name)};
	return !refused || strcmp(refused, name) != 0 || err_set(err, "it is not there");
}

static int missing = -1; /* the kind that no program has */

/* Stretches: program 4 and 7 have 30, the others fewer. The L1I's: only the last. Branches and
 * overlaps: one each. Long misses: the first most. */
static json_int_t found_of(size_t i, const char *kind)
{
	if (missing >= 0 && strcmp(kind, interval_kind_name((enum interval_kind)missing)) == 0)
		return 0;
	if (strcmp(kind, interval_kind_name(INTERVAL_STRETCH)) == 0)
		return i == 4 || i == 7 ? 30 : (json_int_t)i;
	if (strcmp(kind, interval_kind_name(INTERVAL_L1I)) == 0)
		return i == 11;
	if (strcmp(kind, interval_kind_name(INTERVAL_LONG)) == 0)
		return 20 - (json_int_t)i;
	return i == (strcmp(kind, interval_kind_name(INTERVAL_BRANCH)) == 0 ? 5 : 6);
}

static json_t *made_up(const struct point *point, size_t i)
{
	json_t *plots = json_object();

	assert_ptr_equal(point->kind, &point_simulated);
	assert_int_equal(point->max_instructions, 4000000);
	assert_ptr_equal(point->observers[0], &count_plots);
	assert_null(point->observers[1]);
	assert_int_equal(point->machine->config.rob_size, 77);
	for (int kind = 0; kind < INTERVAL_KINDS; kind++) {
		const char *name = interval_kind_name((enum interval_kind)kind);

		json_object_set_new(plots, name,
				    json_pack("{s:I, s:i}", "found", found_of(i, name), "of",
					      (int)(100 * i) + kind));
	}
	return json_pack("{s:o}", count_plots.name, plots);
}

static json_t *plot(struct err *err, bool interrupted)
{
	struct subject subject = {0};
	const struct measurement_request request = {.subject = &subject, .open = open_made_up};

	subject.machine.config.rob_size = 77;
	struct plan *plan = eyerman2006_plots(&request, err);
	if (!plan)
		return NULL;
	assert_int_equal(plan->count, 12);
	for (size_t i = plan->count; i-- > 0;) {
		json_t *result = made_up(&plan->points[i], i);

		assert_true(plan->take(plan, i, result, err));
		json_decref(result);
	}
	json_t *plots = plan->conclude(plan, interrupted, err);
	plan_destroy(plan);
	return plots;
}

TEST(plots_are_of_the_program_with_most)
{
	static const struct {
		int figure, program, of;
		enum interval_kind kind;
	} rows[] = {{2, 4, 400 + INTERVAL_STRETCH, INTERVAL_STRETCH},
		    {3, 11, 1100 + INTERVAL_L1I, INTERVAL_L1I},
		    {5, 5, 500 + INTERVAL_BRANCH, INTERVAL_BRANCH},
		    {7, 0, INTERVAL_LONG, INTERVAL_LONG},
		    {8, 6, 600 + INTERVAL_OVERLAP, INTERVAL_OVERLAP}};
	struct err err = {.text = ""};
	json_t *plots = plot(&err, false);

	assert_int_equal(json_array_size(plots), 5);
	for (size_t i = 0; i < 5; i++) {
		const json_t *row = json_array_get(plots, i);
		const char *kind = interval_kind_name(rows[i].kind);
		const json_t *by_program = json_object_get(row, "found_by_program");
		char name[64];

		snprintf(name, sizeof(name), "@%s:small",
			 paper_eyerman2006_programs[rows[i].program].ours);
		assert_string_equal(json_string_value(json_object_get(row, "program")), name);
		assert_string_equal(json_string_value(json_object_get(row, "kind")), kind);
		assert_int_equal(json_integer_value(json_object_get(row, "figure")),
				 rows[i].figure);
		assert_int_equal(json_integer_value(json_object_get(row, "of")), rows[i].of);
		assert_int_equal(json_integer_value(json_object_get(row, "instructions")), 4000000);
		assert_int_equal(json_object_size(by_program), 12);
		for (size_t p = 0; p < 12; p++) {
			snprintf(name, sizeof(name), "@%s:small",
				 paper_eyerman2006_programs[p].ours);
			assert_int_equal(json_integer_value(json_object_get(by_program, name)),
					 found_of(p, kind));
		}
	}
	json_decref(plots);
	missing = INTERVAL_BRANCH;
	plots = plot(&err, false);
	assert_int_equal(json_array_size(plots), 4);
	json_decref(plots);
	missing = -1;
}

TEST(plots_that_cannot_be_made)
{
	struct err err = {.text = ""};
	char name[64];

	snprintf(name, sizeof(name), "@%s:small", paper_eyerman2006_programs[5].ours);
	refused = name;
	assert_null(plot(&err, false));
	assert_string_equal(err.text, "it is not there");
	refused = NULL;
	err.text[0] = 0;
	assert_null(plot(&err, true));
	assert_string_equal(err.text, "");
}
