/* Works on a store of results: lists, queries, exports, adds, tags and removes them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/stored.h"
#include "store/results.h"
#include "value/layout.h"
#include "value/printable_json.h"

#define DAY_SECONDS 86400

static const struct command *this_command(void)
{
	return command_named("results");
}

static int fail(const struct err *err)
{
	return fail_err(this_command(), err);
}

static bool read_filter(struct results_filter *filter, const struct args *args, struct err *err)
{
	uint64_t days = 0, most = 0;

	*filter = (struct results_filter){
		.program = args_get(args, OPTION_OF_PROGRAM),
		.machine = args_get(args, OPTION_OF_MACHINE),
		.command = args_get(args, OPTION_OF_COMMAND),
		.tag = args_get(args, OPTION_TAG),
		.not_tag = args_get(args, OPTION_NOT_TAG),
		.with_steps = args_get(args, OPTION_STEPS),
		.with_collected = true,
	};
	if (!args_get_count(args, OPTION_OLDER_THAN, 0, 100000, &days, err) ||
	    !args_get_count(args, OPTION_LIMIT, 1, UINT32_MAX, &most, err))
		return false;
	if (args_get(args, OPTION_OLDER_THAN))
		filter->before = (uint64_t)time(NULL) - days * DAY_SECONDS + 1;
	filter->most = (size_t)most;
	if (filter->program && *filter->program == '@')
		filter->program++;
	return true;
}

/* What is found, as rows of cyclestack-results-1 and by number. */
struct found {
	json_t *rows;
	int64_t *ids;
	uint64_t *bytes;
	size_t count, id_room, byte_room, byte_count;
};

static void add_row(void *context, const struct result_row *row)
{
	struct found *found = context;

	json_array_append_new(
		found->rows,
		json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:I, s:I}", "id",
			  row->name, "command", printable_json(row->command), "result",
			  printable_json(row->schema), "program", printable_json(row->program),
			  "arguments", printable_json(row->arguments), "machine",
			  printable_json(row->machine), "changes", printable_json(row->changes),
			  "tags", printable_json(row->tags), "partial", row->is_partial, "step",
			  row->is_step, "version", printable_json(row->version), "received",
			  (json_int_t)(row->received < LAYOUT_MOST ? row->received : 0), "bytes",
			  (json_int_t)(row->bytes < LAYOUT_MOST ? row->bytes : 0)));
	*ARRAY_PUSH(found->ids, found->count, found->id_room) = row->id;
	*ARRAY_PUSH(found->bytes, found->byte_count, found->byte_room) = row->bytes;
}

static void found_release(struct found *found)
{
	json_decref(found->rows);
	free(found->ids);
	free(found->bytes);
}

/* The latest ones if they are limited, in the order in which they were stored. */
static bool find(struct found *found, struct store *store, const struct results_filter *filter,
		 struct err *err)
{
	struct results_filter last = *filter;

	*found = (struct found){.rows = json_array()};
	if (!filter->most)
		return results_each(store, filter, false, add_row, found, err);
	last.with_collected = false;
	if (!results_each(store, &last, true, add_row, found, err))
		return false;
	const int64_t above = found->count == filter->most ? found->ids[found->count - 1] - 1 : 0;
	found_release(found);
	*found = (struct found){.rows = json_array()};
	last.most = 0;
	last.above = above;
	return results_each(store, &last, false, add_row, found, err);
}

static int show(const struct args *args, json_t *result)
{
	struct err err;
	const bool ok = outputs_show_list(args, result, &err);

	json_decref(result);
	return ok ? 0 : fail(&err);
}

static int list(const struct args *args, struct store *store, struct err *err)
{
	struct results_filter filter;
	struct found found = {0};

	if (args->rest_count > 1)
		return fail_usage(this_command(), "results list takes no operands");
	if (!read_filter(&filter, args, err) || !find(&found, store, &filter, err)) {
		found_release(&found);
		return fail(err);
	}
	json_t *result =
		json_pack("{s:s, s:O}", "schema", layout_results.schema, "results", found.rows);
	found_release(&found);
	return show(args, result);
}

/* The answer to a query as it grows. */
struct answer {
	json_t *columns, *rows;
};

