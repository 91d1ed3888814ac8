/*
 * symbols.h - the function that an address belongs to.
 *
 * Reads the functions of an ELF file's .symtab, or of .dynsym when it has been
 * stripped: STT_FUNC and STT_GNU_IFUNC, and global STT_NOTYPE names in
 * executable sections, which is how assembly without .type looks. Everything
 * in the file is hostile until checked. What holds afterwards:
 *   - symbols_at(0 .. count-1) ascend by address, one symbol per address: the
 *     global name rather than the weak rather than the local one;
 *   - each lies within its executable section and has bytes > 0 (a size of 0 in
 *     the file means: up to the next function or the end of the section);
 *   - names are not empty, at most SYMBOL_NAME_BYTES long and printable: control
 *     characters and bytes that are not UTF-8 have become '?'.
 *
 * Addresses are those of the file: the caller subtracts the load bias. A symbol's name is that of
 * the file; symbols_shown() has the one for people (names.h). Versions of dynamic symbols are not
 * read, and symbols of sections numbered beyond 65279 are not seen.
 */
#ifndef IMAGE_SYMBOLS_H
#define IMAGE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SYMBOL_NAME_BYTES 4096

struct symbol {
	const char *name; /* owned by the table */
	uint64_t address;
	uint64_t bytes;
};

struct symbols;

/* A table to be freed with symbols_free(); an empty one when the file has no
 * symbols. NULL with a sentence when the file is not a linked 64-bit
 * little-endian ELF or its tables are broken. `bytes` is not kept. */
struct symbols *symbols_read(const uint8_t *bytes, size_t size, const char *name, struct err *err);

/* The same of other symbols: variables (STT_OBJECT) in sections that are loaded; variables of
 * threads (STT_TLS), whose address is their offset in what each thread has. All else that is said
 * here of functions holds of them. */
enum symbols_kind { SYMBOLS_FUNCTIONS, SYMBOLS_OBJECTS, SYMBOLS_TLS };
struct symbols *symbols_read_kind(enum symbols_kind kind, const uint8_t *bytes, size_t size,
				  const char *name, struct err *err);

/* NULL is accepted. */
void symbols_free(struct symbols *symbols);

/* The function that contains the address, or NULL. Where functions nest or
 * overlap, the one that begins last. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

/* The function of that name, or NULL. Finds aliases too, for which the result is not one of
 * symbols_at(): compare addresses, not pointers. Of several with the same name: global before
 * weak before local, then the lowest address. */
const struct symbol *symbols_by_name(const struct symbols *symbols, const char *name);

/* The name to show, owned by the table: demangled, unless symbols_show_raw() was called. */
const char *symbols_shown(const struct symbols *symbols, const struct symbol *symbol);
void symbols_show_raw(struct symbols *symbols);

/* The function that a person means: that of symbols_by_name() or the one that `wanted` names in
 * another way (names.h). NULL with a sentence that begins with `wanted` if there is none, and that
 * lists them if there are several. */
const struct symbol *symbols_select(const struct symbols *symbols, const char *wanted,
				    struct err *err);

/* Whether it names a function in that way, or several. */
bool symbols_know(const struct symbols *symbols, const char *wanted);

size_t symbols_count(const struct symbols *symbols);
const struct symbol *symbols_at(const struct symbols *symbols, size_t index);

#endif
