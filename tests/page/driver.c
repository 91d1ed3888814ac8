/*
 * Renders a result as a page: driver FILE.json >FILE.html; prints what is wrong with it to standard
 * error and ends with status 1.
 */
#include <stdio.h>

#include <jansson.h>

#include "doc/doc_html.h"
#include "report/report.h"

int main(int argc, char **argv)
{
	struct err err = {0};
	json_error_t where;
	struct doc doc;

	if (argc != 2)
		return 2;
	json_t *result = json_load_file(argv[1], 0, &where);
	if (!result) {
		fprintf(stderr, "%s: %s\n", argv[1], where.text);
		return 2;
	}
	bool ok = report_build(&doc, result, NULL, &err) && doc_html_write(stdout, &doc, &err);
	doc_release(&doc);
	json_decref(result);
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	return ok ? 0 : 1;
}
