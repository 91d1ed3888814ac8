/*
 * markup.h - text and numbers inside HTML and SVG.
 *
 * Text may have any bytes: control characters, characters that turn the direction of a line, and
 * bytes that are not UTF-8 become '?', tabs and line feeds become spaces, and what has a meaning in
 * markup is escaped, for elements and attributes alike. The same calls give the same bytes in
 * every locale.
 */
#ifndef DOC_MARKUP_H
#define DOC_MARKUP_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/cell.h"
#include "doc/doc.h"
#include "doc/number.h"

#define MARKUP_VALUE_BYTES CELL_BYTES

/* NULL is written as nothing. */
void markup_text(FILE *out, const char *text);
/* Writes ` name="value"`; nothing if the value is NULL. */
void markup_attribute(FILE *out, const char *name, const char *value);
/* A string of JSON that is part of an attribute's value. */
void markup_json(FILE *out, const char *text);
/* At most two decimals, without zeros at the end; beyond a million, a million. */
void markup_length(FILE *out, double value);
/* About six digits, for scripts. */
void markup_number(FILE *out, double value);

/* A value as its unit says. A bar or a stack is written as its number. */
const char *markup_value(char text[MARKUP_VALUE_BYTES], enum doc_unit unit, unsigned places,
			 bool is_bare, double value);

#endif
