/* The collector on the host: which processes are started with which words, and what becomes of what
 * they print. The collector is a script of the test's. */
#include "../test.h"

#include <sys/stat.h>
#include <unistd.h>

/* What other files of src/cmd do for it is put in their places below. */
#include "cmd/progress.h"
#include "cmd/readings.h"
#include "linux/files.h"

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

static char shown[1024];

void progress_count(struct progress *progress, const struct experiment_progress *count,
		    const char *what)
{
	size_t length = strlen(shown);

	assert_int_equal(progress->total, 77);
	snprintf(shown + length, sizeof(shown) - length, "%zu of %zu %s\n", count->done, count->all,
		 what);
}

static unsigned ended;

void progress_end(struct progress *progress)
{
	assert_int_equal(progress->total, 77);
	ended++;
}

bool runner_run(struct runner *runner, struct plan *plan, bool *interrupted, struct err *err)
{
	(void)runner, (void)plan, (void)interrupted, (void)err;
	fail_msg("a host is not simulated");
	return false;
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

/* Both steps: the lines and pages first, then every part for each four events. */
TEST(host_runs_every_part_for_every_four_events)
{
	/* Empty readings, and what was asked for in a file. */
	static const char script[] = "#!/bin/sh\n"
				     "printf 'cyclestack-readings 1\\nevents\\nend 0\\n'\n"
				     "echo \"$2 ${3%%:*}\" >>\"${0%/*}/log\"\n";
	static const char *const parts[] = {"read", "write", "branch_plain", "page",
					    "code", "half",  "half",	     "stream"};
	static const char *const groups[] = {"1:10,1:12,1:14,1:16", "1:18"};
	struct runner runner = RUNNER_CLOSED;
	struct collect_events events = {0};
	struct collect_request request = {.events = &events, .is_brief = true};
	struct err err = {.text = ""};
	bool interrupted = true;
	char path[2 * PATH_BYTES], line[128], wanted[128];

	snprintf(directory_of_kernels, sizeof(directory_of_kernels), "/tmp/collect.XXXXXX");
	assert_non_null(mkdtemp(directory_of_kernels));
	for (unsigned i = 0; i < 5; i++)
		collect_add_event(&events, 1, 10 + 2 * i, "name");
	assert_null(collect(&runner, &request, &interrupted, &err));
	assert_non_null(strstr(err.text, "/collect-host: No such file or directory"));
	assert_false(interrupted);
	write_script("collect-host", script, 0755);
	shown[0] = 0;
	ended = 0;
	char *text = collect(&runner, &request, &interrupted, &err);
	assert_non_null(text);
	/* Two runs of the first step and sixteen of the second. */
	assert_int_equal(strlen(text), 18 * strlen("cyclestack-readings 1\nevents\nend 0\n"));
	free(text);
	assert_int_equal(ended, 2);
	assert_non_null(strstr(shown, "1 of 2 kernels' runs done\n2 of 2 kernels' runs done\n"
				      "1 of 16 kernels' runs done\n"));
	assert_non_null(strstr(shown, "\n16 of 16 kernels' runs done\n"));
	snprintf(path, sizeof(path), "%s/log", directory_of_kernels);
	FILE *log = fopen(path, "r");
	for (size_t i = 0; i < 18; i++) {
		assert_non_null(fgets(line, sizeof(line), log));
		snprintf(wanted, sizeof(wanted), "%s %s\n", groups[i < 2 ? i : (i - 2) / 8],
			 i < 2 ? "pair" : parts[(i - 2) % 8]);
		assert_string_equal(line, wanted);
	}
	assert_null(fgets(line, sizeof(line), log));
	fclose(log);
	unlink(path);
	/* The first that fails ends it. */
	write_script("collect-host", "#!/bin/sh\necho collect: broken >&2\n", 0755);
	assert_null(collect(&runner, &request, &interrupted, &err));
	assert_false(interrupted);
	assert_string_equal(err.text, "collect: broken");
	collect_events_release(&events);
	remove_directory("collect-host");
}

/* An event opens if a kernel ran with it. */
TEST(events_that_open_are_kept)
{
	static const char script[] =
		"#!/bin/sh\n"
		"[ \"$*\" = \"-e $2 branch_g\" ] || exit 1\n"
		"case $2 in 1:1) echo; echo run ;; 2:1) echo run ;; 2:2) echo; echo 'run branch_g' ;;\n"
		"3:7) echo; echo 'run load' ;; esac\n";
	struct collect_events events = {0}, opened = {0};
	struct err err = {.text = ""};

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
