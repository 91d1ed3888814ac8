#include "image/symbols.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "image/elf_sections.h"
#include "base/printable.h"
#include "image/reader.h"

/* The limit on all names together. Names may share bytes in the file, so a small file could
 * need much more memory than its size. */
#define NAMES_LIMIT (UINT32_C(1) << 28)

enum binding { GLOBAL, WEAK, LOCAL };

/* A symbol before the tables are built. In these enums the preferred kinds come first. */
struct candidate {
	uint64_t address;
	uint64_t bytes;	      /* 0: not known yet */
	uint64_t section_end; /* greater than address */
	size_t name;	      /* offset in the pool */
	enum binding binding;
	bool typed; /* the symbol's type is function */
};

struct names {
	char *bytes;
	size_t used;
	size_t capacity;
};

/* Addresses from here to the next piece's start belong to one symbol. */
struct piece {
	uint64_t start;
	size_t symbol; /* NO_SYMBOL: to none */
};

#define NO_SYMBOL SIZE_MAX

struct symbols {
	struct names names;
	struct symbol *all; /* ascending by address; aliases follow the listed symbol */
	size_t all_count;
	size_t *by_name;       /* indices into all, ascending; of equal names the best first */
	struct symbol *listed; /* one per address */
	size_t listed_count;
	struct piece *pieces; /* ascending; the last belongs to no symbol */
	size_t piece_count;
};

struct symbol_table {
	const uint8_t *entries;
	size_t count;
	const uint8_t *strings;
	size_t strings_bytes;
};

/* True with count 0 if the file has no symbols. */
static bool open_table(struct symbol_table *table, const struct elf_sections *sections,
		       struct err *err)
{
	const struct elf_section *section = elf_sections_typed(sections, SHT_SYMTAB);
	const char *what = section ? ".symtab" : ".dynsym";
	const char *strings = section ? ".strtab" : ".dynstr";
	size_t bytes;

	*table = (struct symbol_table){0};
	if (!section)
		section = elf_sections_typed(sections, SHT_DYNSYM);
	if (!section)
		return true;
	if (section->entry_bytes != sizeof(Elf64_Sym))
		return err_set(
			err,
			"%s: symbols in %s have %" PRIu64
			" bytes each, where ELF says %zu; the file is damaged, build it again",
			sections->file_name, what, section->entry_bytes, sizeof(Elf64_Sym));
	if (section->link >= sections->count || sections->items[section->link].type != SHT_STRTAB)
		return err_set(err,
			       "%s: %s takes its names from section %u, which is no string table; "
			       "the file is damaged, build it again",
			       sections->file_name, what, section->link);
	if (!elf_sections_data(sections, section, what, &table->entries, &bytes, err) ||
	    !elf_sections_data(sections, &sections->items[section->link], strings, &table->strings,
			       &table->strings_bytes, err))
		return false;
	table->count = bytes / sizeof(Elf64_Sym);
	return true;
}

static bool is_marker(const uint8_t *name, size_t length)
{
	return name[0] == '$' || (length >= 2 && name[0] == '.' && name[1] == 'L');
}

/* Fills everything but the name; false if the symbol is not a function to be listed. */
static bool read_candidate(struct candidate *candidate, const uint8_t *entry,
			   const struct elf_sections *sections, uint32_t *name)
{
	struct reader reader = reader_of(entry, sizeof(Elf64_Sym));

	*name = reader_u32(&reader);
	uint8_t info = reader_u8(&reader);
	reader_u8(&reader); /* st_other */
	uint16_t index = reader_u16(&reader);
	candidate->address = reader_u64(&reader);
	candidate->bytes = reader_u64(&reader);

	unsigned type = ELF64_ST_TYPE(info);
	unsigned bind = ELF64_ST_BIND(info);
	candidate->typed = type == STT_FUNC || type == STT_GNU_IFUNC;
	if (!candidate->typed && !(type == STT_NOTYPE && bind != STB_LOCAL))
		return false;
	candidate->binding = bind == STB_LOCAL ? LOCAL : bind == STB_WEAK ? WEAK : GLOBAL;
	if (index == SHN_UNDEF || index >= SHN_LORESERVE || index >= sections->count)
		return false;

	const struct elf_section *section = &sections->items[index];
	if (!elf_section_is_code(section) || candidate->address < section->address ||
	    candidate->address - section->address >= section->bytes)
		return false;
	candidate->section_end = section->address + section->bytes;
	if (candidate->bytes > candidate->section_end - candidate->address)
		candidate->bytes = candidate->section_end - candidate->address;
	return true;
}

