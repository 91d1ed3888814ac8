/*
 * parser_dictionary.h - what the parser workload knows of its language: pools,
 * the parser's state, formulas of connectors and how they are read, the
 * dictionary tree, the grammar, and a speaker that makes sentences from it.
 *
 * The speaker writes top-down and never looks at connectors, so that it is
 * independent of the parser whose work it checks. Only parser.c includes this
 * file.
 */
#ifndef PARSER_DICTIONARY_H
#define PARSER_DICTIONARY_H

#include "workload.h"

enum { MAX_WORDS = 40, MAX_LINKS = 2 * MAX_WORDS, BUCKETS = 4096, WORD_ROOM = 16, BASES = 64 };

struct pool {
	uint8_t *data;
	size_t used, room;
};

static void *pool_new(struct pool *p, size_t bytes)
{
	void *block = p->data + p->used;

	p->used += (bytes + 7) & ~(size_t)7;
	if (p->used > p->room)
		abort();
	return memset(block, 0, bytes);
}

/* A formula: a connector, or a conjunction or disjunction of formulas. */
enum formula_kind { FORMULA_CONNECTOR, FORMULA_AND, FORMULA_OR };

struct formula {
	enum formula_kind kind;
	char name[6];
	char direction;
	uint8_t multi;
	int cost;
	struct formula *first, *next;
};

struct dictionary_node {
	char word[WORD_ROOM];
	const struct formula *formula;
	struct dictionary_node *left, *right;
};

struct connector {
	const char *name;
	struct connector *next;
	int id;
	uint8_t multi;
};

/* Both lists run from the farthest connector to the nearest. */
struct disjunct {
	struct connector *left, *right;
	struct disjunct *next;
	int cost;
};

struct count_entry {
	const struct connector *le, *re;
	struct count_entry *next;
	uint64_t count;
	int16_t l, r;
};

struct link {
	int l, r;
	const struct connector *lc, *rc;
};

struct parser {
	struct workload *w;
	struct pool formulas, sentence;
	struct dictionary_node *root;
	const char *at;
	char word[MAX_WORDS][WORD_ROOM];
	struct disjunct *disjuncts[MAX_WORDS];
	const struct disjunct *chosen[MAX_WORDS];
	struct count_entry *bucket[BUCKETS];
	struct link link[MAX_LINKS];
	int n_words, n_links, n_connectors;
	uint64_t entries, pruned, linkages;
};

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ')
		p->at++;
}

static struct formula *parse_formula(struct parser *p);

static struct formula *formula_new(struct parser *p, enum formula_kind kind)
{
	struct formula *f = pool_new(&p->formulas, sizeof(*f));

	f->kind = kind;
	return f;
}

/* A connector, a bracketed formula, {optional} or [costly]. */
static struct formula *parse_item(struct parser *p)
{
	struct formula *f;
	int n = 0;

	skip_blanks(p);
	if (*p->at == '(' || *p->at == '{' || *p->at == '[') {
		char open = *p->at++;

		f = parse_formula(p);
		skip_blanks(p);
		p->at++;
		if (open == '{') {
			struct formula *either = formula_new(p, FORMULA_OR);

			either->first = formula_new(p, FORMULA_AND);
			either->first->next = f;
			return either;
		}
		f->cost += open == '[';
		return f;
	}
	f = formula_new(p, FORMULA_CONNECTOR);
	if (*p->at == '@') {
		f->multi = 1;
		p->at++;
	}
	while (*p->at != '+' && *p->at != '-')
		f->name[n++] = *p->at++;
	f->direction = *p->at++;
	return f;
}

static struct formula *parse_all(struct parser *p)
{
	struct formula *f = formula_new(p, FORMULA_AND), **link = &f->first;

	for (;;) {
		*link = parse_item(p);
		link = &(*link)->next;
		skip_blanks(p);
		if (*p->at != '&')
			return f;
		p->at++;
	}
}

static struct formula *parse_formula(struct parser *p)
{
	struct formula *f = formula_new(p, FORMULA_OR), **link = &f->first;

	for (;;) {
		*link = parse_all(p);
		link = &(*link)->next;
		skip_blanks(p);
		if (strncmp(p->at, "or ", 3) != 0)
			return f;
		p->at += 3;
	}
}

static void dictionary_add(struct parser *p, const char *word, const struct formula *formula)
{
	struct dictionary_node **link = &p->root;

	while (*link)
		link = strcmp(word, (*link)->word) < 0 ? &(*link)->left : &(*link)->right;
	*link = pool_new(&p->formulas, sizeof(**link));
	strcpy((*link)->word, word);
	(*link)->formula = formula;
}

/* clang-format off */
enum class {
	WALL, STOP, DET_S, DET_P, NOUN_S, NOUN_P, NAME, ADJECTIVE, ADVERB, PREPOSITION, WHO, THAT,
	BECAUSE, WILL, TAKES, TAKE, SLEEPS, SLEEP, IS, SAYS, CLASSES,
};

