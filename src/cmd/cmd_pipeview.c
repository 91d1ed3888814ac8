/* Shows a pipeline file: in the terminal and as a page. */
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/window.h"
#include "report/file/kanata.h"
#include "report/page/pipeview_page.h"
#include "report/text/pipeview_text.h"

static bool write_page(struct outputs *outputs, const struct kanata *kanata,
		       const struct pipeview_range *range, struct err *err)
{
	struct report_target *target = &outputs->targets[OPTION_HTML];
	char *bytes = NULL;
	size_t size = 0;

	if (!target->path)
		return true;
	FILE *out = open_memstream(&bytes, &size);
	if (!out)
		return err_set(err, "no memory for the page");
	bool ok = pipeview_page_write(out, kanata, range, err);
	ok &= fclose(out) == 0 || err_set(err, "no memory for the page");
	ok = ok && report_write_file(target, bytes, size, err);
	free(bytes);
	return ok;
}

struct shown {
	const struct kanata *kanata;
	const struct pipeview_range *range;
};

static void print_pipeline(FILE *out, const struct terminal *terminal, const void *context)
{
	const struct shown *shown = context;

	pipeview_text_print(out, shown->kanata, shown->range, terminal);
}

static int show(struct outputs *outputs, const struct args *args, const struct kanata *kanata)
{
	struct pipeview_range range = {kanata->first_cycle, kanata->last_cycle};
	struct err err;

	if (args_get(args, OPTION_WINDOW) && !window_from_args(args, &range.from, &range.to, &err))
		return fail_usage(command_named("pipeview"), err.text);
	if (range.to - range.from >= PIPEVIEW_CYCLES_MAX) {
		err_set(&err,
			"%s: %llu cycles are too many to show; choose some with --window "
			"FROM:TO (cycles %llu to %llu, at most %d)",
			args->rest[0], (unsigned long long)(range.to - range.from + 1),
			(unsigned long long)kanata->first_cycle,
			(unsigned long long)kanata->last_cycle, PIPEVIEW_CYCLES_MAX);
		return fail_tool(err.text);
	}
	if (!write_page(outputs, kanata, &range, &err))
		return fail_tool(err.text);
	const struct shown shown = {kanata, &range};
	return outputs_write_report(outputs, print_pipeline, &shown, &err) ? 0
									   : fail_tool(err.text);
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
