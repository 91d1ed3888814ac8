#include "image/types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "base/printable.h"
#include "image/elf_file.h"
#include "image/spans.h"
#include "isa/insn.h"

#define CHAIN_MOST     64 /* of types that lead to one another */
#define NESTED_MOST    8  /* structures in structures */
#define DEPTH_MOST     256
#define VARIABLES_MOST (1u << 20)
#define FUNCTIONS_MOST (1u << 20)
#define WRITERS_MOST   4  /* instructions that a register's value is followed through */
#define BEFORE_MOST    24 /* instructions that are looked at for one of them */
#define LOCATIONS_MOST 4
#define CODE_MOST      (1u << 16)	   /* instructions of a function */
#define BYTES_MOST     (UINT64_C(1) << 38) /* of a type */

struct variable {
	uint64_t address;
	Dwarf_Off die;
	bool is_tls;
};

struct known_type {
	struct type type;
	Dwarf_Off die;
};

struct function {
	struct span span;
	Dwarf_Off die;
};

struct code {
	uint64_t at;
	struct insn insn;
};

struct types {
	struct elf_file file;
	Dwarf_CFI *frames[2]; /* of .eh_frame, of .debug_frame; NULL: there are none */
	bool is_walked;
	struct variable *variables;
	size_t variable_count, variable_capacity;
	struct function *functions;
	size_t function_count, function_capacity;
	struct spans spans; /* of the functions */
	struct known_type **known;
	size_t known_count, known_capacity;
	struct index index; /* of the known, by DIE */
	struct code *code;  /* of the function that was asked about last */
	size_t code_count, code_capacity, code_of;
};

struct types *types_read(const uint8_t *bytes, size_t size, const char *name, struct err *err)
{
	struct types *types = mem_alloc(sizeof(*types));

	if (elf_file_open_dwarf(&types->file, bytes, size, name, err))
		return types;
	free(types);
	return NULL;
}

static void free_type(struct type *type)
{
	for (size_t i = 0; i < type->field_count; i++)
		free(type->fields[i].name);
	free(type->fields);
	free(type->name);
}

void types_free(struct types *types)
{
	if (!types)
		return;
	for (size_t i = 0; i < types->known_count; i++) {
		free_type(&types->known[i]->type);
		free(types->known[i]);
	}
	free(types->known);
	free(types->variables);
	free(types->functions);
	free(types->code);
	spans_release(&types->spans);
	index_release(&types->index);
	if (types->frames[0])
		dwarf_cfi_end(types->frames[0]);
	elf_file_close(&types->file);
	free(types);
}

/*
 * Types.
 */

static bool type_die(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Attribute memory;

	return dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &memory), type) != NULL;
}

