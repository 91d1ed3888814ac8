/* The stages of instructions in a window of cycles, and the cycles lost in it by cause, of records
 * made by hand. */
#include "../test.h"
#include "../bug.h"
#include "base/array.h"
#include "count/count.h"
#include "count/pipeline.h"

#define NEVER PIPELINE_NEVER

static struct pipeline *open_window(uint64_t from, uint64_t to)
{
	struct config config;

	config_reset(&config);
	struct pipeline *p = count_pipeline.create(&config, 64);
	pipeline_set_window(p, from, to);
	return p;
}

/* A record of one cycle with these events. */
static void give(struct pipeline *p, uint64_t number, size_t count,
		 const struct cycle_event *events)
{
	struct cycle c = {.number = number,
			  .repeat = 1,
			  .committed = 1,
			  .thread = 5,
			  .event_count = (uint32_t)count,
			  .events = events};

	for (size_t i = 0; i < count; i++)
		c.event_kinds |= EVENT_BIT(events[i].kind);
	count_pipeline.cycle(p, &c);
}

static void one(struct pipeline *p, uint64_t number, struct cycle_event event)
{
	give(p, number, 1, &event);
}

static void check_row(const struct pipeline *p, size_t number, const struct pipeline_row *expected)
{
	size_t count;
	const struct pipeline_row *row = &pipeline_rows(p, &count)[number];

	assert_true(number < count);
	assert_int_equal(row->pc, expected->pc);
	assert_int_equal(row->fetched, expected->fetched);
	assert_int_equal(row->dispatched, expected->dispatched);
	assert_int_equal(row->issued, expected->issued);
	assert_int_equal(row->completed, expected->completed);
	assert_int_equal(row->ended, expected->ended);
	assert_int_equal(row->thread, expected->thread);
	assert_int_equal(row->is_squashed, expected->is_squashed);
	assert_int_equal(row->is_wrong, expected->is_wrong);
}

TEST(stages_are_kept)
{
	struct pipeline *p = open_window(10, 20);
	struct err err = {.text = ""};
	size_t count;

	one(p, 9, (struct cycle_event){.kind = EVENT_FETCH, .slot = 1, .pc = 0x90});
	give(p, 10, 3,
	     (const struct cycle_event[]){
		     {.kind = EVENT_FETCH, .slot = 2, .pc = 0x100},
		     {.kind = EVENT_FETCH, .slot = 3, .pc = 0x104, .wrong_path = 1},
		     /* Not recorded. */
		     {.kind = EVENT_DISPATCH, .slot = 1}});
	one(p, 11, (struct cycle_event){.kind = EVENT_DISPATCH, .slot = 2});
	one(p, 12, (struct cycle_event){.kind = EVENT_ISSUE, .slot = 2, .amount = 7});
	one(p, 13, (struct cycle_event){.kind = EVENT_DISPATCH, .slot = 3});
	one(p, 14, (struct cycle_event){.kind = EVENT_ISSUE, .slot = 3, .amount = 3});
	/* It would be complete in cycle 17. */
	one(p, 16, (struct cycle_event){.kind = EVENT_SQUASH, .slot = 3});
	/* Complete in the cycle in which it commits. */
	one(p, 19, (struct cycle_event){.kind = EVENT_COMMIT, .slot = 2});
	/* The slot is used again; a store does not say when it is complete. */
	give(p, 20, 2,
	     (const struct cycle_event[]){{.kind = EVENT_FETCH, .slot = 2, .pc = 0x200},
					  {.kind = EVENT_FETCH, .slot = 5, .pc = 0x204}});
	one(p, 21, (struct cycle_event){.kind = EVENT_FETCH, .slot = 4, .pc = 0x300});
	one(p, 22, (struct cycle_event){.kind = EVENT_ISSUE, .slot = 2});
	/* What is in flight is followed beyond the window. */
	one(p, 30, (struct cycle_event){.kind = EVENT_COMMIT_PLAIN, .slot = 2});
	/* It has ended, and its slot is free. */
	one(p, 31, (struct cycle_event){.kind = EVENT_DISPATCH, .slot = 2});
	pipeline_rows(p, &count);
	assert_int_equal(count, 4);
	check_row(p, 0, &(struct pipeline_row){0x100, 10, 11, 12, 19, 19, 5, false, false});
	check_row(p, 1, &(struct pipeline_row){0x104, 10, 13, 14, NEVER, 16, 5, true, true});
	check_row(p, 2, &(struct pipeline_row){0x200, 20, NEVER, 22, NEVER, 30, 5, false, false});
	check_row(p, 3,
		  &(struct pipeline_row){0x204, 20, NEVER, NEVER, NEVER, NEVER, 5, false, false});
	assert_true(count_pipeline.check(p, 0, &err));
	one(p, 32, (struct cycle_event){.kind = EVENT_SQUASH, .slot = 5});
	assert_true(count_pipeline.check(p, 0, &err));
	check_row(p, 3, &(struct pipeline_row){0x204, 20, NEVER, NEVER, NEVER, 32, 5, true, false});
	/* None is in flight: what follows is not looked at. */
	one(p, 33, (struct cycle_event){.kind = EVENT_FETCH, .slot = 2, .pc = 0x400});
	pipeline_rows(p, &count);
	assert_int_equal(count, 4);
	count_pipeline.destroy(p);
	/* A wrong path that commits is a mistake of the core. */
	p = open_window(0, 9);
	one(p, 1, (struct cycle_event){.kind = EVENT_FETCH, .slot = 0, .wrong_path = 1});
	assert_true(count_pipeline.check(p, 0, &err));
	one(p, 2, (struct cycle_event){.kind = EVENT_COMMIT, .slot = 0});
	assert_false(count_pipeline.check(p, 0, &err));
	assert_non_null(strstr(err.text, "an instruction of a wrong path committed"));
	count_pipeline.destroy(p);
}

