#include "cmd/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/stored.h"
#include "doc/doc_csv.h"
#include "doc/doc_html.h"
#include "doc/doc_svg.h"
#include "doc/doc_text.h"

static const enum option_id file_options[] = {OPTION_JSON,
					      OPTION_HTML,
					      OPTION_CSV,
					      OPTION_SVG,
					      OPTION_FOLDED,
					      OPTION_CALLGRIND,
					      OPTION_PPROF,
					      OPTION_FIREFOX,
					      OPTION_PIPEVIEW,
					      OPTION_REPORT,
					      OPTION_STDOUT,
					      OPTION_STDERR,
					      OPTION_OUTPUT,
					      OPTION_LOG,
					      OPTION_SAVE_READINGS,
					      OPTION_SAVE_SKELETON,
					      OPTION_RECORD_CYCLES,
					      OPTION_BBV,
					      OPTION_SAVE_SIMPOINTS,
					      OPTION_SAVE_WEIGHTS,
					      OPTION_SQLITE};

/* Two results in one stream or file could not be told apart. The program's two streams can share
 * one, as they do on a terminal. */
static bool get_along(const struct outputs *outputs, enum option_id a, enum option_id b,
		      struct err *err)
{
	const struct report_target *first = &outputs->targets[a], *second = &outputs->targets[b];

	if (a == OPTION_STDOUT && b == OPTION_STDERR)
		return true;
	if (report_target_is_stdout(first) && report_target_is_stdout(second))
		return err_usage(err, "--%s and --%s cannot both be standard output: name a file",
				 option_rows[a].name, option_rows[b].name);
	if (report_target_is_same(first, second))
		return err_usage(err, "--%s and --%s name the same file, %s", option_rows[a].name,
				 option_rows[b].name, second->path);
	return true;
}

bool outputs_open(struct outputs *outputs, const struct args *args, struct err *err)
{
	bool ok = true;

	*outputs = (struct outputs){.is_quiet = args_get(args, OPTION_QUIET)};
	for (size_t i = 0; ok && i < ARRAY_COUNT(file_options); i++)
		ok = report_target_open(&outputs->targets[file_options[i]], AT_FDCWD,
					args_get(args, file_options[i]), err);
	for (size_t i = 0; i < ARRAY_COUNT(file_options); i++)
		for (size_t k = i + 1; ok && k < ARRAY_COUNT(file_options); k++)
			ok = get_along(outputs, file_options[i], file_options[k], err);
	return ok && stored_check(args, err);
}

void outputs_close(struct outputs *outputs, int status)
{
	for (size_t i = 0; i < ARRAY_COUNT(file_options); i++) {
		struct report_target *target = &outputs->targets[file_options[i]];

		if (target->is_there && !target->is_written && status != EXIT_USAGE) {
			struct err err;

			err_set(&err, "%s is from an earlier run: this one wrote nothing there",
				target->path);
			say_warning(NULL, err.text);
		}
		report_target_release(target);
	}
	if (outputs->rows && outputs->rows != stdout)
		fclose(outputs->rows);
	if (outputs->output > 0)
		close(outputs->output);
	if (outputs->errors > 0)
		close(outputs->errors);
}

bool outputs_stdout_is_taken(const struct outputs *outputs)
{
	bool is = false;

	for (size_t i = 0; i < ARRAY_COUNT(file_options); i++)
		is |= file_options[i] != OPTION_STDOUT && file_options[i] != OPTION_STDERR &&
		      report_target_is_stdout(&outputs->targets[file_options[i]]);
	return is;
}

static bool open_stream(struct report_target *target, int *fd, struct err *err)
{
	if (!target->path)
		return true;
	*fd = report_target_stream(target, err);
	return *fd >= 0;
}

