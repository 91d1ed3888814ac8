#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/run.h"
#include "report/source.h"

#define CONTEXT_LINES 3	   /* without cycles, shown around those with */
#define HOT_SHARE     0.1  /* of the function's cycles */
#define MEANING_SHARE 0.01 /* of the function's cycles, for a cause to be explained */
#define PAGE_LINES    120  /* source lines that a page shows at first */
/* What is shown of a function that nobody asked for, in lines of text about 20: */
#define BRIEF_LINES   3 /* the hottest */
#define BRIEF_CONTEXT 1 /* around each */
#define BRIEF_INSNS   6 /* the hottest */

/* The instructions of one source line, in the order of their addresses. */
struct group {
	const char *file, *directory;
	int64_t line;
	size_t file_rank; /* files are in the order in which they first occur */
	size_t first;	  /* index in `places` of its first instruction */
	struct stacks_slots slots;
	struct stacks_site site;
};

struct place {
	const struct stacks_instruction *insn;
	size_t index;
};

struct annotation {
	const struct run_report *run;
	const struct stacks_annotation *annotated;
	struct doc_table *table;
	int64_t total; /* slots of all its instructions */
	/* Lines and instructions with fewer slots are not shown, and so many at most. */
	int64_t least_line, least_insn;
	size_t lines_left, insns_left;
	bool has_sites; /* the result says what happened at branches, loads and stores */
};

static const char *id_of(const struct run_report *run, size_t index)
{
	if (run->stacks->annotations[index].is_hot)
		return doc_words(run->doc, "source-%zu", index + 1);
	return index ? doc_words(run->doc, "annotation-%zu", index + 1) : "annotation";
}

const char *run_annotation_id(const struct run_report *run, const char *function)
{
	for (size_t i = 0; i < run->stacks->annotation_count; i++)
		if (strcmp(run->stacks->annotations[i].function, function) == 0)
			return id_of(run, i);
	return NULL;
}

static int by_place(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->file_rank != b->file_rank)
		return a->file_rank < b->file_rank ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static bool is_of(const struct group *group, const struct stacks_instruction *insn)
{
	return group->line == insn->line && strcmp(group->file, insn->file) == 0;
}

