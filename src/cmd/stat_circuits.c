#include <stdlib.h>

#include "cmd/circuits.h"
#include "cmd/guest.h"
#include "cmd/program.h"
#include "cmd/stat_request.h"
#include "job/parts.h"
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

static bool read_options(struct wanted *wanted, const struct args *args, struct err *err)
{
	static const enum option_id others[] = {OPTION_TO,    OPTION_LISTEN, OPTION_JSON,
						OPTION_CSV,   OPTION_HTML,   OPTION_LOG,
						OPTION_REPORT};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (args_get(args, others[i]))
			return err_usage(err,
					 "--rtl writes circuits and counts nothing: leave --%s "
					 "out",
					 option_rows[others[i]].name);
	if (!machine_from_args(&wanted->machine, args, err))
		return false;
	if (!stat_request_from_args(&wanted->request, args, &wanted->machine.config, &wanted->map,
				    err))
		return err_as_usage(err);
	if (!wanted->request.first.pair_count)
		return err_usage(err, "what is the circuit to count? Give -e SIGNAL@WHERE or "
				      "-g GROUP; `cyclestack signals` lists signals");
	if (args_get(args, OPTION_COUNTER_COUNT))
		wanted->request.circuit_counters = wanted->request.counters_most;
	if (args_get(args, OPTION_RANGE_COUNT))
		wanted->request.circuit_ranges = wanted->request.ranges_most;
	if (args->rest_count && circuits_is_cycles_file(args->rest[0]))
		wanted->cycles = args->rest[0];
	if (wanted->cycles && args->rest_count > 1)
		return err_usage(err, "%s holds recorded cycles and takes no arguments",
				 wanted->cycles);
	return !args->rest_count || wanted->cycles || program_open(&wanted->program, args, err);
}

/* The plan, and the stimulus if there is a program. Recorded cycles have no symbols, as nothing
 * has: parts of the code are ranges of addresses. */
static bool make_plan(struct wanted *wanted, const char *path, const struct args *args,
		      struct stats_plan *plan, struct err *err)
{
	struct part_stat_circuits part;
	const struct job_part *const parts[] = {part_stat_circuits_init(&part, &wanted->request),
						NULL};
	const struct job job = {
		.program = &wanted->program,
		.machine = &wanted->machine,
		.max_instructions = wanted->program.max_instructions,
		.is_silent = true,
		.parts = parts,
	};

	if (!args->rest_count || wanted->cycles)
		return job_stat_plan(&wanted->request, NULL, plan, err) || err_as_usage(err);
	return circuits_stimulate_stat(path, &job, args, plan, err) &&
	       (plan->count || err_tool(err, "internal error: the worker sent no settings"));
}

int stat_circuits(const struct args *args)
{
	const char *path = args_get(args, OPTION_RTL);
	struct wanted wanted = {0};
	struct stats_plan plan = {0};
	struct circuit circuits[STATS_PLAN_CIRCUITS_MOST] = {{0}};
	size_t count = 0;
	struct err err;

	bool ok = read_options(&wanted, args, &err) && circuits_may_write_stat(path, &err) &&
		  make_plan(&wanted, path, args, &plan, &err);
	const struct circuit_machine machine = stats_plan_machine(&plan, &wanted.machine.config);
	ok = ok && (stats_plan_circuits(circuits, &count, &machine, &err) || err_as_usage(&err)) &&
	     circuits_write(path, circuits, count, &wanted.machine, &err);
	if (ok && wanted.cycles)
		ok = circuits_stimulate_from_file(path, wanted.cycles, circuits, count,
						  &wanted.machine, REPEAT_MOST, &err);
	for (size_t i = 0; i < count; i++)
		circuit_release(&circuits[i]);
	stats_plan_release(&plan);
	program_release(&wanted.program);
	stats_request_release(&wanted.request);
	free(wanted.map);
	return ok ? 0 : fail_err(command_named("stat"), &err);
}
