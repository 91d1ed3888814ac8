#include "image/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "image/elf_file.h"
#include "image/names.h"
#include "image/spans.h"

/* The limit on all names together. Names may share bytes in the file, so a small file could
 * need much more memory than its size. */
#define NAMES_LIMIT (UINT32_C(1) << 28)

/* More is not the offset of a variable in a thread. */
#define TLS_MOST (UINT64_C(1) << 32)

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

struct symbols {
	struct names names;
	struct symbol *all; /* ascending by address; aliases follow the listed symbol */
	size_t all_count;
	char **shown;	 /* of each of `all`, once it was asked for; NULL: not yet */
	bool is_raw;	 /* names are shown as they are in the file */
	size_t *by_name; /* indices into all, ascending; of equal names the best first */
	const struct symbol **listed; /* one per address */
	size_t listed_count;
	struct spans spans; /* of the listed */
};

struct symbol_table {
	enum symbols_kind kind;
	struct elf_file file;
	Elf_Data *entries; /* NULL: none */
	size_t count;
	size_t strings; /* the number of the section with the names */
};

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	struct elf_section at = {0};

	while (elf_section_next(&at, elf) && at.header.sh_type != type)
		;
	*header = at.header;
	return at.section;
}

/* True with count 0 if the file has no symbols. */
static bool open_table(struct symbol_table *table, struct err *err)
{
	GElf_Shdr header;
	Elf_Scn *section = find_table(table->file.elf, SHT_SYMTAB, &header);

	if (!section)
		section = find_table(table->file.elf, SHT_DYNSYM, &header);
	if (!section)
		return true;
	table->entries = elf_getdata(section, NULL);
	if (!table->entries)
		return err_set(err, "%s: its table of symbols cannot be read: %s; build it again",
			       table->file.name, elf_errmsg(-1));
	table->count = table->entries->d_size / sizeof(Elf64_Sym);
	table->strings = header.sh_link;
	return true;
}

static bool is_marker(const char *name)
{
	return name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

static bool has_kind(enum symbols_kind kind, unsigned type, unsigned bind)
{
	switch (kind) {
	case SYMBOLS_FUNCTIONS:
		return type == STT_FUNC || type == STT_GNU_IFUNC ||
		       (type == STT_NOTYPE && bind != STB_LOCAL);
	case SYMBOLS_OBJECTS: return type == STT_OBJECT || type == STT_COMMON;
	default: return type == STT_TLS;
	}
}

/* Where the symbol's section begins and ends, as its value counts; false if it is not of the
 * kind. */
static bool find_bounds(enum symbols_kind kind, const GElf_Sym *symbol, const GElf_Shdr *section,
			uint64_t *start, uint64_t *end)
{
	const bool is_tls = section->sh_flags & SHF_TLS;

	*start = section->sh_addr;
	*end = section->sh_addr + section->sh_size;
	if (kind == SYMBOLS_FUNCTIONS)
		return elf_file_is_code(section);
	if (!(section->sh_flags & SHF_ALLOC) || is_tls != (kind == SYMBOLS_TLS) || *end < *start)
		return false;
	if (!is_tls)
		return true;
	/* The value of such a symbol is an offset in what each thread has of its own. */
	*start = 0;
	*end = symbol->st_value + symbol->st_size;
	return symbol->st_size && symbol->st_value < TLS_MOST && symbol->st_size < TLS_MOST;
}

/* Fills everything but the name; false if the symbol is not to be listed. */
static bool read_candidate(struct candidate *candidate, const GElf_Sym *symbol,
			   enum symbols_kind kind, Elf *elf)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);
	GElf_Shdr section;
	uint64_t start, end;

	*candidate = (struct candidate){
		.address = symbol->st_value,
		.bytes = symbol->st_size,
		.binding = bind == STB_LOCAL  ? LOCAL
			   : bind == STB_WEAK ? WEAK
					      : GLOBAL,
		.typed = type == STT_FUNC || type == STT_GNU_IFUNC,
	};
	if (!has_kind(kind, type, bind))
		return false;
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE ||
	    !gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &section))
		return false;
	if (!find_bounds(kind, symbol, &section, &start, &end) || candidate->address < start ||
	    candidate->address >= end)
		return false;
	candidate->section_end = end;
	if (candidate->bytes > candidate->section_end - candidate->address)
		candidate->bytes = candidate->section_end - candidate->address;
	return true;
}

static size_t add_name(struct names *names, const char *text)
{
	/* One character more than what is kept, so that a character at the cut is complete. */
	size_t length = strnlen(text, SYMBOL_NAME_BYTES + 3);
	size_t need = names->used + SYMBOL_NAME_BYTES + 1;
	size_t start = names->used;

	if (need > names->capacity) {
		names->capacity = 2 * need;
		names->bytes = mem_realloc(names->bytes, names->capacity, 1);
	}
	names->used += printable_copy(names->bytes + start, SYMBOL_NAME_BYTES,
				      (const uint8_t *)text, length) +
		       1;
	return start;
}

