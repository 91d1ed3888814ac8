/* Two results of `run` or of `exec`, compared value by value, and by where cycles went. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/command.h"
#include "base/printable.h"
#include "report/text/change.h"
#include "report/file/file.h"
#include "report/text/terminal.h"

#define NAME_BYTES     128
#define HASH_SHOWN     12
#define PERCENT_DIGITS 6
#define CHANGES_SHOWN  10		  /* of functions and of lines: a screenful with the rest */
#define NUMBER_COLUMNS 54		  /* of A, B, difference and percent */
#define VALUE_MOST     9007199254740992.0 /* up to here a double holds every whole number */

struct schema {
	const char *name;
	bool is_timed;	 /* has cycles and a configuration */
	bool has_stacks; /* says where the cycles went */
	const char *members[5];
};

static const struct schema schemas[] = {
	{"cyclestack-run-1", true, false, {"values"}},
	{"cyclestack-run-2", true, true, {"values"}},
	{"cyclestack-exec-1",
	 false,
	 false,
	 {"instructions", "memory_bytes", "unknown_syscalls", "syscalls"}},
};

/* A result as read; the texts belong to `root`. */
struct result {
	const char *path;
	json_t *root;
	const struct schema *schema;
	json_t *values; /* owned: dotted name -> number, in the order of the file */
	const char *program, *program_hash;
	const char *configuration, *configuration_hash; /* empty if it is not timed */
	int64_t skipped;
	int64_t status;
	bool is_partial;
	struct profile profile; /* empty without stacks */
};

/* One line of the comparison; NAN stands for "there is none". */
struct row {
	char name[NAME_BYTES];
	double a, b;
	bool is_whole;
};

/* What changed of one kind of thing, the largest change first. */
struct section {
	const char *title;  /* of the text's table */
	const char *member; /* of the JSON */
	struct change *(*list)(const struct profile *a, const struct profile *b, size_t *count);
};

static const struct section sections[] = {
	{"cycles by component", "components", change_components},
	{"cycles by function", "functions", change_functions},
	{"cycles by line", "lines", change_lines},
};

struct comparison {
	struct result a, b;
	struct row *rows; /* cycles, instructions and CPI, then what differs */
	size_t row_count, row_capacity;
	size_t difference_count; /* of values, not of CPI */
	bool has_limit;
	const char *limit_text;
	uint64_t limit_millionths; /* of a percent */
	bool is_above;
	struct change *changes[ARRAY_COUNT(sections)]; /* NULL unless both have stacks */
	size_t change_counts[ARRAY_COUNT(sections)];
};

static int64_t count_of(const struct result *r, const char *name)
{
	return json_integer_value(json_object_get(r->values, name));
}

/* Makes text from a file fit for the terminal. */
static const char *shown(char out[NAME_BYTES], const char *text)
{
	printable_copy(out, NAME_BYTES - 1, (const uint8_t *)text, strlen(text));
	return out;
}

static const char *shown_hash(char out[HASH_SHOWN + 1], const char *text)
{
	printable_copy(out, HASH_SHOWN, (const uint8_t *)text, strlen(text));
	return out;
}

static bool load(struct result *r, struct err *err)
{
	char text[NAME_BYTES];
	json_error_t where;
	FILE *in = fopen(r->path, "re");

	if (!in)
		return err_set_errno(err, errno, "%s", r->path);
	errno = 0;
	r->root = json_loadf(in, JSON_REJECT_DUPLICATES, &where);
	int reason = ferror(in) ? errno : 0;
	fclose(in);
	if (r->root)
		return true;
	if (reason)
		return err_set_errno(err, reason, "%s", r->path);
	return err_set(err, "%s:%d:%d: this is not JSON: %s", r->path, where.line,
		       where.column > 0 ? where.column : 1, shown(text, where.text));
}

