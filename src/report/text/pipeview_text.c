#include "report/text/pipeview_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The part of the range that is printed side by side. */
struct part {
	FILE *out;
	const struct kanata *kanata;
	const struct terminal *terminal;
	uint64_t from, end; /* up to, not with, this cycle */
	unsigned label;	    /* columns of the text at the left */
	char cells[TERMINAL_MOST_COLUMNS + 1];
	/* For each cycle of the part: the cause of its loss, or -1. */
	int lost[TERMINAL_MOST_COLUMNS];
};

static char letter_of(const struct kanata *kanata, unsigned name)
{
	unsigned char c = (unsigned char)kanata->names[name][0];

	return c > ' ' && c < 127 ? (char)c : '?';
}

static uint64_t clip(uint64_t cycle, const struct part *part)
{
	uint64_t most = cycle < part->end ? cycle : part->end;

	return most > part->from ? most - part->from : 0;
}

static void fill_cells(struct part *part, const struct kanata_insn *insn)
{
	const struct kanata *k = part->kanata;
	size_t width = (size_t)(part->end - part->from);

	memset(part->cells, ' ', width);
	part->cells[width] = '\0';
	for (uint32_t i = insn->first_stage; i != KANATA_NONE; i = k->stages[i].next) {
		const struct kanata_stage *stage = &k->stages[i];
		uint64_t begin = clip(stage->begin, part), end = clip(stage->end, part);
		char letter = letter_of(k, stage->name);

		if (stage->lane == 0)
			memset(part->cells + begin,
			       insn->is_flushed ? tolower(letter) : toupper(letter),
			       (size_t)(end - begin));
		else
			for (uint64_t at = begin; at < end; at++)
				part->lost[at] = stage->name;
	}
	if (!insn->is_flushed && insn->end >= part->from && insn->end < part->end)
		part->cells[insn->end - part->from] = 'R';
}

static void print_cells(const struct part *part, const char *label)
{
	size_t length = strlen(part->cells);

	while (length && part->cells[length - 1] == ' ')
		length--;
	terminal_put_start(part->out, part->terminal, label, part->label, part->label);
	fprintf(part->out, " %.*s", (int)length, part->cells);
}

static void print_row(struct part *part, const struct kanata_insn *insn)
{
	fill_cells(part, insn);
	if (insn->is_flushed)
		terminal_style(part->out, part->terminal, "2");
	print_cells(part, insn->label ? insn->label : "");
	if (insn->is_flushed)
		terminal_plain(part->out, part->terminal);
	fputc('\n', part->out);
}

/* "lost: 120-131 l2d, 140 branch" */
static void print_losses(struct part *part)
{
	const struct kanata *k = part->kanata;
	size_t width = (size_t)(part->end - part->from), used = 0;
	char *text = mem_alloc(width * (KANATA_STAGE_BYTES + 64) + 16);
	bool any = false;

	for (size_t i = 0; i < width; i++) {
		any |= part->lost[i] >= 0;
		part->cells[i] = part->lost[i] < 0 ? ' ' : letter_of(k, (unsigned)part->lost[i]);
	}
	part->cells[width] = '\0';
	for (size_t i = 0, end; i < width; i = end) {
		for (end = i + 1; end < width && part->lost[end] == part->lost[i]; end++)
			;
		if (part->lost[i] < 0)
			continue;
		used += (size_t)sprintf(text + used, "%s%llu", used ? ", " : "lost: ",
					(unsigned long long)(part->from + i));
		if (end - i > 1)
			used += (size_t)sprintf(text + used, "-%llu",
						(unsigned long long)(part->from + end - 1));
		used += (size_t)sprintf(text + used, " %s", k->names[part->lost[i]]);
	}
	if (any) {
		print_cells(part, "lost");
		fputc('\n', part->out);
		terminal_put_words(part->out, part->terminal, 6, text);
	}
	free(text);
}

/* A mark above every tenth cycle, with its number where there is room. */
static void print_ruler(struct part *part)
{
	size_t width = (size_t)(part->end - part->from);
	char number[24];

	memset(part->cells, ' ', width);
	part->cells[width] = '\0';
	for (size_t i = 0; i < width; i++) {
		if ((part->from + i) % 10 != 0 && i != 0)
			continue;
		size_t length = (size_t)snprintf(number, sizeof(number), "%llu",
						 (unsigned long long)(part->from + i));
		bool is_free = i + length <= width;

		for (size_t j = i ? i - 1 : i; is_free && j < i + length; j++)
			is_free = part->cells[j] == ' ';
		if (is_free)
			memcpy(part->cells + i, number, length);
	}
	print_cells(part, "cycle");
	fputc('\n', part->out);
}

static void print_part(struct part *part, size_t *first)
{
	const struct kanata *k = part->kanata;
	size_t rows = 0;

	for (size_t i = 0; i < ARRAY_COUNT(part->lost); i++)
		part->lost[i] = -1;
	/* Numbers count up with time: what comes later begins later. */
	while (*first < k->count && k->insns[*first].end < part->from)
		++*first;
	for (size_t i = *first; i < k->count && k->insns[i].begin < part->end; i++) {
		if (k->insns[i].end < part->from)
			continue;
		if (!rows++)
			print_ruler(part);
		print_row(part, &k->insns[i]);
	}
	if (rows)
		print_losses(part);
}

static void print_summary(FILE *out, const struct kanata *k, const struct pipeview_range *range,
			  const struct terminal *terminal)
{
	size_t retired = 0, flushed = 0;
	char text[240];

	for (size_t i = 0; i < k->count; i++) {
		bool is_shown = k->insns[i].begin <= range->to && k->insns[i].end >= range->from;

		retired += is_shown && !k->insns[i].is_flushed;
		flushed += is_shown && k->insns[i].is_flushed;
	}
	snprintf(text, sizeof(text),
		 "%zu instructions in cycles %llu to %llu: %zu retired, %zu squashed",
		 retired + flushed, (unsigned long long)range->from, (unsigned long long)range->to,
		 retired, flushed);
	terminal_put_words(out, terminal, 2, text);
}

void pipeview_text_print(FILE *out, const struct kanata *kanata, const struct pipeview_range *range,
			 const struct terminal *terminal)
{
	unsigned label = terminal->width / 3 < 36 ? terminal->width / 3 : 36;
	unsigned room = terminal->width - label - 1;
	struct part *part = mem_alloc(sizeof(*part));
	size_t first = 0;

	*part = (struct part){.out = out, .kanata = kanata, .terminal = terminal, .label = label};
	for (uint64_t from = range->from; from <= range->to; from += room) {
		part->from = from;
		part->end = from + room <= range->to ? from + room : range->to + 1;
		print_part(part, &first);
	}
	free(part);
	print_summary(out, kanata, range, terminal);
}
