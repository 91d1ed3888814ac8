/* Compares two results of `run` or of `exec`, value by value, and the places where their cycles
 * were spent. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/stored.h"
#include "doc/doc_text.h"
#include "report/compare/compare.h"

static void print_doc(FILE *out, const struct terminal *terminal, const void *doc)
{
	doc_text_write(out, doc, terminal);
}

/* Prints the text alone. */
static bool print_only(struct outputs *outputs, const json_t *result, struct err *err)
{
	struct doc doc;
	bool ok = report_build(&doc, result, NULL, err) &&
		  outputs_write_report(outputs, print_doc, &doc, err);

	doc_release(&doc);
	return ok;
}

/* `unwritable` says why a file cannot be written, or is NULL: the text is worth printing anyway. */
static int report(const struct comparison *c, const struct args *args, struct outputs *outputs,
		  const struct err *unwritable)
{
	const char *limit = args_get(args, OPTION_FAIL_ABOVE);
	json_t *result = comparison_json(c);
	struct err err;

	bool ok = unwritable ? print_only(outputs, result, &err)
			     : outputs_show(outputs, args, result, NULL, &err);
	json_decref(result);
	if (unwritable)
		return fail_err(command_named("diff"), unwritable);
	if (!ok)
		return fail_tool(err.text);
	if (!c->is_above)
		return 0;
	fprintf(stderr, "cyclestack: cycles grew by %.2f%%, above the %s%s allowed\n",
		compare_percent(&c->rows[0]), limit, strchr(limit, '%') ? "" : "%");
	return EXIT_NEGATIVE;
}

/* Of a store; files are read by the comparison itself. */
static bool read_stored(struct compare_side *side, const struct args *args, const char *operand,
			struct err *err)
{
	if (!stored_is_name(operand))
		return true;
	side->root = stored_read(args, operand, err);
	return side->root;
}

int cmd_diff(const struct args *args)
{
	struct comparison c = {0};
	struct outputs outputs;
	struct err err, unwritable;

	if (args->rest_count != 2)
		return fail_usage(command_named("diff"), "diff needs two results: A.json B.json");
	c.has_limit = args_get(args, OPTION_FAIL_ABOVE);
	if (!args_get_percent(args, OPTION_FAIL_ABOVE, &c.limit_millionths, &err))
		return fail_usage(command_named("diff"), err.text);
	bool is_open = outputs_open(&outputs, args, &unwritable);
	bool ok = read_stored(&c.a, args, args->rest[0], &err) &&
		  read_stored(&c.b, args, args->rest[1], &err) &&
		  comparison_read(&c, args->rest[0], args->rest[1], &err);
	if (ok && c.has_limit && !compare_is_timed(&c.a))
		ok = err_set(&err, "--fail-above is about cycles, and results of exec have none");
	int status =
		ok ? report(&c, args, &outputs, is_open ? NULL : &unwritable) : fail_tool(err.text);
	outputs_close(&outputs, status);
	comparison_release(&c);
	return status;
}
