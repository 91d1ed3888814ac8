#include "classify/claim.h"

#include <fnmatch.h>
#include <string.h>

#include "base/array.h"
#include "value/member.h"

static const struct {
	const char *pattern, *category;
	bool is_claim;
} rows[] = {
#define CLAIM(pattern, category)     {pattern, category, true},
#define COINCIDES(pattern, category) {pattern, category, false},
#include "classify/claims.def"
};

const char *claim_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (rows[i].is_claim && fnmatch(rows[i].pattern, name, 0) == 0)
			return rows[i].category;
	return NULL;
}

static bool has_category(const json_t *event, const char *category)
{
	const json_t *other;
	size_t i;

	if (strcmp(member_text(event, "verdict"), category) == 0)
		return true;
	json_array_foreach(json_object_get(event, "also"), i, other)
	{
		if (strcmp(json_string_value(other), category) == 0)
			return true;
	}
	return false;
}

bool claim_holds(const json_t *event, const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (fnmatch(rows[i].pattern, name, 0) == 0 && has_category(event, rows[i].category))
			return true;
	return false;
}
