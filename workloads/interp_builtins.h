/*
 * interp_builtins.h - the functions a script finds ready: strings, arrays,
 * hashes, input and output, by name in one table.
 *
 * A builtin reads its arguments, which stay with the caller, and returns a
 * value the caller owns. Output is only folded into a number.
 */
#ifndef INTERP_BUILTINS_H
#define INTERP_BUILTINS_H

#include "interp_ops.h"

static struct value *text_value(struct vm *vm, struct text t)
{
	return string(&vm->heap, t.at, t.length);
}

static struct value *do_cap(struct vm *vm, struct value **v)
{
	int64_t i = number_of(v[0]);
	struct value *held = i >= 0 && i < REGEX_CAPTURES ? vm->captures[i] : NULL;

	return held ? keep(held) : value_new(&vm->heap, UNDEF);
}

static struct value *do_hex(struct vm *vm, struct value **v)
{
	struct text t = text_of(&vm->heap, v[0]);
	int64_t n = 0;

	for (size_t i = 0; i < t.length; i++)
		n = n * 16 + (t.at[i] <= '9' ? t.at[i] - '0' : (t.at[i] | 32) - 'a' + 10);
	return number(&vm->heap, n);
}

static struct value *do_trim(struct vm *vm, struct value **v)
{
	struct text t = text_of(&vm->heap, v[0]);

	for (; t.length && t.at[0] == ' '; t.at++)
		t.length--;
	while (t.length && t.at[t.length - 1] == ' ')
		t.length--;
	return text_value(vm, t);
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static struct value *do_lc(struct vm *vm, struct value **v)
{
	struct value *out = text_value(vm, text_of(&vm->heap, v[0]));

	for (char *c = out->bytes; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c + 32);
	return out;
}

static struct value *do_uc(struct vm *vm, struct value **v)
{
	struct value *out = text_value(vm, text_of(&vm->heap, v[0]));

	for (char *c = out->bytes; *c; c++)
		*c = upper(*c);
	return out;
}

static struct value *do_ucfirst(struct vm *vm, struct value **v)
{
	struct value *out = text_value(vm, text_of(&vm->heap, v[0]));

	out->bytes[0] = upper(out->bytes[0]);
	return out;
}

static struct value *do_tr(struct vm *vm, struct value **v)
{
	struct text from = text_of(&vm->heap, v[1]), to = text_of(&vm->heap, v[2]);
	struct value *out = text_value(vm, text_of(&vm->heap, v[0]));

	for (char *c = out->bytes; *c; c++) {
		const char *found = memchr(from.at, *c, from.length);

		if (found && (size_t)(found - from.at) < to.length)
			*c = to.at[found - from.at];
	}
	return out;
}

static struct value *do_substr(struct vm *vm, struct value **v)
{
	struct text t = text_of(&vm->heap, v[0]);
	size_t from = (size_t)number_of(v[1]), length = (size_t)number_of(v[2]);

	if (from > t.length)
		from = t.length;
	if (length > t.length - from)
		length = t.length - from;
	return string(&vm->heap, t.at + from, length);
}

static struct value *do_join(struct vm *vm, struct value **v)
{
	struct text between = text_of(&vm->heap, v[0]), t;
	struct value *out;
	size_t length = 0, at = 0;

	for (size_t i = 0; i < v[1]->count; i++)
		length += text_of(&vm->heap, v[1]->items[i]).length + (i ? between.length : 0);
	out = string_room(&vm->heap, length);
	for (size_t i = 0; i < v[1]->count; i++) {
		if (i) {
			memcpy(out->bytes + at, between.at, between.length);
			at += between.length;
		}
		t = text_of(&vm->heap, v[1]->items[i]);
		memcpy(out->bytes + at, t.at, t.length);
		at += t.length;
	}
	return out;
}

static struct value *do_split(struct vm *vm, struct value **v)
{
	struct text t = text_of(&vm->heap, v[0]), by = text_of(&vm->heap, v[1]);
	struct value *out = value_new(&vm->heap, ARRAY);
	const char *end = t.at + t.length, *stop;

	for (const char *s = t.at; s < end; s = stop + 1) {
		stop = memchr(s, by.at[0], (size_t)(end - s));
		if (!stop)
			stop = end;
		if (stop > s)
			array_insert(out, out->count, string(&vm->heap, s, (size_t)(stop - s)));
	}
	return out;
}

static struct value *do_reverse(struct vm *vm, struct value **v)
{
	struct value *out = value_new(&vm->heap, ARRAY);

	for (size_t i = v[0]->count; i-- > 0;)
		array_insert(out, out->count, keep(v[0]->items[i]));
	return out;
}

static struct value *do_rindex(struct vm *vm, struct value **v)
{
	struct text t = text_of(&vm->heap, v[0]), sought = text_of(&vm->heap, v[1]);

	for (int64_t i = (int64_t)t.length - (int64_t)sought.length; i >= 0; i--)
		if (memcmp(t.at + i, sought.at, sought.length) == 0)
			return number(&vm->heap, i);
	return number(&vm->heap, -1);
}

static struct value *do_max(struct vm *vm, struct value **v)
{
	int64_t a = number_of(v[0]), b = number_of(v[1]);

	return number(&vm->heap, a > b ? a : b);
}

static struct value *do_min(struct vm *vm, struct value **v)
{
	int64_t a = number_of(v[0]), b = number_of(v[1]);

	return number(&vm->heap, a < b ? a : b);
}

static struct value *do_abs(struct vm *vm, struct value **v)
{
	int64_t a = number_of(v[0]);

