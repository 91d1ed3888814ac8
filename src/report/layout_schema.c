#include "report/layout_schema.h"

#include <stdio.h>
#include <string.h>

#include "value/component.h"

#define DRAFT	   "https://json-schema.org/draft/2020-12/schema"
#define NAME_BYTES 128
#define REF_BYTES  (NAME_BYTES + 16)

/* The name of a part among the definitions: its words joined by hyphens. */
static void name_of(const struct layout *layout, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "%s", layout->schema ? layout->schema : layout->name);
	for (char *p = name; (p = strchr(p, ' '));)
		*p = '-';
}

static json_t *number_json(const char *type, bool is_negative_too)
{
	return json_pack("{s:s, s:I, s:I}", "type", type, "minimum",
			 is_negative_too ? (json_int_t)-LAYOUT_MOST : (json_int_t)0, "maximum",
			 (json_int_t)LAYOUT_MOST);
}

/* An object of these names alone, each a whole number. */
static json_t *named_json(const char *(*name_at)(int i), int count, bool is_negative_too)
{
	json_t *properties = json_object();

	for (int i = 0; i < count; i++)
		json_object_set_new(properties, name_at(i),
				    number_json("integer", is_negative_too));
	return json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties,
			 "additionalProperties", 0);
}

static const char *component_at(int i)
{
	return component_rows[i].name;
}

static const char *cause_at(int i)
{
	return cause_rows[i].name;
}

static void add_definition(json_t *definitions, const struct layout *layout);

static json_t *reference(const char *name)
{
	char ref[REF_BYTES];

	snprintf(ref, sizeof(ref), "#/$defs/%s", name);
	return json_pack("{s:s}", "$ref", ref);
}

/* A value of that kind; what it refers to is added to the definitions. */
static json_t *kind_json(const struct layout_member *member, json_t *definitions)
{
	char name[NAME_BYTES];

	switch (member->kind) {
	case LAYOUT_TEXT: return json_pack("{s:s}", "type", "string");
	case LAYOUT_FLAG: return json_pack("{s:s}", "type", "boolean");
	case LAYOUT_WHOLE: return json_pack("{s:s}", "type", "integer");
	case LAYOUT_COUNT: return number_json("integer", false);
	case LAYOUT_NUMBER: return json_pack("{s:s}", "type", "number");
	case LAYOUT_AMOUNT: return number_json("number", false);
	case LAYOUT_SETTING:
		return json_pack("{s:[{s:s}, {s:s}, o]}", "anyOf", "type", "string", "type",
				 "boolean", number_json("integer", false));
	case LAYOUT_COMPONENTS:
		json_object_set_new(definitions, "components",
				    named_json(component_at, COMPONENT_COUNT, true));
		return reference("components");
	case LAYOUT_CAUSES:
		json_object_set_new(definitions, "causes",
				    named_json(cause_at, CAUSE_COUNT, false));
		return reference("causes");
	case LAYOUT_OBJECT:
		add_definition(definitions, member->of);
		name_of(member->of, name);
		return reference(name);
	}
	BUG("a kind without a schema");
}

static json_t *member_json(const struct layout_member *member, json_t *definitions)
{
	json_t *one = kind_json(member, definitions), *whole;

	if (member->flags & LAYOUT_MAY_BE_NULL)
		one = json_pack("{s:[o, {s:s}]}", "anyOf", one, "type", "null");
	if (member->shape == LAYOUT_LIST)
		whole = json_pack("{s:s, s:o}", "type", "array", "items", one);
	else if (member->shape == LAYOUT_MAP)
		whole = json_pack("{s:s, s:o}", "type", "object", "additionalProperties", one);
	else
		whole = one;
	json_object_set_new(whole, "description",
			    json_sprintf("%s%s%s%s", member->meaning,
					 member->unit && *member->unit ? " (" : "",
					 member->unit ? member->unit : "",
					 member->unit && *member->unit ? ")" : ""));
	return whole;
}

/* The members of an object. */
static void add_members(json_t *schema, const struct layout *layout, json_t *definitions)
{
	json_t *required = json_array(), *properties = json_object();

	if (layout->schema) {
		json_object_set_new(properties, "schema",
				    json_pack("{s:s}", "const", layout->schema));
		json_array_append_new(required, json_string("schema"));
	}
	for (const struct layout_member *m = layout->members; m->name; m++) {
		json_object_set_new(properties, m->name, member_json(m, definitions));
		if (!(m->flags & LAYOUT_MAY_BE_MISSING))
			json_array_append_new(required, json_string(m->name));
	}
	json_object_set_new(schema, "type", json_string("object"));
	json_object_set_new(schema, "required", required);
	json_object_set_new(schema, "properties", properties);
	if (layout->others)
		json_object_set_new(schema, "additionalProperties",
				    member_json(layout->others, definitions));
}

static void add_definition(json_t *definitions, const struct layout *layout)
{
	json_t *part = json_pack("{s:s}", "description", layout->meaning);
	char name[NAME_BYTES];

	name_of(layout, name);
	if (!json_object_get(definitions, name))
		json_object_set(definitions, name, part);
	if (json_object_get(definitions, name) == part)
		add_members(part, layout, definitions);
	json_decref(part);
}

json_t *layout_schema(const struct layout *layout)
{
	json_t *definitions = json_object();
	json_t *schema = json_pack(
		"{s:s, s:o, s:s, s:o}", "$schema", DRAFT, "$id",
		json_sprintf("%s.json", layout->schema), "title", layout->schema, "description",
		json_sprintf("Written by cyclestack %s: %s.", layout->name, layout->meaning));

	BUG_ON(!schema);
	add_members(schema, layout, definitions);
	json_object_set_new(schema, "$defs", definitions);
	return schema;
}
