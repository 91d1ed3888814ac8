#include "report/compare/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "value/member.h"

#define NAME_BYTES 128
#define HASH_SHOWN 12

const struct compare_section compare_sections[COMPARE_SECTIONS] = {
	{"cycles by component", "components", change_components},
	{"cycles by function", "functions", change_functions},
	{"cycles by line", "lines", change_lines},
};

bool compare_is_timed(const struct compare_side *side)
{
	return layout_member(side->layout, "configuration");
}

/* What a collector received says of cycles alone. */
static bool has_instructions(const struct comparison *c)
{
	return json_object_get(c->a.values, "instructions") ||
	       json_object_get(c->b.values, "instructions");
}

static bool may_have_stacks(const struct compare_side *side)
{
	return layout_member(side->layout, "stacks");
}

static bool has_stacks(const struct compare_side *side)
{
	return may_have_stacks(side) &&
	       (json_object_get(side->root, "stacks") || json_object_get(side->root, "exact"));
}

static bool is_partial(const struct compare_side *side)
{
	return json_is_true(json_object_get(side->root, "partial"));
}

static int64_t skipped(const struct compare_side *side)
{
	return member_whole(side->root, "skipped_instructions");
}

static int64_t instructions(const struct compare_side *side)
{
	return member_whole(side->values, "instructions");
}

/* Replaces characters of a file's text that must not reach the terminal. */
static const char *shown(char out[NAME_BYTES], const char *text, size_t most)
{
	printable_copy(out, most, (const uint8_t *)text, strlen(text));
	return out;
}

static bool load(struct compare_side *side, struct err *err)
{
	char text[NAME_BYTES];
	json_error_t where;
	FILE *in = fopen(side->path, "re");

	if (!in)
		return err_set_errno(err, errno, "%s", side->path);
	side->root = json_loadf(in, JSON_REJECT_DUPLICATES, &where);
	int reason = ferror(in) ? errno : 0;
	fclose(in);
	if (side->root)
		return true;
	if (reason)
		return err_set_errno(err, reason, "%s", side->path);
	return err_set(err, "%s:%d:%d: this is not JSON: %s", side->path, where.line,
		       where.column > 0 ? where.column : 1,
		       shown(text, where.text, NAME_BYTES - 1));
}

/* Writes "run --json (SCHEMA, SCHEMA) and exec --json (SCHEMA)". */
static void list_compared(char *text, size_t bytes)
{
	const char *command = "";

	*text = 0;
	for (size_t i = 0; layouts[i]; i++) {
		size_t used = strlen(text);

		/* Runs that were collected are read from their store. */
		if (!layout_is_compared(layouts[i]) || layouts[i] == &layout_collected)
			continue;
		if (strcmp(layouts[i]->name, command) == 0)
			snprintf(text + used, bytes - used, ", %s", layouts[i]->schema);
		else
			snprintf(text + used, bytes - used, "%s%s --json (%s",
				 *command ? "), " : "", layouts[i]->name, layouts[i]->schema);
		command = layouts[i]->name;
	}
	snprintf(text + strlen(text), bytes - strlen(text), ")");
}

static bool find_layout(struct compare_side *side, struct err *err)
{
	const char *schema = json_string_value(json_object_get(side->root, "schema"));
	char text[NAME_BYTES], compared[256];

	side->layout = layout_of(side->root, err);
	if (side->layout && layout_is_compared(side->layout))
		return true;
	list_compared(compared, sizeof(compared));
	if (!schema)
		return err_set(err, "%s: \"schema\" is missing; diff compares what these write: %s",
			       side->path, compared);
	return err_set(err, "%s is of schema \"%s\"; diff compares what these write: %s",
		       side->path, shown(text, schema, NAME_BYTES - 1), compared);
}

/* Adds the numbers of an object, under their names or "PREFIX.NAME". */
static bool add_numbers(json_t *values, const char *prefix, json_t *object, struct err *err)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		char name[NAME_BYTES], text[NAME_BYTES];
		int bytes = snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix ? "." : "",
				     shown(text, key, NAME_BYTES - 1));

		if (bytes >= NAME_BYTES || strlen(key) >= NAME_BYTES)
			return err_set(err, "a value has a name of more than %d bytes",
				       NAME_BYTES - 1);
		json_object_set(values, name, value);
	}
	return true;
}

