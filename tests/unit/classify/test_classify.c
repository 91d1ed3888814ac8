/* Events that are made up, on a machine that is made up: the classifier must find what each counts,
 * with and without noise, and that some count none of its categories. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "classify/claim.h"
#include "classify/classify.h"
#include "classify/expected.h"
#include "classify/slope.h"
#include "value/member.h"

#define L1   (UINT64_C(32) << 10)
#define L2   (UINT64_C(256) << 10)
#define TLB  64
#define PAGE 4096
#define LINE 64

static uint64_t state;

static double uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(state >> 33) / (double)(UINT64_C(1) << 31);
}

struct place {
	const char *kernel;
	uint64_t unit, value;
};

static double table(const struct place *place, const char *column)
{
	double value = 0;

	/* A chain of pages is a chain. */
	expected_find(strcmp(place->kernel, "page") == 0 ? "read" : place->kernel, column, &value);
	return value;
}

/* The loads of an iteration that miss in a cache of this size, and those in a TLB. */
static double misses(const struct place *place, uint64_t capacity)
{
	if (strcmp(place->kernel, "read") == 0)
		return place->value > capacity;
	if (strcmp(place->kernel, "page") == 0)
		return place->value / place->unit * LINE > capacity;
	if (strcmp(place->kernel, "pair") == 0)
		return place->value >= LINE ? 2 : 1;
	return 0;
}

static double tlb_misses(const struct place *place)
{
	if (strcmp(place->kernel, "page") == 0)
		return place->value > TLB * PAGE;
	if (strcmp(place->kernel, "read") == 0)
		return place->value > TLB * PAGE ? 1 - TLB * PAGE / (double)place->value : 0;
	if (strcmp(place->kernel, "pair") == 0)
		return place->value >= PAGE ? 2 : 1;
	return 0;
}

enum {
	RETIRED,
	EXECUTED,
	TAKEN,
	JUMPS,
	WRONG,
	LOADS,
	L1_HITS,
	L1_MISSES,
	L2_MISSES,
	TLB_MISSES,
	L1_TWICE,
	TLB_CYCLES,
	WRONG_ALL,
	INSTRUCTIONS,
	NOTHING,
	CONSTANT,
	MADE_UP
};

static const char *const verdicts[MADE_UP] = {
	"conditional branches, retired",
	"conditional branches, executed",
	"conditional branches taken, retired",
	"direct jumps, retired",
	"conditional branches mispredicted",
	"loads",
	"data cache reads, level 1, hits",
	"data cache reads, level 1, misses",
	"data cache reads, level 2, misses",
	"data TLB reads, level 1, misses",
	VERDICT_NONE,
	VERDICT_NONE,
	"branches mispredicted",
	VERDICT_NONE,
	VERDICT_ZERO,
	VERDICT_ZERO,
};

static enum { LEARNED, TAKEN_ALWAYS, TAKEN_NEVER } prediction;
/* No event counts what is executed, and L1_TWICE counts accesses to the second level, to which
 * every store goes. */
static bool is_other;

/* Conditional branches that the machine predicts wrongly. */
static double wrong_of(const struct place *place)
{
	switch (prediction) {
	case TAKEN_ALWAYS: return table(place, "cond") - table(place, "taken");
	case TAKEN_NEVER: return table(place, "taken");
	default: return table(place, "wrong");
	}
}

/* As many as TLB misses where each access has a page of its own, and where a TLB misses seldom or
 * nearly always; in between far more. */
static double tlb_cycles(const struct place *place)
{
	bool is_between = strcmp(place->kernel, "read") == 0 && place->value > TLB * PAGE &&
			  place->value < 16 * TLB * PAGE;

	return is_between ? 40 : tlb_misses(place);
}