static bool find_schema(struct result *r, struct err *err)
{
	const char *name = json_string_value(json_object_get(r->root, "schema"));
	char text[NAME_BYTES];

	if (!name)
		return err_set(err,
			       "%s: \"schema\" is missing; diff compares what run --json and "
			       "exec --json write",
			       r->path);
	for (size_t i = 0; i < ARRAY_COUNT(schemas); i++)
		if (strcmp(name, schemas[i].name) == 0)
			r->schema = &schemas[i];
	return r->schema ? true
			 : err_set(err,
				   "%s is of schema \"%s\"; diff compares what run --json "
				   "(cyclestack-run-1, cyclestack-run-2) and exec --json "
				   "(cyclestack-exec-1) write",
				   r->path, shown(text, name));
}

/* Adds the numbers of `from` to r->values under dotted names. */
static bool flatten(struct result *r, const char *prefix, json_t *from, struct err *err)
{
	const char *key;
	json_t *value;

	if (json_is_number(from)) {
		if (json_number_value(from) < 0 || json_number_value(from) > VALUE_MOST)
			return err_set(err, "%s: the value \"%s\" is %s", r->path, prefix,
				       json_number_value(from) < 0 ? "negative" : "too large");
		json_object_set(r->values, prefix, from);
		return true;
	}
	if (!json_is_object(from))
		return err_set(err, "%s: the value \"%s\" is not a number", r->path, prefix);
	json_object_foreach(from, key, value)
	{
		char name[NAME_BYTES], text[NAME_BYTES];
		int bytes = snprintf(name, sizeof(name), "%s%s%s", prefix, prefix[0] ? "." : "",
				     shown(text, key));

		if (bytes >= NAME_BYTES || strlen(key) >= NAME_BYTES)
			return err_set(err, "%s: a value has a name of more than %d bytes", r->path,
				       NAME_BYTES - 1);
		if (!flatten(r, name, value, err))
			return false;
	}
	return true;
}

static bool read_pair(const struct result *r, const char *of, const char **name, const char **hash,
		      struct err *err)
{
	json_t *pair = json_object_get(r->root, of);

	*name = json_string_value(json_object_get(pair, "name"));
	*hash = json_string_value(json_object_get(pair, "sha256"));
	if (!*name || !*hash)
		return err_set(err, "%s: %s.%s is missing", r->path, of, *name ? "sha256" : "name");
	return true;
}

static bool read_whole(const struct result *r, const json_t *in, const char *name, int64_t *value,
		       struct err *err)
{
	json_t *found = json_object_get(in, name);

	if (!json_is_integer(found))
		return err_set(err, "%s: %s is missing or not a whole number", r->path, name);
	*value = json_integer_value(found);
	return true;
}

static bool read_result(struct result *r, struct err *err)
{
	json_t *partial;
	int64_t count;

	r->configuration = r->configuration_hash = "";
	if (!load(r, err) || !find_schema(r, err) ||
	    !read_pair(r, "program", &r->program, &r->program_hash, err))
		return false;
	if (r->schema->is_timed &&
	    (!read_pair(r, "configuration", &r->configuration, &r->configuration_hash, err) ||
	     !read_whole(r, r->root, "skipped_instructions", &r->skipped, err)))
		return false;
	partial = json_object_get(r->root, "partial");
	if (!json_is_boolean(partial))
		return err_set(err, "%s: partial is missing or neither true nor false", r->path);
	r->is_partial = json_is_true(partial);
	if (!read_whole(r, r->root, "status", &r->status, err))
		return false;
	r->values = json_object();
	for (const char *const *member = r->schema->members; *member; member++) {
		json_t *found = json_object_get(r->root, *member);

		if (!found)
			return err_set(err, "%s: %s is missing", r->path, *member);
		if (!flatten(r, r->schema->is_timed ? "" : *member, found, err))
			return false;
	}
	if ((r->schema->is_timed && !read_whole(r, r->values, "cycles", &count, err)) ||
	    !read_whole(r, r->values, "instructions", &count, err))
		return false;
	return !r->schema->has_stacks || profile_read(&r->profile, r->root, err) ||
	       err_prefix(err, "%s", r->path);
}

