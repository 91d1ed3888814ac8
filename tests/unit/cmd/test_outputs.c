/* Files that options name: which get in each other's way, where a program's output goes when
 * standard output is taken, and what is said of files that were not written. */
#include "../directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../replace.h"
#include "base/array.h"
#include "cmd/outputs.h"

static const char *given[OPTION_COUNT];

const struct option_row option_rows[OPTION_COUNT] = {
	[OPTION_JSON] = {"json", "FILE", NULL, NULL},
	[OPTION_HTML] = {"html", "FILE", NULL, NULL},
	[OPTION_CSV] = {"csv", "FILE", NULL, NULL},
	[OPTION_SVG] = {"svg", "FILE", NULL, NULL},
	[OPTION_FOLDED] = {"folded", "FILE", NULL, NULL},
	[OPTION_CALLGRIND] = {"callgrind", "FILE", NULL, NULL},
	[OPTION_PIPEVIEW] = {"pipeview", "FILE", NULL, NULL},
	[OPTION_REPORT] = {"report", "FILE", NULL, NULL},
	[OPTION_STDOUT] = {"stdout", "FILE", NULL, NULL},
	[OPTION_STDERR] = {"stderr", "FILE", NULL, NULL},
	[OPTION_OUTPUT] = {"output", "FILE", NULL, NULL},
	[OPTION_LOG] = {"log", "FILE", NULL, NULL},
	[OPTION_FIELD_SEPARATOR] = {"field-separator", "TEXT", NULL, NULL},
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

/* Streams that cannot be made or emptied: the next fdopen(3), open_memstream(3), and any fflush(3)
 * of standard output. */
static bool no_stream, no_memory, is_full;

REPLACED(fdopen);

static FILE *make_stream(int fd, const char *mode)
{
	return no_stream ? NULL : __real_fdopen(fd, mode);
}
REPLACE(fdopen, make_stream);

REPLACED(open_memstream);

static FILE *make_memory(char **text, size_t *bytes)
{
	return no_memory ? NULL : __real_open_memstream(text, bytes);
}
REPLACE(open_memstream, make_memory);

REPLACED(fflush);

static int empty(FILE *out)
{
	if (!is_full || out != stdout)
		return __real_fflush(out);
	errno = ENOSPC;
	return EOF;
}
REPLACE(fflush, empty);

GIVEN(rows_take_the_place_of_the_report)
{
	struct outputs outputs;
	struct job job = {0};
	struct err err;
	FILE *rows;

	given[OPTION_REPORT] = "rows";
	given[OPTION_JSON] = "-";
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
	assert_non_null(rows);
	fputs("1,2\n", rows);
	assert_true(outputs_end_rows(&outputs, &err));
	/* No report follows, and nothing is left to end. */
	assert_true(outputs_write_report(&outputs, print_five, "times", &err));
	assert_true(outputs_end_rows(&outputs, &err));
	outputs_close(&outputs, 0);
	file_holds("rows", "1,2\n");
	/* A run that fails ends them with everything else. */
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
	fputs("3\n", rows);
	outputs_close(&outputs, EXIT_TOOL);
	file_holds("rows", "3\n");
	/* On standard output they are alone: a program gives way, another result may not be there.
	 */
	given[OPTION_JSON] = given[OPTION_REPORT] = NULL;
	for (int i = 0; i < 2; i++) {
		given[OPTION_REPORT] = i ? "-" : NULL;
		assert_true(outputs_open(&outputs, NULL, &err));
		assert_true(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
		assert_ptr_equal(rows, stdout);
		assert_true(outputs_direct(&outputs, &job, &err));
		assert_int_equal(job.output, STDERR_FILENO);
		assert_true(outputs_end_rows(&outputs, &err));
		outputs_close(&outputs, 0);
	}
	given[OPTION_REPORT] = NULL;
	given[OPTION_CSV] = "-";
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_false(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
	assert_string_equal(err.text, "--field-separator and --csv cannot both be standard output: "
				      "name a file");
	assert_int_equal(err.kind, ERR_USAGE);
	outputs_close(&outputs, EXIT_USAGE);
	given[OPTION_QUIET] = "";
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
	assert_null(rows);
	assert_true(outputs_end_rows(&outputs, &err));
	outputs_close(&outputs, 0);
	assert_string_equal(said, "");
}

GIVEN(rows_that_are_not_delivered_are_told)
{
	struct outputs outputs;
	struct err err;
	FILE *rows;

	given[OPTION_REPORT] = "/dev/full";
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
	fputs("1,2\n", rows);
	assert_false(outputs_end_rows(&outputs, &err));
	assert_string_equal(err.text, "cannot write /dev/full: No space left on device");
	/* Something before the last was not delivered, though the last was. */
	outputs.is_quiet = false;
	assert_true(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
	setvbuf(rows, NULL, _IONBF, 0);
	fputs("1,2\n", rows);
	assert_false(outputs_end_rows(&outputs, &err));
	assert_memory_equal(err.text, "cannot write /dev/full", 22);
	outputs_close(&outputs, 0);
	given[OPTION_REPORT] = "rows";
	assert_true(outputs_open(&outputs, NULL, &err));
	no_stream = true;
	assert_false(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
	no_stream = false;
	assert_string_equal(err.text, "not enough memory for rows");
	outputs_close(&outputs, EXIT_TOOL);
	given[OPTION_REPORT] = NULL;
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_true(outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
	is_full = true;
	assert_false(outputs_end_rows(&outputs, &err));
	is_full = false;
	assert_string_equal(err.text, "cannot write to standard output: No space left on device");
	outputs_close(&outputs, EXIT_TOOL);
}

/* The directory of a file can go between its opening and its writing. */
GIVEN(files_whose_directory_went_away_are_told)
{
	static const enum option_id streams[] = {OPTION_STDOUT, OPTION_STDERR, OPTION_REPORT};
	struct outputs outputs;
	struct job job = {0};
	struct err err;
	FILE *rows;

	for (size_t i = 0; i < ARRAY_COUNT(streams); i++) {
		assert_int_equal(mkdir("d", 0777), 0);
		given[streams[i]] = "d/x";
		assert_true(outputs_open(&outputs, NULL, &err));
		assert_int_equal(rmdir("d"), 0);
		if (streams[i] == OPTION_REPORT)
			assert_false(
				outputs_begin_rows(&outputs, OPTION_FIELD_SEPARATOR, &rows, &err));
		else
			assert_false(outputs_direct(&outputs, &job, &err));
		assert_string_equal(err.text, "cannot write d/x: No such file or directory");
		outputs_close(&outputs, EXIT_TOOL);
		given[streams[i]] = NULL;
	}
}

static void print_nothing(FILE *out, const struct terminal *terminal, const void *context)
{
	(void)out, (void)terminal, (void)context;
}

GIVEN(reports_that_are_not_delivered_are_told)
{
	struct outputs outputs;
	struct err err;

	given[OPTION_REPORT] = "report";
	assert_true(outputs_open(&outputs, NULL, &err));
	no_memory = true;
	assert_false(outputs_write_report(&outputs, print_five, "times", &err));
	no_memory = false;
	assert_string_equal(err.text, "not enough memory for report");
	outputs_close(&outputs, EXIT_TOOL);
	given[OPTION_REPORT] = "/dev/full";
	assert_true(outputs_open(&outputs, NULL, &err));
	assert_false(outputs_write_report(&outputs, print_five, "times", &err));
	assert_string_equal(err.text, "cannot write /dev/full: No space left on device");
	outputs_close(&outputs, EXIT_TOOL);
	given[OPTION_REPORT] = "-";
	assert_true(outputs_open(&outputs, NULL, &err));
	is_full = true;
	assert_false(outputs_write_report(&outputs, print_nothing, NULL, &err));
	is_full = false;
	assert_string_equal(err.text, "cannot write to standard output: No space left on device");
	outputs_close(&outputs, EXIT_TOOL);
}

static json_t *result_of_exec(void)
{
	return json_pack(
		"{s:s, s:{s:s, s:[], s:s}, s:i, s:b, s:i, s:i, s:i, s:{s:i}, s:[i]}", "schema",
		"cyclestack-exec-1", "program", "name", "p", "arguments", "sha256",
		"d6b7ff5d81bd42f7d9626b48acced8c15c9156b03f5d5bfce01d32211690202c", "instructions",
		5, "partial", 0, "status", 0, "memory_bytes", 4096, "unknown_syscalls", 0,
		"syscalls", "brk", 1, "live_thread_instructions", 5);
}

/* The result is written first, so that no other format that fails can lose it; and of the others
 * those before the one that fails are there. */
GIVEN(a_format_that_fails_leaves_those_before_it)
{
	static const struct {
		enum option_id fails;
		bool has_report, has_page, has_table;
	} rows[] = {{OPTION_REPORT, false, false, false},
		    {OPTION_HTML, true, false, false},
		    {OPTION_CSV, true, true, false},
		    {OPTION_SVG, true, true, true}};
	json_t *result = result_of_exec();
	struct args args = {0};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct outputs outputs;
		struct err err;

		given[OPTION_JSON] = "json";
		given[OPTION_REPORT] = "report";
		given[OPTION_HTML] = "page";
		given[OPTION_CSV] = "table";
		given[OPTION_SVG] = NULL;
		given[rows[i].fails] = rows[i].fails == OPTION_SVG ? "picture" : "/dev/full";
		assert_true(outputs_open(&outputs, &args, &err));
		assert_false(outputs_show(&outputs, &args, result, NULL, &err));
		if (rows[i].fails == OPTION_SVG)
			assert_string_equal(err.text, "--svg: this result has no picture");
		else
			assert_string_equal(err.text,
					    "cannot write /dev/full: No space left on device");
		outputs_close(&outputs, EXIT_TOOL);
		assert_int_equal(access("json", F_OK), 0);
		assert_int_equal(access("report", F_OK) == 0, rows[i].has_report);
		assert_int_equal(access("page", F_OK) == 0, rows[i].has_page);
		assert_int_equal(access("table", F_OK) == 0, rows[i].has_table);
		assert_int_not_equal(access("picture", F_OK), 0);
		unlink("json");
		unlink("report");
		unlink("page");
		unlink("table");
	}
	json_decref(result);
}

GIVEN(results_without_a_document_are_kept_if_there_could_be_one)
{
	json_t *result = result_of_exec();
	struct args args = {0};
	struct outputs outputs;
	struct err err;

	/* A member that no layout has: it is a result, but there is nothing to show. */
	json_object_set_new(result, "instructions", json_string("many"));
	given[OPTION_JSON] = "json";
	given[OPTION_REPORT] = "report";
	assert_true(outputs_open(&outputs, &args, &err));
	assert_false(outputs_show(&outputs, &args, result, NULL, &err));
	assert_non_null(strstr(err.text, "instructions"));
	outputs_close(&outputs, EXIT_TOOL);
	assert_int_equal(access("json", F_OK), 0);
	assert_int_not_equal(access("report", F_OK), 0);
	unlink("json");
	json_object_set_new(result, "schema", json_string("another"));
	assert_true(outputs_open(&outputs, &args, &err));
	assert_false(outputs_show(&outputs, &args, result, NULL, &err));
	assert_non_null(strstr(err.text, "another"));
	outputs_close(&outputs, EXIT_TOOL);
	assert_int_not_equal(access("json", F_OK), 0);
	json_decref(result);
}

GIVEN(lists_are_printed_unless_another_format_is_asked_for)
{
	json_t *result = result_of_exec();
	struct args args = {0};
	struct err err;

	given[OPTION_REPORT] = "report";
	given[OPTION_JSON] = "json";
	assert_true(outputs_show_list(&args, result, &err));
	assert_int_equal(access("report", F_OK), 0);
	given[OPTION_REPORT] = NULL;
	assert_true(outputs_show_list(&args, result, &err));
	given[OPTION_JSON] = "none/x";
	assert_false(outputs_show_list(&args, result, &err));
	assert_string_equal(err.text, "cannot write none/x: No such file or directory");
	assert_false(outputs_show_answer(&args, result, &err));
	json_decref(result);
}

GIVEN(files_of_others_are_not_written_over)
{
	struct err err;

	const int directory = outputs_open_directory(".", &err);
	write_file("own", "# made by cyclestack\n");
	write_file("other", "mine\n");
	write_file("empty", "");
	mkdir("directory", 0777);
	assert_int_equal(symlink("own", "link"), 0);
	assert_true(outputs_may_write_entry(directory, "none", "made by", &err));
	assert_true(outputs_may_write_entry(directory, "own", "made by", &err));
	static const char *const others[] = {"other", "empty", "directory", "link"};
	for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
		char wanted[256];

		assert_false(outputs_may_write_entry(directory, others[i], "made by", &err));
		snprintf(wanted, sizeof(wanted),
			 "%s is there and was not written by cyclestack: remove it, or choose "
			 "another directory",
			 others[i]);
		assert_string_equal(err.text, wanted);
	}
	close(directory);
}
