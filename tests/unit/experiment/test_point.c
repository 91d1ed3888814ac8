/* What names a kept result: every member of a point that decides the result, and no other; the
 * program's and the machine's are test_key.c's. And what a point's worker is asked for, and what it
 * sends. */
#include <sys/mman.h>
#include <unistd.h>

#include "../members.h"
#include "count/count.h"
#include "experiment/point.h"
#include "job/part.h"
#include "job/parts.h"

static const struct member of_point[] = {
	ROW(point, kind, ELSEWHERE),	       ROW(point, program, ELSEWHERE),
	ROW(point, machine, ELSEWHERE),	       ROW(point, observers, ELSEWHERE),
	ROW(point, part, ELSEWHERE),	       ROW(point, places, ELSEWHERE),
	ROW(point, gain, ELSEWHERE),	       ROW(point, gain_copies, NOT_FELT),
	ROW(point, max_instructions, DECIDES), ROW(point, repetition, DECIDES),
	ROW(point, output, NOT_KEPT),	       ROW(point, errors, NOT_KEPT),
	ROW(point, dropped_errors, NOT_FELT),  ROW(point, model, NOT_FELT),
	ROW(point, facts, NOT_FELT),
};

TEST(every_member_has_a_row)
{
	members_are_all(of_point, ARRAY_COUNT(of_point), sizeof(struct point));
}

/* The name of a point, in a buffer of the test's; NULL if it has none. */
static const char *name_of(const struct point *point, char name[JOB_KEY_BYTES])
{
	return point->kind->key(point, "tool", name) ? name : NULL;
}

static char first_word[] = "x", second_word[] = "y";
static char *words[] = {first_word, second_word, NULL};
static const struct observer_kind kinds[] = {{.name = "one"}, {.name = "two"}};
static const struct observer_kind *const lists[][3] = {
	{&kinds[0]}, {&kinds[1]}, {&kinds[0], &kinds[1]}};

struct made {
	struct program program;
	struct job_machine machine;
	struct point point;
};

/* All in one place, as the point has pointers to the others. */
static void make(struct made *made)
{
	*made = (struct made){.program = {.argv = words, .argc = 1, .hash = "0123"},
			      .machine = {.name = "machine"}};
	config_default(&made->machine.config);
	made->point = point_of(&made->program, &made->machine);
	made->point.observers = lists[0];
}

static bool name_it(const void *point, char name[JOB_KEY_BYTES])
{
	return name_of(point, name);
}

static bool key_other(const struct job_part *part, struct job_key *key)
{
	(void)part;
	job_key_text(key, "other");
	return true;
}

/* A part takes the place of the observers, and a point of one whose results are not kept has none.
 */
TEST(parts_are_named_by_themselves)
{
	static const struct job_part_kind kept = {.name = "kept", .key = key_other},
					  lost = {.name = "lost", .key = job_part_key_refuse};
	const struct job_part parts[] = {{.kind = &kept}, {.kind = &lost}};
	char with[JOB_KEY_BYTES], without[JOB_KEY_BYTES];
	struct made made;

	make(&made);
	assert_non_null(name_of(&made.point, without));
	made.point.part = &parts[0];
	assert_non_null(name_of(&made.point, with));
	assert_string_not_equal(with, without);
	made.point.observers = lists[1];
	assert_string_equal(name_of(&made.point, without), with);
	made.point.part = &parts[1];
	assert_null(name_of(&made.point, with));
}

TEST(names_have_what_decides_the_result)
{
	struct made made;

	make(&made);
	members_decide(&made.point, of_point, ARRAY_COUNT(of_point), name_it, &made.point);
}

/* What a point has pointers to: no two of these have the same name. */
TEST(names_have_what_is_elsewhere)
{
	static const struct gain_options close = {.budget = GAIN_BUDGET, .within = 0.01},
					 wide = {.budget = GAIN_BUDGET / 2},
					 usual = {.budget = GAIN_BUDGET};
	struct part_places few, many;
	char names[11][JOB_KEY_BYTES];
	struct made made;
	size_t count = 0;

#define WITH(change)                                                     \
	do {                                                             \
		make(&made);                                             \
		change;                                                  \
		assert_non_null(name_of(&made.point, names[count]));     \
		for (size_t i = 0; i < count; i++)                       \
			assert_string_not_equal(names[i], names[count]); \
		count++;                                                 \
	} while (0)
	WITH((void)0);
	WITH(made.point.observers = lists[1]);
	WITH(made.point.observers = lists[2]);
	WITH(made.point.observers = NULL);
	WITH(made.machine.config.rob_size ^= 1);
	WITH(made.program.argc = 2);
	WITH(made.point.gain = &close; made.point.gain_copies = 1);
	WITH(made.point.gain = &wide; made.point.gain_copies = 1);
	part_places_init(&few);
	part_places_init(&many);
	few.hot = 1;
	many.hot = 2;
	WITH(made.point.places = &few.part);
	WITH(made.point.places = &many.part);
#undef WITH
	assert_true(point_simulated.key(&made.point, "another tool", names[count]));
	assert_string_not_equal(names[count], names[count - 1]);
	/* How many copies measure decides nothing, nor who says what is usual. */
	make(&made);
	made.point.gain = &usual;
	made.point.gain_copies = 3;
	assert_non_null(name_of(&made.point, names[1]));
	assert_string_equal(names[0], names[1]);
	make(&made);
	made.program.mount_count = 1;
	assert_null(name_of(&made.point, names[0]));
}