static double count_of(int event, const struct place *place)
{
	double loads = table(place, "load");

	switch (event) {
	case RETIRED: return table(place, "cond");
	case EXECUTED: return is_other ? 0 : table(place, "cond") + 3.5 * wrong_of(place);
	case TAKEN: return table(place, "taken");
	case JUMPS: return table(place, "jump");
	case WRONG: return wrong_of(place);
	case WRONG_ALL: return wrong_of(place) + table(place, "wrongi");
	case TLB_CYCLES: return tlb_cycles(place);
	case LOADS: return loads;
	case L1_HITS: return loads - misses(place, L1);
	case L1_MISSES: return misses(place, L1);
	case L2_MISSES: return misses(place, L2);
	case TLB_MISSES: return tlb_misses(place);
	case L1_TWICE:
		return is_other ? misses(place, L1) + table(place, "store") : 2 * misses(place, L1);
	case INSTRUCTIONS: return 7 + 2 * loads;
	default: return 0;
	}
}

static void put_runs(FILE *out, const struct place *place, double noise, unsigned *runs)
{
	for (unsigned repeat = 0; repeat < 5; repeat++)
		for (unsigned step = 1; step <= 5; step++) {
			double iterations = 400 * step;

			fprintf(out, "run %s %llu %llu %.0f %u", place->kernel,
				(unsigned long long)place->unit, (unsigned long long)place->value,
				iterations, repeat);
			for (int event = 0; event < MADE_UP; event++) {
				double value = count_of(event, place) * iterations;

				value *= 1 + noise * (2 * uniform() - 1);
				value += noise * iterations * uniform();
				if (noise > 0 && uniform() < 0.01)
					value *= 1 + uniform();
				/* What starting and stopping costs. */
				fprintf(out, " %.0f", value + (event == NOTHING ? 0 : 57));
			}
			fputc('\n', out);
			++*runs;
		}
}

static char *make_readings(double noise)
{
	static const char *const kernels[] = {"branch_random",
					      "branch_random_work",
					      "branch_a",
					      "branch_b",
					      "branch_c",
					      "branch_d",
					      "branch_e",
					      "branch_f",
					      "branch_g",
					      "branch_indirect",
					      "branch_indirect_random",
					      "branch_call",
					      "branch_call_indirect",
					      "load",
					      "store",
					      "multiply",
					      "divide",
					      "fp_add",
					      "fp_multiply",
					      "fp_divide"};
	unsigned runs = 0;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	fputs("cyclestack-readings 1\nrefused 4:999 2\nevents", out);
	for (int event = 0; event < MADE_UP; event++)
		fprintf(out, " 4:%d", 700 - event);
	fputc('\n', out);
	for (size_t i = 0; i < ARRAY_COUNT(kernels); i++)
		put_runs(out, &(struct place){kernels[i], 0, 0}, noise, &runs);
	for (uint64_t distance = 8; distance <= 65536; distance *= 2)
		put_runs(out, &(struct place){"pair", 0, distance}, noise, &runs);
	for (uint64_t size = 1024; size <= 4 << 20; size *= 2)
		put_runs(out, &(struct place){"read", LINE, size}, noise, &runs);
	for (uint64_t pages = 4; pages <= 1024; pages *= 2)
		put_runs(out, &(struct place){"page", PAGE, pages * PAGE}, noise, &runs);
	fprintf(out, "end %u\n", runs);
	fclose(out);
	return text;
}

static json_t *classify_noisy(double noise)
{
	struct err err = {.text = ""};
	char *text = make_readings(noise);
	json_t *result = classify_text(text, &err);

	if (!result)
		fail_msg("%s", err.text);
	free(text);
	return result;
}

/* The event that was made up as number `event`; its code is 700 - event. */
static const json_t *event_of(const json_t *result, int event)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(result, "events"), i, row)
	{
		if (member_whole(row, "code") == 700 - event)
			return row;
	}
	fail_msg("event %d is missing", event);
	return NULL;
}

