#include "pred/pred_kind.h"

#include <string.h>

#include "base/array.h"
#include "base/bits.h"

#define KIND(id, word) {#word, &pred_##word},
static const struct {
	const char *word;
	const struct pred_kind *kind;
} kinds[] = {CONFIG_WORDS_direction(KIND)};
#undef KIND

const struct pred_kind *pred_kind_find(const char *name, struct err *err)
{
	char list[256] = "";

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (!strcmp(kinds[i].word, name))
			return kinds[i].kind;
		strncat(list, " ", sizeof(list) - strlen(list) - 1);
		strncat(list, kinds[i].word, sizeof(list) - strlen(list) - 1);
	}
	err_set(err, "predictor.kind: no predictor is called '%s'; there are:%s", name, list);
	return NULL;
}

bool pred_require_power_of_two(uint32_t value, const char *key, struct err *err)
{
	if (bits_is_power_of_two(value))
		return true;
	return err_set(err, "%s is %u, but must be a power of two", key, (unsigned)value);
}
