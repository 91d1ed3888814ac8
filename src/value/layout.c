#include "value/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "value/component.h"

#define NAME_BYTES 64
#define PATH_BYTES 256

static const struct {
	const char *name;   /* the name in documentation */
	const char *phrase; /* the words after "is not" in an error sentence */
} kinds[] = {
	[LAYOUT_TEXT] = {"text", "text"},
	[LAYOUT_FLAG] = {"true or false", "true or false"},
	[LAYOUT_WHOLE] = {"whole number", "a whole number"},
	[LAYOUT_COUNT] = {"count", "a whole number"},
	[LAYOUT_NUMBER] = {"number", "a number"},
	[LAYOUT_AMOUNT] = {"amount", "a number"},
	[LAYOUT_SETTING] = {"setting", "text, a whole number, true or false"},
	[LAYOUT_COMPONENTS] = {"components", "an object"},
	[LAYOUT_CAUSES] = {"causes", "an object"},
	[LAYOUT_OBJECT] = {NULL, "an object"},
};

/* The position of a value in the result: a member's name, or the index of an item of a list. */
struct place {
	const struct place *above; /* NULL for the result itself */
	const char *name;	   /* NULL for an item of a list */
	size_t index;
};

static void write_path(char path[PATH_BYTES], const struct place *place)
{
	char name[NAME_BYTES];

	if (!place->above) {
		*path = 0;
		return;
	}
	write_path(path, place->above);
	size_t used = strlen(path);
	if (place->name) {
		printable_copy(name, sizeof(name) - 1, (const uint8_t *)place->name,
			       strlen(place->name));
		snprintf(path + used, PATH_BYTES - used, "%s%s", used ? "." : "", name);
	} else {
		snprintf(path + used, PATH_BYTES - used, "[%zu]", place->index);
	}
}

/* Sets the error "PATH TEXT" and returns false. */
static bool wrong(const struct place *place, struct err *err, const char *text)
{
	char path[PATH_BYTES];

	write_path(path, place);
	return err_set(err, "%s %s", *path ? path : "the result", text);
}

static bool is_not(const struct place *place, struct err *err, const char *what, bool or_null)
{
	char text[NAME_BYTES];

	snprintf(text, sizeof(text), "is not %s%s", what, or_null ? " or null" : "");
	return wrong(place, err, text);
}

static bool is_within(const json_t *value, bool may_be_negative, const struct place *place,
		      struct err *err)
{
	double number = json_number_value(value);
	int64_t whole = json_integer_value(value); /* 0 if the number is not an integer */

	if (number < 0 && !may_be_negative)
		return wrong(place, err, "is negative");
	if (fabs(number) > (double)LAYOUT_MOST || whole > LAYOUT_MOST || whole < -LAYOUT_MOST)
		return wrong(place, err, "is too large");
	return true;
}

/* Components or causes: whole numbers under the names of one of the two tables. */
static bool check_named(const json_t *value, bool is_causes, const struct place *place,
			struct err *err)
{
	const char *key;
	json_t *item;

	/* jansson can iterate only over a non-const object; nothing here changes it. */
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		const struct place here = {place, key, 0};

		if ((is_causes ? cause_named(key) : component_named(key)) < 0)
			return wrong(&here, err, is_causes ? "is no cause" : "is no component");
		if (!json_is_integer(item))
			return is_not(&here, err, kinds[LAYOUT_WHOLE].phrase, false);
		if (!is_within(item, !is_causes, &here, err))
			return false;
	}
	return true;
}

static bool check_object(const json_t *object, const struct layout *layout,
			 const struct place *place, struct err *err);

static bool has_type(const json_t *value, enum layout_kind kind)
{
	switch (kind) {
	case LAYOUT_TEXT: return json_is_string(value);
	case LAYOUT_FLAG: return json_is_boolean(value);
	case LAYOUT_WHOLE:
	case LAYOUT_COUNT: return json_is_integer(value);
	case LAYOUT_NUMBER:
	case LAYOUT_AMOUNT: return json_is_number(value);
	case LAYOUT_SETTING:
		return json_is_string(value) || json_is_integer(value) || json_is_boolean(value);
	case LAYOUT_COMPONENTS:
	case LAYOUT_CAUSES:
	case LAYOUT_OBJECT: return json_is_object(value);
	}
	BUG("a kind without a type");
}

