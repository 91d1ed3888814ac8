/* What the collector is asked for: sweeps, their ends by the machine, words of events, and what is
 * made of what it printed; every word is worked out on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

/* The functions of one file are tested with its own statics; what other files of src/cmd do for it
 * is put in their places below. */
#include "cmd/collect.c"

static char directory_of_kernels[PATH_BYTES];

bool installed_directory(const char *name, const char *variable, char *path, size_t bytes,
			 struct err *err)
{
	assert_string_equal(name, "kernels");
	assert_string_equal(variable, "CYCLESTACK_KERNELS");
	snprintf(path, bytes, "%s", directory_of_kernels);
	return *path || err_set(err, "no directory");
}

void progress_start(struct progress *progress, const struct args *args, uint64_t total,
		    bool is_limit)
{
	(void)args;
	assert_int_equal(total, 0);
	assert_false(is_limit);
	*progress = (struct progress){.total = 77};
}

static char shown[512];

void progress_count(struct progress *progress, size_t done, size_t all, const char *what)
{
	size_t length = strlen(shown);

	(void)progress;
	snprintf(shown + length, sizeof(shown) - length, "%zu of %zu %s\n", done, all, what);
}

static unsigned ended;

void progress_end(struct progress *progress)
{
	assert_int_equal(progress->total, 77);
	ended++;
}

/* The words of a plan, a line for each part. */
static const char *text_of(const struct plan *plan)
{
	static char text[65536];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < plan->count; i++)
		for (size_t k = 0; k < plan->parts[i].count; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s",
					       plan->parts[i].words[k],
					       k + 1 < plan->parts[i].count ? " " : "\n");
	return text;
}