TEST(results_say_whose_they_are)
{
	struct made made, other;
	struct err err;

	make(&made);
	json_t *result = json_pack("{s:o, s:o}", "program", program_json(&made.program),
				   "configuration", job_machine_json(&made.machine));
	assert_true(point_simulated.owns(&made.point, result, &err));
	make(&other);
	other.program.hash[0] ^= 1;
	assert_false(point_simulated.owns(&other.point, result, &err));
	assert_string_equal(err.text, "it is the result of another program or machine");
	make(&other);
	other.machine.config.rob_size ^= 1;
	assert_false(point_simulated.owns(&other.point, result, &err));
	json_decref(result);
}

/* What an earlier worker of the point printed is gone. */
TEST(a_task_is_the_points)
{
	struct worker_task task = {0};
	struct made made;
	int files[2];

	make(&made);
	made.program.timeout_seconds = 2.5;
	point_simulated.fill(&made.point, &task);
	assert_int_equal(task.output, 0);
	assert_true(task.timeout_seconds == 2.5);
	for (int i = 0; i < 2; i++) {
		files[i] = memfd_create("printed", 0);
		assert_int_equal(write(files[i], "half a", 6), 6);
	}
	made.point.output = files[0];
	made.point.errors = files[1];
	point_simulated.fill(&made.point, &task);
	assert_int_equal(task.output, files[0]);
	assert_int_equal(task.errors, files[1]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(lseek(files[i], 0, SEEK_CUR), 0);
		assert_int_equal(lseek(files[i], 0, SEEK_END), 0);
		close(files[i]);
	}
}

/* They do not become part of what is kept, and go nowhere else. */
TEST(errors_that_nobody_should_see_go_where_the_point_says)
{
	struct worker_task task = {0};
	struct made made;

	make(&made);
	made.point.dropped_errors = 7;
	point_simulated.fill(&made.point, &task);
	assert_int_equal(task.errors, 7);
	assert_int_equal(task.output, 0);
	const struct facts_request facts = {.program = &made.program};
	made.point.kind = &point_facts;
	made.point.facts = &facts;
	point_facts.fill(&made.point, &task);
	assert_int_equal(task.errors, 7);
	assert_null(point_facts.key);
}

static void load(struct program *program)
{
	const char *build = getenv("BUILD");
	static char size[] = "test", name[] = "heapsort";
	static char *argv[] = {name, size, NULL};
	char path[512];
	struct err err;

	snprintf(path, sizeof(path), "%s/workloads/heapsort", build ? build : "build");
	*program = (struct program){.name = name,
				    .argv = argv,
				    .argc = 2,
				    .seed = 1,
				    .memory_bytes = UINT64_C(1) << 30,
				    .max_instructions = 5000};
	assert_true(program_read(program, path, &err));
}

/* What the point's worker sends is what the point reads. */
static json_t *run(const struct point *point)
{
	union {
		const struct point *given;
		void *context;
	} context = {point};
	struct worker_report report;
	struct worker_task task;
	struct err err;

	assert_true(point->kind->may_start(point, &err));
	point->kind->fill(point, &task);
	task.context = context.context;
	assert_true(worker_run(&task, &report, &err));
	json_t *result = point->kind->read(point, report.result, report.result_bytes, &err);
	assert_non_null(result);
	assert_null(point->kind->read(point, report.result, report.result_bytes / 2, &err));
	assert_string_equal(err.text, "it is not JSON");
	free(report.result);
	return result;
}

TEST(points_are_simulated_and_modelled)
{
	static const struct observer_kind *const observers[] = {&count_exact, NULL};
	struct program program;
	struct job_machine machine = {.name = "m"};
	struct err err;

	load(&program);
	config_default(&machine.config);
	struct point point = point_of(&program, &machine);
	point.observers = observers;
	json_t *result = run(&point);
	assert_true(point.kind->owns(&point, result, &err));
	assert_int_equal(json_integer_value(json_object_get(json_object_get(result, "values"),
							    "instructions")),
			 5000);
	assert_non_null(json_object_get(json_object_get(result, "stacks"), "exact"));
	json_decref(result);
	struct model_point_request design = {machine.config, json_object()};
	const struct model_request request = {.program = &program,
					      .machine = &machine,
					      .points = &design,
					      .point_count = 1,
					      .techniques = &technique_default,
					      .technique_count = 1,
					      .is_silent = true};
	const struct point model = {.kind = &point_modelled, .model = &request};
	result = run(&model);
	assert_int_equal(json_integer_value(json_object_get(result, "instructions")), 5000);
	assert_int_equal(json_array_size(json_object_get(result, "points")), 1);
	json_decref(result);
	json_decref(design.set);
	free(program.image);
}
