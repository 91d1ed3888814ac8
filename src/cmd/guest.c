#include "cmd/guest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/progress.h"

#define JOBS_MOST 1024

static void show_warning(void *context, const char *sentence)
{
	progress_end(context);
	say_warning(NULL, sentence);
}

static void show_progress(void *context, uint64_t instructions)
{
	progress_update(context, instructions);
}

bool guest_run(const struct job *job, json_t **result, struct worker_report *report,
	       struct err *err)
{
	struct progress progress;
	const struct job_listener listener = {show_warning, show_progress, &progress};
	bool has_limit = job->max_instructions != INT64_MAX;

	progress_start(&progress, has_limit ? job->max_instructions : 0);
	bool ok = job_start(job, &listener, result, report, err);
	progress_end(&progress);
	return ok;
}

int guest_explain_stop(const struct worker_report *report, uint64_t instructions, bool has_result)
{
	const char *why = report->stop == WORKER_INTERRUPTED ? "interrupted"
			  : report->stop == WORKER_TIMEOUT   ? "stopped by --timeout"
							     : "stopped by --max-insns";

	fprintf(stderr, "cyclestack: %s after %llu instructions: %s\n", why,
		(unsigned long long)instructions,
		has_result ? "the result is partial" : "there is no result");
	return report->stop == WORKER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_PARTIAL;
}

bool machine_from_args(struct job_machine *machine, const struct args *args, int *status,
		       struct err *err)
{
	const char *name = args_get(args, OPTION_CONFIG);

	if (!name)
		name = option_rows[OPTION_CONFIG].fallback;
	const char *slash = strrchr(name, '/');
	*machine = (struct job_machine){
		.name = slash ? slash + 1 : name,
		.changes = args->values[OPTION_SET],
		.change_count = args->counts[OPTION_SET],
	};
	return config_from_args(&machine->config, args, status, err);
}

bool jobs_from_args(unsigned *at_once, const struct args *args, struct err *err)
{
	uint64_t jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	if (!args_get_count(args, OPTION_JOBS, 1, JOBS_MOST, &jobs, err))
		return false;
	*at_once = (unsigned)jobs;
	return true;
}
