#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool number_parse(const char *text, uint64_t thousand, uint64_t least, uint64_t most,
		  uint64_t *value, struct err *err)
{
	static const char suffixes[] = "kMGT";
	uint64_t scale = 1;
	char *end;

	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	const char *suffix = *end ? strchr(suffixes, *end == 'K' ? 'k' : *end) : NULL;
	if (suffix) {
		for (const char *s = suffixes; s <= suffix; s++)
			scale *= thousand;
		end++;
	}
	if (text[0] < '0' || text[0] > '9' || *end || errno || number > UINT64_MAX / scale ||
	    number * scale < least || number * scale > most)
		return err_set(err, "\"%s\" is not a number from %llu to %llu (suffixes k, M, G)",
			       text, (unsigned long long)least, (unsigned long long)most);
	*value = number * scale;
	return true;
}