/* Two results that did different parts of the work have nothing to say to each other. */
static bool can_compare(const struct result *a, const struct result *b, struct err *err)
{
	const struct result *partial = a->is_partial ? a : b;
	const struct result *other = partial == a ? b : a;
	int64_t here = count_of(partial, "instructions"), there = count_of(other, "instructions");

	if (a->schema->is_timed != b->schema->is_timed)
		return err_set(err,
			       "%s is a result of %s and %s one of %s: they cannot be compared",
			       a->path, a->schema->is_timed ? "run" : "exec", b->path,
			       b->schema->is_timed ? "run" : "exec");
	if (!partial->is_partial)
		return true;
	if (here == there && a->skipped == b->skipped)
		return true;
	return err_set(err,
		       "%s is partial: it stopped after %" PRId64 " instructions, where %s has "
		       "%" PRId64 "; partial results can be compared only if they stopped at the "
		       "same place (--max-insns)",
		       partial->path, here, other->path, there);
}

static void add_row(struct comparison *c, const char *name, double a, double b, bool is_whole)
{
	struct row *row = ARRAY_PUSH(c->rows, c->row_count, c->row_capacity);

	snprintf(row->name, sizeof(row->name), "%s", name);
	row->a = a;
	row->b = b;
	row->is_whole = is_whole;
}

static double number_or_none(const json_t *value)
{
	return value ? json_number_value(value) : NAN;
}

static void add_value(struct comparison *c, const char *name, bool even_if_equal)
{
	json_t *a = json_object_get(c->a.values, name), *b = json_object_get(c->b.values, name);
	bool is_equal = a && b && json_equal(a, b);

	c->difference_count += !is_equal;
	if (!is_equal || even_if_equal)
		add_row(c, name, number_or_none(a), number_or_none(b),
			!json_is_real(a) && !json_is_real(b));
}

static double cpi(const struct result *r)
{
	double instructions = (double)count_of(r, "instructions");

	return instructions > 0 ? (double)count_of(r, "cycles") / instructions : NAN;
}

static bool is_first(const char *name)
{
	return strcmp(name, "cycles") == 0 || strcmp(name, "instructions") == 0;
}

static bool has_stacks(const struct comparison *c)
{
	return c->a.schema->has_stacks && c->b.schema->has_stacks;
}

static void compare(struct comparison *c)
{
	const char *name;
	json_t *value;

	if (c->a.schema->is_timed)
		add_value(c, "cycles", true);
	add_value(c, "instructions", true);
	if (c->a.schema->is_timed)
		add_row(c, "CPI", cpi(&c->a), cpi(&c->b), false);
	json_object_foreach(c->a.values, name, value)
	{
		if (!is_first(name))
			add_value(c, name, false);
	}
	json_object_foreach(c->b.values, name, value)
	{
		if (!json_object_get(c->a.values, name))
			add_value(c, name, false);
	}
	/* Whole numbers, so that growth of exactly the limit is not above it. */
	unsigned __int128 a = (uint64_t)count_of(&c->a, "cycles");
	unsigned __int128 b = (uint64_t)count_of(&c->b, "cycles");
	c->is_above = c->has_limit && b > a && (b - a) * 100000000 > a * c->limit_millionths;
	for (size_t i = 0; i < ARRAY_COUNT(sections) && has_stacks(c); i++)
		c->changes[i] =
			sections[i].list(&c->a.profile, &c->b.profile, &c->change_counts[i]);
}

