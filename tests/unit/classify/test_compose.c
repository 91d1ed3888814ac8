/* Sums of made-up events on made-up machines, whose codes are permuted: what can be expressed is
 * found and what cannot is refused, as elimination of exact counts says. */
#include "../test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "classify/compose.h"
#include "classify/expected.h"
#include "classify/metric.h"
#include "classify/spelling.h"
#include "value/member.h"

#define LINE	   64
#define ROWS_MOST  64
#define SIZE_LEAST 1024
#define SIZE_MOST  (1 << 20)

/* What an event may count. All but the last two are columns of kernels/expected.txt. */
static const char *const things[] = {
	"cond",	 "taken",  "jump",	  "call",      "icall", "indirect",  "return",	  "load",
	"store", "fp_add", "fp_multiply", "fp_divide", "wrong", "read miss", "write miss"};
#define THINGS		 ARRAY_COUNT(things)
#define THING_READ_MISS	 (THINGS - 2)
#define THING_WRITE_MISS (THINGS - 1)

static const struct made_up {
	double counts[THINGS];
	double always;	/* an iteration, whatever the kernel */
	double differs; /* from run to run, as a part */
	bool is_honest; /* counts what the kernels do */
	bool is_odd;	/* counts one more in a buffer of which metrics say only bounds */
} made_up[] = {
	{{[0] = 1}, 0, 0, true, false},
	{{[1] = 1}, 0, 0, true, false},
	{{[0] = 1, [1] = -1}, 0, 0, true, false},
	{{[2] = 1, [3] = 1}, 0, 0, true, false},
	{{[3] = 1}, 0, 0, true, false},
	{{[4] = 1, [5] = 1}, 0, 0, true, false},
	{{[5] = 1}, 0, 0, true, false},
	{{[6] = 1}, 0, 0, true, false},
	{{[7] = 1}, 0, 0, true, false},
	{{[8] = 1}, 0, 0, true, false},
	{{[7] = 1, [8] = 1}, 0, 0, true, false},
	{{[9] = 1}, 0, 0, true, false},
	{{[9] = 1, [10] = 2}, 0, 0, true, false},
	{{[11] = 1}, 0, 0, true, false},
	{{[12] = 1}, 0, 0, true, false},
	{{[THING_READ_MISS] = 1}, 0, 0, true, false},
	{{[7] = 1, [THING_READ_MISS] = -1}, 0, 0, true, false},
	{{[THING_WRITE_MISS] = 1}, 0, 0, true, false},
	/* Always there, so that the cache is found. */
	{{[THING_READ_MISS] = 1, [THING_WRITE_MISS] = 1}, 0, 0, true, false},
	/* Never in a sum: wrong paths, all instructions, one that does not repeat, one that is odd.
	 */
	{{[0] = 1, [12] = 3.5}, 0, 0, false, false},
	{{[7] = 2, [8] = 1}, 7, 0, false, false},
	{{[10] = 1}, 0, 0.8, false, false},
	{{[THING_READ_MISS] = 1}, 0, 0, false, true},
};
#define MADE_UP	    ARRAY_COUNT(made_up)
#define PREDICTION  14 /* without it the machine may seem not to predict */
#define ALWAYS_FROM 18

struct machine {
	uint64_t l1, state;
	double noise;
	bool has[MADE_UP];
	unsigned code[MADE_UP];
};

static double uniform(struct machine *machine)
{
	machine->state = machine->state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(machine->state >> 33) / (double)(UINT64_C(1) << 31);
}

struct place {
	const char *kernel;
	uint64_t unit, value;
};

static double thing_at(const struct machine *machine, const struct place *place, size_t thing)
{
	double value = 0;

	if (thing == THING_READ_MISS && strcmp(place->kernel, "pair") == 0)
		return place->value >= LINE ? 2 : 1;
	if (thing == THING_READ_MISS)
		return strcmp(place->kernel, "read") == 0 && place->value > machine->l1;
	if (thing == THING_WRITE_MISS)
		return strcmp(place->kernel, "write") == 0 && place->value > machine->l1;
	assert_true(expected_find(place->kernel, things[thing], &value));
	return value;
}