static size_t add_name(struct names *names, const uint8_t *text, size_t length)
{
	size_t need = names->used + SYMBOL_NAME_BYTES + 1;
	size_t start = names->used;

	if (need > names->capacity) {
		names->capacity = 2 * need;
		names->bytes = mem_realloc(names->bytes, names->capacity, 1);
	}
	names->used += printable_copy(names->bytes + start, SYMBOL_NAME_BYTES, text, length) + 1;
	return start;
}

static bool read_candidates(struct candidate **candidates, size_t *count, struct names *names,
			    const struct symbol_table *table, const struct elf_sections *sections,
			    struct err *err)
{
	size_t capacity = 0;

	for (size_t i = 0; i < table->count; i++) {
		struct candidate candidate;
		uint32_t name;

		if (!read_candidate(&candidate, table->entries + i * sizeof(Elf64_Sym), sections,
				    &name) ||
		    name >= table->strings_bytes)
			continue;
		const uint8_t *text = table->strings + name;
		size_t left = table->strings_bytes - name;
		/* The buffer is longer than what is kept, so that a character at the cut is
		 * complete. */
		size_t most = SYMBOL_NAME_BYTES + 3;
		size_t length = strnlen((const char *)text, left < most ? left : most);
		if (!length || is_marker(text, length))
			continue;
		if (names->used >= NAMES_LIMIT)
			return err_set(err,
				       "%s: the names of its functions need more than %u bytes; "
				       "strip the program's symbols or part of them",
				       sections->file_name, NAMES_LIMIT);
		candidate.name = add_name(names, text, length);
		*ARRAY_PUSH(*candidates, *count, capacity) = candidate;
	}
	return true;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Orders symbols by address; of those at one address the most telling name comes first. */
static int compare_candidates(const void *left, const void *right, void *context)
{
	const struct candidate *a = left, *b = right;
	const struct names *names = context;
	const char *a_name = names->bytes + a->name;
	const char *b_name = names->bytes + b->name;
	int order = compare_numbers(a->address, b->address);

	if (!order)
		order = compare_numbers(a->binding, b->binding);
	if (!order)
		order = compare_numbers(b->typed, a->typed);
	if (!order)
		order = compare_numbers(b->bytes, a->bytes);
	if (!order)
		order = compare_numbers(strspn(a_name, "_"), strspn(b_name, "_"));
	return order ? order : strcmp(a_name, b_name);
}

/* Gives every symbol of one address, first .. end-1, a size. */
static void settle_sizes(struct candidate *candidates, size_t first, size_t end, size_t count)
{
	uint64_t address = candidates[first].address;
	uint64_t known = 0;

	for (size_t i = first; i < end; i++) {
		if (candidates[i].bytes > known)
			known = candidates[i].bytes;
	}
	for (size_t i = first; i < end; i++) {
		uint64_t limit = candidates[i].section_end;

		if (candidates[i].bytes)
			continue;
		if (end < count && candidates[end].address < limit)
			limit = candidates[end].address;
		candidates[i].bytes = known ? known : limit - address;
	}
}

static void add_piece(struct symbols *symbols, uint64_t start, size_t symbol)
{
	size_t count = symbols->piece_count;

	if (count && symbols->pieces[count - 1].start == start)
		symbols->pieces[count - 1].symbol = symbol;
	else if (!count || symbols->pieces[count - 1].symbol != symbol)
		symbols->pieces[symbols->piece_count++] = (struct piece){start, symbol};
}

static uint64_t end_of(const struct symbols *symbols, size_t index)
{
	return symbols->listed[index].address + symbols->listed[index].bytes;
}

/* Sweeps over the addresses with the functions begun so far on a stack, the
 * latest on top; each is pushed and popped once. */
static void build_pieces(struct symbols *symbols)
{
	size_t count = symbols->listed_count;
	size_t *open = mem_alloc_array(count, sizeof(*open));
	size_t open_count = 0;

	symbols->pieces = mem_alloc_array(2 * count + 1, sizeof(*symbols->pieces));
	for (size_t i = 0; i <= count; i++) {
		uint64_t next = i < count ? symbols->listed[i].address : UINT64_MAX;

		while (open_count) {
			uint64_t end = end_of(symbols, open[open_count - 1]);

			if (end > next)
				break;
			/* Functions that ended while another one covered them are removed. */
			while (open_count && end_of(symbols, open[open_count - 1]) <= end)
				open_count--;
			add_piece(symbols, end, open_count ? open[open_count - 1] : NO_SYMBOL);
		}
		if (i < count) {
			add_piece(symbols, next, i);
			open[open_count++] = i;
		}
	}
	free(open);
}

struct name_order {
	const struct candidate *candidates;
	const char *names;
};

static int compare_names(const void *left, const void *right, void *context)
{
	const struct name_order *order_by = context;
	const struct candidate *a = &order_by->candidates[*(const size_t *)left];
	const struct candidate *b = &order_by->candidates[*(const size_t *)right];
	int order = strcmp(order_by->names + a->name, order_by->names + b->name);

	if (!order)
		order = compare_numbers(a->binding, b->binding);
	return order ? order : compare_numbers(a->address, b->address);
}

static void build_tables(struct symbols *symbols, struct candidate *candidates, size_t count)
{
	struct name_order order = {candidates, symbols->names.bytes};

	if (!count)
		return;
	qsort_r(candidates, count, sizeof(*candidates), compare_candidates, &symbols->names);
	symbols->all = mem_alloc_array(count, sizeof(*symbols->all));
	symbols->listed = mem_alloc_array(count, sizeof(*symbols->listed));
	symbols->by_name = mem_alloc_array(count, sizeof(*symbols->by_name));
	symbols->all_count = count;
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first; end < count; end++) {
			if (candidates[end].address != candidates[first].address)
				break;
		}
		settle_sizes(candidates, first, end, count);
		for (size_t i = first; i < end; i++) {
			symbols->all[i] = (struct symbol){
				.name = symbols->names.bytes + candidates[i].name,
				.address = candidates[i].address,
				.bytes = candidates[i].bytes,
			};
			symbols->by_name[i] = i;
		}
		symbols->listed[symbols->listed_count++] = symbols->all[first];
	}
	qsort_r(symbols->by_name, count, sizeof(*symbols->by_name), compare_names, &order);
	build_pieces(symbols);
}

