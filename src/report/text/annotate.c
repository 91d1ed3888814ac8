#include "report/text/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "value/profile.h"
#include "value/component.h"

#define CONTEXT_LINES 3	   /* without cycles, shown around those with */
#define HOT_SHARE     0.1  /* of the function's cycles */
#define CAUSE_SHARE   0.05 /* of a line's own, to be worth naming */
#define SHORT_COLUMNS 6
#define SHARE_COLUMNS 6
#define CAUSES_BYTES  96
#define MEANING_SHARE 0.01 /* of the function's cycles, for a cause to be explained */
#define NARROW	      60   /* below this width the percentages are left out */

/* The instructions of one source line, in the order of their addresses. */
struct group {
	const char *file, *directory;
	int64_t line;
	size_t file_rank; /* files are in the order in which they first occur */
	size_t first;	  /* index in `places` of its first instruction */
	struct profile_slots slots;
};

struct annotation {
	FILE *out;
	const struct terminal *terminal;
	const struct profile *profile;
	const struct profile_annotation *annotated;
	const struct source_roots *sources;
	int64_t total; /* slots of all its instructions */
	/* A line's text is padded to text_columns, and may be longer where its causes are few. */
	unsigned text_columns, cause_columns;
};

static bool is_hot(const struct annotation *a, int64_t slots)
{
	return a->total > 0 && (double)slots >= HOT_SHARE * (double)a->total;
}

/* The causes of a line, such as " l2d 80%, base 12%": as many as fit into cause_columns after the
 * space, the largest first. Returns their length. */
static unsigned name_causes(const struct annotation *a, const struct profile_slots *slots,
			    char causes[CAUSES_BYTES])
{
	bool is_named[CAUSE_COUNT] = {false};
	unsigned used = 0;

	causes[0] = 0;
	for (;;) {
		int most = -1;
		char text[48];

		for (int i = 0; i < CAUSE_COUNT; i++)
			if (!is_named[i] && slots->causes[i] > 0 &&
			    (most < 0 || slots->causes[i] > slots->causes[most]))
				most = i;
		if (most < 0)
			return used;
		double share = (double)slots->causes[most] / (double)slots->total;
		if (used && share < CAUSE_SHARE)
			return used;
		is_named[most] = true;
		int bytes = snprintf(text, sizeof(text), "%s%s %.0f%%", used ? ", " : " ",
				     cause_rows[most].name, 100 * share);
		/* The first cause is named even if there is no space for its share. */
		if (!used && (unsigned)bytes > 1 + a->cause_columns)
			bytes = snprintf(text, sizeof(text), " %s", cause_rows[most].name);
		if (used + (unsigned)bytes > 1 + a->cause_columns)
			return used;
		strcpy(causes + used, text);
		used += (unsigned)bytes;
	}
}

/* Prints the text from a column on, then the causes: the text may use what these leave. */
static void put_text_and_causes(const struct annotation *a, const char *text, unsigned from,
				const struct profile_slots *slots)
{
	char causes[CAUSES_BYTES];
	unsigned length = name_causes(a, slots, causes);
	unsigned most = a->text_columns + 1 + a->cause_columns - length;

	terminal_put_start(a->out, a->terminal, text, length ? a->text_columns - from : 0,
			   most - from);
	fputs(causes, a->out);
}

static void put_numbers(const struct annotation *a, const struct profile_slots *slots,
			int64_t executed)
{
	char share[TERMINAL_NUMBER_BYTES] = "", cycles[TERMINAL_NUMBER_BYTES] = "",
	     count[TERMINAL_NUMBER_BYTES] = "";

	if (slots->total) {
		terminal_percent(share, (double)slots->total, (double)a->total);
		terminal_short(cycles, profile_cycles(a->profile, slots->total));
	}
	if (executed >= 0)
		terminal_short(count, (double)executed);
	fputc(is_hot(a, slots->total) ? '>' : ' ', a->out);
	if (a->terminal->width >= NARROW)
		fprintf(a->out, "%*s ", SHARE_COLUMNS, share);
	fprintf(a->out, "%*s %*s ", SHORT_COLUMNS, cycles, SHORT_COLUMNS, count);
}

