/*
 * Any bytes as a pipeline file: refused with a sentence, or read and shown at two widths and as a
 * page, each line within its width.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "doc/doc_html.h"
#include "doc/doc_text.h"
#include "report/pipeview.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_widths(const char *text, size_t size, unsigned width)
{
	for (size_t at = 0, length; at < size; at += length + 1) {
		length = strcspn(text + at, "\n");
		BUG_ON(length > width || memchr(text + at, '\033', length));
	}
}

static void show(const struct kanata *kanata, unsigned width, bool as_page)
{
	const uint64_t from = kanata->first_cycle, last = kanata->last_cycle;
	const struct terminal terminal = {.width = width, .height = 24};
	char *text = NULL;
	size_t size = 0;
	struct err err;
	struct doc doc;
	FILE *out = open_memstream(&text, &size);

	doc_init(&doc, "pipeview");
	pipeview_build(&doc, kanata, from, last - from >= 1000 ? from + 999 : last);
	if (as_page)
		BUG_ON(!doc_html_write(out, &doc, &err));
	else
		doc_text_write(out, &doc, &terminal);
	doc_release(&doc);
	fclose(out);
	if (!as_page)
		check_widths(text, size, width);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct kanata kanata;
	struct err err;

	if (kanata_read(&kanata, (const char *)bytes, size, "file", &err)) {
		show(&kanata, TERMINAL_LEAST_COLUMNS, false);
		show(&kanata, TERMINAL_MOST_COLUMNS, false);
		show(&kanata, 0, true);
	} else {
		BUG_ON(!err.text[0]);
	}
	kanata_release(&kanata);
	return 0;
}
