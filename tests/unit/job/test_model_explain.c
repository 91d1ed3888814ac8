/* Where a model's cycles come from: windows and misses that are made up, and every row of the
 * explanation added up on paper. */
#include "../replace.h"
#include "../json.h"
#include "base/array.h"
#include "job/model_explain.h"
#include "model/model.h"

/* Everything the model would say. */
static struct {
	struct skeleton skeleton;
	const struct model_window *windows;
	size_t window_count;
	const uint8_t *paths;	/* of each miss: how it depends on the one before it */
	const double *timeline; /* of each miss; NULL: none */
	struct technique_result result;
} made;

static void evaluate_made_up(const struct model *model, size_t point, size_t technique,
			     struct model_components *components, struct technique_result *result,
			     const struct technique_observer *observer)
{
	(void)components;
	assert_null(model);
	assert_int_equal(point, 3);
	assert_int_equal(technique, 5);
	*result = made.result;
	for (size_t i = 0; i < made.window_count; i++)
		observer->window(observer->context, &made.windows[i]);
	for (size_t i = 0; observer->miss && i < made.skeleton.count; i++)
		observer->miss(observer->context, i, made.timeline[i]);
}
REPLACE(model_evaluate, evaluate_made_up);

static const struct skeleton *made_up_skeleton(const struct model *model, size_t point,
					       size_t technique)
{
	(void)model;
	assert_int_equal(point, 3);
	assert_int_equal(technique, 5);
	return &made.skeleton;
}
REPLACE(model_skeleton, made_up_skeleton);

static const struct skeleton_miss *previous_made_up(const struct skeleton *skeleton,
						    const struct skeleton_miss *miss,
						    uint32_t length, unsigned *path)
{
	assert_ptr_equal(skeleton, &made.skeleton);
	assert_true(length >= 2);
	*path = made.paths ? made.paths[miss - skeleton->misses] : 0;
	return miss - 1;
}
REPLACE(skeleton_previous, previous_made_up);

static const json_t *row(const json_t *result, const char *list, size_t i)
{
	return json_array_get(json_object_get(result, list), i);
}

static size_t rows(const json_t *result, const char *list)
{
	return json_array_size(json_object_get(result, list));
}

/* Eleven misses: a chain of four; twice a chain of two; one alone and one hidden beside it; one in
 * no window. */
static struct skeleton_miss misses[] = {
	{.pc = 0x100, .sequence = 10},	{.pc = 0x100, .sequence = 20},
	{.pc = 0x100, .sequence = 30},	{.pc = 0x200, .sequence = 40},
	{.pc = 0x300, .sequence = 140}, {.pc = 0x400, .sequence = 150},
	{.pc = 0x300, .sequence = 240}, {.pc = 0x400, .sequence = 250},
	{.pc = 0x500, .sequence = 350}, {.pc = 0x500, .sequence = 360},
	{.pc = 0x600, .sequence = 999},
};
static const uint8_t paths[] = {0, 0, 0, 1, 0, 3, 0, 2, 0, 0, 0};
static const struct model_window windows[] = {
	{10, 74, 0, 4, 3, 4, 14, WINDOW_FULL},
	{140, 204, 4, 2, 5, 2, 12, WINDOW_MSHRS},
	{240, 305, 6, 2, 7, 2, 13, WINDOW_MSHRS},
	{350, 414, 8, 2, 8, 1, 15, WINDOW_TRACE_END},
};
static const char places_text[] =
	"{\"names\":[\"alpha\",\"a.c\",\"beta\",\"b.c\",\"gamma\",\"\"],\"ranges\":["
	"[256,512,0,1,5],[512,768,2,3,7],[768,1024,0,1,5],[1024,1280,0,1,9],[1280,2048,4,5,0]]}";

