/*
 * content_html.h - content as HTML, for the page of a paper; everything is escaped. A plot carries
 * its values, so that a script can show them to a reader who points at it
 * (page/reproduce_figures.js).
 */
#ifndef REPORT_PAPERS_CONTENT_HTML_H
#define REPORT_PAPERS_CONTENT_HTML_H

#include <stdio.h>

#include "report/papers/content.h"

void content_html_write(FILE *out, const struct content *content);

#endif
