/*
 * The ranges of unwinding records of a compiled library, stripped, against the symbols it had; and
 * of files with wrong bytes in the records.
 */
#include "../test.h"

#include <inttypes.h>

#include "image/frames.h"
#include "image/symbols.h"
#include "toolchain.h"

#define FUNCTIONS 40

static void build(const struct toolchain *toolchain)
{
	FILE *file = toolchain_open(toolchain, "many.cc", "w");

	/* An exception to be cleaned up after gives some records a personality of their own. */
	fputs("struct held { ~held(); };\nvoid thrown(int);\n", file);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		fprintf(file,
			"__attribute__((noinline)) int f%u(int n)\n{\n%s\tthrown(n);\n"
			"\treturn n * %u;\n}\n",
			i, i % 3 ? "" : "\theld h;\n", i + 3);
	fclose(file);
	free(toolchain_run(
		toolchain, TOOLCHAIN_PREFIX
		"g++ -O1 -fasynchronous-unwind-tables -fPIC -shared -nostdlib -o many.so "
		"many.cc 2>&1 && " TOOLCHAIN_PREFIX "strip -o bare.so many.so"));
}

TEST_WITH(test_ranges_are_those_of_the_functions, toolchain_setup, toolchain_teardown)
{
	struct toolchain *toolchain = *test_state;
	struct frames frames;
	size_t size, bare_size;
	struct err err;

	if (!toolchain)
		skip();
	build(toolchain);
	uint8_t *bytes = toolchain_load(toolchain, "many.so", &size);
	uint8_t *bare = toolchain_load(toolchain, "bare.so", &bare_size);
	struct symbols *symbols = symbols_read(bytes, size, "many.so", &err);
	assert_non_null(symbols);
	frames_read(&frames, bare, bare_size, "bare.so");
	assert_int_equal(frames.count, FUNCTIONS);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u(int)", i);
		const struct symbol *symbol = symbols_select(symbols, name, &err);
		assert_non_null(symbol);
		const struct frame_range *range = frames_find(&frames, symbol->address);
		assert_non_null(range);
		assert_int_equal(range->start, symbol->address);
		assert_int_equal(range->end, symbol->address + symbol->bytes);
		assert_ptr_equal(frames_find(&frames, range->end - 1), range);
	}
	assert_null(frames_find(&frames, frames.items[0].start - 1));
	assert_null(frames_find(&frames, frames.items[FUNCTIONS - 1].end));
	frames_release(&frames);
	symbols_free(symbols);
	free(bytes);
	free(bare);
}

/* Every byte of the file wrong, one at a time: whatever is read keeps its order. */
TEST_WITH(test_wrong_bytes_are_survived, toolchain_setup, toolchain_teardown)
{
	struct toolchain *toolchain = *test_state;
	struct frames frames;
	size_t size;

	if (!toolchain)
		skip();
	build(toolchain);
	uint8_t *bytes = toolchain_load(toolchain, "bare.so", &size);
	for (size_t i = 16; i < size; i++) {
		bytes[i] ^= 0xff;
		frames_read(&frames, bytes, size, "bare.so");
		for (size_t k = 0; k < frames.count; k++) {
			assert_true(frames.items[k].start < frames.items[k].end);
			assert_true(!k || frames.items[k - 1].start < frames.items[k].start);
		}
		frames_release(&frames);
		bytes[i] ^= 0xff;
	}
	frames_read(&frames, bytes, size / 2, "bare.so");
	frames_release(&frames);
	frames_read(&frames, (const uint8_t *)"no ELF", 6, "text");
	assert_int_equal(frames.count, 0);
	assert_null(frames_find(&frames, 0));
	free(bytes);
}