static void make(void)
{
	memset(&made, 0, sizeof(made));
	made.skeleton.misses = misses;
	made.skeleton.count = ARRAY_COUNT(misses);
	made.windows = windows;
	made.window_count = ARRAY_COUNT(windows);
	made.paths = paths;
	made.result = (struct technique_result){
		.serialized = 9, .compensation_cycles = 50, .cycles = 850};
}

static json_t *explain(const struct technique *technique)
{
	struct err err;
	struct trace_places *places = trace_places_read(places_text, sizeof(places_text) - 1, &err);
	json_t *result = model_explain(NULL, 3, 5, technique, places);

	trace_places_free(places);
	return result;
}

static void assert_share(const json_t *of, const char *function, double cycles, int count,
			 const int depends[5])
{
	static const char *const kinds[] = {"nothing", "registers", "memory", "pending hit",
					    "store address"};
	int sum = 0;

	assert_string_equal(text(of, "function"), function);
	assert_number(of, "cycles", cycles);
	assert_number(of, "share", cycles / 850);
	assert_number(of, "misses", count);
	assert_int_equal(json_object_size(json_object_get(of, "depends_on")), 5);
	for (unsigned k = 0; k < 5; k++) {
		assert_number(json_object_get(of, "depends_on"), kinds[k], depends[k]);
		sum += depends[k];
	}
	assert_number(of, "serialized_misses", sum);
}

/* By distance: 900 cycles over the nine misses on chains, 5 less for each of ten in windows. */
TEST(functions_and_lines_add_up)
{
	static const struct technique by_distance = {.windows = WINDOWS_SWAM,
						     .compensation = COMPENSATION_DISTANCE};
	static const struct {
		const char *function, *file;
		int line, cycles, misses, depends[5];
	} lines[] = {
		{"alpha", "a.c", 5, 475, 5, {3, 2}},
		{"alpha", "a.c", 9, 190, 2, {0, 0, 0, 2}},
		{"beta", "b.c", 7, 95, 1, {0, 0, 1}},
		{"gamma", "", 0, 90, 2, {1}},
		/* Where no line is known, each instruction is one. */
		{"gamma", "", 0, 0, 0, {0}},
	};
	static const int alpha[5] = {3, 2, 0, 2}, beta[5] = {0, 0, 1}, gamma_of[5] = {1};

	make();
	json_t *result = explain(&by_distance);
	assert_number(result, "cycles", 850);
	assert_int_equal(rows(result, "functions"), 3);
	assert_share(row(result, "functions", 0), "alpha", 665, 7, alpha);
	assert_share(row(result, "functions", 1), "beta", 95, 1, beta);
	assert_share(row(result, "functions", 2), "gamma", 90, 2, gamma_of);
	assert_null(json_object_get(row(result, "functions", 0), "line"));
	assert_int_equal(rows(result, "lines"), 5);
	for (unsigned i = 0; i < 5; i++) {
		const json_t *line = row(result, "lines", i);

		assert_share(line, lines[i].function, lines[i].cycles, lines[i].misses,
			     lines[i].depends);
		assert_string_equal(text(line, "file"), lines[i].file);
		assert_number(line, "line", lines[i].line);
	}
	json_decref(result);
}

