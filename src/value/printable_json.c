#include "value/printable_json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"

json_t *printable_json(const char *text)
{
	size_t length = strlen(text);
	char *copy = mem_strdup(text); /* as long as it can become */

	printable_copy(copy, length, (const uint8_t *)text, length);
	json_t *string = json_string(copy);
	free(copy);
	return string;
}