static bool check_one(const json_t *value, const struct layout_member *member,
		      const struct place *place, struct err *err)
{
	bool may_be_null = member->flags & LAYOUT_MAY_BE_NULL;

	if (may_be_null && json_is_null(value))
		return true;
	if (!has_type(value, member->kind))
		return is_not(place, err, kinds[member->kind].phrase, may_be_null);
	switch (member->kind) {
	case LAYOUT_COUNT:
	case LAYOUT_SETTING:
	case LAYOUT_AMOUNT: return is_within(value, false, place, err);
	case LAYOUT_COMPONENTS: return check_named(value, false, place, err);
	case LAYOUT_CAUSES: return check_named(value, true, place, err);
	case LAYOUT_OBJECT: return check_object(value, member->of, place, err);
	default: return true;
	}
}

static bool check_member(const json_t *value, const struct layout_member *member,
			 const struct place *place, struct err *err)
{
	const char *key;
	json_t *item;
	size_t i;

	if (member->shape == LAYOUT_ONE)
		return check_one(value, member, place, err);
	if (member->shape == LAYOUT_LIST ? !json_is_array(value) : !json_is_object(value))
		return is_not(place, err, member->shape == LAYOUT_LIST ? "a list" : "an object",
			      false);
	json_array_foreach(value, i, item)
	{
		if (!check_one(item, member, &(struct place){place, NULL, i}, err))
			return false;
	}
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		if (!check_one(item, member, &(struct place){place, key, 0}, err))
			return false;
	}
	return true;
}

static bool check_schema(const json_t *result, const struct layout *layout,
			 const struct place *place, struct err *err)
{
	const char *schema = json_string_value(json_object_get(result, "schema"));
	const struct place here = {place, "schema", 0};
	char text[2 * NAME_BYTES], name[NAME_BYTES];

	if (!schema)
		return wrong(&here, err, "is missing");
	if (strcmp(schema, layout->schema) == 0)
		return true;
	printable_copy(name, sizeof(name) - 1, (const uint8_t *)schema, strlen(schema));
	snprintf(text, sizeof(text), "is \"%s\", not \"%s\"", name, layout->schema);
	return wrong(&here, err, text);
}

static bool check_object(const json_t *object, const struct layout *layout,
			 const struct place *place, struct err *err)
{
	const char *key;
	json_t *value;

	if (layout->schema && !check_schema(object, layout, place, err))
		return false;
	for (const struct layout_member *m = layout->members; m->name; m++) {
		const struct place here = {place, m->name, 0};

		value = json_object_get(object, m->name);
		if (!value && m->flags & LAYOUT_MAY_BE_MISSING)
			continue;
		if (!value)
			return wrong(&here, err, "is missing");
		if (!check_member(value, m, &here, err))
			return false;
	}
	if (!layout->others)
		return true;
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		if (!layout_member(layout, key) &&
		    !check_member(value, layout->others, &(struct place){place, key, 0}, err))
			return false;
	}
	return true;
}

bool layout_check(const json_t *result, const struct layout *layout, struct err *err)
{
	const struct place place = {0};

	if (!json_is_object(result))
		return is_not(&place, err, kinds[LAYOUT_OBJECT].phrase, false);
	return check_object(result, layout, &place, err);
}

const struct layout *layout_of(const json_t *result, struct err *err)
{
	const char *schema = json_string_value(json_object_get(result, "schema"));
	char name[NAME_BYTES];

	if (!schema) {
		err_set(err, "\"schema\" is missing");
		return NULL;
	}
	for (size_t i = 0; layouts[i]; i++)
		if (strcmp(schema, layouts[i]->schema) == 0)
			return layouts[i];
	printable_copy(name, sizeof(name) - 1, (const uint8_t *)schema, strlen(schema));
	err_set(err, "the schema \"%s\" is not known", name);
	return NULL;
}

const struct layout_member *layout_member(const struct layout *layout, const char *name)
{
	for (const struct layout_member *m = layout->members; m->name; m++)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

bool layout_is_compared(const struct layout *layout)
{
	for (const struct layout_member *m = layout->members; m->name; m++)
		if (m->flags & LAYOUT_COMPARED)
			return true;
	return false;
}

const char *layout_kind_name(enum layout_kind kind)
{
	return kinds[kind].name;
}
