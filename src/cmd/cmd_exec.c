#include "cmd/guest.h"
#include "cmd/program.h"
#include "report/file/file.h"
#include "value/member.h"

static int finish(const struct args *args, const json_t *result, const struct worker_report *report)
{
	struct err err;

	if (result && !guest_write_json(args, result, &err))
		return fail_tool(err.text);
	if (!result || json_is_true(json_object_get(result, "partial")))
		return guest_explain_stop(report,
					  result ? (uint64_t)member_whole(result, "instructions")
						 : report->instructions);
	return (int)member_whole(result, "status");
}

int cmd_exec(const struct args *args)
{
	struct program program;
	struct worker_report report = {0};
	struct err err;
	json_t *result;
	int status;

	if (!report_check_path(args_get(args, OPTION_JSON), &err))
		return fail_tool(err.text);
	if (!program_open(&program, args, &status, &err)) {
		status = fail_with(status, command_named("exec"), err.text);
	} else {
		const struct job job = {.program = &program,
					.max_instructions = program.max_instructions};

		if (guest_run(&job, &result, &report, &err)) {
			status = finish(args, result, &report);
			json_decref(result);
		} else {
			status = fail_tool(err.text);
		}
	}
	program_release(&program);
	return status;
}
