/* What the collector is asked for: sweeps, their ends by the machine, words of events, and what is
 * made of what it printed; every word is worked out on paper. */
#include "../test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/array.h"
#include "experiment/readings.h"

enum { K = 1024, M = K * K };

static struct collect_events one_event(void)
{
	struct collect_events events = {0};

	collect_add_event(&events, 4, 1, "name");
	return events;
}

/* The words of a plan's kernels, a line for each point. */
static const char *text_of(const struct plan *plan)
{
	static char text[65536];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < plan->count; i++) {
		char **argv = plan->points[i].program->argv;

		assert_string_equal(argv[0], "collect");
		assert_string_equal(argv[1], "-e");
		for (char **word = argv + 3; *word; word++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", *word,
					       word[1] ? " " : "\n");
	}
	return text;
}

/* A machine whose sweeps end where four times these are. */
static struct job_machine machine_of(uint32_t bytes, uint32_t pages, uint32_t code_bytes,
				     uint32_t code_pages)
{
	struct job_machine machine = {0};

	machine.config.cache_levels = 1;
	machine.config.l1d_size = bytes / 4;
	machine.config.dtlb_entries = pages / 4;
	machine.config.l1i_size = code_bytes / 4;
	machine.config.itlb_entries = code_pages / 4;
	return machine;
}

/* In the plan of a machine; any ELF does for the collector. */
static const char *kernels_of(const struct job_machine *machine, uint64_t line, uint64_t page,
			      bool is_brief)
{
	struct collect_events events = one_event();
	const struct collect_request request = {.events = &events,
						.machine = machine,
						.path = "/proc/self/exe",
						.is_brief = is_brief};
	struct err err;
	struct plan *plan = collect_plan_kernels(&request, line, page, &err);

	assert_non_null(plan);
	const char *text = text_of(plan);
	plan_destroy(plan);
	collect_events_release(&events);
	return text;
}

static void assert_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("no \"%s\" in\n%s", words, text);
}

