/*
 * Line tables made by the assembler, row by row: which addresses have a line, what names become,
 * and tables that are broken. What compilers write is test_lines_compiled.c's.
 */
#include "../test.h"

#include "image/lines.h"
#include "toolchain.h"

/* Rows of three lines, two of them at one address; the name of a file that terminals would obey. */
static const char source[] = "\t.file 1 \"plain.c\"\n"
			     "\t.file 2 \"a\\033[2J\\tb\\n.c\"\n"
			     "\t.option norelax\n\t.option norvc\n"
			     "\t.globl _start\n"
			     "_start:\n"
			     "\t.loc 1 5 3\n\tnop\n"
			     "\t.loc 1 5 3\n\tnop\n"
			     "\t.loc 2 9 4\n\tnop\n"
			     "\tnop\n"
			     "\t.loc 1 6\n"
			     "\t.loc 1 7 0\n\tnop\n"
			     "\tnop\n"
			     "end_of_code:\n";

static uint8_t *build(const struct toolchain *toolchain, const char *name, size_t *size)
{
	FILE *file = toolchain_open(toolchain, "rows.s", "w");

	fputs(source, file);
	fclose(file);
	free(toolchain_run(toolchain,
			   TOOLCHAIN_PREFIX "gcc -nostdlib -static -Wl,-Ttext=0x10000 -o %s rows.s",
			   name));
	return toolchain_load(toolchain, name, size);
}

#define TOOLCHAIN_TEST(test) TEST_WITH(test, toolchain_setup, toolchain_teardown)

TOOLCHAIN_TEST(rows_become_ranges)
{
	static const struct {
		const char *file;
		uint32_t line, column;
	} rows[] = {
		{"plain.c", 5, 3},    {"plain.c", 5, 3}, {"a?[2J?b?.c", 9, 4},
		{"a?[2J?b?.c", 9, 4}, {"plain.c", 7, 0}, {"plain.c", 7, 0},
	};
	struct source_line line;
	struct err err;
	size_t size;

	if (!*test_state)
		skip();
	uint8_t *bytes = build(*test_state, "rows", &size);
	struct lines *lines = lines_read(bytes, size, "rows", &err);
	assert_non_null(lines);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_true(lines_find(lines, 0x10000 + 4 * i, &line));
		assert_string_equal(line.file, rows[i].file);
		assert_int_equal(line.line, rows[i].line);
		assert_int_equal(line.column, rows[i].column);
		/* Its last byte too. */
		assert_true(lines_find(lines, 0x10003 + 4 * i, &line));
		assert_int_equal(line.line, rows[i].line);
	}
	/* Neighbours of one line are one range. */
	assert_int_equal(lines_count(lines), 3);
	assert_false(lines_find(lines, 0xffff, &line));
	assert_false(lines_find(lines, 0x10000 + 4 * ARRAY_COUNT(rows), &line));
	lines_free(lines);
	free(bytes);
}

/* Whatever byte of the table is another, it is read or refused with a sentence. */
TOOLCHAIN_TEST(broken_tables_are_refused_or_read)
{
	unsigned refused = 0;
	size_t size, table;

	if (!*test_state)
		skip();
	free(build(*test_state, "rows", &size));
	free(toolchain_run(*test_state,
			   TOOLCHAIN_PREFIX "objcopy -O binary --only-section=.debug_line "
					    "--set-section-flags .debug_line=alloc rows table"));
	uint8_t *whole = toolchain_load(*test_state, "rows", &size),
		*part = toolchain_load(*test_state, "table", &table),
		*at = memmem(whole, size, part, table);
	assert_non_null(at);
	for (size_t i = 0; i < table; i++)
		for (unsigned bit = 0; bit < 8; bit += 7) {
			struct err err = {.text = ""};

			at[i] ^= 1 << bit;
			struct lines *lines = lines_read(whole, size, "rows", &err);
			if (!lines) {
				assert_memory_equal(err.text, "rows: ", 6);
				assert_null(strchr(err.text, '\n'));
				refused++;
			}
			lines_free(lines);
			at[i] ^= 1 << bit;
		}
	assert_true(refused > 10);
	free(whole);
	free(part);
}

TOOLCHAIN_TEST(programs_without_a_table_have_no_lines)
{
	struct source_line line;
	struct err err;
	size_t size;

	if (!*test_state)
		skip();
	free(build(*test_state, "rows", &size));
	free(toolchain_run(*test_state, TOOLCHAIN_PREFIX "objcopy --strip-debug rows bare"));
	uint8_t *bytes = toolchain_load(*test_state, "bare", &size);
	struct lines *lines = lines_read(bytes, size, "bare", &err);
	assert_non_null(lines);
	assert_int_equal(lines_count(lines), 0);
	assert_false(lines_find(lines, 0x10000, &line));
	lines_free(lines);
	assert_null(lines_read(bytes, 10, "bare", &err));
	assert_memory_equal(err.text, "bare: ", 6);
	free(bytes);
}
