/* What names a kept result: every member of a job, of its program and of its parts that decides the
 * result, and no other. A member that is added to one of them and has no row leaves a gap, which is
 * told. */
#include "../members.h"
#include "job/job.h"
#include "job/parts.h"
#include "stats/request.h"

static const struct member of_job[] = {
	ROW(job, program, ELSEWHERE),
	ROW(job, machine, ELSEWHERE),
	ROW(job, parts, ELSEWHERE),
	ROW(job, skip, DECIDES),
	ROW(job, roi, ELSEWHERE),
	ROW(job, roi_call, DECIDES),
	ROW(job, sample.period, DECIDES),
	ROW(job, sample.settle, DECIDES),
	ROW(job, sample.unit, DECIDES),
	ROW(job, sample.end, DECIDES),
	ROW(job, sample.points, ELSEWHERE),
	ROW(job, sample.point_count, ELSEWHERE),
	ROW(job, sample.points_most, DECIDES),
	ROW(job, is_cold, DECIDES),
	ROW(job, max_instructions, DECIDES),
	ROW(job, by_cycles, DECIDES),
	ROW(job, is_silent, DECIDES),
	ROW(job, vector_instructions, NOT_FELT), /* there only without a machine */
	ROW(job, output, NOT_FELT),
	ROW(job, errors, NOT_FELT),
	ROW(job, threads, NOT_FELT),
	ROW(job, is_whole, DECIDES),
};

static const struct member of_places[] = {
	ROW(part_places, part, ELSEWHERE),
	ROW(part_places, interval, DECIDES),
	ROW(part_places, annotate, ELSEWHERE),
	ROW(part_places, annotate_count, ELSEWHERE),
	ROW(part_places, annotates_hottest, DECIDES),
	ROW(part_places, hot, DECIDES),
	ROW(part_places, annotates_hot, DECIDES),
};

static const struct member of_pipeline[] = {
	ROW(part_pipeline, part, ELSEWHERE),
	ROW(part_pipeline, has_window, DECIDES),
	ROW(part_pipeline, from, DECIDES),
	ROW(part_pipeline, to, DECIDES),
};

static const struct member of_program[] = {
	ROW(program, name, NOT_FELT),
	ROW(program, image, NOT_FELT), /* its hash is named instead */
	ROW(program, image_bytes, NOT_FELT),
	ROW(program, debug, NOT_FELT), /* its bytes are counted; the build id is in the image */
	ROW(program, debug_bytes, DECIDES),
	ROW(program, raw_names, DECIDES),
	ROW(program, hash, DECIDES),
	ROW(program, argv, ELSEWHERE),
	ROW(program, argc, ELSEWHERE),
	ROW(program, env, ELSEWHERE),
	ROW(program, mounts, NOT_FELT),
	ROW(program, mount_count, NOT_KEPT),
	ROW(program, debug_mount_count, NOT_FELT), /* there only with mounts */
	ROW(program, cwd, ELSEWHERE),
	ROW(program, seed, DECIDES),
	ROW(program, memory_bytes, DECIDES),
	ROW(program, max_instructions, NOT_FELT), /* the job's is named instead */
	ROW(program, usual_instructions, NOT_FELT),
	ROW(program, timeout_seconds, NOT_FELT),
	ROW(program, strict, DECIDES),
	ROW(program, keeps_mtime, DECIDES),
	ROW(program, stdin_is_file, DECIDES),
	ROW(program, may_lack_landlock, NOT_FELT),
	ROW(program, denied, ELSEWHERE),
	ROW(program, denied_count, ELSEWHERE),
};

static char first_word[] = "x", second_word[] = "y", no_word[] = "";
static char *words[] = {first_word, second_word, NULL};
static const struct observer_kind kinds[] = {{.name = "one"}, {.name = "two"}};
static const struct observer_kind *const lists[][3] = {
	{&kinds[0]}, {&kinds[1]}, {&kinds[0], &kinds[1]}};

