/* callgrind RESULT.json: writes the result as a callgrind profile to standard output. */
#include <jansson.h>
#include <stdio.h>

#include "report/file/callgrind.h"

int main(int argc, char **argv)
{
	json_t *result = argc == 2 ? json_load_file(argv[1], 0, NULL) : NULL;
	struct err err = {.text = "usage: callgrind RESULT.json"};
	bool ok = result && callgrind_write(stdout, result, &err);

	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	json_decref(result);
	return !ok;
}