	return number(&vm->heap, a < 0 ? -a : a);
}

static struct value *do_ord(struct vm *vm, struct value **v)
{
	return number(&vm->heap, text_of(&vm->heap, v[0]).at[0]);
}

static struct value *do_length(struct vm *vm, struct value **v)
{
	if (v[0]->type == INT)
		return number(&vm->heap, (int64_t)text_of(&vm->heap, v[0]).length);
	return number(&vm->heap, (int64_t)v[0]->count);
}

static struct value *do_defined(struct vm *vm, struct value **v)
{
	return number(&vm->heap, v[0]->type != UNDEF);
}

static struct value *do_push(struct vm *vm, struct value **v)
{
	array_insert(v[0], v[0]->count, keep(v[1]));
	return number(&vm->heap, (int64_t)v[0]->count);
}

static struct value *do_unshift(struct vm *vm, struct value **v)
{
	array_insert(v[0], 0, keep(v[1]));
	return number(&vm->heap, (int64_t)v[0]->count);
}

static struct value *do_shift(struct vm *vm, struct value **v)
{
	struct value *first;

	if (!v[0]->count)
		return value_new(&vm->heap, UNDEF);
	first = v[0]->items[0];
	v[0]->count--;
	memmove(v[0]->items, v[0]->items + 1, v[0]->count * sizeof(first));
	return first;
}

static struct value *do_exists(struct vm *vm, struct value **v)
{
	struct text t = text_of(&vm->heap, v[1]);
	struct entry **link = hash_find(v[0], t, text_hash(t));

	return number(&vm->heap, link && *link);
}

static struct value *do_delete(struct vm *vm, struct value **v)
{
	struct text t = text_of(&vm->heap, v[1]);
	struct entry **link = hash_find(v[0], t, text_hash(t)), *e;
	struct value *held;

	if (!link || !*link)
		return value_new(&vm->heap, UNDEF);
	e = *link;
	held = e->held;
	*link = e->next;
	drop(&vm->heap, e->key);
	free(e);
	v[0]->count--;
	return held;
}

static struct value *do_keys(struct vm *vm, struct value **v)
{
	struct value *out = value_new(&vm->heap, ARRAY);

	for (size_t i = 0; i < v[0]->room; i++)
		for (struct entry *e = v[0]->buckets[i]; e; e = e->next)
			array_insert(out, out->count, keep(e->key));
	return out;
}

static int string_order(const void *a, const void *b)
{
	const struct value *s = *(struct value *const *)a, *t = *(struct value *const *)b;

	return text_compare((struct text){s->bytes, s->count}, (struct text){t->bytes, t->count});
}

static struct value *do_sort(struct vm *vm, struct value **v)
{
	struct value *out = value_new(&vm->heap, ARRAY);

	for (size_t i = 0; i < v[0]->count; i++)
		array_insert(out, i, text_value(vm, text_of(&vm->heap, v[0]->items[i])));
	if (out->count)
		qsort(out->items, out->count, sizeof(out->items[0]), string_order);
	return out;
}

/* Knows %s, %d and %x. */
static struct value *do_sprintf(struct vm *vm, struct value **v)
{
	struct text format = text_of(&vm->heap, v[0]), t;
	char out[256], digits[24];
	size_t length = 0;
	int argument = 1;

	for (size_t i = 0; i < format.length && length < sizeof(out) - 1; i++) {
		if (format.at[i] != '%' || argument == vm->argument_count) {
			out[length++] = format.at[i];
			continue;
		}
		t = text_of(&vm->heap, v[argument]);
		if (format.at[++i] == 'x') {
			snprintf(digits, sizeof(digits), "%04" PRIx64, number_of(v[argument]));
			t = (struct text){digits, strlen(digits)};
		}
		if (t.length > sizeof(out) - length)
			t.length = sizeof(out) - length;
		memcpy(out + length, t.at, t.length);
		length += t.length;
		argument++;
	}
	return string(&vm->heap, out, length);
}

static struct value *do_readline(struct vm *vm, struct value **v)
{
	const char *line = vm->input, *end = strchr(line, '\n');

	(void)v;
	if (!end)
		return value_new(&vm->heap, UNDEF);
	vm->input = end + 1;
	return string(&vm->heap, line, (size_t)(end - line));
}

static struct value *do_print(struct vm *vm, struct value **v)
{
	for (int i = 0; i < vm->argument_count; i++)
		vm->printed = vm->printed * 31 + text_hash(text_of(&vm->heap, v[i]));
	return number(&vm->heap, 1);
}

static struct value *do_report(struct vm *vm, struct value **v)
{
	if (vm->report_count < REPORTS)
		vm->reported[vm->report_count++] = number_of(v[1]);
	return keep(v[0]);
}

static const struct builtin builtins[] = {
	{"abs", do_abs, 1},	    {"cap", do_cap, 1},		 {"defined", do_defined, 1},
	{"delete", do_delete, 2},   {"exists", do_exists, 2},	 {"hex", do_hex, 1},
	{"join", do_join, 2},	    {"keys", do_keys, 1},	 {"lc", do_lc, 1},
	{"length", do_length, 1},   {"max", do_max, 2},		 {"min", do_min, 2},
	{"ord", do_ord, 1},	    {"print", do_print, -1},	 {"push", do_push, 2},
	{"report", do_report, 2},   {"reverse", do_reverse, 1},	 {"readline", do_readline, 0},
	{"rindex", do_rindex, 2},   {"shift", do_shift, 1},	 {"sort", do_sort, 1},
	{"split", do_split, 2},	    {"sprintf", do_sprintf, -1}, {"substr", do_substr, 3},
	{"tr", do_tr, 3},	    {"trim", do_trim, 1},	 {"uc", do_uc, 1},
	{"ucfirst", do_ucfirst, 1}, {"unshift", do_unshift, 2},
};

#endif
