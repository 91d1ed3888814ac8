/* The variations of hough2006 from made-up cycles and writes, each in its row; and synthesised
 * sizes from lines of text, with lines through them worked out on paper. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "papers/hough2006_synthesis.h"
#include "papers/hough2006_variations.h"
#include "papers/paper_hough2006.h"
#include "stats/module.h"

/* Nine machines twice and three policies for each program: point 21 p + i takes cycles and writes
 * that no other has. */
static int64_t cycles_of(size_t i)
{
	return i == 0 ? 1000 : i == 21 ? 4000 : 2000 + 10 * (int64_t)i;
}

static int64_t writes_of(size_t i)
{
	return i == 18 ? 80 : i == 20 ? 50 : i == 39 ? 0 : 100 + (int64_t)i;
}

static void check_point(const struct point *point, size_t i)
{
	/* Each twice: the sizes of the instruction cache's ways and sets. */
	static const unsigned kilobytes[9] = {4, 8, 12, 16, 1, 2, 4, 4, 4};
	static const unsigned ways[9] = {1, 2, 3, 4, 1, 1, 1, 1, 1};
	const struct config *config = &point->machine->config;
	size_t m = i % 21;

	assert_ptr_equal(point->kind, &point_simulated);
	assert_string_equal(point->program->name, i < 21 ? "@first:test" : "@second:ref");
	assert_int_equal(point->max_instructions, i < 21 ? 71 : 72);
	/* The second run of a machine is to be made, not found. */
	assert_int_equal(point->repetition, m < 18 ? m % 2 : 0);
	if (m < 18) {
		assert_int_equal(config->l1i_size, 1024 * kilobytes[m / 2]);
		assert_int_equal(config->l1i_ways, ways[m / 2]);
		assert_int_equal(config->l1i_line, m / 2 == 6 ? 16 : 32);
	} else {
		assert_int_equal(config->l1d_write, m == 18   ? WRITE_BACK
						    : m == 19 ? WRITE_THROUGH
							      : WRITE_LIVE);
	}
}

static json_t *measure(bool interrupted, json_t *synthesis)
{
	char first[] = "@first:test", second[] = "@second:ref";
	struct program programs[2] = {{.name = first, .max_instructions = 71},
				      {.name = second, .max_instructions = 72}};
	struct subject subject = {.programs = programs, .program_count = 2};
	const struct measurement_request request = {.subject = &subject, .synthesis = synthesis};
	struct err err;

	config_reset(&subject.machine.config);
	assert_true(config_load_preset(&subject.machine.config, "leon2", "configs", &err));
	/* Every value of the paper's base, so that changes are seen. */
	assert_true(config_set(&subject.machine.config, "l1i.size_bytes=4k", &err));
	assert_true(config_set(&subject.machine.config, "l1i.ways=1", &err));
	assert_true(config_set(&subject.machine.config, "l1i.line_bytes=32", &err));
	struct plan *plan = hough2006_variations(&request, &err);
	assert_non_null(plan);
	assert_int_equal(plan->count, 42);
	for (size_t i = plan->count; i-- > 0;) {
		json_t *result =
			json_pack("{s:{s:I, s:I}}", "values", "cycles", (json_int_t)cycles_of(i),
				  "memory.writes", (json_int_t)writes_of(i));

		check_point(&plan->points[i], i);
		assert_true(plan->take(plan, i, result, &err));
		json_decref(result);
	}
	json_t *result = plan->conclude(plan, interrupted, &err);
	plan_destroy(plan);
	return result;
}

static double number(const json_t *row, const char *list, const char *name)
{
	return json_number_value(json_object_get(json_object_get(row, list), name));
}

