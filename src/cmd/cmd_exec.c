#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "value/member.h"

static int finish(struct outputs *outputs, const struct args *args, const json_t *result,
		  const struct worker_report *report)
{
	struct err err;

	/* The program's own output is all that is printed, unless a report is asked for. */
	outputs->is_quiet |= !args_get(args, OPTION_REPORT);
	if (result && !outputs_show(outputs, args, result, NULL, &err))
		return fail_tool(err.text);
	if (!result || json_is_true(json_object_get(result, "partial")))
		return guest_explain_stop(report,
					  result ? (uint64_t)member_whole(result, "instructions")
						 : report->instructions,
					  result);
	return (int)member_whole(result, "status");
}

int cmd_exec(const struct args *args)
{
	struct program program = {0};
	struct outputs outputs;
	struct worker_report report = {0};
	struct err err;
	json_t *result;
	int status;

	if (!outputs_open(&outputs, args, &err) || !program_open(&program, args, &err)) {
		status = fail_err(command_named("exec"), &err);
	} else {
		struct job job = {.program = &program,
				  .max_instructions = program.max_instructions,
				  .translates = !args_get(args, OPTION_NO_TRANSLATE)};

		if (outputs_direct(&outputs, &job, &err) &&
		    guest_run(&job, args, &result, &report, &err)) {
			status = finish(&outputs, args, result, &report);
			json_decref(result);
		} else {
			status = fail_err(command_named("exec"), &err);
		}
	}
	outputs_close(&outputs, status);
	program_release(&program);
	return status;
}