/* Each thing that makes the two less comparable, as a line of its own. */
static json_t *list_notes(const struct comparison *c)
{
	const struct result *a = &c->a, *b = &c->b;
	char name_a[NAME_BYTES], name_b[NAME_BYTES], hash_a[HASH_SHOWN + 1], hash_b[HASH_SHOWN + 1];
	json_t *notes = json_array();
	bool is_same_program = strcmp(a->program_hash, b->program_hash) == 0;
	int64_t here = count_of(a, "instructions"), there = count_of(b, "instructions");

	if (!is_same_program)
		json_array_append_new(notes,
				      json_sprintf("the programs differ: %s (%s) and %s (%s)",
						   shown(name_a, a->program),
						   shown_hash(hash_a, a->program_hash),
						   shown(name_b, b->program),
						   shown_hash(hash_b, b->program_hash)));
	if (strcmp(a->configuration_hash, b->configuration_hash) != 0)
		json_array_append_new(notes,
				      json_sprintf("the configurations differ: %s (%s) and %s (%s)",
						   shown(name_a, a->configuration),
						   shown_hash(hash_a, a->configuration_hash),
						   shown(name_b, b->configuration),
						   shown_hash(hash_b, b->configuration_hash)));
	if (a->skipped != b->skipped)
		json_array_append_new(notes,
				      json_sprintf("A begins after %" PRId64 " instructions, B "
						   "after %" PRId64,
						   a->skipped, b->skipped));
	if (a->status != b->status)
		json_array_append_new(notes, json_sprintf("A ended with status %" PRId64
							  ", B with %" PRId64,
							  a->status, b->status));
	if (a->is_partial || b->is_partial)
		json_array_append_new(notes, json_sprintf("%s partial: stopped after %" PRId64
							  " instructions",
							  !b->is_partial   ? "A is"
							  : !a->is_partial ? "B is"
									   : "both are",
							  here));
	else if (is_same_program && a->skipped == b->skipped && here != there)
		json_array_append_new(notes,
				      json_string("the same program ran a different number of "
						  "instructions: its arguments or input differ"));
	if (a->schema->has_stacks != b->schema->has_stacks)
		json_array_append_new(notes, json_sprintf("%s is of schema cyclestack-run-1 and "
							  "does not say where its cycles went",
							  a->schema->has_stacks ? "B" : "A"));
	return notes;
}

static void number_text(char *text, size_t bytes, const struct row *row, double value, bool sign)
{
	if (isnan(value))
		snprintf(text, bytes, "-");
	else if (row->is_whole)
		snprintf(text, bytes, sign && value != 0 ? "%+.0f" : "%.0f", value);
	else
		snprintf(text, bytes, sign && value != 0 ? "%+.3f" : "%.3f", value);
}

static double percent(const struct row *row)
{
	return row->a > 0 ? 100 * (row->b - row->a) / row->a : NAN;
}

static void print_rows(const struct comparison *c, size_t first, size_t end)
{
	int columns = 12;

	for (size_t i = 0; i < c->row_count; i++)
		if ((int)strlen(c->rows[i].name) > columns)
			columns = (int)strlen(c->rows[i].name);
	if (first == 0)
		printf("%-*s  %14s %14s %14s %9s\n", columns, "", "A", "B", "difference",
		       "percent");
	for (size_t i = first; i < end; i++) {
		const struct row *row = &c->rows[i];
		char a[64], b[64], change[64], relative[64] = "-";

		number_text(a, sizeof(a), row, row->a, false);
		number_text(b, sizeof(b), row, row->b, false);
		number_text(change, sizeof(change), row, row->b - row->a, true);
		if (isfinite(percent(row)))
			snprintf(relative, sizeof(relative),
				 row->a != row->b ? "%+.2f%%" : "%.2f%%", percent(row));
		printf("%-*s  %14s %14s %14s %9s\n", columns, row->name, a, b, change, relative);
	}
}

/* As a person would name it: main (sort.c), or src/sort.c:12. Owned by the caller. */
static char *change_name(const struct change *change)
{
	const char *file = change->file ? change->file : "", *slash = strrchr(file, '/');
	char *text = NULL;
	int bytes;

	if (!change->name && !change->line)
		bytes = asprintf(&text, "%s, line unknown", *file ? file : "?");
	else if (!change->name)
		bytes = asprintf(&text, "%s:%" PRId64, *file ? file : "?", change->line);
	else if (*file)
		bytes = asprintf(&text, "%s (%s)", change->name, slash ? slash + 1 : file);
	else
		bytes = asprintf(&text, "%s", change->name);
	BUG_ON(bytes < 0);
	return text;
}

static void print_change(const struct change *change, const struct terminal *terminal,
			 unsigned columns, const char *name)
{
	double difference = change->b - change->a;
	char a[64] = "-", b[64] = "-", relative[64] = "-";

	if (change->is_in_a)
		snprintf(a, sizeof(a), "%.0f", change->a);
	if (change->is_in_b)
		snprintf(b, sizeof(b), "%.0f", change->b);
	if (change->a > 0)
		snprintf(relative, sizeof(relative), "%+.2f%%", 100 * difference / change->a);
	terminal_put(stdout, terminal, name, columns);
	/* Less than a cycle is not nothing. */
	printf("  %14s %14s %+14.*f %9s\n", a, b, fabs(difference) < 0.5 ? 2 : 0, difference,
	       relative);
}