static int by_source(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = strcmp(a->insn->file, b->insn->file);

	if (order)
		return order;
	if (a->insn->line != b->insn->line)
		return a->insn->line < b->insn->line ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* Fills places with the instructions sorted by line, and returns the groups, also sorted;
 * group->first is the index of its first instruction. */
static struct group *group_by_line(const struct stacks_annotation *p, struct place *places,
				   size_t *count)
{
	struct group *groups = NULL;
	size_t capacity = 0, file_start = 0, rank = SIZE_MAX;

	*count = 0;
	for (size_t i = 0; i < p->insn_count; i++)
		places[i] = (struct place){&p->insns[i], i};
	qsort(places, p->insn_count, sizeof(*places), by_source);
	for (size_t i = 0; i < p->insn_count; i++) {
		const struct stacks_instruction *insn = places[i].insn;
		struct group *group = *count ? &groups[*count - 1] : NULL;

		if (!group || strcmp(group->file, insn->file) != 0) {
			file_start = *count;
			rank = SIZE_MAX;
		}
		if (!group || !is_of(group, insn)) {
			group = ARRAY_PUSH(groups, *count, capacity);
			*group = (struct group){.file = insn->file,
						.directory = insn->directory,
						.line = insn->line,
						.first = i};
		}
		stacks_slots_add(&group->slots, &insn->slots);
		stacks_site_add(&group->site, &insn->site);
		if (places[i].index < rank)
			rank = places[i].index;
		/* The first instruction of a file is known only when all its groups are. */
		if (i + 1 == p->insn_count || strcmp(places[i + 1].insn->file, insn->file) != 0)
			for (size_t k = file_start; k < *count; k++)
				groups[k].file_rank = rank;
	}
	if (groups)
		qsort(groups, *count, sizeof(*groups), by_place);
	return groups;
}

/* The cells of begin_file's columns; nothing of slots that are NULL or none. */
static void cells(const struct annotation *a, const struct stacks_slots *slots, int64_t executed,
		  const struct stacks_site *site, const char *text)
{
	const struct run_report *run = a->run;
	struct doc_table *table = a->table;
	const bool has_slots = slots && slots->total;

	if (has_slots) {
		doc_value(table, common_ratio((double)slots->total, (double)a->total));
		doc_value(table, stacks_cycles(run->stacks, slots->total));
	} else {
		doc_cell_words(table, "");
		doc_cell_words(table, "");
	}
	if (executed >= 0)
		doc_value(table, (double)executed);
	else
		doc_cell_words(table, "");
	doc_cell_words(table, text);
	if (a->has_sites)
		run_site_cells(table, site);
	if (!has_slots)
		return;
	common_stack_cell(table, run->stacks, slots);
	doc_cell_words(table, common_mostly(run->doc, slots));
}

/* Without a group nothing was executed there. */
static void source_row(const struct annotation *a, int64_t line, const char *text,
		       const struct group *group)
{
	const struct stacks_slots *slots = group ? &group->slots : NULL;
	struct doc_row *row =
		doc_row(a->table, line ? doc_words(a->run->doc, "%" PRId64, line) : "?");

	row->is_hot = slots && a->total > 0 && (double)slots->total >= HOT_SHARE * (double)a->total;
	cells(a, slots, -1, group ? &group->site : NULL, text);
}

static void instruction_row(const struct annotation *a, const struct stacks_instruction *insn)
{
	const char *pc = strncmp(insn->pc, "0x", 2) == 0 ? insn->pc + 2 : insn->pc;

	struct doc_row *row = doc_child(a->table, pc);

	row->is_hot = a->total > 0 && (double)insn->slots.total >= HOT_SHARE * (double)a->total;
	cells(a, &insn->slots, insn->executed, &insn->site, insn->text);
}

/* The lines between two that have instructions: a few around each. */
static void gap_rows(const struct annotation *a, const struct source *source, int64_t from,
		     int64_t to)
{
	const bool is_long = to - from + 1 > 2 * CONTEXT_LINES;

	if (!source->count)
		return;
	for (int64_t line = from; line <= to; line++) {
		if (is_long && line == from + CONTEXT_LINES) {
			doc_row(a->table, "...");
			cells(a, NULL, -1, NULL, "");
			line = to - CONTEXT_LINES + 1;
		}
		source_row(a, line, source_line(source, line), NULL);
	}
}

/* A table for each file, under its name, or how to find it. */
static void begin_file(struct annotation *a, struct source *source, const struct group *group,
		       size_t number, size_t annotation)
{
	static const struct source_roots none = {0};
	const struct source_roots *roots = a->run->options->sources;
	char *path = source_path(group->directory, group->file);
	const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;
	struct doc *doc = a->run->doc;

	source_open(source, roots ? roots : &none, path);
	doc_heading(doc, *group->file ? group->file : "of unknown source");
	if (*group->file && !source->count && slash)
		doc_note(doc, doc_words(doc, "(not found: to see its lines add --source %.*s)",
					slash == path ? 1 : (int)(slash - path), path));
	else if (*group->file && !source->count)
		doc_note(doc,
			 "(not found: to see its lines add --source and the directory it is in)");
	a->table = doc_table(doc,
			     doc_words(doc, "%s-lines-%zu", id_of(a->run, annotation), number + 1),
			     NULL, "line");
	a->table->is_listing = true;
	a->table->limit = PAGE_LINES;
	doc_column(a->table, "share", DOC_PERCENT, 1)->flags = DOC_OPTIONAL | DOC_HEAT;
	doc_column(a->table, "cycles", DOC_SHORT, 0);
	doc_column(a->table, "times", DOC_SHORT, 0);
	doc_column(a->table, "source", DOC_CODE, 0);
	if (a->has_sites)
		run_site_columns(a->table);
	doc_column(a->table, "stack", DOC_STACK, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	doc_column(a->table, "causes", DOC_WORDS, 0);
	common_parts(a->table, a->run->stacks);
	free(path);
}

static int by_slots(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a < b) - (a > b);
}

/* The slots of the one that is last among the `most` largest, at least 1. */
static int64_t least_of(int64_t *slots, size_t count, size_t most)
{
	qsort(slots, count, sizeof(*slots), by_slots);
	const int64_t least = slots[count < most ? count - 1 : most - 1];

	return least > 0 ? least : 1;
}

static void choose(struct annotation *a, const struct group *groups, size_t count)
{
	const struct stacks_annotation *p = a->annotated;
	int64_t *slots = mem_alloc_array(p->insn_count, sizeof(*slots));

	for (size_t i = 0; i < count; i++)
		slots[i] = groups[i].slots.total;
	a->least_line = least_of(slots, count, BRIEF_LINES);
	a->lines_left = BRIEF_LINES;
	for (size_t i = 0; i < p->insn_count; i++)
		slots[i] = p->insns[i].slots.total;
	a->least_insn = least_of(slots, p->insn_count, BRIEF_INSNS);
	a->insns_left = BRIEF_INSNS;
	free(slots);
}

/* One of the lines around a hot one, which may have some cycles, too. */
static void context_row(const struct annotation *a, const struct source *source,
			const struct group *groups, size_t count, size_t rank, int64_t line)
{
	const struct group *group = NULL;

	for (size_t i = 0; i < count && !group; i++)
		if (groups[i].file_rank == rank && groups[i].line == line)
			group = &groups[i];
	if (line > 0 && line <= (int64_t)source->count)
		source_row(a, line, source_line(source, line), group);
}

/* The lines between two hot ones of a file: those next to each, and a sign for what is left out.
 * The first has none before it, and the last none after it: 0. */
static void brief_gap(const struct annotation *a, const struct source *source,
		      const struct group *groups, size_t count, size_t rank, int64_t before,
		      int64_t after)
{
	const int64_t end = before ? before + BRIEF_CONTEXT : 0;

	if (before == after)
		return;
	for (int64_t line = before + 1; before && line <= end && (!after || line < after); line++)
		context_row(a, source, groups, count, rank, line);
	if (before && after && after - BRIEF_CONTEXT > end + 1) {
		doc_row(a->table, "...");
		cells(a, NULL, -1, NULL, "");
	}
	for (int64_t line = after - BRIEF_CONTEXT; after && line < after; line++)
		if (line > end)
			context_row(a, source, groups, count, rank, line);
}

/* The hottest lines and instructions alone. */
static void brief_files(struct annotation *a, size_t annotation)
{
	const struct stacks_annotation *p = a->annotated;
	struct place *places = mem_alloc_array(p->insn_count + 1, sizeof(*places));
	struct source source = {0};
	size_t count, number = 0, rank = SIZE_MAX;
	int64_t last = 0; /* line of that file */
	struct group *groups = group_by_line(p, places, &count);

	if (count)
		choose(a, groups, count);
	for (size_t i = 0; i < count; i++) {
		const struct group *group = &groups[i];

		if (group->slots.total < a->least_line || !a->lines_left)
			continue;
		a->lines_left--;
		if (group->file_rank != rank) {
			if (number)
				brief_gap(a, &source, groups, count, rank, last, 0);
			source_close(&source);
			begin_file(a, &source, group, number++, annotation);
			rank = group->file_rank;
			last = 0;
		}
		brief_gap(a, &source, groups, count, rank, last, group->line);
		source_row(a, group->line, source_line(&source, group->line), group);
		for (size_t k = group->first; k < p->insn_count && is_of(group, places[k].insn);
		     k++)
			if (places[k].insn->slots.total >= a->least_insn && a->insns_left) {
				instruction_row(a, places[k].insn);
				a->insns_left--;
			}
		last = group->line;
	}
	if (number)
		brief_gap(a, &source, groups, count, rank, last, 0);
	source_close(&source);
	free(groups);
	free(places);
}

static void files(struct annotation *a, size_t annotation)
{
	const struct stacks_annotation *p = a->annotated;
	struct place *places = mem_alloc_array(p->insn_count + 1, sizeof(*places));
	struct source source = {0};
	size_t count, number = 0;
	struct group *groups = group_by_line(p, places, &count);

	for (size_t i = 0; i < count; i++) {
		const struct group *group = &groups[i];

		if (i == 0 || groups[i - 1].file_rank != group->file_rank) {
			source_close(&source);
			begin_file(a, &source, group, number++, annotation);
		} else if (groups[i - 1].line > 0) {
			gap_rows(a, &source, groups[i - 1].line + 1, group->line - 1);
		}
		source_row(a, group->line, source_line(&source, group->line), group);
		for (size_t k = group->first; k < p->insn_count && is_of(group, places[k].insn);
		     k++)
			instruction_row(a, places[k].insn);
	}
	source_close(&source);
	free(groups);
	free(places);
}

/* What the causes are that the function has. */
static void meanings(const struct annotation *a)
{
	struct stacks_slots sum = {0};

	for (size_t i = 0; i < a->annotated->insn_count; i++)
		stacks_slots_add(&sum, &a->annotated->insns[i].slots);
	for (int i = 0; i < CAUSE_COUNT; i++)
		if (sum.causes[i] && (double)sum.causes[i] >= MEANING_SHARE * (double)sum.total)
			doc_note(a->run->doc, doc_words(a->run->doc, "%s: %s", cause_rows[i].name,
							cause_rows[i].meaning));
}

static struct annotation begin_annotation(const struct run_report *run, size_t index)
{
	struct annotation a = {.run = run, .annotated = &run->stacks->annotations[index]};

	for (size_t i = 0; i < a.annotated->insn_count; i++) {
		a.total += a.annotated->insns[i].slots.total;
		a.has_sites |= a.annotated->insns[i].site.is_known;
	}
	return a;
}

static const char *title_of(const struct annotation *a)
{
	const struct stacks *p = a->run->stacks;
	struct doc *doc = a->run->doc;

	return doc_words(
		doc, "%s: %s cycles, %s%% of the run", a->annotated->function,
		doc_whole(doc, stacks_cycles(p, a->total)),
		doc_decimal(doc, 100 * common_ratio((double)a->total, (double)p->slots.total), 1));
}

static void explain(const struct run_report *run)
{
	doc_note(run->doc, "A cycle is charged to the instruction that held up the others, which "
			   "is not always the one that waited. What has a tenth of the function's "
			   "cycles stands out.");
	doc_only(run->doc, DOC_IN_PAGE);
}

/* A function that somebody named, or the hottest on a terminal. */
static void named(const struct run_report *run, size_t index)
{
	struct annotation a = begin_annotation(run, index);
	struct doc *doc = run->doc;

	doc_section(doc, id_of(run, index), title_of(&a))->short_title = a.annotated->function;
	explain(run);
	if (run->options->is_brief) {
		brief_files(&a, index);
		doc_note(doc, doc_words(doc,
					"The hottest lines; --annotate %s shows all, "
					"--annotate none leaves them out.",
					a.annotated->function));
	} else {
		files(&a, index);
		meanings(&a);
	}
	doc_end(doc);
}

/* The hottest functions, which nobody named: each opened by who wants to see it. */
static void hot(const struct run_report *run, size_t first)
{
	const struct stacks *p = run->stacks;
	struct doc *doc = run->doc;

	if (first == p->annotation_count)
		return;
	doc_section(doc, "source", "Source and instructions of the hottest functions")
		->short_title = "Source";
	explain(run);
	common_legend(doc, p);
	for (size_t i = first; i < p->annotation_count; i++) {
		struct annotation a = begin_annotation(run, i);
		struct doc_block *fold = doc_fold(doc, title_of(&a));

		fold->id = id_of(run, i);
		fold->is_open = i == first;
		files(&a, i);
		doc_end(doc);
	}
	doc_end(doc);
	doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
}

void run_annotations(const struct run_report *run)
{
	size_t i = 0;

	for (; i < run->stacks->annotation_count && !run->stacks->annotations[i].is_hot; i++)
		named(run, i);
	hot(run, i);
}
