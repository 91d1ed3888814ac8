#include "store/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/component.h"
#include "value/counted.h"
#include "value/member.h"

#define PATH_BYTES 512
#define NAME_BYTES 256

/* Where in the result the walk is. */
struct here {
	const struct rows_sink *sink;
	size_t *subjects; /* how many there are */
	size_t subject;
	struct rows_subject about;
	const char *member, *of;
	bool is_in_item; /* of a list, and of no subject since */
};

/* By what an item of a list is told from the others, if its layout has one of these. */
static const char *const item_names[] = {"name", "signal",    "function", "id",	    "seed",
					 "set",	 "technique", "first",	  "second", "ended_by"};

void rows_program_name(char *name, size_t bytes, const char *given)
{
	snprintf(name, bytes, "%s", given + (*given == '@'));
	if (*given == '@')
		name[strcspn(name, ":")] = '\0';
}

static const struct layout_member *member_of(const struct layout *layout, const char *name,
					     enum layout_kind kind)
{
	const struct layout_member *member = layout_member(layout, name);

	return member && member->shape != LAYOUT_LIST && member->kind == kind ? member : NULL;
}

/* A part that is a program by itself, as those of `judge` are. */
static bool is_program(const struct layout *layout)
{
	const struct layout_member *arguments = layout_member(layout, "arguments");

	return member_of(layout, "name", LAYOUT_TEXT) && member_of(layout, "sha256", LAYOUT_TEXT) &&
	       arguments && arguments->shape == LAYOUT_LIST;
}

static bool is_subject(const struct layout *layout)
{
	return is_program(layout) || member_of(layout, "program", LAYOUT_OBJECT) ||
	       member_of(layout, "program", LAYOUT_TEXT) ||
	       member_of(layout, "configuration", LAYOUT_OBJECT);
}

/* What describes a subject, and is in its own rows. */
static bool describes_subject(const struct layout *layout, const struct layout_member *member)
{
	static const char *const of_program[] = {"name", "arguments", "sha256"};

	if (strcmp(member->name, "program") == 0 || strcmp(member->name, "configuration") == 0)
		return is_subject(layout);
	for (size_t i = 0; i < sizeof(of_program) / sizeof(*of_program); i++)
		if (strcmp(member->name, of_program[i]) == 0 && is_program(layout))
			return true;
	return strcmp(member->name, "arguments") == 0 && is_subject(layout);
}

static json_t *read_setting(const char *text)
{
	char *end;
	const long long whole = strtoll(text, &end, 10);

	if (*text && !*end)
		return json_integer(whole);
	return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ? json_boolean(*text == 't')
								       : json_string(text);
}

/* The parameters of a machine of which only the changes are said. To be given back. */
static json_t *changed_parameters(const json_t *around, const json_t *object,
				  const json_t *configuration)
{
	json_t *parameters = json_copy((json_t *)(uintptr_t)around), *value;
	const json_t *change;
	const char *key;
	size_t i;

	json_array_foreach(json_object_get(configuration, "changes"), i, change)
	{
		const char *text = json_string_value(change), *equals = strchr(text, '=');
		char name[NAME_BYTES];

		if (!equals || (size_t)(equals - text) >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
		json_object_set_new(parameters, name, read_setting(equals + 1));
	}
	/* What the machine has of them, where it is said. */
	json_object_foreach(json_object_get(object, "settings"), key, value)
	{
		if (json_is_null(value))
			json_object_del(parameters, key);
		else
			json_object_set(parameters, key, value);
	}
	return parameters;
}

/* The subject that begins with the object, of what is around it. *made is to be given back. */
static struct rows_subject subject_of(const struct rows_subject *around, const json_t *object,
				      const struct layout *layout, char name[NAME_BYTES],
				      json_t **made)
{
	const json_t *configuration = json_object_get(object, "configuration");
	const json_t *program = json_object_get(object, "program");
	struct rows_subject subject = *around;

	*made = NULL;
	if (is_program(layout))
		program = object;
	if (json_is_object(program)) {
		rows_program_name(name, NAME_BYTES, member_text(program, "name"));
		subject.program = name;
		subject.arguments = json_object_get(program, "arguments");
		subject.program_sha256 = json_string_value(json_object_get(program, "sha256"));
	} else if (json_is_string(program)) {
		rows_program_name(name, NAME_BYTES, json_string_value(program));
		subject.program = name;
		subject.arguments = json_object_get(object, "arguments");
		subject.program_sha256 = NULL;
	}
	if (json_is_object(configuration) && configuration != around->configuration) {
		subject.configuration = configuration;
		subject.parameters = json_object_get(configuration, "parameters");
		if (!subject.parameters && around->parameters)
			subject.parameters = *made =
				changed_parameters(around->parameters, object, configuration);
	}
	return subject;
}

static void join(char text[PATH_BYTES], const char *first, const char *between, const char *second)
{
	snprintf(text, PATH_BYTES, "%s%s%s", first, *first && *second ? between : "", second);
}

static bool put(const struct here *here, const char *name, const json_t *value, const char *unit,
		const char *meaning)
{
	const struct rows_number number = {
		.member = here->member,
		.of = here->of,
		.name = name,
		.value = value,
		.unit = unit ? unit : "",
		.meaning = meaning ? meaning : "",
	};

	if (json_is_string(value) && json_string_length(value) > ROWS_TEXT_MOST)
		return true;
	return here->sink->number(here->sink->context, here->subject, &number);
}

/* Numbers by component or by cause. */
static bool walk_named(const struct here *here, const json_t *object,
		       const struct layout_member *member)
{
	const bool is_causes = member->kind == LAYOUT_CAUSES;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		const int row = is_causes ? cause_named(key) : component_named(key);

		if (row >= 0 &&
		    !put(here, key, value, member->unit,
			 is_causes ? cause_rows[row].meaning : component_rows[row].meaning))
			return false;
	}
	return true;
}

