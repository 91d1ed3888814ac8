#include "base/number.h"

#include <string.h>

/* So many digits and the largest suffix fit into 128 bits. */
#define DIGITS_MOST   26
#define EXPONENT_MOST 40 /* a larger one is as good as this: only 0 stays a 64-bit number */

typedef unsigned __int128 wide;

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Adds the digits at *text to *value; single underscores may lie between two of them. Returns how
 * many there are, or -1 for more than `most`. */
static int take_digits(const char **text, int most, wide *value)
{
	const char *p = *text;
	int count = 0;

	for (; is_digit(*p) || (*p == '_' && count && is_digit(p[1])); p++) {
		if (*p == '_')
			continue;
		if (++count > most)
			return -1;
		*value = *value * 10 + (wide)(*p - '0');
	}
	*text = p;
	return count;
}

/* The power of ten behind the digits; 0 if there is none. */
static int take_exponent(const char **text)
{
	const char *p = *text;
	int exponent = 0;

	if (*p != 'e' && *p != 'E')
		return 0;
	p += 1 + (p[1] == '+');
	if (!is_digit(*p))
		return 0;
	for (; is_digit(*p); p++)
		if (exponent < EXPONENT_MOST)
			exponent = exponent * 10 + (*p - '0');
	*text = p;
	return exponent;
}

static uint64_t take_suffix(const char **text, enum number_of of)
{
	static const char suffixes[] = "kMGT";
	const char *p = *text, *suffix = *p ? strchr(suffixes, *p == 'K' ? 'k' : *p) : NULL;
	uint64_t scale = 1;

	if (suffix) {
		bool is_binary = p[1] == 'i' || of == NUMBER_OF_BYTES;

		for (const char *s = suffixes; s <= suffix; s++)
			scale *= is_binary ? 1024 : 1000;
		p += 1 + (p[1] == 'i');
	}
	p += of == NUMBER_OF_BYTES && *p == 'B';
	*text = p;
	return scale;
}

bool number_read(const char *text, enum number_of of, uint64_t *value)
{
	wide digits = 0;
	int whole = take_digits(&text, DIGITS_MOST, &digits), fraction = 0;

	if (whole <= 0)
		return false;
	if (*text == '.') {
		text++;
		fraction = take_digits(&text, DIGITS_MOST - whole, &digits);
		if (fraction <= 0)
			return false;
	}
	int power = take_exponent(&text) - fraction;
	wide scaled = digits * take_suffix(&text, of);
	if (*text)
		return false;
	for (; power > 0 && scaled <= UINT64_MAX && scaled; power--)
		scaled *= 10;
	for (; power < 0 && scaled % 10 == 0 && scaled; power++)
		scaled /= 10;
	if ((power && scaled) || scaled > UINT64_MAX)
		return false;
	*value = (uint64_t)scaled;
	return true;
}

bool number_parse(const char *text, enum number_of of, uint64_t least, uint64_t most,
		  uint64_t *value, struct err *err)
{
	uint64_t number;

	if (!number_read(text, of, &number) || number < least || number > most)
		return err_set(err, "\"%s\" is not a number from %llu to %llu (suffixes k, M, G)",
			       text, (unsigned long long)least, (unsigned long long)most);
	*value = number;
	return true;
}
