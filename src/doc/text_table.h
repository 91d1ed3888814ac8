/*
 * text_table.h - a table of a document as text: which columns fit, how wide each is, and its lines.
 */
#ifndef DOC_TEXT_TABLE_H
#define DOC_TEXT_TABLE_H

#include <stdio.h>

#include "doc/doc.h"
#include "doc/terminal.h"

void text_table_print(FILE *out, const struct doc_table *table, const struct terminal *terminal);

#endif
