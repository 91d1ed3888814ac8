/* Which machines a sweep has, in which order and how many at most; which point is whose, and what
 * is taken of each result. */
#include "../test.h"
#include "base/array.h"
#include "count/count.h"
#include "experiment/sweep.h"

static char first[] = "first", second[] = "second";
static struct program programs[2] = {{.name = first, .max_instructions = 71},
				     {.name = second, .max_instructions = 72}};
static struct subject subject;

/* One program, unless a test wants both. */
static struct sweep_request make_request(const char *const *changes, size_t count)
{
	subject = (struct subject){.programs = programs, .program_count = 1};
	config_default(&subject.machine.config);
	subject.machine.name = "some";
	subject.machine.changes = changes;
	subject.machine.change_count = count;
	return (struct sweep_request){.subject = &subject};
}

/* "change change; change; ..." */
static const char *text_of(const struct plan *plan)
{
	static char text[4096];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < plan->count; i++) {
		const struct job_machine *m = plan->points[i].machine;

		assert_string_equal(m->name, "some");
		for (size_t k = 0; k < m->change_count; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", k ? " " : "",
					       m->changes[k]);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "; ");
	}
	return text;
}

TEST(machines_are_variations_times_the_grid)
{
	static const char *const changes[] = {"rob.size=64"};
	static const char *const variations[] = {"lsq.size=20,rob.size=40", "lsq.size=24"};
	static const char *const grid[] = {"l1d.latency_cycles=2,3", "l2.latency_cycles=9"};
	struct sweep_request request = make_request(changes, 1);
	struct err err = {.text = ""};

	struct plan *plan = sweep_plan(&request, &err);
	assert_string_equal(text_of(plan), "rob.size=64; ");
	assert_int_equal(plan->points[0].machine->config.rob_size, 64);
	plan_destroy(plan);
	request.variations = variations;
	request.variation_count = 2;
	request.grid = grid;
	request.grid_count = 2;
	plan = sweep_plan(&request, &err);
	assert_non_null(plan);
	assert_string_equal(
		text_of(plan),
		"rob.size=64; "
		"rob.size=64 l1d.latency_cycles=2 l2.latency_cycles=9; "
		"rob.size=64 l1d.latency_cycles=3 l2.latency_cycles=9; "
		"rob.size=64 lsq.size=20 rob.size=40 l1d.latency_cycles=2 l2.latency_cycles=9; "
		"rob.size=64 lsq.size=20 rob.size=40 l1d.latency_cycles=3 l2.latency_cycles=9; "
		"rob.size=64 lsq.size=24 l1d.latency_cycles=2 l2.latency_cycles=9; "
		"rob.size=64 lsq.size=24 l1d.latency_cycles=3 l2.latency_cycles=9; ");
	const struct config *last = &plan->points[4].machine->config;
	assert_int_equal(last->rob_size, 40);
	assert_int_equal(last->lsq_size, 20);
	assert_int_equal(last->l1d_latency, 3);
	assert_int_equal(last->l2_latency, 9);
	plan_destroy(plan);
	plan_destroy(NULL);
}

TEST(mistakes_name_the_change)
{
	static const struct {
		const char *variation, *grid, *sentence;
	} rows[] = {
		{NULL, "rob.size", "--grid: \"rob.size\" is not KEY=VALUE,VALUE,..."},
		{NULL, "rob.size=64,x",
		 "rob.size=x: rob.size must be a whole number from 4 to 1024, not \"x\""},
		{"l1d.latency_cycles=2,l1d.ways=3", NULL,
		 "l1d.ways=3: l1d.size_bytes (32768) cannot be divided into 3 equal ways "
		 "(l1d.ways)"},
	};
	struct err err;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct sweep_request request = make_request(NULL, 0);

		request.variations = &rows[i].variation;
		request.variation_count = rows[i].variation != NULL;
		request.grid = &rows[i].grid;
		request.grid_count = rows[i].grid != NULL;
		assert_null(sweep_plan(&request, &err));
		assert_string_equal(err.text, rows[i].sentence);
	}
	/* Nothing was changed, and it is wrong already. */
	struct sweep_request request = make_request(NULL, 0);
	subject.machine.config.l1d_ways = 3;
	assert_null(sweep_plan(&request, &err));
	assert_string_equal(err.text,
			    "the machine: l1d.size_bytes (32768) cannot be divided into 3 "
			    "equal ways (l1d.ways)");
}

