/*
 * Writes a made-up document as a page: document plain|hostile|large >FILE.html; with "svg" and the
 * id of a block after it, its picture.
 */
#include <stdio.h>
#include <string.h>

#include "../unit/doc/made_up.h"
#include "doc/doc_html.h"
#include "doc/doc_svg.h"

#define HOSTILE                                                               \
	"<script>window.hostile = 1</script>\"'&<img src=x onerror=alert(1)>" \
	"\x01\x1b[31m\n\t\xe2\x80\xae\xff</title></style>"

int main(int argc, char **argv)
{
	struct err err = {0};
	struct doc doc;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "large") == 0)
		made_up_large(&doc);
	else
		made_up_document(&doc, strcmp(argv[1], "hostile") == 0 ? HOSTILE : "plain");
	const struct doc_block *block = argc == 4 ? doc_find(&doc, argv[3]) : NULL;
	bool ok = argc == 4 ? block && doc_svg_write(stdout, block)
			    : doc_html_write(stdout, &doc, &err);
	doc_release(&doc);
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	return ok ? 0 : 1;
}