static void sweeps_are_powers_of_two_and_what_is_between(void **state)
{
	static const struct {
		uint64_t unit, least, most;
		bool is_fine;
		const char *word; /* NULL: nothing to sweep over */
	} rows[] = {
		{8, 8, 64, false, "k:8:8,16,32,64"},
		{8, 8, 63, false, "k:8:8,16,32"},
		/* Twice the unit is the first with something between it and the next. */
		{8, 8, 64, true, "k:8:8,16,24,32,48,64"},
		{8, 8, 96, true, "k:8:8,16,24,32,48,64,96"},
		{8, 8, 95, true, "k:8:8,16,24,32,48,64"},
		{0, 4, 12, true, "k:0:4,6,8,12"},
		{7, 65, 65, true, "k:7:65"},
		{7, 66, 65, true, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct part part = {0};

		add_sweep(&part, "k", rows[i].unit, rows[i].least, rows[i].most, rows[i].is_fine);
		assert_int_equal(part.count, rows[i].word ? 1 : 0);
		if (rows[i].word)
			assert_string_equal(part.words[0], rows[i].word);
	}
}

static void sweeps_reach_four_times_the_largest_cache(void **state)
{
	enum { K = 1024, M = K * K };
	static const struct {
		uint32_t levels, l1i, l1d, l2, l3, itlb, dtlb, tlb2;
		struct reach reach;
	} rows[] = {
		{1, 8 * K, 32 * K, 1 * M, 8 * M, 16, 64, 0, {128 * K, 256, 32 * K, 64}},
		/* No less than for caches of 16 KB. */
		{1, 1 * K, 1 * K, 1 * M, 8 * M, 1, 2, 0, {64 * K, 8, 4 * K, 4}},
		{1, 1 * K, 17 * K, 1 * M, 8 * M, 1, 2, 0, {128 * K, 8, 4 * K, 4}},
		/* Sizes that are no powers of two count as the next one. */
		{2, 64 * K, 32 * K, 96 * K, 8 * M, 48, 40, 0, {512 * K, 256, 512 * K, 256}},
		{2, 64 * K, 16 * K, 32 * K, 8 * M, 48, 40, 100, {128 * K, 512, 256 * K, 512}},
		{2, 64 * K, 64 * K, 32 * K, 8 * M, 256, 512, 100, {128 * K, 2048, 256 * K, 1024}},
		{3, 64 * K, 32 * K, 512 * K, 6 * M, 8, 16, 1024, {32 * M, 4096, 2 * M, 4096}},
		/* Code is not swept beyond 4 MB and 4096 pages. */
		{3, 64 * K, 32 * K, 1 * M, 5 * M, 8, 16, 1025, {32 * M, 8192, 4 * M, 4096}},
		{3, 64 * K, 32 * K, 2 * M, 4 * M, 2048, 16, 32, {16 * M, 128, 4 * M, 4096}},
	};
	struct reach host = reach_of(NULL);

	(void)state;
	assert_int_equal(host.bytes, 67108864);
	assert_int_equal(host.pages, 8192);
	assert_int_equal(host.code_bytes, 1048576);
	assert_int_equal(host.code_pages, 1024);
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
		struct reach reach = reach_of(&machine);
		assert_int_equal(reach.bytes, rows[i].reach.bytes);
		assert_int_equal(reach.pages, rows[i].reach.pages);
		assert_int_equal(reach.code_bytes, rows[i].reach.code_bytes);
		assert_int_equal(reach.code_pages, rows[i].reach.code_pages);
	}
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

static void plan_is_the_whole_of_what_verdicts_need(void **state)
{
	const struct reach reach = {2048, 16, 1536, 8}, wide = {2048, 4, 4194304, 4};
	struct plan plan = {0};

	(void)state;
	plan_lines(&plan);
	assert_string_equal(
		text_of(&plan),
		"pair:0:8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536\n");
	plan.count = 0;
	plan_kernels(&plan, &reach, 128, 8192, true);
	assert_string_equal(text_of(&plan),
			    "read:128:512,768,1024,1536,2048\n"
			    "write:128:512,1024,2048 apart:128:2048\n" SINGLE
			    "page:8192:32768,49152,65536,98304,131072 "
			    "write:8192:32768,65536,131072 apart:8192:131072\n"
			    "code:128:1024,1536 codeline:8:131072 codepage:8192:32768,49152,65536 "
			    "codefar:262144:268435456\n"
			    "stream:128:2048\n");
	/* No more than 65536 jumps. */
	plan.count = 0;
	plan_kernels(&plan, &wide, 8, 4096, true);
	assert_non_null(strstr(text_of(&plan), ",262144,393216,524288 codeline:"));
	free(plan.parts);
}

static void plots_get_points_of_their_own(void **state)
{
	const struct reach small = {8192, 4, 1024, 4};
	struct plan plan = {0};

	(void)state;
	plan_kernels(&plan, &small, 64, 4096, false);
	assert_int_equal(plan.count, 8);
	assert_string_equal(strstr(text_of(&plan), "branch_k"),
			    "branch_k:0:2,3,4,6,8,12,16,24,32 read:128:4096,8192 "
			    "read:256:4096,8192\n" ORDERS);
	plan.count = 0;
	plan_plots(&plan, 32, UINT64_C(8) << 20);
	assert_string_equal(
		text_of(&plan),
		"branch_k:0:2,3,4,6,8,12,16,24,32 "
		"read:64:4096,8192,16384,32768,65536,131072,262144,524288,1048576,2097152,4194304 "
		"read:128:4096,8192,16384,32768,65536,131072,262144,524288,1048576,2097152,4194304\n"
		"block:4:65536,131072,262144,524288,1048576,2097152,4194304 "
		"block:16:65536,131072,262144,524288,1048576,2097152,4194304 "
		"block:64:262144,524288,1048576,2097152,4194304 " ORDERS);
	free(plan.parts);
}

static void events_in_a_row_are_one_word(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
	} rows[] = {{4, 0}, {4, 1}, {4, 2}, {3, 3}, {3, 5}, {3, 6}, {0, 7}, {0, 6}};
	static const struct {
		size_t from, to;
		const char *word;
	} words[] = {
		{0, 8, "4:0-2,3:3,3:5-6,0:7,0:6"}, {0, 3, "4:0-2"}, {0, 2, "4:0-1"},
		{1, 5, "4:1-2,3:3,3:5"},	   {6, 7, "0:7"},   {5, 5, ""},
	};
	struct collect_events events = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		collect_add_event(&events, rows[i].type, rows[i].config, "name");
	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		char *word = events_word(&events, words[i].from, words[i].to);

		assert_string_equal(word, words[i].word);
		free(word);
	}
	collect_events_release(&events);
	assert_null(events.list);
	assert_int_equal(events.count, 0);
	assert_int_equal(events.room, 0);
}