/* Adds the compared number of each item of a list, such as the total of a counter, under the item's
 * name: "SIGNAL@WHERE", and which one it is if there are several. */
static bool add_items(json_t *values, const json_t *list, const struct layout *layout,
		      struct err *err)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *where = member_text(item, "where");
		char name[NAME_BYTES], text[NAME_BYTES];
		int bytes = snprintf(name, sizeof(name), "%s%s%s", member_text(item, "signal"),
				     *where ? "@" : "", where);

		for (int n = 2; bytes < NAME_BYTES && json_object_get(values, name); n++)
			bytes = snprintf(name, sizeof(name), "%s%s%s (%d)",
					 member_text(item, "signal"), *where ? "@" : "", where, n);
		if (bytes >= NAME_BYTES)
			return err_set(err, "a value has a name of more than %d bytes",
				       NAME_BYTES - 1);
		for (const struct layout_member *m = layout->members; m->name; m++)
			if (m->flags & LAYOUT_COMPARED)
				json_object_set(values, shown(text, name, NAME_BYTES - 1),
						json_object_get(item, m->name));
	}
	return true;
}

/* Collects the values that the layout marks as compared. */
static bool collect_values(struct compare_side *side, struct err *err)
{
	side->values = json_object();
	for (const struct layout_member *m = side->layout->members; m->name; m++) {
		json_t *value = json_object_get(side->root, m->name);

		if (!(m->flags & LAYOUT_COMPARED))
			continue;
		if (json_is_array(value) && m->kind == LAYOUT_OBJECT) {
			if (!add_items(side->values, value, m->of, err))
				return false;
		} else if (!json_is_object(value))
			json_object_set(side->values, m->name, value);
		else if (!add_numbers(side->values, m->shape == LAYOUT_MAP ? m->name : "", value,
				      err))
			return false;
	}
	return true;
}

/* What the run says of data; its `data` is NULL if it says nothing. */
static struct objects_side objects_of(const struct compare_side *side)
{
	return (struct objects_side){&side->stacks, json_object_get(side->root, "data")};
}

static bool read_stacks(struct compare_side *side, struct err *err)
{
	const struct objects_side objects = objects_of(side);

	return stacks_read(&side->stacks, side->root, err) &&
	       calls_read(&side->calls, &side->stacks, side->root, err) &&
	       objects_check(&objects, err);
}

static bool read_side(struct compare_side *side, struct err *err)
{
	if ((!side->root && !load(side, err)) || !find_layout(side, err))
		return false;
	return (layout_check(side->root, side->layout, err) && collect_values(side, err) &&
		(!has_stacks(side) || read_stacks(side, err))) ||
	       err_prefix(err, "%s", side->path);
}

/* Two results that stopped at different instructions cannot be compared. */
static bool can_compare(const struct compare_side *a, const struct compare_side *b, struct err *err)
{
	const struct compare_side *partial = is_partial(a) ? a : b;
	const struct compare_side *other = partial == a ? b : a;

	if (strcmp(a->layout->name, b->layout->name) != 0)
		return err_set(err,
			       "%s is a result of %s and %s one of %s: they cannot be compared",
			       a->path, a->layout->name, b->path, b->layout->name);
	if (!is_partial(partial) ||
	    (instructions(a) == instructions(b) && skipped(a) == skipped(b)))
		return true;
	if (skipped(a) != skipped(b))
		return err_set(err,
			       "%s is partial, and %s begins after %" PRId64
			       " instructions, %s after %" PRId64
			       "; partial results can be compared only if they begin and stop at "
			       "the same place (--skip, --max-insns)",
			       partial->path, a->path, skipped(a), b->path, skipped(b));
	return err_set(err,
		       "%s is partial: it stopped after %" PRId64 " instructions, where %s has "
		       "%" PRId64 "; partial results can be compared only if they stopped at the "
		       "same place (--max-insns)",
		       partial->path, instructions(partial), other->path, instructions(other));
}