bool outputs_begin_rows(struct outputs *outputs, enum option_id asked, FILE **rows, struct err *err)
{
	struct report_target *target = &outputs->targets[OPTION_REPORT];
	const bool to_stdout = !target->path || report_target_is_stdout(target);

	*rows = NULL;
	if (outputs->is_quiet)
		return true;
	for (size_t i = 0; to_stdout && i < ARRAY_COUNT(file_options); i++)
		if (file_options[i] != OPTION_REPORT &&
		    report_target_is_stdout(&outputs->targets[file_options[i]]))
			return err_usage(err,
					 "--%s and --%s cannot both be standard output: name a "
					 "file",
					 option_rows[asked].name,
					 option_rows[file_options[i]].name);
	outputs->is_quiet = true;
	if (to_stdout) {
		outputs->rows = stdout;
	} else {
		const int fd = report_target_stream(target, err);

		if (fd < 0)
			return false;
		outputs->rows = fdopen(fd, "w");
		if (!outputs->rows) {
			close(fd);
			return err_set(err, "not enough memory for %s", target->path);
		}
	}
	*rows = outputs->rows;
	return true;
}

bool outputs_end_rows(struct outputs *outputs, struct err *err)
{
	FILE *rows = outputs->rows;

	outputs->rows = NULL;
	if (!rows || rows == stdout)
		return !rows || fflush(rows) == 0 ||
		       err_set_errno(err, errno, "cannot write to standard output");
	const bool ok = fflush(rows) == 0 && !ferror(rows);
	const int why = errno;

	return (fclose(rows) == 0 && ok) || err_set_errno(err, ok ? errno : why, "cannot write %s",
							  outputs->targets[OPTION_REPORT].path);
}

bool outputs_direct(struct outputs *outputs, struct job *job, struct err *err)
{
	if (!open_stream(&outputs->targets[OPTION_STDOUT], &outputs->output, err) ||
	    !open_stream(&outputs->targets[OPTION_STDERR], &outputs->errors, err))
		return false;
	job->output = outputs->output;
	job->errors = outputs->errors;
	if (!job->output && (outputs_stdout_is_taken(outputs) || outputs->rows == stdout))
		job->output = STDERR_FILENO;
	return true;
}

bool outputs_write_report(struct outputs *outputs, outputs_printer *print, const void *context,
			  struct err *err)
{
	struct report_target *target = &outputs->targets[OPTION_REPORT];
	bool to_file = target->path && !report_target_is_stdout(target);
	struct terminal terminal;
	char *text = NULL;
	size_t bytes = 0;

	if (outputs->is_quiet || (!target->path && outputs_stdout_is_taken(outputs)))
		return true;
	FILE *out = to_file ? open_memstream(&text, &bytes) : stdout;
	if (!out)
		return err_set(err, "not enough memory for %s", target->path);
	terminal_init(&terminal, out);
	if (outputs->is_list && !isatty(fileno(out)))
		terminal.width = TERMINAL_LIST_COLUMNS;
	print(out, &terminal, context);
	/* What is said on standard error afterwards comes after it. */
	bool ok = to_file || fflush(out) == 0 ||
		  err_set_errno(err, errno, "cannot write to standard output");
	if (to_file)
		ok = (fclose(out) == 0 || err_set(err, "not enough memory for %s", target->path)) &&
		     report_write_file(target, text, bytes, err);
	free(text);
	return ok;
}

bool outputs_write_json(struct outputs *outputs, const json_t *result, struct err *err)
{
	return report_write_json(&outputs->targets[OPTION_JSON], result, err);
}

static void print_doc(FILE *out, const struct terminal *terminal, const void *context)
{
	doc_text_write(out, context, terminal);
}

struct shown {
	const struct doc *doc;
	const char *table;
};

static bool write_page(FILE *out, const void *context, struct err *err)
{
	const struct shown *shown = context;

	return doc_html_write(out, shown->doc, err);
}

static bool write_table(FILE *out, const void *context, struct err *err)
{
	const struct shown *shown = context;

	return doc_csv_write(out, shown->doc, shown->table, err);
}

static bool write_picture(FILE *out, const void *context, struct err *err)
{
	const struct shown *shown = context;

	return doc_svg_write(out, &shown->doc->root) ||
	       err_set(err, "--svg: this result has no picture");
}

