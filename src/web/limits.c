#include "web/limits.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

struct limit_row {
	size_t offset;
	const char *name, *unit;
	uint64_t least, most, usual;
	const char *meaning;
};

static const struct limit_row rows[] = {
#define LIMIT(field, name, unit, least, most, usual, meaning) \
	{offsetof(struct web_limits, field), name, unit, least, most, usual, meaning},
#include "web/limits.def"
};

static uint64_t *value_of(struct web_limits *limits, const struct limit_row *row)
{
	return (uint64_t *)((char *)limits + row->offset);
}

void web_limits_init(struct web_limits *limits)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		*value_of(limits, &rows[i]) = rows[i].usual;
}

static bool fail_name(const char *name, size_t length, struct err *err)
{
	char names[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 rows[i].name);
	return err_usage(err, "--allow: there is no limit \"%.*s\"; there are %s",
			 (int)(length < 40 ? length : 40), name, names);
}

bool web_limits_set(struct web_limits *limits, const char *assignment, struct err *err)
{
	const size_t length = strcspn(assignment, "=");
	uint64_t value;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct limit_row *row = &rows[i];

		if (strlen(row->name) != length || strncmp(row->name, assignment, length) != 0)
			continue;
		if (!assignment[length] ||
		    !number_read(assignment + length + 1,
				 strcmp(row->unit, "bytes") == 0 ? NUMBER_OF_BYTES
								 : NUMBER_OF_THINGS,
				 &value) ||
		    value < row->least || value > row->most)
			return err_usage(
				err,
				"--allow %s: expected a number from %llu to %llu (suffixes "
				"k, M, G)",
				row->name, (unsigned long long)row->least,
				(unsigned long long)row->most);
		*value_of(limits, row) = value;
		return true;
	}
	return fail_name(assignment, length, err);
}

bool web_limits_check(const struct web_limits *limits, struct err *err)
{
	if (limits->memory > limits->memory_total)
		return err_usage(err, "--allow: memory is what one run may fill, and memory-total "
				      "what all may: no run could begin");
	return true;
}

json_t *web_limits_json(const struct web_limits *limits)
{
	struct web_limits copy = *limits;
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:I, s:s, s:s}", "name", rows[i].name,
						"value", (json_int_t)*value_of(&copy, &rows[i]),
						"unit", rows[i].unit, "meaning", rows[i].meaning));
	return list;
}