static void add_row(struct comparison *c, const char *name, double a, double b, bool is_whole)
{
	c->rows[c->row_count++] = (struct compare_row){name, a, b, is_whole};
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

static double cpi(const struct compare_side *side)
{
	return instructions(side) > 0
		       ? (double)member_whole(side->values, "cycles") / (double)instructions(side)
		       : NAN;
}

static void compare_values(struct comparison *c)
{
	const char *name;
	json_t *value;

	/* Room for all values of both; as both have instructions, that is one more than needed, for
	 * CPI. */
	c->rows = mem_alloc_array(json_object_size(c->a.values) + json_object_size(c->b.values),
				  sizeof(*c->rows));
	if (compare_is_timed(&c->a))
		add_value(c, "cycles", true);
	if (has_instructions(c))
		add_value(c, "instructions", true);
	if (compare_is_timed(&c->a) && has_instructions(c))
		add_row(c, "CPI", cpi(&c->a), cpi(&c->b), false);
	c->first_count = c->row_count;
	json_object_foreach(c->a.values, name, value)
	{
		if (strcmp(name, "cycles") != 0 && strcmp(name, "instructions") != 0)
			add_value(c, name, false);
	}
	json_object_foreach(c->b.values, name, value)
	{
		if (!json_object_get(c->a.values, name))
			add_value(c, name, false);
	}
}

/* Computed in whole numbers, so that growth of exactly the limit is not above it. */
static bool is_above(const struct comparison *c)
{
	unsigned __int128 a = (uint64_t)member_whole(c->a.values, "cycles");
	unsigned __int128 b = (uint64_t)member_whole(c->b.values, "cycles");

	return c->has_limit && b > a && (b - a) * 100000000 > a * c->limit_millionths;
}

/* Two programs or machines by their names and hashes, if these differ. */
static void note_pair(const struct comparison *c, const char *member, const char *plural)
{
	const json_t *a = json_object_get(c->a.root, member),
		     *b = json_object_get(c->b.root, member);
	char name_a[NAME_BYTES], name_b[NAME_BYTES], hash_a[NAME_BYTES], hash_b[NAME_BYTES];

	if (strcmp(member_text(a, "sha256"), member_text(b, "sha256")) == 0)
		return;
	json_array_append_new(c->notes,
			      json_sprintf("the %s differ: %s (%s) and %s (%s)", plural,
					   shown(name_a, member_text(a, "name"), NAME_BYTES - 1),
					   shown(hash_a, member_text(a, "sha256"), HASH_SHOWN),
					   shown(name_b, member_text(b, "name"), NAME_BYTES - 1),
					   shown(hash_b, member_text(b, "sha256"), HASH_SHOWN)));
}

static json_t *parameters_of(const struct compare_side *side)
{
	return json_object_get(json_object_get(side->root, "configuration"), "parameters");
}

static void add_parameter(json_t *list, const char *key, json_t *a, json_t *b)
{
	char text[NAME_BYTES];

	if (a && b && json_equal(a, b))
		return;
	json_array_append_new(list, json_pack("{s:s, s:O?, s:O?}", "key",
					      shown(text, key, NAME_BYTES - 1), "a", a, "b", b));
}

/* The parameters that differ, or that one of the two machines has; NULL if a result does not have
 * them. */
static json_t *compare_parameters(const struct comparison *c)
{
	json_t *of_a = parameters_of(&c->a), *of_b = parameters_of(&c->b), *value, *list;
	const char *key;

	if (!of_a || !of_b)
		return NULL;
	list = json_array();
	json_object_foreach(of_a, key, value)
		add_parameter(list, key, value, json_object_get(of_b, key));
	json_object_foreach(of_b, key, value) if (!json_object_get(of_a, key))
		add_parameter(list, key, NULL, value);
	return list;
}

/* A value as --set takes it; "none" if the machine does not have the parameter. */
static const char *setting_text(char out[NAME_BYTES], const json_t *value)
{
	if (json_is_string(value))
		return shown(out, json_string_value(value), NAME_BYTES - 1);
	if (json_is_integer(value)) {
		snprintf(out, NAME_BYTES, "%lld", (long long)json_integer_value(value));
		return out;
	}
	return json_is_true(value) ? "true" : json_is_false(value) ? "false" : "none";
}

/* "the configurations differ in 2 parameters: rob.size: 128 -> 64, ...". */
static void note_parameters(const struct comparison *c)
{
	const size_t count = json_array_size(c->parameters);
	json_t *row, *text;
	size_t i;

	/* A hash without a parameter that differs is of another version, or made up. */
	if (!count) {
		note_pair(c, "configuration", "configurations");
		return;
	}
	text = json_sprintf("the configurations differ in %zu parameter%s", count,
			    count == 1 ? "" : "s");
	json_array_foreach(c->parameters, i, row)
	{
		char a[NAME_BYTES], b[NAME_BYTES];

		if (count > COMPARE_PARAMETERS_NAMED)
			break;
		json_t *longer = json_sprintf("%s%s %s: %s -> %s", json_string_value(text),
					      i ? "," : ":", member_text(row, "key"),
					      setting_text(a, json_object_get(row, "a")),
					      setting_text(b, json_object_get(row, "b")));
		json_decref(text);
		text = longer;
	}
	json_array_append_new(c->notes, text);
}

static bool is_same_program(const struct comparison *c)
{
	return strcmp(member_text(json_object_get(c->a.root, "program"), "sha256"),
		      member_text(json_object_get(c->b.root, "program"), "sha256")) == 0;
}

static void compare_objects(struct comparison *c)
{
	const struct objects_side a = objects_of(&c->a), b = objects_of(&c->b);

	c->has_objects = c->has_stacks && a.data && b.data;
	if (c->has_objects)
		c->objects = objects_changes(&a, &b, is_same_program(c), &c->object_count);
}

static void add_notes(struct comparison *c)
{
	const struct compare_side *a = &c->a, *b = &c->b;
	int64_t status_a = member_whole(a->root, "status"),
		status_b = member_whole(b->root, "status");

	c->notes = json_array();
	note_pair(c, "program", "programs");
	note_parameters(c);
	if (skipped(a) != skipped(b))
		json_array_append_new(c->notes, json_sprintf("A begins after %" PRId64
							     " instructions, B after %" PRId64,
							     skipped(a), skipped(b)));
	if (status_a != status_b)
		json_array_append_new(c->notes, json_sprintf("A ended with status %" PRId64
							     ", B with %" PRId64,
							     status_a, status_b));
	if ((is_partial(a) || is_partial(b)) && !has_instructions(c))
		json_array_append_new(c->notes, json_sprintf("%s partial: a limit ended the run",
							     !is_partial(b)   ? "A is"
							     : !is_partial(a) ? "B is"
									      : "both are"));
	else if (is_partial(a) || is_partial(b))
		json_array_append_new(c->notes, json_sprintf("%s partial: stopped after %" PRId64
							     " instructions",
							     !is_partial(b)   ? "A is"
							     : !is_partial(a) ? "B is"
									      : "both are",
							     instructions(a)));
	else if (is_same_program(c) && skipped(a) == skipped(b) &&
		 instructions(a) != instructions(b))
		json_array_append_new(c->notes,
				      json_string("the same program ran a different number of "
						  "instructions: its arguments or input differ"));
	if (has_stacks(a) != has_stacks(b)) {
		const struct compare_side *without = has_stacks(a) ? b : a;

		json_array_append_new(
			c->notes,
			json_sprintf("%s is of %s%s and does not say where its cycles went",
				     without == a ? "A" : "B",
				     may_have_stacks(without) ? "run --counters none" : "schema ",
				     may_have_stacks(without) ? "" : without->layout->schema));
	}
}

bool comparison_read(struct comparison *c, const char *path_a, const char *path_b, struct err *err)
{
	c->a.path = path_a;
	c->b.path = path_b;
	if (!read_side(&c->a, err) || !read_side(&c->b, err) || !can_compare(&c->a, &c->b, err))
		return false;
	compare_values(c);
	c->is_above = is_above(c);
	c->has_stacks = has_stacks(&c->a) && has_stacks(&c->b);
	for (size_t i = 0; i < COMPARE_SECTIONS && c->has_stacks; i++)
		c->changes[i] =
			compare_sections[i].list(&c->a.stacks, &c->b.stacks, &c->change_counts[i]);
	if (c->a.calls.count && c->b.calls.count)
		paths_merge(&c->paths, &c->a.stacks, &c->a.calls, &c->b.stacks, &c->b.calls);
	compare_objects(c);
	c->parameters = compare_parameters(c);
	add_notes(c);
	return true;
}

static void release_side(struct compare_side *side)
{
	calls_release(&side->calls);
	stacks_release(&side->stacks);
	json_decref(side->values);
	json_decref(side->root);
}

void comparison_release(struct comparison *c)
{
	for (size_t i = 0; i < COMPARE_SECTIONS; i++)
		free(c->changes[i]);
	paths_release(&c->paths);
	free(c->objects);
	free(c->rows);
	json_decref(c->notes);
	json_decref(c->parameters);
	release_side(&c->a);
	release_side(&c->b);
}

double compare_percent(const struct compare_row *row)
{
	return row->a > 0 ? 100 * (row->b - row->a) / row->a : NAN;
}

static json_t *number_json(const struct compare_row *row, double value)
{
	if (isnan(value))
		return json_null();
	return row->is_whole ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Of the machine its parameters are left out: those that differ are a list. */
static json_t *side_json(const struct compare_side *side)
{
	static const char *const members[] = {"program", "configuration", "partial", "status"};
	json_t *object = json_object();

	for (size_t i = 0; i < ARRAY_COUNT(members); i++)
		if (layout_member(side->layout, members[i]))
			json_object_set(object, members[i],
					json_object_get(side->root, members[i]));
	json_t *machine = json_object_get(object, "configuration");
	if (json_object_get(machine, "parameters")) {
		machine = json_copy(machine);
		json_object_del(machine, "parameters");
		json_object_set_new(object, "configuration", machine);
	}
	return object;
}

static json_t *changes_json(const struct comparison *c, size_t section)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->change_counts[section]; i++) {
		const struct change *change = &c->changes[section][i];
		const struct compare_row row = {NULL, change->a, change->b, false};
		json_t *object = json_object();

		if (change->name)
			json_object_set_new(object, "name", json_string(change->name));
		if (change->file)
			json_object_set_new(object, "file", json_string(change->file));
		if (!change->name)
			json_object_set_new(object, "line", json_integer(change->line));
		json_object_set_new(object, "a",
				    change->is_in_a ? json_real(change->a) : json_null());
		json_object_set_new(object, "b",
				    change->is_in_b ? json_real(change->b) : json_null());
		json_object_set_new(object, "difference", json_real(change->b - change->a));
		json_object_set_new(object, "percent", real_or_null(compare_percent(&row)));
		json_array_append_new(list, object);
	}
	return list;
}

