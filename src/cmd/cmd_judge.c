#include <string.h>

#include "cmd/guest_job.h"
#include "cmd/judge.h"
#include "report/file/file.h"
#include "report/page/judge_page.h"
#include "report/text/judge_text.h"

static int finish(const struct args *args, const json_t *result, bool interrupted)
{
	const char *json = args_get(args, OPTION_JSON), *html = args_get(args, OPTION_HTML);
	struct terminal terminal;
	struct err err;

	if (interrupted && !json_array_size(json_object_get(result, "programs"))) {
		fail_tool("interrupted before a program had all its simulations");
		return EXIT_INTERRUPTED;
	}
	terminal_init(&terminal, stdout);
	if ((!json || strcmp(json, "-") != 0) && (!html || strcmp(html, "-") != 0))
		judge_text_print(stdout, result, &terminal);
	if (!guest_job_write(args, result, &err) ||
	    (html && !report_write_result(html, judge_page_write, result, &err)))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: programs that were not finished are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

int cmd_judge(const struct args *args)
{
	struct judge_request request = {0};
	bool interrupted = false;
	struct err err;
	int status = EXIT_TOOL;

	if (!report_check_path(args_get(args, OPTION_JSON), &err) ||
	    !report_check_path(args_get(args, OPTION_HTML), &err))
		return fail_tool(err.text);
	if (!judge_open(&request, args, &status, &err)) {
		status = status == EXIT_USAGE ? fail_usage(command_named("judge"), err.text)
					      : fail_tool(err.text);
	} else {
		json_t *result = judge_run(&request, &interrupted, &err);

		status = result ? finish(args, result, interrupted) : fail_tool(err.text);
		json_decref(result);
	}
	judge_release(&request);
	return status;
}
