#include "image/names.h"

#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"

#define SHOWN (DMGL_PARAMS | DMGL_ANSI)

/* Text that libiberty hands out piece by piece. */
struct text {
	char bytes[NAME_BYTES + 1];
	size_t length;
	jmp_buf full;
};

/* A callback cannot stop the demangler, which would otherwise go on for as long as a hostile name
 * makes it. It keeps nothing but its stack and, for a Rust name in Punycode, one small block. */
static void add_text(const char *piece, size_t length, void *context)
{
	struct text *text = context;
	size_t room = NAME_BYTES - text->length, taken = length < room ? length : room;

	/* A piece without characters may be NULL. */
	if (taken)
		memcpy(text->bytes + text->length, piece, taken);
	text->length += taken;
	if (length > room)
		longjmp(text->full, 1);
}

typedef int demangler(const char *mangled, int options, demangle_callbackref callback, void *text);

static bool run(demangler *demangle, const char *raw, int options, struct text *text)
{
	text->length = 0;
	return setjmp(text->full) || (demangle(raw, options, add_text, text) && text->length);
}

/* Rust's older encoding is one of C++, too: it comes first. */
static bool decode(const char *raw, int options, struct text *text)
{
	return run(rust_demangle_callback, raw, options, text) ||
	       run(cplus_demangle_v3_callback, raw, options, text);
}

static bool may_be_mangled(const char *raw)
{
	return (raw[0] == '_' && (raw[1] == 'Z' || raw[1] == 'R')) ||
	       strncmp(raw, "_GLOBAL_", 8) == 0;
}

static char *demangle_as(const char *raw, int options)
{
	struct text *text;
	char *name = NULL;

	if (!may_be_mangled(raw))
		return NULL;
	text = mem_alloc(sizeof(*text));
	if (decode(raw, options, text)) {
		name = mem_alloc(text->length + 1);
		printable_copy(name, text->length, (const uint8_t *)text->bytes, text->length);
	}
	free(text);
	return name;
}

char *name_demangle(const char *raw)
{
	return demangle_as(raw, SHOWN);
}

/* What follows the word "operator" at `at`, if that is an operator with < or >; else 0. */
static size_t operator_bytes(const char *start, const char *at)
{
	static const char word[] = "operator";
	size_t before = sizeof(word) - 1;

	if ((size_t)(at - start) < before || memcmp(at - before, word, before) != 0)
		return 0;
	return strspn(at, "<=>-");
}

/* Removes <...> behind a word, in place. A < at the start encloses a type of Rust. */
static void remove_template_arguments(char *name)
{
	const char *from = name;
	char *to = name;
	int depth = 0;

	while (*from) {
		size_t operator= operator_bytes(name, from);

		if (operator&& !depth) {
			memmove(to, from, operator);
			to += operator;
			from += operator;
			continue;
		}
		if (*from == '<' && from > name)
			depth++;
		if (!depth)
			*to++ = *from;
		if (*from == '>' && depth && from[-1] != '-')
			depth--;
		from++;
	}
	while (to > name && to[-1] == ' ')
		to--;
	*to = '\0';
}

/* The text behind the next :: that is not within brackets; NULL if there is none. */
static const char *next_scope(const char *name)
{
	int depth = 0;

	for (; *name; name++) {
		if (strchr("<({[", *name))
			depth++;
		if (strchr(">)}]", *name))
			depth--;
		if (depth <= 0 && name[0] == ':' && name[1] == ':')
			return name + 2;
	}
	return NULL;
}

static bool is_named(const char *name, const char *text, enum name_way way)
{
	return way < NAME_PATTERN ? strcmp(name, text) == 0 : fnmatch(text, name, 0) == 0;
}

static bool spelling_fits(const char *name, const char *text, enum name_way way)
{
	if (way != NAME_END && way != NAME_PATTERN_END)
		return is_named(name, text, way);
	while ((name = next_scope(name)))
		if (is_named(name, text, way))
			return true;
	return false;
}

bool name_fits(const char *raw, const char *text, enum name_way way)
{
	static const int options[] = {SHOWN, SHOWN | DMGL_VERBOSE, DMGL_ANSI};
	bool found = way != NAME_SPELLING && spelling_fits(raw, text, way);

	for (size_t i = 0; way != NAME_RAW && !found && i < ARRAY_COUNT(options); i++) {
		char *name = demangle_as(raw, options[i]);

		if (!name)
			break;
		found = spelling_fits(name, text, way);
		if (!found && i == ARRAY_COUNT(options) - 1) {
			remove_template_arguments(name);
			found = spelling_fits(name, text, way);
		}
		free(name);
	}
	return found;
}

bool name_is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}
