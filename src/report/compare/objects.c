#include "report/compare/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/compare/change.h"
#include "value/member.h"

bool objects_check(const struct objects_side *side, struct err *err)
{
	const int64_t misses = member_whole(side->data, "l1d_misses");
	const struct stacks_slots slots = stacks_read_slots(side->data, "slots");
	struct stacks_slots left = slots;
	int64_t misses_left = misses;
	const json_t *object;
	size_t i;

	json_array_foreach(json_object_get(side->data, "objects"), i, object)
	{
		const struct stacks_slots own = stacks_read_slots(object, "slots");

		misses_left -= member_whole(object, "l1d_misses");
		for (int cause = 0; cause < CAUSE_COUNT; cause++)
			left.causes[cause] -= own.causes[cause];
		left.total -= own.total;
		/* Sums that stay below the whole cannot overflow. */
		if (misses_left < 0 || left.total < 0)
			break;
	}
	if (misses_left)
		return err_set(err, "data.objects do not have the l1d_misses that data has");
	for (int cause = 0; cause < CAUSE_COUNT; cause++)
		if (left.causes[cause])
			return err_set(err,
				       "data.objects do not have the slots of cause %s that data "
				       "has",
				       cause_rows[cause].name);
	return true;
}

/* The same object in one run. */
struct found {
	const char *kind, *name, *library, *file;
	int64_t line;
	double cycles;
	int64_t misses;
};

struct list {
	struct found *items;
	size_t count;
};

/* All but the line. */
static int compare_names(const struct found *a, const struct found *b)
{
	int order = strcmp(a->kind, b->kind);

	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->library, b->library);
	return order ? order : strcmp(a->file, b->file);
}

static int by_names(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	const int order = compare_names(a, b);

	return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

/* What has the same names and line is one object. */
static struct list list_of(const struct objects_side *side, bool has_whole_files)
{
	const json_t *objects = json_object_get(side->data, "objects"), *object;
	struct list list = {mem_alloc_array(json_array_size(objects), sizeof(*list.items)), 0};
	size_t i, count = 0;

	json_array_foreach(objects, i, object)
	{
		const char *file = member_text(object, "file");

		list.items[count++] = (struct found){
			.kind = member_text(object, "kind"),
			.name = member_text(object, "name"),
			.library = member_text(object, "library"),
			.file = has_whole_files ? file : change_base_name(file),
			.line = member_whole(object, "line"),
			.cycles = stacks_cycles(side->stacks,
						stacks_read_slots(object, "slots").total),
			.misses = member_whole(object, "l1d_misses"),
		};
	}
	if (count)
		qsort(list.items, count, sizeof(*list.items), by_names);
	for (i = 0; i < count; i++) {
		struct found *next = &list.items[list.count];

		if (list.count && by_names(&next[-1], &list.items[i]) == 0) {
			next[-1].cycles += list.items[i].cycles;
			next[-1].misses += list.items[i].misses;
		} else {
			*next = list.items[i];
			list.count++;
		}
	}
	return list;
}

struct changes {
	struct object_change *items;
	size_t count, capacity;
};

/* NULL: that run does not have it. */
static void add(struct changes *changes, const struct found *a, const struct found *b)
{
	static const struct found none;
	const struct found *any = a ? a : b;

	*ARRAY_PUSH(changes->items, changes->count, changes->capacity) = (struct object_change){
		.kind = any->kind,
		.name = any->name,
		.library = any->library,
		.file = any->file,
		.line_a = (a ? a : &none)->line,
		.line_b = (b ? b : &none)->line,
		.is_in_a = a != NULL,
		.is_in_b = b != NULL,
		.a = (a ? a : &none)->cycles,
		.b = (b ? b : &none)->cycles,
		.misses_a = (a ? a : &none)->misses,
		.misses_b = (b ? b : &none)->misses,
	};
}

/* The objects from the first on that have its names. */
static struct list group_at(const struct list *list, size_t first)
{
	size_t end = first;

	while (end < list->count && compare_names(&list->items[first], &list->items[end]) == 0)
		end++;
	return (struct list){list->items + first, end - first};
}

/* Objects of the same names, by the order of their lines or by their lines. */
static void pair(struct changes *changes, const struct list *a, const struct list *b, bool by_order)
{
	for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
		const struct found *of_a = i < a->count ? &a->items[i] : NULL;
		const struct found *of_b = k < b->count ? &b->items[k] : NULL;

		if (of_a && of_b && !by_order && of_a->line != of_b->line)
			*(of_a->line < of_b->line ? &of_b : &of_a) = NULL;
		add(changes, of_a, of_b);
		i += of_a != NULL;
		k += of_b != NULL;
	}
}