static bool walk_object(const struct here *around, const json_t *object,
			const struct layout *layout);

/* Whether the unit that its object names is this number's: it is what the object is about. */
static bool has_unit_beside(const struct layout_member *member)
{
	const bool is_amount = member->kind == LAYOUT_AMOUNT || member->kind == LAYOUT_NUMBER ||
			       (member->kind == LAYOUT_COUNT && member->flags & LAYOUT_COMPARED);

	return is_amount && !(member->flags & LAYOUT_MAY_BE_NULL);
}

/* A value that is not a list or a map. `name` is that of its member, or its key in a map. */
static bool walk_one(const struct here *here, const char *name, const json_t *value,
		     const struct layout_member *member, const char *unit)
{
	char path[PATH_BYTES];
	struct here below = *here;
	const struct counted_row *counted;

	if (json_is_null(value))
		return true;
	switch (member->kind) {
	case LAYOUT_SETTING: return true;
	case LAYOUT_OBJECT:
		if (!json_is_object(value))
			return true;
		join(path, here->member, ".", member->name ? name : "");
		below.member = path;
		return walk_object(&below, value, member->of);
	case LAYOUT_COMPONENTS:
	case LAYOUT_CAUSES:
		join(path, here->member, ".", name);
		below.member = path;
		return walk_named(&below, value, member);
	default:
		if (member->unit && *member->unit)
			return put(here, name, value, member->unit, member->meaning);
		counted = counted_named(name);
		if (counted)
			return put(here, name, value, counted->unit, counted->meaning);
		return put(here, name, value, has_unit_beside(member) ? unit : NULL,
			   member->meaning);
	}
}

static bool walk_map(const struct here *around, const json_t *map,
		     const struct layout_member *member)
{
	char path[PATH_BYTES], of[PATH_BYTES];
	struct here here = *around;
	const struct layout_member item = {.shape = LAYOUT_ONE,
					   .kind = member->kind,
					   .unit = member->unit,
					   .meaning = member->meaning,
					   .of = member->of};
	const char *key;
	json_t *value;

	join(path, around->member, ".", member->name);
	here.member = path;
	json_object_foreach((json_t *)(uintptr_t)map, key, value)
	{
		bool ok;

		if (member->kind == LAYOUT_OBJECT) {
			join(of, around->of, "/", key);
			here.of = of;
			ok = walk_one(&here, key, value, &item, NULL);
		} else if (member->kind == LAYOUT_COMPONENTS || member->kind == LAYOUT_CAUSES) {
			join(of, around->of, "/", key);
			here.of = of;
			ok = walk_named(&here, value, member);
		} else {
			ok = walk_one(&here, key, value, &item, NULL);
		}
		if (!ok)
			return false;
	}
	return true;
}

static bool can_be_named(const struct layout *layout)
{
	for (size_t i = 0; i < sizeof(item_names) / sizeof(*item_names); i++)
		if (layout_member(layout, item_names[i]))
			return true;
	return false;
}

