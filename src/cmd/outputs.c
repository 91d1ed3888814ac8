#include "cmd/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

static const enum option_id file_options[] = {
	OPTION_JSON,	      OPTION_HTML,	   OPTION_CSV,	  OPTION_FOLDED,
	OPTION_CALLGRIND,     OPTION_PIPEVIEW,	   OPTION_REPORT, OPTION_STDOUT,
	OPTION_STDERR,	      OPTION_OUTPUT,	   OPTION_LOG,	  OPTION_SAVE_READINGS,
	OPTION_SAVE_SKELETON, OPTION_RECORD_CYCLES};

/* Two results in one stream or file could not be told apart. The program's two streams can share
 * one, as they do on a terminal. */
static bool get_along(const struct outputs *outputs, enum option_id a, enum option_id b,
		      struct err *err)
{
	const struct report_target *first = &outputs->targets[a], *second = &outputs->targets[b];

	if (a == OPTION_STDOUT && b == OPTION_STDERR)
		return true;
	if (report_target_is_stdout(first) && report_target_is_stdout(second))
		return err_set(err, "--%s and --%s cannot both be standard output: name a file",
			       option_rows[a].name, option_rows[b].name);
	if (report_target_is_same(first, second))
		return err_set(err, "--%s and --%s name the same file, %s", option_rows[a].name,
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
	return ok;
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
	if (outputs->output > 0)
		close(outputs->output);
	if (outputs->errors > 0)
		close(outputs->errors);
}

/* Whether a result goes to standard output, where no text should be mixed with it. */
static bool is_stdout_taken(const struct outputs *outputs)
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

bool outputs_direct(struct outputs *outputs, struct job *job, struct err *err)
{
	if (!open_stream(&outputs->targets[OPTION_STDOUT], &outputs->output, err) ||
	    !open_stream(&outputs->targets[OPTION_STDERR], &outputs->errors, err))
		return false;
	job->output = outputs->output;
	job->errors = outputs->errors;
	if (!job->output && is_stdout_taken(outputs))
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

	if (outputs->is_quiet || (!target->path && is_stdout_taken(outputs)))
		return true;
	FILE *out = to_file ? open_memstream(&text, &bytes) : stdout;
	if (!out)
		return err_set(err, "not enough memory for %s", target->path);
	terminal_init(&terminal, out);
	print(out, &terminal, context);
	bool ok = true;
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

bool outputs_write_only_json(const struct args *args, const char *schema, json_t *body,
			     struct err *err)
{
	json_t *root = json_pack("{s:s}", "schema", schema);
	struct outputs outputs;

	json_object_update(root, body);
	bool ok = outputs_open(&outputs, args, err) && outputs_write_json(&outputs, root, err);
	outputs_close(&outputs, ok ? 0 : EXIT_TOOL);
	json_decref(root);
	json_decref(body);
	return ok;
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

bool outputs_write_entry(int directory, const char *name, outputs_entry_writer *write,
			 const void *context, struct err *err)
{
	struct report_target target;
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	if (!out)
		return err_set_errno(err, errno, "no memory for %s", name);
	write(out, context);
	bool ok = fclose(out) == 0 || err_set(err, "no memory for %s", name);
	if (ok) {
		ok = report_target_open(&target, directory, name, err) &&
		     report_write_file(&target, bytes, size, err);
		report_target_release(&target);
	}
	free(bytes);
	return ok;
}
