#include "value/result_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

char *result_text(const json_t *result, size_t *bytes)
{
	char *text = json_dumps(result, JSON_INDENT(2));

	if (!text)
		return NULL;
	*bytes = strlen(text) + 1;
	text = mem_realloc(text, *bytes + 1, 1);
	memcpy(text + *bytes - 1, "\n", 2);
	return text;
}