json_t *comparison_json(const struct comparison *c)
{
	/* Two runs of different schemas are compared in what both have: the members of the older
	 * schema. */
	const struct layout *compared = may_have_stacks(&c->a) ? c->b.layout : c->a.layout;
	json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:O, s:I}", "schema", layout_diff.schema,
				 "compared", compared->schema, "a", side_json(&c->a), "b",
				 side_json(&c->b), "notes", c->notes, "difference_count",
				 (json_int_t)c->difference_count);
	json_t *values = json_array();

	if (c->parameters)
		json_object_set(root, "parameters", c->parameters);
	if (c->has_limit) {
		json_object_set_new(root, "fail_above_percent",
				    json_real((double)c->limit_millionths / 1e6));
		json_object_set_new(root, "is_above", json_boolean(c->is_above));
	}
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		json_array_append_new(
			values, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", row->name, "a",
					  number_json(row, row->a), "b", number_json(row, row->b),
					  "difference", number_json(row, row->b - row->a),
					  "percent", real_or_null(compare_percent(row))));
	}
	json_object_set_new(root, "values", values);
	for (size_t i = 0; i < COMPARE_SECTIONS && c->has_stacks; i++)
		json_object_set_new(root, compare_sections[i].member, changes_json(c, i));
	if (c->paths.count)
		json_object_set_new(root, "paths", paths_json(&c->paths));
	if (c->has_objects)
		json_object_set_new(root, "objects", objects_json(c->objects, c->object_count));
	return root;
}
