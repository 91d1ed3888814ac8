/*
 * Line tables of compiled programs, address by address, against what objdump
 * and addr2line read in them.
 */
#include "../test.h"

#include <inttypes.h>

#include "toolchain.h"
#include "image/lines.h"

/* A program with inlined functions from a header in another folder, loops and
 * jumps back and forth between lines. */
static void write_sources(const struct toolchain *toolchain)
{
	free(toolchain_run(toolchain, "mkdir -p inc sub"));
	FILE *file = toolchain_open(toolchain, "inc/mix.h", "w");
	fputs("static inline unsigned mix(unsigned a,\n\t\t\t   unsigned b)\n{\n"
	      "\ta ^= b >> 3;\n\ta *= 2654435761u;\n\treturn a + b;\n}\n",
	      file);
	fclose(file);
	for (unsigned unit = 0; unit < 2; unit++) {
		file = toolchain_open(toolchain, unit ? "sub/more.c" : "main.c", "w");
		fputs("#include \"mix.h\"\nstatic volatile unsigned sink;\n", file);
		for (unsigned i = 0; i < 60; i++)
			fprintf(file,
				"__attribute__((noinline)) unsigned f%u_%u(unsigned n)\n{\n"
				"\tunsigned s = %u;\n\tfor (unsigned i = 0; i < n; i++) {\n"
				"\t\ts = mix(s, i);\n\t\tif (s & %u)\n\t\t\ts += mix(i, n);\n"
				"\t\telse\n\t\t\tsink = s / (i + 1);\n\t}\n\treturn s;\n}\n",
				unit, i, i * 77, 1 + i);
		fprintf(file, "int %s(void)\n{\n\tunsigned s = 0;\n", unit ? "more" : "main");
		for (unsigned i = 0; i < 50; i++)
			fprintf(file, "\ts += f%u_%u(%u);\n", unit, i, i);
		fprintf(file, "\treturn s%s;\n}\n", unit ? "" : " != 1");
		fclose(file);
	}
}

/* Every address between two rows of a sequence in objdump's listing. */
static unsigned compare_with_objdump(const struct toolchain *toolchain, const struct lines *lines)
{
	char *text = toolchain_run(toolchain, TOOLCHAIN_PREFIX "objdump --dwarf=decodedline main");
	char *rest = text, *line;
	char before_name[64] = "";
	unsigned before_line = 0, compared = 0;
	uint64_t before = 0;
	bool open = false;

	while ((line = toolchain_line(&rest))) {
		char name[64], number[16];
		uint64_t address;

		if (sscanf(line, "%63s %15s 0x%" SCNx64, name, number, &address) != 3)
			continue;
		for (uint64_t at = before; open && before_line && at < address; at++) {
			struct source_line found = {0};

			if (!lines_find(lines, at, &found))
				fail_msg("nothing at 0x%" PRIx64 ", where objdump has %s:%u", at,
					 before_name, before_line);
			const char *slash = strrchr(found.file, '/');
			assert_string_equal(slash ? slash + 1 : found.file, before_name);
			assert_int_equal(found.line, before_line);
			compared++;
		}
		open = number[0] != '-';
		before = address;
		before_line = (unsigned)strtoul(number, NULL, 10);
		strcpy(before_name, name);
	}
	free(text);
	return compared;
}

/* Asks addr2line about each even address the table knows and a few it does
 * not; it prints full paths, of which ours must be the end. */
static unsigned compare_with_addr2line(const struct toolchain *toolchain, const struct lines *lines)
{
	FILE *file = toolchain_open(toolchain, "addresses", "w");
	unsigned compared = 0;
	char *line;

	uint64_t start = lines_at(lines, 0)->start;
	uint64_t end = lines_at(lines, lines_count(lines) - 1)->end;
	/* A function not at the end of a program is followed by others, of the
	 * library, that have no lines. */
	for (uint64_t at = start; at < end; at += 2)
		fprintf(file, "0x%" PRIx64 "\n", at);
	fclose(file);
	char *text = toolchain_run(toolchain, TOOLCHAIN_PREFIX "addr2line -e main @addresses");
	char *rest = text;
	for (uint64_t at = start; at < end; at += 2) {
		struct source_line found = {0};

		line = toolchain_line(&rest);
		assert_non_null(line);
		char *colon = strrchr(line, ':');
		assert_non_null(colon);
		*colon = 0;
		unsigned number = (unsigned)strtoul(colon + 1, NULL, 10);
		bool known = lines_find(lines, at, &found);
		if (known != (number != 0) || found.line != number)
			fail_msg("0x%" PRIx64 ": addr2line has %s:%u, we %s:%u", at, line, number,
				 known ? found.file : "nothing", found.line);
		if (!known)
			continue;
		size_t ours = strlen(found.file), theirs = strlen(line);
		assert_true(ours <= theirs);
		assert_string_equal(line + theirs - ours, found.file);
		compared++;
	}
	free(text);
	return compared;
}

static void check_program(const struct toolchain *toolchain, const char *flags, bool addr2line)
{
	struct err err = {0};
	unsigned asked = 0;
	size_t size;

	write_sources(toolchain);
	free(toolchain_run(toolchain, TOOLCHAIN_PREFIX "gcc -Iinc %s main.c sub/more.c -o main",
			   flags));
	uint8_t *bytes = toolchain_load(toolchain, "main", &size);
	struct lines *lines = lines_read(bytes, size, "main", &err);
	if (!lines)
		fail_msg("%s: %s", flags, err.text);
	unsigned listed = compare_with_objdump(toolchain, lines);
	assert_true(listed > 4000);
	if (addr2line) {
		asked = compare_with_addr2line(toolchain, lines);
		assert_true(asked > 2000);
	}
	print_message("# %s: %zu ranges; %u addresses as objdump, %u as addr2line\n", flags,
		      lines_count(lines), listed, asked);
	lines_free(lines);
	free(bytes);
}

/* A test of a program compiled with these flags. */
#define COMPILED(test, flags, addr2line)                      \
	TEST_WITH(test, toolchain_setup, toolchain_teardown)  \
	{                                                     \
		if (!*test_state)                             \
			skip();                               \
		check_program(*test_state, flags, addr2line); \
	}

COMPILED(test_dwarf_5, "-O2 -gdwarf-5 -static", true)

COMPILED(test_dwarf_4, "-O2 -gdwarf-4 -static", true)

COMPILED(test_dwarf_3_unoptimised, "-O0 -gdwarf-3 -static", true)

COMPILED(test_dwarf_2_with_unrolled_loops, "-O3 -funroll-loops -gdwarf-2 -static", true)

COMPILED(test_dynamic_program_without_discarded_functions,
	 "-O1 -g -ffunction-sections -Wl,--gc-sections -pie", true)

/* The compiler's own line programs, with opcodes the assembler does not use
 * when the linker may relax. */
COMPILED(test_line_programs_by_the_compiler, "-O2 -g -gno-as-loc-support -mno-relax", true)

/* addr2line of binutils 2.40 itself gives up on this format. */
COMPILED(test_dwarf_of_64_bits, "-O2 -gdwarf-5 -gdwarf64 -gno-as-loc-support -mno-relax", false)