bool outputs_show_doc(struct outputs *outputs, const struct args *args, const struct doc *doc,
		      const char *table, struct err *err)
{
	const char *asked = args_get(args, OPTION_TABLE);
	const struct shown shown = {doc, asked ? asked : table};

	return outputs_write_report(outputs, print_doc, doc, err) &&
	       report_write_made(&outputs->targets[OPTION_HTML], write_page, &shown, err) &&
	       report_write_made(&outputs->targets[OPTION_CSV], write_table, &shown, err) &&
	       report_write_made(&outputs->targets[OPTION_SVG], write_picture, &shown, err);
}

/* Neither the result nor its file says when and by which version it was made. */
static bool write_store(struct report_target *target, const json_t *result, struct err *err)
{
	const struct result_receipt receipt = {0};
	size_t count;

	if (!target->path)
		return true;
	void *bytes = results_alone(result, &receipt, &count, err);
	const bool ok = bytes && report_write_file(target, bytes, count, err);
	free(bytes);
	return ok;
}

bool outputs_show(struct outputs *outputs, const struct args *args, const json_t *result,
		  const struct report_options *options, struct err *err)
{
	const struct report_kind *kind = report_kind_of(result, err);
	struct err unstored;
	struct doc doc;

	if (!kind)
		return false;
	/* The result itself first: nothing that goes wrong with showing it may lose it. */
	if (!outputs_write_json(outputs, result, err) ||
	    !write_store(&outputs->targets[OPTION_SQLITE], result, err))
		return false;
	/* Who has waited for it sees it, also if it cannot be stored. */
	const bool is_stored =
		outputs->is_stored || stored_put(args, result, outputs->key, &unstored);
	bool ok = report_build(&doc, result, options, err) &&
		  outputs_show_doc(outputs, args, &doc, kind->table, err);
	doc_release(&doc);
	if (ok && !is_stored)
		*err = unstored;
	return ok && is_stored;
}

bool outputs_has_format(const struct args *args)
{
	static const enum option_id formats[] = {OPTION_JSON, OPTION_HTML, OPTION_CSV, OPTION_SVG,
						 OPTION_REPORT};
	bool has = false;

	for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
		has |= args_get(args, formats[i]) != NULL;
	return has;
}

static bool show_short(const struct args *args, const json_t *result, bool is_list, struct err *err)
{
	struct outputs outputs;
	bool ok = outputs_open(&outputs, args, err);

	outputs.is_list = is_list;
	outputs.is_quiet |= outputs_has_format(args) && !args_get(args, OPTION_REPORT);
	ok = ok && outputs_show(&outputs, args, result, NULL, err);
	outputs_close(&outputs, ok ? 0 : EXIT_TOOL);
	return ok;
}

bool outputs_show_list(const struct args *args, const json_t *result, struct err *err)
{
	return show_short(args, result, true, err);
}

bool outputs_show_answer(const struct args *args, const json_t *result, struct err *err)
{
	return show_short(args, result, false, err);
}

int outputs_open_directory(const char *path, struct err *err)
{
	int directory = -1;

	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		err_set_errno(err, errno, "%s", path);
	return directory;
}

/* Whether the beginning of the file has the text. */
static bool begins_with_own(int fd, const char *own)
{
	char start[4096];
	const ssize_t got = read(fd, start, sizeof(start));

	return got > 0 && memmem(start, (size_t)got, own, strlen(own));
}

bool outputs_may_write_entry(int directory, const char *name, const char *own, struct err *err)
{
	const int fd =
		openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return true;
	const bool is_own = fd >= 0 && begins_with_own(fd, own);
	if (fd >= 0)
		close(fd);
	return is_own || err_set(err,
				 "%s is there and was not written by cyclestack: remove it, or "
				 "choose another directory",
				 name);
}

struct entry {
	outputs_entry_writer *write;
	const void *context;
};

static bool make_entry(FILE *out, const void *context, struct err *err)
{
	const struct entry *entry = context;

	(void)err;
	entry->write(out, entry->context);
	return true;
}

bool outputs_write_entry(int directory, const char *name, outputs_entry_writer *write,
			 const void *context, struct err *err)
{
	const struct entry entry = {write, context};
	struct report_target target;
	bool ok = report_target_open(&target, directory, name, err) &&
		  report_write_made(&target, make_entry, &entry, err);

	report_target_release(&target);
	return ok;
}