static double count_at(const struct machine *machine, const struct place *place, size_t event)
{
	bool is_there = strcmp(place->kernel, "read") == 0 && place->value == SIZE_MOST / 2;
	double sum = made_up[event].always + (made_up[event].is_odd && is_there);

	for (size_t t = 0; t < THINGS; t++)
		sum += made_up[event].counts[t] * thing_at(machine, place, t);
	return sum;
}

static size_t make_places(struct place *places)
{
	static const char *const kernels[] = {"branch_random", "branch_a",  "branch_b",
					      "branch_c",      "branch_d",  "branch_e",
					      "branch_f",      "branch_g",  "branch_indirect",
					      "branch_call",   "load",	    "store",
					      "multiply",      "divide",    "fp_add",
					      "fp_multiply",   "fp_divide", "branch_call_indirect"};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(kernels); i++)
		places[count++] = (struct place){kernels[i], 0, 0};
	for (uint64_t distance = 8; distance <= 65536; distance *= 2)
		places[count++] = (struct place){"pair", 0, distance};
	for (uint64_t size = SIZE_LEAST; size <= SIZE_MOST; size *= 2)
		places[count++] = (struct place){"read", LINE, size};
	for (uint64_t size = SIZE_LEAST; size <= SIZE_MOST; size *= 2)
		places[count++] = (struct place){"write", LINE, size};
	return count;
}

static void put_runs(FILE *out, struct machine *machine, const struct place *place)
{
	for (unsigned run = 0; run < 15; run++) {
		double iterations = 400 * (run % 3 + 1);

		fprintf(out, "run %s %llu %llu %.0f %u", place->kernel,
			(unsigned long long)place->unit, (unsigned long long)place->value,
			iterations, run / 3);
		for (size_t e = 0; e < MADE_UP; e++) {
			double part = made_up[e].differs + machine->noise;
			double value = count_at(machine, place, e) * iterations *
				       (1 + part * (2 * uniform(machine) - 1));

			value += machine->noise * iterations * uniform(machine);
			if (machine->has[e])
				fprintf(out, " %.0f", value + 57);
		}
		fputc('\n', out);
	}
}

static char *make_readings(struct machine *machine)
{
	struct place places[ROWS_MOST];
	size_t count = make_places(places), bytes = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);

	fputs("cyclestack-readings 1\nevents", out);
	for (size_t e = 0; e < MADE_UP; e++)
		if (machine->has[e])
			fprintf(out, " 4:%u", machine->code[e]);
	fputc('\n', out);
	for (size_t i = 0; i < count; i++)
		put_runs(out, machine, &places[i]);
	fprintf(out, "end %zu\n", 15 * count);
	fclose(out);
	return text;
}

static struct machine make_machine(uint64_t seed)
{
	struct machine machine = {.state = seed, .noise = seed % 2 ? 0.01 : 0};

	for (int i = 0; i < 8; i++)
		uniform(&machine);
	machine.l1 = UINT64_C(4096) << (unsigned)(uniform(&machine) * 4);
	for (size_t e = 0; e < MADE_UP; e++) {
		machine.has[e] = e >= ALWAYS_FROM || e == PREDICTION || uniform(&machine) < 0.6;
		machine.code[e] = (unsigned)e;
	}
	for (size_t e = MADE_UP; e-- > 1;) {
		size_t other = (size_t)(uniform(&machine) * (double)(e + 1));
		unsigned code = machine.code[e];

		machine.code[e] = machine.code[other];
		machine.code[other] = code;
	}
	return machine;
}