TEST(variations_are_each_in_its_row)
{
	json_t *result = measure(false, NULL);

	assert_non_null(result);
	const json_t *machines = json_object_get(result, "machines");
	assert_int_equal(json_array_size(machines), 9);
	for (size_t m = 0; m < 9; m++) {
		const json_t *row = json_array_get(machines, m);

		assert_string_equal(json_string_value(json_object_get(row, "name")),
				    hough2006_machines[m].name);
		assert_true(number(row, "cycles", "first") == (double)cycles_of(2 * m));
		assert_true(number(row, "cycles", "second") == (double)cycles_of(21 + 2 * m));
		assert_true(number(row, "ratios", "first") == (double)cycles_of(2 * m) / 1000);
		assert_true(number(row, "ratios", "second") ==
			    (double)cycles_of(21 + 2 * m) / 4000);
		/* The base: 2010 after 1000, and 2220 after 4000. */
		assert_int_equal(json_integer_value(json_object_get(row, "differ")), m ? 10 : 1780);
	}
	const json_t *row = json_array_get(json_object_get(result, "programs"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "@first:test");
	assert_int_equal(json_integer_value(json_object_get(row, "back")), 80);
	assert_int_equal(json_integer_value(json_object_get(row, "through")), 119);
	assert_int_equal(json_integer_value(json_object_get(row, "live")), 50);
	assert_true(json_real_value(json_object_get(row, "saved_percent")) == 37.5);
	row = json_array_get(json_object_get(result, "programs"), 1);
	assert_int_equal(json_integer_value(json_object_get(row, "back")), 0);
	assert_int_equal(json_integer_value(json_object_get(row, "through")), 140);
	assert_int_equal(json_integer_value(json_object_get(row, "live")), 141);
	assert_null(json_object_get(row, "saved_percent"));
	json_decref(result);
	assert_null(measure(true, NULL));
}

/* Each of N is put where it belongs: by the storage of one more of a kind. */
TEST(storage_grows_with_what_it_is_of)
{
	static const size_t wanted[] = {2,  3,	4,  5,	6,  7,	8,  10, 12,
					14, 16, 20, 24, 28, 32, 48, 64};
	json_t *result = measure(false, NULL), *rows = json_object_get(result, "storage");

	assert_int_equal(json_array_size(rows), ARRAY_COUNT(wanted));
	for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
		const json_t *row = json_array_get(rows, i);
		size_t n = wanted[i];
		char text[16];

		snprintf(text, sizeof(text), "%zu", n);
		assert_string_equal(json_string_value(json_object_get(row, "n")), text);
		const struct {
			const char *name;
			uint64_t bits;
		} members[] = {
			{"ranges", stats_bits(2, n, 2, 32)},
			{"signals", stats_bits(n, 2, 2, 32)},
			{"counters", stats_bits(2, 2, n, 32)},
			{"naive", stats_naive_bits(n, n, 32)},
			{"compared", stats_compared_bits(n, 1)},
			{"compared_four", stats_compared_bits(n, 4)},
		};
		for (size_t k = 0; k < ARRAY_COUNT(members); k++)
			assert_int_equal(json_integer_value(json_object_get(row, members[k].name)),
					 members[k].bits);
	}
	json_decref(result);
}

#define FIGURE_LINES                                                                 \
	"# a remark\nranges 1 x luts=10\nranges 2 luts=20\nranges 4 luts=45 ffs=3\n" \
	"signals 2 luts=7\nsignals 3 luts=7\nsignals 4096 luts=7\n"                  \
	"counters 1 luts=1\ncounters 2 luts=2\ncounters 3 luts=3\nnaive 1 luts=1\n"  \
	"naive 2 luts=4\nnaive 3 luts=9\n"

static json_t *read_synthesis(const char *text, struct err *err)
{
	json_t *result = json_object();

	if (hough2006_synthesis(text, result, err))
		return result;
	json_decref(result);
	return NULL;
}

static json_int_t luts(const json_t *result, const char *list, size_t i, const char *n,
		       const char *member)
{
	const json_t *row = json_array_get(json_object_get(result, list), i);

	assert_string_equal(json_string_value(json_object_get(row, "n")), n);
	return json_integer_value(json_object_get(row, member));
}