/* What the collector printed, and what is said of it. */
static void output_that_is_not_whole_is_refused(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct part part = {.count = 2, .words = {"load", "pair:0:8"}};
		struct err err = {"nothing"};
		struct task task;
		char *text = NULL;
		size_t bytes = 0;
		FILE *out = open_memstream(&text, &bytes);

		assert_true(task_init(&task, &part, "4:1-9", &err));
		assert_int_equal(task.program.argc, 5);
		assert_string_equal(task.program.argv[0], "collect");
		assert_string_equal(task.program.argv[1], "-e");
		assert_string_equal(task.program.argv[2], "4:1-9");
		assert_string_equal(task.program.argv[3], "load");
		assert_string_equal(task.program.argv[4], "pair:0:8");
		assert_null(task.program.argv[5]);
		assert_string_equal(task.program.name, "the collector");
		assert_string_equal(task.program.cwd, "/");
		assert_null(task.program.env[0]);
		assert_int_equal(task.program.seed, 1);
		assert_int_equal(task.program.memory_bytes, INT64_C(4294967296));
		assert_int_equal(task.program.max_instructions, INT64_MAX);
		size_t size = strlen(rows[i].output);
		assert_int_equal(write(task.output, rows[i].output, size), size);
		size = strlen(rows[i].errors);
		assert_int_equal(write(task.errors, rows[i].errors, size), size);
		assert_int_equal(take_output(&task, out, &err), !rows[i].sentence);
		fclose(out);
		assert_string_equal(text, rows[i].sentence ? "" : rows[i].output);
		assert_string_equal(err.text, rows[i].sentence ? rows[i].sentence : "nothing");
		free(text);
		int output = task.output, errors = task.errors;
		task_release(&task);
		assert_int_equal(fcntl(output, F_GETFD), -1);
		assert_int_equal(fcntl(errors, F_GETFD), -1);
	}
}

static void output_is_text_and_no_gigabyte(void **state)
{
	int fd = memfd_create("output", MFD_CLOEXEC);
	struct err err;

	(void)state;
	assert_int_equal(write(fd, "ab", 2), 2);
	char *text = read_back(fd, &err);
	assert_string_equal(text, "ab");
	free(text);
	assert_int_equal(ftruncate(fd, 3), 0);
	assert_null(read_back(fd, &err));
	assert_string_equal(err.text, "the collector printed a zero byte");
	assert_int_equal(ftruncate(fd, (INT64_C(1) << 30) + 1), 0);
	assert_null(read_back(fd, &err));
	assert_string_equal(err.text, "the collector printed too much");
	close(fd);
	assert_null(read_back(fd, &err));
	assert_string_equal(err.text, "the collector printed too much");
	fd = memfd_create("output", MFD_CLOEXEC);
	assert_int_equal(write(fd, "ab", 2), 2);
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int unreadable = open(path, O_WRONLY | O_CLOEXEC);
	assert_null(read_back(unreadable, &err));
	assert_string_equal(err.text, "cannot read the readings: Bad file descriptor");
	close(unreadable);
	close(fd);
}