static void print_source_line(const struct annotation *a, int64_t line, const char *text,
			      const struct profile_slots *slots)
{
	static const struct profile_slots none = {0};
	bool hot = slots && is_hot(a, slots->total);
	char number[32];
	int bytes = line ? snprintf(number, sizeof(number), "%lld", (long long)line)
			 : snprintf(number, sizeof(number), "?");
	unsigned used = (unsigned)(bytes < 4 ? 4 : bytes) + 1;

	if (hot)
		terminal_style(a->out, a->terminal, "1;31");
	put_numbers(a, slots ? slots : &none, -1);
	/* The line number comes from outside and may need more columns than there are. */
	if (used > a->text_columns)
		terminal_put(a->out, a->terminal, number, a->text_columns);
	else {
		fprintf(a->out, "%4s ", number);
		put_text_and_causes(a, text, used, slots ? slots : &none);
	}
	if (hot)
		terminal_plain(a->out, a->terminal);
	fputc('\n', a->out);
}

static void print_instruction(const struct annotation *a, const struct profile_instruction *insn)
{
	const char *pc = strncmp(insn->pc, "0x", 2) == 0 ? insn->pc + 2 : insn->pc;
	bool hot = is_hot(a, insn->slots.total);
	unsigned indent = a->terminal->width >= 80 ? 5 : 1;
	size_t bytes = strlen(pc) + 1 + strlen(insn->text) + 1;
	char *text = mem_alloc(bytes);

	snprintf(text, bytes, "%s %s", pc, insn->text);
	terminal_style(a->out, a->terminal, hot ? "33" : "2");
	put_numbers(a, &insn->slots, insn->executed);
	fprintf(a->out, "%*s", (int)indent, "");
	put_text_and_causes(a, text, indent, &insn->slots);
	terminal_plain(a->out, a->terminal);
	fputc('\n', a->out);
	free(text);
}

static int by_place(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->file_rank != b->file_rank)
		return a->file_rank < b->file_rank ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static bool is_of(const struct group *group, const struct profile_instruction *insn)
{
	return group->line == insn->line && strcmp(group->file, insn->file) == 0;
}