TEST(sizes_are_listed_and_have_slopes)
{
	struct err err = {.text = ""};
	json_t *result = read_synthesis(FIGURE_LINES "ports 1 luts=5\nports 2 luts=6\n"
						     "width 8 luts=9\nfmt-branches 3 luts=11\n"
						     "sfmt-branches 3 luts=12\n"
						     "power5-rob 32 luts=13\nfmt-rob 32 luts=14\n"
						     "sfmt-rob 32 luts=15\nvclk-rob 64 luts=16\n"
						     "other 1 luts=99\n",
					&err);

	assert_non_null(result);
	assert_int_equal(luts(result, "synthesis", 0, "1", "ranges"), 10);
	assert_int_equal(luts(result, "synthesis", 0, "1", "counters"), 1);
	assert_int_equal(luts(result, "synthesis", 0, "1", "naive"), 1);
	assert_int_equal(luts(result, "synthesis", 0, "1", "signals"), 0);
	assert_int_equal(luts(result, "synthesis", 1, "2", "ranges"), 20);
	assert_int_equal(luts(result, "synthesis", 1, "2", "signals"), 7);
	assert_int_equal(luts(result, "synthesis", 2, "3", "naive"), 9);
	assert_int_equal(luts(result, "synthesis", 3, "4", "ranges"), 45);
	assert_int_equal(luts(result, "synthesis", 4, "4096", "signals"), 7);
	assert_int_equal(json_array_size(json_object_get(result, "synthesis")), 5);
	assert_int_equal(luts(result, "pc_ports", 0, "1", "module"), 5);
	assert_int_equal(luts(result, "pc_ports", 1, "2", "module"), 6);
	assert_int_equal(luts(result, "widths", 0, "8", "module"), 9);
	assert_int_equal(luts(result, "branch_rows", 0, "3", "fmt"), 11);
	assert_int_equal(luts(result, "branch_rows", 0, "3", "sfmt"), 12);
	assert_int_equal(luts(result, "rob_sizes", 0, "32", "power5"), 13);
	assert_int_equal(luts(result, "rob_sizes", 0, "32", "fmt"), 14);
	assert_int_equal(luts(result, "rob_sizes", 0, "32", "sfmt"), 15);
	assert_int_equal(luts(result, "rob_sizes", 1, "64", "vclk"), 16);
	/* Through (1, 10), (2, 20), (4, 45): n and y have the means 7/3 and 25; the slope is
	 * 165/14, the base -2.5. The farthest is the point of 2: 20 - (165/7 - 2.5) = -15/14, by 3
	 * and 2 less. */
	const json_t *slopes = json_object_get(result, "slopes");
	assert_int_equal(json_array_size(slopes), 4);
	static const struct {
		const char *name;
		double base, slope, residual, percent, explained;
	} rows[] = {
		{"N ranges", -2.5, 165 / 14.0, -15 / 14.0, -75 / 14.0,
		 1 - (25 + 225 + 100) / 196.0 / 650},
		{"N signals", 7, 0, 0, 0, 1},
		{"N counters", 0, 1, 0, 0, 1},
		/* (1, 1), (2, 4), (3, 9): 4 n - 10/3, of which 1/3, -2/3, 1/3 are left. */
		{"naive, N x N", -10 / 3.0, 4, -2 / 3.0, -100 / 6.0, 1 - 6 / 9.0 / (98 / 3.0)},
	};
	for (size_t i = 0; i < 4; i++) {
		const json_t *row = json_array_get(slopes, i);
		const struct {
			const char *name;
			double value;
		} members[] = {{"base", rows[i].base},
			       {"slope", rows[i].slope},
			       {"residual", rows[i].residual},
			       {"percent", rows[i].percent},
			       {"explained", rows[i].explained}};

		assert_string_equal(json_string_value(json_object_get(row, "name")), rows[i].name);
		assert_int_equal(json_integer_value(json_object_get(row, "points")), 3);
		for (size_t k = 0; k < ARRAY_COUNT(members); k++)
			if (fabs(json_real_value(json_object_get(row, members[k].name)) -
				 members[k].value) > 1e-9)
				fail_msg("%s: %s is %g, not %g", rows[i].name, members[k].name,
					 json_real_value(json_object_get(row, members[k].name)),
					 members[k].value);
	}
	json_decref(result);
}

TEST(sizes_that_are_none_are_refused)
{
	static const char expected[] = "expected SERIES N ... luts=N, as tools/evaluate synthesis "
				       "writes it";
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{"# x\nranges 1\n", "line 2: E"},
		{"ranges 0 luts=3\n", "line 1: E"},
		{"ranges 4097 luts=3\n", "line 1: E"},
		{"ranges 1 luts=0\n", "line 1: E"},
		{"ranges 1 luts=x\n", "line 1: E"},
		{"ranges x luts=1\n", "line 1: E"},
		{"luts=1\n", "line 1: E"},
		{"", "the series ranges has 0 points: at least 3 are needed"},
		{"ranges 1 luts=1\nranges 2 luts=1\nranges 3 luts=1\nsignals 5 luts=1\nsignals 6 "
		 "luts=2\n",
		 "the series signals has 2 points: at least 3 are needed"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char wanted[256];
		struct err err = {.text = ""};

		snprintf(wanted, sizeof(wanted), "%.8s%s%s", rows[i].sentence,
			 rows[i].sentence[8] == 'E' ? expected : "",
			 rows[i].sentence[8] == 'E' ? "" : rows[i].sentence + 8);
		assert_null(read_synthesis(rows[i].text, &err));
		assert_string_equal(err.text, wanted);
	}
	/* What is read becomes part of the result. */
	struct err err = {.text = ""};
	json_t *synthesis = read_synthesis(FIGURE_LINES, &err), *result = measure(false, synthesis);
	assert_int_equal(json_array_size(json_object_get(result, "slopes")), 4);
	assert_int_equal(json_array_size(json_object_get(result, "machines")), 9);
	json_decref(result);
	json_decref(synthesis);
}

/* The machine is the user's: one of the paper's changes may not fit it. */
TEST(a_machine_that_cannot_be_varied_is_told)
{
	static const char *const rows[][2] = {
		{"core.kind=ooo", "l1d.write = live needs core.kind = inorder: "},
		{"l1i.ways=64", "l1i.size_bytes (1024) divided by l1i.ways (64) leaves 16 bytes "},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char name[] = "@first:test";
		struct program program = {.name = name};
		struct subject subject = {.programs = &program, .program_count = 1};
		const struct measurement_request request = {.subject = &subject};
		struct err err = {.text = ""};

		config_reset(&subject.machine.config);
		assert_true(config_set(&subject.machine.config, rows[i][0], &err));
		assert_null(hough2006_variations(&request, &err));
		assert_memory_equal(err.text, rows[i][1], strlen(rows[i][1]));
	}
}