/* "key=4,5,6,..." with so many values. */
static char *numbers(const char *key, unsigned count)
{
	char *text = mem_alloc(16 * count + 64);
	size_t at = (size_t)sprintf(text, "%s=", key);

	for (unsigned i = 0; i < count; i++)
		at += (size_t)sprintf(text + at, "%s%u", i ? "," : "", 4 + i);
	return text;
}

TEST(machines_are_4096_at_most)
{
	struct sweep_request request = make_request(NULL, 0);
	char *grid[2] = {numbers("rob.size", 64), numbers("l2.latency_cycles", 64)};
	const char *variations[4096];
	struct err err;

	request.grid = (const char *const *)grid;
	request.grid_count = 2;
	struct plan *plan = sweep_plan(&request, &err);
	assert_non_null(plan);
	/* The base is none of these. */
	assert_int_equal(plan->count, 4097);
	plan_destroy(plan);
	free(grid[1]);
	grid[1] = numbers("l2.latency_cycles", 65);
	assert_null(sweep_plan(&request, &err));
	assert_string_equal(err.text, "--vary and --grid make more than 4096 machines");
	free(grid[0]);
	free(grid[1]);
	for (size_t i = 0; i < 4096; i++)
		variations[i] = "rob.size=64";
	request.grid_count = 0;
	request.variations = variations;
	request.variation_count = 4095;
	plan = sweep_plan(&request, &err);
	assert_non_null(plan);
	/* They are all the same machine. */
	assert_int_equal(plan->count, 2);
	plan_destroy(plan);
	request.variation_count = 4096;
	assert_null(sweep_plan(&request, &err));
	assert_string_equal(err.text, "--vary and --grid make more than 4096 machines");
}

/* Point i has 1000 + i instructions and 2000 + i cycles. Each program has the base's point and
 * those of two other machines. */
static json_t *made_up(const struct point *point, size_t i)
{
	static const unsigned sizes[] = {192, 40, 56};

	assert_ptr_equal(point->kind, &point_simulated);
	assert_string_equal(point->program->name, i < 3 ? "first" : "second");
	assert_int_equal(point->machine->config.rob_size, sizes[i % 3]);
	assert_int_equal(point->max_instructions, i < 3 ? 71 : 72);
	assert_int_equal(point->output, 0);
	assert_ptr_equal(point->observers[0], &count_exact);
	assert_null(point->observers[1]);
	return json_pack("{s:{s:s, s:[i]}, s:{s:i}, s:{s:i, s:i}, s:{s:{s:{s:i}}, s:{s:{s:i}}}}",
			 "program", "name", point->program->name, "arguments", (int)i,
			 "configuration", "number", 9, "values", "instructions", 1000 + (int)i,
			 "cycles", 2000 + (int)i, "stacks", "exact", "components", "base", (int)i,
			 "fmt", "components", "base", 99);
}

static void holds_run(const json_t *run, size_t i, size_t point, int size, bool is_base)
{
	static const char *const rows[] = {"rob.size=192", "rob.size=40", "rob.size=192",
					   "rob.size=56"};
	const json_t *machine = json_object_get(run, "configuration");
	const json_t *changes = json_object_get(machine, "changes");

	assert_string_equal(json_string_value(json_object_get(run, "program")),
			    i < 4 ? "first" : "second");
	assert_int_equal(json_integer_value(json_array_get(json_object_get(run, "arguments"), 0)),
			 point);
	assert_int_equal(json_integer_value(json_object_get(run, "instructions")), 1000 + point);
	assert_int_equal(json_integer_value(json_object_get(run, "cycles")), 2000 + point);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(run, "values"), "cycles")),
		2000 + point);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(run, "components"), "base")),
		point);
	assert_int_equal(json_is_true(json_object_get(run, "is_base")), is_base);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(run, "settings"), "rob.size")),
		size);
	/* The machine is told as this row has it, also where another row's run is its. */
	assert_int_equal(json_array_size(changes), 1);
	assert_string_equal(json_string_value(json_array_get(changes, 0)), rows[i % 4]);
}