static bool has(const json_t *event, const char *category)
{
	const json_t *other;
	size_t i;

	if (strcmp(member_text(event, "verdict"), category) == 0)
		return true;
	json_array_foreach(json_object_get(event, "also"), i, other)
	{
		if (strcmp(json_string_value(other), category) == 0)
			return true;
	}
	return false;
}

static void check_verdicts(double noise)
{
	json_t *result = classify_noisy(noise);

	for (int event = 0; event < MADE_UP; event++) {
		const json_t *row = event_of(result, event);

		if (noise > 0 && (event == NOTHING || event == CONSTANT))
			continue; /* noise in proportion to the iterations is something */
		if (!has(row, verdicts[event]))
			fail_msg("event %d with noise %g: %s, expected %s", event, noise,
				 member_text(row, "verdict"), verdicts[event]);
	}
	assert_string_equal(
		member_text(json_array_get(json_object_get(result, "events"), 0), "verdict"),
		VERDICT_REFUSED);
	json_decref(result);
}

TEST(every_event_is_in_its_category)
{
	check_verdicts(0);
}

TEST(noise_changes_no_verdict)
{
	for (state = 1; state < 6; state++)
		check_verdicts(0.02);
}

TEST(branches_may_be_predicted_without_learning)
{
	for (prediction = TAKEN_ALWAYS; prediction <= TAKEN_NEVER; prediction++) {
		json_t *result = classify_noisy(0);

		assert_true(has(event_of(result, WRONG), verdicts[WRONG]));
		assert_true(has(event_of(result, WRONG_ALL), verdicts[WRONG_ALL]));
		assert_true(has(event_of(result, TAKEN), verdicts[TAKEN]));
		json_decref(result);
	}
	prediction = LEARNED;
}

TEST(sizes_are_found)
{
	json_t *result = classify_noisy(0);
	const json_t *machine = json_object_get(result, "machine");

	assert_int_equal(member_whole(machine, "line_bytes"), LINE);
	assert_int_equal(member_whole(machine, "page_bytes"), PAGE);
	const json_t *caches = json_object_get(machine, "data_bytes");
	assert_int_equal(json_array_size(caches), 2);
	assert_int_equal(json_integer_value(json_array_get(caches, 0)), L1);
	assert_int_equal(json_integer_value(json_array_get(caches, 1)), L2);
	const json_t *tlbs = json_object_get(machine, "data_pages");
	assert_int_equal(json_array_size(tlbs), 1);
	assert_int_equal(json_integer_value(json_array_get(tlbs, 0)), TLB);
	json_decref(result);
}

TEST(same_readings_same_bytes)
{
	json_t *a = classify_noisy(0), *b = classify_noisy(0);
	char *x = json_dumps(a, 0), *y = json_dumps(b, 0);

	assert_string_equal(x, y);
	free(x);
	free(y);
	json_decref(a);
	json_decref(b);
}

TEST(a_line_is_fitted_exactly)
{
	const double x[] = {1, 2, 3, 4}, y[] = {5, 7, 9, 11}, flat[] = {3, 3, 3, 3};
	struct slope slope = slope_fit(x, y, 4);

	assert_true(slope.slope == 2 && slope.r2 == 1);
	slope = slope_fit(x, flat, 4);
	assert_true(slope.slope == 0 && slope.r2 == 0);
	slope = slope_fit(flat, x, 4);
	assert_true(slope.slope == 0 && slope.r2 == 0);
	assert_true(slope_goodness(2, 2) == 1);
	assert_true(fabs(slope_goodness(2.5, 2) - exp(-0.5)) < 1e-15);
}

