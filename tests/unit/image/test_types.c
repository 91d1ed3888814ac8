/* Types of what compiled code accesses, by function: each has one access to a field that is known
 * from its source. */
#include "../test.h"

#include <elf.h>

#include "toolchain.h"
#include "image/symbols.h"
#include "image/types.h"
#include "isa/insn.h"

static const char source[] =
	"struct point { int x, y; };\n"
	"struct node { struct node *next; long key; char name[24]; struct point at; };\n"
	"typedef struct { double low, high; } range;\n"
	"union word { int whole; char parts[4]; };\n"
	"struct node nodes[100];\n"
	"range ranges[3][4];\n"
	"double single;\n"
	"__thread struct point own;\n"
	"long by_pointer(struct node *p) { return p->key; }\n"
	"long by_chain(struct node *p) { return p->next->key; }\n"
	"int nested(struct node *p) { return p->at.y; }\n"
	"double of_typedef(range *r, long i) { return r[i].high; }\n"
	"void stores(struct node *p, long k) { p->key = k; }\n"
	"int of_union(union word *w) { return w->whole; }\n"
	"char of_array(struct node *p, long i) { return p->name[i]; }\n"
	"int main(void) { return (int)by_pointer(nodes) + (int)single + own.x; }\n";

struct program {
	uint8_t *bytes;
	size_t size;
};

static bool read_code(void *context, uint64_t address, uint32_t *raw)
{
	const struct program *program = context;
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)program->bytes;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, program->bytes + header->e_phoff + i * sizeof(segment),
		       sizeof(segment));
		const uint64_t within = address - segment.p_vaddr;
		if (segment.p_type != PT_LOAD || within + 4 > segment.p_filesz)
			continue;
		memcpy(raw, program->bytes + segment.p_offset + within, sizeof(*raw));
		return true;
	}
	return false;
}

/* Whether an access of the function is of that type and field. */
static bool accesses(struct program *program, struct types *types, const struct symbols *symbols,
		     const char *function, const char *type, const char *field)
{
	const struct type_code code = {read_code, program};
	const struct symbol *symbol = symbols_by_name(symbols, function);
	uint32_t raw = 0;

	assert_non_null(symbol);
	for (uint64_t at = symbol->address; at < symbol->address + symbol->bytes;) {
		const struct typed typed = types_of_access(types, &code, at);
		const struct type_field *found =
			typed.type ? type_field_at(typed.type, typed.offset) : NULL;

		if (found && strcmp(typed.type->name, type) == 0 && strcmp(found->name, field) == 0)
			return true;
		assert_true(read_code(program, at, &raw));
		const unsigned bytes = insn_decode(raw).bytes;
		at += bytes ? bytes : 4;
	}
	return false;
}

static void check(const struct toolchain *toolchain, const char *flags)
{
	static const struct {
		const char *function, *type, *field;
	} cases[] = {
		{"by_pointer", "struct node", "key"}, {"by_chain", "struct node", "key"},
		{"nested", "struct node", "at.y"},    {"of_typedef", "range", "high"},
		{"stores", "struct node", "key"},     {"of_union", "union word", "whole"},
	};
	struct err err = {0};
	struct program program;
	FILE *file = toolchain_open(toolchain, "main.c", "w");

	fputs(source, file);
	fclose(file);
	free(toolchain_run(toolchain, TOOLCHAIN_PREFIX "gcc %s main.c -o main", flags));
	program.bytes = toolchain_load(toolchain, "main", &program.size);
	struct types *types = types_read(program.bytes, program.size, "main", &err);
	struct symbols *symbols = symbols_read(program.bytes, program.size, "main", &err);
	struct symbols *objects =
		symbols_read_kind(SYMBOLS_OBJECTS, program.bytes, program.size, "main", &err);
	assert_non_null(types);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!accesses(&program, types, symbols, cases[i].function, cases[i].type,
			      cases[i].field))
			fail_msg("%s: no access of %s is of %s.%s", flags, cases[i].function,
				 cases[i].type, cases[i].field);
	const struct symbol *nodes = symbols_by_name(objects, "nodes");
	const struct symbol *ranges = symbols_by_name(objects, "ranges");
	assert_non_null(nodes);
	const struct type *type = types_of_variable(types, nodes->address, false);
	assert_string_equal(type->name, "struct node");
	assert_int_equal(type->bytes, 48);
	assert_int_equal(type->field_count, 5);
	assert_string_equal(type_field_at(type, 39)->name, "name");
	assert_string_equal(type_field_at(type, 40)->name, "at.x");
	assert_string_equal(types_of_variable(types, ranges->address, false)->name, "range");
	assert_null(types_of_variable(types, nodes->address + 8, false));
	symbols_free(objects);
	symbols_free(symbols);
	types_free(types);
	free(program.bytes);
}

#define COMPILED(test, flags)                                \
	TEST_WITH(test, toolchain_setup, toolchain_teardown) \
	{                                                    \
		if (!*test_state)                            \
			skip();                              \
		check(*test_state, flags);                   \
	}

COMPILED(accesses_have_types_without_optimisation, "-O0 -g -static")
COMPILED(accesses_have_types, "-O1 -g -static")
COMPILED(accesses_have_types_at_O2, "-O2 -g -gdwarf-4 -static")

TEST(what_is_no_elf_file_is_refused)
{
	struct err err = {.text = ""};

	assert_null(types_read((const uint8_t *)"text", 4, "text", &err));
	assert_string_equal(err.text, "text: not a 64-bit little-endian ELF file");
	types_free(NULL);
}
