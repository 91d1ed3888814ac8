#include <stdlib.h>

#include "cmd/circuits.h"
#include "cmd/guest.h"
#include "cmd/program.h"
#include "cmd/stat_request.h"
#include "job/stat.h"

/* Cycles that a record of a file may stand for: each interval of them is written. */
#define REPEAT_MOST (UINT64_C(1) << 24)

struct wanted {
	struct job_machine machine;
	struct stats_request request;
	char *map;
	struct program program;
	const char *cycles; /* a file of recorded cycles; NULL: a program, or nothing */
};

static bool read_options(struct wanted *wanted, const struct args *args, int *status,
			 struct err *err)
{
	static const enum option_id others[] = {OPTION_TO,    OPTION_LISTEN, OPTION_JSON,
						OPTION_CSV,   OPTION_HTML,   OPTION_LOG,
						OPTION_REPORT};

	*status = EXIT_USAGE;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (args_get(args, others[i]))
			return err_set(err,
				       "--rtl writes circuits and counts nothing: leave --%s "
				       "out",
				       option_rows[others[i]].name);
	if (!machine_from_args(&wanted->machine, args, status, err))
		return false;
	*status = EXIT_USAGE;
	if (!stat_request_from_args(&wanted->request, args, &wanted->map, err))
		return false;
	if (!wanted->request.first.pair_count)
		return err_set(err, "what is the circuit to count? Give -e SIGNAL@WHERE or "
				    "-g GROUP; `cyclestack signals` lists signals");
	wanted->request.has_circuits = true;
	if (args_get(args, OPTION_COUNTER_COUNT))
		wanted->request.circuit_counters = wanted->request.counters_most;
	if (args_get(args, OPTION_RANGE_COUNT))
		wanted->request.circuit_ranges = wanted->request.ranges_most;
	if (args->rest_count && circuits_is_cycles_file(args->rest[0]))
		wanted->cycles = args->rest[0];
	if (wanted->cycles && args->rest_count > 1)
		return err_set(err, "%s holds recorded cycles and takes no arguments",
			       wanted->cycles);
	return !args->rest_count || wanted->cycles ||
	       program_open(&wanted->program, args, status, err);
}

/* The plan, and the stimulus if there is a program. Recorded cycles have no symbols, as nothing
 * has: parts of the code are ranges of addresses. */
static bool make_plan(struct wanted *wanted, const char *path, const struct args *args,
		      struct stats_plan *plan, int *status, struct err *err)
{
	const struct job job = {
		.program = &wanted->program,
		.machine = &wanted->machine,
		.max_instructions = wanted->program.max_instructions,
		.is_silent = true,
		.stat = &wanted->request,
	};

	if (!args->rest_count || wanted->cycles) {
		*status = EXIT_USAGE;
		return job_stat_plan_request(&wanted->request, plan, err);
	}
	*status = EXIT_TOOL;
	return circuits_stimulate(path, &job, args, plan, err) &&
	       (plan->count || err_set(err, "internal error: the worker sent no settings"));
}

int stat_circuits(const struct args *args)
{
	const char *path = args_get(args, OPTION_RTL);
	struct wanted wanted = {0};
	struct stats_plan plan = {0};
	struct circuit circuits[STATS_PLAN_CIRCUITS_MOST] = {{0}};
	size_t count = 0;
	struct err err;
	int status;

	bool ok = read_options(&wanted, args, &status, &err) &&
		  make_plan(&wanted, path, args, &plan, &status, &err);
	const struct circuit_machine machine = stats_plan_machine(&plan, &wanted.machine.config);
	ok = ok && stats_plan_circuits(circuits, &count, &machine, &err) &&
	     circuits_write(path, circuits, count, &wanted.machine, &err);
	if (ok && wanted.cycles) {
		status = EXIT_TOOL;
		ok = circuits_stimulate_from_file(path, wanted.cycles, circuits, count,
						  &wanted.machine, REPEAT_MOST, &err);
	}
	for (size_t i = 0; i < count; i++)
		circuit_release(&circuits[i]);
	stats_plan_release(&plan);
	program_release(&wanted.program);
	stats_request_release(&wanted.request);
	free(wanted.map);
	return ok ? 0 : fail_with(status, command_named("stat"), err.text);
}