TEST(wrong_readings_are_refused_with_their_line)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{"", "line 1"},
		{"readings\n", "line 1"},
		{"cyclestack-readings 1\n", "line 2"},
		{"cyclestack-readings 1\nevents 4:1 4:1\nend 0\n", "occurs twice"},
		{"cyclestack-readings 1\nevents 4:1\nrun a 0 0 1 0 1 2\nend 1\n", "line 3"},
		{"cyclestack-readings 1\nevents 4:1\nrun a 0 0 1 0\nend 1\n", "line 3"},
		{"cyclestack-readings 1\nevents 4:1\nrun A 0 0 1 0 1\nend 1\n", "line 3"},
		{"cyclestack-readings 1\nevents 4:1\nrun a 0 0 1 0 -1\nend 1\n", "line 3"},
		{"cyclestack-readings 1\nevents 4:99999999999999999999\nend 0\n", "line 2"},
		{"cyclestack-readings 1\nevents 4:1\nrun a 0 0 1 0 1\nend 2\n", "end 1"},
		{"cyclestack-readings 1\nevents 4:1\nend 0", "cut off"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct err err = {.text = ""};

		assert_null(classify_text(rows[i].text, &err));
		if (!strstr(err.text, rows[i].sentence))
			fail_msg("row %zu: %s", i, err.text);
	}
}

/* A collector has a few hundred kernels with parameters; a file may have more. */
TEST(too_many_points_are_refused)
{
	struct err err = {.text = ""};
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	fputs("cyclestack-readings 1\nevents 4:1\n", out);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "run codeline 8 %d 100 0 100\n", i);
	fputs("end 1000\n", out);
	fclose(out);
	assert_null(classify_text(text, &err));
	assert_non_null(strstr(err.text, "1000 kernels"));
	free(text);
}

TEST(names_claim_categories)
{
	json_t *event = json_pack("{s:s, s:[s]}", "verdict", "loads", "also",
				  "data cache reads, level 1, accesses");

	assert_string_equal(claim_of("branches.conditional"), "conditional branches, retired");
	assert_null(claim_of("rob.used"));
	assert_true(claim_holds(event, "l1d.loads", false));
	assert_true(claim_holds(event, "committed.load", false));
	assert_false(claim_holds(event, "l1d.loads.misses", false));
	assert_false(claim_holds(event, "squashed.load", false));
	json_decref(event);
	/* What is dispatched retires, if nothing is dispatched before a branch is resolved. */
	event = json_pack("{s:s, s:[]}", "verdict", "conditional branches, retired", "also");
	assert_true(claim_holds(event, "dispatched.conditional", true));
	assert_false(claim_holds(event, "dispatched.conditional", false));
	assert_false(claim_holds(event, "fetched.conditional", true));
	json_decref(event);
}

/* What is said of an event, whole: the verdict, what coincides with it, the score and by how much
 * it leads. */
static void check_event(const json_t *result, int event, const char *expected)
{
	const json_t *row = event_of(result, event), *other;
	char text[1024];
	size_t i;

	snprintf(text, sizeof(text), "%s", member_text(row, "verdict"));
	json_array_foreach(json_object_get(row, "also"), i, other)
	{
		sprintf(text + strlen(text), " = %s", json_string_value(other));
	}
	sprintf(text + strlen(text), ": %g, %g",
		json_number_value(json_object_get(row, "confidence")),
		json_number_value(json_object_get(row, "margin")));
	assert_string_equal(text, expected);
	assert_int_equal(member_whole(row, "type"), 4);
}