TEST(windows_of_a_kind_are_one)
{
	static const struct technique by_distance = {.windows = WINDOWS_SWAM,
						     .compensation = COMPENSATION_DISTANCE};
	static const struct {
		int windows, cycles, from, to, misses, chain;
		const char *ended;
	} kinds[] = {
		/* Equal cycles: the first in the trace is first. */
		{1, 380, 10, 74, 14, 4, "window full"},
		{2, 380, 140, 204, 12, 2, "MSHRs taken"},
		{1, 90, 350, 414, 15, 1, "end of the trace"},
	};
	static const struct {
		unsigned kind;
		const char *pc, *function, *file;
		int line;
		const char *depends;
		int instruction, misses;
	} chain[] = {
		{0, "0x100", "alpha", "a.c", 5, "nothing", 10, 1},
		{0, "0x100", "alpha", "a.c", 5, "registers", 20, 2},
		{0, "0x200", "beta", "b.c", 7, "memory", 40, 1},
		{1, "0x300", "alpha", "a.c", 5, "nothing", 140, 1},
		{1, "0x400", "alpha", "a.c", 9, "pending hit", 150, 1},
		{2, "0x500", "gamma", "", 0, "nothing", 350, 1},
	};
	static const struct {
		const char *ended;
		int windows, serialized, cycles;
	} ends[] = {{"window full", 1, 4, 380},
		    {"MSHRs taken", 2, 4, 380},
		    {"end of the trace", 1, 1, 90}};
	unsigned at = 0;

	make();
	json_t *result = explain(&by_distance);
	assert_int_equal(rows(result, "windows"), 3);
	for (unsigned i = 0; i < 3; i++) {
		const json_t *kind = row(result, "windows", i);
		size_t count = json_array_size(json_object_get(kind, "chain"));

		assert_number(kind, "windows", kinds[i].windows);
		assert_number(kind, "cycles", kinds[i].cycles);
		assert_number(kind, "share", kinds[i].cycles / 850.0);
		assert_number(kind, "from", kinds[i].from);
		assert_number(kind, "to", kinds[i].to);
		assert_number(kind, "misses", kinds[i].misses);
		assert_number(kind, "serialized_misses", kinds[i].chain);
		assert_string_equal(text(kind, "ended_by"), kinds[i].ended);
		for (size_t k = 0; k < count; k++, at++) {
			const json_t *link = row(kind, "chain", k);

			assert_true(at < ARRAY_COUNT(chain) && chain[at].kind == i);
			assert_string_equal(text(link, "pc"), chain[at].pc);
			assert_string_equal(text(link, "function"), chain[at].function);
			assert_string_equal(text(link, "file"), chain[at].file);
			assert_number(link, "line", chain[at].line);
			assert_string_equal(text(link, "depends_on"), chain[at].depends);
			assert_number(link, "instruction", chain[at].instruction);
			assert_number(link, "misses", chain[at].misses);
		}
	}
	assert_int_equal(at, ARRAY_COUNT(chain));
	assert_int_equal(rows(result, "ends"), 3);
	for (unsigned i = 0; i < 3; i++) {
		const json_t *end = row(result, "ends", i);

		assert_string_equal(text(end, "ended_by"), ends[i].ended);
		assert_number(end, "windows", ends[i].windows);
		assert_number(end, "serialized_misses", ends[i].serialized);
		assert_number(end, "cycles", ends[i].cycles);
		assert_number(end, "share", ends[i].cycles / 850.0);
	}
	json_decref(result);
	/* What ended no window is not told. */
	made.window_count = 1;
	result = explain(&by_distance);
	assert_int_equal(rows(result, "ends"), 1);
	json_decref(result);
}

/* Fixed: what is subtracted is subtracted from chains alone. */
TEST(fixed_compensation)
{
	static const struct technique fixed = {.windows = WINDOWS_PLAIN,
					       .compensation = COMPENSATION_FIXED};

	make();
	json_t *result = explain(&fixed);
	assert_number(row(result, "functions", 0), "cycles", 850.0 / 9 * 7);
	assert_number(row(result, "functions", 1), "cycles", 850.0 / 9);
	assert_number(row(result, "functions", 2), "cycles", 850.0 / 9);
	/* Equal cycles: by function. */
	assert_string_equal(text(row(result, "functions", 1), "function"), "beta");
	assert_string_equal(text(row(result, "functions", 2), "function"), "gamma");
	json_decref(result);
	made.result.cycles = 0;
	made.result.compensation_cycles = 0;
	result = explain(&fixed);
	assert_number(row(result, "functions", 0), "share", 0);
	assert_number(row(result, "windows", 0), "share", 0);
	json_decref(result);
}