static void begin_answer(void *context, const char *const *columns, size_t count)
{
	struct answer *answer = context;

	for (size_t i = 0; i < count; i++) {
		char *name = mem_strdup(columns[i]);
		const json_t *other;
		size_t k;

		/* A row has one member of each name. */
		for (int number = 2;; number++) {
			bool is_taken = false;

			json_array_foreach(answer->columns, k, other) is_taken |=
				strcmp(json_string_value(other), name) == 0;
			if (!is_taken)
				break;
			free(name);
			name = mem_format("%s (%d)", columns[i], number);
		}
		json_array_append_new(answer->columns, printable_json(name));
		free(name);
	}
}

static json_t *cell_json(const struct result_cell *cell)
{
	switch (cell->kind) {
	case RESULT_WHOLE: return json_integer((json_int_t)cell->whole);
	case RESULT_NUMBER: return json_real(cell->number); /* NULL if it is not finite */
	case RESULT_TEXT: return printable_json(cell->text);
	case RESULT_BYTES: return json_sprintf("(%zu bytes)", cell->bytes);
	default: return json_null();
	}
}

static bool add_answer(void *context, const struct result_cell *cells, size_t count)
{
	struct answer *answer = context;
	json_t *row = json_object();

	for (size_t i = 0; i < count; i++) {
		json_t *value = cell_json(&cells[i]);

		json_object_set_new(row, json_string_value(json_array_get(answer->columns, i)),
				    value ? value : json_null());
	}
	json_array_append_new(answer->rows, row);
	return true;
}

static int query(const struct args *args, struct store *store, struct err *err)
{
	struct answer answer = {json_array(), json_array()};
	const struct results_reader reader = {begin_answer, add_answer, &answer};
	double seconds = 0;

	if (args->rest_count != 2)
		return fail_usage(this_command(), "results query needs one SELECT, in quotes");
	if (!args_get_seconds(args, OPTION_TIMEOUT, &seconds, err) ||
	    !results_query(store, args->rest[1], seconds, &reader, err)) {
		json_decref(answer.columns);
		json_decref(answer.rows);
		return fail(err);
	}
	return show(args, json_pack("{s:s, s:o, s:o}", "schema", layout_query.schema, "columns",
				    answer.columns, "rows", answer.rows));
}

struct text {
	const char *bytes;
	size_t count;
};

static void write_text(FILE *out, const void *context)
{
	const struct text *text = context;

	fwrite(text->bytes, 1, text->count, out);
}

/* A file for each, named by its number; one that is there already must be a result. */
static bool export_one(int directory, struct store *store, const char *id, struct err *err)
{
	struct result_name name;
	struct text text;
	char file[64];

	snprintf(file, sizeof(file), "%s.json", id);
	for (char *c = file; *c; c++)
		if (*c == ':')
			*c = '-';
	BUG_ON(!result_name_read(&name, id));
	char *bytes = results_text(store, &name, &text.count, err);
	text.bytes = bytes;
	const bool ok =
		bytes &&
		outputs_may_write_entry(directory, file, "\"schema\": \"cyclestack-", err) &&
		outputs_write_entry(directory, file, write_text, &text, err);
	free(bytes);
	return ok;
}

static int export(const struct args *args, struct store *store, struct err *err)
{
	struct results_filter filter;
	struct found found = {0};
	const json_t *row;
	size_t i;

	if (args->rest_count != 2)
		return fail_usage(this_command(), "results export needs one directory");
	bool ok = read_filter(&filter, args, err) && find(&found, store, &filter, err);
	const int directory = ok ? outputs_open_directory(args->rest[1], err) : -1;
	ok = directory >= 0;
	json_array_foreach(found.rows, i, row)
	{
		ok = ok && export_one(directory, store,
				      json_string_value(json_object_get(row, "id")), err);
	}
	if (ok)
		fprintf(stderr, "cyclestack: %zu result%s written to ", found.count,
			found.count == 1 ? "" : "s");
	if (ok) {
		print_printable(stderr, args->rest[1]);
		fputc('\n', stderr);
	}
	found_release(&found);
	return ok ? 0 : fail(err);
}

static int add(const struct args *args, struct store *store, struct err *err)
{
	const struct result_receipt receipt = {.tags = args->values[OPTION_TAG],
					       .tag_count = args->counts[OPTION_TAG]};
	bool ok = true;

	if (args->rest_count < 2)
		return fail_usage(this_command(), "results add needs files that --json wrote");
	for (size_t i = 1; ok && i < args->rest_count; i++) {
		size_t count;
		int64_t id;
		json_t *result;
		char *text = stored_read_file(args->rest[i], &count, &result, err);

		ok = text && (results_add(store, result, text, count, &receipt, &id, err) ||
			      err_prefix(err, "%s", args->rest[i]));
		if (ok)
			printf("%" PRId64 "\n", id);
		json_decref(result);
		free(text);
	}
	return ok ? 0 : fail(err);
}

