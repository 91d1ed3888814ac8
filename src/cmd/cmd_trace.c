#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "image/image.h"
#include "job/trace_job.h"

static void show_warning(void *context, const char *sentence)
{
	progress_end(context);
	say_warning(NULL, sentence);
}

static void show_progress(void *context, uint64_t instructions)
{
	progress_update(context, instructions);
}

static int fail_usage_of(const char *sentence)
{
	return fail_usage(command_named("trace"), sentence);
}

/* Writes the trace and says what became of the program. */
static int finish_recording(struct outputs *outputs, const struct trace_product *product,
			    const struct worker_report *report)
{
	struct err err;

	if (product->bytes && !report_write_file(&outputs->targets[OPTION_OUTPUT], product->bytes,
						 product->count, &err))
		return fail_tool(err.text);
	if (!product->bytes || product->is_partial)
		return guest_explain_stop(report, product->instructions, product->bytes);
	fprintf(stderr, "cyclestack: %llu instructions in %zu bytes, %.2f bits each\n",
		(unsigned long long)product->instructions, product->count,
		product->instructions ? 8.0 * (double)product->count / (double)product->instructions
				      : 0.0);
	return product->status;
}

static int record(const struct args *args, struct outputs *outputs)
{
	struct args inner = *args;
	struct program program = {0};
	struct trace_product product = {0};
	struct worker_report report = {0};
	struct progress progress;
	const struct job_listener listener = {
		.warn = show_warning, .progress = show_progress, .context = &progress};
	struct err err;
	int status;

	inner.rest++;
	inner.rest_count--;
	if (!args_get(args, OPTION_OUTPUT))
		return fail_usage_of("record needs --output FILE");
	if (!program_open(&program, &inner, &err)) {
		status = fail_err(command_named("trace"), &err);
	} else {
		bool has_limit = program.max_instructions != INT64_MAX;

		progress_start(&progress, args, has_limit ? program.max_instructions : 0,
			       has_limit);
		bool ok = trace_record_start(&program, &listener, &product, &report, &err);
		progress_end(&progress);
		status = ok ? finish_recording(outputs, &product, &report) : fail_tool(err.text);
	}
	trace_product_release(&product);
	program_release(&program);
	return status;
}

/* Text that a worker made of a hostile file: lines without control characters. */
static void print_text(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char line[512];

		snprintf(line, sizeof(line), "%.*s", (int)(length < 500 ? length : 500), text);
		for (char *tab = line; (tab = strchr(tab, '\t'));)
			*tab = ' ';
		print_printable(stdout, line);
		putchar('\n');
		text += length + (text[length] == '\n');
	}
}

static bool show_info(struct outputs *outputs, const struct args *args,
		      const struct trace_product *product, bool is_sound, struct err *err)
{
	json_t *info = json_loadb((const char *)product->bytes, product->count, 0, NULL);
	bool ok = json_is_object(info) ? outputs_show(outputs, args, info, NULL, err)
				       : err_tool(err, "internal error: the worker's result is no "
						       "JSON object");

	if (ok && is_sound && !outputs_stdout_is_taken(outputs))
		printf("every frame%s and the trailer are sound\n",
		       json_object_get(info, "cycles") ? "" : ", the index");
	json_decref(info);
	return ok;
}

static bool print_product(struct outputs *outputs, const struct args *args, enum trace_task task,
			  const struct trace_product *product, struct err *err)
{
	switch (task) {
	case TRACE_INFO:
	case TRACE_VERIFY: return show_info(outputs, args, product, task == TRACE_VERIFY, err);
	case TRACE_HEAD: print_text((const char *)product->bytes); return true;
	default:
		fprintf(stderr, "cyclestack: %llu instructions in %zu bytes\n",
			(unsigned long long)product->instructions, product->count);
		return report_write_file(&outputs->targets[OPTION_OUTPUT], product->bytes,
					 product->count, err);
	}
}

static int read_file(const struct args *args, struct outputs *outputs, enum trace_task task)
{
	struct trace_reading reading = {.task = task, .name = args->rest[1], .count = 10};
	struct trace_product product = {0};
	enum worker_stop stop = WORKER_GO_ON;
	struct err err;
	int status = 0;

	if (!args_get_count(args, OPTION_FROM, 0, INT64_MAX, &reading.from, &err) ||
	    !args_get_count(args, OPTION_COUNT_STEPS, 1, 1000000, &reading.count, &err))
		return fail_usage_of(err.text);
	uint8_t *bytes = image_read(reading.name, &reading.size, &err);
	if (!bytes)
		return fail_tool(err.text);
	reading.bytes = bytes;
	bool ok = trace_read_start(&reading, &product, &stop, &err);
	/* Instructions before a damage are shown before it is named. */
	if (!ok && task == TRACE_HEAD && product.bytes) {
		print_text((const char *)product.bytes);
		fflush(stdout);
	}
	if (ok && product.bytes)
		ok = print_product(outputs, args, task, &product, &err);
	if (!ok)
		status = fail_tool(err.text);
	else if (stop == WORKER_INTERRUPTED)
		status = EXIT_INTERRUPTED;
	trace_product_release(&product);
	free(bytes);
	return status;
}

int cmd_trace(const struct args *args)
{
	static const struct {
		const char *name;
		enum trace_task task;
		bool writes;
	} readers[] = {
		{"info", TRACE_INFO, false},	 {"head", TRACE_HEAD, false},
		{"verify", TRACE_VERIFY, false}, {"export", TRACE_EXPORT, true},
		{"import", TRACE_IMPORT, true},
	};
	const char *action = args->rest_count ? args->rest[0] : "";
	struct outputs outputs;
	struct err err;
	int status = -1;

	if (!outputs_open(&outputs, args, &err)) {
		status = fail_err(command_named("trace"), &err);
		outputs_close(&outputs, status);
		return status;
	}
	if (strcmp(action, "record") == 0)
		status = record(args, &outputs);
	for (size_t i = 0; i < ARRAY_COUNT(readers); i++) {
		if (strcmp(action, readers[i].name) != 0)
			continue;
		if (args->rest_count != 2)
			status = fail_usage_of("expected one file");
		else if (readers[i].writes && !args_get(args, OPTION_OUTPUT))
			status = fail_usage_of("export and import need --output FILE");
		else
			status = read_file(args, &outputs, readers[i].task);
	}
	if (status < 0)
		status = fail_usage_of("what shall be done? record PROGRAM, or info, head, verify, "
				       "export or import and a FILE");
	outputs_close(&outputs, status);
	return status;
}