TEST(results_are_by_program_and_machine)
{
	static const char *const grid[] = {"rob.size=192,40,192,56"};
	static const size_t points[] = {0, 1, 0, 2};
	static const int sizes[] = {192, 40, 192, 56};
	struct sweep_request request = make_request(NULL, 0);
	struct err err = {.text = ""};

	assert_int_equal(subject.machine.config.rob_size, 192);
	subject.program_count = 2;
	request.grid = grid;
	request.grid_count = 1;
	/* The last of an interrupted sweep is missing; the last of the others is done first. */
	for (int undone = 0; undone < 2; undone++) {
		struct plan *plan = sweep_plan(&request, &err);

		assert_non_null(plan);
		assert_int_equal(plan->count, 6);
		for (size_t i = 6 - (size_t)undone; i-- > 0;) {
			json_t *made = made_up(&plan->points[i], i);

			assert_true(plan->take(plan, i, made, &err));
			json_decref(made);
		}
		json_t *result = plan->conclude(plan, undone, &err);
		plan_destroy(plan);
		const json_t *runs = json_object_get(result, "runs");
		const json_t *swept = json_object_get(result, "swept");

		assert_string_equal(json_string_value(json_object_get(result, "schema")),
				    "cyclestack-sweep-1");
		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(result, "configuration"), "name")),
				    "some");
		assert_int_equal(json_array_size(swept), 1);
		assert_string_equal(json_string_value(json_array_get(swept, 0)), "rob.size");
		assert_int_equal(json_array_size(runs), 8 - undone);
		for (size_t i = 0; i < json_array_size(runs); i++)
			holds_run(json_array_get(runs, i), i, points[i % 4] + (i < 4 ? 0 : 3),
				  sizes[i % 4], points[i % 4] == 0);
		json_decref(result);
	}
}

/* A parameter that a machine does not have is null there; the base is first if the grid lacks it.
 */
TEST(settings_are_those_of_every_swept_parameter)
{
	static const char *const changes[] = {"l1d.latency_cycles=2"};
	static const char *const variations[] = {"cache.levels=1", "l2.latency_cycles=20"};
	struct sweep_request request = make_request(changes, 1);
	struct err err = {.text = ""};

	request.variations = variations;
	request.variation_count = 2;
	struct plan *plan = sweep_plan(&request, &err);
	assert_non_null(plan);
	assert_int_equal(plan->count, 3);
	for (size_t i = 0; i < 3; i++) {
		json_t *made = json_pack("{s:{s:s}, s:{s:i, s:i}, s:{s:{s:{}}}}", "program", "name",
					 "first", "values", "instructions", 1, "cycles", 1,
					 "stacks", "exact", "components");

		assert_true(plan->take(plan, i, made, &err));
		json_decref(made);
	}
	json_t *result = plan->conclude(plan, false, &err);
	plan_destroy(plan);
	char *text = json_dumps(json_object_get(result, "swept"), JSON_COMPACT);
	assert_string_equal(text, "[\"cache.levels\",\"l2.latency_cycles\"]");
	free(text);
	static const char *const expected[] = {
		"true {\"cache.levels\":2,\"l2.latency_cycles\":12}",
		"false {\"cache.levels\":1,\"l2.latency_cycles\":null}",
		"false {\"cache.levels\":2,\"l2.latency_cycles\":20}"};
	for (size_t i = 0; i < 3; i++) {
		const json_t *run = json_array_get(json_object_get(result, "runs"), i);
		char line[256];

		text = json_dumps(json_object_get(run, "settings"), JSON_COMPACT);
		snprintf(line, sizeof(line), "%s %s",
			 json_is_true(json_object_get(run, "is_base")) ? "true" : "false", text);
		assert_string_equal(line, expected[i]);
		free(text);
	}
	json_decref(result);
}