static int tag(const struct args *args, struct store *store, bool adds, struct err *err)
{
	bool ok = true;

	if (args->rest_count < 3)
		return fail_usage(this_command(), "results tag and untag need a tag and the "
						  "numbers of results: results tag NAME ID...");
	for (size_t i = 2; ok && i < args->rest_count; i++) {
		const char *id = args->rest[i];
		struct result_name name;

		if (!result_name_read(&name, id + (*id == '@')) || !name.id)
			ok = err_usage(err, "\"%s\" is not the number of a stored result", id);
		else
			ok = adds ? results_tag(store, name.id, args->rest[1], err)
				  : results_untag(store, name.id, args->rest[1], err);
	}
	return ok ? 0 : fail(err);
}

/* Of what is not removed by itself the oldest, too, until the others have together at most so many
 * bytes; `found` has all that may be removed, the oldest first. */
static void leave_out_beyond(struct found *found, uint64_t most)
{
	uint64_t sum = 0;
	size_t i = found->count;

	while (i > 0 && sum + found->bytes[i - 1] <= most)
		sum += found->bytes[--i];
	for (size_t k = found->count; k > i; k--)
		json_array_remove(found->rows, k - 1);
	found->count = i;
}

static bool read_prune(struct results_filter *filter, uint64_t *most, bool *has_size,
		       const struct args *args, struct err *err)
{
	*most = 0;
	*has_size = args_get(args, OPTION_TO_SIZE);
	if (!read_filter(filter, args, err) ||
	    !args_get_bytes(args, OPTION_TO_SIZE, 0, INT64_MAX, most, err))
		return false;
	filter->with_collected = false;
	/* Without a condition everything would go. */
	return filter->program || filter->machine || filter->command || filter->tag ||
	       filter->not_tag || filter->before || *has_size ||
	       err_usage(err, "results prune needs to be told what to remove: --older-than, "
			      "--to-size, --tag, --not-tag, --program, --machine or --command");
}

static int prune(const struct args *args, struct store *store, struct err *err)
{
	const bool is_dry = args_get(args, OPTION_DRY_RUN);
	struct results_filter filter;
	struct found found = {0};
	bool has_size;
	uint64_t most;

	if (args->rest_count > 1)
		return fail_usage(this_command(), "results prune takes no operands");
	bool ok = read_prune(&filter, &most, &has_size, args, err) &&
		  find(&found, store, &filter, err);
	if (ok && has_size)
		leave_out_beyond(&found, most);
	if (ok && !is_dry)
		ok = results_remove(store, found.ids, found.count, err) &&
		     (!found.count || results_compact(store, err));
	json_t *result = ok ? json_pack("{s:s, s:b, s:O}", "schema", layout_results.schema,
					"removed", !is_dry, "results", found.rows)
			    : NULL;
	found_release(&found);
	return ok ? show(args, result) : fail(err);
}

int cmd_results(const struct args *args)
{
	static const char *const actions[] = {"list", "query", "export", "add",
					      "tag",  "untag", "prune"};
	const char *action = args->rest_count ? args->rest[0] : "";
	const bool is_dry = args_get(args, OPTION_DRY_RUN);
	struct err err;
	size_t which = 0;
	int status;

	while (which < ARRAY_COUNT(actions) && strcmp(actions[which], action) != 0)
		which++;
	if (which == ARRAY_COUNT(actions))
		return fail_usage(this_command(), "what should be done? list, query, export, add, "
						  "tag, untag or prune");
	struct store *store = stored_open(args, which > 2 && !(which == 6 && is_dry), &err);
	if (!store)
		return fail(&err);
	switch (which) {
	case 0: status = list(args, store, &err); break;
	case 1: status = query(args, store, &err); break;
	case 2: status = export(args, store, &err); break;
	case 3: status = add(args, store, &err); break;
	case 6: status = prune(args, store, &err); break;
	default: status = tag(args, store, which == 4, &err); break;
	}
	store_close(store);
	return status;
}
