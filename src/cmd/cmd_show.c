/* Shows a kept result again, in any format. */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/stored.h"
#include "report/run.h"
#include "report/source.h"

static bool read_options(struct report_options *options, struct source_roots *sources,
			 const struct args *args, struct err *err)
{
	uint64_t functions = 0;

	options->events = args_get(args, OPTION_EVENTS);
	options->has_functions = args_get(args, OPTION_FUNCTIONS);
	options->sources = sources;
	if (options->events && !run_events_check(options->events, err))
		return false;
	if (!args_get_count(args, OPTION_FUNCTIONS, 0, 1000000, &functions, err))
		return false;
	options->functions = (size_t)functions;
	for (size_t i = 0; i < args->counts[OPTION_SOURCE]; i++)
		if (!source_roots_add(sources, args->values[OPTION_SOURCE][i], err))
			return false;
	source_roots_add_working_directory(sources);
	return true;
}

static int show(struct outputs *outputs, const struct args *args,
		const struct report_options *options)
{
	struct err err;
	json_t *result = stored_read(args, args->rest[0], &err);
	bool ok = result && (outputs_show(outputs, args, result, options, &err) ||
			     err_prefix(&err, "%s", args->rest[0]));

	json_decref(result);
	return ok ? 0 : fail_err(command_named("show"), &err);
}

int cmd_show(const struct args *args)
{
	struct report_options options = {0};
	struct source_roots sources = {0};
	struct outputs outputs;
	struct err err;
	int status;

	if (args->rest_count != 1)
		return fail_usage(command_named("show"),
				  "show needs one result: RESULT.json, FILE#ID or @ID");
	if (!outputs_open(&outputs, args, &err))
		status = fail_err(command_named("show"), &err);
	else if (!read_options(&options, &sources, args, &err))
		status = fail_usage(command_named("show"), err.text);
	else
		status = show(&outputs, args, &options);
	outputs_close(&outputs, status);
	source_roots_release(&sources);
	return status;
}
