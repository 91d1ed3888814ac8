/* layout FILE.json...: prints for each result whether it has the layout of its schema. */
#include <jansson.h>
#include <stdio.h>

#include "value/layout.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		json_t *result = json_load_file(argv[i], 0, NULL);
		struct err err = {.text = ""};
		const struct layout *layout = layout_of(result, &err);

		if (layout && layout_check(result, layout, &err))
			printf("%s\n", layout->schema);
		else
			printf("%s: %s\n", argv[i], err.text);
		json_decref(result);
	}
	return 0;
}