static bool is_transparent(unsigned tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* What a type is behind names and qualifiers; `named`, if not NULL, becomes the last name that a
 * typedef gives it. */
static bool strip(Dwarf_Die *die, const char **named)
{
	for (unsigned i = 0; i < CHAIN_MOST && is_transparent((unsigned)dwarf_tag(die)); i++) {
		Dwarf_Die next;

		if (named && dwarf_tag(die) == DW_TAG_typedef)
			*named = dwarf_diename(die);
		if (!type_die(die, &next))
			return false;
		*die = next;
	}
	return !is_transparent((unsigned)dwarf_tag(die));
}

/* The elements' type of an array, and of arrays of arrays. */
static bool strip_arrays(Dwarf_Die *die, const char **named)
{
	for (unsigned i = 0; i < CHAIN_MOST; i++) {
		Dwarf_Die next;

		if (!strip(die, named))
			return false;
		if (dwarf_tag(die) != DW_TAG_array_type)
			return true;
		if (!type_die(die, &next))
			return false;
		*die = next;
		if (named)
			*named = NULL;
	}
	return false;
}

static bool is_structure(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_pointer(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static uint64_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute memory;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr_integrate(die, attribute, &memory), &value) == 0 ? value
											   : 0;
}

static char *printable(const char *text)
{
	const size_t length = strnlen(text, TYPE_NAME_BYTES);
	char *copy = mem_alloc(length + 1);

	printable_copy(copy, length, (const uint8_t *)text, length);
	return copy;
}

static char *name_of_type(Dwarf_Die *die, const char *named)
{
	const char *name = dwarf_diename(die), *stars = "", *kind = "";
	Dwarf_Die at = *die;

	if (is_pointer(die)) {
		stars = " *";
		named = NULL;
		name = type_die(die, &at) && strip_arrays(&at, &named) ? dwarf_diename(&at)
								       : "void";
		if (!name)
			name = is_pointer(&at) ? "void *" : NULL;
	}
	if (dwarf_tag(&at) == DW_TAG_structure_type && name)
		kind = "struct ";
	else if (dwarf_tag(&at) == DW_TAG_union_type && name)
		kind = "union ";
	else if (dwarf_tag(&at) == DW_TAG_enumeration_type && name)
		kind = "enum ";
	if (!name)
		name = named ? named : "(unnamed)";
	char *copy = printable(name), *text = mem_format("%s%s%s", kind, copy, stars);
	free(copy);
	return text;
}

static void add_fields(struct type *type, Dwarf_Die *die, const char *path, uint64_t base,
		       unsigned depth);

static void add_field(struct type *type, Dwarf_Die *member, const char *path, uint64_t base,
		      unsigned depth)
{
	uint64_t offset = base + number_of(member, DW_AT_data_member_location);
	const uint64_t bits = number_of(member, DW_AT_data_bit_offset);
	const char *name = dwarf_diename(member);
	Dwarf_Die of;
	Dwarf_Word bytes;

	if (!type_die(member, &of) || !strip(&of, NULL) || dwarf_aggregate_size(&of, &bytes) != 0)
		return;
	if (bits)
		offset = base + bits / 8 / (bytes ? bytes : 1) * bytes;
	if (!bytes || offset >= type->bytes || bytes > type->bytes - offset)
		return;
	char *own = name ? printable(name) : NULL;
	char *full = !own ? mem_strdup(path)
			  : mem_format("%s%s%.*s", path, *path ? "." : "", TYPE_NAME_BYTES, own);
	free(own);
	if (depth < NESTED_MOST && strlen(full) < 4 * TYPE_NAME_BYTES && is_structure(&of)) {
		const size_t before = type->field_count;

		add_fields(type, &of, full, offset, depth + 1);
		if (type->field_count > before) {
			free(full);
			return;
		}
	}
	struct type_field *fields =
		mem_realloc(type->fields, type->field_count + 1, sizeof(*fields));
	fields[type->field_count++] = (struct type_field){full, offset, bytes};
	type->fields = fields;
}

static void add_fields(struct type *type, Dwarf_Die *die, const char *path, uint64_t base,
		       unsigned depth)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return;
	do {
		/* A member without a place is one of the class, not of its objects. */
		if (dwarf_tag(&child) == DW_TAG_inheritance ||
		    (dwarf_tag(&child) == DW_TAG_member && !dwarf_hasattr(&child, DW_AT_external) &&
		     !dwarf_hasattr(&child, DW_AT_declaration)))
			add_field(type, &child, path, base, depth);
	} while (type->field_count < TYPE_FIELDS_MOST && dwarf_siblingof(&child, &child) == 0);
}

static int by_offset(const void *left, const void *right)
{
	const struct type_field *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(a->name, b->name);
}

struct wanted {
	const struct types *types;
	Dwarf_Off die;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;

	return wanted->types->known[number]->die == wanted->die;
}

/* The type behind a DIE, of an array that of its elements; NULL if it has no size. */
static const struct type *type_of(struct types *types, Dwarf_Die *of)
{
	const char *named = NULL;
	Dwarf_Die die = *of;
	Dwarf_Word bytes;

	if (!strip_arrays(&die, &named))
		return NULL;
	const struct wanted wanted = {types, dwarf_dieoffset(&die)};
	const uint64_t hash = index_hash_number(1, wanted.die);
	const size_t found = index_find(&types->index, hash, same, &wanted);
	if (found != INDEX_NONE)
		return &types->known[found]->type;
	if (dwarf_aggregate_size(&die, &bytes) != 0 || !bytes || bytes > BYTES_MOST)
		return NULL;
	struct known_type *known = mem_alloc(sizeof(*known));
	known->die = wanted.die;
	known->type.bytes = bytes;
	known->type.name = name_of_type(&die, named);
	if (is_structure(&die))
		add_fields(&known->type, &die, "", 0, 0);
	if (known->type.field_count)
		qsort(known->type.fields, known->type.field_count, sizeof(struct type_field),
		      by_offset);
	*ARRAY_PUSH(types->known, types->known_count, types->known_capacity) = known;
	index_add(&types->index, hash, types->known_count - 1);
	return &known->type;
}

const struct type_field *type_field_at(const struct type *type, uint64_t offset)
{
	for (size_t i = type->field_count; i--;) {
		const struct type_field *field = &type->fields[i];

		if (field->offset <= offset && offset - field->offset < field->bytes)
			return field;
	}
	return NULL;
}