struct place {
	const struct profile_instruction *insn;
	size_t index;
};

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
static struct group *group_by_line(const struct profile_annotation *p, struct place *places,
				   size_t *count)
{
	struct group *groups = NULL;
	size_t capacity = 0, file_start = 0, rank = SIZE_MAX;

	*count = 0;
	for (size_t i = 0; i < p->insn_count; i++)
		places[i] = (struct place){&p->insns[i], i};
	qsort(places, p->insn_count, sizeof(*places), by_source);
	for (size_t i = 0; i < p->insn_count; i++) {
		const struct profile_instruction *insn = places[i].insn;
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
		profile_slots_add(&group->slots, &insn->slots);
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

static void print_gap(const struct annotation *a, const struct source *source, int64_t from,
		      int64_t to)
{
	if (!source->count || from > to)
		return;
	if (to - from + 1 <= 2 * CONTEXT_LINES) {
		for (int64_t line = from; line <= to; line++)
			print_source_line(a, line, source_line(source, line), NULL);
		return;
	}
	for (int64_t line = from; line < from + CONTEXT_LINES; line++)
		print_source_line(a, line, source_line(source, line), NULL);
	fprintf(a->out, "   ...\n");
	for (int64_t line = to - CONTEXT_LINES + 1; line <= to; line++)
		print_source_line(a, line, source_line(source, line), NULL);
}

/* Which directory would have to be given for the file to be shown. */
static void print_how_to_find(const struct annotation *a, const char *path)
{
	const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;
	size_t bytes = strlen(path) + 128;
	char *text = mem_alloc(bytes);

	if (slash)
		snprintf(text, bytes, "(not found: to see its lines add --source %.*s)",
			 slash == path ? 1 : (int)(slash - path), path);
	else
		snprintf(text, bytes,
			 "(not found: to see its lines add --source and the directory it is in)");
	terminal_put_words(a->out, a->terminal, 2, text);
	free(text);
}

/* Opens the source of a group's file and prints its name, or how to find it. */
static void open_file(const struct annotation *a, struct source *source, const struct group *group)
{
	const char *file = group->file;
	char *path = source_path(group->directory, file);

	source_open(source, a->sources, path);
	fputc('\n', a->out);
	terminal_style(a->out, a->terminal, "1");
	if (!*file)
		terminal_put_words(a->out, a->terminal, 2, "of unknown source");
	else {
		unsigned needed = terminal_columns(a->terminal, file);
		unsigned most = a->terminal->width;

		terminal_put(a->out, a->terminal, file, needed < most ? needed : most);
		fputc('\n', a->out);
	}
	terminal_plain(a->out, a->terminal);
	if (*file && !source->count)
		print_how_to_find(a, path);
	free(path);
}

static void print_groups(const struct annotation *a)
{
	const struct profile_annotation *p = a->annotated;
	struct place *places = mem_alloc_array(p->insn_count, sizeof(*places));
	struct source source = {0};
	size_t count;
	struct group *groups = group_by_line(p, places, &count);

	for (size_t i = 0; i < count; i++) {
		const struct group *group = &groups[i];
		bool is_new = i == 0 || groups[i - 1].file_rank != group->file_rank;

		if (is_new) {
			source_close(&source);
			open_file(a, &source, group);
		} else if (groups[i - 1].line > 0) {
			print_gap(a, &source, groups[i - 1].line + 1, group->line - 1);
		}
		print_source_line(a, group->line, source_line(&source, group->line), &group->slots);
		for (size_t k = group->first; k < p->insn_count && is_of(group, places[k].insn);
		     k++)
			print_instruction(a, places[k].insn);
	}
	source_close(&source);
	free(groups);
	free(places);
}

static void print_head(const struct annotation *a)
{
	char share[TERMINAL_NUMBER_BYTES], cycles[TERMINAL_NUMBER_BYTES];
	const struct profile *p = a->profile;
	size_t bytes = strlen(a->annotated->function) + 128;
	char *text = mem_alloc(bytes);

	fputc('\n', a->out);
	snprintf(text, bytes, "%s: %s cycles, %s of the run; > marks what has a tenth of them",
		 a->annotated->function, terminal_short(cycles, profile_cycles(p, a->total)),
		 terminal_percent(share, (double)a->total, (double)p->slots.total));
	terminal_style(a->out, a->terminal, "1");
	terminal_put_words(a->out, a->terminal, 2, text);
	terminal_plain(a->out, a->terminal);
	free(text);
	fputc(' ', a->out);
	if (a->terminal->width >= NARROW)
		fprintf(a->out, "%*s ", SHARE_COLUMNS, "share");
	fprintf(a->out, "%*s %*s ", SHORT_COLUMNS, "cycles", SHORT_COLUMNS, "times");
	terminal_put(a->out, a->terminal, "line", a->text_columns);
	fputs(" causes\n", a->out);
}

/* What the causes are that the function has. */
static void print_meanings(const struct annotation *a)
{
	struct profile_slots sum = {0};

	for (size_t i = 0; i < a->annotated->insn_count; i++)
		profile_slots_add(&sum, &a->annotated->insns[i].slots);
	if (sum.total)
		fputc('\n', a->out);
	for (int i = 0; i < CAUSE_COUNT; i++) {
		char text[256];

		if ((double)sum.causes[i] < MEANING_SHARE * (double)sum.total || !sum.causes[i])
			continue;
		snprintf(text, sizeof(text), "%s: %s", cause_rows[i].name, cause_rows[i].meaning);
		terminal_put_words(a->out, a->terminal, 2, text);
	}
}

void annotate_print(FILE *out, const json_t *result, const struct terminal *terminal)
{
	struct source_roots roots = {0};

	source_roots_add_working_directory(&roots);
	annotate_print_from(out, result, terminal, &roots);
	source_roots_release(&roots);
}

void annotate_print_from(FILE *out, const json_t *result, const struct terminal *terminal,
			 const struct source_roots *sources)
{
	struct profile profile;
	struct annotation a = {
		.out = out, .terminal = terminal, .profile = &profile, .sources = sources};
	unsigned width = terminal->width;
	struct err err;

	if (!profile_read(&profile, result, &err)) {
		err_prefix(&err, "this result cannot be annotated");
		terminal_put_words(out, terminal, 2, err.text);
		return;
	}
	a.cause_columns = width >= 120 ? 44 : width >= 80 ? 28 : width >= NARROW ? 15 : 10;
	a.text_columns = width - 1 - (width >= NARROW ? SHARE_COLUMNS + 1 : 0) -
			 2 * (SHORT_COLUMNS + 1) - 1 - a.cause_columns;
	for (size_t i = 0; i < profile.annotation_count; i++) {
		a.annotated = &profile.annotations[i];
		a.total = 0;
		for (size_t k = 0; k < a.annotated->insn_count; k++)
			a.total += a.annotated->insns[k].slots.total;
		print_head(&a);
		print_groups(&a);
		print_meanings(&a);
	}
	if (!profile.annotation_count)
		terminal_put_words(out, terminal, 2,
				   "this result has no annotation; ask for one with --annotate "
				   "FUNCTION");
	profile_release(&profile);
}
