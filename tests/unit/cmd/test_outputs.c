/* Files that options name: which get in each other's way, where a program's output goes when
 * standard output is taken, and what is said of files that were not written. */
#include "../directory.h"

#include <fcntl.h>

#include "base/array.h"
#include "cmd/outputs.h"

static const char *given[OPTION_COUNT];

const struct option_row option_rows[OPTION_COUNT] = {
	[OPTION_JSON] = {"json", "FILE", NULL, NULL},
	[OPTION_HTML] = {"html", "FILE", NULL, NULL},
	[OPTION_CSV] = {"csv", "FILE", NULL, NULL},
	[OPTION_FOLDED] = {"folded", "FILE", NULL, NULL},
	[OPTION_CALLGRIND] = {"callgrind", "FILE", NULL, NULL},
	[OPTION_PIPEVIEW] = {"pipeview", "FILE", NULL, NULL},
	[OPTION_REPORT] = {"report", "FILE", NULL, NULL},
	[OPTION_STDOUT] = {"stdout", "FILE", NULL, NULL},
	[OPTION_STDERR] = {"stderr", "FILE", NULL, NULL},
	[OPTION_OUTPUT] = {"output", "FILE", NULL, NULL},
	[OPTION_LOG] = {"log", "FILE", NULL, NULL},
	[OPTION_SAVE_READINGS] = {"save-readings", "FILE", NULL, NULL},
	[OPTION_SAVE_SKELETON] = {"save-skeleton", "FILE", NULL, NULL},
	[OPTION_RECORD_CYCLES] = {"record-cycles", "FILE", NULL, NULL},
};

/* In the order in which they are named in sentences. */
static const enum option_id all[] = {
	OPTION_JSON,	      OPTION_HTML,	   OPTION_CSV,	  OPTION_FOLDED,
	OPTION_CALLGRIND,     OPTION_PIPEVIEW,	   OPTION_REPORT, OPTION_STDOUT,
	OPTION_STDERR,	      OPTION_OUTPUT,	   OPTION_LOG,	  OPTION_SAVE_READINGS,
	OPTION_SAVE_SKELETON, OPTION_RECORD_CYCLES};

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	return given[id];
}

static char said[4096];

void say_warning(void *unused, const char *sentence)
{
	size_t length = strlen(said);

	(void)unused;
	snprintf(said + length, sizeof(said) - length, "%s\n", sentence);
}

static int enter(void **state)
{
	said[0] = 0;
	memset(given, 0, sizeof(given));
	return directory_enter(state);
}

#define GIVEN(test) TEST_WITH(test, enter, directory_leave)

GIVEN(no_two_have_one_file)
{
	char wanted[256];
	struct err err;

	for (size_t i = 0; i < ARRAY_COUNT(all); i++)
		for (size_t k = i + 1; k < ARRAY_COUNT(all); k++) {
			bool may = all[i] == OPTION_STDOUT && all[k] == OPTION_STDERR;
			struct outputs outputs;

			given[all[i]] = given[all[k]] = "-";
			assert_int_equal(outputs_open(&outputs, NULL, &err), may);
			snprintf(wanted, sizeof(wanted),
				 "--%s and --%s cannot both be standard output: name a file",
				 option_rows[all[i]].name, option_rows[all[k]].name);
			if (!may)
				assert_string_equal(err.text, wanted);
			outputs_close(&outputs, EXIT_USAGE);
			given[all[i]] = "x";
			given[all[k]] = "./x";
			assert_int_equal(outputs_open(&outputs, NULL, &err), may);
			snprintf(wanted, sizeof(wanted), "--%s and --%s name the same file, ./x",
				 option_rows[all[i]].name, option_rows[all[k]].name);
			if (!may)
				assert_string_equal(err.text, wanted);
			outputs_close(&outputs, EXIT_USAGE);
			given[all[k]] = "y";
			assert_true(outputs_open(&outputs, NULL, &err));
			outputs_close(&outputs, EXIT_USAGE);
			given[all[i]] = given[all[k]] = NULL;
		}
	given[OPTION_CSV] = "none/x";
	struct outputs outputs;
	assert_false(outputs_open(&outputs, NULL, &err));
	assert_string_equal(err.text, "cannot write none/x: No such file or directory");
	outputs_close(&outputs, EXIT_USAGE);
	assert_string_equal(said, "");
}