struct symbols *symbols_read(const uint8_t *bytes, size_t size, const char *name, struct err *err)
{
	struct elf_sections sections;
	struct symbol_table table;
	struct candidate *candidates = NULL;
	size_t count = 0;

	if (!elf_sections_read(&sections, bytes, size, name, err))
		return NULL;
	struct symbols *symbols = mem_alloc(sizeof(*symbols));
	if (open_table(&table, &sections, err) &&
	    read_candidates(&candidates, &count, &symbols->names, &table, &sections, err)) {
		build_tables(symbols, candidates, count);
	} else {
		symbols_free(symbols);
		symbols = NULL;
	}
	free(candidates);
	elf_sections_release(&sections);
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->names.bytes);
	free(symbols->all);
	free(symbols->by_name);
	free(symbols->listed);
	free(symbols->pieces);
	free(symbols);
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->piece_count;

	/* The last piece that begins at or below the address is at low - 1. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->pieces[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || symbols->pieces[low - 1].symbol == NO_SYMBOL)
		return NULL;
	return &symbols->listed[symbols->pieces[low - 1].symbol];
}

const struct symbol *symbols_by_name(const struct symbols *symbols, const char *name)
{
	size_t low = 0, high = symbols->all_count;

	/* The first of that name, which is the best. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(symbols->all[symbols->by_name[middle]].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == symbols->all_count)
		return NULL;
	const struct symbol *found = &symbols->all[symbols->by_name[low]];
	return strcmp(found->name, name) ? NULL : found;
}

size_t symbols_count(const struct symbols *symbols)
{
	return symbols->listed_count;
}

const struct symbol *symbols_at(const struct symbols *symbols, size_t index)
{
	BUG_ON(index >= symbols->listed_count);
	return &symbols->listed[index];
}
