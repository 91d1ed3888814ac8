/*
 * Symbols of any bytes: reading them fails with a sentence or yields a table
 * that keeps what symbols.h promises; so do unwinding records and frames.h.
 */
#include <string.h>

#include "image/frames.h"
#include "image/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Slow and obvious: the last to begin of those that contain the address. */
static const struct symbol *find_slowly(const struct symbols *symbols, uint64_t address)
{
	for (size_t i = symbols_count(symbols); i--;) {
		const struct symbol *symbol = symbols_at(symbols, i);

		if (symbol->address <= address && address - symbol->address < symbol->bytes)
			return symbol;
	}
	return NULL;
}

static void check_around(const struct symbols *symbols, uint64_t address)
{
	for (uint64_t at = address - 1; at != address + 2; at++)
		BUG_ON(symbols_find(symbols, at) != find_slowly(symbols, at));
}

static void check_symbol(const struct symbols *symbols, size_t index)
{
	const struct symbol *symbol = symbols_at(symbols, index);
	const struct symbol *named = symbols_by_name(symbols, symbol->name);
	size_t length = strlen(symbol->name);

	BUG_ON(!symbol->bytes || symbol->bytes > UINT64_MAX - symbol->address);
	BUG_ON(index && symbol->address <= symbols_at(symbols, index - 1)->address);
	BUG_ON(!length || length > SYMBOL_NAME_BYTES);
	for (size_t i = 0; i < length; i++)
		BUG_ON((uint8_t)symbol->name[i] < ' ' || symbol->name[i] == 0x7f);
	BUG_ON(!named || strcmp(named->name, symbol->name));
	BUG_ON(!symbols_shown(symbols, symbol)[0]);
	/* The twin is quadratic: enough of it, but not for every symbol of a large
	 * table. */
	if (index < 64) {
		check_around(symbols, symbol->address);
		check_around(symbols, symbol->address + symbol->bytes);
	}
}

static void check_frames(const uint8_t *bytes, size_t size)
{
	struct frames frames;

	frames_read(&frames, bytes, size, "input");
	for (size_t i = 0; i < frames.count; i++) {
		BUG_ON(frames.items[i].start >= frames.items[i].end);
		BUG_ON(i && frames.items[i].start <= frames.items[i - 1].start);
		BUG_ON(frames_find(&frames, frames.items[i].start) != &frames.items[i]);
	}
	frames_release(&frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	check_frames(bytes, size);
	for (enum symbols_kind kind = SYMBOLS_FUNCTIONS; kind <= SYMBOLS_TLS; kind++) {
		struct err err = {0};
		struct symbols *symbols = symbols_read_kind(kind, bytes, size, "input", &err);

		if (!symbols)
			BUG_ON(strncmp(err.text, "input: ", 7));
		for (size_t i = 0; symbols && i < symbols_count(symbols); i++)
			check_symbol(symbols, i);
		symbols_free(symbols);
	}
	return 0;
}
