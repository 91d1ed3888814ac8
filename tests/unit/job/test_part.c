/* Parts of a job: when each is called, what their observers and keys become. All parts are made up;
 * the program and the machine are not. */
#include "heapsort.h"
#include "count/count.h"
#include "job/job.h"
#include "job/key.h"
#include "job/parts.h"
#include "../bug.h"

/* What was called, by the letter of the part. */
static char calls[64];

struct made_up {
	struct job_part part;
	char letter;
	bool is_refused, fails;
	uint64_t number;
};

static const struct made_up *made_up(const struct job_part *part)
{
	return (const struct made_up *)part;
}

static void note(const struct job_part *part, char what)
{
	const size_t used = strlen(calls);

	snprintf(calls + used, sizeof(calls) - used, "%c%c ", what, made_up(part)->letter);
}

static bool admit(const struct job_part *part, struct process *process, struct err *err)
{
	assert_ptr_equal(process->options.image, program.image);
	note(part, 'a');
	return !made_up(part)->is_refused || err_set(err, "refused");
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	assert_non_null(watch);
	assert_int_equal(simulation_cycles(self->run->simulation), 0);
	note(self->part, 'b');
	self->state = calls;
	return !made_up(self->part)->fails || err_set(err, "failed");
}

static void poll_part(struct job_part_run *self)
{
	if (!strchr(calls, 'p'))
		note(self->part, 'p');
}

static void describe(struct job_part_run *self, json_t *result)
{
	const char letter[] = {made_up(self->part)->letter, 0};

	assert_ptr_equal(self->state, calls);
	note(self->part, 'd');
	json_object_set_new(result, letter, json_true());
}

static void end(struct job_part_run *self)
{
	note(self->part, 'e');
}

static bool add_key(const struct job_part *part, struct job_key *key)
{
	job_key_number(key, made_up(part)->number);
	return !made_up(part)->is_refused;
}

static const struct job_part_kind kind = {
	.name = "made-up",
	.admit = admit,
	.begin = begin,
	.poll = poll_part,
	.describe = describe,
	.end = end,
	.key = add_key,
};
static const struct job_part_kind kind_of_schema = {
	.name = "other", .schema = "other-1", .key = job_part_key_nothing};

static json_t *run(const struct job_part *const *parts, struct err *err)
{
	struct process_options options = program_process_options(&program);
	const struct job job = {
		.program = &program, .machine = &machine, .parts = parts, .max_instructions = 1000};
	const struct job_watch nobody = {0};

	options.silent = true;
	calls[0] = '\0';
	struct process *process = process_create(&options, err);
	assert_non_null(process);
	json_t *result = job_run(&job, process, &nobody, err);
	process_destroy(process);
	return result;
}

TEST(parts_are_called_in_order)
{
	struct made_up x = {.part = {.kind = &kind}, .letter = 'x'};
	struct made_up y = {.part = {.kind = &kind}, .letter = 'y'};
	const struct job_part other = {.kind = &kind_of_schema};
	const struct job_part *const parts[] = {&x.part, &other, &y.part, NULL};
	struct err err;

	json_t *result = run(parts, &err);
	assert_string_equal(calls, "ax ay bx by px dx dy ex ey ");
	assert_string_equal(json_string_value(json_object_get(result, "schema")), "other-1");
	assert_true(json_is_true(json_object_get(result, "x")));
	assert_true(json_is_true(json_object_get(result, "y")));
	assert_null(json_object_get(result, "stacks"));
	json_decref(result);
	/* What was begun is ended, be it that it failed. */
	x.fails = true;
	assert_null(run(parts, &err));
	assert_string_equal(err.text, "failed");
	assert_string_equal(calls, "ax ay bx ex ");
	y.is_refused = true;
	assert_null(run(parts, &err));
	assert_string_equal(err.text, "refused");
	assert_string_equal(calls, "ax ay ");
}

TEST(observers_of_all_parts_observe_once)
{
	static const struct observer_kind *const one[] = {&count_exact, &count_naive, NULL};
	static const struct observer_kind *const two[] = {&count_slots, &count_exact, NULL};
	const struct made_up x = {.part = {&kind, one}, .letter = 'x'};
	const struct made_up y = {.part = {&kind, two}, .letter = 'y'};
	const struct made_up z = {.part = {.kind = &kind}, .letter = 'z'};
	const struct job_part *const parts[] = {&x.part, &z.part, &y.part, NULL};
	const struct job_part *const none[] = {&z.part, NULL};
	struct job job = {.program = &program, .parts = parts};
	struct err err;

	const struct observer_kind **kinds = job_parts_observers(&job);
	assert_ptr_equal(kinds[0], &count_exact);
	assert_ptr_equal(kinds[1], &count_naive);
	assert_ptr_equal(kinds[2], &count_slots);
	assert_null(kinds[3]);
	free(kinds);
	job.parts = none;
	assert_null(job_parts_observers(&job));
	job.parts = NULL;
	assert_null(job_parts_observers(&job));
	json_t *result = run(parts, &err);
	assert_int_equal(json_object_size(json_object_get(result, "stacks")), 3);
	json_decref(result);
}

static bool key_of(const struct job_part *part, char key[JOB_KEY_BYTES])
{
	const struct job_part *const parts[] = {part, NULL};
	const struct job job = {.program = &program, .machine = &machine, .parts = parts};

	return job_key(&job, "tool", key);
}

TEST(keys_have_what_parts_were_given)
{
	static const struct observer_kind *const some[] = {&count_exact, NULL};
	struct made_up x = {.part = {.kind = &kind}, .letter = 'x', .number = 1};
	struct made_up y = {.part = {.kind = &kind}, .letter = 'y', .number = 1};
	const struct job_part other = {.kind = &kind_of_schema};
	char first[JOB_KEY_BYTES], second[JOB_KEY_BYTES];

	assert_true(key_of(&x.part, first) && key_of(&y.part, second));
	assert_string_equal(first, second);
	y.number = 2;
	assert_true(key_of(&y.part, second));
	assert_string_not_equal(first, second);
	y.number = 1;
	y.part.observers = some;
	assert_true(key_of(&y.part, second));
	assert_string_not_equal(first, second);
	assert_true(key_of(&other, first) && key_of(NULL, second));
	assert_string_not_equal(first, second);
	x.is_refused = true;
	assert_false(key_of(&x.part, first));
}

static void run_parts(void *parts)
{
	struct err err;

	json_decref(run(parts, &err));
}

static void name_part(void *part)
{
	char key[JOB_KEY_BYTES];

	key_of(part, key);
}

TEST(defects_of_a_kind_abort)
{
	static const struct job_part_kind keyless = {.name = "keyless"};
	static const struct job_part_kind sender = {
		.name = "sender", .sends = true, .key = job_part_key_refuse};
	struct job_part without = {.kind = &keyless}, first = {.kind = &sender},
			second = {.kind = &sender};
	const struct job_part *no_key[] = {&without, NULL}, *senders[] = {&first, &second, NULL};

	assert_true(is_bug(run_parts, no_key));
	assert_true(is_bug(name_part, &without));
	assert_true(is_bug(run_parts, senders));
	assert_false(is_bug(run_parts, senders + 1));
}