static char *described(struct pipeline *p)
{
	json_t *result = json_object();

	count_pipeline.describe(&count_pipeline, p, result);
	char *text = json_dumps(json_object_get(result, "pipeline"), JSON_COMPACT);
	json_decref(result);
	return text;
}

TEST(lost_cycles_have_a_cause)
{
	static const struct {
		struct cycle c;
		const char *cause;
	} rows[] = {
		{{.head_state = HEAD_DONE}, "end"},
		{{.head_state = HEAD_STORE}, "store_buffer"},
		{{.head_state = HEAD_WAITS}, "dependence"},
		{{.head_state = HEAD_EXECUTES}, "execute"},
		{{.head_state = HEAD_UNIT}, "latency"},
		{{.head_state = HEAD_DTLB}, "dtlb"},
		{{.head_state = HEAD_L1D}, "l1d"},
		{{.head_state = HEAD_L2D}, "l2d"},
		{{.head_state = HEAD_L3D}, "l3d"},
		{{.head_state = HEAD_MSHR}, "mshr"},
		{{.head_state = HEAD_MSHR + 1}, "other"},
		{{.head_state = HEAD_L2D, .excess = EXCESS_HEAD_BANDWIDTH}, "bandwidth"},
		{{.head_state = HEAD_DTLB, .excess = EXCESS_HEAD_WALK}, "walk"},
		{{.head_state = HEAD_DTLB, .excess = EXCESS_HEAD_WALK | EXCESS_HEAD_BANDWIDTH},
		 "walk"},
		{{.head_state = HEAD_DTLB, .excess = EXCESS_FETCH_WALK | EXCESS_FETCH_BANDWIDTH},
		 "dtlb"},
		{{.fetch_stall = FETCH_ITLB}, "itlb"},
		{{.fetch_stall = FETCH_L1I}, "l1i"},
		{{.fetch_stall = FETCH_L2I}, "l2i"},
		{{.fetch_stall = FETCH_L3I}, "l3i"},
		{{.fetch_stall = FETCH_MISFETCH}, "misfetch"},
		{{.fetch_stall = FETCH_BRANCHES}, "max_branches"},
		{{.fetch_stall = FETCH_NOWHERE}, "branch"},
		{{.fetch_stall = FETCH_SERIALISE}, "serialise"},
		{{.fetch_stall = FETCH_TAKEN}, "taken"},
		{{.fetch_stall = FETCH_DONE}, "end"},
		{{.fetch_stall = FETCH_BUFFER}, "frontend"},
		{{.fetch_stall = FETCH_DONE + 1}, "frontend"},
		{{.fetch_stall = FETCH_ITLB, .excess = EXCESS_FETCH_WALK}, "walk"},
		{{.fetch_stall = FETCH_L2I, .excess = EXCESS_FETCH_BANDWIDTH}, "bandwidth"},
		{{.fetch_stall = FETCH_L2I, .excess = EXCESS_HEAD_BANDWIDTH}, "l2i"},
		{{.is_fronted = 1, .fetch_stall = FETCH_L3I}, "frontend"},
		{{.is_fronted = 1, .front_waits = FETCH_WAIT_TLB}, "itlb"},
		{{.is_fronted = 1, .front_waits = FETCH_WAIT_L1 | FETCH_WAIT_TLB}, "l1i"},
		{{.is_fronted = 1, .front_waits = FETCH_WAIT_L2 | FETCH_WAIT_L1}, "l2i"},
		{{.is_fronted = 1, .front_waits = FETCH_WAIT_L3 | FETCH_WAIT_L2}, "l3i"},
		{{.fetch_stall = FETCH_NONE}, "frontend"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct pipeline *p = open_window(100, 200);
		struct cycle c = rows[i].c;
		char expected[256];

		c.number = 110;
		c.repeat = 7;
		count_pipeline.cycle(p, &c);
		snprintf(
			expected, sizeof(expected),
			"{\"from\":100,\"to\":200,\"cycles\":117,\"lost\":[{\"cycle\":110,\"cycles\":7,"
			"\"cause\":\"%s\"}]}",
			rows[i].cause);
		char *text = described(p);
		assert_string_equal(text, expected);
		free(text);
		count_pipeline.destroy(p);
	}
}

/* Runs of one cause are joined; the window cuts the first, what commits comes between. */
TEST(lost_cycles_are_runs)
{
	static const struct cycle records[] = {
		{.number = 80, .repeat = 20, .head_state = HEAD_L1D},
		{.number = 100, .repeat = 5, .head_state = HEAD_L2D},
		{.number = 105, .repeat = 5, .head_state = HEAD_L2D},
		{.number = 110, .repeat = 2, .fetch_stall = FETCH_L1I},
		/* Fetch delivers again, into an empty window. */
		{.number = 112, .repeat = 1, .fetch_stall = FETCH_NONE, .fetched = 1},
		{.number = 113, .repeat = 1, .fetch_stall = FETCH_NONE, .is_fronted = 1},
		{.number = 114, .repeat = 1, .committed = 1, .head_state = HEAD_DONE},
		{.number = 115, .repeat = 1, .fetch_stall = FETCH_NONE, .fetched = 1},
		{.number = 116, .repeat = 3, .head_state = HEAD_UNIT},
		{.number = 119, .repeat = 1, .committed = 2, .head_state = HEAD_UNIT},
		{.number = 120, .repeat = 3, .head_state = HEAD_UNIT},
		{.number = 123, .repeat = 40, .head_state = HEAD_UNIT},
	};
	struct pipeline *p = open_window(103, 122);

	for (size_t i = 0; i < ARRAY_COUNT(records); i++)
		count_pipeline.cycle(p, &records[i]);
	char *text = described(p);
	assert_string_equal(text, "{\"from\":103,\"to\":122,\"cycles\":163,\"lost\":["
				  "{\"cycle\":103,\"cycles\":7,\"cause\":\"l2d\"},"
				  "{\"cycle\":110,\"cycles\":3,\"cause\":\"l1i\"},"
				  "{\"cycle\":113,\"cycles\":1,\"cause\":\"frontend\"},"
				  "{\"cycle\":115,\"cycles\":1,\"cause\":\"frontend\"},"
				  "{\"cycle\":116,\"cycles\":3,\"cause\":\"latency\"},"
				  "{\"cycle\":120,\"cycles\":3,\"cause\":\"latency\"}]}");
	free(text);
	count_pipeline.destroy(p);
	/* The window's first cycle alone. */
	p = open_window(99, 99);
	count_pipeline.cycle(p, &records[0]);
	text = described(p);
	assert_string_equal(text, "{\"from\":99,\"to\":99,\"cycles\":100,\"lost\":[{\"cycle\":99,"
				  "\"cycles\":1,\"cause\":\"l1d\"}]}");
	free(text);
	count_pipeline.destroy(p);
}

/* From the dispatch of a mispredicted branch until the right path is dispatched again. */
TEST(a_wrong_path_is_the_cause)
{
	static const struct cycle_event dispatch = {.kind = EVENT_BRANCH_DISPATCH,
						    .mispredicted = 1};
	static const struct cycle_event resolve = {.kind = EVENT_MISPREDICT};
	const struct cycle records[] = {
		{.number = 0,
		 .repeat = 1,
		 .committed = 1,
		 .event_count = 1,
		 .events = &dispatch,
		 .event_kinds = EVENT_BIT(EVENT_BRANCH_DISPATCH)},
		{.number = 1, .repeat = 2, .fetch_stall = FETCH_L1I},
		{.number = 3,
		 .repeat = 1,
		 .committed = 1,
		 .event_count = 1,
		 .events = &resolve,
		 .event_kinds = EVENT_BIT(EVENT_MISPREDICT)},
		{.number = 4, .repeat = 4, .is_fronted = 1, .front_waits = FETCH_WAIT_L2},
		{.number = 8, .repeat = 1, .committed = 1, .useful_dispatched = 1},
		{.number = 9, .repeat = 8, .fetch_stall = FETCH_L1I},
	};
	struct pipeline *p = open_window(0, 100);

	for (size_t i = 0; i < ARRAY_COUNT(records); i++)
		count_pipeline.cycle(p, &records[i]);
	char *text = described(p);
	assert_string_equal(text, "{\"from\":0,\"to\":100,\"cycles\":17,\"lost\":["
				  "{\"cycle\":1,\"cycles\":2,\"cause\":\"branch\"},"
				  "{\"cycle\":4,\"cycles\":4,\"cause\":\"branch\"},"
				  "{\"cycle\":9,\"cycles\":8,\"cause\":\"l1i\"}]}");
	free(text);
	count_pipeline.destroy(p);
}

static void set_wrong_window(void *context)
{
	static const uint64_t windows[][2] = {{5, 4}, {5, 10005}, {5, 10004}};
	const uint64_t *window = windows[*(int *)context];

	open_window(window[0], window[1]);
}

TEST(a_window_has_a_limit)
{
	struct config config;

	for (int i = 0; i < 3; i++)
		assert_int_equal(is_bug(set_wrong_window, &i), i < 2);
	config_reset(&config);
	struct pipeline *p = count_pipeline.create(&config, 64);
	char *text = described(p);
	assert_string_equal(text, "{\"from\":0,\"to\":9999,\"cycles\":0,\"lost\":[]}");
	free(text);
	count_pipeline.destroy(p);
}