TEST(what_coincides_is_told)
{
	/* Loads and misses of loads alone: there is no kernel in which stores miss. Of 4 MB the TLB
	 * reaches a sixteenth: exp(-2 / 256) is 0.992218. */
	static const char *const said[MADE_UP] = {
		"conditional branches, retired: 1, 1",
		"conditional branches, executed: 1, 1",
		"conditional branches taken, retired: 1, 1",
		"direct jumps, retired: 1, 1",
		"conditional branches mispredicted: 1, 1",
		"loads = data cache reads, level 1, accesses = data TLB reads, level 1, accesses: 1, 1",
		"data cache reads, level 1, hits: 1, 1",
		("data cache reads, level 1, misses = data cache reads, level 2, accesses = data "
		 "cache accesses, level 1, misses = data cache accesses, level 2, accesses: 1, 1"),
		"data cache reads, level 2, misses = data cache accesses, level 2, misses: 1, 1",
		"data TLB reads, level 1, misses = data TLB accesses, level 1, misses: 0.992218, 0.992218",
		"none of these: 0, 0",
		"none of these: 0, 0",
		"branches mispredicted: 1, 1",
		"none of these: 0, 0",
		"nothing: 1, 1",
		"nothing: 1, 1",
	};
	json_t *result = classify_noisy(0);

	for (int event = 0; event < MADE_UP; event++)
		check_event(result, event, said[event]);
	char *machine = json_dumps(json_object_get(result, "machine"), JSON_COMPACT);
	assert_string_equal(machine,
			    "{\"line_bytes\":64,\"page_bytes\":4096,\"data_bytes\":[32768,262144],"
			    "\"instruction_bytes\":[],\"data_pages\":[64],\"instruction_pages\":[],"
			    "\"tells_executed\":true}");
	free(machine);
	/* A slope for each of 20 kernels, 14 pairs, 13 sizes and 9 numbers of pages. */
	const json_t *slopes = json_object_get(event_of(result, LOADS), "slopes");
	assert_int_equal(json_object_size(slopes), 20 + 14 + 13 + 9);
	assert_true(json_number_value(json_object_get(slopes, "load")) == 4);
	assert_true(json_number_value(json_object_get(slopes, "pair:8")) == 2);
	assert_true(json_number_value(json_object_get(slopes, "read:64:1024")) == 1);
	assert_true(json_number_value(json_object_get(slopes, "page:4096:16384")) == 1);
	/* Half of a capacity, the middle of two by their ratio (90509 bytes), the largest. */
	char *plateaus =
		json_dumps(json_object_get(event_of(result, TLB_MISSES), "plateaus"), JSON_COMPACT);
	assert_string_equal(
		plateaus,
		"{\"read:64:16384\":0.0,\"read:64:131072\":0.0,\"read:64:4194304\":0.9375,"
		"\"page:4096:131072\":0.0,\"page:4096:4194304\":1.0}");
	free(plateaus);
	/* Nothing is known of an event that was refused. */
	const json_t *refused = json_array_get(json_object_get(result, "events"), 0);
	assert_int_equal(member_whole(refused, "code"), 999);
	assert_int_equal(json_object_size(json_object_get(refused, "slopes")), 0);
	assert_int_equal(json_object_size(json_object_get(refused, "plateaus")), 0);
	assert_int_equal(json_array_size(json_object_get(refused, "also")), 0);
	assert_true(json_number_value(json_object_get(refused, "confidence")) == 0);
	json_decref(result);
}

TEST(without_wrong_paths_what_executes_coincides)
{
	is_other = true;
	json_t *result = classify_noisy(0);
	is_other = false;
	check_event(result, RETIRED,
		    "conditional branches, retired = conditional branches, executed: 1, 1");
	check_event(result, EXECUTED, "nothing: 1, 1");
	check_event(
		result, TAKEN,
		"conditional branches taken, retired = conditional branches taken, executed: 1, 1");
	check_event(result, JUMPS, "direct jumps, retired = direct jumps, executed: 1, 1");
	check_event(result, WRONG, "conditional branches mispredicted: 1, 1");
	check_event(
		result, LOADS,
		"loads = loads, executed = data cache reads, level 1, accesses = data TLB reads, "
		"level 1, accesses: 1, 1");
	/* Stores go to the second level, so that its accesses are no longer the misses of the
	 * first. */
	check_event(
		result, L1_MISSES,
		"data cache reads, level 1, misses = data cache reads, level 2, accesses = data cache "
		"accesses, level 1, misses: 1, 1");
	check_event(result, L1_TWICE, "data cache accesses, level 2, accesses: 1, 1");
	assert_false(json_is_true(
		json_object_get(json_object_get(result, "machine"), "tells_executed")));
	json_decref(result);
}
