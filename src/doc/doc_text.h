/*
 * doc_text.h - a document as text for a terminal, a file or a pipe.
 *
 * No line is wider than the terminal (terminal.h). A table first gives up the room of its bars,
 * then writes counts short, then leaves out columns that are optional; what still does not fit goes
 * into a second block below, with the names again. Bars are letters (or blocks where the terminal
 * has such characters), so that they can be read without colour.
 */
#ifndef DOC_DOC_TEXT_H
#define DOC_DOC_TEXT_H

#include <stdio.h>

#include "doc/doc.h"
#include "doc/terminal.h"

void doc_text_write(FILE *out, const struct doc *doc, const struct terminal *terminal);

#endif
