/*
 * interp_regex.h - the regular expressions of interp.
 *
 * A pattern becomes a small program whose jumps are relative, so that a piece
 * can be wrapped in a repetition by inserting a step before it, and is run by
 * recursive backtracking, as perl does. Literals, . ^ $ [a-z] \d \w, groups
 * with captures, | and the greedy * + ? are known; a repetition of something
 * that can be empty is not guarded against.
 */
#ifndef INTERP_REGEX_H
#define INTERP_REGEX_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REGEX_CAPTURES = 5 };

enum regex_kind { R_CHAR, R_ANY, R_SET, R_SPLIT, R_JUMP, R_SAVE, R_START, R_STOP, R_MATCH };

struct regex {
	int count, groups;
	struct regex_step {
		enum regex_kind kind;
		int x, y;
		uint64_t set[2];
	} steps[64];
};

static struct regex_step *regex_insert(struct regex *r, int where, enum regex_kind kind, int x,
				       int y)
{
	if (r->count == 63)
		abort();
	memmove(r->steps + where + 1, r->steps + where,
		(size_t)(r->count - where) * sizeof(r->steps[0]));
	r->count++;
	r->steps[where] = (struct regex_step){.kind = kind, .x = x, .y = y};
	return &r->steps[where];
}

static void set_range(uint64_t *set, int low, int high)
{
	for (int c = low; c <= high; c++)
		set[c >> 6] |= UINT64_C(1) << (c & 63);
}

static const char *regex_class(const char *p, uint64_t *set)
{
	if (*p == 'd' || *p == 'w')
		set_range(set, '0', '9');
	if (*p == 'w') {
		set_range(set, 'a', 'z');
		set_range(set, 'A', 'Z');
		set_range(set, '_', '_');
	}
	if (!strchr("dw", *p))
		set_range(set, *p, *p);
	return p + 1;
}

static const char *regex_choice(struct regex *r, const char *p);

static const char *regex_piece(struct regex *r, const char *p)
{
	int start = r->count, group;
	char c = *p++;

	if (c == '(') {
		group = 2 * ++r->groups;
		regex_insert(r, start, R_SAVE, group, 0);
		p = regex_choice(r, p) + 1;
		regex_insert(r, r->count, R_SAVE, group + 1, 0);
	} else if (c == '[') {
		uint64_t *set = regex_insert(r, start, R_SET, 0, 0)->set;

		for (; *p != ']'; p++) {
			if (p[1] == '-') {
				set_range(set, p[0], p[2]);
				p += 2;
			} else {
				set_range(set, *p, *p);
			}
		}
		p++;
	} else if (c == '\\') {
		p = regex_class(p, regex_insert(r, start, R_SET, 0, 0)->set);
	} else {
		enum regex_kind kind = c == '.'	  ? R_ANY
				       : c == '^' ? R_START
				       : c == '$' ? R_STOP
						  : R_CHAR;

		regex_insert(r, start, kind, c, 0);
	}
	if (*p == '*' || *p == '?') {
		int length = r->count - start;

		regex_insert(r, start, R_SPLIT, 1, length + 1 + (*p == '*'));
		if (*p == '*')
			regex_insert(r, r->count, R_JUMP, -length - 1, 0);
		p++;
	} else if (*p == '+') {
		regex_insert(r, r->count, R_SPLIT, start - r->count, 1);
		p++;
	}
	return p;
}

static const char *regex_choice(struct regex *r, const char *p)
{
	int start = r->count, end;

	while (*p && *p != '|' && *p != ')')
		p = regex_piece(r, p);
	if (*p != '|')
		return p;
	regex_insert(r, start, R_SPLIT, 1, r->count - start + 2);
	end = r->count;
	regex_insert(r, end, R_JUMP, 0, 0);
	p = regex_choice(r, p + 1);
	r->steps[end].x = r->count - end;
	return p;
}

struct attempt {
	const char *begin, *end;
	const char *save[2 * REGEX_CAPTURES];
};

static int regex_run(struct attempt *a, const struct regex_step *step, const char *s)
{
	const char *old;

	for (;; step++) {
		switch (step->kind) {
		case R_CHAR:
			if (s == a->end || *s++ != step->x)
				return 0;
			break;
		case R_ANY:
			if (s++ == a->end)
				return 0;
			break;
		case R_SET:
			if (s == a->end || !(step->set[(*s >> 6) & 1] >> (*s & 63) & 1))
				return 0;
			s++;
			break;
		case R_SPLIT:
			if (regex_run(a, step + step->x, s))
				return 1;
			step += step->y - 1;
			break;
		case R_JUMP: step += step->x - 1; break;
		case R_SAVE:
			old = a->save[step->x];
			a->save[step->x] = s;
			if (regex_run(a, step + 1, s))
				return 1;
			a->save[step->x] = old;
			return 0;
		case R_START:
			if (s != a->begin)
				return 0;
			break;
		case R_STOP:
			if (s != a->end)
				return 0;
			break;
		case R_MATCH: a->save[1] = s; return 1;
		}
	}
}

/* Tries every place of the text in turn; the captures of a match are in a->save. */
static int regex_match(struct attempt *a, const struct regex *r, const char *text, size_t length)
{
	const char *s = text;

	*a = (struct attempt){.begin = text, .end = text + length};
	for (;; s++) {
		if (r->steps[0].kind == R_CHAR)
			s = memchr(s, r->steps[0].x, (size_t)(a->end - s));
		if (!s)
			return 0;
		if (regex_run(a, r->steps, s))
			break;
		if (s == a->end || r->steps[0].kind == R_START)
			return 0;
	}
	a->save[0] = s;
	return 1;
}

static void regex_compile(struct regex *r, const char *pattern)
{
	regex_choice(r, pattern);
	regex_insert(r, r->count, R_MATCH, 0, 0);
}

#endif
