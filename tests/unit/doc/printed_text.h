/* printed_text.h - the text of a document on a terminal, compared as a whole. Includes what cmocka
 * wants. */
#ifndef TESTS_UNIT_DOC_PRINTED_TEXT_H
#define TESTS_UNIT_DOC_PRINTED_TEXT_H

#include "doc/doc_text.h"

/* Releases the document. */
static inline void is_printed(struct doc *doc, const struct terminal *terminal, const char *wanted)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	doc_text_write(out, doc, terminal);
	fclose(out);
	doc_release(doc);
	assert_string_equal(text, wanted);
	free(text);
}

#endif