/*
 * What is declared where.
 */

static void add_variable(struct types *types, Dwarf_Die *die)
{
	Dwarf_Attribute memory;
	Dwarf_Op *ops;
	size_t count;

	if (types->variable_count >= VARIABLES_MOST ||
	    dwarf_getlocation(dwarf_attr(die, DW_AT_location, &memory), &ops, &count) != 0 ||
	    !count)
		return;
	const bool is_tls = count == 2 && (ops[1].atom == DW_OP_GNU_push_tls_address ||
					   ops[1].atom == DW_OP_form_tls_address);
	if (ops[0].atom != DW_OP_addr && !(is_tls && ops[0].atom == DW_OP_const8u))
		return;
	*ARRAY_PUSH(types->variables, types->variable_count, types->variable_capacity) =
		(struct variable){ops[0].number, dwarf_dieoffset(die), is_tls};
}

static void add_function(struct types *types, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (start < end && types->function_count < FUNCTIONS_MOST)
			*ARRAY_PUSH(types->functions, types->function_count,
				    types->function_capacity) =
				(struct function){{start, end}, dwarf_dieoffset(die)};
}

static void walk(struct types *types, Dwarf_Die *die, Dwarf_Off *walked, unsigned depth)
{
	Dwarf_Die child;

	if (depth >= DEPTH_MOST || dwarf_child(die, &child) != 0)
		return;
	do {
		if (dwarf_dieoffset(&child) <= *walked)
			return;
		*walked = dwarf_dieoffset(&child);
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable: add_variable(types, &child); break;
		case DW_TAG_subprogram:
			add_function(types, &child);
			walk(types, &child, walked, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type: walk(types, &child, walked, depth + 1); break;
		default: break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int compare_variables(const void *left, const void *right)
{
	const struct variable *a = left, *b = right;

	if (a->is_tls != b->is_tls)
		return a->is_tls ? 1 : -1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->die > b->die) - (a->die < b->die);
}

static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->span.start != b->span.start)
		return a->span.start < b->span.start ? -1 : 1;
	return (a->die > b->die) - (a->die < b->die);
}

static void walk_units(struct types *types)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(types->file.dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		Dwarf_Off walked = 0;

		if (type == DW_UT_compile || type == DW_UT_partial)
			walk(types, &die, &walked, 0);
	}
	if (types->variable_count)
		qsort(types->variables, types->variable_count, sizeof(struct variable),
		      compare_variables);
	if (types->function_count)
		qsort(types->functions, types->function_count, sizeof(struct function),
		      compare_functions);
	struct span *spans = mem_alloc_array(types->function_count, sizeof(*spans));
	for (size_t i = 0; i < types->function_count; i++)
		spans[i] = types->functions[i].span;
	spans_init(&types->spans, spans, types->function_count);
	free(spans);
	types->frames[0] = dwarf_getcfi_elf(types->file.elf);
	types->frames[1] = dwarf_getcfi(types->file.dwarf);
}

/* False if there is nothing to be known. */
static bool prepare(struct types *types)
{
	if (types->file.dwarf && !types->is_walked)
		walk_units(types);
	types->is_walked = true;
	return types->file.dwarf;
}

