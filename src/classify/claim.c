#include "classify/claim.h"

#include <fnmatch.h>
#include <string.h>

#include "base/array.h"
#include "value/member.h"

static const struct {
	const char *pattern, *category;
	enum { CLAIM, IN_ORDER, COINCIDES } kind;
} rows[] = {
#define CLAIM(pattern, category)     {pattern, category, CLAIM},
#define IN_ORDER(pattern, category)  {pattern, category, IN_ORDER},
#define COINCIDES(pattern, category) {pattern, category, COINCIDES},
#include "classify/claims.def"
};

const char *claim_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (rows[i].kind == CLAIM && fnmatch(rows[i].pattern, name, 0) == 0)
			return rows[i].category;
	return NULL;
}

bool claim_has_category(const json_t *event, const char *category)
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

bool claim_holds(const json_t *event, const char *name, bool is_in_order)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if ((rows[i].kind != IN_ORDER || is_in_order) &&
		    fnmatch(rows[i].pattern, name, 0) == 0 &&
		    claim_has_category(event, rows[i].category))
			return true;
	return false;
}
