#include "report/compare/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct changes {
	struct change *items;
	size_t count, capacity;
};

bool change_share_a_file(const struct stacks *a, const struct stacks *b)
{
	size_t count_a, count_b;
	const char **of_a = stacks_files(a, &count_a), **of_b = stacks_files(b, &count_b);
	bool found = false;

	for (size_t i = 0, k = 0; i < count_a && k < count_b && !found;) {
		int order = strcmp(of_a[i], of_b[k]);

		found = order == 0 && *of_a[i];
		i += order <= 0;
		k += order >= 0;
	}
	free(of_a);
	free(of_b);
	return found;
}

const char *change_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add(struct changes *changes, struct change key, bool is_b, double cycles)
{
	key.is_in_a = !is_b;
	key.is_in_b = is_b;
	*(is_b ? &key.b : &key.a) = cycles;
	*ARRAY_PUSH(changes->items, changes->count, changes->capacity) = key;
}

json_t *change_if_there(bool is_there, json_t *value)
{
	if (is_there)
		return value;
	json_decref(value);
	return json_null();
}

/* NULL comes first. */
static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? !!a - !!b : strcmp(a, b);
}

static int by_key(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	int order = compare_texts(a->name, b->name);

	if (!order)
		order = compare_texts(a->file, b->file);
	return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static int by_size(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	double of_a = fabs(a->b - a->a), of_b = fabs(b->b - b->a);

	return of_a > of_b ? -1 : of_a < of_b ? 1 : by_key(left, right);
}

/* Adds up changes with the same key, removes those that are zero, and sorts the rest. */
static struct change *settle(struct changes *changes, size_t *count)
{
	struct change *items = changes->items;
	size_t unique = 0, kept = 0;

	if (changes->count)
		qsort(items, changes->count, sizeof(*items), by_key);
	for (size_t i = 0; i < changes->count; i++) {
		if (unique && by_key(&items[unique - 1], &items[i]) == 0) {
			struct change *same = &items[unique - 1];

			same->a += items[i].a;
			same->b += items[i].b;
			same->is_in_a |= items[i].is_in_a;
			same->is_in_b |= items[i].is_in_b;
		} else {
			items[unique++] = items[i];
		}
	}
	for (size_t i = 0; i < unique; i++)
		if (items[i].a != items[i].b)
			items[kept++] = items[i];
	if (kept)
		qsort(items, kept, sizeof(*items), by_size);
	*count = kept;
	return items;
}

struct change *change_components(const struct stacks *a, const struct stacks *b, size_t *count)
{
	struct changes changes = {0};

	for (int side = 0; side < 2; side++) {
		const struct stacks_method *exact = side ? &b->methods[0] : &a->methods[0];

		for (int i = 0; i < COMPONENT_COUNT; i++)
			if (exact->has[i])
				add(&changes, (struct change){.name = component_rows[i].name}, side,
				    (double)exact->stack.cycles[i]);
	}
	return settle(&changes, count);
}

struct change *change_functions(const struct stacks *a, const struct stacks *b, size_t *count)
{
	struct changes changes = {0};
	bool shared = change_share_a_file(a, b);

	for (int side = 0; side < 2; side++) {
		const struct stacks *p = side ? b : a;

		for (size_t i = 0; i < p->function_count; i++) {
			const struct stacks_function *f = &p->functions[i];
			const char *file = shared ? f->file : change_base_name(f->file);

			add(&changes, (struct change){.name = f->name, .file = file}, side,
			    stacks_cycles(p, f->slots.total));
		}
	}
	return settle(&changes, count);
}

struct change *change_lines(const struct stacks *a, const struct stacks *b, size_t *count)
{
	struct changes changes = {0};
	bool shared = change_share_a_file(a, b);

	for (int side = 0; side < 2; side++) {
		const struct stacks *p = side ? b : a;

		for (size_t i = 0; i < p->function_count; i++)
			for (size_t k = 0; k < p->functions[i].line_count; k++) {
				const struct stacks_line *line = &p->functions[i].lines[k];
				const char *file =
					shared ? line->file : change_base_name(line->file);

				add(&changes, (struct change){.file = file, .line = line->line},
				    side, stacks_cycles(p, line->slots.total));
			}
	}
	return settle(&changes, count);
}