/* What metrics are, as things. */
static const struct {
	const char *name;
	double counts[THINGS];
} metrics[] = {
	{"branches", {[0] = 1, [2] = 1, [3] = 1, [4] = 1, [5] = 1, [6] = 1}},
	{"branches.conditional", {[0] = 1}},
	{"branches.conditional.taken", {[1] = 1}},
	{"branches.conditional.not_taken", {[0] = 1, [1] = -1}},
	{"branches.unconditional", {[2] = 1, [3] = 1, [4] = 1, [5] = 1, [6] = 1}},
	{"branches.conditional.mispredicted", {[12] = 1}},
	{"branches.conditional.predicted", {[0] = 1, [12] = -1}},
	{"loads", {[7] = 1}},
	{"stores", {[8] = 1}},
	{"loads_stores", {[7] = 1, [8] = 1}},
	{"flops.double", {[9] = 1, [10] = 1, [11] = 1}},
	{"fp.additions", {[9] = 1}},
	{"fp.multiplications", {[10] = 1}},
	{"fp.divisions", {[11] = 1}},
	{"l1d.hits", {[7] = 1, [8] = 1, [THING_READ_MISS] = -1, [THING_WRITE_MISS] = -1}},
	{"l1d.misses", {[THING_READ_MISS] = 1, [THING_WRITE_MISS] = 1}},
	{"l1d.read_misses", {[THING_READ_MISS] = 1}},
	{"l1d.write_misses", {[THING_WRITE_MISS] = 1}},
};

/* The rank of the rows by elimination, which changes them. */
static size_t rank_of(long double rows[][ROWS_MOST], size_t count, size_t width)
{
	size_t rank = 0;

	for (size_t column = 0; column < width && rank < count; column++) {
		size_t pivot = rank;

		for (size_t i = rank; i < count; i++)
			if (fabsl(rows[i][column]) > fabsl(rows[pivot][column]))
				pivot = i;
		if (fabsl(rows[pivot][column]) < 1e-9L)
			continue;
		for (size_t k = 0; k < width; k++) {
			long double other = rows[pivot][k];

			rows[pivot][k] = rows[rank][k];
			rows[rank][k] = other;
		}
		for (size_t i = rank + 1; i < count; i++) {
			long double factor = rows[i][column] / rows[rank][column];

			for (size_t k = column; k < width; k++)
				rows[i][k] -= factor * rows[rank][k];
		}
		rank++;
	}
	return rank;
}

/* Whether the metric is a combination of the honest events that the machine has. */
static bool can_be_expressed(const struct machine *machine, size_t metric)
{
	static long double rows[MADE_UP + 1][ROWS_MOST];
	struct place places[ROWS_MOST];
	size_t width = make_places(places), count = 0, without;

	for (size_t e = 0; e < MADE_UP; e++) {
		for (size_t k = 0; k < width; k++)
			rows[count][k] = count_at(machine, &places[k], e);
		count += machine->has[e] && made_up[e].is_honest;
	}
	without = rank_of(rows, count, width);
	count = 0;
	for (size_t e = 0; e < MADE_UP; e++) {
		for (size_t k = 0; k < width; k++)
			rows[count][k] = count_at(machine, &places[k], e);
		count += machine->has[e] && made_up[e].is_honest;
	}
	for (size_t k = 0; k < width; k++) {
		rows[count][k] = 0;
		for (size_t t = 0; t < THINGS; t++)
			rows[count][k] +=
				metrics[metric].counts[t] * thing_at(machine, &places[k], t);
	}
	return rank_of(rows, count + 1, width) == without;
}

static size_t event_of_code(const struct machine *machine, long long code)
{
	for (size_t e = 0; e < MADE_UP; e++)
		if (machine->code[e] == code)
			return e;
	fail_msg("there is no event %lld", code);
	return 0;
}

/* On every kernel the exact counts of the events are the metric, and no dishonest one is there. */
static void check_terms(const struct machine *machine, size_t metric, const json_t *answer)
{
	struct place places[ROWS_MOST];
	size_t count = make_places(places), i;
	const json_t *term;

	for (size_t k = 0; k < count; k++) {
		double left = 0;

		for (size_t t = 0; t < THINGS; t++)
			left += metrics[metric].counts[t] * thing_at(machine, &places[k], t);
		json_array_foreach(json_object_get(answer, "terms"), i, term)
		{
			size_t event = event_of_code(machine, member_whole(term, "code"));

			assert_true(made_up[event].is_honest);
			left -= member_number(term, "factor") *
				count_at(machine, &places[k], event);
		}
		if (fabs(left) > 1e-9)
			fail_msg("%s: the exact counts are off by %g on %s:%d",
				 metrics[metric].name, left, places[k].kernel,
				 (int)places[k].value);
	}
}