static const struct {
	const char *formula;
	const char *word;
	int words;
} grammar[CLASSES] = {
	[WALL] = {"W+ & {X+}", "###", 1},
	[STOP] = {"X-", ".", 1},
	[DET_S] = {"Ds+", "a", 4},
	[DET_P] = {"Dm+", "some", 4},
	[NOUN_S] = {"{@A-} & Ds- & {@M+} & ({W- or C-} & Ss+ or O- or J-) or [@A- & Ds- & Ss+]",
		    NULL, 120},
	[NOUN_P] = {"{@A-} & {Dm-} & {@M+} & ({W- or C-} & Sp+ or O- or J-)", NULL, 100},
	[NAME] = {"{@M+} & ({W- or C-} & Ss+ or O- or J-)", NULL, 40},
	[ADJECTIVE] = {"{@EA-} & (A+ or Pa- & {@MV+})", NULL, 60},
	[ADVERB] = {"E+ or MV- or EA+ or [E- & MV-]", NULL, 25},
	[PREPOSITION] = {"(M- or MV-) & J+", NULL, 15},
	[WHO] = {"M- & RS+", "who", 1},
	[THAT] = {"TH- & C+ or [Ds+]", "that", 1},
	[BECAUSE] = {"MV- & C+", "because", 1},
	[WILL] = {"{@E-} & (S- or RS-) & I+", "will", 2},
	[TAKES] = {"{@E-} & (Ss- or RS-) & O+ & {@MV+}", NULL, 70},
	[TAKE] = {"{@E-} & (Sp- or I-) & O+ & {@MV+}", NULL, 70},
	[SLEEPS] = {"{@E-} & (Ss- or RS-) & {@MV+}", NULL, 40},
	[SLEEP] = {"{@E-} & (Sp- or I-) & {@MV+}", NULL, 40},
	[IS] = {"{@E-} & (Ss- or RS-) & (Pa+ or O+) & {@MV+}", "is", 2},
	[SAYS] = {"{@E-} & Ss- & {@MV+} & TH+", NULL, 10},
};
/* clang-format on */

struct lexicon {
	char (*word[CLASSES])[WORD_ROOM];
};

static void make_word(struct workload *w, char *word)
{
	static const char first[] = "bcdfghklmnprstvz", vowel[] = "aeiou";
	int syllables = 2 + (int)workload_below(w, 3), n = 0;

	for (int i = 0; i < syllables; i++) {
		word[n++] = first[workload_below(w, 16)];
		word[n++] = vowel[workload_below(w, 5)];
		if (workload_below(w, 3) == 0)
			word[n++] = "lnrst"[workload_below(w, 5)];
	}
	word[n] = '\0';
}

/* Some invented words serve two classes, as English nouns and verbs do. */
static void make_dictionary(struct parser *p, struct lexicon *x, int scale)
{
	for (int c = 0; c < CLASSES; c++) {
		int words = grammar[c].words > 10 ? grammar[c].words / scale : grammar[c].words;
		const struct formula *formula;

		x->word[c] = workload_alloc((size_t)words * sizeof(*x->word[c]));
		p->at = grammar[c].formula;
		formula = parse_formula(p);
		for (int i = 0; i < words; i++) {
			char *word = x->word[c][i];

			if (grammar[c].word && i == 0)
				strcpy(word, grammar[c].word);
			else if (c > NOUN_P && !grammar[c].word && workload_below(p->w, 4) == 0)
				strcpy(word, x->word[NOUN_S + (int)workload_below(p->w, 2)][i % 3]);
			else
				make_word(p->w, word);
			dictionary_add(p, word, formula);
		}
	}
}

/* Writes sentences top-down from the same grammar the dictionary describes. */
struct speaker {
	struct parser *p;
	const struct lexicon *x;
	int scale, limit;
};

static void say(struct speaker *s, enum class c)
{
	int words = grammar[c].words > 10 ? grammar[c].words / s->scale : grammar[c].words;
	const char *word = s->x->word[c][workload_below(s->p->w, (uint32_t)words)];

	if (s->p->n_words < MAX_WORDS - 1)
		strcpy(s->p->word[s->p->n_words++], word);
}

static int chance(struct speaker *s, uint32_t in)
{
	return s->p->n_words < s->limit && workload_below(s->p->w, in) == 0;
}

static void say_verb_phrase(struct speaker *s, int plural, int infinitive);

static int say_noun_phrase(struct speaker *s)
{
	uint32_t kind = workload_below(s->p->w, 5);
	int plural = kind == 2 || kind == 3;

	if (kind == 4) {
		say(s, NAME);
	} else {
		if (!plural || chance(s, 2))
			say(s, plural ? DET_P : DET_S);
		while (chance(s, 3))
			say(s, ADJECTIVE);
		say(s, plural ? NOUN_P : NOUN_S);
	}
	if (chance(s, 4)) {
		say(s, PREPOSITION);
		say_noun_phrase(s);
	} else if (chance(s, 9)) {
		say(s, WHO);
		say_verb_phrase(s, 0, 0);
	}
	return plural;
}

static void say_clause(struct speaker *s)
{
	say_verb_phrase(s, say_noun_phrase(s), 0);
}

static void say_verb_phrase(struct speaker *s, int plural, int infinitive)
{
	int bare = plural || infinitive;

	if (chance(s, 5))
		say(s, ADVERB);
	if (!infinitive && chance(s, 5)) {
		say(s, WILL);
		say_verb_phrase(s, 0, 1);
		return;
	}
	if (!bare && chance(s, 6)) {
		say(s, IS);
		say(s, ADJECTIVE);
	} else if (workload_below(s->p->w, 2)) {
		say(s, bare ? TAKE : TAKES);
		say_noun_phrase(s);
	} else {
		say(s, bare ? SLEEP : SLEEPS);
	}
	while (chance(s, 3)) {
		say(s, PREPOSITION);
		say_noun_phrase(s);
	}
	if (chance(s, 6))
		say(s, ADVERB);
	if (chance(s, 8)) {
		say(s, BECAUSE);
		say_clause(s);
	}
}

static void say_sentence(struct speaker *s)
{
	do {
		s->p->n_words = 0;
		say(s, WALL);
		if (chance(s, 6)) {
			say(s, NAME);
			say(s, SAYS);
			say(s, THAT);
		}
		say_clause(s);
		say(s, STOP);
	} while (s->p->n_words < s->limit / 2 || s->p->n_words > s->limit + 6);
}

#endif