/* The timeline says what each miss costs, also one in no window. */
TEST(the_timeline_says_it)
{
	static const double costs[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
	static const struct technique timeline = {.windows = WINDOWS_TIMELINE,
						  .compensation = COMPENSATION_DISTANCE};

	make();
	made.timeline = costs;
	made.result.cycles = 2047;
	json_t *result = explain(&timeline);
	assert_number(row(result, "functions", 0), "cycles", 256 + 512 + 1024);
	assert_number(row(result, "functions", 1), "cycles", 1 + 2 + 4 + 16 + 32 + 64 + 128);
	assert_number(row(result, "functions", 2), "cycles", 8);
	assert_number(row(result, "functions", 2), "share", 8 / 2047.0);
	assert_number(row(result, "windows", 0), "cycles", 256 + 512);
	assert_number(row(result, "windows", 1), "cycles", 16 + 32 + 64 + 128);
	assert_number(row(result, "windows", 2), "cycles", 1 + 2 + 4 + 8);
	json_decref(result);
}

/* What each path to the miss before is called. */
TEST(dependences)
{
	static const char *const want[] = {"registers",	    "memory",	     "pending hit",
					   "pending hit",   "store address", "store address",
					   "store address", "store address"};
	static const uint8_t all[] = {0, 0, 1, 2, 3, 4, 5, 6, 7};
	static struct skeleton_miss chain[ARRAY_COUNT(all)];
	const struct model_window whole = {
		0, 64, 0, ARRAY_COUNT(all), ARRAY_COUNT(all) - 1, ARRAY_COUNT(all), 9, WINDOW_FULL};
	static const struct technique plain = {.windows = WINDOWS_PLAIN};

	memset(&made, 0, sizeof(made));
	for (unsigned i = 0; i < ARRAY_COUNT(all); i++)
		chain[i] = (struct skeleton_miss){.pc = 0x1000 + 4 * i, .sequence = i};
	made.skeleton.misses = chain;
	made.skeleton.count = ARRAY_COUNT(all);
	made.windows = &whole;
	made.window_count = 1;
	made.paths = all;
	made.result.serialized = ARRAY_COUNT(all);
	made.result.cycles = 1000;
	json_t *result = model_explain(NULL, 3, 5, &plain, NULL);
	for (unsigned path = 0; path < 8; path++)
		assert_string_equal(
			text(row(row(result, "windows", 0), "chain", path + 1), "depends_on"),
			want[path]);
	json_decref(result);
}

#define MANY 300

/* Three hundred windows, each another: the ten most expensive are shown, twenty lines. */
TEST(so_many_are_shown)
{
	static struct skeleton_miss many[MANY];
	static struct model_window each[MANY];
	static double costs[MANY];
	static const struct technique timeline = {.windows = WINDOWS_TIMELINE};
	char pc[32];

	memset(&made, 0, sizeof(made));
	for (unsigned i = 0; i < MANY; i++) {
		many[i] = (struct skeleton_miss){.pc = 0x10000 + 16 * i, .sequence = 100 * i};
		each[i] = (struct model_window){100 * i, 100 * i + 64, i, 1, i, 1, 1, WINDOW_FULL};
		costs[i] = i * 7 % MANY + 1; /* each once */
	}
	made.skeleton.misses = many;
	made.skeleton.count = made.window_count = MANY;
	made.windows = each;
	made.timeline = costs;
	made.result.cycles = 1000;
	json_t *result = model_explain(NULL, 3, 5, &timeline, NULL);
	assert_int_equal(rows(result, "functions"), 1);
	assert_string_equal(text(row(result, "functions", 0), "function"), "(unknown)");
	assert_number(row(result, "functions", 0), "cycles", MANY * (MANY + 1) / 2);
	assert_number(row(result, "functions", 0), "misses", MANY);
	assert_int_equal(rows(result, "lines"), 20);
	assert_int_equal(rows(result, "windows"), 10);
	for (unsigned i = 0; i < 20; i++) {
		unsigned at = 0;

		assert_number(row(result, "lines", i), "cycles", MANY - i);
		if (i >= 10)
			continue;
		while (costs[at] != MANY - i)
			at++;
		snprintf(pc, sizeof(pc), "0x%x", 0x10000 + 16 * at);
		assert_number(row(result, "windows", i), "cycles", MANY - i);
		assert_number(row(result, "windows", i), "windows", 1);
		assert_string_equal(text(row(row(result, "windows", i), "chain", 0), "pc"), pc);
	}
	json_decref(result);
	/* Twelve functions, of which ten are shown. */
	char names[2000] = "{\"names\":[\"\"", ranges[2000] = "", piece[100];
	for (unsigned i = 0; i < 12; i++) {
		snprintf(piece, sizeof(piece), ",\"f%02u\"", i);
		strcat(names, piece);
		snprintf(piece, sizeof(piece), "%s[%u,%u,%u,0,0]", i ? "," : "", 0x10000 + 16 * i,
			 0x10010 + 16 * i, i + 1);
		strcat(ranges, piece);
	}
	strcat(names, "],\"ranges\":[");
	strcat(names, ranges);
	strcat(names, "]}");
	struct err err;
	struct trace_places *places = trace_places_read(names, strlen(names), &err);
	made.skeleton.count = made.window_count = 12;
	result = model_explain(NULL, 3, 5, &timeline, places);
	assert_int_equal(rows(result, "functions"), 10);
	json_decref(result);
	trace_places_free(places);
}

/* Of a chain of twenty the last sixteen rows. */
TEST(long_chains_are_cut)
{
	static struct skeleton_miss many[20];
	const struct model_window whole = {0, 64, 0, 20, 19, 20, 20, WINDOW_FULL};
	static const struct technique plain = {.windows = WINDOWS_PLAIN};
	char pc[32];

	memset(&made, 0, sizeof(made));
	for (unsigned i = 0; i < 20; i++)
		many[i] = (struct skeleton_miss){.pc = 0x1000 + 4 * i, .sequence = i};
	made.skeleton.misses = many;
	made.skeleton.count = 20;
	made.windows = &whole;
	made.window_count = 1;
	made.result.serialized = 20;
	made.result.cycles = 1000;
	json_t *result = model_explain(NULL, 3, 5, &plain, NULL);
	const json_t *window = row(result, "windows", 0);
	assert_int_equal(rows(window, "chain"), 16);
	for (unsigned i = 0; i < 16; i++) {
		snprintf(pc, sizeof(pc), "0x%x", 0x1000 + 4 * (i + 4));
		assert_string_equal(text(row(window, "chain", i), "pc"), pc);
		assert_number(row(window, "chain", i), "instruction", i + 4);
	}
	json_decref(result);
}

/* Misses are added up before they are too many to be kept one by one. */
TEST(very_many_misses)
{
	const size_t count = 150000;
	struct skeleton_miss *many = mem_alloc_array(count, sizeof(*many));
	double *costs = mem_alloc_array(count, sizeof(*costs));
	const struct model_window whole = {0, 64, 0, count, 0, 1, 1, WINDOW_FULL};
	static const struct technique timeline = {.windows = WINDOWS_TIMELINE};

	memset(&made, 0, sizeof(made));
	for (size_t i = 0; i < count; i++) {
		/* 40,000 instructions, then one alone. */
		many[i] = (struct skeleton_miss){.pc = i < 80000 ? 0x1000 + 4 * (i % 40000) : 0x10};
		costs[i] = i < 80000 ? 1 : 2;
	}
	made.skeleton.misses = many;
	made.skeleton.count = count;
	made.windows = &whole;
	made.window_count = 1;
	made.timeline = costs;
	made.result.cycles = 220000;
	json_t *result = model_explain(NULL, 3, 5, &timeline, NULL);
	assert_number(row(result, "functions", 0), "misses", 150000);
	assert_number(row(result, "functions", 0), "cycles", 220000);
	assert_number(row(result, "functions", 0), "serialized_misses", 1);
	assert_number(row(result, "lines", 0), "misses", 70000);
	assert_number(row(result, "lines", 0), "cycles", 140000);
	assert_number(row(result, "lines", 1), "misses", 2);
	assert_number(row(result, "lines", 1), "cycles", 2);
	json_decref(result);
	free(many);
	free(costs);
}

TEST(nothing_misses)
{
	static const struct technique plain = {.windows = WINDOWS_PLAIN};

	memset(&made, 0, sizeof(made));
	json_t *result = model_explain(NULL, 3, 5, &plain, NULL);
	assert_number(result, "cycles", 0);
	assert_int_equal(rows(result, "functions"), 0);
	assert_int_equal(rows(result, "lines"), 0);
	assert_int_equal(rows(result, "windows"), 0);
	assert_int_equal(rows(result, "ends"), 0);
	json_decref(result);
}

/* Equal cycles: by function, file and line; those without a line by address. */
TEST(ties_have_an_order)
{
	static const char ties[] =
		"{\"names\":[\"a\",\"e\",\"f\",\"g\",\"a.c\",\"b.c\",\"z.c\"],\"ranges\":["
		"[16,32,0,4,1],[32,48,3,4,1],[48,64,2,5,1],[64,80,2,4,4],[80,96,2,4,3],"
		"[96,128,2,4,0],[128,144,2,4,9],[144,160,1,6,9],[160,176,2,4,3]]}";
	/* 0x60 has no line and misses twice; 0x50 and 0xa0 are of one line. */
	static struct skeleton_miss mixed[] = {
		{.pc = 0x10}, {.pc = 0x20}, {.pc = 0x30}, {.pc = 0x40}, {.pc = 0x50}, {.pc = 0x60},
		{.pc = 0x60}, {.pc = 0x70}, {.pc = 0x80}, {.pc = 0x90}, {.pc = 0xa0}};
	static const double costs[] = {-1, 1, 1, 1, 0.75, 0.5, 0.5, 1, 2, 1, 0.25};
	static const struct {
		const char *function, *file;
		int line, misses;
		double cycles;
	} order[] = {
		{"f", "a.c", 9, 1, 2}, {"e", "z.c", 9, 1, 1}, {"f", "a.c", 0, 2, 1},
		{"f", "a.c", 0, 1, 1}, {"f", "a.c", 3, 2, 1}, {"f", "a.c", 4, 1, 1},
		{"f", "b.c", 1, 1, 1}, {"g", "a.c", 1, 1, 1}, {"a", "a.c", 1, 1, -1},
	};
	static const struct technique timeline = {.windows = WINDOWS_TIMELINE};
	const struct model_window whole = {
		0, 64, 0, ARRAY_COUNT(mixed), 0, 1, ARRAY_COUNT(mixed), WINDOW_FULL};
	struct err err;

	memset(&made, 0, sizeof(made));
	made.skeleton.misses = mixed;
	made.skeleton.count = ARRAY_COUNT(mixed);
	made.windows = &whole;
	made.window_count = 1;
	made.timeline = costs;
	made.result.cycles = 8;
	struct trace_places *places = trace_places_read(ties, sizeof(ties) - 1, &err);
	assert_non_null(places);
	json_t *result = model_explain(NULL, 3, 5, &timeline, places);
	assert_int_equal(rows(result, "lines"), ARRAY_COUNT(order));
	for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
		const json_t *line = row(result, "lines", i);

		assert_string_equal(text(line, "function"), order[i].function);
		assert_string_equal(text(line, "file"), order[i].file);
		assert_number(line, "line", order[i].line);
		assert_number(line, "misses", order[i].misses);
		assert_number(line, "cycles", order[i].cycles);
	}
	json_decref(result);
	trace_places_free(places);
}
