#include "stats/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

#define DEPTH_MOST 32

/* Reads and computes at once. While a formula is read the values are 1. */
struct reader {
	struct formula *formula; /* to which signals are added; NULL when it is computed */
	const struct formula *given;
	const double *values;
	const char *at;
	unsigned depth;
	bool has_value; /* no division by 0 so far */
	bool is_wrong;
	struct err *err;
};

const struct signal_row *formula_signal(const char *name, struct err *err)
{
	struct nearest nearest = {0};
	const struct signal_row *signal = signal_find(name);

	if (signal)
		return signal;
	for (size_t i = 0; i < signal_count(); i++)
		nearest_consider(&nearest, name, signal_rows[i].name);
	err_set(err, "there is no signal \"%s\"; %s`cyclestack signals` lists them", name,
		nearest_ask(&nearest, "did you mean ", "? ").text);
	return NULL;
}

static void skip_blanks(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

static double fail(struct reader *r, const char *what)
{
	if (!r->is_wrong)
		err_set(r->err, "formula \"%s\": %s at \"%s\"", r->given->name, what, r->at);
	r->is_wrong = true;
	return 0;
}

static double signal_value(struct reader *r)
{
	char name[FORMULA_NAME_BYTES];
	size_t length = 0, i = 0;

	while (isalnum((unsigned char)r->at[length]) ||
	       strchr("._", r->at[length] ? r->at[length] : ' '))
		length++;
	if (length >= sizeof(name))
		return fail(r, "too long a name");
	memcpy(name, r->at, length);
	name[length] = 0;
	while (i < r->given->signal_count && strcmp(r->given->signals[i]->name, name) != 0)
		i++;
	if (i == r->given->signal_count) {
		struct err err;
		const struct signal_row *signal = formula_signal(name, &err);

		if (!signal)
			return fail(r, err.text);
		if (!r->formula || i == FORMULA_SIGNALS_MOST)
			return fail(r, "too many signals");
		r->formula->signals[r->formula->signal_count++] = signal;
	}
	r->at += length;
	return r->values ? r->values[i] : 1;
}

static double sum(struct reader *r);

static double atom(struct reader *r)
{
	skip_blanks(r);
	if (r->is_wrong)
		return 0;
	if (++r->depth > DEPTH_MOST)
		return fail(r, "too many parentheses");
	double value = 0;
	if (*r->at == '(') {
		r->at++;
		value = sum(r);
		skip_blanks(r);
		if (*r->at != ')')
			return fail(r, "a closing parenthesis is missing");
		r->at++;
	} else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
		char *end;

		value = strtod(r->at, &end);
		if (end == r->at)
			return fail(r, "no number");
		r->at = end;
	} else if (isalpha((unsigned char)*r->at)) {
		value = signal_value(r);
	} else {
		return fail(r, "a number or a signal is expected");
	}
	r->depth--;
	return value;
}

static double product(struct reader *r)
{
	double value = atom(r);

	for (;;) {
		skip_blanks(r);
		char sign = *r->at;
		if (r->is_wrong || (sign != '*' && sign != '/'))
			return value;
		r->at++;
		double next = atom(r);
		if (sign == '*') {
			value *= next;
		} else if (next != 0) {
			value /= next;
		} else {
			r->has_value = false;
		}
	}
}

static double sum(struct reader *r)
{
	double value = product(r);

	for (;;) {
		skip_blanks(r);
		char sign = *r->at;
		if (r->is_wrong || (sign != '+' && sign != '-'))
			return value;
		r->at++;
		double next = product(r);
		value += sign == '+' ? next : -next;
	}
}

bool formula_read(struct formula *formula, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : 0;

	*formula = (struct formula){.name = ""};
	while (length && text[length - 1] == ' ')
		length--;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._-", text[i]))
			length = 0;
	if (!length || length >= FORMULA_NAME_BYTES || strlen(text) >= FORMULA_BYTES_MOST)
		return err_set(
			err,
			"\"%.80s\" is not NAME = FORMULA, such as mpki = 1000 * l1d.misses / "
			"committed",
			text);
	memcpy(formula->name, text, length);
	memcpy(formula->expression, equals + 1, strlen(equals + 1) + 1);
	struct reader reader = {.formula = formula,
				.given = formula,
				.at = formula->expression,
				.has_value = true,
				.err = err};
	sum(&reader);
	if (!reader.is_wrong && *reader.at)
		fail(&reader, "an operator is expected");
	return !reader.is_wrong;
}

bool formula_value(const struct formula *formula, const double *values, double *value)
{
	struct reader reader = {
		.given = formula, .values = values, .at = formula->expression, .has_value = true};

	*value = sum(&reader);
	return !reader.is_wrong && reader.has_value;
}