static json_t *compose(const char *text, const char *word, const struct compose_event *allowed,
		       size_t count)
{
	struct err err = {.text = ""};
	json_t *list = compose_text(text, word, allowed, count, &err);

	if (!list)
		fail_msg("%s: %s", word, err.text);
	return list;
}

static const json_t *answer_of(const json_t *list, const char *name)
{
	const json_t *answer;
	size_t i;

	json_array_foreach(list, i, answer)
	{
		if (strcmp(member_text(answer, "name"), name) == 0)
			return answer;
	}
	fail_msg("%s has no answer", name);
	return NULL;
}

static bool is_composed(const json_t *answer)
{
	return json_is_true(json_object_get(answer, "composed"));
}

TEST(what_can_be_expressed_is_found_and_what_cannot_is_refused)
{
	size_t found = 0, refused = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct machine machine = make_machine(seed);
		char *text = make_readings(&machine);
		json_t *list = compose(text, COMPOSE_ALL, NULL, 0);

		for (size_t m = 0; m < ARRAY_COUNT(metrics); m++) {
			const json_t *answer = answer_of(list, metrics[m].name);

			if (is_composed(answer) != can_be_expressed(&machine, m))
				fail_msg("machine %d, %s: %s", (int)seed, metrics[m].name,
					 is_composed(answer) ? "composed"
							     : member_text(answer, "reason"));
			if (is_composed(answer))
				check_terms(&machine, m, answer);
			else
				assert_true(json_array_size(json_object_get(answer, "worst")) > 0);
			found += is_composed(answer);
			refused += !is_composed(answer);
		}
		assert_false(is_composed(answer_of(list, "l2d.misses")));
		assert_true(strstr(member_text(answer_of(list, "l2d.misses"), "reason"),
				   "no event shows that the machine has this") != NULL);
		json_decref(list);
		free(text);
	}
	assert_true(found > 60 && refused > 30);
}

/* A machine with all events, without noise, whose codes are the places of events. */
static char *all_events(void)
{
	struct machine machine = {.l1 = 8192, .state = 1};

	for (size_t e = 0; e < MADE_UP; e++) {
		machine.has[e] = true;
		machine.code[e] = (unsigned)e;
	}
	return make_readings(&machine);
}

/* "1 * 8 + -1 * 15", by their codes, those that are subtracted last. */
static void put_terms(char *text, size_t bytes, const json_t *answer)
{
	const json_t *terms = json_object_get(answer, "terms");
	size_t at = 0;

	*text = 0;
	for (size_t turn = 0; turn < 2 * MADE_UP; turn++)
		for (size_t i = 0; i < json_array_size(terms); i++) {
			const json_t *term = json_array_get(terms, i);
			double factor = member_number(term, "factor");
			size_t code = (size_t)member_whole(term, "code");

			if (turn == code + (factor < 0 ? MADE_UP : 0))
				at += (size_t)snprintf(text + at, bytes - at, "%s%g * %zu",
						       at ? " + " : "", factor, code);
		}
}

static void expect_sum(const char *text, const char *word, const struct compose_event *allowed,
		       size_t count, const char *expected)
{
	json_t *list = compose(text, word, allowed, count);
	char found[256];

	put_terms(found, sizeof(found), json_array_get(list, 0));
	assert_string_equal(found, expected);
	assert_int_equal(is_composed(json_array_get(list, 0)), *expected != 0);
	json_decref(list);
}

TEST(one_event_is_preferred_to_more)
{
	char *text = all_events();

	expect_sum(text, "branches.conditional.not_taken", NULL, 0, "1 * 2");
	expect_sum(text, "loads_stores", NULL, 0, "1 * 10");
	/* The miss of a load is not an event, of which there is also a sum of two. */
	expect_sum(text, "l1d.misses", NULL, 0, "1 * 18");
	free(text);
}

