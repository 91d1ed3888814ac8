/* Formulas against trees that are computed as they are made, and every way of being wrong. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "base/rng.h"
#include "stats/formula.h"

static const char *const names[] = {"cycles", "committed", "l1d.misses", "l2.data.misses"};

/* An expression under way: its text, and what it is worth. */
struct tree {
	char text[FORMULA_BYTES_MOST];
	struct rng rng;
	double values[ARRAY_COUNT(names)];
	bool has_value;
};

static void add(struct tree *tree, const char *text)
{
	strcat(tree->text, text);
	if (rng_below(&tree->rng, 4) == 0)
		strcat(tree->text, rng_below(&tree->rng, 2) ? " " : "\t");
}

static double make_sum(struct tree *tree, unsigned depth);

static double make_atom(struct tree *tree, unsigned depth)
{
	char number[16];

	if (depth && rng_below(&tree->rng, 2)) {
		add(tree, "(");
		double value = make_sum(tree, depth - 1);

		add(tree, ")");
		return value;
	}
	if (rng_below(&tree->rng, 2)) {
		size_t which = rng_below(&tree->rng, ARRAY_COUNT(names));

		add(tree, names[which]);
		return tree->values[which];
	}
	unsigned quarters = (unsigned)rng_below(&tree->rng, 40);
	snprintf(number, sizeof(number), "%.2f", quarters / 4.0);
	/* A number may begin with its point. */
	add(tree, number + (number[0] == '0' && quarters % 2));
	return quarters / 4.0;
}

static double make_product(struct tree *tree, unsigned depth)
{
	double value = make_atom(tree, depth);

	while (rng_below(&tree->rng, 3) == 0) {
		bool divides = rng_below(&tree->rng, 2);

		add(tree, divides ? "/" : "*");
		double next = make_atom(tree, depth);

		tree->has_value &= !divides || next != 0;
		value = divides ? value / next : value * next;
	}
	return value;
}

static double make_sum(struct tree *tree, unsigned depth)
{
	double value = make_product(tree, depth);

	while (rng_below(&tree->rng, 3) == 0) {
		bool subtracts = rng_below(&tree->rng, 2);

		add(tree, subtracts ? "-" : "+");
		double next = make_product(tree, depth);

		value = subtracts ? value - next : value + next;
	}
	return value;
}

TEST(formulas_have_the_usual_precedence)
{
	unsigned with_value = 0, without = 0;
	struct tree tree = {.rng = {3}};

	for (int i = 0; i < 5000; i++) {
		strcpy(tree.text, "some.name_1 =");
		tree.has_value = true;
		for (size_t j = 0; j < ARRAY_COUNT(names); j++)
			tree.values[j] = (double)rng_below(&tree.rng, 6);
		double wanted = make_sum(&tree, 2), got, values[ARRAY_COUNT(names)];
		struct formula formula;
		struct err err;

		if (!formula_read(&formula, tree.text, &err))
			fail_msg("%s: %s", tree.text, err.text);
		assert_string_equal(formula.name, "some.name_1");
		assert_true(formula.signal_count <= ARRAY_COUNT(names));
		for (size_t j = 0; j < formula.signal_count; j++)
			for (size_t k = 0; k < ARRAY_COUNT(names); k++)
				if (strcmp(formula.signals[j]->name, names[k]) == 0)
					values[j] = tree.values[k];
		bool has_value = formula_value(&formula, values, &got);
		if (has_value != tree.has_value ||
		    (has_value && fabs(got - wanted) > 1e-9 * (1 + fabs(wanted))))
			fail_msg("%s: %g, where %g is right", tree.text, got, wanted);
		with_value += has_value;
		without += !has_value;
	}
	assert_true(with_value > 1000 && without > 100);
}

TEST(a_signal_is_listed_once_in_the_order_of_the_text)
{
	struct formula formula;
	struct err err;

	assert_true(
		formula_read(&formula, "x=committed/cycles+committed*(cycles-l1d.misses)", &err));
	assert_int_equal(formula.signal_count, 3);
	assert_string_equal(formula.signals[0]->name, "committed");
	assert_string_equal(formula.signals[1]->name, "cycles");
	assert_string_equal(formula.signals[2]->name, "l1d.misses");
}

static void refused(const char *text, const char *sentence)
{
	struct formula formula;
	struct err err = {.text = ""};

	assert_false(formula_read(&formula, text, &err));
	if (strcmp(err.text, sentence) != 0)
		fail_msg("%s\n%s", err.text, sentence);
}

TEST(what_is_wrong_is_shown_where_it_is)
{
	static const char example[] = "such as mpki = 1000 * l1d.misses / committed";
	char text[2 * FORMULA_BYTES_MOST], sentence[1024];
	struct formula formula;
	struct err err;

	refused("x=", "formula \"x\": a number or a signal is expected at \"\"");
	refused("x=1+", "formula \"x\": a number or a signal is expected at \"\"");
	refused("x=-1", "formula \"x\": a number or a signal is expected at \"-1\"");
	refused("x=(1", "formula \"x\": a closing parenthesis is missing at \"\"");
	refused("x=(1 2)", "formula \"x\": a closing parenthesis is missing at \"2)\"");
	refused("x=1)", "formula \"x\": an operator is expected at \")\"");
	refused("x=1 cycles", "formula \"x\": an operator is expected at \"cycles\"");
	refused("x=.", "formula \"x\": no number at \".\"");
	refused("x=cycle", "formula \"x\": there is no signal \"cycle\"; did you mean cycles? "
			   "`cyclestack signals` lists them at \"cycle\"");
	for (int i = 0; i < 4; i++) {
		static const char *const nameless[] = {"1", "=1", " = 1", "a b = 1"};

		snprintf(sentence, sizeof(sentence), "\"%s\" is not NAME = FORMULA, %s",
			 nameless[i], example);
		refused(nameless[i], sentence);
	}
	/* Names, formulas and depths at their limits. */
	for (size_t length = FORMULA_NAME_BYTES - 1; length <= FORMULA_NAME_BYTES; length++) {
		memset(text, 'n', length);
		strcpy(text + length, "=1");
		assert_int_equal(formula_read(&formula, text, &err), length < FORMULA_NAME_BYTES);
		strcpy(text, "x=");
		memset(text + 2, 'n', length);
		text[2 + length] = 0;
		assert_false(formula_read(&formula, text, &err));
		assert_int_equal(!!strstr(err.text, "too long a name"),
				 length == FORMULA_NAME_BYTES);
	}
	for (size_t length = FORMULA_BYTES_MOST - 1; length <= FORMULA_BYTES_MOST; length++) {
		memset(text, ' ', length);
		memcpy(text, "x=", 2);
		strcpy(text + length - 1, "1");
		assert_int_equal(formula_read(&formula, text, &err), length < FORMULA_BYTES_MOST);
	}
	for (int depth = 31; depth <= 32; depth++) {
		strcpy(text, "x=");
		for (int i = 0; i < depth; i++)
			strcat(text, "(");
		strcat(text, "1");
		for (int i = 0; i < depth; i++)
			strcat(text, ")");
		assert_int_equal(formula_read(&formula, text, &err), depth < 32);
	}
	/* Many one after the other are not deep. */
	strcpy(text, "x=1");
	for (int i = 0; i < 60; i++)
		strcat(text, "+(1)*(1)");
	assert_true(formula_read(&formula, text, &err));
}
