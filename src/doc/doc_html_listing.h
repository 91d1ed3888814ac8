/*
 * doc_html_listing.h - a listing of a document (a table that is_listing) in a page: source lines at
 * the left, each with its instructions beside it; where there is no room for that, below it.
 *
 * Rows of level 0 are lines, those below are instructions. Code breaks where it does not fit, so
 * nothing is cut. Everything is in the HTML and needs no script, but the words that a reader sees
 * who points at a stack (data-tip). What is beyond the limit is in a part that is opened.
 *
 * Without sorting, views, totals, folded rows and links.
 */
#ifndef DOC_DOC_HTML_LISTING_H
#define DOC_DOC_HTML_LISTING_H

#include <stdio.h>

#include "doc/doc.h"

void doc_html_listing(FILE *out, const struct doc_block *block);

#endif