static void add_word(char text[PATH_BYTES], const char *between, const json_t *value)
{
	const size_t used = strlen(text);
	const char *key;
	json_t *item;

	if (used)
		between = *between ? between : " ";
	else
		between = "";
	if (json_is_string(value) && json_string_length(value))
		snprintf(text + used, PATH_BYTES - used, "%s%s", between, json_string_value(value));
	else if (json_is_integer(value))
		snprintf(text + used, PATH_BYTES - used, "%s%" JSON_INTEGER_FORMAT, between,
			 json_integer_value(value));
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		const size_t before = strlen(text);

		snprintf(text + before, PATH_BYTES - before, "%s%s=%s", before ? " " : "", key,
			 json_is_string(item) ? json_string_value(item) : "");
	}
}

/* What an item of a list is called: by its names and the code it is about, else by its source line;
 * of several with one name those that follow are numbered. */
static void name_item(char name[PATH_BYTES], const json_t *item, json_t *taken)
{
	*name = '\0';
	for (size_t i = 0; i < sizeof(item_names) / sizeof(*item_names); i++)
		add_word(name, " ", json_object_get(item, item_names[i]));
	add_word(name, "@", json_object_get(item, "where"));
	if (!*name) {
		add_word(name, "", json_object_get(item, "file"));
		add_word(name, ":", json_object_get(item, "line"));
	}
	const size_t used = strlen(name);
	const json_int_t before = json_integer_value(json_object_get(taken, name));

	json_object_set_new(taken, name, json_integer(before + 1));
	if (before)
		snprintf(name + used, PATH_BYTES - used, " (%" JSON_INTEGER_FORMAT ")", before + 1);
}

static bool walk_list(const struct here *around, const json_t *list,
		      const struct layout_member *member)
{
	char path[PATH_BYTES], of[PATH_BYTES], name[PATH_BYTES];
	struct here here = *around;
	const json_t *item;
	size_t i;

	if (member->kind != LAYOUT_OBJECT)
		return true;
	bool ok = true;
	const bool are_subjects = is_subject(member->of);
	if (!are_subjects && (around->is_in_item || !can_be_named(member->of)))
		return true;
	join(path, around->member, ".", member->name);
	here.member = path;
	here.is_in_item = !are_subjects;
	json_t *taken = json_object();
	json_array_foreach(list, i, item)
	{
		if (!ok || !json_is_object(item))
			continue;
		if (!are_subjects) {
			name_item(name, item, taken);
			join(of, around->of, "/", name);
			here.of = of;
		}
		ok = walk_object(&here, item, member->of);
	}
	json_decref(taken);
	return ok;
}

static bool walk_member(const struct here *here, const json_t *value,
			const struct layout_member *member, const char *name, const char *unit)
{
	switch (member->shape) {
	case LAYOUT_LIST: return walk_list(here, value, member);
	case LAYOUT_MAP: return walk_map(here, value, member);
	default: return walk_one(here, name, value, member, unit);
	}
}

static bool walk_members(const struct here *here, const json_t *object, const struct layout *layout)
{
	const char *unit = json_string_value(json_object_get(object, "unit")), *key;
	json_t *value;

	for (const struct layout_member *member = layout->members; member->name; member++) {
		value = json_object_get(object, member->name);
		if (value && !describes_subject(layout, member) &&
		    !walk_member(here, value, member, member->name, unit))
			return false;
	}
	if (!layout->others)
		return true;
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		if (!layout_member(layout, key) &&
		    !walk_member(here, value, layout->others, key, unit))
			return false;
	}
	return true;
}

static bool walk_object(const struct here *around, const json_t *object,
			const struct layout *layout)
{
	char name[NAME_BYTES];
	struct here here = *around;
	json_t *made = NULL;
	bool ok = true;

	if (is_subject(layout)) {
		here.about = subject_of(&around->about, object, layout, name, &made);
		here.subject = (*here.subjects)++;
		here.is_in_item = false;
		ok = here.sink->subject(here.sink->context, &here.about);
	}
	ok = ok && walk_members(&here, object, layout);
	json_decref(made);
	return ok;
}

bool rows_walk(const json_t *result, const struct layout *layout, const struct rows_sink *sink)
{
	size_t subjects = 0;
	const struct here here = {.sink = sink, .subjects = &subjects, .member = "", .of = ""};

	/* The result is always a subject, if only that of its own numbers. */
	if (is_subject(layout))
		return walk_object(&here, result, layout);
	subjects = 1;
	return sink->subject(sink->context, &here.about) && walk_object(&here, result, layout);
}