static bool read_candidates(struct candidate **candidates, size_t *count, struct names *names,
			    const struct symbol_table *table, struct err *err)
{
	Elf *elf = table->file.elf;
	size_t capacity = 0;

	for (size_t i = 0; i < table->count; i++) {
		struct candidate candidate;
		GElf_Sym symbol;

		if (!gelf_getsym(table->entries, (int)i, &symbol) ||
		    !read_candidate(&candidate, &symbol, table->kind, elf))
			continue;
		const char *name = elf_strptr(elf, table->strings, symbol.st_name);
		if (!name || !name[0] || is_marker(name))
			continue;
		if (names->used >= NAMES_LIMIT)
			return err_set(err,
				       "%s: the names of its functions need more than %u bytes; "
				       "strip the program's symbols or part of them",
				       table->file.name, NAMES_LIMIT);
		candidate.name = add_name(names, name);
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
	struct span *spans;

	if (!count)
		return;
	qsort_r(candidates, count, sizeof(*candidates), compare_candidates, &symbols->names);
	symbols->all = mem_alloc_array(count, sizeof(*symbols->all));
	symbols->shown = mem_alloc_array(count, sizeof(*symbols->shown));
	symbols->listed = mem_alloc_array(count, sizeof(*symbols->listed));
	symbols->by_name = mem_alloc_array(count, sizeof(*symbols->by_name));
	spans = mem_alloc_array(count, sizeof(*spans));
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
		spans[symbols->listed_count] =
			(struct span){candidates[first].address,
				      candidates[first].address + candidates[first].bytes};
		symbols->listed[symbols->listed_count++] = &symbols->all[first];
	}
	qsort_r(symbols->by_name, count, sizeof(*symbols->by_name), compare_names, &order);
	spans_init(&symbols->spans, spans, symbols->listed_count);
	free(spans);
}

struct symbols *symbols_read(const uint8_t *bytes, size_t size, const char *name, struct err *err)
{
	return symbols_read_kind(SYMBOLS_FUNCTIONS, bytes, size, name, err);
}

struct symbols *symbols_read_kind(enum symbols_kind kind, const uint8_t *bytes, size_t size,
				  const char *name, struct err *err)
{
	struct symbol_table table = {.kind = kind};
	struct candidate *candidates = NULL;
	size_t count = 0;

	if (!elf_file_open(&table.file, bytes, size, name, err))
		return NULL;
	struct symbols *symbols = mem_alloc(sizeof(*symbols));
	if (open_table(&table, err) &&
	    read_candidates(&candidates, &count, &symbols->names, &table, err)) {
		build_tables(symbols, candidates, count);
	} else {
		symbols_free(symbols);
		symbols = NULL;
	}
	free(candidates);
	elf_file_close(&table.file);
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->all_count; i++)
		free(symbols->shown[i]);
	free(symbols->shown);
	free(symbols->names.bytes);
	free(symbols->all);
	free(symbols->by_name);
	free(symbols->listed);
	spans_release(&symbols->spans);
	free(symbols);
}

void symbols_show_raw(struct symbols *symbols)
{
	symbols->is_raw = true;
}

/* Most names of a program are never shown, and demangling takes longer than reading them. */
const char *symbols_shown(const struct symbols *symbols, const struct symbol *symbol)
{
	char **shown = &symbols->shown[symbol - symbols->all];

	if (symbols->is_raw)
		return symbol->name;
	if (!*shown)
		*shown = name_demangle(symbol->name);
	if (!*shown)
		*shown = mem_strdup(symbol->name);
	return *shown;
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
	size_t found = spans_find(&symbols->spans, address);

	return found == SPANS_NONE ? NULL : symbols->listed[found];
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

/* The best of the functions that are named in a way, if they have one name. A sentence lists the
 * names if there are several. */
static const struct symbol *select_one(const struct symbols *symbols, const char *wanted,
				       enum name_way way, struct err *err)
{
	const struct symbol *found = NULL;
	char names[ERR_TEXT_BYTES / 2] = "";
	size_t others = 0;

	for (size_t i = 0; i < symbols->all_count; i++) {
		const struct symbol *symbol = &symbols->all[i];
		size_t used = strlen(names);

		if (!name_fits(symbol->name, wanted, way) ||
		    (found &&
		     strcmp(symbols_shown(symbols, found), symbols_shown(symbols, symbol)) == 0))
			continue;
		/* An alias of the function is no second one. */
		others += found && found->address != symbol->address;
		snprintf(names + used, sizeof(names) - used, "%s%s", used ? "; " : "",
			 symbols_shown(symbols, symbol));
		if (!found)
			found = symbol;
	}
	if (!others)
		return found;
	err_set(err, "%s means several functions: %s%s", wanted, names,
		strlen(names) == sizeof(names) - 1 ? "..." : "");
	return NULL;
}

/* NULL if none is meant, with a sentence if several are. */
static const struct symbol *select_meant(const struct symbols *symbols, const char *wanted,
					 struct err *several)
{
	const struct symbol *found = symbols_by_name(symbols, wanted);
	enum name_way ways = name_is_pattern(wanted) ? NAME_WAYS : NAME_PATTERN;

	*several = (struct err){.text = ""};
	for (enum name_way way = NAME_SPELLING; !found && !several->text[0] && way < ways; way++)
		found = select_one(symbols, wanted, way, several);
	return found;
}

const struct symbol *symbols_select(const struct symbols *symbols, const char *wanted,
				    struct err *err)
{
	struct err several;
	const struct symbol *found = select_meant(symbols, wanted, &several);

	if (several.text[0] && err)
		*err = several;
	else if (!found)
		err_set(err, "%s: the program has no function of that name", wanted);
	return found;
}

bool symbols_know(const struct symbols *symbols, const char *wanted)
{
	struct err several;

	return select_meant(symbols, wanted, &several) || several.text[0];
}

size_t symbols_count(const struct symbols *symbols)
{
	return symbols->listed_count;
}

const struct symbol *symbols_at(const struct symbols *symbols, size_t index)
{
	BUG_ON(index >= symbols->listed_count);
	return symbols->listed[index];
}
