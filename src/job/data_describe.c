#include "job/data_describe.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/data_types.h"

#define READERS_MOST 8 /* lines of each object that are listed */
#define TYPES_MOST   200
#define CROWDED_MOST 64 /* sets of each cache whose objects are listed */
#define SHARERS_MOST 8	/* objects of each of these */

/* What cells add up to. */
struct sum {
	struct data_counts counts;
	uint64_t slots[DATA_CAUSES];
};

static void add_cell(struct sum *sum, const struct data_cell *cell)
{
	data_counts_add(&sum->counts, &cell->counts);
	for (unsigned i = 0; i < DATA_CAUSES; i++)
		sum->slots[i] += cell->slots[i];
}

static uint64_t slots_of(const struct sum *sum)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < DATA_CAUSES; i++)
		all += sum->slots[i];
	return all;
}

static void set_count(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void add_sum(json_t *object, const struct sum *sum, unsigned levels)
{
	static const char *const misses[] = {"l1d_misses", "l2_misses", "l3_misses"};
	const struct data_counts *n = &sum->counts;
	json_t *slots = json_object();

	set_count(object, "accesses", n->accesses);
	set_count(object, "stores", n->stores);
	set_count(object, "pending", n->pending);
	for (unsigned i = 0; i < levels; i++)
		set_count(object, misses[i], n->misses[i]);
	set_count(object, "dtlb_misses", n->tlb_misses);
	set_count(object, "walks", n->walks);
	set_count(object, "wrong_accesses", n->wrong_accesses);
	set_count(object, "wrong_misses", n->wrong_misses);
	for (unsigned i = 0; i < DATA_CAUSES; i++)
		if (sum->slots[i])
			set_count(slots, cause_rows[data_causes[i]].name, sum->slots[i]);
	json_object_set_new(object, "slots", slots);
}

/* Cells in the order of their instructions. */
struct member {
	uint64_t pc;
	size_t cell;
};

static int by_pc(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	return a->cell < b->cell ? -1 : a->cell > b->cell;
}

static struct member *members_of(const struct data_cells *cells)
{
	struct member *members = mem_alloc_array(cells->count, sizeof(*members));

	for (size_t i = 0; i < cells->count; i++)
		members[i] = (struct member){cells->cells[i].pc, i};
	if (cells->count)
		qsort(members, cells->count, sizeof(*members), by_pc);
	return members;
}

static size_t first_of(const struct member *members, size_t count, uint64_t pc)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (members[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Every instruction's slots for data go to its cells; what has none is "(other)". Cells of
 * instructions that `exact` does not list by themselves keep none. */
static void settle(struct data_cells *cells, const struct ledger *exact)
{
	size_t count, row_count;
	const struct ledger_row *rows = ledger_rows(exact, &row_count);
	struct member *members = members_of(cells);
	const size_t all = cells->count;
	size_t *mine = mem_alloc_array(all, sizeof(*mine));
	bool *is_settled = mem_alloc_array(all, sizeof(*is_settled));

	for (size_t i = 0; i < row_count; i++) {
		uint64_t wanted[DATA_CAUSES], any = 0;

		for (unsigned cause = 0; cause < DATA_CAUSES; cause++)
			any += wanted[cause] = rows[i].slots[data_causes[cause]];
		count = 0;
		for (size_t k = first_of(members, all, rows[i].pc);
		     k < all && members[k].pc == rows[i].pc; k++) {
			mine[count++] = members[k].cell;
			is_settled[members[k].cell] = true;
		}
		if (data_cells_settle(cells, mine, count, wanted) || !any)
			continue;
		/* It has made no access that was looked up. */
		const struct data_touched other = {cells->finder.other, 0};
		const size_t place = data_cells_at(cells, rows[i].pc, 0, other);
		struct data_cell *cell = &cells->cells[place];
		for (unsigned cause = 0; cause < DATA_CAUSES; cause++) {
			uint64_t given = 0;

			for (size_t k = 0; k < count; k++)
				given += cells->cells[mine[k]].slots[cause];
			cell->slots[cause] += wanted[cause] - given;
		}
	}
	for (size_t i = 0; i < all; i++)
		if (!is_settled[i])
			memset(cells->cells[i].slots, 0, sizeof(cells->cells[i].slots));
	free(is_settled);
	free(mine);
	free(members);
}

/* A cell with where its instruction is. */
struct placed {
	const struct data_cell *cell;
	const struct origin *origin;
};

static int by_place(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->cell->object != b->cell->object)
		return a->cell->object < b->cell->object ? -1 : 1;
	int order = strcmp(a->origin->function, b->origin->function);
	if (!order)
		order = strcmp(a->origin->file, b->origin->file);
	if (!order && a->origin->line != b->origin->line)
		order = a->origin->line < b->origin->line ? -1 : 1;
	if (!order)
		order = a->cell->pc < b->cell->pc ? -1 : a->cell->pc > b->cell->pc;
	return order ? order
		     : (a->cell->place > b->cell->place) - (a->cell->place < b->cell->place);
}

/* The function whose code it is: the innermost of those that were inlined. */
static json_t *function_of(const struct origin *origin)
{
	return origin->call_count ? json_string(origin->calls[origin->call_count - 1].name)
				  : origin_name(origin);
}

static bool is_same_place(const struct placed *a, const struct placed *b)
{
	return a->cell->object == b->cell->object &&
	       strcmp(a->origin->function, b->origin->function) == 0 &&
	       strcmp(a->origin->file, b->origin->file) == 0 && a->origin->line == b->origin->line;
}

/* One row of a list, with what decides its place in it. */
struct row {
	json_t *object;
	struct sum sum;
	uint64_t order; /* of rows that are alike */
};

/* Most cycles first, then most misses, then most accesses. */
static int by_weight(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	const uint64_t of_a[] = {slots_of(&a->sum), a->sum.counts.misses[0],
				 a->sum.counts.accesses},
		       of_b[] = {slots_of(&b->sum), b->sum.counts.misses[0],
				 b->sum.counts.accesses};

	for (unsigned i = 0; i < 3; i++)
		if (of_a[i] != of_b[i])
			return of_a[i] > of_b[i] ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The rows in their order, at most `most` of them; frees them. */
static json_t *list_of(struct row *rows, size_t count, size_t most)
{
	json_t *list = json_array();

	if (count)
		qsort(rows, count, sizeof(*rows), by_weight);
	for (size_t i = 0; i < count; i++) {
		if (i < most)
			json_array_append_new(list, rows[i].object);
		else
			json_decref(rows[i].object);
	}
	free(rows);
	return list;
}

static json_t *readers(const struct placed *placed, size_t count, unsigned levels)
{
	struct row *rows = NULL;
	size_t row_count = 0, capacity = 0;

	for (size_t i = 0, end; i < count; i = end) {
		struct sum sum = {0};

		for (end = i; end < count && is_same_place(&placed[end], &placed[i]); end++)
			add_cell(&sum, placed[end].cell);
		if (!sum.counts.accesses && !slots_of(&sum))
			continue;
		json_t *reader = json_pack(
			"{s:o, s:s, s:I}", "function", function_of(placed[i].origin), "file",
			placed[i].origin->file, "line", (json_int_t)placed[i].origin->line);
		add_sum(reader, &sum, levels);
		*ARRAY_PUSH(rows, row_count, capacity) =
			(struct row){reader, sum, placed[i].cell->pc};
	}
	return list_of(rows, row_count, READERS_MOST);
}

static json_t *object_json(const struct data_object *object, uint32_t number)
{
	return json_pack("{s:I, s:s, s:s, s:s*, s:s*, s:I, s:I, s:I}", "number", (json_int_t)number,
			 "name", object->name, "kind",
			 object->key && strncmp(object->key, "mmap ", 5) == 0
				 ? "mapping"
				 : data_kind_names[object->kind],
			 "library", object->library, "file",
			 object->file && *object->file ? object->file : NULL, "line",
			 (json_int_t)object->line, "bytes", (json_int_t)object->bytes, "blocks",
			 (json_int_t)object->blocks);
}

static json_t *objects_json(const struct data_cells *cells, struct data_objects *objects,
			    struct sum *all)
{
	const size_t count = cells->count;
	struct placed *placed = mem_alloc_array(count, sizeof(*placed));
	struct origin *origins = mem_alloc_array(count, sizeof(*origins));
	struct followed_functions *functions = objects->functions;
	struct row *rows = NULL;
	size_t row_count = 0, capacity = 0;

	for (size_t i = 0; i < count; i++) {
		origins[i] =
			origin_of(&functions->libraries, functions->process, cells->cells[i].pc);
		placed[i] = (struct placed){&cells->cells[i], &origins[i]};
	}
	if (count)
		qsort(placed, count, sizeof(*placed), by_place);
	for (size_t i = 0, end; i < count; i = end) {
		const uint32_t number = placed[i].cell->object;
		struct sum sum = {0};

		for (end = i; end < count && placed[end].cell->object == number; end++) {
			add_cell(&sum, placed[end].cell);
			add_cell(all, placed[end].cell);
		}
		if (!sum.counts.accesses && !slots_of(&sum))
			continue;
		json_t *object = object_json(&objects->items[number], number);
		add_sum(object, &sum, cells->levels);
		json_object_set_new(object, "readers", readers(placed + i, end - i, cells->levels));
		*ARRAY_PUSH(rows, row_count, capacity) = (struct row){object, sum, number};
	}
	json_t *list = list_of(rows, row_count, SIZE_MAX);
	free(placed);
	free(origins);
	return list;
}

/* A cell with its type. */
struct typed_cell {
	const struct data_cell *cell;
	struct data_typed typed;
};

static int compare_types(const struct type *a, const struct type *b)
{
	const int order = strcmp(a->name, b->name);

	return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare_fields(const struct type_field *a, const struct type_field *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_type(const void *left, const void *right)
{
	const struct typed_cell *a = left, *b = right;
	int order = compare_types(a->typed.type, b->typed.type);

	if (!order)
		order = compare_fields(a->typed.field, b->typed.field);
	return order ? order : a->cell < b->cell ? -1 : a->cell > b->cell;
}

static json_t *field_json(const struct type_field *field, const struct sum *sum, unsigned levels)
{
	json_t *object = json_pack("{s:s, s:I, s:I}", "name", field->name, "offset",
				   (json_int_t)field->offset, "bytes", (json_int_t)field->bytes);

	add_sum(object, sum, levels);
	return object;
}

/* All fields of a type, those that nothing has accessed too, by offset. */
static json_t *fields_json(const struct typed_cell *cells, size_t count, unsigned levels)
{
	const struct type *type = cells->typed.type;
	json_t *list = json_array();
	size_t at = 0;

	while (at < count && !cells[at].typed.field)
		at++;
	for (size_t i = 0; i < type->field_count; i++) {
		struct sum sum = {0};

		while (at < count && compare_fields(cells[at].typed.field, &type->fields[i]) < 0)
			at++;
		for (; at < count && compare_fields(cells[at].typed.field, &type->fields[i]) == 0;
		     at++)
			add_cell(&sum, cells[at].cell);
		json_array_append_new(list, field_json(&type->fields[i], &sum, levels));
	}
	return list;
}

/* `known` gets what has a type. */
static json_t *types_json(const struct data_cells *cells, struct data_objects *objects,
			  struct sum *known)
{
	struct member *members = members_of(cells);
	struct typed_cell *typed = mem_alloc_array(cells->count, sizeof(*typed));
	struct data_types types = {0};
	struct row *rows = NULL;
	size_t count = 0, row_count = 0, capacity = 0;

	for (size_t i = 0; i < cells->count; i++) {
		const struct data_cell *cell = &cells->cells[members[i].cell];

		if (cell->object == cells->finder.fetch)
			continue;
		typed[count] = (struct typed_cell){cell, data_types_of(&types, objects, cell)};
		count += typed[count].typed.type != NULL;
	}
	if (count)
		qsort(typed, count, sizeof(*typed), by_type);
	for (size_t i = 0, end; i < count; i = end) {
		const struct type *type = typed[i].typed.type;
		struct sum sum = {0};

		for (end = i; end < count && compare_types(typed[end].typed.type, type) == 0;
		     end++) {
			add_cell(&sum, typed[end].cell);
			add_cell(known, typed[end].cell);
		}
		if (!sum.counts.accesses && !slots_of(&sum))
			continue;
		json_t *object = json_pack("{s:s, s:I}", "name", type->name, "bytes",
					   (json_int_t)type->bytes);
		add_sum(object, &sum, cells->levels);
		json_object_set_new(object, "fields",
				    fields_json(typed + i, end - i, cells->levels));
		*ARRAY_PUSH(rows, row_count, capacity) = (struct row){object, sum, i};
	}
	json_t *list = list_of(rows, row_count, TYPES_MOST);
	free(typed);
	free(members);
	return list;
}

static json_t *numbers_json(const uint64_t *numbers, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_integer((json_int_t)numbers[i]));
	return list;
}

static int by_set(const void *left, const void *right)
{
	const struct data_pair *a = left, *b = right;

	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	if (a->misses != b->misses)
		return a->misses > b->misses ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

/* The pairs of one set, the object with most misses first. */
static json_t *sharers_of(const struct data_cells *cells, unsigned level, uint32_t set)
{
	json_t *list = json_array();

	for (size_t i = 0; i < cells->pair_count; i++) {
		const struct data_pair *pair = &cells->pairs[i];

		if (pair->level == level && pair->set == set &&
		    json_array_size(list) < SHARERS_MOST)
			json_array_append_new(list, json_pack("{s:I, s:I}", "object",
							      (json_int_t)pair->object, "misses",
							      (json_int_t)pair->misses));
	}
	return list;
}

struct crowd {
	uint64_t misses;
	uint32_t set;
};

static int by_misses(const void *left, const void *right)
{
	const struct crowd *a = left, *b = right;

	if (a->misses != b->misses)
		return a->misses > b->misses ? -1 : 1;
	return a->set < b->set ? -1 : a->set > b->set;
}

static json_t *crowded(const struct data_cells *cells, unsigned level)
{
	const struct data_sets *sets = &cells->sets[level];
	struct crowd *crowds = mem_alloc_array(sets->count, sizeof(*crowds));
	json_t *list = json_array();

	for (uint32_t i = 0; i < sets->count; i++)
		crowds[i] = (struct crowd){sets->misses[i], i};
	qsort(crowds, sets->count, sizeof(*crowds), by_misses);
	for (uint32_t i = 0; i < sets->count && i < CROWDED_MOST && crowds[i].misses; i++)
		json_array_append_new(list, json_pack("{s:I, s:o}", "set",
						      (json_int_t)crowds[i].set, "objects",
						      sharers_of(cells, level, crowds[i].set)));
	free(crowds);
	return list;
}

static json_t *caches_json(struct data_cells *cells)
{
	static const char *const names[] = {"L1D", "L2", "L3"};
	json_t *list = json_array();

	if (cells->pair_count)
		qsort(cells->pairs, cells->pair_count, sizeof(*cells->pairs), by_set);
	for (unsigned i = 0; i < cells->levels; i++) {
		const struct data_sets *sets = &cells->sets[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:I, s:I, s:o, s:o, s:o}", "name", names[i],
						"ways", (json_int_t)sets->ways, "line_bytes",
						(json_int_t)sets->line_bytes, "accesses",
						numbers_json(sets->accesses, sets->count), "misses",
						numbers_json(sets->misses, sets->count), "crowded",
						crowded(cells, i)));
	}
	return list;
}

void data_describe(struct data_cells *cells, struct data_objects *objects,
		   const struct ledger *exact, json_t *result)
{
	struct sum all = {0}, typed = {0};

	settle(cells, exact);
	json_t *list = objects_json(cells, objects, &all);
	json_t *data = json_pack("{s:I, s:o, s:o}", "objects_most", (json_int_t)DATA_OBJECTS_MOST,
				 "objects", list, "caches", caches_json(cells));
	json_t *types = types_json(cells, objects, &typed), *known = json_object();
	add_sum(data, &all, cells->levels);
	add_sum(known, &typed, cells->levels);
	json_object_set_new(data, "typed", known);
	json_object_set_new(data, "types", types);
	json_object_set_new(result, "data", data);
}
