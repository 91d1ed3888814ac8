/*
 * verdict.h - the sentence that every report of a run opens with: how much of the cycles is lost,
 * and to what most of it. The text and the page print the same words; only the marks around what
 * matters differ.
 */
#ifndef REPORT_TEXT_VERDICT_H
#define REPORT_TEXT_VERDICT_H

#include <stdio.h>

#include "value/profile.h"

struct verdict_marks {
	const char *strong, *plain;		  /* around what matters */
	const char *before_colour, *after_colour; /* around a component's name, before it is shown;
						     NULL: nothing is shown there */
};

void verdict_write(FILE *out, const struct profile *profile, const struct verdict_marks *marks);

#endif