/* Powers of two, and in fine sweeps what is half-way between them from twice the unit on. */
TEST(sweeps_end_at_four_times_the_largest_cache)
{
	static const struct {
		uint32_t levels, l1i, l1d, l2, l3, itlb, dtlb, tlb2;
		const char *bytes, *pages, *code, *code_pages; /* how these sweeps end */
	} rows[] = {
		{1, 8 * K, 32 * K, 1 * M, 8 * M, 16, 64, 0, ",65536,98304,131072\n",
		 ",524288,786432,1048576 write", ",16384,24576,32768 codeline",
		 ",126976,192512,258048 codefar"},
		/* No less than for caches of 16 KB. */
		{1, 1 * K, 1 * K, 1 * M, 8 * M, 1, 2, 0, ",32768,49152,65536\n",
		 "page:4096:16384,24576,32768 write", ",2048,3072,4096 codeline",
		 "codepage:4096:12288 codefar"},
		{1, 1 * K, 17 * K, 1 * M, 8 * M, 1, 2, 0, ",65536,98304,131072\n", "", "", ""},
		/* Sizes that are no powers of two count as the next one. */
		{2, 64 * K, 32 * K, 96 * K, 8 * M, 48, 40, 0, ",393216,524288\n",
		 ",786432,1048576 write", ",393216,524288 codeline", ",782336,1044480 codefar"},
		{2, 64 * K, 16 * K, 32 * K, 8 * M, 48, 40, 100, ",98304,131072\n",
		 ",1572864,2097152 write", ",196608,262144 codeline", ",1568768,2093056 codefar"},
		{2, 64 * K, 64 * K, 32 * K, 8 * M, 256, 512, 100, ",98304,131072\n",
		 ",6291456,8388608 write", ",196608,262144 codeline", ",3141632,4190208 codefar"},
		{3, 64 * K, 32 * K, 512 * K, 6 * M, 8, 16, 1024, ",25165824,33554432\n",
		 ",12582912,16777216 write", ",1572864,2097152 code:2048:4194304,6291456,",
		 ",12578816,16773120 codefar"},
		/* Code in each line is not swept beyond 4 MB and 4096 pages. */
		{3, 64 * K, 32 * K, 1 * M, 5 * M, 8, 16, 1025, ",25165824,33554432\n",
		 ",25165824,33554432 write", ",3145728,4194304 code:2048:8388608,",
		 ",12578816,16773120 codefar"},
		{3, 64 * K, 32 * K, 2 * M, 4 * M, 2048, 16, 32, ",12582912,16777216\n",
		 ",393216,524288 write",
		 ",3145728,4194304 code:1024:8388608,12582912,16777216 codeline",
		 ",12578816,16773120 codefar"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct job_machine machine = {0};
		struct config *c = &machine.config;

		c->cache_levels = rows[i].levels;
		c->l1i_size = rows[i].l1i;
		c->l1d_size = rows[i].l1d;
		c->l2_size = rows[i].l2;
		c->l3_size = rows[i].l3;
		c->itlb_entries = rows[i].itlb;
		c->dtlb_entries = rows[i].dtlb;
		c->tlb2_entries = rows[i].tlb2;
		const char *text = kernels_of(&machine, 64, 4096, true);
		assert_has(text, rows[i].bytes);
		assert_has(text, rows[i].pages);
		assert_has(text, rows[i].code);
		assert_has(text, rows[i].code_pages);
	}
	/* This host. */
	const char *text = kernels_of(NULL, 64, 4096, true);
	assert_has(text, ",50331648,67108864\n");
	assert_has(text, ",25165824,33554432 write:4096:");
	assert_has(text, ",786432,1048576 code:4096:2097152,");
	assert_has(text, ",50331648,67108864 codeline:");
	assert_has(text, ",3141632,4190208 codefar:");
}

#define SINGLE                                                                               \
	"branch_plain branch_random branch_random_work branch_a branch_b branch_c branch_d " \
	"branch_e branch_f branch_g branch_indirect branch_indirect_random "                 \
	"branch_indirect_apart branch_call branch_call_indirect load store multiply divide " \
	"fp_add fp_multiply fp_divide\n"
#define ORDERS                                               \
	"order:0:16384,24576,32768,36864,40960,49152,65536 " \
	"order:1:16384,24576,32768,36864,40960,49152,65536 " \
	"order:2:16384,24576,32768,36864,40960,49152,65536\n"

TEST(plan_is_the_whole_of_what_verdicts_need)
{
	const struct job_machine machine = machine_of(64 * K, 16, 1024, 8),
				 wide = machine_of(64 * K, 4, 4 * M, 4);
	struct collect_events events = one_event();
	const struct collect_request request = {
		.events = &events, .machine = &machine, .path = "/proc/self/exe"};
	struct err err;
	struct plan *plan = collect_plan_lines(&request, &err);

	assert_string_equal(
		text_of(plan),
		"pair:0:8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536\n");
	plan_destroy(plan);
	collect_events_release(&events);
	assert_string_equal(
		kernels_of(&machine, 4096, 8192, true),
		"read:4096:16384,24576,32768,49152,65536\n"
		"write:4096:16384,32768,65536 apart:4096:65536\n" SINGLE
		"page:8192:32768,49152,65536,98304,131072 "
		"write:8192:32768,65536,131072 apart:8192:131072\n"
		/* Less code than eight lines is not swept. */
		"codeline:8:131072 codepage:8192:24576,40960,57344 codefar:262144:268435456\n"
		"half:4096:8 whole:4096:8\nhalf:2048:8 whole:2048:8\n"
		"stream:4096:65536\n");
	assert_has(kernels_of(&machine, 128, 8192, true), "\ncode:128:1024 codeline:8:");
	/* No more than 65536 jumps. */
	assert_has(kernels_of(&wide, 8, 4096, true), ",262144,393216,524288 codeline:");
	/* What the first step did not find is what it usually is. */
	const char *text = kernels_of(&machine, 0, 0, true);
	assert_has(text, "read:64:256,384,512,");
	assert_has(text, "\npage:4096:16384,24576,32768,");
}

TEST(plots_get_points_of_their_own)
{
	const struct job_machine machine = machine_of(64 * K, 4, 1024, 4),
				 large = machine_of(8 * M, 4, 1024, 4);

	assert_string_equal(strstr(kernels_of(&machine, 64, 4096, false), "branch_k"),
			    "branch_k:0:2,3,4,6,8,12,16,24,32 "
			    "read:128:4096,8192,16384,32768,65536 "
			    "read:256:4096,8192,16384,32768,65536\n"
			    "block:4:65536 block:16:65536 " ORDERS);
	assert_string_equal(
		strstr(kernels_of(&large, 32, 4096, false), "branch_k"),
		"branch_k:0:2,3,4,6,8,12,16,24,32 "
		"read:64:4096,8192,16384,32768,65536,131072,262144,524288,1048576,2097152,4194304 "
		"read:128:4096,8192,16384,32768,65536,131072,262144,524288,1048576,2097152,4194304\n"
		"block:4:65536,131072,262144,524288,1048576,2097152,4194304 "
		"block:16:65536,131072,262144,524288,1048576,2097152,4194304 "
		"block:64:262144,524288,1048576,2097152,4194304 " ORDERS);
}

/* On the host four events at a time, in the simulator all at once; a probe has one each. */
TEST(events_in_a_row_are_one_word)
{
	static const struct {
		uint32_t type;
		uint64_t config;
	} rows[] = {{4, 0}, {4, 1}, {4, 2}, {3, 3}, {3, 5}, {3, 6}, {0, 7}, {0, 6}, {1, 9}};
	static const char *const groups[] = {"4:0-2,3:3", "3:5-6,0:7,0:6", "1:9"};
	static const char *const single[] = {"4:0", "4:1", "4:2", "3:3", "3:5",
					     "3:6", "0:7", "0:6", "1:9"};
	const struct job_machine machine = machine_of(64 * K, 16, 1024, 8);
	struct collect_events events = {0};
	struct collect_request request = {.events = &events, .path = "/proc/self/exe"};
	struct err err;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		collect_add_event(&events, rows[i].type, rows[i].config, "name");
	struct plan *plan = collect_plan_lines(&request, &err);
	assert_int_equal(plan->count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(plan->points[i].program->argv[2], groups[i]);
	plan_destroy(plan);
	/* Every part for each group. */
	request.is_brief = true;
	plan = collect_plan_kernels(&request, 64, 4096, &err);
	assert_int_equal(plan->count, 3 * 8);
	for (size_t i = 0; i < 3 * 8; i++)
		assert_string_equal(plan->points[i].program->argv[2], groups[i / 8]);
	plan_destroy(plan);
	plan = collect_plan_probe(&request, &err);
	assert_int_equal(plan->count, 9);
	for (size_t i = 0; i < 9; i++)
		assert_string_equal(plan->points[i].program->argv[2], single[i]);
	assert_string_equal(plan->points[8].program->argv[3], "branch_g");
	assert_null(plan->points[8].program->argv[4]);
	plan_destroy(plan);
	request.machine = &machine;
	plan = collect_plan_lines(&request, &err);
	assert_int_equal(plan->count, 1);
	assert_string_equal(plan->points[0].program->argv[2], "4:0-2,3:3,3:5-6,0:7,0:6,1:9");
	plan_destroy(plan);
	request.path = "/nowhere";
	assert_null(collect_plan_lines(&request, &err));
	assert_has(err.text, "/nowhere");
	collect_events_release(&events);
	assert_null(events.list);
	assert_int_equal(events.count, 0);
	assert_int_equal(events.room, 0);
}

static void put(int fd, const char *text)
{
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
}

/* A plan of one point on the host. */
static struct plan *plan_one(void)
{
	struct collect_events events = one_event();
	const struct collect_request request = {.events = &events};
	struct err err;
	struct plan *plan = collect_plan_lines(&request, &err);

	assert_int_equal(plan->count, 1);
	collect_events_release(&events);
	return plan;
}

/* What the collector printed, and what is said of it. */
TEST(output_that_is_not_whole_is_refused)
{
	static const struct {
		const char *output, *errors;
		const char *sentence; /* NULL: it is taken */
	} rows[] = {
		{"cyclestack-readings 1\nevents\nend 0\n", "", NULL},
		{"cyclestack-readings 1\nevents\nend 0", "",
		 "the collector ended before its readings did"},
		{"cyclestack-readings 1\nevents\n", "collect: x: y\nmore\n", "collect: x: y"},
		{"cyclestack-readings 1\nevents\n", "\nmore\n",
		 "the collector ended before its readings did"},
		{"end 0\n", "no newline before it", "no newline before it"},
		{"", "", "the collector ended before its readings did"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct plan *plan = plan_one();
		const struct point *point = plan->points;
		const struct program *program = point->program;
		struct err err = {.text = "nothing"};
		char *text = NULL;
		size_t bytes = 0;
		FILE *out = open_memstream(&text, &bytes);

		assert_ptr_equal(point->kind, &point_simulated);
		assert_int_equal(point->max_instructions, INT64_MAX);
		assert_string_equal(program->name, "the collector");
		assert_string_equal(program->cwd, "/");
		assert_null(program->env[0]);
		assert_int_equal(program->seed, 1);
		assert_int_equal(program->memory_bytes, INT64_C(4294967296));
		put(point->output, rows[i].output);
		put(point->errors, rows[i].errors);
		assert_int_equal(collect_read(plan, out, &err), !rows[i].sentence);
		fclose(out);
		assert_string_equal(text, rows[i].sentence ? "" : rows[i].output);
		assert_string_equal(err.text, rows[i].sentence ? rows[i].sentence : "nothing");
		free(text);
		int output = point->output, errors = point->errors;
		plan_destroy(plan);
		assert_int_equal(fcntl(output, F_GETFD), -1);
		assert_int_equal(fcntl(errors, F_GETFD), -1);
	}
}

TEST(output_is_text_and_no_gigabyte)
{
	struct plan *plan = plan_one();
	const int fd = plan->points[0].output;
	struct err err;
	bool opens = true;

	put(fd, "ab");
	assert_true(collect_has_opened(plan, 0, &opens, &err));
	assert_false(opens);
	put(fd, "x\nrun branch_g");
	assert_true(collect_has_opened(plan, 0, &opens, &err));
	assert_true(opens);
	put(fd, "run branch_g\n  ");
	assert_true(collect_has_opened(plan, 0, &opens, &err));
	assert_false(opens);
	assert_int_equal(ftruncate(fd, 30), 0);
	assert_false(collect_has_opened(plan, 0, &opens, &err));
	assert_string_equal(err.text, "the collector printed a zero byte");
	assert_int_equal(ftruncate(fd, (INT64_C(1) << 30) + 1), 0);
	assert_false(collect_read(plan, stderr, &err));
	assert_string_equal(err.text, "the collector printed too much");
	/* A file that can only be written to takes its place. */
	assert_int_equal(ftruncate(fd, 2), 0);
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int unreadable = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(dup2(unreadable, fd), fd);
	close(unreadable);
	assert_false(collect_has_opened(plan, 0, &opens, &err));
	assert_string_equal(err.text, "cannot read the readings: Bad file descriptor");
	plan_destroy(plan);
}