struct made {
	struct program program;
	struct job_machine machine;
	struct part_counters counters;
	struct part_places places;
	struct part_pipeline pipeline;
	const struct job_part *parts[5];
	struct job job;
};

/* All in one place, as the job has pointers to the others. */
static void make(struct made *made)
{
	*made = (struct made){.program = {.argv = words, .argc = 1, .hash = "0123"},
			      .machine = {.name = "machine"},
			      .job = {.program = &made->program,
				      .machine = &made->machine,
				      .parts = made->parts}};
	config_default(&made->machine.config);
	made->parts[0] = part_counters_init(&made->counters, lists[0]);
	made->parts[1] = part_places_init(&made->places);
	made->parts[2] = part_pipeline_init(&made->pipeline);
}

static bool name_it(const void *job, char name[JOB_KEY_BYTES])
{
	return job_key(job, "tool", name);
}

TEST(keys_have_what_decides_the_result)
{
	struct made made;

	make(&made);
#define CHECK(type, of)                                                                      \
	do {                                                                                 \
		members_are_all(of_##type, ARRAY_COUNT(of_##type), sizeof(*(of)));           \
		members_decide((of), of_##type, ARRAY_COUNT(of_##type), name_it, &made.job); \
	} while (0)
	CHECK(job, &made.job);
	CHECK(program, &made.program);
	CHECK(places, &made.places);
	CHECK(pipeline, &made.pipeline);
#undef CHECK
}

TEST(keys_have_simulation_points)
{
	const struct simulation_point points[][2] = {{{3, 0, 0.5}, {4, 1, 0.5}},
						     {{2, 0, 0.5}, {4, 1, 0.5}},
						     {{3, 0, 0.5}, {4, 2, 0.5}},
						     {{3, 0, 0.5}, {4, 1, 0.25}}};
	char keys[ARRAY_COUNT(points) + 1][JOB_KEY_BYTES];
	struct made made;

	make(&made);
	made.job.sample.points_most = 30;
	for (size_t i = 0; i <= ARRAY_COUNT(points); i++) {
		made.job.sample.points = points[i % ARRAY_COUNT(points)];
		made.job.sample.point_count = i < ARRAY_COUNT(points) ? 2 : 1;
		assert_true(job_key(&made.job, "tool", keys[i]));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(keys[k], keys[i]);
	}
}

/* Results of a job that has such a part too are not kept. */
TEST(parts_that_send_have_no_key)
{
	static struct stats_mailbox mailbox;
	struct stats_request received = {.mailbox = &mailbox}, watched = {.is_watched = true},
			     foreign = {.first_is_foreign = true};
	struct part_stat stats[3];
	struct part_circuits circuits;
	struct part_stat_circuits stat_circuits;
	struct part_recorder recorder;
	const struct job_part *const refused[] = {
		part_stat_init(&stats[0], &received), part_stat_init(&stats[1], &watched),
		part_stat_init(&stats[2], &foreign),  part_circuits_init(&circuits, NULL, 0),
		part_recorder_init(&recorder),	      part_stat_circuits_init(&stat_circuits, NULL),
	};
	char key[JOB_KEY_BYTES];
	struct made made;

	make(&made);
	for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
		made.parts[3] = refused[i];
		assert_false(job_key(&made.job, "tool", key));
	}
}

/* A key with one part more, which no other list of parts had before. */
static void is_new_key(struct made *made, const struct job_part *part)
{
	static char keys[32][JOB_KEY_BYTES];
	static size_t count;

	made->parts[3] = part;
	assert_true(job_key(&made->job, "tool", keys[count]));
	for (size_t i = 0; i < count; i++)
		assert_string_not_equal(keys[i], keys[count]);
	count++;
}

TEST(keys_have_what_is_counted)
{
	char *pairs[] = {first_word, second_word};
	struct stats_formula formula = {first_word, NULL}, elsewhere = {first_word, second_word};
	struct stats_wish change = {.at = 3, .period_cycles = 4, .pairs = pairs, .pair_count = 1};
	const struct stats_request requests[] = {
		{.width_bits = 1},
		{.counters_most = 1},
		{.ranges_most = 1},
		{.circuit_counters = 1},
		{.circuit_ranges = 1},
		{.map = "", .map_bytes = 0},
		{.map = "x", .map_bytes = 1},
		{.first = {.period_cycles = 1}},
		{.first = {.at = 1}},
		{.first = {.pairs = pairs, .pair_count = 1}},
		{.first = {.pairs = pairs, .pair_count = 2}},
		{.changes = &change, .change_count = 1},
		{.formulas = &formula, .formula_count = 1},
		{.formulas = &elsewhere, .formula_count = 1},
	};
	struct part_stat stat;
	struct made made;

	make(&made);
	for (size_t i = 0; i < ARRAY_COUNT(requests); i++)
		is_new_key(&made, part_stat_init(&stat, &requests[i]));
}

TEST(keys_have_what_is_supposed)
{
	const char *const changes[] = {"rob.size=256", "rob.size=0x100"};
	struct config machines[2];
	struct part_what_if what_if;
	struct made made;

	make(&made);
	config_default(&machines[0]);
	config_default(&machines[1]);
	machines[1].rob_size++;
	is_new_key(&made, part_what_if_init(&what_if, NULL, NULL, 0, 1));
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 2; k++)
			is_new_key(&made,
				   part_what_if_init(&what_if, &machines[i], &changes[k], 1, 1));
	is_new_key(&made, part_what_if_init(&what_if, machines, changes, 2, 1));
}

