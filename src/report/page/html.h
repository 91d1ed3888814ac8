/*
 * html.h - what the pages have in common: one file that loads nothing else.
 *
 * A page is written from its result alone, without date or path, so the same result gives the same
 * bytes. Style, scripts, fills and the result itself are inside; its content security policy
 * forbids every request and every script but the one whose SHA-256 it contains, so a name from a
 * program could not run as a script even if it were written unescaped, which it is not.
 *
 * The plain HTML written here is what a reader without scripts sees: the main table. The scripts
 * draw everything else from the result.
 */
#ifndef REPORT_PAGE_HTML_H
#define REPORT_PAGE_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"
#include "report/page/assets.h"

/* Writes everything up to and including the opening of <main>. */
void html_begin(FILE *out, const char *title, const struct page_asset *scripts, size_t count);

/* Data for the scripts, which find it by its id; false if it cannot be written as JSON. */
bool html_json(FILE *out, const char *id, const json_t *json);

/* Writes the result, the names of its parts and the scripts; closes what html_begin opened. False
 * with a sentence if anything could not be written to `out`. */
bool html_end(FILE *out, const json_t *result, const struct page_asset *scripts, size_t count,
	      struct err *err);

/* Text and attribute values, escaped. */
void html_text(FILE *out, const char *text);

/* Writes 1234567 as 1,234,567. */
void html_integer(FILE *out, json_int_t value);

/* Writes a number rounded to so many places, with a point in every locale. */
void html_decimal(FILE *out, double value, unsigned places);

#endif
