/* Shows a pipeline file: in the terminal and as a page. */
#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/window.h"
#include "report/file/kanata.h"
#include "report/pipeview.h"

static int show(struct outputs *outputs, const struct args *args, const struct kanata *kanata)
{
	uint64_t from = kanata->first_cycle, to = kanata->last_cycle;
	struct doc doc;
	struct err err;

	if (args_get(args, OPTION_WINDOW) && !window_from_args(args, &from, &to, &err))
		return fail_usage(command_named("pipeview"), err.text);
	if (to - from >= PIPEVIEW_CYCLES_MAX) {
		err_set(&err,
			"%s: %llu cycles are too many to show; choose some with --window "
			"FROM:TO (cycles %llu to %llu, at most %d)",
			args->rest[0], (unsigned long long)(to - from + 1),
			(unsigned long long)kanata->first_cycle,
			(unsigned long long)kanata->last_cycle, PIPEVIEW_CYCLES_MAX);
		return fail_tool(err.text);
	}
	doc_init(&doc, "pipeview");
	pipeview_build(&doc, kanata, from, to);
	bool ok = outputs_show_doc(outputs, args, &doc, "stages", &err);
	doc_release(&doc);
	return ok ? 0 : fail_tool(err.text);
}

int cmd_pipeview(const struct args *args)
{
	struct kanata kanata = {0};
	struct outputs outputs;
	struct err err;

	if (args->rest_count != 1)
		return fail_usage(command_named("pipeview"),
				  "pipeview needs one file, written by run --pipeview");
	bool ok = outputs_open(&outputs, args, &err) &&
		  kanata_read_file(&kanata, args->rest[0], &err);
	int status = ok ? show(&outputs, args, &kanata) : fail_tool(err.text);
	outputs_close(&outputs, status);
	kanata_release(&kanata);
	return status;
}