/* What a key is made of that is not a plain number: no two of these have the same. */
TEST(keys_have_every_text)
{
	const char *texts[] = {"a", "b", NULL}, *argument[] = {"x", NULL}, *tool = "tool";
	char keys[32][JOB_KEY_BYTES];
	struct made made;
	size_t count = 0;

#define WITH(change)                                                   \
	do {                                                           \
		make(&made);                                           \
		change;                                                \
		assert_true(job_key(&made.job, tool, keys[count]));    \
		for (size_t i = 0; i < count; i++)                     \
			assert_string_not_equal(keys[i], keys[count]); \
		count++;                                               \
	} while (0)
	WITH((void)0);
	WITH(made.job.roi = "f");
	WITH(made.counters.part.observers = lists[1]);
	WITH(made.counters.part.observers = lists[2]);
	WITH(made.counters.part.observers = NULL);
	WITH((made.places.annotate = texts, made.places.annotate_count = 1));
	WITH(made.job.parts = NULL);
	WITH(made.parts[2] = NULL);
	WITH((made.parts[1] = &made.pipeline.part, made.parts[2] = &made.places.part));
	WITH(made.machine.name = "other");
	WITH((made.machine.changes = texts, made.machine.change_count = 1));
	WITH(made.machine.config.rob_size ^= 1);
	WITH(made.program.argv = words + 1);
	WITH(made.program.argc = 2);
	WITH(made.program.env = texts);
	WITH((made.program.denied = texts, made.program.denied_count = 1));
	/* No text and an empty one are two. */
	WITH(made.program.cwd = words[0]);
	WITH(made.program.cwd = words[1]);
	WITH(made.program.cwd = no_word);
	/* Where one list ends and the next begins is part of the key. */
	WITH((made.program.argc = 0, made.program.env = argument));
	WITH(tool = "another tool");
#undef WITH
}

TEST(keys_have_every_bit_of_a_number)
{
	char keys[65][JOB_KEY_BYTES];
	struct made made;

	make(&made);
	for (int i = 0; i <= 64; i++) {
		made.job.skip = i < 64 ? UINT64_C(1) << i : 0;
		assert_true(job_key(&made.job, "tool", keys[i]));
		assert_int_equal(strspn(keys[i], "0123456789abcdef"), JOB_KEY_BYTES - 1);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(keys[i], keys[k]);
	}
}