static void print_changes(const struct comparison *c, size_t section,
			  const struct terminal *terminal)
{
	const struct change *changes = c->changes[section];
	size_t count = c->change_counts[section], shown_count;
	unsigned columns = (unsigned)strlen(sections[section].title);
	unsigned most = terminal->width > 2 + NUMBER_COLUMNS + columns
				? terminal->width - 2 - NUMBER_COLUMNS
				: columns;
	char *names[CHANGES_SHOWN + 1];

	/* A line that says "and 1 more" could as well be that one. */
	shown_count = count <= CHANGES_SHOWN + 1 ? count : CHANGES_SHOWN;
	for (size_t i = 0; i < shown_count; i++) {
		names[i] = change_name(&changes[i]);
		unsigned needed = terminal_columns(terminal, names[i]);

		columns = needed > columns ? needed : columns;
	}
	if (columns > most)
		columns = most;
	printf("%-*s  %14s %14s %14s %9s\n", (int)columns, sections[section].title, "A", "B",
	       "difference", "percent");
	for (size_t i = 0; i < shown_count; i++) {
		print_change(&changes[i], terminal, columns, names[i]);
		free(names[i]);
	}
	if (shown_count < count)
		printf("and %zu more\n", count - shown_count);
	putchar('\n');
}

static void print_text(const struct comparison *c, const json_t *notes)
{
	size_t first = c->a.schema->is_timed ? 3 : 1;
	struct terminal terminal;

	for (size_t i = 0; i < json_array_size(notes); i++)
		printf("note: %s\n", json_string_value(json_array_get(notes, i)));
	if (json_array_size(notes))
		putchar('\n');
	print_rows(c, 0, first);
	putchar('\n');
	terminal_init(&terminal, stdout);
	for (size_t i = 0; i < ARRAY_COUNT(sections); i++)
		if (c->change_counts[i])
			print_changes(c, i, &terminal);
	if (c->difference_count)
		print_rows(c, first, c->row_count);
	else
		puts("no value differs");
}

static json_t *number_json(const struct row *row, double value)
{
	if (isnan(value))
		return json_null();
	return row->is_whole ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *describe_side(const struct result *r)
{
	json_t *side = json_pack("{s:O}", "program", json_object_get(r->root, "program"));

	if (r->schema->is_timed)
		json_object_set(side, "configuration", json_object_get(r->root, "configuration"));
	json_object_set_new(side, "partial", json_boolean(r->is_partial));
	json_object_set_new(side, "status", json_integer(r->status));
	return side;
}

static json_t *describe_changes(const struct comparison *c, size_t section)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->change_counts[section]; i++) {
		const struct change *change = &c->changes[section][i];
		json_t *row = json_object();

		if (change->name)
			json_object_set_new(row, "name", json_string(change->name));
		if (change->file)
			json_object_set_new(row, "file", json_string(change->file));
		if (!change->name)
			json_object_set_new(row, "line", json_integer(change->line));
		json_object_set_new(row, "a", change->is_in_a ? json_real(change->a) : json_null());
		json_object_set_new(row, "b", change->is_in_b ? json_real(change->b) : json_null());
		json_object_set_new(row, "difference", json_real(change->b - change->a));
		json_object_set_new(row, "percent",
				    change->a > 0
					    ? json_real(100 * (change->b - change->a) / change->a)
					    : json_null());
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *describe(const struct comparison *c, json_t *notes)
{
	/* Two runs of different schemas are compared in what both have, the older one's. */
	const struct result *older = c->a.schema->has_stacks ? &c->b : &c->a;
	json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:O, s:I}", "schema", "cyclestack-diff-1",
				 "compared", older->schema->name, "a", describe_side(&c->a), "b",
				 describe_side(&c->b), "notes", notes, "difference_count",
				 (json_int_t)c->difference_count);
	json_t *values = json_array();

	if (c->has_limit) {
		json_object_set_new(root, "fail_above_percent",
				    json_real((double)c->limit_millionths / 1e6));
		json_object_set_new(root, "is_above", json_boolean(c->is_above));
	}
	for (size_t i = 0; i < c->row_count; i++) {
		const struct row *row = &c->rows[i];
		json_t *relative = isfinite(percent(row)) ? json_real(percent(row)) : json_null();

		json_array_append_new(values, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name",
							row->name, "a", number_json(row, row->a),
							"b", number_json(row, row->b), "difference",
							number_json(row, row->b - row->a),
							"percent", relative));
	}
	json_object_set_new(root, "values", values);
	for (size_t i = 0; i < ARRAY_COUNT(sections) && has_stacks(c); i++)
		json_object_set_new(root, sections[i].member, describe_changes(c, i));
	return root;
}

