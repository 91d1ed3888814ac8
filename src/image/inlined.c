#include "image/inlined.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "image/elf_file.h"
#include "image/names.h"
#include "image/source_file.h"
#include "image/spans.h"

#define NO_NODE	    SIZE_MAX
#define RANGES_MOST (UINT32_C(1) << 24) /* of one file; what follows is left out */
#define DEPTH_MOST  256			/* of a unit's tree */

/* An inlined call. */
struct node {
	Dwarf_Die die;
	size_t parent; /* the call that contains it, or NO_NODE */
	/* All calls from the outermost to this one, once they were asked for. */
	struct inlined_call *calls;
	size_t call_count;
	char *name, *file; /* owned; of the last of them */
};

/* A range of addresses of a node or of a unit. */
struct owned_span {
	struct span span;
	size_t owner;
	size_t order;
};

/* Ranges, and whose they are. */
struct owned_spans {
	struct owned_span *list;
	size_t count, capacity;
	struct spans spans;
};

struct unit {
	Dwarf_Die die;
	bool is_read;
	Dwarf_Off walked;   /* the last DIE that was gone through */
	struct node *nodes; /* a call comes after the one that contains it */
	size_t node_count, node_capacity;
	struct owned_spans spans;
};

struct inlined {
	struct elf_file file;
	struct unit *units;
	size_t unit_count, unit_capacity;
	struct owned_spans spans; /* of the units */
	size_t range_count;
	bool is_raw;
};

/* Adds all ranges of a DIE. */
static void add_spans(struct inlined *inlined, struct owned_spans *spans, Dwarf_Die *die,
		      size_t owner)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start >= end)
			continue;
		if (inlined->range_count++ >= RANGES_MOST)
			return;
		struct owned_span *span = ARRAY_PUSH(spans->list, spans->count, spans->capacity);
		*span = (struct owned_span){{start, end}, owner, spans->count};
	}
}

static int compare_spans(const void *left, const void *right)
{
	const struct owned_span *a = left, *b = right;

	if (a->span.start != b->span.start)
		return a->span.start < b->span.start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static void settle_spans(struct owned_spans *spans)
{
	struct span *list = mem_alloc_array(spans->count, sizeof(*list));

	if (spans->count)
		qsort(spans->list, spans->count, sizeof(*spans->list), compare_spans);
	for (size_t i = 0; i < spans->count; i++)
		list[i] = spans->list[i].span;
	spans_init(&spans->spans, list, spans->count);
	free(list);
}

static size_t find_owner(const struct owned_spans *spans, uint64_t address)
{
	size_t found = spans_find(&spans->spans, address);

	return found == SPANS_NONE ? SIZE_MAX : spans->list[found].owner;
}

static void release_spans(struct owned_spans *spans)
{
	free(spans->list);
	spans_release(&spans->spans);
}

static void walk(struct inlined *inlined, struct unit *unit, Dwarf_Die *die, size_t parent,
		 unsigned depth);

static void walk_call(struct inlined *inlined, struct unit *unit, Dwarf_Die *die, size_t parent,
		      unsigned depth)
{
	size_t number = unit->node_count;

	*ARRAY_PUSH(unit->nodes, unit->node_count, unit->node_capacity) =
		(struct node){.die = *die, .parent = parent};
	add_spans(inlined, &unit->spans, die, number);
	walk(inlined, unit, die, number, depth);
}

/* Goes through the children of a DIE that may contain calls. */
static void walk(struct inlined *inlined, struct unit *unit, Dwarf_Die *die, size_t parent,
		 unsigned depth)
{
	Dwarf_Die child;

	if (depth >= DEPTH_MOST || dwarf_child(die, &child) != 0)
		return;
	do {
		/* In a broken tree a DIE's sibling may be one of its children, and their number
		 * would grow with every level. */
		if (dwarf_dieoffset(&child) <= unit->walked)
			return;
		unit->walked = dwarf_dieoffset(&child);
		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
			walk_call(inlined, unit, &child, parent, depth + 1);
			break;
		case DW_TAG_subprogram: walk(inlined, unit, &child, NO_NODE, depth + 1); break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
		/* Rust has the code of methods in its types. */
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type: walk(inlined, unit, &child, parent, depth + 1); break;
		default: break;
		}
	} while (inlined->range_count < RANGES_MOST && dwarf_siblingof(&child, &child) == 0);
}

