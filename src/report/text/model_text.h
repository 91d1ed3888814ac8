/*
 * model_text.h - a result of `model` as text: a row for every design point, and the explanation if
 * there is one.
 */
#ifndef REPORT_TEXT_MODEL_TEXT_H
#define REPORT_TEXT_MODEL_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/terminal.h"

/* The result has been checked against its layout. */
void model_text_write(FILE *out, const json_t *result, const struct terminal *terminal);

#endif
