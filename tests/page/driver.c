/*
 * Renders a result as a page: driver run|judge|reproduce|model|inspect FILE.json >FILE.html; prints
 * what is wrong with it to standard error and ends with status 1.
 */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "report/page/inspect_page.h"
#include "report/page/judge_page.h"
#include "report/page/model_page.h"
#include "report/page/run_page.h"
#include "report/papers/paper_eyerman2006.h"
#include "report/papers/paper_page.h"

int main(int argc, char **argv)
{
	struct err err = {0};
	json_error_t where;

	if (argc != 3)
		return 2;
	json_t *result = json_load_file(argv[2], 0, &where);
	if (!result) {
		fprintf(stderr, "%s: %s\n", argv[2], where.text);
		return 2;
	}
	bool ok = strcmp(argv[1], "judge") == 0	    ? judge_page_write(stdout, result, &err)
		  : strcmp(argv[1], "model") == 0   ? model_page_write(stdout, result, &err)
		  : strcmp(argv[1], "inspect") == 0 ? inspect_page_write(stdout, result, &err)
		  : strcmp(argv[1], "reproduce") == 0
			  ? paper_page_write(stdout, &paper_eyerman2006, result, &err)
			  : page_write(stdout, result, &err);
	json_decref(result);
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	return ok ? 0 : 1;
}