static void write_script(const char *name, const char *text, mode_t mode)
{
	char path[2 * PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", directory_of_kernels, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

static void remove_directory(const char *name)
{
	char path[2 * PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", directory_of_kernels, name);
	unlink(path);
	rmdir(directory_of_kernels);
	directory_of_kernels[0] = 0;
}

/* On the host four events at a time, and every part for each group. */
static void host_runs_every_part_for_every_four_events(void **state)
{
	static const char script[] =
		"#!/bin/sh\n"
		"printf '%s %s %s\\nend ' \"$1\" \"$2\" \"${3%%:*}\"\n"
		"case $3 in pair*) printf '0\\n' ;; *) printf 'x\\n' ;; esac\n";
	const struct collect_request request = {.events = &(struct collect_events){0}};
	struct collect_events events = {0};
	struct progress progress;
	struct plan plan = {0};
	struct err err = {""};
	bool interrupted = false;
	char *text = NULL;
	size_t bytes = 0;

	(void)state;
	snprintf(directory_of_kernels, sizeof(directory_of_kernels), "/tmp/collect.XXXXXX");
	assert_non_null(mkdtemp(directory_of_kernels));
	for (unsigned i = 0; i < 9; i++)
		collect_add_event(&events, 1, 10 + 2 * i, "name");
	struct collect_request whole = request;
	whole.events = &events;
	plan_lines(&plan);
	add_word(add_part(&plan), "load");
	FILE *out = open_memstream(&text, &bytes);
	assert_false(run_plan(&whole, &plan, &progress, out, &interrupted, &err));
	assert_non_null(strstr(err.text, "/collect-host: No such file or directory"));
	write_script("collect-host", script, 0755);
	shown[0] = 0;
	assert_true(run_plan(&whole, &plan, &progress, out, &interrupted, &err));
	fclose(out);
	assert_string_equal(text, "-e 1:10,1:12,1:14,1:16 pair\nend 0\n"
				  "-e 1:10,1:12,1:14,1:16 load\nend x\n"
				  "-e 1:18,1:20,1:22,1:24 pair\nend 0\n"
				  "-e 1:18,1:20,1:22,1:24 load\nend x\n"
				  "-e 1:26 pair\nend 0\n"
				  "-e 1:26 load\nend x\n");
	free(text);
	assert_string_equal(shown, "1 of 6 kernels' runs done\n2 of 6 kernels' runs done\n"
				   "3 of 6 kernels' runs done\n4 of 6 kernels' runs done\n"
				   "5 of 6 kernels' runs done\n6 of 6 kernels' runs done\n");
	/* The first that fails ends it. */
	write_script("collect-host", "#!/bin/sh\necho collect: broken >&2\n", 0755);
	ended = 0;
	text = collect(&whole, &interrupted, &err);
	assert_null(text);
	assert_int_equal(ended, 1);
	assert_false(interrupted);
	assert_string_equal(err.text, "collect: broken");
	free(plan.parts);
	collect_events_release(&events);
	remove_directory("collect-host");
}

/* An event opens if a kernel ran with it. */
static void events_that_open_are_kept(void **state)
{
	static const char script[] =
		"#!/bin/sh\n"
		"[ \"$*\" = \"-e $2 branch_g\" ] || exit 1\n"
		"case $2 in 1:1) echo; echo run ;; 2:1) echo run ;; 2:2) echo; echo 'run branch_g' ;;\n"
		"3:7) echo; echo 'run load' ;; esac\n";
	struct collect_events events = {0}, opened = {0};
	struct err err = {""};

	(void)state;
	snprintf(directory_of_kernels, sizeof(directory_of_kernels), "/tmp/collect.XXXXXX");
	assert_non_null(mkdtemp(directory_of_kernels));
	collect_add_event(&events, 1, 1, "a");
	collect_add_event(&events, 2, 1, "b");
	collect_add_event(&events, 2, 2, "c");
	collect_add_event(&events, 3, 7, "d");
	assert_false(collect_host_probe(&events, &opened, &err));
	assert_int_equal(opened.count, 0);
	write_script("collect-host", script, 0755);
	assert_true(collect_host_probe(&events, &opened, &err));
	assert_int_equal(opened.count, 2);
	assert_int_equal(opened.list[0].type, 2);
	assert_int_equal(opened.list[0].config, 2);
	assert_string_equal(opened.list[0].name, "c");
	assert_int_equal(opened.list[1].type, 3);
	assert_int_equal(opened.list[1].config, 7);
	assert_string_equal(opened.list[1].name, "d");
	collect_events_release(&events);
	collect_events_release(&opened);
	remove_directory("collect-host");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sweeps_are_powers_of_two_and_what_is_between),
		cmocka_unit_test(sweeps_reach_four_times_the_largest_cache),
		cmocka_unit_test(plan_is_the_whole_of_what_verdicts_need),
		cmocka_unit_test(plots_get_points_of_their_own),
		cmocka_unit_test(events_in_a_row_are_one_word),
		cmocka_unit_test(output_that_is_not_whole_is_refused),
		cmocka_unit_test(output_is_text_and_no_gigabyte),
		cmocka_unit_test(host_runs_every_part_for_every_four_events),
		cmocka_unit_test(events_that_open_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