TEST(small_sums_are_preferred)
{
	static const struct compose_event branches[] = {{4, 3}, {4, 4}, {4, 5}, {4, 6}, {4, 7}};
	static const struct compose_event misses[] = {{4, 8}, {4, 9}, {4, 15}, {4, 17}, {4, 18}};
	char *text = all_events();

	/* Without returns it would be 1 * 3 + 1 * 4 + 2 * 5 - 1 * 6. */
	expect_sum(text, "branches.unconditional", branches, 5, "1 * 3 + 1 * 5 + 1 * 7");
	expect_sum(text, "branches.unconditional", branches, 4, "1 * 3 + 1 * 4 + 2 * 5 + -1 * 6");
	expect_sum(text, "l1d.hits", misses, 4, "1 * 8 + 1 * 9 + -1 * 15 + -1 * 17");
	expect_sum(text, "l1d.hits", misses, 5, "1 * 8 + 1 * 9 + -1 * 18");
	free(text);
}

TEST(a_sum_beyond_what_a_metric_can_be_is_refused)
{
	static const struct compose_event odd[] = {{4, 22}};
	char *text = all_events();
	json_t *list = compose(text, "l1d.read_misses", odd, 1);

	assert_true(strstr(member_text(json_array_get(list, 0), "reason"), "bounds") != NULL);
	json_decref(list);
	free(text);
}

TEST(only_what_is_allowed_is_in_a_sum)
{
	static const struct compose_event few[] = {{4, 0},  {4, 1},  {4, 8},
						   {4, 16}, {4, 12}, {4, 11}};
	char *text = all_events();

	expect_sum(text, "branches.conditional.not_taken", few, 2, "1 * 0 + -1 * 1");
	expect_sum(text, "loads_stores", few, 2, "");
	expect_sum(text, "l1d.read_misses", few, 4, "1 * 8 + -1 * 16");
	expect_sum(text, "fp.multiplications", few, 6, "0.5 * 12 + -0.5 * 11");
	free(text);
}

TEST(names_of_events_and_sums_are_metrics_too)
{
	char *text = all_events();

	expect_sum(text, "l1d.loads.misses", NULL, 0, "1 * 15");
	expect_sum(text, "2 * loads - floating-point divisions", NULL, 0, "2 * 8 + -1 * 13");
	free(text);
}

TEST(a_refusal_names_the_kernels)
{
	static const struct compose_event load[] = {{4, 8}};
	char *text = all_events();
	json_t *list = compose(text, "loads_stores", load, 1);
	const json_t *answer = json_array_get(list, 0);
	const json_t *worst = json_array_get(json_object_get(answer, "worst"), 0);

	assert_false(is_composed(answer));
	assert_string_equal(member_text(worst, "kernel"), "store");
	assert_float_equal(member_number(worst, "expected"), 4, 1e-9);
	assert_float_equal(member_number(worst, "found"), 0, 1e-9);
	assert_null(json_object_get(answer, "perf"));
	json_decref(list);
	free(text);
}

TEST(the_same_text_gives_the_same_bytes)
{
	char *text = all_events();
	json_t *a = compose(text, COMPOSE_ALL, NULL, 0), *b = compose(text, COMPOSE_ALL, NULL, 0);
	char *x = json_dumps(a, 0), *y = json_dumps(b, 0);

	assert_string_equal(x, y);
	free(x);
	free(y);
	json_decref(a);
	json_decref(b);
	free(text);
}

TEST(what_is_no_metric_gets_a_sentence)
{
	static const struct {
		const char *word, *says;
	} rows[] = {
		{"", "is no metric"},
		{"laods", "did you mean loads?"},
		{"loads + ", "\"\" is no metric"},
		{"loads + stors", "did you mean stores?"},
		{"0 * loads", "from 1 to 1000"},
		{"99999999999999999999 * loads", "from 1 to 1000"},
		{"2loads", "N * CATEGORY"},
		{"loads\n", "printable"},
		{"loads\xff", "printable"},
		{"fetched.conditional", "wrong paths among them"},
		{"loads + loads + loads + loads + loads + loads + loads + loads + loads",
		 "at most 8 terms"},
	};
	char long_word[4096];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct err err = {.text = ""};
		struct metric metric;

		assert_false(metric_find(&metric, rows[i].word, &err));
		if (!strstr(err.text, rows[i].says))
			fail_msg("%s: %s", rows[i].word, err.text);
	}
	memset(long_word, 'x', sizeof(long_word) - 1);
	long_word[sizeof(long_word) - 1] = 0;
	struct err err = {.text = ""};
	struct metric metric;
	assert_false(metric_find(&metric, long_word, &err));
	assert_null(compose_text("no readings", "loads", NULL, 0, &err));
	assert_true(strstr(err.text, "readings") != NULL);
}

