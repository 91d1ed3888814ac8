/*
 * make_input.c - the inputs of the real programs, made anew on the host.
 *
 *	make_input text BYTES		prose-like text, for the compressors
 *	make_input factors P Q BITS	a formula in DIMACS CNF that is satisfied by
 *					two factors of the product P * Q
 *
 * Integers only and a generator of our own: the same bytes on every host. The
 * text has what compressors live on (a skewed vocabulary, habitual phrases,
 * sentences, paragraphs), not the meaning of a language.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

#define WORDS_LOG2   12
#define WORDS	     (1 << WORDS_LOG2)
#define WORD_BYTES   24
#define BITS_MAX     31
#define COUNT_OF(xs) (sizeof(xs) / sizeof((xs)[0]))

struct text {
	struct rng rng;
	uint64_t room_bytes;
	unsigned column;
	char words[WORDS][WORD_BYTES];
};

/* Words that come early are used often, and are short as such words are. */
static void make_words(struct text *text)
{
	static const char *const onsets[] = {
		"b", "c",  "d",	 "f", "g", "h",	 "l",  "m",  "n",  "p", "r",  "s", "t",	 "v",
		"w", "st", "tr", "",  "",  "th", "pl", "ch", "sh", "k", "gr", "",  "br", "qu"};
	static const char *const nuclei[] = {"a", "e", "i", "o", "u", "e", "a", "ea", "io", "ou"};
	static const char *const codas[] = {"", "", "", "n", "r", "s", "t", "l", "d", "nd", "ng"};

	for (int i = 0; i < WORDS; i++) {
		uint64_t syllables = 1 + (i > 60) + (i > 400 ? rng_below(&text->rng, 3) : 0);

		for (uint64_t j = 0; j < syllables; j++) {
			char syllable[8];

			snprintf(syllable, sizeof(syllable), "%s%s%s",
				 onsets[rng_below(&text->rng, COUNT_OF(onsets))],
				 nuclei[rng_below(&text->rng, COUNT_OF(nuclei))],
				 codas[rng_below(&text->rng, COUNT_OF(codas))]);
			strcat(text->words[i], syllable);
		}
	}
}

/* Ranks up to 2^n are as likely as those from there to 2^(n+1): Zipf's law. */
static unsigned pick_word(struct text *text)
{
	uint64_t octave = rng_below(&text->rng, WORDS_LOG2);

	return (unsigned)((UINT64_C(1) << octave) + rng_below(&text->rng, UINT64_C(1) << octave));
}

/* Half of the words are followed by one of four that usually follow them. */
static unsigned pick_successor(struct text *text, unsigned word)
{
	if (rng_below(&text->rng, 2))
		return pick_word(text);
	struct rng habit = {((uint64_t)word << 2) + rng_below(&text->rng, 4)};
	uint64_t drawn = rng_next(&habit);

	return (unsigned)(drawn >> (64 - WORDS_LOG2 + drawn % 6));
}

static void put_byte(struct text *text, char byte)
{
	if (!text->room_bytes)
		return;
	text->room_bytes--;
	putchar(byte);
}

static void put_word(struct text *text, const char *word, bool is_first)
{
	size_t length = strlen(word);

	if (text->column + length > 72) {
		put_byte(text, '\n');
		text->column = 0;
	} else if (text->column) {
		put_byte(text, ' ');
		text->column++;
	}
	for (size_t i = 0; i < length; i++)
		put_byte(text, is_first && !i ? (char)(word[i] - 'a' + 'A') : word[i]);
	text->column += (unsigned)length;
}

static void put_sentence(struct text *text)
{
	uint64_t length = 4 + rng_below(&text->rng, 16);
	unsigned word = pick_word(text);

	for (uint64_t i = 0; i < length; i++) {
		char number[8];

		if (rng_below(&text->rng, 80)) {
			put_word(text, text->words[word], !i);
		} else {
			snprintf(number, sizeof(number), "%" PRIu64, rng_below(&text->rng, 2000));
			put_word(text, number, false);
		}
		if (i + 1 < length && !rng_below(&text->rng, 9))
			put_byte(text, ',');
		word = pick_successor(text, word);
	}
	put_byte(text, '.');
	text->column++;
}