static void read_units(struct inlined *inlined)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(inlined->file.dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		/* The ranges of others would be looked for in another file. */
		if (type != DW_UT_compile && type != DW_UT_partial)
			continue;
		add_spans(inlined, &inlined->spans, &die, inlined->unit_count);
		*ARRAY_PUSH(inlined->units, inlined->unit_count, inlined->unit_capacity) =
			(struct unit){.die = die};
	}
	settle_spans(&inlined->spans);
}

struct inlined *inlined_read(const uint8_t *bytes, size_t size, const char *name, struct err *err)
{
	struct inlined *inlined = mem_alloc(sizeof(*inlined));

	if (!elf_file_open_dwarf(&inlined->file, bytes, size, name, err)) {
		free(inlined);
		return NULL;
	}
	if (inlined->file.dwarf)
		read_units(inlined);
	return inlined;
}

static void release_unit(struct unit *unit)
{
	for (size_t i = 0; i < unit->node_count; i++) {
		free(unit->nodes[i].calls);
		free(unit->nodes[i].name);
		free(unit->nodes[i].file);
	}
	free(unit->nodes);
	release_spans(&unit->spans);
}

void inlined_free(struct inlined *inlined)
{
	if (!inlined)
		return;
	for (size_t i = 0; i < inlined->unit_count; i++)
		release_unit(&inlined->units[i]);
	free(inlined->units);
	release_spans(&inlined->spans);
	elf_file_close(&inlined->file);
	free(inlined);
}

void inlined_show_raw(struct inlined *inlined)
{
	inlined->is_raw = true;
}

/* The name that symbols have, if the compiler says it; it has the scopes that the other lacks. */
static const char *raw_name(Dwarf_Die *die)
{
	static const unsigned attributes[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	const char *name = NULL;
	Dwarf_Attribute attribute;

	for (size_t i = 0; !name && i < ARRAY_COUNT(attributes); i++)
		name = dwarf_formstring(dwarf_attr_integrate(die, attributes[i], &attribute));
	if (!name)
		name = dwarf_diename(die);
	return name && name[0] ? name : "(unknown)";
}

static char *name_of(const struct inlined *inlined, Dwarf_Die *die)
{
	const char *raw = raw_name(die);
	size_t length = strnlen(raw, NAME_BYTES);
	char *name = mem_alloc(length + 1);

	printable_copy(name, length, (const uint8_t *)raw, length);
	char *shown = inlined->is_raw ? NULL : name_demangle(name);
	if (shown)
		free(name);
	return shown ? shown : name;
}

static uint32_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute memory;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, attribute, &memory), &value) == 0 &&
			       value <= UINT32_MAX
		       ? (uint32_t)value
		       : 0;
}

static char *call_file(struct unit *unit, Dwarf_Die *die)
{
	Dwarf_Attribute memory;
	Dwarf_Files *files;
	Dwarf_Word index;
	size_t count;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &memory), &index) != 0 ||
	    dwarf_getsrcfiles(&unit->die, &files, &count) != 0)
		return NULL;
	return source_file_text(files, index);
}

static void fill_calls(const struct inlined *inlined, struct unit *unit, size_t number)
{
	struct node *node = &unit->nodes[number];
	size_t chain[INLINED_MOST], count = 0, depth = 0;

	for (size_t at = number; at != NO_NODE; at = unit->nodes[at].parent)
		depth++;
	for (size_t at = number; at != NO_NODE; at = unit->nodes[at].parent)
		if (depth-- <= INLINED_MOST)
			chain[count++] = at;
	node->calls = mem_alloc_array(count, sizeof(*node->calls));
	while (count) {
		struct node *call = &unit->nodes[chain[--count]];

		if (!call->name) {
			call->name = name_of(inlined, &call->die);
			call->file = call_file(unit, &call->die);
		}
		node->calls[node->call_count++] = (struct inlined_call){
			call->name,
			call->file ? call->file : "",
			number_of(&call->die, DW_AT_call_line),
		};
	}
}

size_t inlined_find(struct inlined *inlined, uint64_t address, const struct inlined_call **calls)
{
	size_t number = find_owner(&inlined->spans, address);
	struct unit *unit = number == SIZE_MAX ? NULL : &inlined->units[number];

	if (!unit)
		return 0;
	if (!unit->is_read) {
		unit->is_read = true;
		walk(inlined, unit, &unit->die, NO_NODE, 0);
		settle_spans(&unit->spans);
	}
	number = find_owner(&unit->spans, address);
	if (number == SIZE_MAX)
		return 0;
	if (!unit->nodes[number].calls)
		fill_calls(inlined, unit, number);
	*calls = unit->nodes[number].calls;
	return unit->nodes[number].call_count;
}
