/*
 * Any bytes as a pipeline file: refused with a sentence, or read and shown at two widths and as a
 * page, each line within its width.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "report/file/kanata.h"
#include "report/page/pipeview_page.h"
#include "report/text/pipeview_text.h"

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
	struct pipeview_range range = {kanata->first_cycle, kanata->last_cycle};
	const struct terminal terminal = {.width = width, .height = 24};
	char *text = NULL;
	size_t size = 0;
	struct err err;
	FILE *out = open_memstream(&text, &size);

	if (range.to - range.from >= 1000)
		range.to = range.from + 999;
	if (as_page)
		BUG_ON(!pipeview_page_write(out, kanata, &range, &err));
	else
		pipeview_text_print(out, kanata, &range, &terminal);
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
