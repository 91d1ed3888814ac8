#include "doc/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SCALED 9e18 /* what a number of 64 bits can hold */

/* Decimals are written digit by digit: printf would use the locale's point. */
static const char *put(char text[NUMBER_BYTES], double value, unsigned places, bool grouped)
{
	long long unit = 1;
	char digits[32];
	size_t at = 0;

	for (unsigned i = 0; i < places; i++)
		unit *= 10;
	/* The decimals of a number that is too large to have any are zeros. */
	bool is_large = !(fabs(value) < MOST_SCALED / (double)unit);
	double limited = isnan(value) ? 0 : fmax(-MOST_SCALED, fmin(MOST_SCALED, value));
	long long scaled = llround(is_large ? limited : value * (double)unit);
	int length =
		snprintf(digits, sizeof(digits), "%lld", llabs(is_large ? scaled : scaled / unit));

	if (scaled < 0)
		text[at++] = '-';
	for (int i = 0; i < length; i++) {
		if (grouped && i && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	if (places)
		snprintf(text + at, NUMBER_BYTES - at, ".%0*lld", (int)places,
			 is_large ? 0 : llabs(scaled % unit));
	return text;
}

const char *number_plain(char text[NUMBER_BYTES], double value, unsigned places)
{
	return put(text, value, places, false);
}

const char *number_grouped(char text[NUMBER_BYTES], double value, unsigned places)
{
	return put(text, value, places, true);
}

const char *number_short(char text[NUMBER_BYTES], double value)
{
	static const char suffixes[] = "kMGTP";
	double size = fabs(value);
	size_t i = 0;

	if (size < 9999.5)
		return put(text, value, 0, false);
	for (size /= 1000; size >= 999.5 && suffixes[i + 1]; i++)
		size /= 1000;
	put(text, value < 0 ? -size : size, size < 9.995 ? 2 : size < 99.95 ? 1 : 0, false);
	size_t end = strlen(text);
	text[end] = suffixes[i];
	text[end + 1] = '\0';
	return text;
}

const char *number_exact(char text[NUMBER_BYTES], double value)
{
	if (value == rint(value) && fabs(value) < 1e15)
		return put(text, value, 0, false);
	for (int digits = 6; digits <= 15; digits++) {
		snprintf(text, NUMBER_BYTES, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	/* The one character that a locale may have put between the digits. */
	for (char *c = text; *c; c++)
		if (!strchr("+-.0123456789enaif", *c))
			*c = '.';
	return text;
}