static void pair_all(struct changes *changes, const struct list *a, const struct list *b,
		     bool is_same_program)
{
	for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
		struct list of_a = group_at(a, i), of_b = group_at(b, k);

		if (of_a.count && of_b.count) {
			const int order = compare_names(of_a.items, of_b.items);

			of_a.count = order > 0 ? 0 : of_a.count;
			of_b.count = order < 0 ? 0 : of_b.count;
		}
		pair(changes, &of_a, &of_b, !is_same_program && of_a.count == of_b.count);
		i += of_a.count;
		k += of_b.count;
	}
}

static int by_place(const struct object_change *a, const struct object_change *b)
{
	const struct found of_a = {a->kind, a->name, a->library, a->file, a->line_a, 0, 0};
	const struct found of_b = {b->kind, b->name, b->library, b->file, b->line_a, 0, 0};
	const int order = by_names(&of_a, &of_b);

	return order ? order : a->line_b < b->line_b ? -1 : a->line_b > b->line_b;
}

static int by_size(const void *left, const void *right)
{
	const struct object_change *a = left, *b = right;
	const double of_a = fabs(a->b - a->a), of_b = fabs(b->b - b->a);
	const int64_t misses_a = llabs(a->misses_b - a->misses_a);
	const int64_t misses_b = llabs(b->misses_b - b->misses_a);

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	if (misses_a != misses_b)
		return misses_a > misses_b ? -1 : 1;
	return by_place(a, b);
}

struct object_change *objects_changes(const struct objects_side *a, const struct objects_side *b,
				      bool is_same_program, size_t *count)
{
	const bool has_whole_files = change_share_a_file(a->stacks, b->stacks);
	struct list of_a = list_of(a, has_whole_files), of_b = list_of(b, has_whole_files);
	struct changes changes = {0};
	size_t kept = 0;

	pair_all(&changes, &of_a, &of_b, is_same_program);
	for (size_t i = 0; i < changes.count; i++) {
		const struct object_change *change = &changes.items[i];

		if (change->a != change->b || change->misses_a != change->misses_b)
			changes.items[kept++] = *change;
	}
	if (kept)
		qsort(changes.items, kept, sizeof(*changes.items), by_size);
	free(of_a.items);
	free(of_b.items);
	*count = kept;
	return changes.items;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static json_t *change_json(const struct object_change *c)
{
	json_t *object = json_pack("{s:s, s:s, s:s*, s:s*, s:I}", "name", c->name, "kind", c->kind,
				   "library", or_null(c->library), "file", or_null(c->file), "line",
				   (json_int_t)(c->is_in_b ? c->line_b : c->line_a));

	if (c->is_in_a && c->is_in_b && c->line_a != c->line_b)
		json_object_set_new(object, "line_a", json_integer(c->line_a));
	json_object_set_new(object, "a", change_if_there(c->is_in_a, json_real(c->a)));
	json_object_set_new(object, "b", change_if_there(c->is_in_b, json_real(c->b)));
	json_object_set_new(object, "misses_a",
			    change_if_there(c->is_in_a, json_integer(c->misses_a)));
	json_object_set_new(object, "misses_b",
			    change_if_there(c->is_in_b, json_integer(c->misses_b)));
	return object;
}

json_t *objects_json(const struct object_change *changes, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, change_json(&changes[i]));
	return list;
}