/* "1", "1%" or "0.25%"; held in millionths, exactly. */
static bool read_limit(struct comparison *c, const struct args *args, struct err *err)
{
	const char *text = args_get(args, OPTION_FAIL_ABOVE);
	uint64_t value = 0;
	int decimals = -1;
	const char *p = text;

	if (!text)
		return true;
	for (; (*p >= '0' && *p <= '9') || (*p == '.' && decimals < 0); p++) {
		if (*p == '.') {
			decimals = 0;
			continue;
		}
		if (decimals == PERCENT_DIGITS || value > 100000000)
			break;
		value = 10 * value + (uint64_t)(*p - '0');
		decimals += decimals >= 0;
	}
	if (p == text || p[-1] == '.' || text[0] == '.' || p[*p == '%'])
		return err_set(err,
			       "--fail-above: \"%s\" is not a percentage such as 1%% or 0.5%% "
			       "(at most %d decimals)",
			       text, PERCENT_DIGITS);
	for (int i = decimals > 0 ? decimals : 0; i < PERCENT_DIGITS; i++)
		value *= 10;
	c->has_limit = true;
	c->limit_text = text;
	c->limit_millionths = value;
	return true;
}

static int report(const struct comparison *c, const char *json_path)
{
	json_t *notes = list_notes(c);
	struct err err;
	int status = 0;

	if (!json_path || strcmp(json_path, "-") != 0)
		print_text(c, notes);
	fflush(stdout); /* in a log of both streams the verdict comes last */
	if (json_path) {
		json_t *root = describe(c, notes);
		char *text = json_dumps(root, JSON_INDENT(2));
		size_t bytes = strlen(text);

		text[bytes] = '\n'; /* takes the place of the terminator */
		if (!report_write_file(json_path, text, bytes + 1, &err))
			status = fail_tool(err.text);
		free(text);
		json_decref(root);
	}
	json_decref(notes);
	if (!status && c->is_above) {
		fprintf(stderr, "cyclestack: cycles grew by %.2f%%, above the %s%s allowed\n",
			percent(&c->rows[0]), c->limit_text, strchr(c->limit_text, '%') ? "" : "%");
		status = EXIT_NEGATIVE;
	}
	return status;
}

int cmd_diff(const struct args *args)
{
	struct comparison c = {0};
	struct err err;
	int status;

	if (args->rest_count != 2)
		return fail_usage(command_named("diff"), "diff needs two results: A.json B.json");
	if (!read_limit(&c, args, &err))
		return fail_usage(command_named("diff"), err.text);
	c.a.path = args->rest[0];
	c.b.path = args->rest[1];
	bool ok =
		read_result(&c.a, &err) && read_result(&c.b, &err) && can_compare(&c.a, &c.b, &err);
	if (ok && c.has_limit && !c.a.schema->is_timed)
		ok = err_set(&err, "--fail-above is about cycles, and results of exec have none");
	if (ok) {
		compare(&c);
		status = report(&c, args_get(args, OPTION_JSON));
	} else {
		status = fail_tool(err.text);
	}
	free(c.rows);
	for (size_t i = 0; i < ARRAY_COUNT(sections); i++)
		free(c.changes[i]);
	profile_release(&c.a.profile);
	profile_release(&c.b.profile);
	json_decref(c.a.values);
	json_decref(c.b.values);
	json_decref(c.a.root);
	json_decref(c.b.root);
	return status;
}