static void write_text(uint64_t bytes)
{
	struct text *text = calloc(1, sizeof(*text));

	if (!text)
		abort();
	text->rng.state = 1;
	text->room_bytes = bytes;
	make_words(text);
	while (text->room_bytes) {
		for (uint64_t i = 3 + rng_below(&text->rng, 6); i; i--)
			put_sentence(text);
		put_byte(text, '\n');
		put_byte(text, '\n');
		text->column = 0;
	}
	free(text);
}

/* Clauses are counted in a first pass, for the header, and written in a second. */
struct formula {
	bool is_writing;
	int variables;
	int clauses;
};

static int add_variable(struct formula *formula)
{
	return ++formula->variables;
}

static void add_clause(struct formula *formula, int a, int b, int c, int d)
{
	const int literals[] = {a, b, c, d};

	formula->clauses++;
	if (!formula->is_writing)
		return;
	for (size_t i = 0; i < COUNT_OF(literals); i++)
		if (literals[i])
			printf("%d ", literals[i]);
	puts("0");
}

static int add_and(struct formula *formula, int a, int b)
{
	int out = add_variable(formula);

	add_clause(formula, -a, -b, out, 0);
	add_clause(formula, a, -out, 0, 0);
	add_clause(formula, b, -out, 0, 0);
	return out;
}

/* Returns the sum's variable, and the carry's through *carry. */
static int add_full_adder(struct formula *formula, int a, int b, int c, int *carry)
{
	int sum = add_variable(formula);

	*carry = add_variable(formula);
	for (int i = 0; i < 8; i++) {
		int x = i & 1 ? -a : a, y = i & 2 ? -b : b, z = i & 4 ? -c : c;
		bool is_odd = __builtin_parity((unsigned)i);

		add_clause(formula, x, y, z, is_odd ? sum : -sum);
	}
	for (int sign = -1; sign <= 1; sign += 2) {
		add_clause(formula, sign * a, sign * b, -sign * *carry, 0);
		add_clause(formula, sign * a, sign * c, -sign * *carry, 0);
		add_clause(formula, sign * b, sign * c, -sign * *carry, 0);
	}
	return sum;
}

/* An array multiplier with its output given. The first BITS variables are one
 * factor, lowest bit first, the next BITS the other. */
static void add_multiplier(struct formula *formula, uint64_t product, int bits)
{
	int left[BITS_MAX], right[BITS_MAX], total[2 * BITS_MAX];

	for (int i = 0; i < bits; i++)
		left[i] = add_variable(formula);
	for (int i = 0; i < bits; i++)
		right[i] = add_variable(formula);
	int zero = add_variable(formula);
	add_clause(formula, -zero, 0, 0, 0);
	for (int i = 0; i < 2 * bits; i++)
		total[i] = zero;
	for (int row = 0; row < bits; row++) {
		int carry = zero;

		for (int i = 0; i < bits; i++) {
			int partial = add_and(formula, left[i], right[row]);

			total[row + i] =
				add_full_adder(formula, total[row + i], partial, carry, &carry);
		}
		total[row + bits] = carry;
	}
	for (int i = 0; i < 2 * bits; i++)
		add_clause(formula, product >> i & 1 ? total[i] : -total[i], 0, 0, 0);
}

static void write_factors(uint64_t product, int bits)
{
	struct formula measure = {0}, formula = {.is_writing = true};

	add_multiplier(&measure, product, bits);
	printf("c %" PRIu64 " = a * b; a: variables 1..%d, b: %d..%d, lowest bit first\n", product,
	       bits, bits + 1, 2 * bits);
	printf("p cnf %d %d\n", measure.variables, measure.clauses);
	add_multiplier(&formula, product, bits);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "text") == 0) {
		write_text(strtoull(argv[2], NULL, 10));
	} else if (argc == 5 && strcmp(argv[1], "factors") == 0) {
		int bits = atoi(argv[4]);

		if (bits < 1 || bits > BITS_MAX) {
			fprintf(stderr, "make_input: BITS is 1 to %d\n", BITS_MAX);
			return 2;
		}
		write_factors(strtoull(argv[2], NULL, 10) * strtoull(argv[3], NULL, 10), bits);
	} else {
		fputs("usage: make_input text BYTES | make_input factors P Q BITS\n", stderr);
		return 2;
	}
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
