#include "image/lines.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "image/elf_sections.h"
#include "image/lines_program.h"
#include "base/printable.h"
#include "image/reader.h"

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

struct code {
	uint64_t start;
	uint64_t end;
};

/* A run of ranges with ascending addresses from one program. */
struct sequence {
	uint64_t start;
	uint64_t end;
	size_t first; /* the index of the first range */
	size_t count;
	size_t order; /* the position in the section */
};

struct builder {
	struct lines *lines;
	const char *file_name;
	struct err *err;
	struct code *code; /* ascending by start */
	size_t code_count;
	struct line_range *ranges;
	size_t range_count;
	size_t range_capacity;
	struct sequence *sequences;
	size_t sequence_count;
	size_t sequence_capacity;
	/* A tree, because names in a hostile file could be chosen to make a hash table slow. */
	void *names;
	size_t names_bytes;
};

static int compare_code(const void *left, const void *right)
{
	const struct code *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static void collect_code(struct builder *builder, const struct elf_sections *sections)
{
	builder->code = mem_alloc_array(sections->count, sizeof(*builder->code));
	for (size_t i = 0; i < sections->count; i++) {
		const struct elf_section *section = &sections->items[i];

		if (elf_section_is_code(section))
			builder->code[builder->code_count++] =
				(struct code){section->address, section->address + section->bytes};
	}
	qsort(builder->code, builder->code_count, sizeof(*builder->code), compare_code);
}

/* The last executable section that begins at or below an address, or NULL. It may end before. */
static const struct code *find_code(const struct builder *builder, uint64_t address)
{
	size_t low = 0, high = builder->code_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (builder->code[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &builder->code[low - 1] : NULL;
}

static const char *directory_of(const char *name)
{
	return name + strlen(name) + 1;
}

static int compare_names(const void *left, const void *right)
{
	const struct file_name *a = left, *b = right;

	int order = strcmp(a->text, b->text);

	return order ? order : strcmp(directory_of(a->text), directory_of(b->text));
}

static size_t append(uint8_t *path, size_t used, struct line_text text)
{
	size_t room = LINES_PATH_BYTES + 3 - used;
	size_t length = text.length < room ? text.length : room;

	if (length)
		memcpy(path + used, text.bytes, length);
	return used + length;
}

/* The buffer is a few bytes longer than what is kept, so that a character at the cut is
 * complete. */
static size_t join_path(uint8_t path[LINES_PATH_BYTES + 3], const struct line_unit *unit,
			const struct line_file *file)
{
	static const struct line_text slash = {(const uint8_t *)"/", 1};
	struct line_text directory = {0};
	size_t used = 0;

	if (file->directory && file->directory < unit->directory_count)
		directory = unit->directories[file->directory];
	if (directory.length && file->name.bytes[0] != '/') {
		used = append(path, used, directory);
		if (path[used - 1] != '/')
			used = append(path, used, slash);
	}
	return append(path, used, file->name);
}

/* The file's number in the table; a new file is entered. False if the limit on names is
 * reached. */
static bool intern_file(struct builder *builder, const struct line_unit *unit,
			struct line_file *file)
{
	struct lines *lines = builder->lines;
	uint8_t path[LINES_PATH_BYTES + 3];
	size_t length = join_path(path, unit, file);
	size_t limit = length < LINES_PATH_BYTES ? length : LINES_PATH_BYTES;
	struct line_text directory = {0};

	if (path[0] != '/' && unit->directory_count)
		directory = unit->directories[0];
	size_t room = directory.length < LINES_PATH_BYTES ? directory.length : LINES_PATH_BYTES;
	size_t bytes = limit + 1 + room + 1;
	char *text = mem_alloc(bytes);

	length = printable_copy(text, limit, path, length) + 1;
	if (room)
		printable_copy(text + length, room, directory.bytes, directory.length);
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
		builder->names_bytes += bytes;
	}
	file->seen_as = (*found)->index;
	if (builder->names_bytes > LINES_NAMES_LIMIT)
		return err_set(builder->err,
			       "%s: the names of its source files need more than %u bytes; go on "
			       "without line numbers",
			       builder->file_name, LINES_NAMES_LIMIT);
	return true;
}

static bool continues(const struct line_range *before, const struct line_range *range)
{
	return before->end == range->start && before->file == range->file &&
	       before->line == range->line && before->column == range->column;
}

/* Adds the range from one row to the address of the next, if the row has a source. */
static bool add_range(struct builder *builder, struct line_unit *unit, struct sequence *sequence,
		      const struct line_row *row, uint64_t end)
{
	if (!row->line || row->file >= unit->file_count || !unit->files[row->file].name.length)
		return true;
	struct line_file *file = &unit->files[row->file];
	if (file->seen_as == LINE_FILE_UNSEEN && !intern_file(builder, unit, file))
		return false;

	struct line_range range = {
		.start = row->address,
		.end = end,
		.file = file->seen_as,
		.line = row->line,
		.column = row->column,
	};
	if (sequence->count && continues(&builder->ranges[builder->range_count - 1], &range)) {
		builder->ranges[builder->range_count - 1].end = end;
		return true;
	}
	if (builder->range_count >= LINES_LIMIT)
		return err_set(builder->err,
			       "%s: line information for more than %u ranges of addresses; go on "
			       "without line numbers",
			       builder->file_name, LINES_LIMIT);
	sequence->count++;
	*ARRAY_PUSH(builder->ranges, builder->range_count, builder->range_capacity) = range;
	return true;
}

static void close_sequence(struct builder *builder, const struct sequence *sequence)
{
	if (!sequence->count)
		return;
	struct sequence *kept =
		ARRAY_PUSH(builder->sequences, builder->sequence_count, builder->sequence_capacity);
	*kept = *sequence;
	kept->order = builder->sequence_count;
}

/* Rows become ranges here. A row without a later neighbour covers nothing, so
 * of several rows at one address the last counts. Addresses that go down begin
 * a new sequence. */
static bool run_program(struct builder *builder, struct line_unit *unit)
{
	struct sequence sequence = {0};
	const struct code *code = NULL;
	struct line_row before = {0};
	bool open = false;
	bool ok = true;

	while (ok && line_unit_next(unit)) {
		const struct line_row *row = &unit->row;

		if (open && row->address < before.address) {
			close_sequence(builder, &sequence);
			open = false;
		} else if (open && code && row->address > before.address &&
			   before.address < code->end) {
			uint64_t end = row->address < code->end ? row->address : code->end;

			sequence.end = end;
			ok = add_range(builder, unit, &sequence, &before, end);
		}
		if (!open) {
			code = find_code(builder, row->address);
			sequence = (struct sequence){
				.start = row->address,
				.end = row->address,
				.first = builder->range_count,
			};
		}
		open = !row->ends_sequence;
		before = *row;
		if (!open)
			close_sequence(builder, &sequence);
	}
	/* Without its end a sequence still has the ranges between its rows. */
	if (open)
		close_sequence(builder, &sequence);
	return ok;
}

static bool run_programs(struct builder *builder, struct reader *section,
			 const struct line_strings *strings)
{
	while (reader_left(section)) {
		size_t offset = section->at;
		struct line_unit unit;
		bool ok = line_unit_open(&unit, section, strings) && run_program(builder, &unit);

		if (unit.trouble)
			ok = err_set(builder->err,
				     "%s: the line table at offset 0x%zx of .debug_line is broken: "
				     "%s; build the program again, or go on without line numbers",
				     builder->file_name, offset, unit.trouble);
		line_unit_release(&unit);
		if (!ok)
			return false;
	}
	return true;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct sequence *a = left, *b = right;

	int order = (a->start > b->start) - (a->start < b->start);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* Joins the sequences in ascending order and cuts off what is already covered. */
static void merge_sequences(struct builder *builder)
{
	struct lines *lines = builder->lines;
	uint64_t covered = 0;

	if (!builder->sequence_count)
		return;
	qsort(builder->sequences, builder->sequence_count, sizeof(*builder->sequences),
	      compare_sequences);
	lines->ranges = mem_alloc_array(builder->range_count, sizeof(*lines->ranges));
	for (size_t i = 0; i < builder->sequence_count; i++) {
		const struct sequence *sequence = &builder->sequences[i];

		for (size_t j = 0; j < sequence->count; j++) {
			struct line_range range = builder->ranges[sequence->first + j];

			if (range.end <= covered)
				continue;
			if (range.start < covered)
				range.start = covered;
			if (lines->count && continues(&lines->ranges[lines->count - 1], &range))
				lines->ranges[lines->count - 1].end = range.end;
			else
				lines->ranges[lines->count++] = range;
		}
		if (sequence->end > covered)
			covered = sequence->end;
	}
}

static bool open_strings(struct line_text *strings, const struct elf_sections *sections,
			 const char *name, struct err *err)
{
	const struct elf_section *section = elf_sections_named(sections, name);

	*strings = (struct line_text){0};
	return !section ||
	       elf_sections_data(sections, section, name, &strings->bytes, &strings->length, err);
}

static bool build(struct builder *builder, const struct elf_sections *sections)
{
	const struct elf_section *section = elf_sections_named(sections, ".debug_line");
	struct line_strings strings;
	const uint8_t *data;
	size_t bytes;

	if (!section && elf_sections_named(sections, ".zdebug_line"))
		return err_set(builder->err,
			       "%s: section .zdebug_line is compressed, which is not supported; "
			       "link the program again with -gz=none",
			       builder->file_name);
	if (!section)
		return true;
	if (!elf_sections_data(sections, section, ".debug_line", &data, &bytes, builder->err) ||
	    !open_strings(&strings.line_str, sections, ".debug_line_str", builder->err) ||
	    !open_strings(&strings.str, sections, ".debug_str", builder->err))
		return false;
	struct reader reader = reader_of(data, bytes);
	collect_code(builder, sections);
	if (!run_programs(builder, &reader, &strings))
		return false;
	merge_sequences(builder);
	return true;
}

struct lines *lines_read(const uint8_t *bytes, size_t size, const char *name, struct err *err)
{
	struct elf_sections sections;
	struct builder builder = {.file_name = name, .err = err};

	if (!elf_sections_read(&sections, bytes, size, name, err))
		return NULL;
	builder.lines = mem_alloc(sizeof(*builder.lines));
	if (!build(&builder, &sections)) {
		lines_free(builder.lines);
		builder.lines = NULL;
	}
	tdestroy(builder.names, free);
	free(builder.code);
	free(builder.ranges);
	free(builder.sequences);
	elf_sections_release(&sections);
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
		.directory = directory_of(lines->files[lines->ranges[low].file]),
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
