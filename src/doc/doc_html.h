/*
 * doc_html.h - a document as a page: one file that loads nothing else.
 *
 * A page is written from its document alone, without date or path, so the same result gives the
 * same bytes. Style, script and fills are inside; its content security policy forbids every request
 * and every script but the one whose SHA-256 it contains, so a name from a program could not run as
 * a script even if it were written unescaped, which it is not.
 *
 * Everything is in the HTML: a reader without scripts sees all sentences, tables and drawings. The
 * one script, which knows no document, sorts, finds and unfolds rows, changes views, chooses among
 * alternatives, shows words where a reader points, and draws the small stacks of tables.
 */
#ifndef DOC_DOC_HTML_H
#define DOC_DOC_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "doc/doc.h"

/* False with a sentence if anything could not be written to `out`. */
bool doc_html_write(FILE *out, const struct doc *doc, struct err *err);

#endif