const struct type *types_of_variable(struct types *types, uint64_t address, bool is_tls)
{
	size_t low = 0, high;
	Dwarf_Die die, of;

	if (!prepare(types))
		return NULL;
	const struct variable wanted = {.address = address, .is_tls = is_tls};
	for (high = types->variable_count; low < high;) {
		const size_t middle = low + (high - low) / 2;

		if (compare_variables(&types->variables[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == types->variable_count || types->variables[low].address != address ||
	    types->variables[low].is_tls != is_tls ||
	    !dwarf_offdie(types->file.dwarf, types->variables[low].die, &die) ||
	    !type_die(&die, &of))
		return NULL;
	return type_of(types, &of);
}

/*
 * What an instruction accesses.
 */

/* What a register holds: the address of something typed, `offset` into it. */
struct held {
	Dwarf_Die die; /* the type of that */
	int64_t offset;
	bool is_known;
};

/* How the frame's address is told at `pc`: a register and what is added to it. */
static bool frame_base(struct types *types, uint64_t pc, unsigned *base, int64_t *added)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t count;
	bool ok = false;

	for (unsigned i = 0; i < 2 && !frame; i++)
		if (types->frames[i] && dwarf_cfi_addrframe(types->frames[i], pc, &frame) != 0)
			frame = NULL;
	if (!frame)
		return false;
	if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1) {
		const unsigned atom = ops[0].atom;

		ok = atom == DW_OP_bregx || (atom >= DW_OP_breg0 && atom <= DW_OP_breg31);
		*base = atom == DW_OP_bregx ? (unsigned)ops[0].number : atom - DW_OP_breg0;
		*added = (int64_t)(atom == DW_OP_bregx ? ops[0].number2 : ops[0].number);
	}
	free(frame);
	return ok;
}

/* Whether the variable tells what is at `offset` from a register. */
static bool variable_tells(struct types *types, Dwarf_Die *variable, uint64_t pc, unsigned reg,
			   int64_t offset, struct held *held)
{
	Dwarf_Attribute memory;
	Dwarf_Op *ops[LOCATIONS_MOST];
	size_t counts[LOCATIONS_MOST];
	Dwarf_Die of;

	if (!type_die(variable, &of))
		return false;
	const int found = dwarf_getlocation_addr(dwarf_attr(variable, DW_AT_location, &memory), pc,
						 ops, counts, LOCATIONS_MOST);
	for (int i = 0; i < found; i++) {
		const unsigned atom = counts[i] == 1 ? ops[i][0].atom : DW_OP_nop;
		const uint64_t number = counts[i] == 1 ? ops[i][0].number : 0;
		int64_t added, place;
		unsigned base;
		Dwarf_Word bytes;

		if ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31 && atom - DW_OP_reg0 == reg) ||
		    (atom == DW_OP_regx && number == reg)) {
			Dwarf_Die pointed = of;

			if (!strip(&pointed, NULL) || !is_pointer(&pointed) ||
			    !type_die(&pointed, &held->die))
				return false;
			held->offset = offset;
			return held->is_known = true;
		}
		if (atom == DW_OP_fbreg && frame_base(types, pc, &base, &added))
			place = added + (int64_t)number;
		else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
			base = atom - DW_OP_breg0;
			place = (int64_t)number;
		} else {
			continue;
		}
		if (base != reg || offset < place || dwarf_aggregate_size(&of, &bytes) != 0 ||
		    (uint64_t)(offset - place) >= bytes)
			continue;
		held->die = of;
		held->offset = offset - place;
		return held->is_known = true;
	}
	return false;
}

/* Looks through the variables of a scope and of those within it that have the address; the
 * innermost that tells something wins. */
