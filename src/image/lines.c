#include "image/lines.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "image/elf_file.h"
#include "image/source_file.h"

#define FILE_UNSEEN UINT32_MAX

struct file_name {
	const char *text; /* owned by the table of lines; its directory follows its end */
	uint32_t index;
};

struct lines {
	struct line_range *ranges;
	size_t count;
	char **files;
	size_t file_count;
	size_t file_capacity;
};

struct builder {
	struct lines *lines;
	struct elf_file file;
	struct err *err;
	struct line_range *ranges;
	size_t range_count;
	size_t range_capacity;
	/* A tree, because names in a hostile file could be chosen to make a hash table slow. */
	void *names;
};

/* One table of .debug_line. */
struct unit {
	Dwarf_Files *files;
	Dwarf_Lines *lines;
	size_t file_count, line_count;
	uint32_t *seen_as; /* the files' numbers in our table, or FILE_UNSEEN */
};

static int compare_names(const void *left, const void *right)
{
	const struct file_name *a = left, *b = right;
	int order = strcmp(a->text, b->text);

	return order ? order
		     : strcmp(source_file_directory(a->text), source_file_directory(b->text));
}

/* The number in the table of file `index` of the unit; a new file is entered. FILE_UNSEEN if it has
 * no name. */
static uint32_t intern_file(struct builder *builder, struct unit *unit, size_t index)
{
	struct lines *lines = builder->lines;
	char *text = source_file_text(unit->files, index);

	if (!text)
		return FILE_UNSEEN;
	struct file_name *name = mem_alloc(sizeof(*name));
	*name = (struct file_name){text, (uint32_t)lines->file_count};
	struct file_name **found = tsearch(name, &builder->names, compare_names);
	if (!found)
		BUG("out of memory: a file name");
	if (*found != name) {
		free(name);
		free(text);
	} else {
		*ARRAY_PUSH(lines->files, lines->file_count, lines->file_capacity) = text;
	}
	return (*found)->index;
}

static uint32_t file_of(struct builder *builder, struct unit *unit, Dwarf_Line *line)
{
	Dwarf_Files *files;
	size_t index;

	if (dwarf_line_file(line, &files, &index) != 0)
		return FILE_UNSEEN;
	BUG_ON(index >= unit->file_count);
	if (unit->seen_as[index] == FILE_UNSEEN)
		unit->seen_as[index] = intern_file(builder, unit, index);
	return unit->seen_as[index];
}

static bool continues(const struct line_range *before, const struct line_range *range)
{
	return before->end == range->start && before->file == range->file &&
	       before->line == range->line && before->column == range->column;
}

/* Adds the range from one row to the address of the next, if it is code with a source. */
static bool add_range(struct builder *builder, struct unit *unit, Dwarf_Line *line, uint64_t start,
		      uint64_t end)
{
	const struct elf_code *code = elf_file_code_at(&builder->file, start);
	int number = 0, column = 0;
	uint32_t file;

	dwarf_lineno(line, &number);
	dwarf_linecol(line, &column);
	if (!code || number <= 0 || (file = file_of(builder, unit, line)) == FILE_UNSEEN)
		return true;
	if (builder->range_count >= LINES_LIMIT)
		return err_set(builder->err,
			       "%s: line information for more than %u ranges of addresses; go on "
			       "without line numbers",
			       builder->file.name, LINES_LIMIT);
	*ARRAY_PUSH(builder->ranges, builder->range_count, builder->range_capacity) =
		(struct line_range){
			.start = start,
			.end = end < code->end ? end : code->end,
			.file = file,
			.line = (uint32_t)number,
			.column = column > 0 ? (uint32_t)column : 0,
		};
	return true;
}

/* A row without a later neighbour covers nothing, so of several rows at one address the last
 * counts. */
static bool add_rows(struct builder *builder, struct unit *unit)
{
	bool ok = true;

	for (size_t i = 0; ok && i + 1 < unit->line_count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(unit->lines, i);
		Dwarf_Addr start = 0, end = 0;
		bool ends = true;

		dwarf_lineendsequence(line, &ends);
		dwarf_lineaddr(line, &start);
		dwarf_lineaddr(dwarf_onesrcline(unit->lines, i + 1), &end);
		if (!ends && end > start)
			ok = add_range(builder, unit, line, start, end);
	}
	return ok;
}