static void expect_spelling(const char *terms, const char *perf, const char *papi)
{
	json_t *metric = json_pack("{s:s, s:s, s:s, s:o}", "name", "x.y", "preset", "PAPI_X",
				   "meaning", "things", "terms", json_loads(terms, 0, NULL));
	char *entry = perf ? mem_format("{\"MetricName\": \"x_y\", \"MetricExpr\": \"%s\", "
					"\"BriefDescription\": \"things\"}",
					perf)
			   : NULL;
	char *line = papi ? mem_format("PRESET,PAPI_X,%s,LDESC,\"things\"", papi) : NULL;

	spelling_add(metric);
	assert_string_equal(member_text(metric, "perf"), entry ? entry : "");
	assert_string_equal(member_text(metric, "papi"), line ? line : "");
	free(entry);
	free(line);
	json_decref(metric);
}

#define RAW(code, factor) \
	"{\"type\": 4, \"code\": " #code ", \"name\": null, \"factor\": " #factor "}"
#define OF(type, name, factor) \
	"{\"type\": " #type ", \"code\": 1, \"name\": \"" name "\", \"factor\": " #factor "}"

TEST(sums_are_written_as_perf_and_papi_read_them)
{
	expect_spelling("[" RAW(258, 1) "]", "cpu@config\\\\=0x102@", "NOT_DERIVED,perf_raw::r102");
	expect_spelling("[" RAW(1, 1) "," RAW(2, 1) "]",
			"cpu@config\\\\=0x1@ + cpu@config\\\\=0x2@",
			"DERIVED_ADD,perf_raw::r1,perf_raw::r2");
	expect_spelling("[" RAW(1, 1) "," RAW(2, -1) "]",
			"cpu@config\\\\=0x1@ - cpu@config\\\\=0x2@",
			"DERIVED_SUB,perf_raw::r1,perf_raw::r2");
	expect_spelling(
		"[" RAW(1, 2) "," RAW(2, 1) "," RAW(3, -4) "]",
		"2 * cpu@config\\\\=0x1@ + cpu@config\\\\=0x2@ - 4 * cpu@config\\\\=0x3@",
		"DERIVED_POSTFIX,N0|2|*|N1|+|N2|4|*|-|,perf_raw::r1,perf_raw::r2,perf_raw::r3");
	expect_spelling("[" RAW(1, -1) "]", "0 - cpu@config\\\\=0x1@",
			"DERIVED_POSTFIX,0|N0|-|,perf_raw::r1");
	expect_spelling("[" RAW(1, 0.5) "]", "0.5 * cpu@config\\\\=0x1@", NULL);
	expect_spelling("[" OF(0, "branch-misses", 1) "]", "branch\\\\-misses",
			"NOT_DERIVED,perf::BRANCH-MISSES");
	expect_spelling("[" OF(4, "skx::MEM:LOADS", 1) "]", "cpu@config\\\\=0x1@",
			"NOT_DERIVED,skx::MEM:LOADS");
	/* No number says which unit this is, and a name with a comma is no name. */
	expect_spelling("[" OF(31, "uncore", 1) "]", NULL, NULL);
	expect_spelling("[" OF(0, "a,b", 1) "]", NULL, NULL);
}

#ifdef __SANITIZE_ADDRESS__
/* Strict checks of strings measure the rest of a long text at every number that is read from it,
 * which takes many minutes here: the test starts itself again without them. */
static void leave_strict_strings(char **argv)
{
	const char *options = getenv("ASAN_OPTIONS");

	if (!options || !strstr(options, "strict_string_checks=1"))
		return;
	setenv("ASAN_OPTIONS", "detect_leaks=1:abort_on_error=1", 1);
	execv("/proc/self/exe", argv);
	fail_msg("the test cannot be started again");
}
#endif

int main(int argc, char **argv)
{
	(void)argc;
#ifdef __SANITIZE_ADDRESS__
	leave_strict_strings(argv);
#else
	(void)argv;
#endif
	return test_run();
}