GIVEN(programs_give_way_to_results)
{
	static const struct {
		enum option_id result;
		int output; /* of a program whose own is not named */
	} rows[] = {{OPTION_JSON, 2},
		    {OPTION_HTML, 2},
		    {OPTION_RECORD_CYCLES, 2},
		    {OPTION_REPORT, 2},
		    {OPTION_STDERR, 0}};
	struct outputs outputs;
	struct job job = {0};
	struct err err;

	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_direct(&outputs, &job, &err));
	assert_true(job.output == 0 && job.errors == 0);
	outputs_close(&outputs, 0);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		given[rows[i].result] = "-";
		assert_true(outputs_open(&outputs, NULL, &err));
		assert_true(outputs_direct(&outputs, &job, &err));
		assert_int_equal(job.output, rows[i].output);
		outputs_close(&outputs, 0);
		given[rows[i].result] = NULL;
	}
	/* Named ones are emptied, and closed afterwards. */
	write_file("o", "before");
	write_file("e", "before");
	given[OPTION_STDOUT] = "o";
	given[OPTION_STDERR] = "e";
	given[OPTION_JSON] = "-";
	assert_true(outputs_open(&outputs, NULL, &err));
	file_holds("o", "before");
	assert_true(outputs_direct(&outputs, &job, &err));
	file_holds("o", "");
	file_holds("e", "");
	assert_int_equal(write(job.output, "out", 3), 3);
	assert_int_equal(write(job.errors, "err", 3), 3);
	int output = job.output, errors = job.errors;
	assert_true(output > 2 && errors > 2 && output != errors);
	outputs_close(&outputs, 0);
	assert_int_equal(fcntl(output, F_GETFD), -1);
	assert_int_equal(fcntl(errors, F_GETFD), -1);
	file_holds("o", "out");
	file_holds("e", "err");
}

static unsigned printed;

static void print_five(FILE *out, const struct terminal *terminal, const void *context)
{
	(void)terminal;
	printed++;
	fprintf(out, "five %s\n", (const char *)context);
}

GIVEN(reports_go_where_they_are_wanted)
{
	struct outputs outputs;
	struct err err;

	given[OPTION_REPORT] = "report";
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_write_report(&outputs, print_five, "times", &err));
	outputs_close(&outputs, 0);
	file_holds("report", "five times\n");
	assert_int_equal(printed, 1);
	/* A file does not mind what standard output is for. */
	given[OPTION_JSON] = "-";
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_write_report(&outputs, print_five, "more", &err));
	outputs_close(&outputs, 0);
	file_holds("report", "five more\n");
	/* Quiet, or without a place: nothing is printed. */
	given[OPTION_QUIET] = "";
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs.is_quiet);
	assert_true(outputs_write_report(&outputs, print_five, "quiet", &err));
	outputs_close(&outputs, 0);
	given[OPTION_QUIET] = given[OPTION_REPORT] = NULL;
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_write_report(&outputs, print_five, "taken", &err));
	outputs_close(&outputs, 0);
	assert_int_equal(printed, 2);
	file_holds("report", "five more\n");
	assert_string_equal(said, "report is from an earlier run: this one wrote nothing there\n");
}

GIVEN(files_that_are_older_are_told)
{
	struct outputs outputs;
	struct err err;
	json_t *result = json_pack("{s:i}", "a", 5);

	write_file("old", "before");
	given[OPTION_JSON] = "old";
	given[OPTION_CSV] = "new";
	assert_true(outputs_open(&outputs, NULL, &err));
	outputs_close(&outputs, EXIT_USAGE);
	assert_string_equal(said, "");
	assert_true(outputs_open(&outputs, NULL, &err));
	outputs_close(&outputs, EXIT_TOOL);
	assert_string_equal(said, "old is from an earlier run: this one wrote nothing there\n");
	said[0] = 0;
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_write_json(&outputs, result, &err));
	outputs_close(&outputs, 0);
	assert_string_equal(said, "");
	file_holds("old", "{\n  \"a\": 5\n}\n");
	json_decref(result);
	given[OPTION_CSV] = NULL;
	assert_true(outputs_has_format(NULL));
	given[OPTION_JSON] = NULL;
	assert_false(outputs_has_format(NULL));
	given[OPTION_REPORT] = "-";
	assert_true(outputs_has_format(NULL));
}

static void write_entry(FILE *out, const void *context)
{
	fputs(context, out);
}

GIVEN(directories_are_made_and_filled)
{
	struct err err;

	int directory = outputs_open_directory("made", &err);
	assert_true(directory >= 0);
	assert_true(outputs_write_entry(directory, "x", write_entry, "some text", &err));
	file_holds("made/x", "some text");
	close(directory);
	directory = outputs_open_directory("made", &err);
	assert_true(directory >= 0);
	assert_true(outputs_write_entry(directory, "x", write_entry, "other", &err));
	file_holds("made/x", "other");
	assert_false(outputs_write_entry(directory, "none/x", write_entry, "other", &err));
	close(directory);
	write_file("file", "");
	assert_int_equal(outputs_open_directory("file", &err), -1);
	assert_string_equal(err.text, "file: Not a directory");
	assert_int_equal(outputs_open_directory("none/x", &err), -1);
	assert_string_equal(err.text, "none/x: No such file or directory");
}