static bool read_units(struct builder *builder)
{
	Dwarf_Off offset = 0, next;
	Dwarf_CU *cu = NULL;
	bool ok = true;
	int more;

	do {
		struct unit unit = {0};

		more = dwarf_next_lines(builder->file.dwarf, offset, &next, &cu, &unit.files,
					&unit.file_count, &unit.lines, &unit.line_count);
		if (more < 0)
			return err_set(
				builder->err,
				"%s: the line table at offset 0x%llx of .debug_line is broken: "
				"%s; build the program again, or go on without line numbers",
				builder->file.name, (unsigned long long)offset, dwarf_errmsg(-1));
		if (more == 0) {
			unit.seen_as = mem_alloc_array(unit.file_count, sizeof(*unit.seen_as));
			memset(unit.seen_as, 0xff, unit.file_count * sizeof(*unit.seen_as));
			ok = add_rows(builder, &unit);
			free(unit.seen_as);
		}
		offset = next;
	} while (ok && more == 0);
	return ok;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct line_range *const *a = left, *const *b = right;

	if ((*a)->start != (*b)->start)
		return (*a)->start < (*b)->start ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

/* Joins the ranges in ascending order and cuts off what is already covered. */
static void merge_ranges(struct builder *builder)
{
	struct lines *lines = builder->lines;
	size_t count = builder->range_count;
	const struct line_range **order = mem_alloc_array(count, sizeof(struct line_range *));
	uint64_t covered = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = &builder->ranges[i];
	if (count)
		qsort(order, count, sizeof(struct line_range *), compare_ranges);
	lines->ranges = mem_alloc_array(count, sizeof(*lines->ranges));
	for (size_t i = 0; i < count; i++) {
		struct line_range range = *order[i];

		if (range.end <= covered)
			continue;
		if (range.start < covered)
			range.start = covered;
		if (lines->count && continues(&lines->ranges[lines->count - 1], &range))
			lines->ranges[lines->count - 1].end = range.end;
		else
			lines->ranges[lines->count++] = range;
		covered = range.end;
	}
	free(order);
}

static bool has_lines(Dwarf *dwarf)
{
	Dwarf_Off next;
	Dwarf_CU *cu = NULL;

	return dwarf &&
	       dwarf_next_lines(dwarf, (Dwarf_Off)-1, &next, &cu, NULL, NULL, NULL, NULL) == 1;
}

struct lines *lines_read(const uint8_t *bytes, size_t size, const char *name, struct err *err)
{
	struct builder builder = {.err = err};

	if (!elf_file_open_dwarf(&builder.file, bytes, size, name, err))
		return NULL;
	builder.lines = mem_alloc(sizeof(*builder.lines));
	if (has_lines(builder.file.dwarf) && !read_units(&builder)) {
		lines_free(builder.lines);
		builder.lines = NULL;
	}
	if (builder.lines)
		merge_ranges(&builder);
	tdestroy(builder.names, free);
	free(builder.ranges);
	elf_file_close(&builder.file);
	return builder.lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->file_count; i++)
		free(lines->files[i]);
	free(lines->files);
	free(lines->ranges);
	free(lines);
}

bool lines_find(const struct lines *lines, uint64_t address, struct source_line *out)
{
	size_t low = 0, high = lines->count;

	/* The first range that ends above the address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == lines->count || lines->ranges[low].start > address)
		return false;
	*out = (struct source_line){
		.file = lines->files[lines->ranges[low].file],
		.directory = source_file_directory(lines->files[lines->ranges[low].file]),
		.line = lines->ranges[low].line,
		.column = lines->ranges[low].column,
	};
	return true;
}

size_t lines_count(const struct lines *lines)
{
	return lines->count;
}

const struct line_range *lines_at(const struct lines *lines, size_t index)
{
	BUG_ON(index >= lines->count);
	return &lines->ranges[index];
}

size_t lines_file_count(const struct lines *lines)
{
	return lines->file_count;
}

const char *lines_file(const struct lines *lines, size_t index)
{
	BUG_ON(index >= lines->file_count);
	return lines->files[index];
}