static bool scope_tells(struct types *types, Dwarf_Die *scope, Dwarf_Off *walked, uint64_t pc,
			unsigned reg, int64_t offset, unsigned depth, struct held *held)
{
	Dwarf_Die child;
	bool found = false;

	if (depth >= DEPTH_MOST || dwarf_child(scope, &child) != 0)
		return false;
	do {
		/* In a broken tree a DIE's sibling may be one of its children, and the work would
		 * double with every level. */
		if (dwarf_dieoffset(&child) <= *walked)
			return found;
		*walked = dwarf_dieoffset(&child);
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
			found = found || variable_tells(types, &child, pc, reg, offset, held);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			if (dwarf_haspc(&child, pc) == 1)
				found |= scope_tells(types, &child, walked, pc, reg, offset,
						     depth + 1, held);
			break;
		default: break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return found;
}

struct search {
	struct types *types;
	Dwarf_Die die; /* of the function */
};

/* An offset into elements of a size, as one into the element. */
static uint64_t within(int64_t offset, uint64_t bytes)
{
	const int64_t size = (int64_t)bytes;

	return (uint64_t)((offset % size + size) % size);
}

/* The member of what is held there, if that is a pointer: what it points to. */
static bool load_pointer(const struct held *from, struct held *held)
{
	Dwarf_Die die = from->die, child;
	int64_t offset = from->offset;

	for (unsigned i = 0; i < NESTED_MOST; i++) {
		Dwarf_Word bytes;
		bool descends = false;

		if (!strip_arrays(&die, NULL) || dwarf_aggregate_size(&die, &bytes) != 0 || !bytes)
			return false;
		if (bytes > BYTES_MOST)
			return false;
		offset = (int64_t)within(offset, bytes);
		if (is_pointer(&die)) {
			held->offset = 0;
			return held->is_known = type_die(&die, &held->die);
		}
		if (!is_structure(&die) || dwarf_child(&die, &child) != 0)
			return false;
		do {
			Dwarf_Die of;
			const int64_t at = (int64_t)number_of(&child, DW_AT_data_member_location);

			if ((dwarf_tag(&child) != DW_TAG_member &&
			     dwarf_tag(&child) != DW_TAG_inheritance) ||
			    !type_die(&child, &of) || dwarf_aggregate_size(&of, &bytes) != 0 ||
			    offset < at || (uint64_t)(offset - at) >= bytes)
				continue;
			die = of;
			offset -= at;
			descends = true;
			break;
		} while (dwarf_siblingof(&child, &child) == 0);
		if (!descends)
			return false;
	}
	return false;
}

static bool find_held(const struct search *search, uint64_t pc, unsigned reg, int64_t offset,
		      unsigned writers, struct held *held);

/* What an instruction writes into its register, which then has `offset` added. */
static bool writer_tells(const struct search *search, uint64_t pc, const struct insn *insn,
			 int64_t offset, unsigned writers, struct held *held)
{
	struct held from = {.is_known = false};

	switch (insn->op) {
	case OP_LD:
		if (!find_held(search, pc, insn->rs1, insn->imm, writers, &from) ||
		    !load_pointer(&from, held))
			return false;
		held->offset = offset;
		return true;
	case OP_ADDI: return find_held(search, pc, insn->rs1, offset + insn->imm, writers, held);
	case OP_ADD:
		return (insn->rs1 && find_held(search, pc, insn->rs1, offset, writers, held)) ||
		       (insn->rs2 && find_held(search, pc, insn->rs2, offset, writers, held));
	case OP_SH1ADD:
	case OP_SH2ADD:
	case OP_SH3ADD: return find_held(search, pc, insn->rs2, offset, writers, held);
	default: return false;
	}
}

/* Reads the instructions of a function; of a very long one the first. */
static void read_code(struct types *types, const struct type_code *code, size_t number)
{
	const struct span *span = &types->functions[number].span;

	if (types->code_count && types->code_of == number)
		return;
	types->code_of = number;
	types->code_count = 0;
	for (uint64_t at = span->start; at < span->end && types->code_count < CODE_MOST;) {
		uint32_t raw;

		if (!code->read(code->context, at, &raw))
			return;
		const struct insn insn = insn_decode(raw);
		*ARRAY_PUSH(types->code, types->code_count, types->code_capacity) =
			(struct code){at, insn};
		at += insn.bytes;
	}
}

/* The place of the instruction at that address, or of the first behind it. */
static size_t code_at(const struct types *types, uint64_t pc)
{
	size_t low = 0, high = types->code_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (types->code[middle].at < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last instruction before `pc` that writes the register, without a jump or call between. */
static const struct code *find_writer(const struct types *types, uint64_t pc, unsigned reg)
{
	size_t i = code_at(types, pc);

	for (size_t looked = 0; i-- && looked < BEFORE_MOST; looked++) {
		const struct code *code = &types->code[i];

		if (code->insn.unit == UNIT_JUMP || code->insn.unit == UNIT_JUMP_INDIRECT ||
		    code->insn.unit == UNIT_SYSTEM)
			return NULL;
		if (code->insn.rd == reg)
			return code;
	}
	return NULL;
}

static bool find_held(const struct search *search, uint64_t pc, unsigned reg, int64_t offset,
		      unsigned writers, struct held *held)
{
	Dwarf_Die die = search->die;
	Dwarf_Off walked = 0;

	if (!reg)
		return false;
	if (scope_tells(search->types, &die, &walked, pc, reg, offset, 0, held))
		return true;
	const struct code *writer = writers ? find_writer(search->types, pc, reg) : NULL;
	return writer && writer_tells(search, writer->at, &writer->insn, offset, writers - 1, held);
}

struct typed types_of_access(struct types *types, const struct type_code *code, uint64_t pc)
{
	struct search search = {.types = types};
	struct typed typed = {NULL, 0};
	struct held held = {.is_known = false};

	if (!prepare(types))
		return typed;
	const size_t found = spans_find(&types->spans, pc);
	if (found == SPANS_NONE ||
	    !dwarf_offdie(types->file.dwarf, types->functions[found].die, &search.die))
		return typed;
	read_code(types, code, found);
	const size_t place = code_at(types, pc);
	if (place == types->code_count || types->code[place].at != pc)
		return typed;
	const struct insn *insn = &types->code[place].insn;
	if (insn->unit != UNIT_LOAD && insn->unit != UNIT_STORE && insn->unit != UNIT_AMO)
		return typed;
	const int64_t displacement = insn->unit == UNIT_AMO ? 0 : insn->imm;
	if (!find_held(&search, pc, insn->rs1, displacement, WRITERS_MOST, &held))
		return typed;
	typed.type = type_of(types, &held.die);
	if (typed.type)
		typed.offset = within(held.offset, typed.type->bytes);
	return typed;
}
